#include "decode/names/vdso.h"

#include <elf.h>
#include <string.h>

#include "decode/names/elf_symbols.h"
#include "decode/names/names_state.h"
#include "decode/names/similar.h"

#define PAGE RECORD_PAGE_SIZE
#define LARGEST (64u << 10)
#define FEWEST_BYTES 128u /* of code in a page that is compared */
#define WORST 150u        /* differences, per thousand bytes */

/* Claim the pages that equal a page of the file, except for patches. */
static bool match_page(struct names *names, struct object *object, const uint8_t *bytes, uint64_t address)
{
    size_t text = 0;
    for (size_t i = 0; i < PAGE; i++)
        text += bytes[i] != 0;
    for (size_t i = 0; text >= FEWEST_BYTES && i < names->pages.count; i++) {
        struct page_content *content = &names->pages.contents[i];
        if (!content->low)
            continue;
        /* Equal zeros prove nothing: relate the differences to the other bytes. */
        const size_t different = PAGE - similar_bytes(content->bytes, bytes, PAGE);
        if (different * 1000 > text * WORST)
            continue;
        if (!page_content_claim(content, object, address, (uint32_t)(different * 1000 / text)))
            return false;
        object->pages++;
    }
    return true;
}

static bool match_image(struct names *names, struct object *object, const struct elf_file *file)
{
    elf_symbols_read(&object->symbols, file, elf_section_of_type(file, SHT_DYNSYM), 0);
    elf_symbols_read(&object->symbols, file, elf_section_of_type(file, SHT_SYMTAB), 0);
    symbol_table_finish(&object->symbols);
    for (size_t i = 0; i < file->nr_segments; i++) {
        const struct elf_segment *segment = &file->segments[i];
        if (segment->type != PT_LOAD || !(segment->flags & PF_X))
            continue;
        if (!object_add_code(object, segment->address, segment->file_size))
            return false;
        for (uint64_t at = segment->offset & ~(PAGE - 1ull); at + PAGE <= file->size; at += PAGE)
            if (at < segment->offset + segment->file_size &&
                !match_page(names, object, file->bytes + at, segment->address - segment->offset + at))
                return false;
    }
    return !object->symbols.no_memory;
}

/* An ELF file within the kernel's image. size: the most that it can have. */
static bool take_image(struct names *names, const uint8_t *bytes, size_t size)
{
    struct elf_file file;
    if (!elf_open(&file, bytes, size))
        return true;
    struct object *object =
        file.type == ET_DYN && elf_section_of_type(&file, SHT_DYNSYM) ? object_new(OBJECT_VDSO, "[vdso]") : NULL;
    bool good = !object || match_image(names, object, &file);
    if (good && object && object->pages) {
        good = names_keep_object(names, object);
        object = NULL;
    }
    object_free(object);
    elf_close(&file);
    return good;
}

bool vdso_match(struct names *names)
{
    const struct elf_file *kernel = &names->kernel.elf;
    for (size_t at = PAGE; at + PAGE <= kernel->size; at += PAGE) {
        if (!elf_begins(kernel->bytes + at, kernel->size - at))
            continue;
        const size_t left = kernel->size - at;
        if (!take_image(names, kernel->bytes + at, left < LARGEST ? left : LARGEST))
            return false;
    }
    return true;
}
