#include "decode/capture/checksum.h"

#include <stdio.h>
#include <string.h>

#include "serial/wire/crc32c.h"

#define BYTES_BEFORE_CRC offsetof(struct checksum_entry, entry_crc)
_Static_assert(BYTES_BEFORE_CRC == 28, "docs/capture.md: the CRC covers 28 bytes");

const char *checksum_file_name(char name[CHECKSUM_FILE_NAME], enum checksum_file file, unsigned cpu)
{
    static const char *const names[CHECKSUM_NR_FILES] = {
        [CHECKSUM_EVENTS] = "events.bin", [CHECKSUM_INDEX] = "index", [CHECKSUM_META] = "meta.json"};
    if (file == CHECKSUM_TRACE)
        snprintf(name, CHECKSUM_FILE_NAME, "cpu%u.pt", cpu);
    else
        snprintf(name, CHECKSUM_FILE_NAME, "%s", file < CHECKSUM_NR_FILES && names[file] ? names[file] : "");
    return name;
}

#ifdef __x86_64__

/* As fast as the disk: core's table, which is meant for headers, would be slower. */
__attribute__((target("sse4.2"))) static uint32_t by_instruction(const uint8_t *at, size_t size)
{
    uint64_t state = CRC32C_START;
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        state = __builtin_ia32_crc32di(state, word);
    }
    for (; size > 0; size--, at++)
        state = __builtin_ia32_crc32qi((uint32_t)state, *at);
    return crc32c_finish((uint32_t)state);
}

uint32_t checksum_of(const void *bytes, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(bytes, size) : crc32c(bytes, size);
}

#else

uint32_t checksum_of(const void *bytes, size_t size)
{
    return crc32c(bytes, size);
}

#endif

void checksum_seal(struct checksum_entry *entry)
{
    entry->entry_crc = checksum_of(entry, BYTES_BEFORE_CRC);
}

bool checksum_sealed(const struct checksum_entry *entry)
{
    return entry->entry_crc == checksum_of(entry, BYTES_BEFORE_CRC);
}
