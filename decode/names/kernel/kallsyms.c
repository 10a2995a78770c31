#include "decode/names/kernel/kallsyms.h"

#include <elf.h>
#include <string.h>

#include "decode/names/bytes.h"
#include "decode/names/kernel/kallsyms_find.h"

#define NO_ADDRESS (~0ull)

/* What an entry of the table of offsets means. */
enum kallsyms_form {
    KALLSYMS_PERCPU,   /* an absolute address if it is not negative, else base - 1 - entry: x86_64 up to 6.14 */
    KALLSYMS_BASE,     /* base + entry */
    KALLSYMS_RELATIVE, /* the entry's own address + entry: 7.2 */
    KALLSYMS_NR_FORMS
};

/* The table of offsets, and how it is read. */
struct reading {
    const struct elf_file *vmlinux;
    const struct kallsyms_tables *tables;
    enum kallsyms_form form;
    uint64_t offsets; /* position of the table in the image */
    uint64_t address; /* linear address of the table */
    uint64_t base;
};

static uint64_t address_at(const struct reading *reading, uint32_t index)
{
    const uint64_t at = 4ull * index;
    const uint32_t value = read32(reading->vmlinux->bytes + reading->offsets + at);
    const uint64_t distance = (uint64_t)(int64_t)(int32_t)value;
    switch (reading->form) {
    case KALLSYMS_PERCPU:
        return (int32_t)value >= 0 ? value : reading->base - 1 - distance;
    case KALLSYMS_BASE:
        return reading->base + value;
    default:
        return reading->address + at + distance;
    }
}

/* The linear address of an offset in the file. */
static uint64_t address_of(const struct elf_file *vmlinux, uint64_t offset)
{
    for (size_t i = 0; i < vmlinux->nr_segments; i++) {
        const struct elf_segment *segment = &vmlinux->segments[i];
        if (segment->type == PT_LOAD && offset - segment->offset < segment->file_size)
            return segment->address + (offset - segment->offset);
    }
    return NO_ADDRESS;
}

/* Expand the tokens of a symbol: first a letter for its type, which is returned, then its name. '\0': no symbol. */
static char expand(char name[KALLSYMS_NAME_MAX], const uint8_t *image, const struct kallsyms_tables *tables,
                   uint64_t *at)
{
    const uint32_t length = kallsyms_length(image, at, tables->names_end);
    size_t used = 0;
    char type = '\0';
    for (uint32_t i = 0; i < length; i++) {
        const uint16_t index = read16(image + tables->token_index + 2 * image[*at + i]);
        const char *token = (const char *)image + tables->token_table + index;
        for (; *token; token++) {
            if (!type)
                type = *token;
            else if (used + 1 < KALLSYMS_NAME_MAX)
                name[used++] = *token;
        }
    }
    *at += length;
    name[used] = '\0';
    return used ? type : '\0';
}

/* The first address that code is linked at. */
static uint64_t first_code(const struct elf_file *vmlinux)
{
    uint64_t first = NO_ADDRESS;
    for (size_t i = 0; i < vmlinux->nr_segments; i++) {
        const struct elf_segment *segment = &vmlinux->segments[i];
        if (segment->type == PT_LOAD && (segment->flags & PF_X) && segment->address < first)
            first = segment->address;
    }
    return first;
}

/* The index of the symbol with this name. false: there is none. */
static bool find_name(uint32_t *index, const uint8_t *image, const struct kallsyms_tables *tables, const char *wanted)
{
    char name[KALLSYMS_NAME_MAX];
    uint64_t at = tables->names;
    for (*index = 0; *index < tables->count; ++*index)
        if (expand(name, image, tables, &at) && !strcmp(name, wanted))
            return true;
    return false;
}

/* The table must be sorted, with all addresses in the kernel or, of per-CPU variables, low. _text (index text) must be
 * where the code begins, which excludes wrong readings. */
static bool fits(const struct reading *reading, uint32_t text)
{
    const uint64_t code = first_code(reading->vmlinux);
    uint64_t before = 0;
    if (address_at(reading, text) != code)
        return false;
    for (uint32_t i = 0; i < reading->tables->count; i++) {
        const uint64_t address = address_at(reading, i);
        if (address < before || (address >= 1ull << 32 && address < code))
            return false;
        before = address;
    }
    return true;
}

/* Try all forms for a table at offsets. base_at: the position of base, if the image has it there. */
static bool try_forms(struct reading *reading, uint64_t offsets, uint64_t base_at, uint32_t text)
{
    const uint64_t size = 4ull * reading->tables->count;
    if (offsets % 4 || offsets > reading->vmlinux->size || size > reading->vmlinux->size - offsets)
        return false;
    reading->offsets = offsets;
    reading->address = address_of(reading->vmlinux, offsets);
    const bool has_base = base_at <= reading->vmlinux->size - sizeof(reading->base);
    if (has_base)
        memcpy(&reading->base, reading->vmlinux->bytes + base_at, sizeof(reading->base));
    for (reading->form = 0; reading->form < KALLSYMS_NR_FORMS; reading->form++)
        if ((reading->form == KALLSYMS_RELATIVE ? reading->address != NO_ADDRESS : has_base) && fits(reading, text))
            return true;
    return false;
}

/* Up to 6.3 the offsets and the base are before the number of symbols, since 6.4 after the token index. */
static bool find_addresses(struct reading *reading)
{
    const struct kallsyms_tables *tables = reading->tables;
    const uint32_t alignment = tables->alignment;
    const uint64_t size = 4ull * tables->count, number = tables->names - alignment;
    const uint64_t after = align_up(tables->token_index + 2 * KALLSYMS_TOKENS, alignment);
    uint32_t text;
    if (!find_name(&text, reading->vmlinux->bytes, tables, "_text"))
        return false;
    if (try_forms(reading, after, align_up(after + size, alignment), text))
        return true;
    return number >= 8 + align_up(size, alignment) &&
           try_forms(reading, number - 8 - align_up(size, alignment), number - 8, text);
}

bool kallsyms_read(struct symbol_table *symbols, const struct elf_file *vmlinux)
{
    struct kallsyms_tables tables;
    struct reading reading = {.vmlinux = vmlinux, .tables = &tables};
    char name[KALLSYMS_NAME_MAX];
    if (vmlinux->size < 8 || !kallsyms_find(&tables, vmlinux->bytes, vmlinux->size) || !find_addresses(&reading))
        return false;
    uint64_t at = tables.names;
    for (uint32_t i = 0; i < tables.count; i++) {
        const char type = expand(name, vmlinux->bytes, &tables, &at);
        /* Those of data too: a function ends where the next symbol of any kind begins. */
        if (type)
            symbol_table_add(symbols, address_at(&reading, i), 0, name, i);
    }
    return true;
}
