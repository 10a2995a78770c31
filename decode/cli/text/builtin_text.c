#include "decode/cli/text/builtin_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boot/guest/builtin_guest.h"
#include "decode/check/builtin_check.h"
#include "decode/cli/message.h"
#include "decode/cli/text/run_flow.h"
#include "decode/report/hardware.h"
#include "decode/report/number_text.h"
#include "serial/wire/record.h"

#define RIGHT HARDWARE_GUEST " "
#define WRONG HARDWARE_GUEST_WRONG " "

/* Figures from the drain records. */
struct drains {
    uint64_t pmis;
    uint64_t skid; /* maximum number of bytes written after a full region before the PMI was served */
};

static struct drains drains_of(const struct capture *capture)
{
    struct drains drains = {0};
    const struct capture_record *record;
    for (size_t at = 0; (record = capture_next(capture, &at, RECORD_DRAIN, 0));) {
        struct record_drain drain;
        memcpy(&drain, record->payload, sizeof(drain));
        const uint64_t end = drain.from + drain.size, now = record->header.trace_offset;
        if (drain.cause != RECORD_DRAIN_PMI)
            continue;
        drains.pmis++;
        if (now > end && now - end > drains.skid)
            drains.skid = now - end;
    }
    return drains;
}

static void write_branches(FILE *file, const struct builtin_check *check, const struct flow_run *run, uint64_t gaps)
{
    const uint64_t losses = run->overflows + gaps;
    const bool explained = !check->differs && check->holes <= losses && (check->unplaced == 0 || losses > 0);
    const char *name = explained ? RIGHT : WRONG;
    char number[COUNTED_TEXT_SIZE], places[COUNTED_TEXT_SIZE];
    fprintf(file, "%s%" PRIu64 " of %" PRIu64 " branches are the expected ones\n", name, check->equal, check->expected);
    if (check->missing)
        fprintf(file, "%s%s missing, in %s%s\n", name,
                counted_text(number, check->missing, "branch is", "branches are"),
                counted_text(places, check->holes, "place", "places"),
                check->holes <= losses ? "" : ", more than there are gaps and overflows");
    if (check->unplaced)
        fprintf(file, "%s%s unexpected, or in a sequence too short to identify\n", name,
                counted_text(number, check->unplaced, "branch is", "branches are"));
    if (check->unplaced && !explained)
        fprintf(file,
                WRONG "the first unexpected branch: from 0x%" PRIx64 " to 0x%" PRIx64 ", not 0x%" PRIx64
                      " to 0x%" PRIx64 "\n",
                check->first.from, check->first.to, check->wanted.from, check->wanted.to);
    if (run->decode_gaps.count)
        fprintf(file, WRONG "%s (undertrace decode lists them)\n",
                counted_text(number, run->decode_gaps.count, "decode gap", "decode gaps"));
}

/* The distances of PSBs are the lengths of the stretches between them. */
static void write_behaviour(FILE *file, const struct flow_run *run, const struct drains *drains, uint64_t gaps)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i + 1 < run->nr_results; i++) {
        const uint64_t distance = run->results[i].end - run->results[i].begin;
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
    }
    fprintf(file, RIGHT "%" PRIu64 " gap%s, %" PRIu64 " overflow%s (OVF)\n", gaps, plural(gaps), run->overflows,
            plural(run->overflows));
    fprintf(file, RIGHT "%" PRIu64 " ToPA PMI%s, at most %" PRIu64 " byte%s written before one was served\n",
            drains->pmis, plural(drains->pmis), drains->skid, plural(drains->skid));
    if (most)
        fprintf(file, RIGHT "%zu PSB%s, %" PRIu64 " to %" PRIu64 " bytes apart\n", run->nr_results,
                plural(run->nr_results), least, most);
}

struct taken {
    struct branch_list list;
    uint64_t image_begin, image_end; /* addresses of the hypervisor */
};

/* If an overflow swallowed the PIP of a VM exit, root's next branches look like the guest's. */
static void take(void *context, const struct flow_batch *batch)
{
    struct taken *taken = context;
    for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++) {
        const struct flow_branch *branch = &batch->items[i].branch;
        if (branch->from < taken->image_begin || branch->from >= taken->image_end)
            branch_list_take(&taken->list, branch->from, branch->to);
    }
}

static void find_image(struct taken *taken, struct record_text hello)
{
    uint64_t size;
    if (text_find_number(&taken->image_begin, hello, "image_base") && text_find_number(&size, hello, "image_bytes"))
        taken->image_end = taken->image_begin + size;
}

static uint64_t count_gaps(const struct capture *capture)
{
    uint64_t gaps = 0;
    for (size_t at = 0; capture_next(capture, &at, RECORD_GAP, 0);)
        gaps++;
    return gaps;
}

/* The number of rounds in the log. 0: none, the guest was never entered. */
static uint32_t rounds_of(const struct capture *capture)
{
    static const char begin[] = BUILTIN_LOG;
    const struct capture_record *record;
    for (size_t at = 0; (record = capture_next(capture, &at, RECORD_LOG, 0));) {
        const size_t known = sizeof(begin) - 1, size = record->header.length;
        char number[16] = {0};
        if (size < known || memcmp(record->payload, begin, known) != 0)
            continue;
        memcpy(number, (const char *)record->payload + known,
               size - known < sizeof(number) ? size - known : sizeof(number) - 1);
        return (uint32_t)strtoul(number, NULL, 10);
    }
    return 0;
}

bool builtin_write(FILE *file, const struct capture *capture)
{
    struct record_text guest;
    if (!text_find(&guest, capture->hello, "guest") || !text_equals(guest, BUILTIN_NAME))
        return true;
    const uint32_t rounds = rounds_of(capture);
    if (rounds == 0 || !capture->cpus[0].present) {
        fprintf(file, WRONG "%s\n", rounds ? "nothing was traced of it" : "it was never entered");
        return true;
    }
    struct flow_run run = {0};
    struct taken taken = {0};
    struct flow_run_options options = {.needs = FLOW_NEED_BRANCHES};
    struct builtin_check check;
    find_image(&taken, capture->hello);
    bool good = run_flow_each(&run, capture, &options, take, &taken);
    if (good && !(good = builtin_compare(&check, &taken.list, rounds)))
        message_print("%s", "out of memory for the comparison of the self-test guest's branches");
    if (good && taken.list.count == 0)
        fputs(WRONG "nothing was traced of it\n", file);
    else if (good) {
        const struct drains drains = drains_of(capture);
        const uint64_t gaps = count_gaps(capture);
        write_branches(file, &check, &run, gaps);
        write_behaviour(file, &run, &drains, gaps);
    }
    branch_list_free(&taken.list);
    flow_run_free(&run);
    return good;
}
