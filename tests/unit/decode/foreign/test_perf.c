/* perf.data files that are made here: mappings that replace others while the trace runs, and samples with parts of the
 * trace. perf itself reads such files in tests/soak/perf_data.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/export/perf_data.h"
#include "decode/flow/flow_trace.h"
#include "decode/foreign/perf_sample.h"
#include "decode/foreign/perf_trace.h"
#include "pt/packet/packet.h"

#define CODE 0x401000u
#define PMU_TYPE 8u
#define INDEX 7u
#define SAMPLE_FIELDS (PERF_DATA_TID | PERF_DATA_TIME | PERF_DATA_CPU | PERF_DATA_IDENTIFIER)
#define ID_INDEX 69u
#define CALLS 2u
#define PATH_SIZE 48u

/* Two programs: the conditional branch is at different offsets. Then RET. */
static const uint8_t first[] = {0x75, 0x00, 0x90, 0xc3}, second[] = {0x90, 0x75, 0x00, 0xc3};

/* The same with SYSCALL, and the kernel: SYSRET. */
static const uint8_t first_call[] = {0x75, 0x00, 0x90, 0x0f, 0x05}, second_call[] = {0x90, 0x75, 0x00, 0x0f, 0x05};
static const uint8_t kernel[] = {0x48, 0x0f, 0x07};
#define KERNEL 0xffffffff81000000ull

static const struct made_file {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} files[] = {{"/first", first, sizeof(first)},
             {"/second", second, sizeof(second)},
             {"/first-call", first_call, sizeof(first_call)},
             {"/second-call", second_call, sizeof(second_call)},
             {"/kernel", kernel, sizeof(kernel)}};
#define NR_FILES (sizeof(files) / sizeof(files[0]))

struct fixture {
    char root[32];
    FILE *file;
    struct perf_data data;
    struct foreign foreign;
    struct error error;
    uint64_t instructions[32];
    size_t nr_instructions;
};

static void path_of(char path[PATH_SIZE], const struct fixture *f, const char *name)
{
    snprintf(path, PATH_SIZE, "%s%s", f->root, name);
}

static void write_file(const struct fixture *f, const struct made_file *made)
{
    char path[PATH_SIZE];
    path_of(path, f, made->name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made->bytes, 1, made->size, file), made->size);
    fclose(file);
}

/* One buffer, of CPU 0. The clock is the TSC itself. */
static void begin(struct fixture *f, uint64_t more_of_samples)
{
    static const uint64_t info[16] = {PMU_TYPE, 0, 1, 0, 1, 0x400, 0x800, 0, 0, 1, 0x200, 0x3c000, 0, 0, 0, 0};
    const struct perf_data_attr attrs[] = {
        {PMU_TYPE, 0x400, 1, SAMPLE_FIELDS, PERF_DATA_ATTR_SAMPLE_ID_ALL},
        {PERF_DATA_SOFTWARE, 0, 1, SAMPLE_FIELDS | more_of_samples, PERF_DATA_ATTR_SAMPLE_ID_ALL}};
    f->file = tmpfile();
    assert_non_null(f->file);
    perf_data_begin(&f->data, f->file, attrs, 2);
    perf_data_header(f->file, PERF_DATA_AUXTRACE_INFO, 0, 8 + sizeof(info));
    perf_data_put64(f->file, 1); /* Intel PT */
    fwrite(info, sizeof(info), 1, f->file);
}

static void map_pages(struct fixture *f, uint64_t time, const char *name, uint64_t pages)
{
    const struct perf_data_id id = {.pid = 1, .tid = 1, .time = time, .event = 1};
    perf_data_mmap(&f->data, PERF_DATA_USER, CODE, pages * RECORD_PAGE_SIZE, 0, name, &id);
}

static void map(struct fixture *f, uint64_t time, const char *name)
{
    map_pages(f, time, name, 1);
}

static void start(struct fixture *f)
{
    perf_data_header(f->file, PERF_DATA_ITRACE_START, 0, 8 + 32);
    perf_data_put32(f->file, 1);
    perf_data_put32(f->file, 1);
    perf_data_put_id(&f->data, &(struct perf_data_id){.pid = 1, .tid = 1, .time = 1, .event = 1});
}

static void put_trace(struct fixture *f, const uint8_t *bytes, size_t size)
{
    perf_data_header(f->file, PERF_DATA_AUXTRACE, 0, 40);
    perf_data_put64(f->file, size);
    perf_data_put64(f->file, 0); /* offset */
    perf_data_put64(f->file, 0); /* reference */
    perf_data_put64(f->file, 0); /* index, thread */
    perf_data_put64(f->file, 0); /* CPU */
    fwrite(bytes, 1, size, f->file);
}

/* A trace, packet by packet. */
struct made {
    uint8_t bytes[1024];
    size_t size;
};

