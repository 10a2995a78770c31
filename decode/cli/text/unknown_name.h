/* Messages about a function that a user named. */
#ifndef DECODE_CLI_TEXT_UNKNOWN_NAME_H
#define DECODE_CLI_TEXT_UNKNOWN_NAME_H

#include "decode/names/known_symbol.h"

/* Nothing ran of it. Print why: without names, or with an unknown name, for which the message suggests similar ones.
 * Nothing is printed for SYMBOL_KNOWN: the function exists and never ran. before: the message's begin, like "find:". */
enum known_symbol unknown_name_print(const struct names *names, const char *before, const char *pattern);

/* A function's other names are not in a trace: known_symbol_shown, with a message that says which name is shown. */
const char *shown_name_print(const struct names *names, const char *before, const char *symbol);

#endif
