/*
 * Inside of the flow decoder: from blocks and events, as libipt gives them, to branches. The decoders themselves are in
 * flow.c (by blocks) and flow_insn.c (by instructions).
 */
#ifndef DECODE_FLOW_STATE_H
#define DECODE_FLOW_STATE_H

#include <intel-pt.h>
#include <stdbool.h>
#include <stdint.h>

#include "decode/flow/flow.h"
#include "decode/flow/flow_tail.h"
#include "decode/flow/libipt_image.h"

/* An interrupt or a VM exit: which of both, the paging event behind it tells. */
struct flow_event {
    bool pending;
    bool non_root; /* where it came from */
    uint64_t from, to;
};

struct flow {
    const struct flow_input *input;
    struct flow_hooks hooks;
    struct pt_cpu cpu;
    struct pt_errata errata;
    struct flow_image image;
    struct flow_tail tail;
    struct flow_event event;
    bool non_root;
    bool paged;     /* the last block's last instruction has had its PIP */
    unsigned bits;  /* of the last block: 16, 32, 64 */
    uint64_t begin; /* of the stretch */
    struct flow_result *result;
};

/* Take a run of instructions that ends with the one at end_ip. Returns 0 or an error. */
int flow_take_block(struct flow *flow, uint64_t ip, uint64_t end_ip, uint32_t instructions, enum pt_insn_class iclass);

/* The mode of the block that comes next. */
void flow_set_mode(struct flow *flow, enum pt_exec_mode mode);

/* Take an event; offset: how far the decoder has read, in the stretch. Returns 0 or an error. */
int flow_take_event(struct flow *flow, const struct pt_event *event, uint64_t offset);

/* The last block's branch, if it is one, leads to ip. */
void flow_resolve(struct flow *flow, uint64_t ip);

/* The packets are used up: drop what belongs behind the PSB. Returns 0 or an error. */
int flow_end_stretch(struct flow *flow, const struct flow_stretch *stretch);

/* The last block's branch led to where nothing is traced, and no packet says where to. Its target, where the code tells
 * it, or TRUTH_TO_UNRESOLVED. Blocks behind it, which the decoder only supposed, are dropped. */
uint64_t flow_unresolved_target(struct flow *flow);

/* A TIP.PGD without an IP stands at the last block's end: is that a MOV to CR3 which it cannot be of? Then what was
 * executed behind it was taken as well, up to the one that it is of; *error: 0 or an error. */
bool flow_went_on(struct flow *flow, int *error);

/* An error: what was taken so far did run. */
void flow_break_off(struct flow *flow);

/* Decode the packets of config, calling the above: by blocks, or with libipt's instruction decoder where the hooks want
 * instructions. Returns libipt's error, -pte_eos at the end, or one of ours. *ip is where the flow stood, *offset how
 * far was read. */
int flow_run_packets(struct flow *flow, const struct pt_config *config, uint64_t *ip, uint64_t *offset);
int flow_run_instructions(struct flow *flow, const struct pt_config *config, uint64_t *ip, uint64_t *offset);

#endif
