/*
 * The symbol table of the ROM's ELF file. Rows may have labels of the same name: each row has its own.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static struct bytes elf;
static const Elf64_Sym *symbols;
static size_t nr_symbols;
static const char *names;

void symbols_load(const char *elf_path)
{
    elf = file_read(elf_path);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)elf.bytes;
    if (elf.size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        die(elf_path, "is no ELF file");
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(elf.bytes + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        symbols = (const Elf64_Sym *)(elf.bytes + sections[i].sh_offset);
        nr_symbols = sections[i].sh_size / sizeof(*symbols);
        names = (const char *)(elf.bytes + sections[sections[i].sh_link].sh_offset);
    }
    if (nr_symbols == 0)
        die(elf_path, "has no symbols");
}

/* "end" and "function_end" close ranges: the label of what follows says more. */
static bool is_end(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, "_end") == 0;
}

static bool is_label(const Elf64_Sym *symbol)
{
    unsigned char type = ELF64_ST_TYPE(symbol->st_info);
    const char *name = names + symbol->st_name;
    return (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT) && symbol->st_shndx < SHN_LORESERVE &&
           name[0] != 0 && strcmp(name, "row_start") != 0 && strcmp(name, "end") != 0 && !is_end(name);
}

/* Labels at the address itself: "one|other". Returns how many characters that are. */
static size_t labels_at(char *out, size_t room, uint64_t address)
{
    size_t used = 0;
    for (size_t i = 0; i < nr_symbols && used < room; i++)
        if (is_label(&symbols[i]) && symbols[i].st_value == address)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? "|" : "", names + symbols[i].st_name);
    return used;
}

void symbol_text(char *out, size_t room, uint64_t address, const struct result *row)
{
    const Elf64_Sym *best = NULL;
    if (labels_at(out, room, address) != 0)
        return;
    for (size_t i = 0; i < nr_symbols && address >= row->start && address < row->end; i++) {
        const Elf64_Sym *symbol = &symbols[i];
        if (is_label(symbol) && symbol->st_value >= row->start && symbol->st_value < address &&
            (best == NULL || symbol->st_value > best->st_value))
            best = symbol;
    }
    if (best == NULL)
        snprintf(out, room, "%" PRIx64, address);
    else
        snprintf(out, room, "%s+%" PRIu64, names + best->st_name, address - best->st_value);
}

bool symbol_address(uint64_t *address, const char *name, const struct result *row)
{
    for (size_t i = 0; i < nr_symbols; i++) {
        *address = symbols[i].st_value;
        if (strcmp(names + symbols[i].st_name, name) == 0 && *address >= row->start && *address <= row->end)
            return true;
    }
    return false;
}
