/* The files that names come from, and the search for the kernel's among several. */
#include <stdlib.h>

#include "decode/names/names_state.h"

bool names_kernel_source(const struct names *names, struct names_source *source)
{
    if (!names->kernel_path)
        return false;
    *source = (struct names_source){.path = names->kernel_path};
    source->id = elf_build_id(&names->kernel.elf, &source->id_size);
    return true;
}

bool names_file_source(const struct names *names, size_t *position, struct names_source *source)
{
    while (*position < names->nr_objects) {
        const struct object *object = names->objects[(*position)++];
        if (!object->file)
            continue;
        *source = (struct names_source){object->file, object->id_size ? object->id : NULL, object->id_size};
        return true;
    }
    return false;
}

const char *names_debug_directory(const struct names *names, size_t number)
{
    return number < names->nr_debug ? names->debug[number] : NULL;
}

static bool is_kernel_of(const struct page_set *pages, const char *path)
{
    struct kernel_image kernel;
    struct kernel_slide slide = {0};
    struct error ignored = {0};
    if (!kernel_image_open(&kernel, path, &ignored))
        return false;
    if (!kernel.narrow)
        kernel_slide_find(&slide, &kernel, pages);
    kernel_image_close(&kernel);
    return slide.known;
}

/* Code in the upper half: a kernel, or nothing that has one. */
static bool has_kernel(const struct page_set *pages)
{
    for (size_t i = 0; i < pages->count; i++)
        if (pages->contents[i].high)
            return true;
    return false;
}

size_t names_search_kernel(const struct capture *capture, const char *const *kernels, size_t nr_kernels)
{
    struct page_set pages = {0};
    size_t which = nr_kernels;
    if (nr_kernels > 0 && page_set_collect(&pages, capture) && has_kernel(&pages))
        for (which = 0; which < nr_kernels && !is_kernel_of(&pages, kernels[which]);)
            which++;
    page_set_free(&pages);
    return which;
}
