#include "decode/names/module_text.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "decode/names/bytes.h"
#include "decode/names/elf_symbols.h"
#include "serial/wire/record.h"

#define LARGEST (64u << 20)
#define ABSENT SIZE_MAX
#define NAME_MAX_LENGTH 64u /* MODULE_NAME_LEN */

bool module_text_is_of(const struct elf_file *file)
{
    return file->type == ET_REL && file->wide && file->machine == EM_X86_64 &&
           elf_section_named(file, ".gnu.linkonce.this_module");
}

static bool belongs(const struct elf_section *section, enum module_part part)
{
    const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
    const bool init = !strncmp(section->name, ".init", 5);
    return (section->flags & wanted) == wanted && init == (part == MODULE_INIT);
}

/* The offset of each section in the part; ABSENT: it is not in the part. Returns the part's size; ABSENT: the file is
 * not a valid module. */
static size_t lay_out(size_t *offsets, const struct elf_file *file, enum module_part part)
{
    uint64_t size = 0;
    for (size_t i = 0; i < file->nr_sections; i++) {
        const struct elf_section *section = &file->sections[i];
        const uint64_t alignment = section->alignment ? section->alignment : 1;
        offsets[i] = ABSENT;
        if (!belongs(section, part))
            continue;
        if (alignment & (alignment - 1) || alignment > RECORD_PAGE_SIZE || section->size > LARGEST || !section->bytes)
            return ABSENT;
        size = align_up(size, alignment);
        offsets[i] = (size_t)size;
        size += section->size;
        if (size > LARGEST)
            return ABSENT;
    }
    return (size_t)size;
}

/* How many bytes a relocation changes: x86-64 psABI, "Relocation Types". */
static size_t relocation_width(uint32_t type)
{
    return type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : type == R_X86_64_NONE ? 0 : 4;
}

static void mask(struct module_text *text, size_t begin, size_t size)
{
    for (size_t i = begin; i < begin + size && i < text->size; i++)
        text->masked[i] = 1;
}

/* Of a direct CALL or JMP the opcode is masked too: the kernel replaces calls of the function tracer and thunks. */
static void mask_relocations(struct module_text *text, const struct elf_file *file, const size_t *offsets)
{
    struct elf_relocation relocation;
    for (size_t i = 0; i < file->nr_sections; i++) {
        const struct elf_section *table = &file->sections[i];
        const size_t base = table->type == SHT_RELA && table->info < file->nr_sections ? offsets[table->info] : ABSENT;
        for (size_t j = 0; base != ABSENT && elf_relocation_at(&relocation, file, table, j); j++) {
            if (relocation.offset >= file->sections[table->info].size)
                continue;
            const size_t at = base + (size_t)relocation.offset, width = relocation_width(relocation.type);
            const bool call = width == 4 && at > 0 && (text->bytes[at - 1] == 0xe8 || text->bytes[at - 1] == 0xe9);
            mask(text, call ? at - 1 : at, call ? 5 : width);
        }
    }
}

/* The kernel's name for the module: from .modinfo, else from the file name as the kernel's build derives it. */
static const char *module_name(char room[NAME_MAX_LENGTH], const struct elf_file *file, const char *path)
{
    const struct elf_section *info = elf_section_named(file, ".modinfo");
    for (uint64_t at = 0; info && info->bytes && at < info->size;) {
        const char *text = (const char *)info->bytes + at;
        const size_t length = strnlen(text, (size_t)(info->size - at));
        if (length == info->size - at)
            break;
        if (!strncmp(text, "name=", 5) && length > 5)
            return text + 5;
        at += length + 1;
    }
    const char *slash = strrchr(path, '/');
    strncpy(room, slash ? slash + 1 : path, NAME_MAX_LENGTH - 1);
    room[NAME_MAX_LENGTH - 1] = '\0';
    room[strcspn(room, ".")] = '\0';
    for (char *letter = room; *letter; letter++)
        *letter = *letter == '-' ? '_' : *letter;
    return room;
}

/* Every module has these two, mostly as aliases of functions with better names. */
static bool is_common(const char *name)
{
    return !strcmp(name, "init_module") || !strcmp(name, "cleanup_module");
}

static bool take_symbols(struct object *object, const struct elf_file *file, const size_t *offsets)
{
    const struct elf_section *table = elf_section_of_type(file, SHT_SYMTAB);
    struct elf_symbol symbol;
    for (size_t i = 0; table && elf_symbol_at(&symbol, file, table, i); i++) {
        const struct elf_section *section = elf_section_at(file, symbol.section);
        const uint32_t rank = elf_symbols_rank(&symbol, section);
        if (rank != UINT32_MAX && offsets[symbol.section] != ABSENT && symbol.value < section->size)
            symbol_table_add(&object->symbols, offsets[symbol.section] + symbol.value, symbol.size, symbol.name,
                             is_common(symbol.name) ? UINT32_MAX - 1 : rank);
    }
    symbol_table_finish(&object->symbols);
    for (size_t i = 0; i < file->nr_sections; i++)
        if (offsets[i] != ABSENT && !object_add_code(object, offsets[i], file->sections[i].size))
            return false;
    return !object->symbols.no_memory;
}

static bool fill(struct module_text *text, const struct elf_file *file, const char *path, const size_t *offsets)
{
    char room[NAME_MAX_LENGTH];
    text->bytes = calloc(1, text->size);
    text->masked = calloc(1, text->size);
    text->object = object_new(OBJECT_MODULE, module_name(room, file, path));
    if (!text->bytes || !text->masked || !text->object)
        return false;
    memset(text->masked, 1, text->size); /* the padding between sections has unknown contents */
    for (size_t i = 0; i < file->nr_sections; i++)
        if (offsets[i] != ABSENT) {
            memcpy(text->bytes + offsets[i], file->sections[i].bytes, (size_t)file->sections[i].size);
            memset(text->masked + offsets[i], 0, (size_t)file->sections[i].size);
        }
    mask_relocations(text, file, offsets);
    return take_symbols(text->object, file, offsets);
}

bool module_text_read(struct module_text *text, const struct elf_file *file, const char *path, enum module_part part)
{
    *text = (struct module_text){0};
    size_t *offsets = malloc((file->nr_sections + 1) * sizeof(*offsets));
    if (!offsets)
        return false;
    text->size = lay_out(offsets, file, part);
    if (text->size == ABSENT)
        text->size = 0;
    const bool good = text->size == 0 || fill(text, file, path, offsets);
    free(offsets);
    if (!good)
        module_text_free(text);
    return good;
}

void module_text_free(struct module_text *text)
{
    free(text->bytes);
    free(text->masked);
    object_free(text->object);
    *text = (struct module_text){0};
}
