#include "decode/code/code_map.h"

#include <string.h>

#define CR3_BITS 0x000fffffffffffe0ull /* of the uppermost table: PAE's is aligned to 32, others to 4096 */
#define PHYSICAL_END (1ull << 52)
#define LARGEST_STRETCH (1ull << 30)
#define PAGE_MASK (RECORD_PAGE_SIZE - 1ull)

static uint64_t run_bytes(const struct record_map_run *run)
{
    return (uint64_t)run->pages * RECORD_PAGE_SIZE;
}

static bool is_page_shift(unsigned shift)
{
    return shift == 12 || shift == 21 || shift == 22 || shift == 30;
}

/* at: where the run before it ended, or the stretch begins. */
static enum code_map_error check_run(const struct record_map_run *run, uint64_t at, uint64_t last)
{
    if (!is_page_shift(run->page_shift))
        return CODE_MAP_PAGE_SIZE;
    if ((run->linear | run->gpa) & PAGE_MASK || (run->linear ^ run->gpa) & ((1ull << run->page_shift) - 1))
        return CODE_MAP_ALIGNMENT;
    if (run->pages == 0)
        return CODE_MAP_EMPTY;
    if (run->linear > last || run_bytes(run) - 1 > last - run->linear)
        return CODE_MAP_OUTSIDE;
    if (run->gpa >= PHYSICAL_END || run_bytes(run) > PHYSICAL_END - run->gpa)
        return CODE_MAP_PHYSICAL;
    return run->linear < at ? CODE_MAP_ORDER : CODE_MAP_OK;
}

static enum code_map_error check_runs(const struct code_map *map)
{
    uint64_t at = map->linear, last = map->linear + (map->size - 1);
    for (size_t i = 0; i < map->nr_runs; i++) {
        const struct record_map_run *run = &map->runs[i];
        enum code_map_error error = check_run(run, at, last);
        if (error)
            return i == 0 && error == CODE_MAP_ORDER ? CODE_MAP_OUTSIDE : error;
        at = run->linear + run_bytes(run);
        if (at - 1 == last && i + 1 < map->nr_runs)
            return CODE_MAP_ORDER;
    }
    return CODE_MAP_OK;
}

enum code_map_error code_map_parse(struct code_map *map, const uint8_t *payload, size_t length, uint64_t trace_offset)
{
    struct record_map head;
    if (length < sizeof(head))
        return CODE_MAP_SHORT;
    memcpy(&head, payload, sizeof(head));
    if ((length - sizeof(head)) % sizeof(*map->runs) || (length - sizeof(head)) / sizeof(*map->runs) != head.runs)
        return CODE_MAP_LENGTH;
    if (head.cr3 & ~CR3_BITS)
        return CODE_MAP_CR3;
    if (head.size == 0 || head.size > LARGEST_STRETCH || (head.linear | head.size) & PAGE_MASK ||
        head.size - 1 > UINT64_MAX - head.linear)
        return CODE_MAP_STRETCH;
    if (head.fault_offset > trace_offset)
        return CODE_MAP_OFFSET;
    if (head.number == 0)
        return CODE_MAP_NUMBER;
    *map = (struct code_map){
        .space = head.cr3,
        .linear = head.linear,
        .size = head.size,
        .number = head.number,
        .fault_offset = head.fault_offset,
        .read_offset = trace_offset,
        .runs = (const struct record_map_run *)(const void *)(payload + sizeof(head)),
        .nr_runs = head.runs,
        .looked_at = head.flags & RECORD_MAP_SCANNED,
        .ended = head.flags & RECORD_MAP_ENDED,
    };
    if (map->ended && (map->nr_runs || head.linear || head.fault_offset != trace_offset))
        return CODE_MAP_ENDED;
    return check_runs(map);
}

const char *code_map_error_text(enum code_map_error error)
{
    static const char *const texts[CODE_MAP_NR_ERRORS] = {
        [CODE_MAP_OK] = "nothing is wrong",
        [CODE_MAP_SHORT] = "it is shorter than its header",
        [CODE_MAP_LENGTH] = "its length does not match its number of runs",
        [CODE_MAP_CR3] = "its CR3 is not the address of a table",
        [CODE_MAP_STRETCH] = "its stretch does not consist of whole pages",
        [CODE_MAP_OFFSET] = "it was read before its fault",
        [CODE_MAP_NUMBER] = "it has no number",
        [CODE_MAP_PAGE_SIZE] = "a run has an invalid page size",
        [CODE_MAP_ALIGNMENT] = "a run is not aligned to its page size",
        [CODE_MAP_EMPTY] = "a run has no page",
        [CODE_MAP_OUTSIDE] = "a run extends beyond its stretch",
        [CODE_MAP_ENDED] = "an end-of-space record has mappings",
        [CODE_MAP_ORDER] = "its runs overlap or are not in ascending order",
        [CODE_MAP_PHYSICAL] = "a run extends beyond the physical addresses",
    };
    return error < CODE_MAP_NR_ERRORS ? texts[error] : "not known";
}

/* NULL: none has the address. */
static const struct record_map_run *find_run(const struct code_map *map, uint64_t gva)
{
    const struct record_map_run *run = &map->wide;
    size_t low = 0, high = map->nr_runs;
    if (run->pages == 0) {
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (map->runs[middle].linear <= gva)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == 0)
            return NULL;
        run = &map->runs[low - 1];
    }
    return gva >= run->linear && gva - run->linear < run_bytes(run) ? run : NULL;
}

bool code_map_find(uint64_t *gpa, const struct code_map *map, uint64_t gva)
{
    const struct record_map_run *run = find_run(map, gva);
    if (run)
        *gpa = run->gpa + (gva - run->linear);
    return run != NULL;
}

bool code_map_is_missed(const struct code_map *map)
{
    return map->size == RECORD_PAGE_SIZE && map->nr_runs == 0 && !map->ended;
}

bool code_map_is_user(const struct code_map *map, uint64_t gva)
{
    const struct record_map_run *run = find_run(map, gva);
    return run && run->flags & RECORD_MAP_USER;
}

bool code_map_widen(struct code_map *wide, const struct code_map *map, size_t run)
{
    const struct record_map_run *part = &map->runs[run];
    const uint64_t size = 1ull << part->page_shift, offset = part->linear & (size - 1), linear = part->linear - offset;
    if (part->page_shift == 12 || (linear >= map->linear && size - 1 <= map->size - 1 - (linear - map->linear)))
        return false;
    *wide = *map;
    wide->linear = linear;
    wide->size = size;
    wide->wide = *part;
    wide->wide.linear = linear;
    wide->wide.gpa = part->gpa - offset;
    wide->wide.pages = (uint32_t)(size / RECORD_PAGE_SIZE);
    return true;
}
