/* The nearest call after or before another one, by the definition: all calls in their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/measure/nearest_call.h"

#define CALLS 60u

static const struct name wanted = {.symbol = "wanted", .number = 0}, other = {.symbol = "other", .number = 1};

struct event {
    struct call_place place; /* nth: UINT32_MAX for the other function */
};

static bool is_wanted(void *context, const struct name *name)
{
    assert_ptr_equal(context, &wanted);
    return name == &wanted;
}

/* Calls of two CPUs, each in the order of time; several begin at one tick. */
static void make_events(struct event events[CALLS])
{
    uint64_t tsc[2] = {100, 100};
    uint32_t nth[2] = {0, 0};
    for (unsigned i = 0; i < CALLS; i++) {
        const uint32_t cpu = (uint32_t)rand() % 2, step = (uint32_t)rand() % 3;
        tsc[cpu] += step;
        nth[cpu] = step ? 0 : nth[cpu];
        const bool is_other = rand() % 4 == 0;
        events[i].place = (struct call_place){tsc[cpu], cpu, is_other ? UINT32_MAX : nth[cpu]++};
    }
}

static int compare(const struct call_place *a, const struct call_place *b)
{
    const uint64_t left[] = {a->tsc, a->cpu, a->nth}, right[] = {b->tsc, b->cpu, b->nth};
    for (unsigned i = 0; i < 3; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static uint32_t classify(void *context, const struct name *name)
{
    return is_wanted(context, name) ? 2 : 1;
}

static struct nearest_call nearest(const struct event events[CALLS], struct call_place than, bool before)
{
    struct nearest_call call = {.matches = is_wanted,
                                .context = (void *)(uintptr_t)&wanted,
                                .than = than,
                                .before = before,
                                .classes = {.classify = classify, .context = (void *)(uintptr_t)&wanted}};
    for (unsigned i = 0; i < CALLS; i++) {
        struct open_call open = {.name = events[i].place.nth == UINT32_MAX ? &other : &wanted};
        struct open_task task = {.calls = &open, .depth = 1, .cpu = (uint16_t)events[i].place.cpu};
        nearest_call_begins(&call, &task, events[i].place.tsc);
    }
    name_classes_free(&call.classes);
    return call;
}

static void each_call_has_its_neighbours(void **state)
{
    static struct event events[CALLS];
    (void)state;
    srand(7);
    for (unsigned round = 0; round < 50; round++) {
        make_events(events);
        for (unsigned i = 0; i < 2 * CALLS; i++) {
            const bool before = i % 2;
            struct call_place than = events[i / 2].place;
            const struct event *best = NULL;
            for (unsigned k = 0; k < CALLS; k++) {
                const struct call_place *place = &events[k].place;
                const int side = before ? -1 : 1;
                if (place->nth != UINT32_MAX && compare(place, &than) * side > 0 &&
                    (!best || compare(place, &best->place) * side < 0))
                    best = &events[k];
            }
            const struct nearest_call call = nearest(events, than, before);
            assert_ptr_equal(call.name, best ? &wanted : NULL);
            if (best)
                assert_int_equal(compare(&call.place, &best->place), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_has_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
