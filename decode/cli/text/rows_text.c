#include "decode/cli/text/rows_text.h"

#include <stdio.h>

void rows_print(const struct rows_table *table, const char *title)
{
    uint64_t shown = 0, more = 0;
    for (size_t i = 0; i < table->rows->count; i++) {
        const struct measure_row *row = table->rows->items[i];
        char text[FUNCTION_TEXT_SIZE];
        if (row->measured[table->which].begun == 0)
            continue;
        if (shown == table->most) {
            more++;
            continue;
        }
        if (shown++ == 0)
            measured_print_head(title, table->waits);
        measured_print(table->measure, table->label(text, row), &row->measured[table->which], table->waits);
    }
    if (more)
        printf("  and %llu more\n", (unsigned long long)more);
}

void rows_print_slowest(const struct rows_table *table)
{
    struct measured all = {0};
    for (size_t i = 0; i < table->rows->count; i++) {
        const struct slowest *slowest = &table->rows->items[i]->measured[table->which].slowest;
        for (size_t k = 0; k < slowest->count; k++)
            slowest_add(&all.slowest, &slowest->items[k]);
    }
    measured_print_slowest(table->measure, &all);
}

void rows_json(const struct rows_table *table, const char *name, void (*fields)(const struct measure_row *row))
{
    const char *before = "";
    printf("\"%s\": [", name);
    for (size_t i = 0; i < table->rows->count; i++) {
        const struct measure_row *row = table->rows->items[i];
        if (row->measured[table->which].begun == 0)
            continue;
        printf("%s\n  {", before);
        fields(row);
        measured_json(table->measure, &row->measured[table->which]);
        putchar('}');
        before = ",";
    }
    putchar(']');
}
