/*
 * Wrap raw Intel PT bytes into a perf.data file, so that perf can judge them: `perf script -D -i OUT` prints the
 * packets.
 *
 * usage: perfdata_wrap TRACE FROM TO OUT      bytes FROM to TO of a cpuN.pt
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

#define HEADER_SIZE 104u
#define ATTR_SIZE 128u
#define NR_ATTRS 2u
#define PMU_TYPE 8u /* any number: perf compares the two places where it stands */

enum { RECORD_COMM = 3, RECORD_ITRACE_START = 12, RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71 };
enum { FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE = 4, FEATURE_ARCH = 6, FEATURE_NRCPUS = 7 };
/* perf_event_attr.sample_type */
enum { SAMPLE_IP = 1, SAMPLE_TID = 2, SAMPLE_CPU = 1 << 7, SAMPLE_IDENTIFIER = 1 << 16 };
#define SAMPLE_TYPE (SAMPLE_IP | SAMPLE_TID | SAMPLE_CPU | SAMPLE_IDENTIFIER)
/* flags of perf_event_attr */
#define ATTR_MMAP (1ull << 8)
#define ATTR_COMM (1ull << 9)
#define ATTR_SAMPLE_ID_ALL (1ull << 18)
/* IA32_RTIT_CTL as perf's config: PT, TSC, Branch */
#define CONFIG_PT (1ull << 0 | 1ull << 10 | 1ull << 13)

struct buffer {
    uint8_t *bytes;
    size_t used, room;
};

static void put(struct buffer *b, const void *bytes, size_t size)
{
    if (b->used + size > b->room) {
        b->room = 2 * (b->used + size);
        b->bytes = realloc(b->bytes, b->room);
        if (!b->bytes) {
            fprintf(stderr, "perfdata_wrap: out of memory\n");
            exit(1);
        }
    }
    memcpy(b->bytes + b->used, bytes, size);
    b->used += size;
}

static void put32(struct buffer *b, uint32_t value)
{
    put(b, &value, sizeof(value));
}

static void put64(struct buffer *b, uint64_t value)
{
    put(b, &value, sizeof(value));
}

static void put_header(struct buffer *b, uint32_t type, uint16_t size)
{
    uint16_t misc = 0;
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

/* The trailer of kernel records: TID, CPU, IDENTIFIER. */
static void put_sample_id(struct buffer *b, uint64_t id)
{
    put32(b, 1);
    put32(b, 1);
    put32(b, 0);
    put32(b, 0);
    put64(b, id);
}

static void put_records(struct buffer *b, const struct buffer *trace)
{
    static const uint64_t info[17] = {
        [0] = PMU_TYPE, [5] = 0x400, [6] = 0x800, [9] = 1, [10] = 0x200, [11] = 0x3c000, [14] = 2};
    put_header(b, RECORD_AUXTRACE_INFO, 16 + sizeof(info));
    put32(b, 1); /* Intel PT */
    put32(b, 0);
    put(b, info, sizeof(info));
    put_header(b, RECORD_COMM, 8 + 8 + 8 + 24);
    put32(b, 1);
    put32(b, 1);
    put(b, "guest\0\0", 8);
    put_sample_id(b, 2);
    put_header(b, RECORD_ITRACE_START, 8 + 8 + 24);
    put32(b, 1);
    put32(b, 1);
    put_sample_id(b, 1);
    put_header(b, RECORD_AUXTRACE, 48);
    put64(b, trace->used);
    put64(b, 0); /* offset */
    put64(b, 0); /* reference */
    put32(b, 0); /* index */
    put32(b, UINT32_MAX);
    put32(b, 0); /* CPU */
    put32(b, 0);
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
    size_t starts[5];
    starts[0] = sections.used;
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

static void put_file(struct buffer *file, const struct buffer *trace)
{
    struct buffer records = {0};
    put_records(&records, trace);
    uint64_t ids = HEADER_SIZE, attrs = ids + 16, data = attrs + NR_ATTRS * (ATTR_SIZE + 16);
    put(file, "PERFILE2", 8);
    put64(file, HEADER_SIZE);
    put64(file, ATTR_SIZE + 16);
    put64(file, attrs);
    put64(file, NR_ATTRS * (ATTR_SIZE + 16));
    put64(file, data);
    put64(file, records.used);
    put64(file, 0);
    put64(file, 0);
    put64(file, 1u << FEATURE_HOSTNAME | 1u << FEATURE_OSRELEASE | 1u << FEATURE_ARCH | 1u << FEATURE_NRCPUS);
    for (int i = 0; i < 3; i++)
        put64(file, 0);
    put64(file, 1); /* ids */
    put64(file, 2);
    put_attr(file, PMU_TYPE, CONFIG_PT, ATTR_SAMPLE_ID_ALL, ids);
    put_attr(file, 1, 9, ATTR_SAMPLE_ID_ALL | ATTR_MMAP | ATTR_COMM, ids + 8); /* software, dummy */
    put(file, records.bytes, records.used);
    put_features(file);
    free(records.bytes);
}

/* Clear what makes perf look for a guest. false: the bytes are no packets from some place on. */
static bool adapt(struct buffer *trace)
{
    for (size_t at = 0; at < trace->used;) {
        struct pt_packet packet;
        int size = pt_packet_parse(&packet, trace->bytes + at, trace->used - at);
        if (size == PT_PARSE_TRUNCATED) {
            memset(trace->bytes + at, 0, trace->used - at);
            return true;
        }
        if (size < 0) {
            fprintf(stderr, "perfdata_wrap: no packet at %zu bytes behind FROM\n", at);
            return false;
        }
        if (packet.kind == PT_PACKET_PIP)
            trace->bytes[at + 2] &= 0xfe;
        if (packet.kind == PT_PACKET_VMCS)
            memset(trace->bytes + at, 0, (size_t)size);
        at += (size_t)size;
    }
    return true;
}

static bool read_range(struct buffer *trace, const char *name, long from, long to)
{
    static const uint8_t pads[8];
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
    bool good = adapt(trace);
    put(trace, pads, -trace->used & 7);
    return good;
}

int main(int argc, char **argv)
{
    struct buffer trace = {0}, file = {0};
    long from = argc == 5 ? strtol(argv[2], NULL, 0) : 0, to = argc == 5 ? strtol(argv[3], NULL, 0) : 0;
    if (argc != 5 || from < 0 || to <= from) {
        fprintf(stderr, "usage: perfdata_wrap TRACE FROM TO OUT\n");
        return 1;
    }
    if (!read_range(&trace, argv[1], from, to))
        return 1;
    put_file(&file, &trace);
    FILE *out = fopen(argv[4], "wb");
    bool good = out && fwrite(file.bytes, 1, file.used, out) == file.used && fclose(out) == 0;
    if (!good)
        fprintf(stderr, "perfdata_wrap: %s: %s\n", argv[4], strerror(errno));
    free(trace.bytes);
    free(file.bytes);
    return good ? 0 : 1;
}
