/*
 * Prints what the library returns, a line each, for tests/system/host/library.sh to compare. It includes only the
 * installed header of the project.
 *
 * usage: list CAPTURE|pt:FILE|perf:FILE CPU WHAT [PARTS]      IMAGE= names an image of a foreign trace; MTC_FREQ=,
 * SIZE=, ROOT=, PID=, BUFFER= and RANGE="FIRST LAST KIND" (hexadecimal) describe it to the library
 *   branches, instructions   as the lists of `undertrace decode`
 *   timed                    the TSC, then the branch
 *   bounds                   the earliest and the latest time of each branch, where they are known
 *   spaces                   CR3, each time that it is another one
 *   blocks                   first, last, end and number of instructions
 *   packets                  as `undertrace dump`: offset, name; bits of TNT, address of TIP and FUP, CR3 of PIP
 *   lost                     what is not known: begin, end, reason
 * PARTS: readers of so many parts, all open at once, each run in a thread of its own, one after the other.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <undertrace.h>

#define MAX_PARTS 64u

struct part {
    struct undertrace_reader *reader;
    const char *what;
    FILE *file;
    uint64_t cr3;
    pthread_t thread;
    int status;
};

static void print_branch(const struct part *part, const struct undertrace_where *where,
                         const struct undertrace_branch *branch)
{
    if (!strcmp(part->what, "bounds")) {
        if (where->tsc_error != UNDERTRACE_NO_ERROR)
            fprintf(part->file, "%" PRIu64 " %" PRIu64 "\n", where->tsc - where->tsc_error,
                    where->tsc + where->tsc_error);
        return;
    }
    if (!strcmp(part->what, "timed"))
        fprintf(part->file, "%" PRIu64 " ", where->tsc);
    fprintf(part->file, "%016" PRIx64 " %016" PRIx64 "\n", branch->from, branch->to);
}

static int print_branches(void *context, const struct undertrace_where *where, const struct undertrace_branch *branches,
                          size_t count)
{
    struct part *part = context;
    if (!strcmp(part->what, "spaces")) {
        if (where->cr3 != part->cr3)
            fprintf(part->file, "%" PRIx64 "\n", where->cr3);
        part->cr3 = where->cr3;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        print_branch(part, where, &branches[i]);
    return 0;
}

static void print_packet(FILE *file, const struct undertrace_packet *packet)
{
    fprintf(file, "%016" PRIx64 " %s", packet->offset, packet->name);
    if (packet->bits)
        fputc(' ', file);
    for (unsigned i = packet->bits; i-- > 0;)
        fputc(packet->payload >> i & 1 ? '!' : '.', file);
    if (packet->has_ip)
        fprintf(file, " %016" PRIx64, packet->ip);
    if (packet->kind == UNDERTRACE_PIP)
        fprintf(file, " %" PRIx64 "%s", packet->payload, packet->non_root ? ", nr" : "");
    fputc('\n', file);
}

static int print_item(void *context, const struct undertrace_item *item)
{
    const struct part *part = context;
    const int lost = !strcmp(part->what, "lost");
    switch (item->kind) {
    case UNDERTRACE_INSTRUCTION:
        fprintf(part->file, "%016" PRIx64 "\n", item->instruction);
        break;
    case UNDERTRACE_BLOCK:
        fprintf(part->file, "%016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %" PRIu32 "\n", item->block.first,
                item->block.last, item->block.end, item->block.instructions);
        break;
    case UNDERTRACE_PACKET:
        print_packet(part->file, &item->packet);
        break;
    case UNDERTRACE_BRANCH:
        if (!lost)
            print_branch(part, &item->where, &item->branch);
        break;
    default:
        if (lost)
            fprintf(part->file, "%" PRIu64 " %" PRIu64 " %s%s\n", item->lost.begin, item->lost.end,
                    item->lost.recorded ? "recorded: " : "", item->lost.why);
    }
    return 0;
}

static void *run(void *argument)
{
    struct part *part = argument;
    const struct undertrace_calls calls = {
        .size = sizeof(calls), .context = part, .branches = print_branches, .item = print_item};
    const struct undertrace_item *item;
    if (strcmp(part->what, "timed") && strcmp(part->what, "lost")) {
        part->status = undertrace_run(part->reader, &calls);
        return NULL;
    }
    while ((item = undertrace_next(part->reader)))
        print_item(part, item);
    part->status = undertrace_reader_status(part->reader);
    return NULL;
}

static unsigned flags_of(const char *what)
{
    return !strcmp(what, "packets")        ? UNDERTRACE_PACKETS
           : !strcmp(what, "instructions") ? UNDERTRACE_INSTRUCTIONS
           : !strcmp(what, "blocks")       ? UNDERTRACE_BLOCKS
                                           : UNDERTRACE_BRANCHES;
}

static size_t number_of(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static int open_source(struct undertrace **trace, const char *name, struct undertrace_error *error)
{
    const char *images[] = {getenv("IMAGE"), NULL};
    const char *range = getenv("RANGE");
    struct undertrace_foreign about = {.size = number_of("SIZE", sizeof(about)),
                                       .images = images,
                                       .root = getenv("ROOT"),
                                       .mtc_freq = (unsigned)number_of("MTC_FREQ", 0),
                                       .pid = number_of("PID", 0),
                                       .buffer = number_of("BUFFER", 0)};
    if (range)
        sscanf(range, "%" SCNx64 " %" SCNx64 " %" SCNx64, &about.ranges[1].first, &about.ranges[1].last,
               &about.ranges[1].kind);
    if (!strncmp(name, "pt:", 3))
        return undertrace_open_pt(trace, name + 3, &about, error);
    if (!strncmp(name, "perf:", 5))
        return undertrace_open_perf(trace, name + 5, &about, error);
    return undertrace_open(trace, name, error);
}

/* Returns the exit status. */
static int finish(struct part *part, char **text)
{
    pthread_join(part->thread, NULL);
    undertrace_reader_close(part->reader);
    fclose(part->file);
    fputs(*text, stdout);
    free(*text);
    return part->status ? 1 : 0;
}

int main(int argc, char **argv)
{
    static struct part parts[MAX_PARTS];
    static char *texts[MAX_PARTS];
    static size_t sizes[MAX_PARTS];
    struct undertrace *trace;
    struct undertrace_error error;
    int status = 0;
    if (argc < 4)
        return 2;
    const unsigned nr_parts = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    struct undertrace_how how = {
        .size = sizeof(how), .cpu = (unsigned)atoi(argv[2]), .what = flags_of(argv[3]), .nr_parts = nr_parts};
    if (nr_parts > MAX_PARTS || open_source(&trace, argv[1], &error)) {
        fprintf(stderr, "%s\n", nr_parts > MAX_PARTS ? "too many parts" : error.text);
        return 1;
    }
    for (unsigned i = 0; i < (nr_parts ? nr_parts : 1); i++) {
        parts[i] = (struct part){.what = argv[3], .file = open_memstream(&texts[i], &sizes[i])};
        how.part = nr_parts ? i + 1 : 0;
        if (undertrace_read(&parts[i].reader, trace, &how, &error)) {
            fprintf(stderr, "%d %s\n", error.status, error.text);
            return 1;
        }
        pthread_create(&parts[i].thread, NULL, run, &parts[i]);
    }
    for (unsigned i = 0; i < (nr_parts ? nr_parts : 1); i++)
        status |= finish(&parts[i], &texts[i]);
    undertrace_close(trace);
    return status;
}
