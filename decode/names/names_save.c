#include "decode/names/names_save.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/checksum.h"
#include "decode/names/names_state.h"

/* A symbol's string belongs to one entry of one object. */
struct names_symbol {
    const char *text;
    uint32_t object, entry;
};

/* Objects by number: 0 is none, then the kernel, then the files. */
static size_t nr_objects(const struct names *names)
{
    return 2 + names->nr_objects;
}

static const struct object *object_of(const struct names *names, size_t number)
{
    return number == 0 ? NULL : number == 1 ? names->kernel_object : names->objects[number - 2];
}

static uint64_t number_of(const struct names *names, const struct object *object)
{
    size_t number = nr_objects(names) - 1;
    while (number > 0 && object_of(names, number) != object)
        number--;
    return number;
}

/* --- identity --- */

static void mix(uint32_t *crc, const void *bytes, size_t size)
{
    const uint32_t pair[2] = {*crc, checksum_of(bytes, size)};
    *crc = checksum_of(pair, sizeof(pair));
}

static void mix_text(uint32_t *crc, const char *text)
{
    mix(crc, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void mix_object(uint32_t *crc, const struct object *object)
{
    const struct symbol_table *symbols = &object->symbols;
    mix_text(crc, object->name);
    mix(crc, object->code, object->nr_code * sizeof(*object->code));
    mix(crc, &object->entry, sizeof(object->entry));
    mix(crc, &object->runs, sizeof(object->runs));
    mix(crc, object->id, object->id_size);
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol_entry *entry = &symbols->entries[i];
        const uint64_t range[2] = {entry->begin, entry->end};
        mix(crc, range, sizeof(range));
        mix_text(crc, entry->name);
    }
}

uint32_t names_identity(const struct names *names)
{
    const uint64_t kernel[] = {names->kernel_moved, names->kernel_begin, names->kernel_end, names->slide.known,
                               names->slide.physical};
    uint32_t crc = 0;
    mix(&crc, kernel, sizeof(kernel));
    for (size_t i = 1; i < nr_objects(names); i++)
        if (object_of(names, i))
            mix_object(&crc, object_of(names, i));
    for (size_t i = 0; i < names->pages.count; i++) {
        const struct page_content *content = &names->pages.contents[i];
        for (size_t k = 0; k < content->nr_claims; k++) {
            const uint64_t claim[] = {i, content->claims[k].address, number_of(names, content->claims[k].object)};
            mix(&crc, claim, sizeof(claim));
        }
    }
    return crc;
}

/* --- saving --- */

static int compare(const void *left, const void *right)
{
    const struct names_symbol *a = left, *b = right;
    return (uintptr_t)a->text < (uintptr_t)b->text ? -1 : (uintptr_t)a->text > (uintptr_t)b->text;
}

static bool collect_symbols(struct names_save *save, const struct names *names)
{
    size_t count = 0;
    for (size_t i = 1; i < nr_objects(names); i++)
        count += object_of(names, i) ? object_of(names, i)->symbols.count : 0;
    save->symbols = malloc((count + 1) * sizeof(*save->symbols));
    if (!save->symbols)
        return false;
    save->nr_symbols = 0;
    for (size_t i = 1; i < nr_objects(names); i++) {
        const struct object *object = object_of(names, i);
        for (size_t k = 0; object && k < object->symbols.count; k++)
            if (object->symbols.entries[k].name)
                save->symbols[save->nr_symbols++] =
                    (struct names_symbol){object->symbols.entries[k].name, (uint32_t)i, (uint32_t)k};
    }
    if (save->nr_symbols > 0)
        qsort(save->symbols, save->nr_symbols, sizeof(*save->symbols), compare);
    return true;
}

/* NULL: it has none. */
static const struct names_symbol *symbol_of(const struct names_save *save, const struct name *name)
{
    const struct names_symbol wanted = {.text = name->symbol};
    return name->symbol && save->nr_symbols > 0
               ? bsearch(&wanted, save->symbols, save->nr_symbols, sizeof(wanted), compare)
               : NULL;
}

/* The object whose string a name's object is. */
static uint64_t number_of_text(const struct names *names, const char *text)
{
    size_t number = text ? nr_objects(names) - 1 : 0;
    while (number > 0 && (!object_of(names, number) || object_of(names, number)->name != text))
        number--;
    return number;
}

static void save_name(const struct names_save *save, const struct names *names, const struct name *name,
                      struct pack *pack)
{
    const struct names_symbol *symbol = symbol_of(save, name);
    pack->no_memory |= name->symbol && !symbol; /* incomplete, at any rate */
    pack_number(pack, number_of_text(names, name->object));
    pack_number(pack, symbol ? symbol->object : 0);
    if (symbol)
        pack_number(pack, symbol->entry);
    pack_number(pack, name->begin);
    pack_near(pack, name->end, name->begin);
}

static unsigned page_number(const struct names_pages *pages, const struct code_pages *of)
{
    unsigned number = 0;
    while (number < pages->count && pages->of[number] != of)
        number++;
    return number;
}

static void save_programs(const struct names *names, const struct names_pages *pages, struct pack *pack)
{
    size_t count = 0;
    for (size_t i = 0; i < names->nr_programs; i++)
        count += page_number(pages, names->programs[i].pages) < pages->count;
    pack_number(pack, count);
    for (size_t i = 0; i < names->nr_programs; i++) {
        const struct name_program *program = &names->programs[i];
        if (page_number(pages, program->pages) == pages->count)
            continue;
        pack_number(pack, page_number(pages, program->pages));
        pack_number(pack, program->space);
        pack_number(pack, program->from);
        pack_number(pack, number_of(names, program->object));
    }
}

void names_save(struct names_save *save, const struct names *names, const struct names_pages *pages, struct pack *pack)
{
    const size_t count = names_count(names);
    if (!save->symbols && !collect_symbols(save, names)) {
        pack->no_memory = true;
        return;
    }
    pack_number(pack, save->saved);
    pack_number(pack, count - save->saved);
    for (; save->saved < count; save->saved++)
        save_name(save, names, names_by_number(names, (uint32_t)save->saved), pack);
    save_programs(names, pages, pack);
}

void names_save_free(struct names_save *save)
{
    free(save->symbols);
    *save = (struct names_save){0};
}

/* --- loading --- */

/* NULL: it has no symbol, or the bytes are bad. */
static const char *load_symbol(const struct names *names, struct packed *packed)
{
    const struct object *object = object_of(names, (size_t)packed_below(packed, nr_objects(names)));
    if (!object)
        return NULL;
    const uint64_t entry = packed_below(packed, object->symbols.count);
    return packed->bad ? NULL : object->symbols.entries[entry].name;
}

static void load_name(struct names *names, struct packed *packed)
{
    const size_t number = names_count(names);
    const struct object *object = object_of(names, (size_t)packed_below(packed, nr_objects(names)));
    const char *symbol = load_symbol(names, packed);
    const uint64_t begin = packed_number(packed), end = packed_near(packed, begin);
    if (packed->bad)
        return;
    const struct name *name = name_list_get(&names->list, object ? object->name : NULL, symbol, begin, end);
    packed->bad = !name || name->number != number;
}

static void load_program(struct names *names, const struct names_pages *pages, bool take, struct packed *packed)
{
    const uint64_t page = packed_below(packed, pages->count);
    const uint64_t space = packed_number(packed), from = packed_number(packed);
    const struct object *object = object_of(names, (size_t)packed_below(packed, nr_objects(names)));
    packed->bad |= !object;
    if (!packed->bad && take)
        names_add_program(names, pages->of[page], space, from, object);
}

bool names_load(struct names *names, const struct names_pages *pages, bool programs, struct packed *packed)
{
    if (packed_number(packed) != names_count(names))
        packed->bad = true;
    for (uint64_t count = packed_number(packed); count > 0 && !packed->bad; count--)
        load_name(names, packed);
    for (uint64_t count = packed_number(packed); count > 0 && !packed->bad; count--)
        load_program(names, pages, programs, packed);
    return !packed->bad;
}

uint64_t names_thread_number(const struct names *names, const struct name_thread *thread)
{
    if (!thread)
        return 0;
    const char *seen = (const char *)thread - offsetof(struct task_seen, thread);
    return (uint64_t)((const struct task_seen *)(const void *)seen - names->tasks.seen) + 1;
}

const struct name_thread *names_thread_load(const struct names *names, struct packed *packed)
{
    const uint64_t number = packed_below(packed, names->tasks.count + 1);
    return number ? &names->tasks.seen[number - 1].thread : NULL;
}

const struct name *names_number_load(const struct names *names, struct packed *packed)
{
    const uint64_t number = packed_below(packed, names_count(names));
    return packed->bad ? NULL : names_by_number(names, (uint32_t)number);
}
