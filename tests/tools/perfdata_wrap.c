/*
 * Wrap raw Intel PT bytes into a perf.data file, so that perf can judge them: `perf script -D -i OUT` prints the
 * packets. With the code, perf can follow the flow as well.
 *
 * usage: perfdata_wrap TRACE FROM TO OUT [IMAGE BASE CTL [WORD]...]
 *     bytes FROM to TO of a cpuN.pt; a flat file of 64-bit code whose address was BASE, more bits of IA32_RTIT_CTL
 *     at=BASE                         another address of the same code
 *     code32=FIRST-LAST:FILE          32-bit code; FILE is what "objcopy -I binary -O elf32-i386" makes of IMAGE
 *     filter=FIRST-LAST               ranges of the IP filter
 *     stop=FIRST-LAST                 and of TraceStop
 *
 * perf looks for a guest machine where PIP.NR is set, and knows no VMCS packets of ours: NR is cleared, and VMCS
 * packets become PADs. Lengths stay.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/export/perf_data.h"
#include "pt/packet/packet.h"
#include "tests/tools/perfdata/buffer.h"
#include "tests/tools/perfdata/flow.h"

#define PMU_TYPE 8u /* any number: perf only compares the two fields that have it */
#define SAMPLE_TYPE                                                                                                    \
    (PERF_DATA_IP | PERF_DATA_TID | PERF_DATA_TIME | PERF_DATA_ADDR | PERF_DATA_CPU | PERF_DATA_IDENTIFIER)
/* IA32_RTIT_CTL as perf's config: PT, Branch; TSC where there is such a packet */
#define CONFIG_PT (1ull << 0 | 1ull << 13)
#define CONFIG_TSC (1ull << 10)
/* The clocks of the emulated processor: TSC to crystal; TSC to bus, as its CBR packets say */
enum { CPUID15_EBX = 146, CPUID15_EAX = 1, BUS_RATIO = 35 };

#define SOFTWARE_DUMMY 9u

static const uint8_t zeros[24];
static const struct perf_data_id sideband = {.pid = 1, .tid = 1, .event = 2};

/* A mapping: perf takes lower-half addresses for user code, whatever the CPL was, and upper-half ones for the kernel's.
 * There it takes the file for a module. */
static void put_code(const struct perf_data *data, const struct flow_code *code)
{
    const bool kernel = code->at >> 63;
    perf_data_mmap(data, kernel ? PERF_DATA_KERNEL : PERF_DATA_USER, code->at, code->size, code->offset, code->name,
                   &sideband);
}

static void put_info(FILE *file, const struct flow *flow)
{
    /* Time is the TSC itself: no shift, a factor of 1, known. Then the bits of the config, the clocks; and the filter.
     */
    static const uint64_t info[16] = {PMU_TYPE, 0, 1,     0,       1,           0x400,       0x800, 0,
                                      0,        1, 0x200, 0x3c000, CPUID15_EBX, CPUID15_EAX, 2,     BUS_RATIO};
    char *filter = flow_filter(flow);
    const size_t length = filter ? strlen(filter) : 0, room = length ? (length + 8) & ~(size_t)7 : 0;
    perf_data_header(file, PERF_DATA_AUXTRACE_INFO, 0, 8 + sizeof(info) + 8 + room);
    perf_data_put32(file, 1); /* Intel PT */
    perf_data_put32(file, 0);
    fwrite(info, sizeof(info), 1, file);
    perf_data_put64(file, length);
    if (length) {
        fwrite(filter, 1, length, file);
        fwrite(zeros, 1, room - length, file);
    }
    free(filter);
}

