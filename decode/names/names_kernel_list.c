/* All of the kernel's functions. */
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

uint64_t names_kernel_moved(const struct names *names)
{
    return names->kernel_moved;
}
