/* All functions of the kernel, and addresses as they are in the file that the code comes from. */
#include "decode/names/names_state.h"

/* The range of code around an address; NULL: the symbol at it is data. */
static const struct object_range *code_around(const struct object *kernel, uint64_t address)
{
    for (size_t i = 0; i < kernel->nr_code; i++)
        if (address - kernel->code[i].begin < kernel->code[i].end - kernel->code[i].begin)
            return &kernel->code[i];
    return NULL;
}

bool names_kernel_function(const struct names *names, size_t *position, struct name *function)
{
    const struct object *kernel = names->kernel_object;
    while (kernel && *position < kernel->symbols.count) {
        const struct symbol_entry *entry = &kernel->symbols.entries[(*position)++];
        const struct object_range *code = code_around(kernel, entry->begin);
        if (!code)
            continue;
        const uint64_t end = entry->end < code->end ? entry->end : code->end;
        *function = (struct name){.begin = entry->begin + names->kernel_moved,
                                  .end = end + names->kernel_moved,
                                  .symbol = entry->name,
                                  .shown = entry->name,
                                  .object = kernel->name};
        return true;
    }
    return false;
}

static struct page_origin find_origin(const struct names *names, const struct code_pages *pages, uint64_t cr3,
                                      uint64_t at, uint64_t address)
{
    if (address >= names->kernel_begin && address < names->kernel_end)
        return (struct page_origin){.object = names->kernel_object, .moved = names->kernel_moved};
    const uint64_t gva = address & ~(uint64_t)(RECORD_PAGE_SIZE - 1), space = code_pages_space(pages, cr3);
    const struct name_page found = names_page_find(names, pages, space, at, gva);
    return found.page ? names_page_origin(names, &found, at) : (struct page_origin){0};
}

uint64_t names_linked(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      uint64_t address)
{
    const struct page_origin origin = find_origin(names, pages, cr3, at, address);
    return origin.object ? address - origin.moved : address;
}

const char *names_file(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                       uint64_t address, uint64_t *linked)
{
    const struct page_origin origin = find_origin(names, pages, cr3, at, address);
    *linked = origin.object ? address - origin.moved : address;
    return origin.object ? origin.object->path : NULL;
}
