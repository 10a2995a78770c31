#include "decode/names/symbol_match.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

static bool is_appended(const char *word, size_t length)
{
    static const char *const words[] = {"constprop", "isra", "part", "cold", "llvm", "lto_priv", "localalias", "ipa"};
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)word[digits]))
        digits++;
    if (length > 0 && digits == length)
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == length && !memcmp(words[i], word, length))
            return true;
    return false;
}

size_t symbol_base_length(const char *symbol)
{
    size_t length = strlen(symbol);
    for (size_t dot = length; dot > 1;) {
        dot--;
        if (symbol[dot] != '.')
            continue;
        if (!is_appended(symbol + dot + 1, length - dot - 1))
            break;
        length = dot;
    }
    return length;
}

bool symbol_is(const char *symbol, const char *function)
{
    const size_t length = strlen(function);
    return symbol && !strncmp(symbol, function, length) &&
           (symbol[length] == 0 || (symbol[length] == '.' && symbol_base_length(symbol) == length));
}

static bool is_encoded(const char *symbol)
{
    return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
}

static char *decode(const char *symbol)
{
#ifdef HAVE_LIBIBERTY
    return cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
#else
    (void)symbol;
    return NULL;
#endif
}

/* "@plt" stays after the name. */
char *symbol_demangle(const char *symbol)
{
    const char *at = is_encoded(symbol) ? strchr(symbol, '@') : NULL;
    if (!at)
        return is_encoded(symbol) ? decode(symbol) : NULL;
    char *encoded = strndup(symbol, (size_t)(at - symbol));
    char *name = encoded ? decode(encoded) : NULL, *whole = NULL;
    if (name && asprintf(&whole, "%s%s", name, at) < 0)
        whole = NULL;
    free(encoded);
    free(name);
    return whole;
}

/* The parameters are what the first parenthesis outside template arguments begins; an operator's own and that of
 * "(anonymous namespace)" do not count. */
static char *parameters_of(char *name)
{
    unsigned depth = 0;
    for (char *c = name; *c; c++) {
        if (!strncmp(c, "(anonymous namespace)", 21)) {
            c += 20;
        } else if (!strncmp(c, "operator", 8)) {
            c += 7;
            while (c[1] && c[1] != '(' && !isalnum((unsigned char)c[1]))
                c++;
            if (!strncmp(c + 1, "()", 2))
                c += 2;
        } else if (*c == '<') {
            depth++;
        } else if (*c == '>' && depth > 0) {
            depth--;
        } else if (*c == '(' && depth == 0 && c != name) {
            return c;
        }
    }
    return NULL;
}

/* Takes name over; NULL: nothing matches. */
static bool name_matches(char *name, const char *pattern)
{
    bool matches = name && fnmatch(pattern, name, 0) == 0;
    char *parameters = name && !matches ? parameters_of(name) : NULL;
    if (parameters) {
        *parameters = 0;
        matches = fnmatch(pattern, name, 0) == 0;
    }
    free(name);
    return matches;
}

static bool base_matches(const char *symbol, const char *pattern)
{
    const size_t length = symbol_base_length(symbol);
    char *base = symbol[length] ? strndup(symbol, length) : NULL;
    const bool matches = base && fnmatch(pattern, base, 0) == 0;
    free(base);
    return matches;
}

bool symbol_matches(const char *symbol, const char *pattern)
{
    return fnmatch(pattern, symbol, 0) == 0 || base_matches(symbol, pattern) ||
           name_matches(symbol_demangle(symbol), pattern);
}
