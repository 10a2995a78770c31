/* Kind: shell */
#include "vmx/ept/view.h"

#include <string.h>

#include "base/init.h"
#include "base/phys.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/tables.h"

#define INVEPT_SINGLE_CONTEXT 1ull

/* The local APIC's page, and what one instruction can access: 16 scattered elements, each across a page boundary, two
 * pages of code. The elements' pages are hidden ones, which lie together: they share tables. */
#define EPT_VIEW_PAGES 36u
#define EPT_VIEW_TABLES 43u
_Static_assert(sizeof(((struct cpu *)0)->view_tables) == (1 + EPT_VIEW_TABLES) * EPT_PAGE_SIZE, "the PML4 and they");

struct ept_private_table {
    uint64_t base; /* the first address that it maps */
    unsigned level;
    uint64_t *entries;
};

/* The machine's lock: changes of the machine's tree reach the views of all CPUs. */
struct ept_view_cpu {
    struct ept_view_cpu *next;
    uint64_t *pml4;
    uint8_t *memory; /* EPT_VIEW_TABLES pages, after pml4 */
    struct ept_private_table tables[EPT_VIEW_TABLES];
    uint64_t pages[EPT_VIEW_PAGES]; /* mapped differently from the machine's tree */
    uint32_t nr_tables, nr_pages;
    uint32_t kept_tables, kept_pages; /* so many remain after ept_view_close */
};
CPU_STATE(ept_view)

static struct ept_view_cpu *views; /* the machine's lock guards it */

INIT_CODE void ept_view_init(struct cpu *cpu)
{
    struct ept_view_cpu *view = ept_view_of(cpu);

    *view = (struct ept_view_cpu){
        .pml4 = (uint64_t *)(void *)cpu->view_tables[0], .memory = cpu->view_tables[1], .next = views};
    memcpy(view->pml4, ept_table_of(0, EPT_LEVELS), EPT_PAGE_SIZE);
    views = view;
}

uint64_t ept_view_pointer(const struct cpu *cpu)
{
    return ept_pointer(virt_to_phys(ept_view_of(cpu)->pml4));
}

/* The first address that gpa's table of this level maps. */
static uint64_t table_base(uint64_t gpa, unsigned level)
{
    return gpa & ~(ept_entry_size(level + 1) - 1);
}

/* NULL: this view shares the machine's table. */
static uint64_t *private_entries(const struct ept_view_cpu *view, uint64_t gpa, unsigned level)
{
    if (level == EPT_LEVELS)
        return view->pml4;
    for (uint32_t i = 0; i < view->nr_tables; i++)
        if (view->tables[i].level == level && view->tables[i].base == table_base(gpa, level))
            return view->tables[i].entries;
    return NULL;
}

/* Copy the tables on the way to gpa, from the top down. NULL: no room for another one. */
static uint64_t *make_private(struct ept_view_cpu *view, uint64_t gpa)
{
    uint64_t *entries = view->pml4;

    for (unsigned level = EPT_LEVELS - 1; level > 0; level--) {
        uint64_t *parent = entries;

        entries = private_entries(view, gpa, level);
        if (entries)
            continue;
        if (view->nr_tables == EPT_VIEW_TABLES)
            return NULL;
        entries = (uint64_t *)(void *)(view->memory + EPT_PAGE_SIZE * view->nr_tables);
        memcpy(entries, ept_table_of(gpa, level), EPT_PAGE_SIZE);
        view->tables[view->nr_tables++] = (struct ept_private_table){table_base(gpa, level), level, entries};
        parent[ept_index(gpa, level + 1)] = ept_table_entry(virt_to_phys(entries));
    }
    return entries;
}

static bool has_open(const struct ept_view_cpu *view, uint64_t gpa)
{
    for (uint32_t i = 0; i < view->nr_pages; i++)
        if (view->pages[i] == (gpa & EPT_PAGE_MASK))
            return true;
    return false;
}

bool ept_view_has_open(const struct cpu *cpu, uint64_t gpa)
{
    return has_open(ept_view_of(cpu), gpa);
}

