/* Kind: shell */
#include "vmx/ept/ept.h"

#include <string.h>

#include "base/init.h"
#include "base/msr.h"
#include "base/phys.h"
#include "vmx/caps.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/memory_types.h"
#include "vmx/ept/mtrr.h"
#include "vmx/ept/tables.h"
#include "vmx/ept/view.h"

#define FOUR_GIB (4ull << 30)

static uint64_t ones_pa; /* the page of ones that all hidden pages map to */
static unsigned largest_level;
static uint64_t memory_access; /* access rights of guest memory before its first execution */

/* A cache of pages that ept_is_memory found to be memory: the guest's page tables are read again and again. The
 * machine's lock is held. */
#define NR_KNOWN_MEMORY 32u
static uint64_t known_memory[NR_KNOWN_MEMORY]; /* the address + 1 */

/* Every change of the tree goes through here, so that the CPUs' views follow it. */
static void slot_write(uint64_t *slot, uint64_t gpa, unsigned level, uint64_t entry)
{
    *slot = entry;
    ept_views_follow(gpa, level, entry);
}

/* What is mapped above memory since the tree was built: the entries below which it is. */
static struct {
    uint64_t gpa;
    unsigned level;
} mapped_later[EPT_DEVICE_TABLES];
static uint32_t nr_mapped_later;
static bool maps_later; /* ept_map_missing is under way */

/* Of the table below an entry of this level. */
static enum ept_table_use use_of(uint64_t gpa, unsigned level)
{
    if (maps_later)
        return EPT_TABLE_DEVICE;
    return level < EPT_LEVELS && gpa < machine.config.top_of_memory ? EPT_TABLE_MEMORY : EPT_TABLE_BUILT;
}

static void slot_split(uint64_t *slot, uint64_t gpa, unsigned level)
{
    uint64_t *table = ept_table_new(use_of(gpa, level));

    for (unsigned i = 0; i < EPT_TABLE_ENTRIES; i++)
        table[i] = ept_split_entry(*slot, level, i);
    slot_write(slot, gpa, level, ept_table_entry(virt_to_phys(table)));
}

/* The entry for gpa at level. Makes missing tables, and splits larger pages. */
static uint64_t *slot_at(uint64_t gpa, unsigned level)
{
    uint64_t *table = ept_table_of(gpa, EPT_LEVELS);

    for (unsigned at = EPT_LEVELS; at > level; at--) {
        uint64_t *slot = &table[ept_index(gpa, at)];

        if (!ept_entry_present(*slot))
            slot_write(slot, gpa, at, ept_table_entry(virt_to_phys(ept_table_new(use_of(gpa, at)))));
        else if (ept_entry_is_leaf(*slot, at))
            slot_split(slot, gpa, at);
        table = ept_table_at(*slot);
    }
    return &table[ept_index(gpa, level)];
}

uint64_t *ept_open(struct cpu *cpu, uint64_t gpa)
{
    (void)slot_at(gpa, 1);
    return ept_view_open(cpu, gpa);
}

/* The memory type of a block; MEMORY_TYPE_MIXED: it must be split. MTRRs can make types alternate everywhere, which
 * would take more tables than there are: then a block of several types is uncached, which is correct for each (SDM
 * "MTRR Precedences"). VISIBLE: by time. */
static int block_type(uint64_t gpa, unsigned level)
{
    const int type = memory_type_of(gpa, ept_entry_size(level));

    return type != MEMORY_TYPE_MIXED || ept_tables_suffice(use_of(gpa, level)) ? type : MEMORY_TYPE_UC;
}

/* Map gpa to itself by the largest page that fits below end and has one memory type. Returns the bytes mapped. */
static uint64_t map_largest(uint64_t gpa, uint64_t end)
{
    for (unsigned level = largest_level;; level--) {
        const uint64_t size = ept_entry_size(level);

        if (level > 1 && ((gpa & (size - 1)) || end - gpa < size))
            continue;
        const int type = block_type(gpa, level);
        if (type == MEMORY_TYPE_MIXED)
            continue;
        slot_write(slot_at(gpa, level), gpa, level, ept_leaf_entry(gpa, level, type, memory_access));
        return size;
    }
}

