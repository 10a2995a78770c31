#include "decode/calls/stacks_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "decode/capture/checksum.h"
#include "decode/capture/list.h"
#include "decode/capture/side_file.h"
#include "decode/stack/stacks_run.h"

static uint32_t crc_of_header(const struct stacks_file_header *header)
{
    return checksum_of(header, offsetof(struct stacks_file_header, header_crc));
}

/* Are the entries in order, and their bytes in the file? */
static bool is_sound(const struct stacks_file_entry *entries, uint64_t count, uint64_t begin, uint64_t size)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct stacks_file_entry *entry = &entries[i];
        if (entry->offset != begin || entry->size > size - begin || (i > 0 && entry->cut <= entry[-1].cut) ||
            (i > 0 && (entry->tsc < entry[-1].tsc || entry->names < entry[-1].names)))
            return false;
        begin += entry->size;
    }
    return begin == size;
}

static bool is_valid(const struct stacks_file *file, const uint8_t *bytes, uint64_t size)
{
    const struct stacks_file_header *header = (const void *)bytes;
    if (size < sizeof(*header) || memcmp(header->magic, STACKS_FILE_MAGIC, sizeof(header->magic)) != 0 ||
        header->version != STACKS_FILE_VERSION || header->header_crc != crc_of_header(header) ||
        memcmp(&header->identity, &file->identity, sizeof(file->identity)) != 0 || header->names != file->names ||
        header->tool != file->tool || header->known != file->known ||
        header->count > (size - sizeof(*header)) / sizeof(*file->entries) ||
        header->crc != checksum_of(bytes + sizeof(*header), (size_t)size - sizeof(*header)))
        return false;
    return is_sound((const void *)(bytes + sizeof(*header)), header->count,
                    sizeof(*header) + header->count * sizeof(*file->entries), size);
}

bool stacks_file_take(struct stacks_file *file, const uint8_t *bytes, uint64_t size)
{
    if (!is_valid(file, bytes, size))
        return false;
    const struct stacks_file_header *header = (const void *)bytes;
    const struct stacks_file_entry *entries = (const void *)(bytes + sizeof(*header));
    for (uint64_t i = 0; i < header->count; i++) {
        const struct pack one = {.bytes = (uint8_t *)(uintptr_t)(bytes + entries[i].offset),
                                 .size = (size_t)entries[i].size};
        if (!stacks_file_add(file, entries[i], &one)) {
            file->count = file->bytes.size = 0;
            return false;
        }
    }
    file->changed = false;
    return true;
}

void stacks_file_make(const struct stacks_file *file, struct pack *pack)
{
    const uint64_t begin = sizeof(struct stacks_file_header) + file->count * sizeof(*file->entries);
    struct stacks_file_header header = {.version = STACKS_FILE_VERSION,
                                        .identity = file->identity,
                                        .names = file->names,
                                        .tool = file->tool,
                                        .known = file->known,
                                        .count = file->count};
    memcpy(header.magic, STACKS_FILE_MAGIC, sizeof(header.magic));
    pack_bytes(pack, &header, sizeof(header));
    for (size_t i = 0; i < file->count; i++) {
        struct stacks_file_entry entry = file->entries[i];
        entry.offset += begin;
        pack_bytes(pack, &entry, sizeof(entry));
    }
    pack_bytes(pack, file->bytes.bytes, file->bytes.size);
    if (pack->no_memory)
        return;
    header.crc = checksum_of(pack->bytes + sizeof(header), pack->size - sizeof(header));
    header.header_crc = crc_of_header(&header);
    memcpy(pack->bytes, &header, sizeof(header));
}

bool stacks_file_add(struct stacks_file *file, struct stacks_file_entry entry, const struct pack *bytes)
{
    const size_t before = file->bytes.size;
    entry.offset = before;
    entry.size = bytes->size;
    pack_bytes(&file->bytes, bytes->bytes, bytes->size);
    void *entries = file->entries;
    struct stacks_file_entry *place = file->bytes.no_memory || bytes->no_memory
                                          ? NULL
                                          : list_add(&entries, &file->count, &file->room, sizeof(*place));
    file->entries = entries;
    if (!place) {
        file->bytes.size = before;
        return false;
    }
    *place = entry;
    file->changed = true;
    return true;
}

struct packed stacks_file_bytes(const struct stacks_file *file, size_t index)
{
    const uint8_t *at = file->bytes.bytes + file->entries[index].offset;
    return (struct packed){.at = at, .end = at + file->entries[index].size};
}

size_t stacks_file_before(const struct stacks_file *file, uint64_t tsc)
{
    size_t index = file->count;
    while (index > 0 && file->entries[index - 1].tsc >= tsc)
        index--;
    return index > 0 ? index - 1 : SIZE_MAX;
}

void stacks_file_read(struct stacks_file *file, const struct capture *capture, uint32_t names, uint32_t known)
{
    static const char tool[] = UNDERTRACE_VERSION;
    struct capture_map map;
    *file = (struct stacks_file){
        .identity = capture_identify(capture), .names = names, .tool = checksum_of(tool, sizeof(tool)), .known = known};
    if (!side_file_map(&map, capture, STACKS_RUN_FILE))
        return;
    stacks_file_take(file, map.bytes, map.size);
    capture_unmap(&map);
}

void stacks_file_write(struct stacks_file *file, const struct capture *capture)
{
    struct pack pack = {0};
    if (!file->changed)
        return;
    stacks_file_make(file, &pack);
    if (!pack.no_memory && side_file_write(capture, STACKS_RUN_FILE, pack.bytes, pack.size))
        file->changed = false;
    pack_free(&pack);
}

void stacks_file_free(struct stacks_file *file)
{
    free(file->entries);
    pack_free(&file->bytes);
}
