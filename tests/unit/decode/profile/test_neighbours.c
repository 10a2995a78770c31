/* Callers and callees of a function, also where it calls itself through others: of one tree by hand, and of random ones
 * by the definition, node by node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/profile/neighbours.h"

static const struct name main_ = {.begin = 0x1000, .symbol = "main", .number = 0};
static const struct name f = {.begin = 0x2000, .symbol = "f", .number = 1};
static const struct name g = {.begin = 0x3000, .symbol = "g", .number = 2};

struct fixture {
    struct profile profile;
    struct profile_cpu cpu;
    struct stack_hooks hooks;
    struct stack_frame frames[8];
    struct stack_task task;
    uint64_t tsc;
};

static void enter(struct fixture *x, const struct name *name, uint64_t branches)
{
    x->task.frames[x->task.depth++] = (struct stack_frame){.name = name, .entry = STACK_CALL};
    x->hooks.enter(x->hooks.context, &x->task, x->tsc);
    x->tsc += branches * 10;
    x->hooks.spend(x->hooks.context, &x->task, branches, x->tsc);
}

static void leave(struct fixture *x)
{
    x->hooks.leave(x->hooks.context, &x->task, x->tsc);
    x->task.depth--;
}

static const struct profile_neighbour *of(const struct profile_neighbour *items, size_t count, const struct name *name)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].name == name)
            return &items[i];
    fail_msg("no neighbour %s", name->symbol);
    return NULL;
}

/* main -> f -> g -> f -> g, and main -> g -> f. */
static void recursion_is_counted_once(void **state)
{
    struct fixture x = {.task = {.number = 1, .space = FLOW_CR3_UNKNOWN}, .tsc = 1000};
    struct profile_neighbours n;
    struct call_pairs pairs;
    (void)state;
    assert_true(profile_init(&x.profile, NULL));
    x.hooks = profile_hooks(&x.cpu, &x.profile);
    x.task.frames = x.frames;
    x.hooks.spend(x.hooks.context, NULL, 0, x.tsc);
    enter(&x, &main_, 1);
    enter(&x, &f, 2);
    enter(&x, &g, 4);
    enter(&x, &f, 8);
    enter(&x, &g, 16);
    leave(&x);
    leave(&x);
    leave(&x);
    leave(&x);
    enter(&x, &g, 32);
    enter(&x, &f, 64);
    assert_true(call_pairs_make(&pairs, &x.profile));
    assert_int_equal(pairs.count, 5); /* main: from nowhere; f and g: from main and from each other */
    assert_true(profile_neighbours_find(&n, &pairs, &f));
    assert_int_equal(n.nr_callers, 2);
    assert_int_equal(of(n.callers, 2, &main_)->calls, 1);
    assert_int_equal(of(n.callers, 2, &main_)->branches, 2 + 4 + 8 + 16);
    assert_int_equal(of(n.callers, 2, &g)->calls, 2);
    assert_int_equal(of(n.callers, 2, &g)->branches, 64);
    assert_int_equal(of(n.callers, 2, &g)->ticks, 640);
    assert_int_equal(n.nr_callees, 1);
    assert_int_equal(n.callees[0].calls, 2);
    assert_int_equal(n.callees[0].branches, 4 + 16); /* and 2 + 8 + 64 are f's own */
    profile_neighbours_free(&n);
    assert_true(profile_neighbours_find(&n, &pairs, &main_));
    assert_int_equal(n.nr_callers, 1);
    assert_null(n.callers[0].name);
    assert_int_equal(n.callers[0].branches, 127);
    assert_int_equal(of(n.callees, n.nr_callees, &g)->branches, 32 + 64);
    profile_neighbours_free(&n);
    call_pairs_free(&pairs);
    profile_free(&x.profile);
}

/* --- random trees --- */

#define NODES 1200u
#define NAMES 300u