static void put(struct made *made, struct packet packet)
{
    const size_t size = packet_encode(made->bytes + made->size, &packet);
    assert_true(size > 0);
    made->size += size;
}

static void put_psb(struct made *made, uint64_t tsc)
{
    put(made, (struct packet){.kind = PT_PACKET_PSB});
    put(made, (struct packet){.kind = PT_PACKET_TSC, .tsc = tsc});
    put(made, (struct packet){.kind = PT_PACKET_PSBEND});
}

/* Either program, once. */
static void put_run(struct made *made)
{
    put(made, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put(made, (struct packet){.kind = PT_PACKET_TIP_PGE, .ip_bytes = PT_IP_SEXT_48, .ip = CODE});
    put(made, (struct packet){.kind = PT_PACKET_TNT_8, .tnt_bits = 1});
    put(made, (struct packet){.kind = PT_PACKET_TIP_PGD});
}

static bool open_made(struct fixture *f, uint64_t buffer)
{
    const struct flow_input settings = {.cpu_known = false};
    struct perf_choice choice = {.pid = PERF_ANY, .buffer = buffer, .root = f->root};
    perf_data_end(&f->data, 1);
    const size_t size = (size_t)ftell(f->file);
    struct foreign_file file = {malloc(size), size};
    assert_non_null(file.bytes);
    rewind(f->file);
    assert_int_equal(fread(file.bytes, 1, size, f->file), size);
    const bool good = perf_open_file(&f->foreign, &file, "made", &choice, &settings, &f->error);
    free(file.bytes);
    return good;
}

/* The instructions of all stretches, but not the kernel's. */
static void decode(struct fixture *f)
{
    const struct flow_trace *trace = &f->foreign.trace;
    const struct flow_batch *batch;
    struct flow *flow = flow_start(&trace->input, FLOW_NEED_INSTRUCTIONS, &f->error);
    assert_non_null(flow);
    f->nr_instructions = 0;
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        flow_begin(flow, &trace->stretches[i]);
        while ((batch = flow_next(flow)))
            for (size_t k = 0; batch->kind == FLOW_BATCH_ITEMS && k < batch->count; k++) {
                assert_in_range(f->nr_instructions, 0, 31);
                if (!(batch->items[k].instruction >> 63))
                    f->instructions[f->nr_instructions++] = batch->items[k].instruction;
            }
    }
    flow_end(flow);
}

/* offsets: of each instruction from CODE, up to -1. */
static void expect(const struct fixture *f, const int *offsets)
{
    size_t i = 0;
    for (; offsets[i] >= 0; i++) {
        assert_in_range(i + 1, 0, f->nr_instructions);
        assert_int_equal(f->instructions[i], CODE + (unsigned)offsets[i]);
    }
    assert_int_equal(f->nr_instructions, i);
}

/* From its time on, and no sooner. */
static void a_mapping_replaces_another(void **state)
{
    struct fixture *f = *state;
    struct made made = {.size = 0};
    begin(f, 0);
    map(f, 1000, "/first");
    map(f, 3000, "/second");
    map(f, 5000, "/first");
    start(f);
    put_psb(&made, 2000);
    put_run(&made);
    put_run(&made);
    put(&made, (struct packet){.kind = PT_PACKET_TSC, .tsc = 4000});
    put_run(&made);
    put_psb(&made, 4500);
    put_run(&made);
    put(&made, (struct packet){.kind = PT_PACKET_TSC, .tsc = 6000});
    put_run(&made);
    put_trace(f, made.bytes, made.size);
    assert_true(open_made(f, PERF_ANY));
    decode(f);
    expect(f, (int[]){0, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 3, 0, 2, 3, -1});
}

static void put_tip(struct made *made, uint64_t ip)
{
    put(made, (struct packet){.kind = PT_PACKET_TIP, .ip_bytes = PT_IP_FULL_64, .ip = ip});
}

