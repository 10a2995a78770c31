/* The options of commands that print names of addresses. */
#ifndef DECODE_CLI_OPTIONS_NAMES_OPTIONS_H
#define DECODE_CLI_OPTIONS_NAMES_OPTIONS_H

#include "decode/cli/arguments.h"
#include "decode/names/names.h"

struct names_choice {
    const char *kernel, *symbols;
    struct argument_list files;
    const char *paths[ARGUMENT_LIST_MAX]; /* set by open_names */
};

/* For the table of options. */
#define NAMES_OPTIONS(o)                                                                                               \
    {"kernel", ARGUMENT_TEXT, &(o)->kernel, 0}, {"symbols", ARGUMENT_TEXT, &(o)->symbols, 0},                          \
    {                                                                                                                  \
        "files", ARGUMENT_LIST, &(o)->files, 0                                                                         \
    }
#define NAMES_USAGE                                                                                                    \
    "  --kernel FILE       take kernel names from this bzImage or vmlinux, wherever KASLR moved the kernel\n"          \
    "  --symbols FILE      take names from a file like System.map or /proc/kallsyms\n"                                 \
    "  --files PATH        take names of programs, libraries and modules from this ELF file, or from all\n"            \
    "                      ELF files and debug files (.build-id) in this directory; may be repeated\n"

/* Calls names_open. NULL: a message says why. */
struct names *open_names(const struct capture *capture, struct names_choice *choice);

#endif
