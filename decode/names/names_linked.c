/* All of the kernel's functions; and where a file was linked to, of which code was moved. */
#include "decode/names/names_state.h"

/* Tables of symbols have data as well. */
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
                                  .object = kernel->name};
        return true;
    }
    return false;
}

/* Of what an address is, and how far that is moved. */
static struct name_place find_place(const struct names *names, const struct code_pages *pages, uint64_t cr3,
                                    uint64_t at, uint64_t address)
{
    if (address >= names->kernel_begin && address < names->kernel_end)
        return (struct name_place){.object = names->kernel_object, .moved = names->kernel_moved};
    const uint64_t gva = address & ~(uint64_t)(RECORD_PAGE_SIZE - 1), space = code_pages_space(pages, cr3);
    const struct name_page found = names_page_look(names, pages, space, at, gva);
    return found.page ? names_place(names, &found, at) : (struct name_place){0};
}

uint64_t names_linked(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      uint64_t address)
{
    const struct name_place place = find_place(names, pages, cr3, at, address);
    return place.object ? address - place.moved : address;
}

const char *names_file(const struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                       uint64_t address, uint64_t *linked)
{
    const struct name_place place = find_place(names, pages, cr3, at, address);
    *linked = place.object ? address - place.moved : address;
    return place.object ? place.object->path : NULL;
}
