#include "decode/cli/options/function_words.h"

#include <stdio.h>

#include "decode/cli/message.h"
#include "decode/cli/text/unknown_name.h"
#include "decode/names/symbol_match.h"

bool function_words_check(const char **words, const struct names *names, const char *command)
{
    char before[32];
    snprintf(before, sizeof(before), "%s:", command);
    for (; *words; words++) {
        *words = shown_name_print(names, before, *words);
        if (unknown_name_print(names, before, *words) != SYMBOL_KNOWN)
            return false;
    }
    return true;
}

bool function_words_match(const char *const *words, const struct name *name)
{
    for (; *words && name->symbol; words++)
        if (symbol_matches(name->symbol, *words))
            return true;
    return false;
}

void function_words_print_never(const char *const *words, const char *command, const char *time)
{
    for (; *words; words++)
        if (time)
            message_print("%s: %s: not called in --time %s", command, *words, time);
        else
            message_print("%s: %s: never called", command, *words);
}
