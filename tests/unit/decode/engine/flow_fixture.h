/*
 * A trace made by the encoder, a few instructions of code, and the decoder on them: what the tests of the flow share.
 */
#ifndef TESTS_UNIT_DECODE_ENGINE_FLOW_FIXTURE_H
#define TESTS_UNIT_DECODE_ENGINE_FLOW_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/flow/flow_cut.h"
#include "decode/truth.h"
#include "pt/packet/packet.h"

#define CODE 0xffffffff81000000ull
#define ROOT 0xffff87f000000000ull
#define CODE_SIZE 24u
#define ROOT_CODE_SIZE 7u

/* The guest's, at CODE, and ours, at ROOT: see flow_fixture.c. */
extern const uint8_t code[CODE_SIZE];
extern const uint8_t root_code[ROOT_CODE_SIZE];

struct fixture {
    uint8_t trace[4096];
    size_t size;
    uint64_t last_ip;
    uint8_t bytes[8][RECORD_PAGE_SIZE];
    struct page_record records[8];
    size_t nr_records;
    struct code_map maps[8]; /* what the test puts there */
    size_t nr_maps;
    char file[64];
    struct truth_branch branches[256];
    size_t nr_branches;
    struct code_pages pages;
    struct flow_input input; /* what the test sets; else 0 */
    struct error error;
    struct flow *flow;
};

int flow_setup(void **state);
int flow_teardown(void **state);
#define FLOW_TEST(name) cmocka_unit_test_setup_teardown(name, flow_setup, flow_teardown)

/* Append packets. */
void put(struct fixture *f, struct packet packet);
void put_ip(struct fixture *f, enum packet_kind kind, uint64_t ip);

/* Bits as in ptdump: '!' taken, '.' not. */
void put_tnt(struct fixture *f, const char *bits);
void put_pip(struct fixture *f, bool non_root);

/* A PSB+; ip 0: tracing is off. */
void put_psb(struct fixture *f, uint64_t ip, bool non_root);

/* From a guest address out into root, tracing off. Returns the trace offset there. */
uint64_t put_exit(struct fixture *f, uint64_t from);
void put_entry(struct fixture *f, uint64_t to);

/* Tracing is disabled when the next instruction is at at. */
void put_off(struct fixture *f, uint64_t at);

/* A page record whose bytes hold from this trace offset on; add_code: the two that most tests need. */
void add_page(struct fixture *f, uint64_t gva, uint64_t gpa, uint64_t from, const uint8_t *bytes, size_t size);
void add_code(struct fixture *f);
/* What most tests begin with: the code, and a PSB+ of the guest at ip. */
struct fixture *begin_code(void **state, uint64_t ip);

/* All is put: get ready to decode. */
void start(struct fixture *f);

/* Decode the first stretch that begins at from or later. */
struct flow_result decode(struct fixture *f, uint64_t from);
/* The first stretch by single instructions. */
struct flow_result decode_single(struct fixture *f);

/* Decode a stretch. *instructions, if not NULL: how many were delivered one by one; *last: the last of them. */
struct flow_result decode_counted(struct flow *flow, const struct flow_stretch *stretch, uint64_t *instructions,
                                  uint64_t *last);

/* Decode a stretch, and keep its branches. */
void decode_stretch(struct fixture *f, const struct flow_stretch *stretch, struct flow_result *result);

/* By blocks and by single instructions, which must yield the same. */
struct flow_result decode_twice(struct fixture *f);

/* The branches of the last decode, as pairs of offsets in the code, ended by -1. */
void expect(const struct fixture *f, const int *pairs);

#endif
