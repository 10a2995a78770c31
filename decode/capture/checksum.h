/*
 * The checksums of a capture: a file that only grows, with an entry for each block that was written to another file.
 * docs/capture.md is the format.
 */
#ifndef DECODE_CHECKSUM_H
#define DECODE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_NAME "checksums"
#define CHECKSUM_BLOCK 65536u /* bytes of the largest block, which bounds the place of a damage */
#define CHECKSUM_HOLE 0x1u    /* flags: the block was not written and reads as zeros; crc is 0 */

enum checksum_file { CHECKSUM_NONE, CHECKSUM_TRACE, CHECKSUM_EVENTS, CHECKSUM_INDEX, CHECKSUM_META, CHECKSUM_NR_FILES };

struct checksum_entry {
    uint16_t file; /* enum checksum_file; readers skip unknown values */
    uint16_t cpu;  /* for CHECKSUM_TRACE */
    uint32_t crc;  /* CRC-32C of the block */
    uint64_t offset, size;
    uint32_t flags;     /* CHECKSUM_* */
    uint32_t entry_crc; /* CRC-32C of the 28 bytes before */
};
_Static_assert(sizeof(struct checksum_entry) == 32, "docs/capture.md: an entry of checksums is 32 bytes");

#define CHECKSUM_FILE_NAME 16u

/* The file's name in the directory. */
const char *checksum_file_name(char name[CHECKSUM_FILE_NAME], enum checksum_file file, unsigned cpu);

/* CRC-32C, by the processor's instruction if it has one. */
uint32_t checksum_of(const void *bytes, size_t size);

/* Set the entry's own CRC; check it. */
void checksum_seal(struct checksum_entry *entry);
bool checksum_sealed(const struct checksum_entry *entry);

#endif
