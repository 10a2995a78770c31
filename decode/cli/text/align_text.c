#include "decode/cli/text/align_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/text/name_text.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

#define FUNCTION_SIZE 256u
#define STACK_SHOWN 24u /* of a deeper stack, the innermost */
#define NANOSECONDS 1000000000u

static const char *function_text(char text[FUNCTION_SIZE], const struct align_view *view, uint32_t number)
{
    const struct call_function *function = &view->alignment->trees->functions[number];
    if (function->symbol && function->object)
        snprintf(text, FUNCTION_SIZE, "%s [%s]", function->shown, function->object);
    else if (function->symbol)
        snprintf(text, FUNCTION_SIZE, "%s", function->shown);
    else
        snprintf(text, FUNCTION_SIZE, "%#" PRIx64 "%s%s%s", function->begin, function->object ? " [" : "",
                 function->object ? function->object : "", function->object ? "]" : "");
    return text;
}

/* "function > callee": many functions call whatever they are given. */
#define CALL_SIZE (2 * FUNCTION_SIZE + 8)
static const char *call_text(char text[CALL_SIZE], const struct align_view *view, uint32_t function, uint32_t callee)
{
    char names[2][FUNCTION_SIZE];
    function_text(names[0], view, function);
    if (callee == ALIGN_NO_FUNCTION)
        snprintf(text, CALL_SIZE, "%s", names[0]);
    else
        snprintf(text, CALL_SIZE, "%s > %s", names[0], function_text(names[1], view, callee));
    return text;
}

/* A length of time, rounded down as in every list of calls. Without a TSC: 0. */
static uint64_t nanoseconds_of(const struct align_view *view, unsigned side, uint64_t ticks)
{
    const struct calls_clock *clock = view->clocks[side];
    return clock->by_branches ? 0 : calls_nanoseconds(clock, clock->zero + ticks);
}

/* Calls of a function that handles interrupts, on one side. */
static struct task_interrupt interrupt_of(const struct align_view *view, unsigned side, uint32_t function)
{
    const struct boot_calls *boot = view->boots[side];
    for (size_t i = 0; i < boot->nr_interrupts; i++)
        if (boot->interrupts[i].function == function)
            return boot->interrupts[i];
    return (struct task_interrupt){.function = function};
}

bool align_differs(const struct align_view *view)
{
    for (size_t i = 0; i < view->alignment->count; i++)
        if (view->alignment->pairs[i].differs)
            return true;
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < view->boots[side]->nr_interrupts; i++)
            if (interrupt_of(view, !side, view->boots[side]->interrupts[i].function).count == 0)
                return true;
    return false;
}

/* --- text --- */

static void print_extras(const struct align_view *view, const struct align_pair *pair)
{
    char count[COUNT_TEXT_SIZE], calls[COUNT_TEXT_SIZE], time[TIME_TEXT_SIZE], call[CALL_SIZE], caller[FUNCTION_SIZE];
    if (pair->nr_extras > 0)
        puts("              count  calls in all      elapsed s      first at s  "
             "function, and its caller");
    for (size_t i = 0; i < pair->nr_extras && i < view->lines; i++) {
        const struct align_extra *extra = &pair->extras[i];
        printf("  %s %16s %13s %14.6f %15s  %s%s%s\n", extra->side ? "+" : "-", count_text(count, extra->count),
               count_text(calls, extra->calls), (double)nanoseconds_of(view, extra->side, extra->ticks) / 1e9,
               time_text(time, view->captures[extra->side], extra->first),
               call_text(call, view, extra->function, extra->callee), extra->caller == ALIGN_NO_FUNCTION ? "" : " in ",
               extra->caller == ALIGN_NO_FUNCTION ? "" : function_text(caller, view, extra->caller));
    }
    if (pair->nr_extras > view->lines)
        printf("  and %s more; --lines shows more\n", count_text(count, pair->nr_extras - view->lines));
}

