/* Functions that a user named: words of a command line, each a name or a pattern. */
#ifndef DECODE_CLI_OPTIONS_FUNCTION_WORDS_H
#define DECODE_CLI_OPTIONS_FUNCTION_WORDS_H

#include <stdbool.h>

#include "decode/names/names.h"

/* words: up to NULL. Another symbol of a function is replaced by the one that is shown. false: a message says which
 * function does not exist. command: for messages. */
bool function_words_check(const char **words, const struct names *names, const char *command);

/* Does one of the words match the function? */
bool function_words_match(const char *const *words, const struct name *name);

/* Print for each word that no such function was called. time: the value of --time; NULL:
 * the whole trace. */
void function_words_print_never(const char *const *words, const char *command, const char *time);

#endif
