/* Records of a made-up capture, and what code_pages finds in them: shared by the tests of address spaces. */
#ifndef TESTS_UNIT_DECODE_CODE_CODE_FIXTURE_H
#define TESTS_UNIT_DECODE_CODE_CODE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_pages.h"

#define KERNEL 0xffffffff81000000ull
#define USER 0x400000ull
#define A 0x10000ull /* the CR3s of three spaces */
#define B 0x20000ull
#define C 0x30000ull

#define NOT_KNOWN (-1)

int code_reset(void **state);
#define CODE_TEST(name) cmocka_unit_test_setup(name, code_reset)

/* A page that consists of version. */
void put_page(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t gva, uint64_t gpa, int version);

/* The same with 32-bit code. */
void put_page_32(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t gva, uint64_t gpa, int version);

/* The same, filled by a device; the map record that it belongs to follows. */
void put_refilled_page(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t gva, uint64_t gpa,
                       int version);

/* The same of the hypervisor. */
void put_root_page(uint64_t gva, uint64_t hpa, int version);

/* A map record of a 2 MiB stretch, faulted and read at these offsets; its runs follow. */
void put_map(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear);
/* The same without a fault, by a scan of the whole space; the previous scan was at this offset. */
void put_scan(uint16_t cpu, uint64_t before, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear);
/* What the page was mapped to was missed. */
void put_missed(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear);
/* The space has ended. */
void put_end(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t cr3);
void put_run(uint64_t linear, uint64_t gpa, uint32_t pages, unsigned page_shift);
/* The same two with a single page of 4 KiB at linear. */
void put_page_map(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear,
                  uint64_t gpa);
void put_page_scan(uint16_t cpu, uint64_t before, uint64_t offset, uint64_t number, uint64_t cr3, uint64_t linear,
                   uint64_t gpa);
/* A fault, ten bytes of trace later a map record with that page, and one byte later the page itself, which has the next
 * number: a page that is executed for the first time. */
void put_executed_map(uint16_t cpu, uint64_t fault, uint64_t number, uint64_t cr3, uint64_t linear, uint64_t gpa,
                      int version);
void put_seen(uint16_t cpu, uint64_t offset, uint64_t number);

/* All is put; what is found stays as it is until code_reset. */
struct code_pages *collected(uint16_t cpu);

/* The version of the page at an address of a space, which is given as the address in a CR3; or NOT_KNOWN. */
int version_at(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva);

/* The same, which must not be inferred, or must be. */
void exactly(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva, int version);
void inferred(uint16_t cpu, uint64_t cr3, uint64_t offset, uint64_t gva, int version);

#endif
