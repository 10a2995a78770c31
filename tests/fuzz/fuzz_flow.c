/*
 * Any packets over any code: the engine ends, says where and why, and the same whether single instructions are listed
 * or not, and whether it has seen the code before or not.
 *
 * The input: a byte of mode and of what precedes, two bytes with the code's size, the code, the packets.
 */
#include <string.h>

#include "decode/engine/flow.h"
#include "decode/flow/flow_cut.h"
#include "decode/truth.h"
#include "pt/packet/packet.h"
#include "tests/fuzz/fuzz.h"

#define CODE 0xffffffff81000000ull
#define LOW_CODE 0x7000ull
#define MOST_STRETCHES 64u

struct trace {
    uint8_t bytes[70000];
    size_t size;
    uint8_t code[2][RECORD_PAGE_SIZE];
    struct code_pages pages;
};

static uint64_t count, mixed, instructions;

static void put(struct trace *trace, const struct packet *packet)
{
    trace->size += packet_encode(trace->bytes + trace->size, packet);
}

static void begin_trace(struct trace *trace, unsigned mode, uint64_t ip)
{
    put(trace, &(struct packet){.kind = PT_PACKET_PSB});
    put(trace, &(struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = mode == 2, .cs_d = mode == 1});
    put(trace, &(struct packet){.kind = PT_PACKET_FUP, .ip_bytes = PT_IP_FULL_64, .ip = ip});
    put(trace, &(struct packet){.kind = PT_PACKET_PSBEND});
}

/* Two pages in a row, so that instructions reach from one into the other. */
static void build_pages(struct trace *trace, uint64_t ip)
{
    struct page_record *records = calloc(2, sizeof(*records));
    struct code_map *maps = calloc(1, sizeof(*maps));
    if (!records || !maps)
        abort();
    for (unsigned i = 0; i < 2; i++)
        records[i] = (struct page_record){.gva = ip + i * RECORD_PAGE_SIZE,
                                          .gpa = 0x200000 + i * RECORD_PAGE_SIZE,
                                          .space = CODE_SPACE_UNKNOWN,
                                          .bytes = trace->code[i]};
    DEMAND(code_pages_build(&trace->pages, records, 2, maps, 0));
}

static void take_items(const struct flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (flow_batch_is_branch(batch, i)) {
            mixed = truth_hash(mixed, batch->items[i].branch.from, batch->items[i].branch.to);
            count++;
        } else if (batch->tags[i] == FLOW_TAG_INSTRUCTION) {
            instructions++;
        }
}

static void decode_stretch(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    const struct flow_batch *batch;
    flow_begin(flow, stretch);
    while ((batch = flow_next(flow)))
        if (batch->kind == FLOW_BATCH_ITEMS)
            take_items(batch);
        else if (batch->kind == FLOW_BATCH_END)
            *result = *batch->result;
}

static void decode_all(const struct trace *trace, unsigned needs, struct flow_result *results)
{
    const struct flow_input input = {.trace = trace->bytes, .trace_size = trace->size, .pages = &trace->pages};
    struct flow_stretch stretch = {.end = 0};
    struct error error = {0};
    struct flow *flow = flow_start(&input, needs | FLOW_NEED_HASH | FLOW_NEED_TIME, &error);
    DEMAND(flow);
    for (unsigned i = 0; i < MOST_STRETCHES && flow_cut_next(&stretch, trace->bytes, trace->size,
                                                             &(struct flow_span){0, trace->size}, stretch.end);
         i++) {
        decode_stretch(flow, &stretch, &results[i]);
        DEMAND(results[i].error_offset >= stretch.begin && results[i].error_offset <= stretch.end);
    }
    flow_end(flow);
}

static void compare(const struct flow_result *a, const struct flow_result *b)
{
    for (unsigned i = 0; i < MOST_STRETCHES; i++)
        DEMAND(a[i].branches == b[i].branches && a[i].hash == b[i].hash && a[i].error == b[i].error &&
               a[i].instructions == b[i].instructions && a[i].root_instructions == b[i].root_instructions &&
               a[i].error_offset == b[i].error_offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace trace;
    static struct flow_result plain[MOST_STRETCHES], listed[MOST_STRETCHES];
    uint64_t expected = 0, branches = 0;
    if (size < 3 || size > 65536)
        return 0;
    memset(&trace, 0, sizeof(trace));
    memset(plain, 0, sizeof(plain));
    memset(listed, 0, sizeof(listed));
    const unsigned mode = data[0] % 3;
    const uint64_t page = mode == 2 ? CODE : LOW_CODE, ip = page + (data[0] & 4 ? RECORD_PAGE_SIZE - 4 : 0);
    size_t code = (size_t)(data[1] | data[2] << 8) % (RECORD_PAGE_SIZE + 1);
    code = code < size - 3 ? code : size - 3;
    for (size_t i = 0; i < code; i++)
        trace.code[(ip % RECORD_PAGE_SIZE + i) / RECORD_PAGE_SIZE][(ip + i) % RECORD_PAGE_SIZE] = data[3 + i];
    begin_trace(&trace, mode, ip);
    memcpy(trace.bytes + trace.size, data + 3 + code, size - 3 - code);
    trace.size += size - 3 - code;
    build_pages(&trace, page);
    instructions = 0, count = 0, mixed = TRUTH_HASH_SEED;
    decode_all(&trace, FLOW_NEED_BRANCHES, plain);
    const uint64_t before = mixed;
    mixed = TRUTH_HASH_SEED;
    decode_all(&trace, FLOW_NEED_BRANCHES | FLOW_NEED_INSTRUCTIONS, listed);
    DEMAND(mixed == before);
    compare(plain, listed);
    for (unsigned i = 0; i < MOST_STRETCHES; i++)
        expected += plain[i].instructions, branches += plain[i].branches;
    DEMAND(instructions == expected && count == 2 * branches);
    code_pages_free(&trace.pages);
    return 0;
}
