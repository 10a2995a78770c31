#include "decode/capture/capture_check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a trace that are in memory at once. */
#define PASS_BYTES (1u << 20)

/* The file that is being checked. */
struct checked {
    struct capture *capture;
    enum checksum_file file;
    unsigned cpu;
    char name[CHECKSUM_FILE_NAME];
    const uint8_t *bytes;
    uint64_t size;
};

static uint64_t nr_entries(const struct capture *capture)
{
    return capture->checksums.size / sizeof(struct checksum_entry);
}

/* The entry with this index. false: it is damaged. */
static bool read_entry(struct checksum_entry *entry, const struct capture *capture, uint64_t number)
{
    memcpy(entry, capture->checksums.bytes + number * sizeof(*entry), sizeof(*entry));
    return checksum_sealed(entry);
}

static bool all_zeros(const uint8_t *bytes, uint64_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)size - 1) == 0);
}

/* Check that a hole reads as zeros. Holes of the file itself are not read: they can be larger than any disk. */
static void check_hole(const struct checked *c, uint64_t from, uint64_t to)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", c->capture->directory, c->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (uint64_t at = from; at < to;) {
        off_t data = fd < 0 ? (off_t)at : lseek(fd, (off_t)at, SEEK_DATA);
        if (data < 0 || (uint64_t)data >= to)
            break;
        off_t hole = fd < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
        uint64_t end = hole < 0 || (uint64_t)hole > to ? to : (uint64_t)hole;
        if (!all_zeros(c->bytes + data, end - (uint64_t)data))
            damages_add(&c->capture->damages, DAMAGE_BYTES, c->name, (uint64_t)data, end - (uint64_t)data);
        at = end;
    }
    if (fd >= 0)
        close(fd);
}

static void check_block(const struct checked *c, const struct checksum_entry *entry)
{
    struct damages *damages = &c->capture->damages;
    uint64_t end = entry->offset + entry->size;
    if (end > c->size) {
        uint64_t there = c->size > entry->offset ? c->size - entry->offset : 0;
        if (there > 0)
            damages_add(damages, DAMAGE_NO_SUM, c->name, entry->offset, there);
        damages_add(damages, DAMAGE_CUT, c->name, entry->offset + there, entry->size - there);
    } else if (entry->flags & CHECKSUM_HOLE) {
        check_hole(c, entry->offset, end);
    } else if (checksum_of(c->bytes + entry->offset, (size_t)entry->size) != entry->crc) {
        damages_add(damages, DAMAGE_BYTES, c->name, entry->offset, entry->size);
    }
}

/* Blocks are contiguous: if one is missing, its entry is damaged. Bytes after the last one have no checksum if the
 * receiver was stopped. */
static void check_blocks(const struct checked *c, uint64_t from, uint64_t to)
{
    uint64_t next = 0, passed = 0;
    struct checksum_entry entry;
    for (uint64_t i = 0; i < nr_entries(c->capture); i++) {
        if (!read_entry(&entry, c->capture, i) || entry.file != c->file || entry.cpu != c->cpu)
            continue;
        if (entry.offset > next)
            damages_add(&c->capture->damages, DAMAGE_NO_SUM, c->name, next, entry.offset - next);
        next = entry.offset + entry.size;
        if (entry.offset < to && next > from)
            check_block(c, &entry);
        if (c->file == CHECKSUM_TRACE && next - passed >= PASS_BYTES && next <= c->size) {
            capture_map_pass(c->bytes, passed, next);
            passed = next;
        }
    }
    if (c->size > next)
        damages_add(&c->capture->unsummed, DAMAGE_NO_SUM, c->name, next, c->size - next);
}

/* meta.json is replaced as a whole after its entry is written. So any of its entries may match, and if the file of
 * checksums was truncated, none may. */
static void check_meta(const struct checked *c, bool entries_damaged)
{
    struct checksum_entry entry;
    uint64_t written = 0;
    for (uint64_t i = 0; i < nr_entries(c->capture); i++) {
        if (!read_entry(&entry, c->capture, i) || entry.file != CHECKSUM_META)
            continue;
        if (entry.size == c->size && checksum_of(c->bytes, (size_t)c->size) == entry.crc)
            return;
        written = entry.size;
    }
    if (written > c->size)
        damages_add(&c->capture->damages, DAMAGE_CUT, c->name, c->size, written - c->size);
    else if (c->size > 0 && c->capture->unsummed.count > 0)
        damages_add(&c->capture->unsummed, DAMAGE_NO_SUM, c->name, 0, c->size);
    else if (c->size > 0)
        damages_add(&c->capture->damages, entries_damaged ? DAMAGE_NO_SUM : DAMAGE_BYTES, c->name, 0, c->size);
}

static bool check_entries(struct capture *capture)
{
    struct checksum_entry entry;
    bool good = true;
    for (uint64_t i = 0; i < nr_entries(capture); i++) {
        if (read_entry(&entry, capture, i))
            continue;
        good = false;
        damages_add(&capture->damages, DAMAGE_CHECKSUM, CHECKSUM_NAME, i * sizeof(entry), sizeof(entry));
    }
    return good;
}

static struct checked checked_file(struct capture *capture, enum checksum_file file, unsigned cpu,
                                   const struct capture_map *map)
{
    struct checked c = {
        .capture = capture, .file = file, .cpu = cpu, .bytes = map->bytes, .size = map->present ? map->size : 0};
    checksum_file_name(c.name, file, cpu);
    return c;
}

void capture_check_records(struct capture *capture, const struct capture_map *index, const struct capture_map *meta)
{
    const struct capture_map events = {true, capture->events, capture->events_size};
    if (!capture->checksums.present)
        return;
    bool good = check_entries(capture);
    struct checked c = checked_file(capture, CHECKSUM_EVENTS, 0, &events);
    check_blocks(&c, 0, UINT64_MAX);
    c = checked_file(capture, CHECKSUM_INDEX, 0, index);
    check_blocks(&c, 0, UINT64_MAX);
    c = checked_file(capture, CHECKSUM_META, 0, meta);
    check_meta(&c, !good);
}

void capture_check_trace(struct capture *capture, unsigned cpu, uint64_t from, uint64_t to)
{
    if (!capture->checksums.present || cpu >= CAPTURE_MAX_CPUS)
        return;
    const struct capture_trace *trace = &capture->cpus[cpu];
    const struct capture_map map = {trace->present, trace->bytes, trace->size};
    struct checked c = checked_file(capture, CHECKSUM_TRACE, cpu, &map);
    check_blocks(&c, from, to);
}
