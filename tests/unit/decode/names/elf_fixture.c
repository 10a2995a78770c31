/* See elf_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/names/elf_fixture.h"

#define PAGE 4096u
#define MOST_SECTIONS 32u

void fill_code(uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        bytes[i] = (uint8_t)(state >> 56);
    }
}

static void put(uint8_t *file, size_t at, const void *bytes, size_t size)
{
    memcpy(file + at, bytes, size);
}

static void put_section(uint8_t *file, size_t at, bool narrow, const struct made_section *s, uint32_t name,
                        size_t offset)
{
    const uint64_t alignment = s->alignment ? s->alignment : 16;
    const Elf64_Shdr wide = {name,    s->type, s->flags, s->address, offset,
                             s->size, s->link, s->info,  alignment,  s->entry_size};
    const Elf32_Shdr thin = {
        name,    s->type, (uint32_t)s->flags,  (uint32_t)s->address,   (uint32_t)offset, (uint32_t)s->size,
        s->link, s->info, (uint32_t)alignment, (uint32_t)s->entry_size};
    put(file, at, narrow ? (const void *)&thin : &wide, narrow ? sizeof(thin) : sizeof(wide));
}

static void put_segment(uint8_t *file, size_t at, bool narrow, const struct made_section *s, size_t offset)
{
    const uint32_t flags = PF_R | (s->flags & SHF_EXECINSTR ? PF_X : 0);
    const Elf64_Phdr wide = {PT_LOAD, flags, offset, s->address, s->address, s->size, s->size, PAGE};
    const Elf32_Phdr thin = {PT_LOAD,
                             (uint32_t)offset,
                             (uint32_t)s->address,
                             (uint32_t)s->address,
                             (uint32_t)s->size,
                             (uint32_t)s->size,
                             flags,
                             PAGE};
    put(file, at, narrow ? (const void *)&thin : &wide, narrow ? sizeof(thin) : sizeof(wide));
}

static void put_header(uint8_t *file, struct made_head head, size_t segments, size_t nr_segments, size_t sections,
                       size_t nr_sections)
{
    Elf64_Ehdr wide = {.e_type = head.type,
                       .e_machine = head.machine,
                       .e_version = EV_CURRENT,
                       .e_entry = head.entry,
                       .e_phoff = segments,
                       .e_shoff = sections,
                       .e_ehsize = sizeof(wide),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = (uint16_t)nr_segments,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = (uint16_t)nr_sections,
                       .e_shstrndx = (uint16_t)(nr_sections - 1)};
    Elf32_Ehdr thin = {.e_type = head.type,
                       .e_machine = head.machine,
                       .e_version = EV_CURRENT,
                       .e_entry = (uint32_t)head.entry,
                       .e_phoff = (uint32_t)segments,
                       .e_shoff = (uint32_t)sections,
                       .e_ehsize = sizeof(thin),
                       .e_phentsize = sizeof(Elf32_Phdr),
                       .e_phnum = (uint16_t)nr_segments,
                       .e_shentsize = sizeof(Elf32_Shdr),
                       .e_shnum = (uint16_t)nr_sections,
                       .e_shstrndx = (uint16_t)(nr_sections - 1)};
    uint8_t *ident = head.narrow ? thin.e_ident : wide.e_ident;
    memcpy(ident, ELFMAG, SELFMAG);
    ident[EI_CLASS] = head.narrow ? ELFCLASS32 : ELFCLASS64;
    ident[EI_DATA] = ELFDATA2LSB;
    put(file, 0, head.narrow ? (const void *)&thin : &wide, head.narrow ? sizeof(thin) : sizeof(wide));
}

uint8_t *make_elf(size_t *size, struct made_head head, const struct made_section *sections, size_t count)
{
    size_t offsets[MOST_SECTIONS], at = PAGE, nr_segments = 0;
    char names[1024] = "";
    uint32_t name_at[MOST_SECTIONS], names_size = 1;
    const size_t shdr = head.narrow ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
    const size_t phdr = head.narrow ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    assert_true(count + 2 <= MOST_SECTIONS);
    for (size_t i = 0; i < count; i++) {
        at = (at + 15) & ~15ull;
        if (sections[i].address) /* offset and address are equal modulo the page size */
            at += (size_t)((sections[i].address - at) % PAGE);
        offsets[i] = at;
        at += sections[i].type == SHT_NOBITS ? 0 : sections[i].size;
        name_at[i] = names_size;
        names_size += (uint32_t)strlen(strcpy(names + names_size, sections[i].name)) + 1;
    }
    const struct made_section strings = {.type = SHT_STRTAB, .bytes = names, .size = sizeof(names)};
    const size_t strings_at = at, headers = (at + sizeof(names) + 15) & ~15ull;
    *size = headers + (count + 2) * shdr;
    uint8_t *file = calloc(1, *size);
    assert_non_null(file);
    put(file, strings_at, names, sizeof(names));
    for (size_t i = 0; i < count; i++) {
        if (sections[i].bytes)
            put(file, offsets[i], sections[i].bytes, sections[i].size);
        put_section(file, headers + (i + 1) * shdr, head.narrow, &sections[i], name_at[i], offsets[i]);
        if (sections[i].address)
            put_segment(file, 64 + nr_segments++ * phdr, head.narrow, &sections[i], offsets[i]);
    }
    put_section(file, headers + (count + 1) * shdr, head.narrow, &strings, 0, strings_at);
    put_header(file, head, 64, nr_segments, headers, count + 2);
    return file;
}

void add_symbol(struct made_symbols *symbols, const char *name, uint64_t value, uint64_t size, unsigned info,
                uint16_t section)
{
    if (symbols->count == 0)
        symbols->count = symbols->names_size = 1;
    assert_true(symbols->count < MADE_SYMBOLS);
    const uint32_t at = (uint32_t)symbols->names_size;
    symbols->names_size += strlen(strcpy(symbols->names + at, name)) + 1;
    symbols->wide[symbols->count] = (Elf64_Sym){at, (unsigned char)info, 0, section, value, size};
    symbols->narrow[symbols->count++] =
        (Elf32_Sym){at, (uint32_t)value, (uint32_t)size, (unsigned char)info, 0, section};
}

struct made_section symbols_section(const struct made_symbols *symbols, bool narrow, uint32_t type, uint32_t link)
{
    return (struct made_section){.name = type == SHT_SYMTAB ? ".symtab" : ".dynsym",
                                 .type = type,
                                 .flags = type == SHT_DYNSYM ? SHF_ALLOC : 0,
                                 .bytes = narrow ? (const void *)symbols->narrow : symbols->wide,
                                 .size = symbols->count * (narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym)),
                                 .link = link};
}

struct made_section strings_section(const struct made_symbols *symbols)
{
    return (struct made_section){
        .name = ".strtab", .type = SHT_STRTAB, .bytes = symbols->names, .size = symbols->names_size};
}