/* Make all pages of the range read as ones: at once for the NIC, whose driver would probe it, on access for our memory.
 */
static void hide(uint64_t start, uint64_t end)
{
    for (uint64_t gpa = start & EPT_PAGE_MASK; gpa < end; gpa += EPT_PAGE_SIZE)
        slot_write(slot_at(gpa, 1), gpa, 1, ept_leaf_entry(ones_pa, 1, MEMORY_TYPE_WB, EPT_READ));
}

static void unmap(struct range range)
{
    uint64_t gpa = range.start;

    while (gpa < range.end) {
        unsigned level = (gpa & (ept_entry_size(2) - 1)) || range.end - gpa < ept_entry_size(2) ? 1 : 2;

        slot_write(slot_at(gpa, level), gpa, level, 0);
        gpa += ept_entry_size(level);
    }
}

/* The end of what ept_build maps: memory may end within a page. */
static uint64_t end_of_built(uint64_t top_of_memory)
{
    const uint64_t end = (top_of_memory + EPT_PAGE_SIZE - 1) & EPT_PAGE_MASK;

    return end > FOUR_GIB ? end : FOUR_GIB;
}

INIT_CODE const char *ept_build(const struct vmx_machine *config)
{
    const uint64_t end = end_of_built(config->top_of_memory);

    if (config->nr_ept_pages < vmx_ept_pages_least(config->top_of_memory))
        return "too few pages for EPT tables";
    largest_level = msr_read(IA32_VMX_EPT_VPID_CAP) & EPT_CAP_1G ? 3 : 2;
    memory_access = config->code_pages && !config->code_from_trigger ? EPT_READ | EPT_WRITE : EPT_ACCESS_MASK;
    memory_types_read();
    ept_tables_init(config->ept_pool, config->nr_ept_pages, ept_tables_for_memory(config->top_of_memory));
    nr_mapped_later = 0;
    void *ones = ept_pool_take(1);
    ones_pa = virt_to_phys(ones);
    memset(ones, 0xff, EPT_PAGE_SIZE);

    for (uint64_t gpa = 0; gpa < end;)
        gpa += map_largest(gpa, end);
    unmap(config->reserved);
    hide(config->ports.hidden_mmio.start, config->ports.hidden_mmio.end);
    for (unsigned i = 0; i < config->ports.nr_hidden; i++) {
        const uint64_t page = config->ports.hidden_ecam_pa[i];
        hide(page, page ? page + EPT_PAGE_SIZE : 0);
    }
    for (unsigned i = 0; i < config->filter.nr_pages; i++) /* last: they are accessed through functions in any case */
        unmap((struct range){config->filter.pages[i], config->filter.pages[i] + EPT_PAGE_SIZE});
    if (config->code_from_trigger)
        ept_set_access(config->trigger, EPT_READ | EPT_WRITE);
    if (config->bios.handler)
        ept_set_access(config->bios.handler, EPT_READ | EPT_WRITE);
    return NULL;
}

void ept_set_access(uint64_t gpa, uint64_t access)
{
    uint64_t *slot = slot_at(gpa, 1);

    slot_write(slot, gpa, 1, (*slot & ~(EPT_ACCESS_MASK | EPT_GUARDED | EPT_SENT)) | access);
}

static void withhold(uint64_t *table, unsigned level, uint64_t base)
{
    for (unsigned i = 0; i < EPT_TABLE_ENTRIES; i++) {
        const uint64_t gpa = base + i * ept_entry_size(level), rights = EPT_EXECUTE | EPT_GUARDED;

        if (!ept_entry_present(table[i]))
            continue;
        if (!ept_entry_is_leaf(table[i], level))
            withhold(ept_table_at(table[i]), level - 1, gpa);
        else if (table[i] & rights)
            slot_write(&table[i], gpa, level, table[i] & ~rights);
    }
}

void ept_withhold_execution(void)
{
    withhold(ept_table_of(0, EPT_LEVELS), EPT_LEVELS, 0);
}

void ept_withhold_from_now(void)
{
    memory_access = EPT_READ | EPT_WRITE;
    ept_withhold_execution();
}

