/* Format: Valgrind's manual, "Callgrind Format Specification". */
#include <inttypes.h>
#include <stdlib.h>

#include "decode/export/formats.h"
#include "decode/profile/label.h"
#include "decode/profile/node_sums.h"
#include "decode/profile/profile_walk.h"

/* A caller and a callee, summed over the whole tree. A function is the number of its name plus 1; processes follow the
 * functions. */
struct call_edge {
    uint32_t caller, callee; /* caller 0: a free slot */
    uint64_t calls, branches, ticks;
};

struct graph {
    const struct profile *profile;
    const struct node_sums *sums;
    struct call_edge *edges;
    size_t size, used; /* size is a power of two */
    uint32_t *on_way;  /* how often each function is on the path to a node */
    uint32_t nr_functions;
    uint32_t process; /* whose nodes are visited: the caller of the outermost functions */
    bool no_memory;
};

static struct call_edge *place_of(const struct graph *graph, uint32_t caller, uint32_t callee)
{
    const uint64_t mixed = ((uint64_t)caller << 32 | callee) * 0x9e3779b97f4a7c15ull;
    size_t at = (size_t)(mixed >> 24) & (graph->size - 1);
    while (graph->edges[at].caller && (graph->edges[at].caller != caller || graph->edges[at].callee != callee))
        at = (at + 1) & (graph->size - 1);
    return &graph->edges[at];
}

static bool grow(struct graph *graph)
{
    struct call_edge *old = graph->edges;
    const size_t size = graph->size;
    struct call_edge *more = calloc(2 * size, sizeof(*more));
    if (!more)
        return false;
    graph->edges = more;
    graph->size = 2 * size;
    for (size_t i = 0; i < size; i++)
        if (old[i].caller)
            *place_of(graph, old[i].caller, old[i].callee) = old[i];
    free(old);
    return true;
}

static uint32_t function_of(const struct profile_node *node)
{
    return node->name->number + 1;
}

/* The cost of a recursive call, direct or indirect, is already in the outermost call. */
static void take_node(struct graph *graph, uint32_t caller, uint32_t number)
{
    const struct profile_node *node = &graph->profile->nodes[number];
    if (2 * (graph->used + 1) > graph->size && !grow(graph)) {
        graph->no_memory = true;
        return;
    }
    struct call_edge *edge = place_of(graph, caller, function_of(node));
    graph->used += edge->caller == 0;
    edge->caller = caller;
    edge->callee = function_of(node);
    edge->calls += node->calls;
    if (graph->on_way[function_of(node)] == 0) {
        edge->branches += graph->sums[number].branches;
        edge->ticks += graph->sums[number].ticks;
    }
}

static void enter(void *context, uint32_t number)
{
    struct graph *graph = context;
    const struct profile_node *node = &graph->profile->nodes[number], *parent = &graph->profile->nodes[node->parent];
    take_node(graph, parent->name ? function_of(parent) : graph->process, number);
    graph->on_way[function_of(node)]++;
}

static void leave(void *context, uint32_t number)
{
    struct graph *graph = context;
    graph->on_way[function_of(&graph->profile->nodes[number])]--;
}

static int compare(const void *left, const void *right)
{
    const struct call_edge *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Sort edges by caller, without free slots. */
static size_t order_edges(struct graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->size; i++)
        if (graph->edges[i].caller)
            graph->edges[count++] = graph->edges[i];
    qsort(graph->edges, count, sizeof(*graph->edges), compare);
    return count;
}

struct own {
    const struct name *name;
    uint64_t branches, ticks;
};

/* The own cost of each function. NULL: out of memory. */
static struct own *own_costs(const struct profile *profile, uint32_t nr_functions)
{
    struct own *own = calloc(nr_functions + 1u, sizeof(*own));
    for (size_t i = 1; i < profile->nr_nodes && own; i++) {
        const struct profile_node *node = &profile->nodes[i];
        if (!node->name)
            continue;
        own[function_of(node)].name = node->name;
        own[function_of(node)].branches += node->branches;
        own[function_of(node)].ticks += node->ticks;
    }
    return own;
}

