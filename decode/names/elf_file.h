/*
 * ELF files, 32- and 64-bit, little-endian: headers, symbols and relocations in one form for both classes. The file is
 * not trusted: what does not lie within its bytes is treated as absent. System V ABI, "Object Files". Pure.
 */
#ifndef DECODE_NAMES_ELF_FILE_H
#define DECODE_NAMES_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
    const char *name; /* "": none */
    uint32_t type, link, info;
    uint64_t flags, address, alignment, entry_size;
    uint64_t size;        /* bytes in memory */
    const uint8_t *bytes; /* NULL: they are not, or not all, in the file */
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t address, offset, file_size; /* clipped to the file */
    uint64_t memory_size;
};

struct elf_file {
    const uint8_t *bytes;
    size_t size;
    bool wide; /* 64-bit */
    uint16_t type, machine;
    uint64_t entry;
    struct elf_section *sections;
    size_t nr_sections;
    struct elf_segment *segments;
    size_t nr_segments;
};

struct elf_symbol {
    const char *name;
    uint64_t value, size;
    uint16_t section; /* its index, or SHN_* */
    uint8_t type, binding;
};

struct elf_relocation {
    uint64_t offset, addend;
    uint32_t symbol, type;
};

/* The bytes must outlive file. false: it is not such a file, or out of memory. */
bool elf_open(struct elf_file *file, const uint8_t *bytes, size_t size);
void elf_close(struct elf_file *file);

/* Do the bytes begin like a little-endian ELF file? */
bool elf_begins(const uint8_t *bytes, size_t size);

/* NULL: there is none. */
const struct elf_section *elf_section_named(const struct elf_file *file, const char *name);
const struct elf_section *elf_section_of_type(const struct elf_file *file, uint32_t type);

/* NULL: there is no section with this index. */
const struct elf_section *elf_section_at(const struct elf_file *file, size_t index);

/* A symbol of a SHT_SYMTAB or SHT_DYNSYM section. false: the index is too high. An invalid name becomes "". */
bool elf_symbol_at(struct elf_symbol *symbol, const struct elf_file *file, const struct elf_section *table,
                   size_t index);

/* A relocation of a SHT_REL or SHT_RELA section. false: the index is too high. */
bool elf_relocation_at(struct elf_relocation *relocation, const struct elf_file *file, const struct elf_section *table,
                       size_t index);

/* The bytes of the build ID, and how many there are. NULL: it has none. */
const uint8_t *elf_build_id(const struct elf_file *file, size_t *size);

#endif
