/* Kind: shell */
#include "vmx/code/space_lifetime.h"

#include "vmx/code/memory.h"
#include "vmx/code/pages.h"
#include "vmx/code/record.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/step.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/smp/kick.h"

#define ENTRY_P 1u
#define WAYS 8u /* slots in which a space can be */

/* All CPUs are interrupted: what runs next in these tables may run on a CPU whose stream has no record of the end. */
static void lifetime_end(struct cpu *cpu, struct space_lifetime *lifetime)
{
    if (lifetime->recorded) {
        record_map_send(
            cpu, (struct record_map){lifetime->space, 0, RECORD_PAGE_SIZE, pt_offset(cpu->pt), 0, 0, RECORD_MAP_ENDED},
            NULL);
        kick_ept_changed(cpu);
    }
    lifetime->generation = ++code_memory()->nr_generations;
    lifetime->recorded = lifetime->watched = false;
}

static struct space_lifetime *first_way(uint64_t space)
{
    return &code_memory()->lifetimes[(space / EPT_PAGE_SIZE * HASH_FACTOR >> 32) % (NR_SPACE_LIFETIMES - WAYS)];
}

/* NULL: it has no slot. */
static struct space_lifetime *lifetime_find(uint64_t space)
{
    struct space_lifetime *way = first_way(space);

    for (uint32_t i = 0; i < WAYS; i++, way++)
        if (way->space == space && way->generation != 0)
            return way;
    return NULL;
}

/* If all slots are taken, the records of the space that loses its slot are invalidated. */
struct space_lifetime *space_lifetime_of(struct cpu *cpu, uint64_t space)
{
    struct space_lifetime *lifetime = lifetime_find(space);

    if (lifetime)
        return lifetime;
    lifetime = first_way(space);
    for (uint32_t i = 1; lifetime->recorded && i < WAYS; i++)
        lifetime++;
    lifetime_end(cpu, lifetime);
    lifetime->space = space;
    return lifetime;
}

static void lifetime_watch(struct cpu *cpu, struct space_lifetime *lifetime)
{
    lifetime->watched = !(lifetime->space & ~EPT_PAGE_MASK) && guest_ram(lifetime->space) &&
                        code_page_watch_writes(cpu, lifetime->space);
}

void space_lifetime_recorded(struct cpu *cpu, struct space_lifetime *lifetime, uint64_t key, uint64_t linear)
{
    if (!machine.config.space_ends)
        return;
    if (!lifetime->recorded) {
        lifetime->key = key;
        lifetime->first = linear;
    }
    lifetime->recorded = true;
    if (!lifetime->watched)
        lifetime_watch(cpu, lifetime);
}

/* Not while the instruction that opened the table has yet to write it. */
static void open_space_watch(struct cpu *cpu)
{
    struct space_lifetime *lifetime = lifetime_find(code_of(cpu)->lifetime.open_space);

    if (lifetime && lifetime->recorded && !lifetime->watched) {
        if (code_page_is_being_written(cpu, lifetime->space))
            return;
        lifetime_watch(cpu, lifetime);
    }
    code_of(cpu)->lifetime.open_space = 0;
}

/* Does this write change no present entry that counts? The lowest byte of an entry has its present flag, whatever its
 * size. What the processor itself writes are accessed flags. In 4- and 5-level paging the upper half is the kernel's.
 */
static bool entry_stays(uint64_t gpa, uint64_t qualification)
{
    if (!(qualification & EPT_VIOLATION_TRANSLATED))
        return true;
    if (guest_code64() && (gpa & (EPT_PAGE_SIZE / 2)))
        return true;
    const volatile uint8_t *entry = guest_ram(gpa & ~3ull);
    return !entry || !(*entry & ENTRY_P);
}

/* A guest_walk_read that pretends that the guest has cleared the entry already that it is about to write: at *context.
 */
static bool read_others(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    return gpa != (*(const uint64_t *)context & ~(uint64_t)(size - 1)) && guest_entry_read(NULL, gpa, size, entry);
}

/* Will the first page that was recorded still be mapped? */
static bool first_stays(const struct space_lifetime *lifetime, uint64_t gpa)
{
    const struct guest_paging paging = guest_key_paging(lifetime->key);
    struct guest_stretch stretch;

    if (!guest_walk(&stretch, &paging, lifetime->first, read_others, &gpa))
        return false;
    const void *table = guest_ram(stretch.table);
    return table && guest_stretch_maps(&stretch, table, lifetime->first);
}

/* The space continues, and its table will be written again. */
static void write_step(struct cpu *cpu, uint64_t page)
{
    step_open_page(cpu, page, ept_lookup(page) | EPT_WRITE);
    step_begin(cpu, NULL);
}

bool space_lifetime_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    struct space_lifetime *lifetime = lifetime_find(gpa & EPT_PAGE_MASK);

    if (!lifetime || !lifetime->watched)
        return false;
    const bool stays = entry_stays(gpa, qualification);
    if (!stays && first_stays(lifetime, gpa)) {
        write_step(cpu, lifetime->space);
        return true;
    }
    lifetime->watched = false;
    if (!stays) {
        lifetime_end(cpu, lifetime);
        return false;
    }
    if (code_of(cpu)->lifetime.open_space && code_of(cpu)->lifetime.open_space != lifetime->space)
        open_space_watch(cpu);
    code_of(cpu)->lifetime.open_space = lifetime->space;
    return false;
}

void space_lifetime_rewatch(struct cpu *cpu)
{
    machine_lock(cpu);
    open_space_watch(cpu);
    machine_unlock(cpu);
}
