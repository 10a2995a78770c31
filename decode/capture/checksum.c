#include "decode/capture/checksum.h"

#include <stdio.h>

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

uint32_t checksum_of(const void *bytes, size_t size)
{
    return crc32c(bytes, size);
}

void checksum_seal(struct checksum_entry *entry)
{
    entry->entry_crc = checksum_of(entry, BYTES_BEFORE_CRC);
}

bool checksum_sealed(const struct checksum_entry *entry)
{
    return entry->entry_crc == checksum_of(entry, BYTES_BEFORE_CRC);
}
