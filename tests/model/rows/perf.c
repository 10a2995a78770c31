/*
 * What perf's flow decoder needs for a row: NAME.pt, the trace; NAME.truth, the branches that it must find, as
 * "from to" in hexadecimal; and a line "NAME WORDS" in the file flows, in which the words are perfdata_wrap's
 * arguments after IMAGE.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check.h"
#include "tests/model/selftest/branches.h"

static void words_write(FILE *flows, const char *directory, const struct result *row,
                        const struct expectation *expected)
{
    static const char *const use[] = {"", "filter", "stop"};
    uint64_t base = expected->rip ? IMAGE_BASE : 0; /* of the code segment */
    fprintf(flows, "%s 0x%x 0x%" PRIx64, row->name, IMAGE_BASE, row->ctl);
    for (unsigned i = 0; i < expected->nr_mapped; i++)
        fprintf(flows, " at=%" PRIx64, expected->mapped[i]);
    if (expected->code32 != 0)
        fprintf(flows, " code32=%" PRIx64 "-%" PRIx64 ":%s/rom32.o", expected->code32 - base,
                expected->code32_end - 1 - base, directory);
    for (unsigned i = 0; 2 * i < row->nr_addr; i++)
        if ((row->ctl >> (32 + 4 * i) & 0xf) != 0)
            fprintf(flows, " %s=%" PRIx64 "-%" PRIx64, use[row->ctl >> (32 + 4 * i) & 3], row->addr[2 * i],
                    row->addr[2 * i + 1]);
    fprintf(flows, "\n");
}

void perf_flow_write(FILE *flows, const char *directory, const struct result *row, const struct expectation *expected,
                     const struct branches *truth, const struct branches *found)
{
    FILE *trace = file_create(directory, row->name, ".pt"), *list = file_create(directory, row->name, ".truth");
    fwrite(row->trace.bytes, row->trace.size, 1, trace);
    fclose(trace);
    for (size_t i = 0; i < truth->nr; i++)
        fprintf(list, "%" PRIx64 " %" PRIx64 "\n", truth->list[i].from, truth->list[i].to);
    fclose(list);
    if (expected->instructions && expected->perf_instructions) {
        list = file_create(directory, row->name, ".instructions");
        for (size_t i = 0; i < found->nr_instructions; i++)
            fprintf(list, "%" PRIx64 "\n", found->instructions[i]);
        fclose(list);
    }
    words_write(flows, directory, row, expected);
}
