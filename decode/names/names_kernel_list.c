/* All of the kernel's functions. */
#include "decode/names/names_state.h"

bool names_kernel_function(const struct names *names, size_t index, struct name *function)
{
    const struct object *kernel = names->kernel_object;
    if (!kernel || index >= kernel->symbols.count)
        return false;
    const struct symbol_entry *entry = &kernel->symbols.entries[index];
    *function = (struct name){.begin = entry->begin + names->kernel_moved,
                              .end = entry->end + names->kernel_moved,
                              .symbol = entry->name,
                              .object = kernel->name};
    return true;
}

uint64_t names_kernel_moved(const struct names *names)
{
    return names->kernel_moved;
}
