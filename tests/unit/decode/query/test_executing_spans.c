/* A search part by part finds the event that is the nearest of all, and takes few parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/query/executing_spans.h"

#define SPANS 40u
#define TIMES 1000u

/* Some spans overlap, as those of several CPUs do, and each event is in one of them. */
static void make(struct time_span spans[SPANS], bool events[TIMES])
{
    memset(events, 0, TIMES * sizeof(*events));
    for (unsigned i = 0; i < SPANS; i++) {
        spans[i].begin = (uint64_t)rand() % (TIMES - 50);
        spans[i].end = spans[i].begin + (uint64_t)rand() % 50;
        if (rand() % 3 == 0)
            events[spans[i].begin + (uint64_t)rand() % (spans[i].end - spans[i].begin + 1)] = true;
    }
}

/* TIMES: there is none. */
static uint64_t nearest(const bool events[TIMES], uint64_t than, bool before, const struct time_span *part)
{
    uint64_t found = TIMES;
    for (uint64_t time = part->begin; time <= part->end && time < TIMES; time++)
        if (events[time] && (before ? time < than : time > than) && (before || found == TIMES))
            found = time;
    return found;
}

static void parts_find_the_nearest_event(void **state)
{
    static const struct time_span all = {0, TIMES};
    struct time_span spans[SPANS];
    bool events[TIMES];
    (void)state;
    srand(3);
    for (unsigned round = 0; round < 2000; round++) {
        const bool before = round % 2;
        const uint64_t than = (uint64_t)rand() % TIMES;
        make(spans, events);
        struct span_search search = span_search_begin(spans, SPANS, before, than);
        struct time_span part;
        uint64_t found = TIMES;
        unsigned parts = 0;
        while (found == TIMES && span_search_next(&search, &part)) {
            found = nearest(events, than, before, &part);
            parts++;
        }
        assert_int_equal(found, nearest(events, than, before, &all));
        assert_true(parts <= 6); /* 1 + 2 + 4 + 8 + 16 + 32 > SPANS */
    }
}

static void the_first_part_is_one_span(void **state)
{
    struct time_span spans[] = {{30, 40}, {10, 20}, {50, 60}, {70, 80}}, part;
    (void)state;
    struct span_search search = span_search_begin(spans, 4, false, 25);
    assert_true(span_search_next(&search, &part));
    assert_int_equal(part.begin, 30);
    assert_int_equal(part.end, 40);
    assert_true(span_search_next(&search, &part));
    assert_int_equal(part.begin, 50);
    assert_int_equal(part.end, 80);
    assert_false(span_search_next(&search, &part));
    search = span_search_begin(spans, 4, true, 55);
    assert_true(span_search_next(&search, &part));
    assert_int_equal(part.begin, 50);
    assert_int_equal(part.end, 60);
    assert_true(span_search_next(&search, &part));
    assert_int_equal(part.begin, 10);
    assert_int_equal(part.end, 40);
    search = span_search_begin(spans, 0, true, 55);
    assert_false(span_search_next(&search, &part));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_find_the_nearest_event),
        cmocka_unit_test(the_first_part_is_one_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
