/*
 * Internal to the packet engine on top of libipt: no other file uses that library. libipt_engine.c begins and ends
 * runs, libipt_walk.c drives libipt's two decoders, libipt_event.c converts its events.
 */
#ifndef DECODE_LIBIPT_H
#define DECODE_LIBIPT_H

#include <intel-pt.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/judge/libipt_image.h"
#include "tests/judge/packet_engine.h"

/* The last block, unless an asynchronous event came after it. */
struct libipt_last {
    bool known;
    bool paged;      /* its last instruction has had its PIP */
    uint64_t end_ip; /* of its last instruction */
    uint64_t space;  /* in which it was executed */
    uint8_t bits;
};

struct packet_engine {
    const struct flow_input *input;
    struct flow_sink sink;
    bool single;
    struct pt_cpu cpu;
    struct pt_errata errata;
    struct libipt_images images;
    uint64_t space;     /* in which what follows is executed */
    bool other_image;   /* the decoder must be switched to images.current */
    uint64_t begin;     /* trace offset of the decoded bytes */
    bool resuming;      /* the decoded bytes are not the trace's, but packets of libipt_mov_cr3.c */
    uint64_t resume_ip; /* where libipt_mov_cr3.c resumes the walk; 0: nowhere */
    struct libipt_last last;
    uint64_t tsc;          /* the last known one, 0: none */
    bool used_up, tracing; /* as libipt has last said; struct flow_stop */
};

/* Decode the packets of config, and pass blocks and events to the sink. Returns libipt's error, -pte_eos at the end, or
 * the sink's, made negative by libipt_error_of. *ip: the last IP; *offset: the trace offset up to which packets were
 * read.
 */
int libipt_walk(struct packet_engine *engine, const struct pt_config *config, uint64_t *ip, uint64_t *offset);

/* Pass an event to the sink; offset: as above. If it sets resume_ip, the walk is to be resumed there instead. Returns
 * as libipt_walk. */
int libipt_take_event(struct packet_engine *engine, const struct pt_event *event, uint64_t offset);

/* Pass a block to the sink; waiting: it ends with a branch whose packet is missing. Report an address that cannot be
 * read. Both return as libipt_walk. */
int libipt_take_block(struct packet_engine *engine, uint64_t ip, uint64_t end_ip, uint32_t instructions,
                      enum pt_insn_class iclass, enum pt_exec_mode mode, bool waiting);
int libipt_take_no_code(struct packet_engine *engine, uint64_t ip);

/* Our error as one of libipt's, which are small negative numbers; and either kind as ours, FLOW_OK for -pte_eos. */
int libipt_error_of(enum flow_error error);
enum flow_error libipt_flow_error(int status);

/* libipt attributes a TIP.PGD without an IP to the last block's end. Is that a MOV to CR3 to which it cannot belong?
 * Then resume_ip is set to where the walk must be resumed. */
bool libipt_mov_cr3_lost(struct packet_engine *engine);

/* Encode, at config's begin, what resumes a walk: tracing begins at ip, and ends with a TIP.PGD without an IP. Returns
 * 0 or libipt's error. */
int libipt_mov_cr3_packets(const struct pt_config *config, uint64_t ip, unsigned bits);

#endif
