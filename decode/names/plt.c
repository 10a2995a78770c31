#include "decode/names/plt.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/names/bytes.h"

#define NAME_MAX_LENGTH 1024u
#define ENTRY 16u /* bytes; 8 if the section's entry size is 8 */
#define RANK 1000u

/* A slot of the GOT, and the symbol whose address it holds. */
struct slot {
    uint64_t address;
    const char *name;
};

struct slots {
    struct slot *items; /* sorted by address */
    size_t count, room;
    struct slot *lazy; /* those of .rela.plt or .rel.plt, in its order */
    size_t nr_lazy, lazy_room;
};

static int compare(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static struct slot slot_of(const struct elf_file *file, const struct elf_section *table,
                           const struct elf_relocation *relocation)
{
    struct elf_symbol symbol;
    struct slot slot = {.address = relocation->offset, .name = ""};
    const struct elf_section *names = elf_section_at(file, table->link);
    if (relocation->symbol && names && elf_symbol_at(&symbol, file, names, relocation->symbol))
        slot.name = symbol.name;
    return slot;
}

static bool is_dynamic(const struct elf_section *table)
{
    return (table->type == SHT_REL || table->type == SHT_RELA) && (table->flags & SHF_ALLOC);
}

static bool keep(struct slot **slots, size_t *count, size_t *room, struct slot slot)
{
    struct slot *place = list_add((void **)slots, count, room, sizeof(*place));
    if (place)
        *place = slot;
    return place;
}

/* false: out of memory. */
static bool take_slots(struct slots *slots, const struct elf_file *file)
{
    struct elf_relocation relocation;
    for (size_t i = 0; i < file->nr_sections; i++) {
        const struct elf_section *table = &file->sections[i];
        const bool lazy = !strcmp(table->name, ".rela.plt") || !strcmp(table->name, ".rel.plt");
        for (size_t j = 0; is_dynamic(table) && elf_relocation_at(&relocation, file, table, j); j++) {
            const struct slot slot = slot_of(file, table, &relocation);
            if ((lazy && !keep(&slots->lazy, &slots->nr_lazy, &slots->lazy_room, slot)) ||
                (slot.name[0] && !keep(&slots->items, &slots->count, &slots->room, slot)))
                return false;
        }
    }
    if (slots->count)
        qsort(slots->items, slots->count, sizeof(*slots->items), compare);
    return true;
}

static const char *slot_name(const struct slots *slots, uint64_t address)
{
    const struct slot wanted = {.address = address};
    const struct slot *slot =
        slots->count ? bsearch(&wanted, slots->items, slots->count, sizeof(wanted), compare) : NULL;
    return slot ? slot->name : NULL;
}

/* The symbol of an entry: by its JMP through a slot (FF /4), or if the JMP is in another section (.plt.sec), by its
 * PUSH of the relocation's index (opcode 68; in 32-bit files the relocation's offset). NULL: not known. */
static const char *entry_name(const struct slots *slots, const struct elf_file *file, const uint8_t *entry, size_t size,
                              uint64_t address, uint64_t got)
{
    const uint64_t mask = file->wide ? UINT64_MAX : UINT32_MAX;
    for (size_t i = 0; i + 6 <= size; i++) {
        const uint64_t operand = read32(entry + i + 2);
        const uint64_t signed_operand = (uint64_t)(int64_t)(int32_t)operand;
        if (entry[i] != 0xff)
            continue;
        if (entry[i + 1] == 0x25) /* RIP-relative; in 32-bit files absolute */
            return slot_name(slots, file->wide ? address + i + 6 + signed_operand : operand);
        if (entry[i + 1] == 0xa3 && !file->wide) /* EBX holds the GOT's address */
            return slot_name(slots, (got + signed_operand) & mask);
    }
    const size_t push = size >= 9 && !memcmp(entry, "\xf3\x0f\x1e", 3) ? 4 : 0; /* after ENDBR */
    if (size < push + 5 || entry[push] != 0x68)
        return NULL;
    const uint64_t number = read32(entry + push + 1) / (file->wide ? 1 : sizeof(Elf32_Rel));
    return number < slots->nr_lazy ? slots->lazy[number].name : NULL;
}

static void read_section(struct symbol_table *symbols, const struct slots *slots, const struct elf_file *file,
                         const struct elf_section *plt, uint64_t got)
{
    char text[NAME_MAX_LENGTH];
    const uint64_t step = plt->entry_size == 8 ? 8 : ENTRY;
    for (uint64_t at = 0; plt->bytes && at + step <= plt->size; at += step) {
        const char *name = entry_name(slots, file, plt->bytes + at, (size_t)step, plt->address + at, got);
        if (!name || !name[0])
            continue;
        snprintf(text, sizeof(text), "%s@plt", name);
        symbol_table_add(symbols, plt->address + at, step, text, RANK);
    }
}

void plt_read(struct symbol_table *symbols, const struct elf_file *file)
{
    static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
    struct slots slots = {0};
    const struct elf_section *got = elf_section_named(file, ".got.plt");
    got = got ? got : elf_section_named(file, ".got");
    if (take_slots(&slots, file)) {
        for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
            const struct elf_section *plt = elf_section_named(file, sections[i]);
            if (plt)
                read_section(symbols, &slots, file, plt, got ? got->address : 0);
        }
    } else {
        symbols->no_memory = true;
    }
    free(slots.items);
    free(slots.lazy);
}
