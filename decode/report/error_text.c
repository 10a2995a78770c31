#include "decode/report/error_text.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/capture.h"

#define NUMBER "#" /* replaced by the error's number */
#define NAME "@"   /* replaced by the error's name */

static const struct {
    const char *text;
    bool with_errno;
} error_texts[ERROR_NR_KINDS] = {
    [ERROR_NONE] = {"no error", false},
    [ERROR_MEMORY] = {"out of memory for " NAME, false},
    [ERROR_CANNOT_OPEN] = {NAME, true},
    [ERROR_CANNOT_MAKE] = {NAME ": cannot be created", true},
    [ERROR_CANNOT_WRITE] = {NAME ": cannot be written", true},
    [ERROR_CANNOT_WRITE_AT] = {NAME ": cannot be written at offset " NUMBER, true},
    [ERROR_NOT_EMPTY] = {NAME ": is not empty; a capture is never overwritten: name a new directory", false},
    [ERROR_IN_USE] = {NAME ": another receiver stores a capture there", false},
    [ERROR_NO_RESUME] = {NAME ": the reception cannot be resumed; receive the rest into a new directory", false},
    [ERROR_TOO_MANY_CPUS] = {"a frame of CPU " NUMBER ": a capture has room for fewer CPUs", false},
    [ERROR_NO_CAPTURE] = {NAME ": not a capture: a capture is a directory that undertrace receive -o has created",
                          true},
    [ERROR_NEWER_FORMAT] = {NAME ": a capture of format " NUMBER
                                 ", which this version of undertrace does not know: read it with a newer one",
                            false},
    [ERROR_NO_TRACE] = {NAME ": this capture has no trace of CPU " NUMBER, false},
    [ERROR_CANNOT_LISTEN] = {NAME ": cannot listen for commands", true},
    [ERROR_NO_ADDRESS] = {"--bind: '" NAME "' is not an IPv4 address", false},
    [ERROR_NO_TARGET] = {"--announce-to: '" NAME "' is not an IPv4 address or ADDRESS:PORT", false},
    [ERROR_NO_PORT] = {"UDP port " NUMBER " of " NAME " is not available", true},
    [ERROR_SERVE_ADDRESS] = {"--listen: '" NAME "' is neither an IP address nor localhost", false},
    [ERROR_SERVE_PORT] = {"TCP port " NUMBER " of " NAME " is not available; choose another with --port", true},
    [ERROR_SERVE_TOKEN] = {"no random token can be made", true},
    [ERROR_UDP] = {"the UDP socket failed", true},
    [ERROR_NAME_TOO_LONG] = {NAME ": the name is too long for a UNIX socket", false},
    [ERROR_CANNOT_CONNECT] = {NAME ": cannot be connected to", true},
    [ERROR_NO_HOST] = {NAME, false},
    [ERROR_NO_BAUD] = {"--baud: " NUMBER " is not a speed of serial lines", false},
    [ERROR_CANNOT_SET_BAUD] = {NAME ": cannot be set to " NUMBER " baud", true},
    [ERROR_UART] = {"reading from the UART failed", true},
    [ERROR_MAP_RECORD] = {"events.bin, offset " NUMBER ": impossible mapping: " NAME, false},
    [ERROR_NO_TRUTH] = {NAME ": offset 0: not a truth file of version 1", false},
    [ERROR_TRUTH_ENTRY] = {NAME ": offset " NUMBER ": unknown kind of entry", false},
    [ERROR_SHARD] = {NAME ": line " NUMBER ": not a result of a part of this capture", false},
    [ERROR_IMAGE_SPEC] = {NAME
                          ": expected a file name, an at sign, and an address in decimal or in hexadecimal after 0x",
                          false},
    [ERROR_IMAGE_SHORT] = {NAME ": the requested part exceeds the file's " NUMBER " bytes", false},
    [ERROR_IMAGE_ADDRESS] = {NAME ": at " NUMBER " it exceeds the address space", false},
    [ERROR_IMAGE_TWICE] = {NAME " have different bytes at address " NUMBER, false},
    [ERROR_NO_ELF] = {NAME ": not an ELF file with loadable segments", false},
    [ERROR_PERF] = {NAME, false},
    [ERROR_NAMES] = {NAME, false},
    [ERROR_NOT_EXECUTED] = {NAME ": no code of this object ran: --kernel and --files name the code, --object "
                                 "selects one of the objects that undertrace report lists",
                            false},
    [ERROR_SIDE_FILE] = {NAME " in the capture's directory does not fit the trace: delete it, and it is made again",
                         false},
    [ERROR_NO_PSB] = {NAME ": no PSB in " NUMBER " bytes: nothing can be decoded", false},
    [ERROR_NO_SYMBOLS] = {NAME ": contains no line \"address T name\"", false},
};

static void append_text(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static bool is_address(enum error_kind kind)
{
    return kind == ERROR_IMAGE_ADDRESS || kind == ERROR_IMAGE_TWICE;
}

void error_text(char *text, size_t size, const struct error *error)
{
    char number[24];
    snprintf(number, sizeof(number), is_address(error->kind) ? "%#" PRIx64 : "%" PRIu64, error->number);
    text[0] = '\0';
    for (const char *from = error_texts[error->kind].text; *from; from++) {
        char letter[2] = {*from, '\0'};
        append_text(text, size, *from == NUMBER[0] ? number : *from == NAME[0] ? error->name : letter);
    }
    const char *reason = error_texts[error->kind].with_errno ? strerror(error->system)
                         : error->kind == ERROR_NO_HOST      ? gai_strerror(-(int)error->number)
                                                             : NULL;
    if (error->kind == ERROR_PERF && error->number) {
        append_text(text, size, " ");
        append_text(text, size, number);
    }
    if (reason) {
        append_text(text, size, ": ");
        append_text(text, size, reason);
    }
}
