/*
 * The base of the code segment, which no packet contains: between IPs in packets and linear addresses.
 *
 * A near branch does not change CS.base; a far transfer, an interrupt or an exception may. The hypervisor
 * single-steps code whose segment has a base, and 16-bit code, and records the base at VM exits. Elsewhere 32-bit code
 * is taken for flat, unless the next VM exit shows that it is not.
 */
#ifndef DECODE_ENGINE_SEGMENT_H
#define DECODE_ENGINE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"

/* CS.base after a far transfer or event to a code segment of this mode, whose packet ends at trace offset at. false: no
 * record proves it. */
bool segment_base_after(uint32_t *base, const struct flow_input *input, uint64_t at, enum instruction_mode mode);

/* Execution gets to a packet's IP, in another code segment if far: make that segment current, and *ip a linear address.
 * mode: the mode there. FLOW_ERROR_SEGMENT: its base is not known. */
enum flow_error segment_arrive(struct engine *engine, bool far, enum instruction_mode mode, uint64_t *ip);

/* A VM exit, or another end of tracing: remember the segment. */
static inline void segment_leave(struct engine *engine)
{
    engine->left.at = (uint64_t)(engine->packet - engine->input->trace);
    engine->left.cs_base = engine->mode == INSTRUCTION_64 ? 0 : engine->cs_base;
}

/* The same as segment_arrive at a VM entry, whose packet has been read. FLOW_ERROR_SEGMENT also if the record of the VM
 * exit before it contradicts what was decoded before it. */
enum flow_error segment_enter(struct engine *engine, enum instruction_mode mode, uint64_t *ip);

/* The linear address of a packet's IP in the current code segment. */
static inline uint64_t segment_linear(const struct engine *engine, uint64_t ip)
{
    if (engine->mode == INSTRUCTION_64 || !engine->input->pages->segments.plain_ips)
        return ip;
    return (uint32_t)(engine->cs_base + ip);
}

/* What packets have for a linear address in the current code segment. */
static inline uint64_t segment_ip(const struct engine *engine, uint64_t linear)
{
    if (engine->mode == INSTRUCTION_64 || !engine->input->pages->segments.plain_ips)
        return linear;
    return (uint32_t)(linear - engine->cs_base);
}

#endif
