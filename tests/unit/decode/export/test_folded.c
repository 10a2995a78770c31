/* Folded stacks: the sums of the call tree, and lines that do not grow with the depth of the stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/export/formats.h"

#define DEPTH 5000u
#define MOST_LINE 4000u

static const struct name names[] = {{.begin = 0x1000, .symbol = "even", .shown = "even"},
                                    {.begin = 0x2000, .symbol = "odd;1", .shown = "odd;1"},
                                    {.begin = 0x3000, .symbol = "leaf", .shown = "leaf"}};

/* Each level calls the next one and a leaf. */
static struct profile_node *make_nodes(uint32_t *count)
{
    struct profile_node *nodes = calloc(2 * DEPTH + 2, sizeof(*nodes));
    assert_non_null(nodes);
    nodes[1] = (struct profile_node){.child = 2};
    for (uint32_t i = 0; i < DEPTH; i++) {
        const uint32_t own = 2 + 2 * i, leaf = own + 1;
        nodes[own] = (struct profile_node){
            .name = &names[i % 2], .parent = i ? own - 2 : 1, .child = i + 1 < DEPTH ? own + 2 : 0, .branches = 1};
        if (i + 1 < DEPTH)
            nodes[own + 2].sibling = 0;
        nodes[leaf] = (struct profile_node){.name = &names[2], .parent = own, .branches = 10};
    }
    for (uint32_t i = 0; i < DEPTH; i++) { /* the leaf comes after the deeper call */
        const uint32_t own = 2 + 2 * i;
        if (nodes[own].child)
            nodes[own + 2].sibling = own + 1;
        else
            nodes[own].child = own + 1;
    }
    *count = 2 * DEPTH + 2;
    return nodes;
}

static void deep_stacks_have_short_lines(void **state)
{
    (void)state;
    struct profile_process processes[2] = {{.root = 0}, {.root = 1, .space = 0x1000}};
    struct profile profile = {.processes = processes, .nr_processes = 2};
    uint32_t nr_nodes;
    profile.nodes = make_nodes(&nr_nodes);
    profile.nr_nodes = nr_nodes;
    const struct export_job job = {.unit = EXPORT_BRANCHES};
    struct error error = {0};
    char *text = NULL;
    size_t size = 0, lines = 0, deeper = 0, leaves = 0;
    uint64_t sum = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_true(format_folded.write_profile(file, &profile, &job, &error));
    assert_int_equal(fclose(file), 0);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        assert_in_range(strlen(line), 1, MOST_LINE);
        deeper += strstr(line, ";[deeper];") != NULL;
        leaves += strstr(line, ";leaf 10") != NULL;
        assert_null(strstr(line, "odd;1"));
        sum += strtoull(strrchr(line, ' '), NULL, 10);
    }
    assert_int_equal(lines, 2 * DEPTH);
    assert_int_equal(leaves, DEPTH);
    assert_int_equal(sum, 11 * DEPTH);
    assert_int_equal(deeper, 2 * (DEPTH - 500) + 1);
    free(text);
    free(profile.nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deep_stacks_have_short_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