/* Where the kernel is traced too, the mapping is there when it returns to user mode. */
static void a_mapping_is_made_in_a_traced_kernel(void **state)
{
    static const struct packet tnt = {.kind = PT_PACKET_TNT_8, .tnt_bits = 1};
    struct fixture *f = *state;
    struct made made = {.size = 0};
    char image[PATH_SIZE + 32];
    snprintf(image, sizeof(image), "%s/kernel@%llx", f->root, KERNEL);
    assert_true(foreign_image_add(&f->foreign.image, image, &f->error));
    begin(f, 0);
    map(f, 1000, "/first-call");
    map(f, 3000, "/second-call");
    start(f);
    put_psb(&made, 2000);
    put(&made, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put(&made, (struct packet){.kind = PT_PACKET_TIP_PGE, .ip_bytes = PT_IP_FULL_64, .ip = CODE});
    for (int i = 0; i < 3; i++) {
        put(&made, tnt);
        put_tip(&made, KERNEL);
        if (i == 1)
            put(&made, (struct packet){.kind = PT_PACKET_TSC, .tsc = 4000});
        put_tip(&made, CODE);
    }
    put(&made, (struct packet){.kind = PT_PACKET_PSB});
    put(&made, (struct packet){.kind = PT_PACKET_PSBEND});
    put_trace(f, made.bytes, made.size);
    assert_true(open_made(f, PERF_ANY));
    decode(f);
    expect(f, (int[]){0, 2, 3, 0, 2, 3, 0, 1, 3, -1});
}

/* Memory of no file, or a file that is gone: the code is not known any more. The size may be damaged. */
static void unknown_code_replaces_a_mapping(void **state)
{
    struct fixture *f = *state;
    struct made made = {.size = 0};
    begin(f, 0);
    map(f, 1000, "/first");
    map_pages(f, 3000, "//anon", 1ull << 50);
    start(f);
    put_psb(&made, 2000);
    put_run(&made);
    put(&made, (struct packet){.kind = PT_PACKET_TSC, .tsc = 4000});
    put_run(&made);
    put_trace(f, made.bytes, made.size);
    assert_true(open_made(f, PERF_ANY));
    decode(f);
    expect(f, (int[]){0, 2, 3, -1});
}

/* A program that was mapped after the trace began, but by the clock too late: its first mapping holds from the start.
 */
static void the_first_mapping_holds_from_the_start(void **state)
{
    struct fixture *f = *state;
    struct made made = {.size = 0};
    begin(f, 0);
    map(f, 3000, "/second");
    start(f);
    put_psb(&made, 2000);
    put_run(&made);
    put_trace(f, made.bytes, made.size);
    assert_true(open_made(f, PERF_ANY));
    decode(f);
    expect(f, (int[]){0, 1, 3, -1});
}

static void put_index(struct fixture *f)
{
    perf_data_header(f->file, ID_INDEX, 0, 8 + 2 * 32);
    perf_data_put64(f->file, 2);
    for (uint64_t event = 1; event <= 2; event++) {
        perf_data_put64(f->file, event);
        perf_data_put64(f->file, event == 2 ? INDEX : 0);
        perf_data_put64(f->file, 0); /* CPU */
        perf_data_put64(f->file, 1); /* thread */
    }
}

/* A sample of the second event, with a call chain before the trace. more: what its size claims too much. */
static void put_sample(struct fixture *f, const uint8_t *bytes, size_t size, uint64_t more)
{
    perf_data_header(f->file, PERF_DATA_SAMPLE, PERF_DATA_USER, 8 * (6 + CALLS) + size);
    perf_data_put64(f->file, 2); /* IDENTIFIER */
    perf_data_put32(f->file, 1);
    perf_data_put32(f->file, 1);
    perf_data_put64(f->file, 2500); /* TIME */
    perf_data_put64(f->file, 0);    /* CPU */
    perf_data_put64(f->file, CALLS);
    for (unsigned i = 0; i < CALLS; i++)
        perf_data_put64(f->file, CODE);
    perf_data_put64(f->file, size + more);
    fwrite(bytes, 1, size, f->file);
}

/* Two samples: the second one begins with what the first one has, and ends with one more run. */
static void put_samples(struct fixture *f, uint64_t more)
{
    struct made made = {.size = 0};
    begin(f, PERF_DATA_CALLCHAIN | PERF_SAMPLE_AUX);
    put_index(f);
    map(f, 1000, "/first");
    start(f);
    put_psb(&made, 2000);
    put_run(&made);
    put_sample(f, made.bytes, made.size, more);
    put_run(&made);
    put_sample(f, made.bytes, made.size, more);
}

static void samples_have_the_trace(void **state)
{
    struct fixture *f = *state;
    put_samples(f, 0);
    assert_true(open_made(f, INDEX));
    decode(f);
    expect(f, (int[]){0, 2, 3, 0, 2, 3, -1});
}

static void a_sample_that_is_damaged_has_none(void **state)
{
    struct fixture *f = *state;
    put_samples(f, 1);
    assert_false(open_made(f, PERF_ANY));
    assert_int_equal(f->error.kind, ERROR_PERF);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (!f)
        return 1;
    strcpy(f->root, "/tmp/undertrace-perf-XXXXXX");
    assert_non_null(mkdtemp(f->root));
    for (size_t i = 0; i < NR_FILES; i++)
        write_file(f, &files[i]);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    foreign_close(&f->foreign);
    if (f->file)
        fclose(f->file);
    for (size_t i = 0; i < NR_FILES; i++) {
        char path[PATH_SIZE];
        path_of(path, f, files[i].name);
        unlink(path);
    }
    rmdir(f->root);
    free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_mapping_replaces_another),      TEST(a_mapping_is_made_in_a_traced_kernel),
        TEST(unknown_code_replaces_a_mapping), TEST(the_first_mapping_holds_from_the_start),
        TEST(samples_have_the_trace),          TEST(a_sample_that_is_damaged_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
