#include "decode/cli/text/unknown_name.h"

#include <stdio.h>
#include <string.h>

#include "decode/cli/message.h"

enum known_symbol unknown_name_print(const struct names *names, const char *before, const char *pattern)
{
    const char *similar[SYMBOL_SIMILAR];
    char list[512] = "";
    const enum known_symbol known = known_symbol_find(names, pattern, similar);
    for (size_t i = 0; i < SYMBOL_SIMILAR && similar[i]; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%.120s", i ? ", " : "; did you mean ",
                 similar[i]);
    if (known == SYMBOL_NO_NAMES)
        message_print("%s %s: there are no names of functions; give them with --kernel, --symbols or --files", before,
                      pattern);
    else if (known == SYMBOL_UNKNOWN)
        message_print("%s %s: neither the kernel nor a file whose code ran has such a function%s%s", before, pattern,
                      list, list[0] ? "?" : "");
    return known;
}

const char *shown_name_print(const struct names *names, const char *before, const char *symbol)
{
    const char *shown = known_symbol_shown(names, symbol);
    if (shown != symbol)
        message_print("%s %s: the same function as %s", before, symbol, shown);
    return shown;
}