bool ept_view_has_opened(const struct cpu *cpu)
{
    return ept_view_of(cpu)->nr_pages > ept_view_of(cpu)->kept_pages;
}

uint64_t *ept_view_open(struct cpu *cpu, uint64_t gpa)
{
    struct ept_view_cpu *view = ept_view_of(cpu);

    if (!has_open(view, gpa)) {
        if (view->nr_pages == EPT_VIEW_PAGES)
            return NULL;
        view->pages[view->nr_pages++] = gpa & EPT_PAGE_MASK;
    }
    uint64_t *entries = make_private(view, gpa);
    return entries ? &entries[ept_index(gpa, 1)] : NULL;
}

void ept_view_keep(struct cpu *cpu)
{
    struct ept_view_cpu *view = ept_view_of(cpu);

    view->kept_tables = view->nr_tables;
    view->kept_pages = view->nr_pages;
}

void ept_view_close(struct cpu *cpu)
{
    struct ept_view_cpu *view = ept_view_of(cpu);

    while (view->nr_tables > view->kept_tables) {
        const struct ept_private_table *table = &view->tables[--view->nr_tables];
        uint64_t *parent = private_entries(view, table->base, table->level + 1);

        parent[ept_index(table->base, table->level + 1)] = *ept_slot(table->base, table->level + 1);
    }
    while (view->nr_pages > view->kept_pages) {
        const uint64_t gpa = view->pages[--view->nr_pages];
        uint64_t *kept = private_entries(view, gpa, 1);

        if (kept)
            kept[ept_index(gpa, 1)] = *ept_slot(gpa, 1);
    }
}

bool ept_view_is_guarded(const struct cpu *cpu)
{
    const struct ept_view_cpu *view = ept_view_of(cpu);

    for (uint32_t i = view->kept_pages; i < view->nr_pages; i++) {
        const uint64_t gpa = view->pages[i], entry = private_entries(view, gpa, 1)[ept_index(gpa, 1)];

        if (!(entry & EPT_GUARDED) || entry != (*ept_slot(gpa, 1) | EPT_EXECUTE))
            return false;
    }
    return true;
}

void ept_view_drop(struct cpu *cpu)
{
    struct ept_view_cpu *view = ept_view_of(cpu);

    view->kept_tables = view->kept_pages = 0;
    ept_view_close(cpu);
}

void ept_invalidate(const struct cpu *cpu)
{
    const struct {
        uint64_t eptp, reserved;
    } descriptor = {ept_view_pointer(cpu), 0};
    uint8_t failed;

    __asm__ volatile("invept %[descriptor], %[type]"
                     : "=@ccbe"(failed)
                     : [descriptor] "m"(descriptor), [type] "r"(INVEPT_SINGLE_CONTEXT)
                     : "memory");
    if (failed)
        fail_stop_here("INVEPT failed");
}

/* Does the view map this entry's addresses differently from the machine's tree? */
static bool entry_is_own(const struct ept_view_cpu *view, uint64_t gpa, unsigned level)
{
    return level == 1 ? has_open(view, gpa) : private_entries(view, gpa, level - 1) != NULL;
}

void ept_views_follow(uint64_t gpa, unsigned level, uint64_t entry)
{
    for (const struct ept_view_cpu *view = views; view; view = view->next) {
        uint64_t *entries = private_entries(view, gpa, level);

        if (entries && !entry_is_own(view, gpa, level))
            entries[ept_index(gpa, level)] = entry;
    }
}

static void follow_table(const struct ept_view_cpu *view, uint64_t base, unsigned level)
{
    uint64_t *own = private_entries(view, base, level);
    const uint64_t *shared = ept_table_of(base, level);

    for (unsigned i = 0; i < EPT_TABLE_ENTRIES; i++)
        if (!entry_is_own(view, base + i * ept_entry_size(level), level))
            own[i] = shared[i];
}

void ept_views_follow_all(void)
{
    for (const struct ept_view_cpu *view = views; view; view = view->next) {
        follow_table(view, 0, EPT_LEVELS);
        for (uint32_t i = 0; i < view->nr_tables; i++)
            follow_table(view, view->tables[i].base, view->tables[i].level);
    }
}
