#include "decode/names/elf_symbols.h"

#include <elf.h>
#include <string.h>

#define NO_FUNCTION 64u /* a label; after these, of the same kind, names with fewer underscores in front are better */
#define WEAK 16u
#define LOCAL 32u
#define UNDERSCORES 15u

uint32_t elf_symbols_rank(const struct elf_symbol *symbol, const struct elf_section *section)
{
    const bool function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
    if ((!function && symbol->type != STT_NOTYPE) || !symbol->name[0] || !section || !(section->flags & SHF_EXECINSTR))
        return UINT32_MAX;
    /* Assemblers' own labels, and those that mark what is code and what is data. */
    if (!strncmp(symbol->name, ".L", 2) || symbol->name[0] == '$')
        return UINT32_MAX;
    size_t underscores = strspn(symbol->name, "_");
    uint32_t rank = (uint32_t)(underscores < UNDERSCORES ? underscores : UNDERSCORES);
    rank += symbol->binding == STB_LOCAL ? LOCAL : symbol->binding == STB_WEAK ? WEAK : 0;
    return rank + (function ? 0 : NO_FUNCTION);
}

size_t elf_symbols_read(struct symbol_table *symbols, const struct elf_file *file, const struct elf_section *table,
                        uint64_t moved)
{
    struct elf_symbol symbol;
    size_t count = 0;
    for (size_t i = 0; table && elf_symbol_at(&symbol, file, table, i); i++) {
        const uint32_t rank = elf_symbols_rank(&symbol, elf_section_at(file, symbol.section));
        /* Beside exported functions there are others: up to where one without a size goes, nobody knows. */
        if (rank == UINT32_MAX || (table->type == SHT_DYNSYM && symbol.size == 0))
            continue;
        symbol_table_add(symbols, symbol.value + moved, symbol.size, symbol.name, rank);
        count++;
    }
    return count;
}
