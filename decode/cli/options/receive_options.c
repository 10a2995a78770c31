#include "decode/cli/options/receive_options.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/message.h"

static const char usage[] =
    "usage: undertrace receive (--udp PORT | --uart SOURCE) -o DIRECTORY [options]\n"
    "\n"
    "Receives the stream of a machine that runs under Undertrace, and stores it as a capture.\n"
    "\n"
    "  --udp PORT          receive datagrams at this UDP port (the hypervisor's net.port, default 21845)\n"
    "  --bind ADDRESS      listen on this local address only\n"
    "  --announce          broadcast this receiver's address on all networks of this host until the first\n"
    "                      frame arrives; for hypervisors with net.peer=announce\n"
    "  --announce-to ADDRESS[:PORT]\n"
    "                      the same, but only to this address\n"
    "  --key FILE          accept only frames of a machine that has the same key (the hypervisor's option\n"
    "                      key=); FILE has its 32 hexadecimal digits\n"
    "  --uart SOURCE       receive from a serial line: a terminal device, a growing file, a FIFO, a UNIX\n"
    "                      socket, HOST:PORT of a TCP server, or - for standard input\n"
    "  --baud N            speed of the terminal device (default: 115200)\n"
    "  -o, --output DIRECTORY\n"
    "                      where the capture is stored; a directory that is empty or does not exist, or\n"
    "                      one whose receiver ended before the stream: the reception continues there\n"
    "  --follow            over UDP: store each boot of the machine as a capture of its own, DIRECTORY/1,\n"
    "                      DIRECTORY/2 and so on, until interrupted\n"
    "  --timeout S         give up after S seconds without a frame (default: never)\n"
    "  --limit SIZE        stop when the capture has this many bytes (K, M, G, T: powers of 1024)\n"
    "  --wait-for-space    when the disk is full, wait until there is room, instead of ending\n"
    "  --linger S          over UDP: answer repeated frames for S seconds after the end (default: 1)\n"
    "  --status FILE       keep the state in FILE as JSON\n"
    "  --console FILE      show the last line of FILE, the guest's console\n"
    "  --decode            decode the trace as it arrives: on a terminal, a screen shows where branches go,\n"
    "                      by function and by process; elsewhere the progress line shows the number of\n"
    "                      branches, the bytes not decoded yet, and where each CPU is\n"
    "  --no-screen         with --decode: the progress line on a terminal, too\n"
    "With --decode, names; the progress line has those of --symbols:\n" NAMES_USAGE "\n"
    "  --quiet             print no progress lines\n"
    "  --test-first NUMBERS\n"
    "                      for tests: the same as the hypervisor's option test.first=\n"
    "\n"
    "Exit status: 0 the end record of each CPU arrived and nothing before it is missing; 1 an error;\n"
    "2 reception stopped before the end, bytes were lost, or the hypervisor gave up tracing because no\n"
    "receiver answered: the capture is readable, and records what is missing.\n";

/* The hypervisor's test.first=FRAME,TRACE,RECORDS,CODE, of which a receiver needs two numbers. */
static bool parse_first(struct receive_options *a)
{
    const char *const form = "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%c";
    struct wire_first *first = &a->first;
    char more;
    return !a->test_first ||
           sscanf(a->test_first, form, &first->frame, &first->trace, &first->records, &first->code, &more) == 4;
}

/* An option that is given and means something with --decode only. NULL: there is none. */
static const char *needs_decode(const struct receive_options *a)
{
    return a->names.symbols             ? "--symbols"
           : a->names.kernel            ? "--kernel"
           : a->names.files.count       ? "--files"
           : a->names.remembered.chosen ? "--remembered"
           : a->no_screen               ? "--no-screen"
                                        : NULL;
}

/* Check the combination of options. Returns ARGUMENTS_GOOD, or 1 after a message. */
static int check_arguments(struct receive_options *a)
{
    const bool udp = a->port != ARGUMENT_NOT_GIVEN;
    if (!a->directory)
        message_print("receive: -o DIRECTORY is required; see undertrace receive --help");
    else if (udp == (a->uart != NULL))
        message_print("receive: give exactly one of --udp PORT and --uart SOURCE");
    else if (needs_decode(a) && !a->decode)
        message_print("receive: %s requires --decode", needs_decode(a));
    else if (!udp && (a->announce || a->announce_to))
        message_print("receive: --announce and --announce-to require --udp");
    else if (!udp && a->follow)
        message_print("receive: --follow requires --udp");
    else if (!udp && a->key)
        message_print("receive: --key requires --udp: frames on a serial line are not authenticated");
    else if (!parse_first(a))
        message_print("receive: --test-first: '%s' is not FRAME,TRACE,RECORDS,CODE", a->test_first);
    else if (udp && a->port == 0)
        message_print("receive: --udp: '0' is not a port from 1 to 65535");
    else
        return ARGUMENTS_GOOD;
    return 1;
}

int receive_options_parse(struct receive_options *a, int argc, char **argv)
{
    *a = (struct receive_options){.port = ARGUMENT_NOT_GIVEN, .baud = 115200, .linger = 1};
    const struct argument options[] = {
        {"udp", ARGUMENT_NUMBER, &a->port, 65535},
        {"bind", ARGUMENT_TEXT, &a->bind, 0},
        {"key", ARGUMENT_TEXT, &a->key, 0},
        {"uart", ARGUMENT_TEXT, &a->uart, 0},
        {"baud", ARGUMENT_NUMBER, &a->baud, UINT32_MAX},
        {"timeout", ARGUMENT_SECONDS, &a->timeout, 0},
        {"limit", ARGUMENT_SIZE, &a->limit, 0},
        {"wait-for-space", ARGUMENT_FLAG, &a->wait_for_space, 0},
        {"linger", ARGUMENT_SECONDS, &a->linger, 0},
        {"status", ARGUMENT_TEXT, &a->status, 0},
        {"console", ARGUMENT_TEXT, &a->console, 0},
        {"follow", ARGUMENT_FLAG, &a->follow, 0},
        {"quiet", ARGUMENT_FLAG, &a->quiet, 0},
        {"o", ARGUMENT_TEXT, &a->directory, 0},
        {"output", ARGUMENT_TEXT, &a->directory, 0},
        {"decode", ARGUMENT_FLAG, &a->decode, 0},
        {"no-screen", ARGUMENT_FLAG, &a->no_screen, 0},
        NAMES_OPTIONS(&a->names),
        {"test-first", ARGUMENT_TEXT, &a->test_first, 0},
        {"announce", ARGUMENT_FLAG, &a->announce, 0},
        {"announce-to", ARGUMENT_TEXT, &a->announce_to, 0},
    };
    const struct syntax syntax = {"receive", usage, options, sizeof(options) / sizeof(options[0]), 0, 0};
    const int status = arguments_parse(&syntax, argc, argv, NULL);
    return status == ARGUMENTS_GOOD ? check_arguments(a) : status;
}
