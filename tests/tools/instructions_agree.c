/*
 * Our instruction decoder against Zydis, in each mode: whatever Zydis accepts must have the same length, kind,
 * displacement and truncation of the IP.
 *
 * usage: instructions_agree random SEED COUNT     random bytes, COUNT in each mode
 *        instructions_agree sweep FILE...         executable sections of ELF files, one instruction after the other as
 *                                                 Zydis sees them, each in all modes; other files are passed over
 *
 * Prints a line for each mode and a total; exits with 1 where there is a difference, 2 where nothing was compared.
 */
#include "tests/tools/instructions/judge.h"
#include "tests/tools/instructions/sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024u

static struct opinion opinions[BATCH];

/* Random bytes: no string depends on the one before, so both are timed string by string. */
static void compare_random(struct judge *judge, uint64_t seed, uint64_t count)
{
    static uint8_t bytes[BATCH][PATTERN_BYTES];
    struct instruction ours;
    while (count > 0) {
        uint32_t nr = count < BATCH ? (uint32_t)count : BATCH;
        for (uint32_t i = 0; i < nr; i++) {
            pattern_make(&seed, bytes[i]);
            opinions[i].bytes = bytes[i];
            opinions[i].nr = PATTERN_BYTES;
        }
        uint64_t start = judge_clock();
        for (uint32_t i = 0; i < nr; i++)
            instruction_decode(&ours, bytes[i], PATTERN_BYTES, judge->mode);
        uint64_t middle = judge_clock();
        for (uint32_t i = 0; i < nr; i++)
            judge_ask(judge, &opinions[i]);
        judge->ns_zydis += judge_clock() - middle;
        judge->ns_ours += middle - start;
        judge->timed_ours += nr;
        judge->timed_zydis += nr;
        for (uint32_t i = 0; i < nr; i++)
            judge_compare(judge, &opinions[i]);
        count -= nr;
    }
}

static uint32_t rest_of(size_t at, size_t size)
{
    return size - at < PATTERN_BYTES ? (uint32_t)(size - at) : PATTERN_BYTES;
}

/* As a trace decoder would: where the next one is, is known when this one is. */
static void time_ours(struct judge *judge, const uint8_t *bytes, size_t size)
{
    uint64_t start = judge_clock(), nr = 0;
    for (size_t at = 0; at < size; nr++) {
        struct instruction ours;
        bool decoded = instruction_decode(&ours, bytes + at, rest_of(at, size), judge->mode) == INSTRUCTION_DECODED;
        at += decoded ? ours.length : 1;
    }
    judge->ns_ours += judge_clock() - start;
    judge->timed_ours += nr;
}

static void sweep(struct judge *judge, const uint8_t *bytes, size_t size)
{
    time_ours(judge, bytes, size);
    for (size_t at = 0; at < size;) {
        uint32_t nr = 0;
        uint64_t start = judge_clock();
        while (nr < BATCH && at < size) {
            struct opinion *opinion = &opinions[nr++];
            opinion->bytes = bytes + at;
            opinion->nr = rest_of(at, size);
            judge_ask(judge, opinion);
            at += ZYAN_SUCCESS(opinion->status) ? opinion->instruction.length : 1;
        }
        judge->ns_zydis += judge_clock() - start;
        judge->timed_zydis += nr;
        for (uint32_t i = 0; i < nr; i++)
            judge_compare(judge, &opinions[i]);
    }
}

static void sweep_section(const uint8_t *bytes, size_t size)
{
    for (int i = 0; i < NR_JUDGES; i++)
        sweep(&judges[i], bytes, size);
}

static double each(uint64_t sum, uint64_t nr)
{
    return nr ? (double)sum / (double)nr : 0;
}

static int report(void)
{
    uint64_t cases = 0, agreed = 0, differences = 0;
    for (int i = 0; i < NR_JUDGES; i++) {
        const struct judge *j = &judges[i];
        printf("mode %-4s: %" PRIu64 " cases, %" PRIu64 " instructions agree, %" PRIu64 " foreign, %" PRIu64
               " only ours, %" PRIu64 " differences, %.1f ns each, Zydis %.1f ns\n",
               j->name, j->cases, j->agreed, j->foreign, j->only_ours, j->differences, each(j->ns_ours, j->timed_ours),
               each(j->ns_zydis, j->timed_zydis));
        cases += j->cases;
        agreed += j->agreed;
        differences += j->differences;
    }
    printf("total: %" PRIu64 " cases, %" PRIu64 " instructions agree, %" PRIu64 " differences\n", cases, agreed,
           differences);
    if (differences > 0)
        return 1;
    return agreed > 0 ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc < 3 || !judges_init()) {
        fprintf(stderr, "usage: instructions_agree random SEED COUNT | sweep FILE...\n");
        return 2;
    }
    if (strcmp(argv[1], "random") == 0 && argc == 4) {
        uint64_t seed = strtoull(argv[2], NULL, 0) * NR_JUDGES, count = strtoull(argv[3], NULL, 0);
        for (int i = 0; i < NR_JUDGES; i++)
            compare_random(&judges[i], seed++, count);
    } else if (strcmp(argv[1], "sweep") == 0) {
        int nr_files = 0;
        for (int i = 2; i < argc; i++)
            nr_files += sections_each(argv[i], sweep_section);
        printf("%d of %d files are ELF files of x86\n", nr_files, argc - 2);
    }
    return report();
}
