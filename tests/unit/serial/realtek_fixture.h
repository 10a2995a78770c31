/* A fake Realtek card with rings and packets, shared by the tests of the driver. */
#ifndef TESTS_UNIT_SERIAL_REALTEK_FIXTURE_H
#define TESTS_UNIT_SERIAL_REALTEK_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/serial/fake_realtek.h"

/* One of each kind: device, XID. */
#define FIXTURE_KINDS 15u
struct fixture_kind {
    uint16_t device, xid;
};
extern const struct fixture_kind fixture_kinds[FIXTURE_KINDS];

/* Addresses in the fake's memory. */
#define HEADERS_AT 0x40000u
#define PAYLOAD_AT 0x60000u
#define BUFFERS_AT 0x80000u
#define NR_RX 64u
#define HEADERS_BYTES 74u

extern struct fake_realtek fixture_card;
extern struct nic fixture_nic;
extern uint8_t fixture_mac[6];
extern uint32_t fixture_head; /* number of packets put into the ring */

struct e1000_tx_descriptor *fixture_tx(uint32_t index);
struct e1000_rx_descriptor *fixture_rx(uint32_t index);

/* Returns the driver's error text. */
const char *fixture_reset(void);

/* Reset the card, which must succeed, and start it with empty rings. */
void fixture_start(void);

/* Put a packet into the ring, in the form that serial/net/udp_frames.c uses: headers in an entry of 128 bytes, the
 * payload elsewhere. The bytes identify the packet. sums: request checksum offload. */
void fixture_put(uint32_t payload_bytes, bool sums);

#endif