static void put_records(const struct perf_data *data, const struct buffer *trace, const struct flow *flow)
{
    FILE *file = data->file;
    put_info(file, flow);
    perf_data_comm(data, "guest", &sideband);
    for (unsigned i = 0; i < flow->nr_code; i++)
        put_code(data, &flow->code[i]);
    perf_data_header(file, PERF_DATA_ITRACE_START, 0, 8 + 32);
    perf_data_put32(file, 1);
    perf_data_put32(file, 1);
    perf_data_put_id(data, &(struct perf_data_id){.pid = 1, .tid = 1, .event = 1});
    perf_data_header(file, PERF_DATA_AUXTRACE, 0, 40);
    perf_data_put64(file, trace->used);
    perf_data_put64(file, 0); /* offset */
    perf_data_put64(file, flow->reference);
    perf_data_put32(file, 0); /* index */
    perf_data_put32(file, UINT32_MAX);
    perf_data_put64(file, 0); /* CPU */
    fwrite(trace->bytes, 1, trace->used, file);
}

static void put_file(FILE *file, const struct buffer *trace, const struct flow *flow)
{
    const struct perf_data_attr attrs[] = {{PMU_TYPE, flow->config, 1, SAMPLE_TYPE, PERF_DATA_ATTR_SAMPLE_ID_ALL},
                                           {PERF_DATA_SOFTWARE, SOFTWARE_DUMMY, 1, SAMPLE_TYPE,
                                            PERF_DATA_ATTR_SAMPLE_ID_ALL | PERF_DATA_ATTR_MMAP | PERF_DATA_ATTR_COMM}};
    struct perf_data data;
    perf_data_begin(&data, file, attrs, 2);
    put_records(&data, trace, flow);
    perf_data_end(&data, 1);
}

/* Clear what makes perf look for a guest, find the first TSC. false: the bytes are no packets from some place on. */
static bool adapt(struct buffer *trace, struct flow *flow)
{
    for (size_t at = 0; at < trace->used;) {
        struct packet packet;
        int size = packet_parse(&packet, trace->bytes + at, trace->used - at);
        if (size == PT_PARSE_TRUNCATED) {
            memset(trace->bytes + at, 0, trace->used - at);
            return true;
        }
        if (size < 0) {
            fprintf(stderr, "perfdata_wrap: no packet at %zu bytes after FROM\n", at);
            return false;
        }
        if (packet.kind == PT_PACKET_TSC && flow->reference == 0)
            flow->reference = packet.tsc;
        if (packet.kind == PT_PACKET_TSC)
            flow->config |= CONFIG_TSC; /* without one, perf 6.1 would crash in search of the time */
        if (packet.kind == PT_PACKET_PIP)
            trace->bytes[at + 2] &= 0xfe;
        if (packet.kind == PT_PACKET_VMCS)
            memset(trace->bytes + at, 0, (size_t)size);
        at += (size_t)size;
    }
    return true;
}

static bool read_range(struct buffer *trace, struct flow *flow, const char *name, long from, long to)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, from, SEEK_SET) != 0) {
        fprintf(stderr, "perfdata_wrap: %s: %s\n", name, strerror(errno));
        return false;
    }
    uint8_t bytes[65536];
    size_t size, left = (size_t)(to - from);
    while (left > 0 && (size = fread(bytes, 1, left < sizeof(bytes) ? left : sizeof(bytes), file)) > 0) {
        put(trace, bytes, size);
        left -= size;
    }
    fclose(file);
    bool good = adapt(trace, flow);
    put(trace, zeros, -trace->used & 7);
    return good;
}

int main(int argc, char **argv)
{
    struct buffer trace = {0};
    struct flow flow = {.config = CONFIG_PT};
    bool good = argc == 5 || argc >= 8;
    long from = good ? strtol(argv[2], NULL, 0) : 0, to = good ? strtol(argv[3], NULL, 0) : 0;
    if (!good || from < 0 || to <= from) {
        fprintf(stderr, "usage: perfdata_wrap TRACE FROM TO OUT [IMAGE BASE CTL [WORD...]]\n");
        return 1;
    }
    if (!read_range(&trace, &flow, argv[1], from, to) || (argc > 5 && !flow_arguments(&flow, argv + 5, argc - 5)))
        return 1;
    FILE *out = fopen(argv[4], "wb");
    if (out)
        put_file(out, &trace, &flow);
    good = out && !ferror(out);
    good = out && fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "perfdata_wrap: %s: %s\n", argv[4], strerror(errno));
    free(trace.bytes);
    flow_free(&flow);
    return good ? 0 : 1;
}
