/* Names for addresses, from System.map or /proc/kallsyms. */
#ifndef DECODE_SYMBOLS_H
#define DECODE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

struct symbol {
    uint64_t address;
    const char *name;
};

struct symbols {
    struct symbol *items; /* by address */
    size_t count;
    char *text;
};

/* Read the code symbols of a file of lines "address type name". false: error says why. */
bool symbols_read(struct symbols *symbols, const char *file, struct error *error);
void symbols_free(struct symbols *symbols);

/* The last symbol at or before the address, at most 1 MiB away. NULL: none. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

#endif
