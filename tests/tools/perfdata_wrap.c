/*
 * Wrap raw Intel PT bytes into a perf.data file, so that perf can judge them: `perf script -D -i OUT` prints the
 * packets. With the code, perf can follow the flow as well.
 *
 * usage: perfdata_wrap TRACE FROM TO OUT [IMAGE BASE CTL [WORD]...]
 *     bytes FROM to TO of a cpuN.pt; a flat file of 64-bit code that stood at BASE, more bits of IA32_RTIT_CTL
 *     at=BASE                         where the code stood as well
 *     code32=FIRST-LAST:FILE          32-bit code; FILE is what "objcopy -I binary -O elf32-i386" makes of IMAGE
 *     filter=FIRST-LAST               ranges of the IP filter
 *     stop=FIRST-LAST                 and of TraceStop
 *
 * perf looks for a guest machine where PIP.NR is set, and knows no VMCS packets of ours: NR is cleared, and VMCS
 * packets become PADs. Lengths stay. The layout is that of the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pt/packet.h"
#include "tests/tools/perfdata/buffer.h"
#include "tests/tools/perfdata/flow.h"

#define HEADER_SIZE 104u
#define ATTR_SIZE 128u
#define NR_ATTRS 2u
#define PMU_TYPE 8u /* any number: perf compares the two places where it stands */

enum { RECORD_MMAP = 1, RECORD_COMM = 3, RECORD_ITRACE_START = 12, RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71 };
enum { MISC_KERNEL = 1, MISC_USER = 2 }; /* of a record's header: whose mapping */
enum { FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE = 4, FEATURE_ARCH = 6, FEATURE_NRCPUS = 7 };
/* perf_event_attr.sample_type */
enum {
    SAMPLE_IP = 1,
    SAMPLE_TID = 2,
    SAMPLE_TIME = 4,
    SAMPLE_ADDR = 8,
    SAMPLE_CPU = 1 << 7,
    SAMPLE_IDENTIFIER = 1 << 16
};
#define SAMPLE_TYPE (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_CPU | SAMPLE_IDENTIFIER)
/* flags of perf_event_attr */
#define ATTR_MMAP (1ull << 8)
#define ATTR_COMM (1ull << 9)
#define ATTR_SAMPLE_ID_ALL (1ull << 18)
/* IA32_RTIT_CTL as perf's config: PT, Branch; TSC where there is such a packet */
#define CONFIG_PT (1ull << 0 | 1ull << 13)
#define CONFIG_TSC (1ull << 10)
/* The clocks of the emulated processor: TSC to crystal; TSC to bus, as its CBR packets say */
enum { CPUID15_EBX = 146, CPUID15_EAX = 1, BUS_RATIO = 35 };

static const uint8_t zeros[24];

static void put_header(struct buffer *b, uint32_t type, uint16_t size, uint16_t misc)
{
    put32(b, type);
    put(b, &misc, 2);
    put(b, &size, 2);
}

static void put_attr(struct buffer *b, uint32_t type, uint64_t config, uint64_t flags, uint64_t ids_offset)
{
    uint8_t rest[ATTR_SIZE - 48] = {0};
    put32(b, type);
    put32(b, ATTR_SIZE);
    put64(b, config);
    put64(b, 1); /* sample_period */
    put64(b, SAMPLE_TYPE);
    put64(b, 0); /* read_format */
    put64(b, flags);
    put(b, rest, sizeof(rest));
    put64(b, ids_offset);
    put64(b, 8);
}

/* The trailer of kernel records: TID, TIME (none), CPU, IDENTIFIER. */
#define SAMPLE_ID_SIZE 32
static void put_sample_id(struct buffer *b, uint64_t id)
{
    put32(b, 1);
    put32(b, 1);
    put64(b, 0);
    put(b, zeros, 8); /* CPU */
    put64(b, id);
}

/* A mapping: perf takes lower-half addresses for user code, whatever the CPL was, and upper-half ones for the kernel's.
 * There it takes the file for a module. */
static void put_code(struct buffer *b, const struct flow_code *code)
{
    bool kernel = code->at >> 63;
    size_t room = (strlen(code->name) + 8) & ~(size_t)7;
    put_header(b, RECORD_MMAP, (uint16_t)(8 + 8 + 24 + room + SAMPLE_ID_SIZE), kernel ? MISC_KERNEL : MISC_USER);
    put32(b, kernel ? UINT32_MAX : 1);
    put32(b, kernel ? 0 : 1);
    put64(b, code->at);
    put64(b, code->size);
    put64(b, code->offset);
    put_text(b, code->name);
    put_sample_id(b, 2);
}

