/* The value of --process. */
#ifndef DECODE_CLI_OPTIONS_PROCESS_WORD_H
#define DECODE_CLI_OPTIONS_PROCESS_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* Lines of the commands' help. */
#define PROCESS_USAGE                                                                                                  \
    "  --process CR3|NAME  only this address space (CR3 in hexadecimal), the processes of this name, or\n"             \
    "                      process number pid:123, where the capture records processes; or the program\n"              \
    "                      of this file name, where --files has it\n"

/* A word that begins with a digit is a CR3 ("dd" is a program). Otherwise cr3 is FLOW_CR3_UNKNOWN, and the word is a
 * name (names_is_process). A NULL word selects all. false: a message says that it is neither. */
bool process_word_parse(uint64_t *cr3, const char *command, const char *word);

#endif
