#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/report/number_text.h"
#include "decode/report/profile_report.h"

#define MOST_FUNCTIONS 30u
#define MOST_PROCESSES 20u
#define MOST_ENTRIES 12u

struct page {
    FILE *file;
    const struct profile *profile;
    uint64_t khz, origin;
    bool colour;
};

static void print_title(const struct page *page, const char *title, const char *columns)
{
    fprintf(page->file, "\n%s%-44s%s%s\n", page->colour ? "\033[1m" : "", title, page->colour ? "\033[0;2m" : "",
            columns);
    if (page->colour)
        fputs("\033[0m", page->file);
}

static void print_count(const struct page *page, uint64_t value, int width)
{
    char number[COUNT_TEXT_SIZE];
    fprintf(page->file, " %*s", width, count_text(number, value));
}

/* Share of all branches; a tenth or more is highlighted. */
static void print_share(const struct page *page, uint64_t branches)
{
    const double share = page->profile->branches ? 100.0 * (double)branches / (double)page->profile->branches : 0;
    const bool much = page->colour && share >= 10;
    fprintf(page->file, " %s%6.2f%%%s", much ? "\033[33m" : "", share, much ? "\033[0m" : "");
}

static void print_seconds(const struct page *page, uint64_t ticks)
{
    if (page->khz)
        fprintf(page->file, " %9.3f", (double)ticks / (double)page->khz / 1000);
    else
        fprintf(page->file, " %9s", "-");
}

static bool is_module(const struct name *name)
{
    return name->object && name->begin >> 63 && strcmp(name->object, "vmlinux") != 0;
}

/* Print a name, cut to the column. */
static void print_name(const struct page *page, const struct name *name)
{
    char text[256];
    if (name->symbol)
        snprintf(text, sizeof(text), is_module(name) ? "%s [%s]" : "%s", name->shown, name->object);
    else if (name->object)
        snprintf(text, sizeof(text), "%s at %" PRIx64, name->object, name->begin);
    else
        snprintf(text, sizeof(text), "%" PRIx64, name->begin);
    fprintf(page->file, "  %-42.42s", text);
}

static void print_phases(const struct page *page)
{
    struct profile_phase phases[PROFILE_MAX_PHASES];
    const size_t count = profile_phases(phases, page->profile);
    print_title(page, "Phases", "     from s     for s           branches   share");
    for (size_t i = 0; i < count; i++) {
        fprintf(page->file, "  %-42.42s", phases[i].name);
        print_seconds(page, phases[i].from_tsc - page->origin);
        print_seconds(page, phases[i].to_tsc - phases[i].from_tsc);
        print_count(page, phases[i].branches, 18);
        print_share(page, phases[i].branches);
        fputc('\n', page->file);
    }
}

static void print_process(const struct page *page, const struct profile_sum *sum)
{
    const struct profile_process *process = &page->profile->processes[sum->process];
    char text[256];
    if (process->space == FLOW_CR3_UNKNOWN)
        snprintf(text, sizeof(text), "kernel tasks, and code before the kernel");
    else if (process->task)
        snprintf(text, sizeof(text), "%s", process->task->text);
    else
        snprintf(text, sizeof(text), "%s (CR3 %" PRIx64 ")", process->name ? process->name : "?", process->space);
    fprintf(page->file, "  %-42.42s", text);
    print_seconds(page, process->begin_tsc > page->origin ? process->begin_tsc - page->origin : 0);
    print_seconds(page, sum->ticks);
    print_count(page, sum->branches, 18);
    print_share(page, sum->branches);
    fputc('\n', page->file);
}

static void print_processes(const struct page *page)
{
    size_t count;
    struct profile_sum *sums = profile_sums(page->profile, &count);
    print_title(page, "Processes", "     from s       own           branches   share");
    for (size_t i = 0; sums && i < count && i < MOST_PROCESSES; i++)
        print_process(page, &sums[i]);
    if (count > MOST_PROCESSES)
        fprintf(page->file, "  and %zu more\n", count - MOST_PROCESSES);
    free(sums);
}

static void print_functions(const struct page *page)
{
    size_t count;
    struct profile_function *functions = profile_functions(page->profile, 0, &count);
    print_title(page, "Functions by their own branches", "      own    total         calls     own s   total s");
    for (size_t i = 0; functions && i < count && i < MOST_FUNCTIONS; i++) {
        print_name(page, functions[i].name);
        print_share(page, functions[i].branches);
        print_share(page, functions[i].total_branches);
        print_count(page, functions[i].calls, 13);
        print_seconds(page, functions[i].ticks);
        print_seconds(page, functions[i].total_ticks);
        fputc('\n', page->file);
    }
    if (count > MOST_FUNCTIONS)
        fprintf(page->file, "  and %zu more\n", count - MOST_FUNCTIONS);
    free(functions);
}

static void print_entries(const struct page *page, const char *title, struct profile_function *functions, size_t count)
{
    if (count > 0)
        print_title(page, title, "      number         branches   share    each      s");
    for (size_t i = 0; functions && i < count && i < MOST_ENTRIES; i++) {
        print_name(page, functions[i].name);
        print_count(page, functions[i].calls, 12);
        print_count(page, functions[i].total_branches, 16);
        print_share(page, functions[i].total_branches);
        print_count(page, functions[i].calls ? functions[i].total_branches / functions[i].calls : 0, 8);
        print_seconds(page, functions[i].total_ticks);
        fputc('\n', page->file);
    }
    if (count > MOST_ENTRIES)
        fprintf(page->file, "  and %zu more\n", count - MOST_ENTRIES);
    free(functions);
}

/* System calls have functions with these prefixes in Linux. */
static struct profile_function *system_calls(const struct profile *profile, size_t *count)
{
    size_t all, used = 0;
    struct profile_function *functions = profile_functions(profile, 0, &all);
    for (size_t i = 0; functions && i < all; i++)
        if (functions[i].name->symbol && (!strncmp(functions[i].name->symbol, "__x64_sys_", 10) ||
                                          !strncmp(functions[i].name->symbol, "__ia32_sys_", 11)))
            functions[used++] = functions[i];
    *count = used;
    if (functions)
        qsort(functions, used, sizeof(*functions), profile_by_total);
    return functions;
}

void profile_print(FILE *file, const struct profile_view *view)
{
    const struct profile *profile = view->profile;
    const struct page page = {file, profile, view->khz, view->origin, view->colour};
    size_t count;
    char number[COUNTED_TEXT_SIZE];
    if (!view->window)
        print_phases(&page);
    print_processes(&page);
    print_functions(&page);
    struct profile_function *functions = system_calls(profile, &count);
    if (functions)
        print_entries(&page, "System calls", functions, count);
    functions = profile_entries(profile, STACK_INTERRUPT, &count);
    if (functions)
        print_entries(&page, "Interrupts and exceptions", functions, count);
    if (profile->lost_branches)
        fprintf(file, "\n%s in unknown functions, after gaps\n",
                counted_text(number, profile->lost_branches, "branch", "branches"));
}