static void put_records(struct buffer *b, const struct buffer *trace, const struct flow *flow)
{
    /* Time is the TSC itself: no shift, a factor of 1, known. Then the bits of the config, the clocks; and the filter.
     */
    static const uint64_t info[16] = {PMU_TYPE, 0, 1,     0,       1,           0x400,       0x800, 0,
                                      0,        1, 0x200, 0x3c000, CPUID15_EBX, CPUID15_EAX, 2,     BUS_RATIO};
    char *filter = flow_filter(flow);
    size_t length = filter ? strlen(filter) : 0, room = length ? (length + 8) & ~(size_t)7 : 0;
    put_header(b, RECORD_AUXTRACE_INFO, (uint16_t)(16 + sizeof(info) + 8 + room), 0);
    put32(b, 1); /* Intel PT */
    put32(b, 0);
    put(b, info, sizeof(info));
    put64(b, length);
    if (length)
        put_text(b, filter);
    free(filter);
    put_header(b, RECORD_COMM, 8 + 8 + 8 + SAMPLE_ID_SIZE, 0);
    put32(b, 1);
    put32(b, 1);
    put(b, "guest\0\0", 8);
    put_sample_id(b, 2);
    for (unsigned i = 0; i < flow->nr_code; i++)
        put_code(b, &flow->code[i]);
    put_header(b, RECORD_ITRACE_START, 8 + 8 + SAMPLE_ID_SIZE, 0);
    put32(b, 1);
    put32(b, 1);
    put_sample_id(b, 1);
    put_header(b, RECORD_AUXTRACE, 48, 0);
    put64(b, trace->used);
    put64(b, 0); /* offset */
    put64(b, flow->reference);
    put32(b, 0); /* index */
    put32(b, UINT32_MAX);
    put(b, zeros, 8); /* CPU */
    put(b, trace->bytes, trace->used);
}

static void put_string(struct buffer *b, const char *string)
{
    char padded[16] = "";
    memcpy(padded, string, strlen(string));
    put32(b, sizeof(padded));
    put(b, padded, sizeof(padded));
}

/* Behind the data: a table of sections, then the sections. */
static void put_features(struct buffer *file)
{
    struct buffer sections = {0};
    size_t starts[5] = {0};
    put_string(&sections, "undertrace");
    starts[1] = sections.used;
    put_string(&sections, "6.1");
    starts[2] = sections.used;
    put_string(&sections, "x86_64");
    starts[3] = sections.used;
    put32(&sections, 1);
    put32(&sections, 1);
    starts[4] = sections.used;
    size_t base = file->used + 4 * 16;
    for (size_t i = 0; i < 4; i++) {
        put64(file, base + starts[i]);
        put64(file, starts[i + 1] - starts[i]);
    }
    put(file, sections.bytes, sections.used);
    free(sections.bytes);
}

static void put_file(struct buffer *file, const struct buffer *trace, const struct flow *flow)
{
    struct buffer records = {0};
    put_records(&records, trace, flow);
    uint64_t ids = HEADER_SIZE, attrs = ids + 16, data = attrs + NR_ATTRS * (ATTR_SIZE + 16);
    put(file, "PERFILE2", 8);
    put64(file, HEADER_SIZE);
    put64(file, ATTR_SIZE + 16);
    put64(file, attrs);
    put64(file, NR_ATTRS * (ATTR_SIZE + 16));
    put64(file, data);
    put64(file, records.used);
    put(file, zeros, 16);
    put64(file, 1u << FEATURE_HOSTNAME | 1u << FEATURE_OSRELEASE | 1u << FEATURE_ARCH | 1u << FEATURE_NRCPUS);
    put(file, zeros, 24);
    put64(file, 1); /* ids */
    put64(file, 2);
    put_attr(file, PMU_TYPE, flow->config, ATTR_SAMPLE_ID_ALL, ids);
    put_attr(file, 1, 9, ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_COMM, ids + 8); /* software, dummy */
    put(file, records.bytes, records.used);
    put_features(file);
    free(records.bytes);
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
            fprintf(stderr, "perfdata_wrap: no packet at %zu bytes behind FROM\n", at);
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
    struct buffer trace = {0}, file = {0};
    struct flow flow = {.config = CONFIG_PT};
    bool good = argc == 5 || argc >= 8;
    long from = good ? strtol(argv[2], NULL, 0) : 0, to = good ? strtol(argv[3], NULL, 0) : 0;
    if (!good || from < 0 || to <= from) {
        fprintf(stderr, "usage: perfdata_wrap TRACE FROM TO OUT [IMAGE BASE CTL [WORD...]]\n");
        return 1;
    }
    if (!read_range(&trace, &flow, argv[1], from, to) || (argc > 5 && !flow_arguments(&flow, argv + 5, argc - 5)))
        return 1;
    put_file(&file, &trace, &flow);
    FILE *out = fopen(argv[4], "wb");
    good = out && fwrite(file.bytes, 1, file.used, out) == file.used && fclose(out) == 0;
    if (!good)
        fprintf(stderr, "perfdata_wrap: %s: %s\n", argv[4], strerror(errno));
    free(trace.bytes);
    free(file.bytes);
    flow_free(&flow);
    return good ? 0 : 1;
}
