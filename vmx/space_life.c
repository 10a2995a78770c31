/* Kind: shell */
#include "vmx/space_life.h"

#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/guest_memory.h"
#include "vmx/guest_walk.h"
#include "vmx/map_memory.h"
#include "vmx/map_record.h"
#include "vmx/summons.h"
#include "vmx/vmcs.h"

#define PAGE_MASK (~(EPT_PAGE_SIZE - 1))
#define ENTRY_P 1u
#define WAYS 8u /* places that a space may have */

static bool page_is_being_written(const struct cpu *cpu, uint64_t page)
{
    return cpu->written_gpa == page && cpu->written_rip == vmreadn(VMCS_GUEST_RIP);
}

bool page_watch(struct cpu *cpu, uint64_t page)
{
    const uint64_t access = ept_lookup(page) & EPT_ACCESS_MASK;

    if (access == EPT_READ)
        return true;
    if (access != (EPT_READ | EPT_WRITE) || page_is_being_written(cpu, page))
        return false;
    ept_set_access(page, EPT_READ);
    summons_ept_changed(cpu);
    ept_invalidate(&cpu->view);
    return true;
}

/* All CPUs hear of it at once: what runs in these tables next may run on another one, where it has no record. */
static void life_end(struct cpu *cpu, struct space_life *life)
{
    if (life->told) {
        map_record_send(
            cpu, (struct record_map){life->space, 0, RECORD_PAGE_SIZE, pt_offset(cpu->pt), 0, 0, RECORD_MAP_ENDED},
            NULL);
        summons_ept_changed(cpu);
    }
    life->life = ++map_memory()->nr_lives;
    life->told = life->watched = false;
}

static struct space_life *first_way(uint64_t space)
{
    return &map_memory()->lives[(space / EPT_PAGE_SIZE * HASH_FACTOR >> 32) % (NR_SPACE_LIVES - WAYS)];
}

/* NULL: it has no place. */
static struct space_life *life_find(uint64_t space)
{
    struct space_life *way = first_way(space);

    for (uint32_t i = 0; i < WAYS; i++, way++)
        if (way->space == space && way->life != 0)
            return way;
    return NULL;
}

/* Where all places are taken, what is told of the one that goes is not known any more. */
struct space_life *space_life_of(struct cpu *cpu, uint64_t space)
{
    struct space_life *life = life_find(space);

    if (life)
        return life;
    life = first_way(space);
    for (uint32_t i = 1; life->told && i < WAYS; i++)
        life++;
    life_end(cpu, life);
    life->space = space;
    return life;
}

__attribute__((noinline)) static void life_watch(struct cpu *cpu, struct space_life *life)
{
    life->watched = !(life->space & ~PAGE_MASK) && ept_is_memory(life->space) && page_watch(cpu, life->space);
}

void space_life_told(struct cpu *cpu, struct space_life *life, uint64_t linear)
{
    if (!machine.config.space_ends)
        return;
    if (!life->told)
        life->first = linear;
    life->told = true;
    if (!life->watched)
        life_watch(cpu, life);
}

/* Not while the instruction that opened it is yet to write it. */
static void open_close(struct cpu *cpu)
{
    struct space_life *life = life_find(cpu->open_space);

    if (life && life->told && !life->watched) {
        if (page_is_being_written(cpu, life->space))
            return;
        life_watch(cpu, life);
    }
    cpu->open_space = 0;
}

/* Entries' lowest byte has the flag, whatever their size. What the processor writes are accessed flags. */
static bool entry_stays(uint64_t gpa, uint64_t qualification)
{
    if (!(qualification & EPT_VIOLATION_TRANSLATED))
        return true;
    if (guest_code64() && (gpa & (EPT_PAGE_SIZE / 2))) /* the kernel's half */
        return true;
    return !(*(const volatile uint8_t *)phys_to_virt(gpa & ~3ull) & ENTRY_P);
}

/* context: where the guest writes, as if it had cleared the entry there already. */
static bool read_others(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    return gpa != (*(const uint64_t *)context & ~(uint64_t)(size - 1)) && guest_entry_read(NULL, gpa, size, entry);
}

static bool first_stays(const struct space_life *life, uint64_t gpa)
{
    const struct guest_paging paging = guest_paging(life->space);
    struct guest_stretch stretch;

    return guest_walk(&stretch, &paging, life->first, read_others, &gpa) && ept_is_memory(stretch.table) &&
           guest_stretch_maps(&stretch, phys_to_virt(stretch.table), life->first);
}

/* It goes on behind that, and will be written again. */
static void write_step(struct cpu *cpu, uint64_t page)
{
    step_open_page(cpu, page, ept_lookup(page) | EPT_WRITE);
    step_begin(cpu, NULL);
}

bool space_life_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    struct space_life *life = life_find(gpa & PAGE_MASK);

    if (!life || !life->watched)
        return false;
    const bool stays = entry_stays(gpa, qualification);
    if (!stays && first_stays(life, gpa)) {
        write_step(cpu, life->space);
        return true;
    }
    life->watched = false;
    if (!stays) {
        life_end(cpu, life);
        return false;
    }
    if (cpu->open_space && cpu->open_space != life->space)
        open_close(cpu);
    cpu->open_space = life->space;
    return false;
}

void space_life_close(struct cpu *cpu)
{
    machine_lock(cpu);
    open_close(cpu);
    machine_unlock(cpu);
}
