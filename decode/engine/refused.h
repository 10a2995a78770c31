/* Bytes that are no packet: is it the opcode, or what follows it? Pure. */
#ifndef DECODE_ENGINE_REFUSED_H
#define DECODE_ENGINE_REFUSED_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow_input.h"
#include "pt/packet/packet.h"

/* FLOW_ERROR_OPCODE, or FLOW_ERROR_PACKET. */
enum flow_error packets_refused(const uint8_t *bytes, uint64_t size);

/* Erratum SKD007: has the CYC packet at bytes swallowed the first byte of an OVF with its second one? */
bool packets_swallowed_ovf(const struct packet *packet, const uint8_t *bytes, uint64_t size);

#endif