static void print_point(const struct align_view *view, const struct align_pair *pair)
{
    const struct align_point *point = &pair->point;
    char time[TIME_TEXT_SIZE], text[FUNCTION_SIZE], call[CALL_SIZE], count[COUNTED_TEXT_SIZE];
    const size_t left_out = point->depth > STACK_SHOWN ? point->depth - STACK_SHOWN : 0;
    printf("  the first difference, after %s\n", counted_text(count, point->equal, "equal call", "equal calls"));
    if (left_out)
        printf("                        %s\n", counted_text(count, left_out, "outer call", "outer calls"));
    for (size_t i = left_out; i < point->depth; i++)
        printf("                        %s\n", function_text(text, view, point->stack[i]));
    for (unsigned side = 0; side < 2; side++)
        printf("  %s %15s s    %s\n", side ? "+" : "-", time_text(time, view->captures[side], point->tsc[side]),
               point->next[side] == ALIGN_NO_FUNCTION ? "(returns)"
                                                      : call_text(call, view, point->next[side], point->callee[side]));
}

static uint64_t calls_of(const struct align_view *view, const struct task_calls *task)
{
    return view->alignment->trees->trees[task->tree].calls - 1;
}

static void print_pair(const struct align_view *view, const struct align_pair *pair)
{
    const struct task_calls *a = pair->tasks[0], *b = pair->tasks[1];
    char calls[2][COUNTED_TEXT_SIZE], time[TIME_TEXT_SIZE];
    if (!a || !b) {
        const struct task_calls *task = a ? a : b;
        printf("%s %15s s  task %s: %s\n", a ? "-" : "+",
               time_text(time, view->captures[a ? 0 : 1], task_calls_time(task, 0)), task->text,
               counted_text(calls[0], calls_of(view, task), "call", "calls"));
        return;
    }
    printf("\ntask %s: %s; %s: %s\n", a->text, counted_text(calls[0], calls_of(view, a), "call", "calls"), b->text,
           counted_text(calls[1], calls_of(view, b), "call", "calls"));
    print_point(view, pair);
    print_extras(view, pair);
}

static void print_interrupt(const struct align_view *view, uint32_t number)
{
    const struct task_interrupt a = interrupt_of(view, 0, number), b = interrupt_of(view, 1, number);
    char text[FUNCTION_SIZE], counts[2][COUNT_TEXT_SIZE];
    printf("%s %16s %16s times  %s\n",
           !a.count   ? "+"
           : !b.count ? "-"
                      : "*",
           count_text(counts[0], a.count), count_text(counts[1], b.count), function_text(text, view, number));
}

static void print_interrupts(const struct align_view *view)
{
    if (view->boots[0]->nr_interrupts + view->boots[1]->nr_interrupts == 0)
        return;
    puts("\ninterrupts and exceptions, which are not aligned, by their handlers");
    for (size_t i = 0; i < view->boots[0]->nr_interrupts; i++)
        print_interrupt(view, view->boots[0]->interrupts[i].function);
    for (size_t i = 0; i < view->boots[1]->nr_interrupts; i++)
        if (interrupt_of(view, 0, view->boots[1]->interrupts[i].function).count == 0)
            print_interrupt(view, view->boots[1]->interrupts[i].function);
}

static void print_limits(const struct align_view *view)
{
    char time[TIME_TEXT_SIZE];
    for (unsigned side = 0; side < 2; side++)
        if (view->boots[side]->until)
            printf("%s: compared up to %s s: there are too many different calls\n",
                   view->captures[side]->capture->directory,
                   time_text(time, view->captures[side], view->boots[side]->until));
    if (view->alignment->cut)
        printf("calls below more than %u others were compared as a whole\n", ALIGN_DEPTH);
}

void align_print(const struct align_view *view)
{
    const struct alignment *alignment = view->alignment;
    char counts[5][COUNT_TEXT_SIZE];
    size_t only[2] = {0, 0}, differ = 0;
    for (size_t i = 0; i < alignment->count; i++) {
        only[0] += !alignment->pairs[i].tasks[1];
        only[1] += !alignment->pairs[i].tasks[0];
        differ += alignment->pairs[i].differs;
    }
    printf("tasks in both: %s; of these with different calls: %s; only in %s: "
           "%s; only in %s: %s\n",
           count_text(counts[0], alignment->count - only[0] - only[1]),
           count_text(counts[1], differ - only[0] - only[1]), view->captures[0]->capture->directory,
           count_text(counts[2], only[0]), view->captures[1]->capture->directory, count_text(counts[3], only[1]));
    for (size_t i = 0; i < alignment->count; i++)
        if (alignment->pairs[i].differs)
            print_pair(view, &alignment->pairs[i]);
    print_interrupts(view);
    print_limits(view);
}

/* --- JSON --- */

