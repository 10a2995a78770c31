/* Whether a function of a name exists, for queries that found none that ran. */
#ifndef DECODE_NAMES_KNOWN_SYMBOL_H
#define DECODE_NAMES_KNOWN_SYMBOL_H

#include <stdbool.h>

#include "decode/names/names.h"

enum known_symbol {
    SYMBOL_NO_NAMES, /* there are no symbols at all */
    SYMBOL_UNKNOWN,  /* no symbol is like that */
    SYMBOL_KNOWN     /* a function has the name, or matches the pattern */
};

/* A function may have several symbols; one of them is shown. The shown one, if symbol is another one of a function and
 * not shown for any; else symbol itself. Valid until names_close(). */
const char *known_symbol_shown(const struct names *names, const char *symbol);

#define SYMBOL_SIMILAR 3u

/* Look a name, or a pattern of fnmatch, up among the symbols of the kernel and of all files that contain pages of the
 * capture. similar: of an unknown name up to SYMBOL_SIMILAR symbols that differ least from it, the best first, then
 * NULLs. They are valid until names_close(). */
enum known_symbol known_symbol_find(const struct names *names, const char *pattern,
                                    const char *similar[SYMBOL_SIMILAR]);

#endif
