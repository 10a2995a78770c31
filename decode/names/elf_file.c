#include "decode/names/elf_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Copy the structure of the file's class from `at`, and fill *to from it. fill uses fields that both classes have. */
#define TAKE(file, to, at, type32, type64, fill)                                                                       \
    do {                                                                                                               \
        if ((file)->wide) {                                                                                            \
            type64 raw;                                                                                                \
            memcpy(&raw, (at), sizeof(raw));                                                                           \
            fill(to, raw);                                                                                             \
        } else {                                                                                                       \
            type32 raw;                                                                                                \
            memcpy(&raw, (at), sizeof(raw));                                                                           \
            fill(to, raw);                                                                                             \
        }                                                                                                              \
    } while (0)

struct header {
    uint64_t segments, sections;
    uint32_t nr_segments, nr_sections, names;
};

bool elf_begins(const uint8_t *bytes, size_t size)
{
    return size >= sizeof(Elf32_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG) && bytes[EI_DATA] == ELFDATA2LSB &&
           (bytes[EI_CLASS] == ELFCLASS32 || (bytes[EI_CLASS] == ELFCLASS64 && size >= sizeof(Elf64_Ehdr)));
}

static bool within(const struct elf_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

static bool take_header(struct elf_file *file, struct header *header)
{
#define FILL_HEADER(to, raw)                                                                                           \
    do {                                                                                                               \
        *(to) = (struct header){(raw).e_phoff, (raw).e_shoff, (raw).e_phnum, (raw).e_shnum, (raw).e_shstrndx};         \
        file->type = (raw).e_type;                                                                                     \
        file->machine = (raw).e_machine;                                                                               \
        file->entry = (raw).e_entry;                                                                                   \
        sane = (!(raw).e_phnum || (raw).e_phentsize == segment_size) &&                                                \
               (!(raw).e_shnum || (raw).e_shentsize == section_size);                                                  \
    } while (0)
    const size_t segment_size = file->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    const size_t section_size = file->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    bool sane = false;
    TAKE(file, header, file->bytes, Elf32_Ehdr, Elf64_Ehdr, FILL_HEADER);
    return sane;
#undef FILL_HEADER
}

static bool take_segments(struct elf_file *file, const struct header *header)
{
#define FILL_SEGMENT(to, raw)                                                                                          \
    *(to) = (struct elf_segment)                                                                                       \
    {                                                                                                                  \
        (raw).p_type, (raw).p_flags, (raw).p_vaddr, (raw).p_offset, (raw).p_filesz, (raw).p_memsz                      \
    }
    const size_t size = file->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (!header->nr_segments || !within(file, header->segments, header->nr_segments * size))
        return header->nr_segments == 0;
    file->segments = calloc(header->nr_segments, sizeof(*file->segments));
    if (!file->segments)
        return false;
    file->nr_segments = header->nr_segments;
    for (size_t i = 0; i < file->nr_segments; i++) {
        struct elf_segment *segment = &file->segments[i];
        TAKE(file, segment, file->bytes + header->segments + i * size, Elf32_Phdr, Elf64_Phdr, FILL_SEGMENT);
        if (segment->offset > file->size)
            segment->offset = segment->file_size = 0;
        if (segment->file_size > file->size - segment->offset)
            segment->file_size = file->size - segment->offset;
    }
    return true;
#undef FILL_SEGMENT
}

/* The string at an offset of a string table; "" if it does not end within the table. */
static const char *string_at(const struct elf_section *table, uint64_t offset)
{
    if (!table || !table->bytes || offset >= table->size ||
        !memchr(table->bytes + offset, '\0', (size_t)(table->size - offset)))
        return "";
    return (const char *)table->bytes + offset;
}

static bool take_sections(struct elf_file *file, const struct header *header)
{
    uint64_t offset = 0;
    uint32_t name = 0;
#define FILL_SECTION(to, raw)                                                                                          \
    do {                                                                                                               \
        *(to) = (struct elf_section){.type = (raw).sh_type,                                                            \
                                     .link = (raw).sh_link,                                                            \
                                     .info = (raw).sh_info,                                                            \
                                     .flags = (raw).sh_flags,                                                          \
                                     .address = (raw).sh_addr,                                                         \
                                     .alignment = (raw).sh_addralign,                                                  \
                                     .entry_size = (raw).sh_entsize,                                                   \
                                     .size = (raw).sh_size};                                                           \
        offset = (raw).sh_offset;                                                                                      \
        name = (raw).sh_name;                                                                                          \
    } while (0)
    const size_t size = file->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (!header->nr_sections || !within(file, header->sections, header->nr_sections * size))
        return true; /* programs need no sections */
    uint32_t *names = malloc(header->nr_sections * sizeof(*names));
    file->sections = calloc(header->nr_sections, sizeof(*file->sections));
    if (!file->sections || !names) {
        free(names);
        return false;
    }
    file->nr_sections = header->nr_sections;
    for (size_t i = 0; i < file->nr_sections; i++) {
        struct elf_section *section = &file->sections[i];
        TAKE(file, section, file->bytes + header->sections + i * size, Elf32_Shdr, Elf64_Shdr, FILL_SECTION);
        names[i] = name;
        if (section->type != SHT_NOBITS && section->type != SHT_NULL && within(file, offset, section->size))
            section->bytes = file->bytes + offset;
    }
    for (size_t i = 0; i < file->nr_sections; i++)
        file->sections[i].name = string_at(elf_section_at(file, header->names), names[i]);
    free(names);
    return true;
#undef FILL_SECTION
}

bool elf_open(struct elf_file *file, const uint8_t *bytes, size_t size)
{
    struct header header = {0};
    *file = (struct elf_file){.bytes = bytes, .size = size};
    if (!elf_begins(bytes, size))
        return false;
    file->wide = bytes[EI_CLASS] == ELFCLASS64;
    if (take_header(file, &header) && take_segments(file, &header) && take_sections(file, &header))
        return true;
    elf_close(file);
    return false;
}

void elf_close(struct elf_file *file)
{
    free(file->sections);
    free(file->segments);
    *file = (struct elf_file){0};
}

const struct elf_section *elf_section_at(const struct elf_file *file, size_t index)
{
    return index < file->nr_sections ? &file->sections[index] : NULL;
}

const struct elf_section *elf_section_named(const struct elf_file *file, const char *name)
{
    for (size_t i = 0; i < file->nr_sections; i++)
        if (!strcmp(file->sections[i].name, name))
            return &file->sections[i];
    return NULL;
}

const struct elf_section *elf_section_of_type(const struct elf_file *file, uint32_t type)
{
    for (size_t i = 0; i < file->nr_sections; i++)
        if (file->sections[i].type == type)
            return &file->sections[i];
    return NULL;
}

/* An entry of a table; NULL: there is none with this index. */
static const uint8_t *entry_at(const struct elf_section *table, size_t index, size_t size)
{
    return table && table->bytes && index < table->size / size ? table->bytes + index * size : NULL;
}

bool elf_symbol_at(struct elf_symbol *symbol, const struct elf_file *file, const struct elf_section *table,
                   size_t index)
{
#define FILL_SYMBOL(to, raw)                                                                                           \
    *(to) = (struct elf_symbol)                                                                                        \
    {                                                                                                                  \
        .name = string_at(elf_section_at(file, table->link), (raw).st_name), .value = (raw).st_value,                  \
        .size = (raw).st_size, .section = (raw).st_shndx, .type = ELF64_ST_TYPE((raw).st_info),                        \
        .binding = ELF64_ST_BIND((raw).st_info)                                                                        \
    }
    const uint8_t *entry = entry_at(table, index, file->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    if (!entry)
        return false;
    TAKE(file, symbol, entry, Elf32_Sym, Elf64_Sym, FILL_SYMBOL);
    return true;
#undef FILL_SYMBOL
}

/* For both classes, with and without an addend. */
static bool take_relocation(struct elf_relocation *to, const uint8_t *entry, bool wide, bool addend)
{
    Elf64_Rela wide_entry = {0};
    Elf32_Rela narrow_entry = {0};
    if (wide) {
        memcpy(&wide_entry, entry, addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
        *to = (struct elf_relocation){wide_entry.r_offset, (uint64_t)wide_entry.r_addend,
                                      (uint32_t)ELF64_R_SYM(wide_entry.r_info), (uint32_t)wide_entry.r_info};
    } else {
        memcpy(&narrow_entry, entry, addend ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
        *to = (struct elf_relocation){narrow_entry.r_offset, (uint64_t)narrow_entry.r_addend,
                                      ELF32_R_SYM(narrow_entry.r_info), ELF32_R_TYPE(narrow_entry.r_info)};
    }
    return true;
}

bool elf_relocation_at(struct elf_relocation *relocation, const struct elf_file *file, const struct elf_section *table,
                       size_t index)
{
    const bool addend = table->type == SHT_RELA;
    if (!addend && table->type != SHT_REL)
        return false;
    const size_t wide = addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    const size_t narrow = addend ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
    const uint8_t *entry = entry_at(table, index, file->wide ? wide : narrow);
    return entry && take_relocation(relocation, entry, file->wide, addend);
}

/* The build ID among the notes of a section, which are aligned to 4 bytes. */
static const uint8_t *build_id_in(const struct elf_section *section, size_t *size)
{
    Elf64_Nhdr note; /* the same in both classes */
    for (uint64_t at = 0; section->size - at >= sizeof(note);) {
        memcpy(&note, section->bytes + at, sizeof(note));
        const uint64_t name = at + sizeof(note), description = name + ((uint64_t)note.n_namesz + 3) / 4 * 4;
        const uint64_t end = description + ((uint64_t)note.n_descsz + 3) / 4 * 4;
        if (description > section->size || note.n_descsz > section->size - description)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) && note.n_descsz >= 2 &&
            !memcmp(section->bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
            *size = note.n_descsz;
            return section->bytes + description;
        }
        if (end >= section->size)
            return NULL;
        at = end;
    }
    return NULL;
}

const uint8_t *elf_build_id(const struct elf_file *file, size_t *size)
{
    for (size_t i = 0; i < file->nr_sections; i++) {
        const struct elf_section *section = &file->sections[i];
        const bool has_notes = section->type == SHT_NOTE && section->bytes && /* .notes: all of Linux's */
                               (!strcmp(section->name, ".note.gnu.build-id") || !strcmp(section->name, ".notes"));
        const uint8_t *id = has_notes ? build_id_in(section, size) : NULL;
        if (id)
            return id;
    }
    return NULL;
}
