/* undertrace hardware: what the self-test found on a machine, compared with what is known about such processors. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/output.h"
#include "decode/cli/text/builtin_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/names/input_file.h"
#include "decode/report/hardware.h"

static const char usage[] =
    "usage: undertrace hardware CAPTURE [-o FILE]\n"
    "       undertrace hardware FILE\n"
    "\n"
    "Prints what the self-test found on a machine: each capability of its Intel PT, and where it differs\n"
    "from what is known about such processors. CAPTURE is a capture of the self-test or of any boot. In a\n"
    "capture of the self-test's own guest (guest=builtin), each branch is compared with the expected one.\n"
    "\n"
    "  -o FILE             also write the processor's name and registers, the options and the log lines to\n"
    "                      one file that can be sent to others; it contains none of the guest's memory\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 it differs from what is known, or the guest's branches are not the\n"
    "expected ones.\n";

#define NEITHER "%s: is neither a capture nor a file that undertrace hardware has written"

static char *text_of_capture(const char *name, size_t *size)
{
    struct capture *capture = open_capture(name);
    char *bytes = NULL;
    if (!capture)
        return NULL;
    if (capture->hello.size == 0) {
        message_print("%s: no hello record has arrived: nothing is known about the machine", name);
        capture_close(capture);
        return NULL;
    }
    FILE *file = open_memstream(&bytes, size);
    hardware_write(file, capture);
    const bool good = builtin_write(file, capture);
    fputs(&HARDWARE_LAST_LINE[1], file);
    fclose(file);
    capture_close(capture);
    if (good)
        return bytes;
    free(bytes);
    return NULL;
}

static char *text_of_file(const char *name, size_t *size)
{
    struct input_file file;
    struct error error = {0};
    if (!input_file_open(&file, name, &error)) {
        error_print(&error);
        return NULL;
    }
    char *bytes = malloc(file.size + 1);
    memcpy(bytes, file.bytes, file.size);
    *size = file.size;
    input_file_close(&file);
    const struct record_text text = {bytes, *size};
    if (hardware_is(text) && hardware_is_whole(text))
        return bytes;
    if (hardware_is(text))
        message_print("%s: is truncated: its last line (end) is missing; copy it again", name);
    else
        message_print(NEITHER, name);
    free(bytes);
    return NULL;
}

/* A file from others may contain anything: replace control characters before they reach a terminal. */
static void only_text(char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)bytes[i] < ' ' && bytes[i] != '\n') || (unsigned char)bytes[i] > '~')
            bytes[i] = '?';
}

/* NULL: a message says why. */
static char *text_of(const char *name, bool is_capture, size_t *size)
{
    char *bytes = is_capture ? text_of_capture(name, size) : text_of_file(name, size);
    if (bytes)
        only_text(bytes, *size);
    return bytes;
}

static bool write_text(const char *output, const char *capture, const char *bytes, size_t size)
{
    FILE *file = output_open(output, capture);
    if (!file)
        return false;
    fwrite(bytes, 1, size, file);
    return output_close(file, output);
}

int command_hardware(int argc, char **argv)
{
    const char *name, *output = NULL;
    const struct argument options[] = {{"o", ARGUMENT_TEXT, &output, 0}};
    const struct syntax syntax = {"hardware", usage, options, 1, 1, 0};
    struct stat status;
    size_t size = 0;
    const int parsed = arguments_parse(&syntax, argc, argv, &name);
    if (parsed != ARGUMENTS_GOOD)
        return parsed;
    if (stat(name, &status) != 0) {
        message_errno("%s", name);
        return 1;
    }
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
        message_print(NEITHER, name);
        return 1;
    }
    if (!S_ISDIR(status.st_mode) && output) {
        message_print("%s: is a file; -o requires a capture, which is a directory", name);
        return 1;
    }
    char *bytes = text_of(name, S_ISDIR(status.st_mode), &size);
    if (!bytes)
        return 1;
    const bool good = !output || write_text(output, name, bytes, size);
    const unsigned differences = hardware_print(stdout, (struct record_text){bytes, size});
    free(bytes);
    return !good ? 1 : differences ? 2 : 0;
}
