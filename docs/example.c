/* How many branches each CPU of a capture executed, to how many targets (as fuzzers count, by a hash), until when, and
 * how often it is not known what ran. Build: cc example.c $(pkg-config --cflags --libs undertrace) */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <undertrace.h>

static void count(struct undertrace_reader *reader, unsigned cpu)
{
    static unsigned char seen[1 << 24];
    uint64_t branches = 0, targets = 0, last = 0, lost = 0;
    const struct undertrace_item *item;
    memset(seen, 0, sizeof(seen));
    while ((item = undertrace_next(reader))) {
        lost += item->kind == UNDERTRACE_LOST;
        if (item->kind != UNDERTRACE_BRANCH)
            continue;
        unsigned char *target = &seen[item->branch.to * 0x9e3779b97f4a7c15 >> 40];
        branches++;
        targets += *target ? 0 : (*target = 1);
        last = item->where.tsc;
    }
    printf("CPU %u: %" PRIu64 " branches to %" PRIu64 " targets, until TSC %" PRIu64 ", lost %" PRIu64 " times\n", cpu,
           branches, targets, last, lost);
}
int main(int argc, char **argv)
{
    struct undertrace *trace = NULL;
    struct undertrace_reader *reader;
    struct undertrace_error error = {.text = "usage: example CAPTURE"};
    int bad = argc != 2 || undertrace_open(&trace, argv[1], &error);
    for (unsigned cpu = 0; !bad && cpu < undertrace_nr_cpus(trace); cpu++, undertrace_reader_close(reader)) {
        struct undertrace_how how = {.size = sizeof(how), .cpu = cpu, .what = UNDERTRACE_BRANCHES};
        if (!(bad = undertrace_read(&reader, trace, &how, &error)))
            count(reader, cpu);
    }
    fputs(bad ? error.text : "", stderr);
    undertrace_close(trace);
    return bad ? 1 : 0;
}
