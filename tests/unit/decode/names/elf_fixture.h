/* Writes ELF files for tests. Each section with an address also gets a segment. */
#ifndef TESTS_UNIT_DECODE_NAMES_ELF_FIXTURE_H
#define TESTS_UNIT_DECODE_NAMES_ELF_FIXTURE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_section {
    const char *name;
    uint32_t type;
    uint64_t flags, address;
    const void *bytes;
    size_t size;
    uint32_t link, info; /* section indices: the first given section has 1 */
    uint64_t entry_size;
    uint64_t alignment; /* 0: 16 */
};

struct made_head {
    bool narrow; /* 32-bit */
    uint16_t type, machine;
    uint64_t entry;
};

/* free() the result. */
uint8_t *make_elf(size_t *size, struct made_head head, const struct made_section *sections, size_t count);

/* The symbols for a SHT_SYMTAB or SHT_DYNSYM section, and their names for its string table. Symbol 0 is null, as in
 * every table. */
#define MADE_SYMBOLS 64u
struct made_symbols {
    Elf64_Sym wide[MADE_SYMBOLS];
    Elf32_Sym narrow[MADE_SYMBOLS];
    size_t count;
    char names[4096];
    size_t names_size;
};
void add_symbol(struct made_symbols *symbols, const char *name, uint64_t value, uint64_t size, unsigned info,
                uint16_t section);

/* Their section in either class; link: the index of the string table. */
struct made_section symbols_section(const struct made_symbols *symbols, bool narrow, uint32_t type, uint32_t link);
struct made_section strings_section(const struct made_symbols *symbols);

/* Pseudo-random bytes, the same for the same seed. */
void fill_code(uint8_t *bytes, size_t size, uint64_t seed);

#endif