static void json_function(const struct align_view *view, const char *name, uint32_t number, const char *after)
{
    char text[FUNCTION_SIZE];
    json_string(stdout, name, number == ALIGN_NO_FUNCTION ? NULL : function_text(text, view, number), after);
}

/* null: without a TSC. */
static void json_length(const struct align_view *view, const char *name, unsigned side, uint64_t ticks,
                        const char *after)
{
    const uint64_t nanoseconds = nanoseconds_of(view, side, ticks);
    if (view->clocks[side]->by_branches)
        printf("\"%s\": null%s", name, after);
    else
        printf("\"%s\": %" PRIu64 ".%09" PRIu64 "%s", name, nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS,
               after);
}

/* Since the first TSC. */
static void json_time(const struct align_view *view, const char *name, unsigned side, uint64_t tsc, const char *after)
{
    const uint64_t zero = view->clocks[side]->zero;
    json_length(view, name, side, tsc > zero ? tsc - zero : 0, after);
}

static void json_task(const struct align_view *view, const struct task_calls *task, const char *name)
{
    printf("\"%s\": ", name);
    if (!task) {
        fputs("null, ", stdout);
        return;
    }
    putchar('{');
    json_string(stdout, "task", task->text, ", ");
    json_figure(stdout, "calls", figure_of(calls_of(view, task)), "}, ");
}

static void json_point(const struct align_view *view, const struct align_point *point)
{
    fputs("{", stdout);
    json_figure(stdout, "equal_calls", figure_of(point->equal), ", \"stack\": [");
    for (size_t i = 0; i < point->depth; i++) {
        fputs(i ? ", {" : "{", stdout);
        json_function(view, "function", point->stack[i], "}");
    }
    fputs("], ", stdout);
    json_function(view, "next_a", point->next[0], ", ");
    json_function(view, "callee_a", point->callee[0], ", ");
    json_function(view, "next_b", point->next[1], ", ");
    json_function(view, "callee_b", point->callee[1], ", ");
    json_time(view, "time_a", 0, point->tsc[0], ", ");
    json_time(view, "time_b", 1, point->tsc[1], "}");
}

static void json_pair(const struct align_view *view, const struct align_pair *pair)
{
    json_task(view, pair->tasks[0], "a");
    json_task(view, pair->tasks[1], "b");
    printf("\"differs\": %s, \"first_difference\": ", pair->differs ? "true" : "false");
    if (pair->point.stack)
        json_point(view, &pair->point);
    else
        fputs("null", stdout);
    fputs(", \"only\": [", stdout);
    for (size_t i = 0; i < pair->nr_extras; i++) {
        const struct align_extra *extra = &pair->extras[i];
        fputs(i ? ",\n      {" : "\n      {", stdout);
        json_string(stdout, "in", extra->side ? "b" : "a", ", ");
        json_function(view, "function", extra->function, ", ");
        json_function(view, "callee", extra->callee, ", ");
        json_function(view, "caller", extra->caller, ", ");
        json_figure(stdout, "count", figure_of(extra->count), ", ");
        json_figure(stdout, "calls", figure_of(extra->calls), ", ");
        json_length(view, "seconds", extra->side, extra->ticks, ", ");
        json_time(view, "first", extra->side, extra->first, "}");
    }
    putchar(']');
}

static size_t json_interrupts(const struct align_view *view, unsigned side, size_t count)
{
    for (size_t i = 0; i < view->boots[side]->nr_interrupts; i++) {
        const uint32_t function = view->boots[side]->interrupts[i].function;
        const uint64_t a = interrupt_of(view, 0, function).count, b = interrupt_of(view, 1, function).count;
        if (side == 1 && a > 0)
            continue;
        fputs(count++ ? ",\n    {" : "\n    {", stdout);
        json_function(view, "handler", function, ", ");
        json_figure(stdout, "a", figure_of(a), ", ");
        json_figure(stdout, "b", figure_of(b), "}");
    }
    return count;
}

void align_json(const struct align_view *view)
{
    fputs("  \"tasks\": [", stdout);
    for (size_t i = 0; i < view->alignment->count; i++) {
        fputs(i ? ",\n    {" : "\n    {", stdout);
        json_pair(view, &view->alignment->pairs[i]);
        putchar('}');
    }
    fputs("],\n  \"interrupts\": [", stdout);
    json_interrupts(view, 1, json_interrupts(view, 0, 0));
    putchar(']');
}
