#include "decode/names/program_file.h"

#include <elf.h>
#include <string.h>

#include "decode/names/debug_file.h"
#include "decode/names/elf_symbols.h"
#include "decode/names/frames.h"
#include "decode/names/plt.h"

#define PAGE RECORD_PAGE_SIZE

/* A page as in the page cache: zeros follow the end of the file. */
static const uint8_t *file_page(uint8_t room[PAGE], const struct elf_file *file, uint64_t offset)
{
    if (file->size - offset >= PAGE)
        return file->bytes + offset;
    memset(room, 0, PAGE);
    memcpy(room, file->bytes + offset, file->size - offset);
    return room;
}

/* Libraries that can also be executed (libc, ld.so) lack the flag of a position-independent executable. */
static bool is_program(const struct elf_file *file)
{
    const struct elf_section *dynamic = elf_section_of_type(file, SHT_DYNAMIC);
    if (file->type == ET_EXEC)
        return true;
    if (!dynamic || !dynamic->bytes)
        return false;
    const size_t word = file->wide ? 8 : 4;
    for (uint64_t at = 0; at + 2 * word <= dynamic->size; at += 2 * word) {
        uint64_t tag = 0, value = 0;
        memcpy(&tag, dynamic->bytes + at, word);
        memcpy(&value, dynamic->bytes + at + word, word);
        if (tag == DT_FLAGS_1 && (value & DF_1_PIE))
            return true;
    }
    return false;
}

static bool take_code(struct object *object, const struct elf_file *file)
{
    const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
    for (size_t i = 0; i < file->nr_sections; i++)
        if ((file->sections[i].flags & wanted) == wanted &&
            !object_add_code(object, file->sections[i].address, file->sections[i].size))
            return false;
    for (size_t i = 0; object->nr_code == 0 && i < file->nr_segments; i++)
        if (file->segments[i].type == PT_LOAD && (file->segments[i].flags & PF_X) &&
            !object_add_code(object, file->segments[i].address, file->segments[i].file_size))
            return false;
    return true;
}

static struct object *new_object(const struct elf_file *file, const char *path, const struct debug_places *places)
{
    struct object *object = object_new(OBJECT_PROGRAM, path);
    if (!object)
        return NULL;
    object->runs = is_program(file);
    object->entry = file->entry;
    const uint8_t *id = elf_build_id(file, &object->id_size);
    object->id_size = id && object->id_size <= sizeof(object->id) ? object->id_size : 0;
    if (object->id_size)
        memcpy(object->id, id, object->id_size);
    if (!elf_symbols_read(&object->symbols, file, elf_section_of_type(file, SHT_SYMTAB), 0) &&
        !debug_file_read(&object->symbols, file, path, places))
        elf_symbols_read(&object->symbols, file, elf_section_of_type(file, SHT_DYNSYM), 0);
    plt_read(&object->symbols, file);
    frames_read(&object->symbols, file);
    symbol_table_finish(&object->symbols);
    if (!object->symbols.no_memory && take_code(object, file))
        return object;
    object_free(object);
    return NULL;
}

bool program_file_match(struct object **object, struct page_set *pages, const struct elf_file *file, const char *path,
                        const struct debug_places *places)
{
    uint8_t room[PAGE];
    *object = NULL;
    for (size_t i = 0; i < file->nr_segments; i++) {
        const struct elf_segment *segment = &file->segments[i];
        if (segment->type != PT_LOAD || !(segment->flags & PF_X) || segment->file_size == 0 ||
            (segment->address - segment->offset) % PAGE)
            continue;
        for (uint64_t at = segment->offset & ~(PAGE - 1ull); at < segment->offset + segment->file_size; at += PAGE) {
            const uint8_t *bytes = file_page(room, file, at);
            struct page_content *content = page_set_find(pages, bytes);
            if (!content || !content->low || !page_has_text(bytes, PAGE))
                continue;
            if (!*object && !(*object = new_object(file, path, places)))
                return false;
            if (!page_content_claim(content, *object, segment->address - segment->offset + at, 0))
                return false;
        }
    }
    return true;
}
