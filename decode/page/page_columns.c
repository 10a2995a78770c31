/* The columns: numbers of equal size, little-endian, in base64. */
#include <string.h>

#include "decode/page/page_state.h"

/* Bytes that are being encoded in base64. */
struct column {
    FILE *file;
    enum page_form form;
    const char *before; /* what separates it from the column before it */
    uint8_t bytes[3 * 1024];
    size_t used;
};

static void flush(struct column *column)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * 1024] = "";
    size_t length = 0;
    for (size_t i = 0; i < column->used; i += 3) {
        const size_t left = column->used - i;
        const uint32_t group = (uint32_t)column->bytes[i] << 16 |
                               (left > 1 ? (uint32_t)column->bytes[i + 1] << 8 : 0u) |
                               (left > 2 ? column->bytes[i + 2] : 0u);
        text[length++] = digits[group >> 18];
        text[length++] = digits[group >> 12 & 63];
        text[length++] = left > 1 ? digits[group >> 6 & 63] : '=';
        text[length++] = left > 2 ? digits[group & 63] : '=';
    }
    fwrite(text, 1, length, column->file);
    column->used = 0;
}

static void add(struct column *column, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (column->used == sizeof(column->bytes))
            flush(column);
        column->bytes[column->used++] = (uint8_t)(value >> 8 * i);
    }
}

/* Numbers of JavaScript are exact up to 2^53. */
static void add_double(struct column *column, uint64_t value)
{
    const double number = (double)value;
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    add(column, bits, sizeof(bits));
}

static void begin(struct column *column, const char *name)
{
    if (column->form == PAGE_HTML)
        fprintf(column->file, "<script type=\"text/plain\" id=\"column-%s\">", name);
    else
        fprintf(column->file, "%s\"%s\":\"", column->before, name);
    column->before = ",\n";
}

static void end(struct column *column)
{
    flush(column);
    fputs(column->form == PAGE_HTML ? "</script>\n" : "\"", column->file);
}

#define COLUMN(name, count, adding)                                                                                    \
    begin(column, name);                                                                                               \
    for (size_t i = 0; i < (count); i++)                                                                               \
        adding;                                                                                                        \
    end(column)

static void write_slices(struct column *column, const struct page *page)
{
    const struct slice *items = page->slices.items;
    const size_t count = page->slices.count;
    COLUMN("begin", count, add(column, page_moment(page, items[i].begin), 4));
    COLUMN("length", count, add(column, page_moment(page, items[i].end) - page_moment(page, items[i].begin), 4));
    COLUMN("name", count, add(column, items[i].name, 4));
    COLUMN("depth", count, add(column, items[i].depth, 2));
    COLUMN("entry", count, add(column, items[i].entry, 1));
    COLUMN("merged", count, add(column, items[i].merged, 4));
    COLUMN("merged-length", count, add(column, page_moment(page, page->first + items[i].merged_ticks), 4));
}

static void write_nodes(struct column *column, const struct page *page)
{
    const struct page_node *nodes = page->tree.nodes;
    const size_t count = page->tree.count;
    COLUMN("node-parent", count, add(column, nodes[i].parent, 4));
    COLUMN("node-name", count, add(column, nodes[i].name, 4));
    COLUMN("node-entry", count, add(column, nodes[i].entry, 1));
    COLUMN("node-calls", count, add_double(column, nodes[i].calls));
    COLUMN("node-branches", count, add_double(column, nodes[i].branches));
    COLUMN("node-ticks", count, add_double(column, nodes[i].ticks));
}

static void write_pairs(struct column *column, const struct page *page)
{
    const struct call_pair *pairs = page->pairs.items;
    const size_t count = page->pairs.count;
    COLUMN("pair-caller", count, add(column, pairs[i].caller ? pairs[i].caller->number : PAGE_NO_NAME, 4));
    COLUMN("pair-callee", count, add(column, pairs[i].callee->number, 4));
    COLUMN("pair-calls", count, add_double(column, pairs[i].calls));
    COLUMN("pair-callee-branches", count, add_double(column, pairs[i].of_callee.branches));
    COLUMN("pair-callee-ticks", count, add_double(column, pairs[i].of_callee.ticks));
    COLUMN("pair-caller-branches", count, add_double(column, pairs[i].of_caller.branches));
    COLUMN("pair-caller-ticks", count, add_double(column, pairs[i].of_caller.ticks));
}

static void write_marks(struct column *column, const struct page *page)
{
    const struct page_mark *marks = page->marks.items;
    const size_t count = page->marks.count;
    COLUMN("mark-time", count, add(column, page_moment(page, marks[i].tsc), 4));
    COLUMN("mark-kind", count, add(column, marks[i].kind, 1));
    COLUMN("mark-cpu", count, add(column, marks[i].cpu, 1));
}

void page_write_columns(FILE *file, const struct page *page, enum page_form form)
{
    struct column column = {.file = file, .form = form, .before = ""};
    write_slices(&column, page);
    write_nodes(&column, page);
    write_pairs(&column, page);
    write_marks(&column, page);
}
