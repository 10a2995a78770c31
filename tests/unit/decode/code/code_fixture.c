/* A made-up capture for the tests of address spaces; see code_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define MAX_RECORDS 32u
#define MAX_PAYLOAD (sizeof(struct record_page) + RECORD_PAGE_SIZE)

static union {
    uint64_t align;
    uint8_t bytes[MAX_PAYLOAD];
} payloads[MAX_RECORDS];
static struct capture_record records[MAX_RECORDS];
static size_t nr_records;
static struct code_pages pages[2];
static bool ready[2];

int code_reset(void **state)
{
    (void)state;
    nr_records = 0;
    for (unsigned cpu = 0; cpu < 2; cpu++)
        if (ready[cpu])
            code_pages_free(&pages[cpu]);
    ready[0] = ready[1] = false;
    return 0;
}

static uint8_t *put_record(uint16_t cpu, uint64_t offset, enum record_kind kind, size_t length)
{
    assert_true(nr_records < MAX_RECORDS);
    assert_false(ready[0] || ready[1]);
    uint8_t *payload = payloads[nr_records].bytes;
    records[nr_records] = (struct capture_record){
        .header = {.kind = (uint16_t)kind, .cpu = cpu, .length = (uint32_t)length, .trace_offset = offset},
        .events_offset = 8192 * nr_records,
        .payload = payload};
    nr_records++;
    return payload;
}

static void put_any_page(uint16_t cpu, uint64_t offset, struct record_page head, int version)
{
    uint8_t *payload = put_record(cpu, offset, RECORD_PAGE, MAX_PAYLOAD);
    memcpy(payload, &head, sizeof(head));
    memset(payload + sizeof(head), version, RECORD_PAGE_SIZE);
}

void put_page(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t gva, uint64_t gpa, int version)
{
    put_any_page(cpu, offset,
                 (struct record_page){
                     .gpa = gpa, .gva = gva, .cr3 = cr3, .mode = 64, .size = RECORD_PAGE_SIZE, .number = number},
                 version);
}

void put_page_32(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t gva, uint64_t gpa, int version)
{
    put_any_page(cpu, offset,
                 (struct record_page){
                     .gpa = gpa, .gva = gva, .cr3 = cr3, .mode = 32, .size = RECORD_PAGE_SIZE, .number = number},
                 version);
}

void put_refilled_page(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t gva, uint64_t gpa,
                       int version)
{
    put_any_page(cpu, offset,
                 (struct record_page){.gpa = gpa,
                                      .gva = gva,
                                      .cr3 = cr3,
                                      .mode = 64,
                                      .flags = RECORD_PAGE_REFILLED,
                                      .size = RECORD_PAGE_SIZE,
                                      .number = number},
                 version);
}

void put_root_page(uint64_t gva, uint64_t hpa, int version)
{
    put_any_page(
        0, 0,
        (struct record_page){.gpa = hpa, .gva = gva, .mode = 64, .flags = RECORD_PAGE_ROOT, .size = RECORD_PAGE_SIZE},
        version);
}

void put_map(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear)
{
    const struct record_map head = {
        .cr3 = cr3, .linear = linear, .size = 2 << 20, .fault_offset = fault, .number = number};
    memcpy(put_record(cpu, offset, RECORD_MAP, sizeof(head)), &head, sizeof(head));
}

void put_scan(uint16_t cpu, uint64_t before, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear)
{
    const struct record_map head = {.cr3 = cr3,
                                    .linear = linear,
                                    .size = 2 << 20,
                                    .fault_offset = before,
                                    .number = number,
                                    .flags = RECORD_MAP_SCANNED};
    memcpy(put_record(cpu, offset, RECORD_MAP, sizeof(head)), &head, sizeof(head));
}

void put_missed(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear)
{
    const struct record_map head = {
        .cr3 = cr3, .linear = linear, .size = RECORD_PAGE_SIZE, .fault_offset = fault, .number = number};
    memcpy(put_record(cpu, offset, RECORD_MAP, sizeof(head)), &head, sizeof(head));
}

void put_end(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3)
{
    const struct record_map head = {
        .cr3 = cr3, .size = RECORD_PAGE_SIZE, .fault_offset = offset, .number = number, .flags = RECORD_MAP_ENDED};
    memcpy(put_record(cpu, offset, RECORD_MAP, sizeof(head)), &head, sizeof(head));
}

void put_run(uint64_t linear, uint64_t gpa, uint32_t count, unsigned page_shift)
{
    const struct record_map_run run = {linear, gpa, count, RECORD_MAP_USER, (uint16_t)page_shift};
    struct capture_record *record = &records[nr_records - 1];
    uint8_t *payload = payloads[nr_records - 1].bytes;
    struct record_map head;
    memcpy(&head, payload, sizeof(head));
    head.runs++;
    memcpy(payload, &head, sizeof(head));
    memcpy(payload + record->header.length, &run, sizeof(run));
    record->header.length += (uint32_t)sizeof(run);
}

void put_page_map(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear,
                  uint64_t gpa)
{
    put_map(cpu, fault, offset, number, cr3, linear);
    put_run(linear, gpa, 1, 12);
}

void put_page_scan(uint16_t cpu, uint64_t before, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear,
                   uint64_t gpa)
{
    put_scan(cpu, before, offset, number, cr3, linear);
    put_run(linear, gpa, 1, 12);
}

void put_executed_map(uint16_t cpu, uint64_t fault, uint64_t number, uint64_t cr3, uint64_t linear, uint64_t gpa,
                      int version)
{
    put_page_map(cpu, fault, fault + 10, number, cr3, linear, gpa);
    put_page(cpu, fault + 11, number + 1, cr3, linear, gpa, version);
}

void put_seen(uint16_t cpu, uint64_t offset, uint64_t number)
{
    const struct record_seen seen = {number};
    memcpy(put_record(cpu, offset, RECORD_SEEN, sizeof(seen)), &seen, sizeof(seen));
}

struct code_pages *collected(uint16_t cpu)
{
    const struct capture capture = {
        .directory = (char *)(uintptr_t) "none", .nr_cpus = 2, .records = records, .nr_records = nr_records};
    struct error error = {0};
    if (!ready[cpu] && !code_pages_collect(&pages[cpu], &capture, cpu, &error))
        fail_msg("error %d: %s", (int)error.kind, error.name);
    ready[cpu] = true;
    return &pages[cpu];
}

static struct code_found find(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva)
{
    const struct code_pages *all = collected(cpu);
    uint64_t space = cr3 == CODE_SPACE_ROOT || cr3 == CODE_SPACE_UNKNOWN ? cr3 : code_pages_space(all, cr3);
    return code_pages_find(all, space, offset, gva);
}

int version_at(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva)
{
    const struct code_found found = find(cpu, cr3, offset, gva);
    return found.page ? found.page->bytes[0] : NOT_KNOWN;
}

static void expect(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva, int version, bool infers)
{
    const struct code_found found = find(cpu, cr3, offset, gva);
    if (version_at(cpu, cr3, offset, gva) != version || found.inferred != infers)
        fail_msg("CPU %u, CR3 %#lx, offset %lu, %#lx: version %d%s, should be %d%s", cpu, (unsigned long)cr3,
                 (unsigned long)offset, (unsigned long)gva, version_at(cpu, cr3, offset, gva),
                 found.inferred ? " inferred" : "", version, infers ? " inferred" : "");
}

void exactly(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva, int version)
{
    expect(cpu, cr3, offset, gva, version, false);
}

void inferred(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva, int version)
{
    expect(cpu, cr3, offset, gva, version, true);
}
