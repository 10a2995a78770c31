/* The kernel: its image, how far KASLR moved it, and its symbols. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code/symbols.h"
#include "decode/names/names_state.h"
#include "decode/names/vdso.h"

#define FARTHEST (1u << 20) /* the longest function in a list of symbols, in bytes */

static bool take_code(struct object *object, const struct kernel_image *kernel)
{
    const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
    for (size_t i = 0; i < kernel->elf.nr_sections; i++) {
        const struct elf_section *section = &kernel->elf.sections[i];
        if ((section->flags & wanted) == wanted && section->address >> 63 &&
            !object_add_code(object, section->address, section->size))
            return false;
    }
    return true;
}

static bool report_kernel(struct names *names, const char *file)
{
    const struct kernel_slide *slide = &names->slide;
    const size_t count = names->kernel.symbols.count;
    if (names->kernel.narrow)
        return names_add_line(names,
                              "%s: no names for the kernel: it is a 32-bit kernel, of which only a list of"
                              " symbols is read (--symbols)",
                              file);
    if (!slide->known)
        return names_add_line(names, "%s: no names for the kernel: its executed pages do not come from this file",
                              file);
    if (names->kernel.source == KERNEL_NO_SYMBOLS && !names_add_line(names, "%s: has no symbols", file))
        return false;
    const bool down = slide->moved >> 63;
    return names_add_line(names, "kernel: %zu symbols of %s, moved by %s0x%" PRIx64 ": %zu of %zu pages agree", count,
                          names->kernel.source == KERNEL_KALLSYMS ? "its kallsyms" : "its symbol table",
                          down ? "-" : "", down ? 0 - slide->moved : slide->moved, slide->agreeing, slide->pages);
}

/* The code that unpacks the kernel runs from the bzImage as it is in the file, except for addresses that it relocates.
 * It is linked at no fixed address. */
static bool take_loader(struct names *names)
{
    const struct input_file *file = &names->kernel.file;
    struct object *object = NULL;
    for (size_t at = names->kernel.loader; at && at < file->size && file->size - at >= RECORD_PAGE_SIZE;
         at += RECORD_PAGE_SIZE) {
        struct page_content *content = page_set_find(&names->pages, file->bytes + at);
        if (!content || !content->low || !page_has_text(content->bytes, RECORD_PAGE_SIZE))
            continue;
        if (!object && !(object = object_new(OBJECT_LOADER, "bzImage")))
            return false;
        if (!page_content_claim(content, object, at - names->kernel.loader, 0)) {
            object_free(object);
            return false;
        }
    }
    return !object ||
           (names_keep_object(names, object) && object_add_code(object, 0, file->size - names->kernel.loader));
}

static bool read_image(struct names *names, const char *file, struct error *error)
{
    uint64_t begin, end;
    if (!kernel_image_open(&names->kernel, file, error))
        return false;
    kernel_slide_find(&names->slide, &names->kernel, &names->pages);
    if (!report_kernel(names, file))
        return false;
    if (!names->slide.known)
        return true;
    if (!(names->kernel_path = strdup(file)))
        return false;
    names->kernel_object = object_new(OBJECT_KERNEL, "vmlinux");
    if (!names->kernel_object || !take_code(names->kernel_object, &names->kernel))
        return false;
    names->kernel_object->symbols = names->kernel.symbols;
    names->kernel.symbols = (struct symbol_table){0};
    kernel_image_extent(&names->kernel, &begin, &end);
    names->kernel_moved = names->slide.moved;
    names->kernel_begin = begin + names->slide.moved;
    names->kernel_end = end + names->slide.moved;
    const bool good = vdso_match(names) && take_loader(names);
    page_set_settle(&names->pages);
    return good;
}

/* A list has addresses as linked (System.map) or as at run time (/proc/kallsyms). */
static bool is_as_linked(const struct names *names, const struct symbols *symbols)
{
    uint64_t begin, end;
    kernel_image_extent(&names->kernel, &begin, &end);
    for (size_t i = 0; i < symbols->count; i++)
        if (!strcmp(symbols->items[i].name, "_stext") || !strcmp(symbols->items[i].name, "_text"))
            return symbols->items[i].address - begin < FARTHEST;
    return false;
}

static bool take_list(struct names *names, struct object *object, const struct symbols *symbols)
{
    uint64_t begin = UINT64_MAX, end = 0;
    /* A kernel without symbols in the upper half runs where it was loaded. */
    const bool upper = symbols->items[symbols->count - 1].address >> 63;
    for (size_t i = 0; i < symbols->count; i++) {
        const uint64_t address = symbols->items[i].address;
        const uint64_t next = i + 1 < symbols->count ? symbols->items[i + 1].address : UINT64_MAX;
        if (upper && !(address >> 63))
            continue;
        const uint64_t size = next - address < FARTHEST ? next - address : FARTHEST;
        symbol_table_add(&object->symbols, address, size, symbols->items[i].name, (uint32_t)i);
        begin = address < begin ? address : begin;
        end = address + size;
    }
    symbol_table_finish(&object->symbols);
    if (object->symbols.no_memory)
        return false;
    names->kernel_begin = begin + names->kernel_moved;
    names->kernel_end = end + names->kernel_moved;
    return object_add_code(object, begin, end - begin);
}

/* A list replaces the image's own symbols. */
static bool read_list(struct names *names, const char *file, struct error *error)
{
    struct symbols symbols;
    if (!symbols_read(&symbols, file, error))
        return false;
    const bool linked = names->slide.known && is_as_linked(names, &symbols);
    struct object *object = object_new(OBJECT_KERNEL, "vmlinux");
    names->kernel_moved = linked ? names->slide.moved : 0;
    const bool good = object && take_list(names, object, &symbols);
    object_free(names->kernel_object);
    names->kernel_object = object;
    const size_t count = symbols.count;
    symbols_free(&symbols);
    return good && names_add_line(names, "kernel: %zu symbols of %s, %s", count, file,
                                  linked               ? "moved like the image"
                                  : names->slide.known ? "at the addresses in the file"
                                                       : "at the addresses in the file, not compared with a kernel");
}

bool names_read_kernel(struct names *names, const struct names_options *options, struct error *error)
{
    if ((options->kernel && !read_image(names, options->kernel, error)) ||
        (options->symbols && !read_list(names, options->symbols, error)))
        return false;
    if (names->kernel_object && names->slide.known && names->kernel_moved == names->slide.moved)
        names->kernel_object->path = strdup(options->kernel); /* NULL: out of memory, and no source lines then */
    return true;
}
