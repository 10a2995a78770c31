#include "decode/names/elf_symbols.h"

#include <elf.h>
#include <string.h>

/* Ranks: a function before a label, then by binding, then by the number of underscores at the start of the name. */
#define NO_FUNCTION 64u
#define WEAK 16u
#define LOCAL 32u
#define UNDERSCORES 15u

uint32_t elf_symbols_rank(const struct elf_symbol *symbol, const struct elf_section *section)
{
    const bool function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
    if ((!function && symbol->type != STT_NOTYPE) || !symbol->name[0] || !section || !(section->flags & SHF_EXECINSTR))
        return UINT32_MAX;
    /* Local labels of assemblers, and mapping symbols, which mark code and data. */
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
        /* .dynsym has only exported functions: the next symbol is not the end of one without a size. */
        if (rank == UINT32_MAX || (table->type == SHT_DYNSYM && symbol.size == 0))
            continue;
        symbol_table_add(symbols, symbol.value + moved, symbol.size, symbol.name, rank);
        count++;
    }
    return count;
}
