#include "decode/cli/text/entered_text.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const struct entered_row *a = *(const struct entered_row *const *)left,
                             *b = *(const struct entered_row *const *)right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->name->begin != b->name->begin)
        return a->name->begin < b->name->begin ? -1 : 1;
    return a->name->number < b->name->number ? -1 : a->name->number > b->name->number;
}

static void print_row(FILE *file, const struct entered_row *row)
{
    char space[24] = "-";
    if (row->space != NAMES_ALL_SPACES)
        snprintf(space, sizeof(space), "%" PRIx64, row->space);
    fprintf(file, "%s %016" PRIx64 " %016" PRIx64 " %" PRIu64 " %s %s%s%s\n", space, row->name->begin, row->name->end,
            row->count, row->name->shown ? row->name->shown : "?", row->name->object ? row->name->object : "?",
            row->process ? " " : "", row->process ? row->process : "");
}

void entered_print(FILE *file, const struct entered *seen)
{
    const struct entered_row **rows = malloc((seen->nr_rows + 1) * sizeof(*rows));
    size_t count = 0;
    for (size_t i = 0; rows && i < seen->rows_size; i++)
        if (seen->rows[i].name)
            rows[count++] = &seen->rows[i];
    if (count)
        qsort(rows, count, sizeof(*rows), compare);
    for (size_t i = 0; i < count; i++)
        print_row(file, rows[i]);
    free(rows);
}
