/* Packets of gdb's remote serial protocol: "Overview" in appendix E of gdb's manual. */
#ifndef DECODE_CLI_GDB_RSP_H
#define DECODE_CLI_GDB_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSP_PACKET_SIZE 4096u /* bytes of a packet, without its frame */

struct rsp {
    int in, out;
    bool no_ack;
    uint8_t buffer[1024]; /* read, and not taken yet */
    size_t begin, end;
};

/* The next packet, terminated by 0. false: the other side has gone. */
bool rsp_receive(struct rsp *rsp, char packet[RSP_PACKET_SIZE + 1]);

/* false: the other side has gone. */
bool rsp_send(struct rsp *rsp, const char *packet);

/* Has an interrupt (Ctrl-C) arrived? Does not wait. */
bool rsp_interrupted(void *rsp);

#endif
