/*
 * Soft PT with tables of its own, driven an instruction at a time, and its packets as text: what its tests share.
 */
#ifndef TESTS_UNIT_PT_SOFT_FIXTURE_H
#define TESTS_UNIT_PT_SOFT_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "pt/rtit.h"
#include "pt/soft/soft_pt.h"

#define REGIONS_PA 0x40000000ull
#define TABLES_PA 0x50000000ull
#define REGIONS_BYTES 0x100000u
#define CTL_DEFAULT (RTIT_CTL_TRACE_EN | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_TOPA | RTIT_CTL_BRANCH_EN)
#define CTL_RANGE(i, kind) ((uint64_t)(kind) << (RTIT_CTL_ADDR0_CFG_SHIFT + 4 * (i)))

struct soft_fixture {
    struct soft_pt pt;
    struct soft_context at;
    uint8_t regions[REGIONS_BYTES];
    uint64_t tables[2 * TOPA_TABLE_ENTRIES];
    size_t read; /* end of the last packet that soft_text has returned */
    uint64_t last_ip;
    char text[16384];
};

int soft_setup(void **state);
int soft_teardown(void **state);
#define SOFT_TEST(name) cmocka_unit_test_setup_teardown(name, soft_setup, soft_teardown)

/* As the manual requires: pointers, STATUS, then CTL. The guest is at 401000, in the kernel's 64-bit code, CR3
 * 5000. byte_cnt 0: the trace begins with a PSB+. */
void soft_on(struct soft_fixture *f, uint64_t ctl, uint32_t byte_cnt);

/* As soft_on with PacketByteCnt 1, and the first packets are out. */
void soft_running(struct soft_fixture *f, uint64_t ctl);

/* IA32_RTIT_ADDRi_A and _B. */
void soft_range(struct soft_fixture *f, uint32_t i, uint64_t first, uint64_t last);

/* The instruction at f->at has led to f->at as it will be: its IP, or all of it. */
void soft_step(struct soft_fixture *f, const struct instruction *instruction, uint64_t to);
void soft_step_to(struct soft_fixture *f, const struct instruction *instruction, struct soft_context to);
void soft_event(struct soft_fixture *f, struct soft_context to);

extern const struct instruction nop, jz, jmp, jmp_rax, call, call_rax, ret;
extern const struct instruction syscall_far, iret, jmp_far, int3, int_n, into, mov_cr3;

/* How many bytes have been written. */
size_t soft_written(const struct soft_fixture *f);

/* The packets since the last call: "TNT !.; TIP 401000; TIP.PGD -". IPs are expanded, '-': suppressed. */
const char *soft_text(struct soft_fixture *f);
#define expect(f, expected) assert_string_equal(soft_text(f), expected)

#endif
