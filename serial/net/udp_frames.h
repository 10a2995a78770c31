/* Frames in the slots of the transmit ring: udp_frames.c. Private to serial/net/. */
#ifndef SERIAL_NET_UDP_FRAMES_H
#define SERIAL_NET_UDP_FRAMES_H

#include <stdint.h>

#include "serial/net/udp_state.h"

/* Of a packet's last descriptor. */
#define UDP_LAST_FIELDS (E1000_TX_EOP | E1000_TX_RS)

/* Put a run of frames into the slots from index on. They must be free and not wrap around. All frames but the last have
 * the same length. udp_seal_frames completes them. */
void udp_put_frames(struct udp_sink *s, uint32_t index, const struct window_run *run);

/* The same for a compressed frame, window_is_packed. */
void udp_put_packed(struct udp_sink *s, uint32_t index, const struct window_run *run);

/* Complete the datagrams in the slots from first up to the head: a frame's CRC or tag covers all of it, and so its
 * flags. This reads each byte of the payload. */
void udp_seal_frames(const struct udp_sink *s, uint32_t first);

#endif
