/* A Realtek card as a fake, its rings, and packets to send: what the tests of its driver share. */
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

/* Where things lie in the fake's memory. */
#define HEADERS_AT 0x40000u
#define PAYLOAD_AT 0x60000u
#define BUFFERS_AT 0x80000u
#define NR_RX 64u
#define HEADERS_BYTES 74u

extern struct fake_realtek fixture_card;
extern struct nic fixture_nic;
extern uint8_t fixture_mac[6];
extern uint32_t fixture_head; /* packets put into the ring */

struct e1000_tx_descriptor *fixture_tx(uint32_t index);
struct e1000_rx_descriptor *fixture_rx(uint32_t index);

/* Returns what the driver says. */
const char *fixture_reset(void);

/* After a reset that must succeed: empty rings. */
void fixture_start(void);

/* A packet as serial/net/udp_send.c makes it: headers in a place of 128 bytes, a payload elsewhere. Bytes tell the
 * packet.
 */
void fixture_put(uint32_t payload_bytes, bool sums);

#endif
