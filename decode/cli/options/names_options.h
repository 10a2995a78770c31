/* The options of commands that print names of addresses, and the files that names come from without any. */
#ifndef DECODE_CLI_OPTIONS_NAMES_OPTIONS_H
#define DECODE_CLI_OPTIONS_NAMES_OPTIONS_H

#include "decode/cli/arguments.h"
#include "decode/names/names.h"

struct names_choice {
    const char *kernel, *symbols;
    struct argument_list files, debug;
    struct argument_choice remembered;
};

/* For the table of options. */
#define NAMES_OPTIONS(o)                                                                                               \
    {"kernel", ARGUMENT_TEXT, &(o)->kernel, 0}, {"symbols", ARGUMENT_TEXT, &(o)->symbols, 0},                          \
        {"files", ARGUMENT_LIST, &(o)->files, 0}, {"debug", ARGUMENT_LIST, &(o)->debug, 0},                            \
    {                                                                                                                  \
        "remembered", ARGUMENT_CHOICE, names_remembered(&(o)->remembered), 0                                           \
    }
#define NAMES_USAGE                                                                                                    \
    "  --kernel FILE       take kernel names from this bzImage or vmlinux, wherever KASLR moved the kernel\n"          \
    "  --symbols FILE      take names from a file like System.map or /proc/kallsyms\n"                                 \
    "  --files PATH        take names of programs, libraries and modules from this ELF file, or from all\n"            \
    "                      ELF files and debug files (.build-id) in this directory; may be repeated\n"                 \
    "  --debug PATH        take names of programs without symbols from this debug file, or from those in this\n"       \
    "                      directory (.build-id, or as below /usr/lib/debug); may be repeated\n"                       \
    "  --remembered WHAT   use (default): without these options, take names from the files that an earlier\n"          \
    "                      command was given or found, which CAPTURE/names lists; ignore: take none, and\n"            \
    "                      remember none; forget: delete that list first\n"

/* Set the words of --remembered. Returns choice. */
struct argument_choice *names_remembered(struct argument_choice *choice);

/* Calls names_open with the files of the options, or with those that are remembered or found by themselves, and
 * remembers them. NULL: a message says why. */
struct names *open_names(const struct capture *capture, const struct names_choice *choice);

/* The same without messages, and without fetching files: for a capture that grows, in any thread. */
struct names *open_names_quietly(const struct capture *capture, const struct names_choice *choice);

/* Would open_names use any file? */
bool names_are_there(const struct capture *capture, const struct names_choice *choice);

#endif