struct tree {
    struct profile_node nodes[NODES];
    struct profile_process processes[3];
    struct name names[NAMES];
    struct profile profile;
};

/* Few functions: most of them are recursive. Two roots, at 1 and 2. */
static void grow_tree(struct tree *tree, unsigned nr_names)
{
    for (uint32_t i = 0; i < NAMES; i++)
        tree->names[i] = (struct name){.number = i};
    for (uint32_t i = 1; i < NODES; i++) {
        const uint32_t parent = i < 3 ? 0 : 1 + (uint32_t)rand() % (i - 1);
        tree->nodes[i] = (struct profile_node){.name = i < 3 ? NULL : &tree->names[(unsigned)rand() % nr_names],
                                               .parent = parent,
                                               .sibling = parent ? tree->nodes[parent].child : 0,
                                               .calls = i < 3 ? 0 : (uint64_t)rand() % 9,
                                               .branches = i < 3 ? 0 : (uint64_t)rand() % 1000,
                                               .ticks = i < 3 ? 0 : (uint64_t)rand() % 5000};
        if (parent)
            tree->nodes[parent].child = i;
    }
    tree->processes[1].root = 1;
    tree->processes[2].root = 2;
    tree->profile =
        (struct profile){.nodes = tree->nodes, .nr_nodes = NODES, .processes = tree->processes, .nr_processes = 3};
}

/* The nearest node of the function above a node, 0: none; and the node below it that leads there. */
static uint32_t nearest(const struct tree *tree, uint32_t node, const struct name *name, uint32_t *through)
{
    for (*through = node; (node = tree->nodes[node].parent) != 0; *through = node)
        if (tree->nodes[node].name == name)
            return node;
    return 0;
}

/* Each node's own costs go to all above it, to be counted once: for a caller where no other node of the callee is
 * above, for a callee below the nearest node of the caller. */
static struct call_pair expected(const struct tree *tree, const struct name *caller, const struct name *callee)
{
    struct call_pair sum = {.caller = caller, .callee = callee};
    for (uint32_t i = 3; i < NODES; i++) {
        const struct profile_node *node = &tree->nodes[i];
        uint32_t through, outermost = node->name == callee ? i : 0;
        if (node->name == callee && tree->nodes[node->parent].name == caller)
            sum.calls += node->calls;
        for (uint32_t at = node->parent; at; at = tree->nodes[at].parent)
            outermost = tree->nodes[at].name == callee ? at : outermost;
        if (outermost && tree->nodes[tree->nodes[outermost].parent].name == caller) {
            sum.of_callee.branches += node->branches;
            sum.of_callee.ticks += node->ticks;
        }
        if (caller && caller != callee && node->name != caller && nearest(tree, i, caller, &through) &&
            tree->nodes[through].name == callee) {
            sum.of_caller.branches += node->branches;
            sum.of_caller.ticks += node->ticks;
        }
    }
    return sum;
}

static void random_trees_have_the_sums_of_their_nodes(void **state)
{
    static struct tree tree;
    (void)state;
    srand(1);
    for (unsigned nr_names = 1; nr_names <= NAMES; nr_names = nr_names < 6 ? nr_names + 1 : nr_names * 7) {
        struct call_pairs pairs;
        uint64_t calls = 0, all = 0;
        grow_tree(&tree, nr_names);
        assert_true(call_pairs_make(&pairs, &tree.profile));
        for (size_t i = 0; i < pairs.count; i++) {
            const struct call_pair *pair = &pairs.items[i];
            const struct call_pair right = expected(&tree, pair->caller, pair->callee);
            assert_memory_equal(pair, &right, sizeof(right));
            calls += pair->calls;
        }
        for (uint32_t i = 3; i < NODES; i++)
            all += tree.nodes[i].calls;
        assert_int_equal(calls, all);
        call_pairs_free(&pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_is_counted_once),
        cmocka_unit_test(random_trees_have_the_sums_of_their_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
