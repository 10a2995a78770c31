#include "decode/code/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define FARTHEST (1u << 20)

static int symbol_compare(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* "ffffffff81000000 T _stext[\t[module]]": the line's end is cut off. false: it is no code symbol. */
static bool parse_line(struct symbol *symbol, char *line)
{
    char *end;
    symbol->address = strtoull(line, &end, 16);
    if (end == line || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
        return false;
    symbol->name = end + 3;
    end[3 + strcspn(end + 3, "\t ")] = '\0';
    return symbol->address != 0;
}

static char *read_text(const char *name, size_t *size, struct error *error)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    if (!file) {
        error_set(error, ERROR_CANNOT_OPEN, 0, "%s", name);
        return NULL;
    }
    do {
        room += 1 << 20;
        char *more = realloc(text, room + 1);
        if (!more)
            break;
        text = more;
        *size += fread(text + *size, 1, room - *size, file);
    } while (*size == room);
    fclose(file);
    if (text)
        text[*size] = '\0';
    return text;
}

bool symbols_read(struct symbols *symbols, const char *file, struct error *error)
{
    size_t size, lines = 1;
    *symbols = (struct symbols){.text = read_text(file, &size, error)};
    if (!symbols->text)
        return error_set(error, ERROR_MEMORY, 0, "%s", file);
    for (size_t i = 0; i < size; i++)
        lines += symbols->text[i] == '\n';
    symbols->items = malloc(lines * sizeof(*symbols->items));
    char *state = NULL;
    for (char *line = strtok_r(symbols->text, "\n", &state); line && symbols->items;
         line = strtok_r(NULL, "\n", &state))
        if (parse_line(&symbols->items[symbols->count], line))
            symbols->count++;
    if (symbols->count == 0) {
        symbols_free(symbols);
        return error_set(error, ERROR_NO_SYMBOLS, 0, "%s", file);
    }
    qsort(symbols->items, symbols->count, sizeof(*symbols->items), symbol_compare);
    return true;
}

void symbols_free(struct symbols *symbols)
{
    free(symbols->items);
    free(symbols->text);
    *symbols = (struct symbols){0};
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
    const size_t after = LIST_AFTER(symbols->items, symbols->count, struct symbol, address, address);
    if (after == 0 || address - symbols->items[after - 1].address > FARTHEST)
        return NULL;
    return &symbols->items[after - 1];
}