/* The level of the largest block around gpa of which nothing is mapped. */
static unsigned level_missing(uint64_t gpa)
{
    const uint64_t *table = ept_table_of(gpa, EPT_LEVELS);
    unsigned level = EPT_LEVELS;

    for (; level > 1 && ept_entry_present(table[ept_index(gpa, level)]); level--)
        table = ept_table_at(table[ept_index(gpa, level)]);
    return level;
}

/* MMIO above memory, when it is accessed: in the largest blocks that do not overlap what is mapped, such as hidden
 * pages. */
void ept_map_missing(uint64_t gpa)
{
    const struct range *ours = &machine.config.reserved;

    if (gpa >= ours->start && gpa < ours->end) {
        hide(gpa, gpa + 1); /* VISIBLE: memory that E820 calls reserved reads as ones */
        return;
    }
    const unsigned level = level_missing(gpa);
    const uint64_t size = ept_entry_size(level < largest_level ? level : largest_level), start = gpa & ~(size - 1);
    if (start < end_of_built(machine.config.top_of_memory))
        fail_stop_here("guest-physical address below the top of memory is not mapped");
    const uint32_t left = ept_device_tables_left();
    maps_later = true;
    for (uint64_t at = start; at < start + size;)
        at += map_largest(at, start + size);
    maps_later = false;
    if (ept_device_tables_left() != left) {
        mapped_later[nr_mapped_later].gpa = gpa;
        mapped_later[nr_mapped_later++].level = level;
    }
}

bool ept_missing_has_room(void)
{
    return ept_device_tables_left() >= EPT_LEVELS;
}

/* Later entries first: those of tables that earlier ones lead to. */
void ept_missing_forget(void)
{
    while (nr_mapped_later > 0) {
        nr_mapped_later--;
        *ept_slot(mapped_later[nr_mapped_later].gpa, mapped_later[nr_mapped_later].level) = 0;
    }
    ept_device_tables_free();
    ept_views_follow_all();
}

bool ept_is_hidden(uint64_t gpa)
{
    return (ept_lookup(gpa) & EPT_ADDRESS_MASK) == ones_pa;
}

static bool memory_lookup(uint64_t gpa)
{
    const uint64_t entry = ept_lookup(gpa);

    return gpa < machine.config.top_of_memory && ept_entry_present(entry) &&
           (entry & EPT_MEMORY_TYPE_MASK) == (uint64_t)MEMORY_TYPE_WB << EPT_MEMORY_TYPE_SHIFT &&
           (entry & EPT_ADDRESS_MASK) != ones_pa;
}

bool ept_is_memory(uint64_t gpa)
{
    const uint64_t page = gpa & EPT_PAGE_MASK;
    uint64_t *known = &known_memory[page / EPT_PAGE_SIZE % NR_KNOWN_MEMORY];

    if (*known == page + 1)
        return true;
    if (!memory_lookup(page))
        return false;
    *known = page + 1;
    return true;
}

/* The caller makes the views follow. */
static void retype(uint64_t *table, unsigned level, uint64_t base)
{
    for (unsigned i = 0; i < EPT_TABLE_ENTRIES; i++) {
        uint64_t gpa = base + i * ept_entry_size(level);
        uint64_t *slot = &table[i];

        if (!ept_entry_present(*slot) || (level == 1 && (*slot & EPT_ADDRESS_MASK) == ones_pa))
            continue;
        if (ept_entry_is_leaf(*slot, level)) {
            const int type = block_type(gpa, level);
            if (type != MEMORY_TYPE_MIXED) {
                *slot = (*slot & ~EPT_MEMORY_TYPE_MASK) | (uint64_t)type << EPT_MEMORY_TYPE_SHIFT;
                continue;
            }
            slot_split(slot, gpa, level);
        }
        retype(ept_table_at(*slot), level - 1, gpa);
    }
}

bool ept_memory_types_update(void)
{
    if (!memory_types_read())
        return false;
    retype(ept_table_of(0, EPT_LEVELS), EPT_LEVELS, 0);
    memset(known_memory, 0, sizeof known_memory);
    ept_views_follow_all();
    return true;
}