/* Write a function's object and name: the name the first time, then only the number. */
static void write_function(FILE *file, const char *prefix, const struct own *own, uint32_t number)
{
    char text[LABEL_SIZE];
    fprintf(file, "%sob=%s\n%sfn=(%" PRIu32 ") %s\n", prefix, label_object(own[number].name), prefix, number,
            label_text(text, own[number].name));
}

static void write_edges(FILE *file, const struct own *own, const struct call_edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_function(file, "c", own, edges[i].callee);
        fprintf(file, "calls=%" PRIu64 " 0\n0 %" PRIu64 " %" PRIu64 "\n", edges[i].calls, edges[i].branches,
                edges[i].ticks);
    }
}

static size_t callees(const struct call_edge *edges, size_t count, uint32_t caller)
{
    size_t nr = 0;
    while (nr < count && edges[nr].caller == caller)
        nr++;
    return nr;
}

static void write_graph(FILE *file, struct graph *graph, const struct own *own)
{
    char text[LABEL_SIZE];
    const size_t count = order_edges(graph);
    size_t at = 0;
    uint64_t branches = 0, ticks = 0;
    for (uint32_t number = 1; number <= graph->nr_functions; number++) {
        branches += own[number].branches;
        ticks += own[number].ticks;
    }
    fprintf(file,
            "# callgrind format\nversion: 1\ncreator: undertrace\npositions: line\nevents: Branches Ticks\n"
            "summary: %" PRIu64 " %" PRIu64 "\n",
            branches, ticks);
    for (uint32_t number = 1; number <= graph->nr_functions; number++) {
        const size_t nr = callees(graph->edges + at, count - at, number);
        if (!own[number].name)
            continue;
        fputs("\nfl=???\n", file);
        write_function(file, "", own, number);
        fprintf(file, "0 %" PRIu64 " %" PRIu64 "\n", own[number].branches, own[number].ticks);
        write_edges(file, own, graph->edges + at, nr);
        at += nr;
    }
    for (uint32_t i = 1; i < graph->profile->nr_processes; i++) {
        const uint32_t number = graph->nr_functions + i;
        const size_t nr = callees(graph->edges + at, count - at, number);
        fprintf(file, "\nfl=???\nob=[process]\nfn=(%" PRIu32 ") %s\n0 0 0\n", number,
                label_process(text, &graph->profile->processes[i]));
        write_edges(file, own, graph->edges + at, nr);
        at += nr;
    }
    fprintf(file, "\ntotals: %" PRIu64 " %" PRIu64 "\n", branches, ticks);
}

static bool write_profile(FILE *file, const struct profile *profile, const struct export_job *job, struct error *error)
{
    (void)job;
    struct graph graph = {.profile = profile, .size = 4096};
    for (size_t i = 1; i < profile->nr_nodes; i++)
        if (profile->nodes[i].name && function_of(&profile->nodes[i]) > graph.nr_functions)
            graph.nr_functions = function_of(&profile->nodes[i]);
    struct node_sums *sums = node_sums(profile);
    struct own *own = own_costs(profile, graph.nr_functions);
    graph.sums = sums;
    graph.edges = calloc(graph.size, sizeof(*graph.edges));
    graph.on_way = calloc(graph.nr_functions + 1u, sizeof(*graph.on_way));
    const struct profile_visitor visitor = {enter, leave, &graph};
    bool good = sums && own && graph.edges && graph.on_way;
    for (uint32_t i = 1; i < profile->nr_processes && good; i++) {
        graph.process = graph.nr_functions + i;
        profile_walk(profile, profile->processes[i].root, &visitor);
    }
    good = good && !graph.no_memory;
    if (good)
        write_graph(file, &graph, own);
    free(sums);
    free(own);
    free(graph.edges);
    free(graph.on_way);
    return good || error_set(error, ERROR_MEMORY, 0, "the call tree");
}

const struct export_format format_callgrind = {
    .name = "callgrind",
    .readers = "KCachegrind, callgrind_annotate; costs are branches and ticks",
    .write_profile = write_profile,
};
