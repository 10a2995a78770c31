/*
 * Compression of what frames carry, for thin links: LZ4's block format (docs/wire.md, "Compressed frames"). Blocks do
 * not refer to each other, so that each frame can be decompressed by itself. Core.
 *
 * The matches are found by a table of hashes, which holds one position for each hash of six bytes. It is never cleared:
 * whatever it holds, a match counts only if its bytes are the same.
 */
#ifndef SERIAL_WIRE_LZ4_H
#define SERIAL_WIRE_LZ4_H

#include <stdbool.h>
#include <stdint.h>

#define LZ4_HASH_BITS 12u
#define LZ4_PIECE_MAX 65528u /* bytes in a block: positions within it fit in 16 bits; a multiple of 8 */
#define LZ4_ROOM_MIN 64u     /* bytes for a block */

struct lz4_table {
    uint16_t at[1u << LZ4_HASH_BITS]; /* bits 15:0 of addresses */
};

struct lz4_block {
    uint32_t plain;  /* bytes that were compressed */
    uint32_t packed; /* bytes of the block */
};

/* Compress as many of the size bytes as fit into a block of at most room bytes: at least room - 2 - room / 255 of them,
 * if there are so many, and at most LZ4_PIECE_MAX. The block may be longer than what it holds. Reads no byte beyond
 * size, and writes none beyond room, which is at least LZ4_ROOM_MIN. */
struct lz4_block lz4_pack(struct lz4_table *table, uint8_t *to, uint32_t room, const uint8_t *bytes, uint32_t size);

/* Is it worth a frame of its own, and the receiver's time? At least one byte of 16 must be saved. */
static inline bool lz4_shrinks(struct lz4_block block)
{
    return block.packed + block.plain / 16 < block.plain;
}

#endif
