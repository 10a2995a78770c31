#include "decode/cli/trace/trace_lines.h"

#include <stdlib.h>

#include "decode/capture/list.h"

bool trace_lines_open(struct trace_lines *lines)
{
    *lines = (struct trace_lines){0};
    lines->file = open_memstream(&lines->text, &lines->text_size);
    return lines->file;
}

void trace_lines_close(struct trace_lines *lines)
{
    if (lines->file)
        fclose(lines->file);
    free(lines->text);
    free(lines->lines);
}

bool trace_lines_add(struct trace_lines *lines, uint64_t tsc)
{
    void *items = lines->lines;
    struct trace_line *line = list_add(&items, &lines->count, &lines->room, sizeof(*line));
    lines->lines = items;
    if (line)
        *line = (struct trace_line){tsc, (size_t)ftello(lines->file)};
    return line;
}

void trace_lines_write(struct trace_lines *lines, FILE *to)
{
    const size_t begin = lines->next ? lines->lines[lines->next - 1].end : 0;
    fflush(lines->file);
    fwrite(lines->text + begin, 1, lines->lines[lines->next].end - begin, to);
    if (++lines->next == lines->count)
        trace_lines_drop(lines);
}

/* Reuse the space. */
void trace_lines_drop(struct trace_lines *lines)
{
    rewind(lines->file);
    lines->count = lines->next = 0;
}
