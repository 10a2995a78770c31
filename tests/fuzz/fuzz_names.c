/*
 * Any bytes as a file that names are read from: a program, library, module or kernel, the kernel's kallsyms tables,
 * BTF. Whatever is read must be consistent. The target opens no file and starts no process: it does not match files
 * that name a debug file (build ID, .gnu_debuglink) as programs, and does not parse bzImages, which a separate program
 * unpacks.
 */
#include <elf.h>
#include <string.h>

#include "decode/names/btf.h"
#include "decode/names/elf_symbols.h"
#include "decode/names/frames.h"
#include "decode/names/kernel/kallsyms.h"
#include "decode/names/kernel/kallsyms_find.h"
#include "decode/names/kernel/kernel_image.h"
#include "decode/names/kernel/kernel_slide.h"
#include "decode/names/kernel/kernel_tasks.h"
#include "decode/names/module_index.h"
#include "decode/names/plt.h"
#include "decode/names/program_file.h"
#include "tests/fuzz/fuzz.h"

#define PAGE RECORD_PAGE_SIZE
#define USER_BASE 0x400000ull
#define MODULE_BASE 0xffffffffc0000000ull

/* The entries are sorted, do not overlap, and each is found at its first address. */
static void check_symbols(const struct symbol_table *symbols)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol_entry *entry = &symbols->entries[i];
        uint64_t begin = 0, end = UINT64_MAX;
        DEMAND(entry->begin <= entry->end);
        DEMAND(i + 1 == symbols->count || entry->end <= entry[1].begin);
        DEMAND(entry->begin == entry->end || symbol_table_find(symbols, entry->begin, &begin, &end) == entry);
    }
}

/* object_find returns a range around the address, and a symbol only if that covers the address. */
static void check_object(const struct object *object)
{
    for (size_t i = 0; i < object->symbols.count; i++) {
        const uint64_t address = object->symbols.entries[i].begin;
        uint64_t begin, end;
        const struct symbol_entry *entry = object_find(object, address, &begin, &end);
        DEMAND(!entry || (entry->begin <= address && address < entry->end));
        DEMAND(!entry || (begin <= address && address < end));
    }
}

/* The pages of some bytes, the last one filled up with zeros. free() what it returns after the set. */
static uint8_t *add_pages(struct page_set *set, const uint8_t *bytes, size_t size, uint64_t gva)
{
    const size_t room = (size + PAGE) / PAGE * PAGE;
    uint8_t *copy = calloc(1, room);
    DEMAND(copy);
    memcpy(copy, bytes, size);
    for (size_t at = 0; at < room; at += PAGE)
        DEMAND(page_set_add(set, copy + at, gva + at, at));
    return copy;
}

static void read_symbols(const struct elf_file *file)
{
    struct symbol_table symbols = {0};
    elf_symbols_read(&symbols, file, elf_section_of_type(file, SHT_SYMTAB), 0);
    elf_symbols_read(&symbols, file, elf_section_of_type(file, SHT_DYNSYM), UINT64_MAX / 2);
    plt_read(&symbols, file);
    frames_read(&symbols, file);
    DEMAND(!symbols.no_memory);
    symbol_table_finish(&symbols);
    check_symbols(&symbols);
    symbol_table_free(&symbols);
}

static bool has_debug_file(const struct elf_file *file)
{
    size_t size = 0;
    const uint8_t *id = elf_build_id(file, &size);
    DEMAND(!id || (id >= file->bytes && size <= file->size && id + size <= file->bytes + file->size));
    return id || elf_section_named(file, ".gnu_debuglink");
}

/* All of its own pages were executed. */
static void match_program(const struct elf_file *file)
{
    struct page_set set = {0};
    struct object *object = NULL;
    if (has_debug_file(file))
        return;
    uint8_t *pages = add_pages(&set, file->bytes, file->size, USER_BASE);
    DEMAND(program_file_match(&object, &set, file, "input", NULL));
    if (object)
        check_object(object);
    page_set_settle(&set);
    page_set_free(&set);
    object_free(object);
    free(pages);
}

static bool is_any(const void *context, const struct page_content *content)
{
    (void)context;
    return content->high;
}

/* Each part was executed as the file has it, without its relocations. */
static void match_module(const struct elf_file *file, enum module_part part)
{
    struct module_text text;
    struct module_index index;
    struct page_set set = {0};
    size_t claimed = 0;
    DEMAND(module_text_read(&text, file, "dir/input.ko", part));
    uint8_t *pages = add_pages(&set, text.bytes ? text.bytes : (const uint8_t *)"", text.size, MODULE_BASE);
    DEMAND(module_index_build(&index, &set, is_any, NULL));
    DEMAND(module_index_claim(&claimed, &index, &set, &text));
    if (text.object) {
        check_symbols(&text.object->symbols);
        check_object(text.object);
    }
    module_index_free(&index);
    page_set_free(&set);
    module_text_free(&text);
    free(pages);
}

/* The first two sections of code were executed where they are linked, a page of each. */
static void find_slide(const struct kernel_image *kernel)
{
    struct page_set set = {0};
    struct kernel_slide slide;
    uint8_t *pages[2] = {NULL};
    for (size_t i = 0, found = 0; i < kernel->elf.nr_sections && found < 2; i++) {
        const uint8_t *bytes;
        const uint64_t address = kernel->elf.sections[i].address;
        const size_t size = kernel_image_page(kernel, address, &bytes);
        if (size > 0)
            pages[found++] = add_pages(&set, bytes, size, address);
    }
    kernel_slide_find(&slide, kernel, &set);
    DEMAND(slide.agreeing <= slide.pages);
    page_set_free(&set);
    free(pages[0]);
    free(pages[1]);
}

static void read_kernel(const uint8_t *data, size_t size)
{
    struct kernel_image kernel = {.loader = 0};
    struct kernel_tasks tasks;
    struct error error = {0};
    if (kernel_image_parse(&kernel, data, size, "input", &error)) {
        check_symbols(&kernel.symbols);
        kernel_tasks_find(&tasks, &kernel);
        find_slide(&kernel);
    } else {
        DEMAND(error.kind != ERROR_NONE);
    }
    kernel_image_close(&kernel);
}

static void read_elf(const uint8_t *data, size_t size)
{
    struct symbol_table symbols = {0};
    struct elf_file file;
    if (!elf_open(&file, data, size))
        return;
    DEMAND(elf_begins(data, size));
    read_symbols(&file);
    match_program(&file);
    if (module_text_is_of(&file))
        for (enum module_part part = 0; part < MODULE_NR_PARTS; part++)
            match_module(&file, part);
    kallsyms_read(&symbols, &file);
    symbol_table_finish(&symbols);
    check_symbols(&symbols);
    symbol_table_free(&symbols);
    elf_close(&file);
    read_kernel(data, size);
}

static void read_tables(const uint8_t *data, size_t size)
{
    struct kallsyms_tables tables;
    struct btf btf;
    uint64_t offset;
    if (kallsyms_find(&tables, data, size)) {
        DEMAND(tables.names <= tables.names_end && tables.names_end <= tables.markers);
        DEMAND(tables.markers <= tables.token_table && tables.token_table < tables.token_index);
        DEMAND(tables.token_index + 2 * KALLSYMS_TOKENS <= size);
    }
    if (!btf_open(&btf, data, size))
        return;
    btf_member(&offset, &btf, "task_struct", "pid");
    if (btf_variable(&offset, &btf, ".data..percpu", "current_task"))
        DEMAND(offset <= UINT32_MAX);
    btf_close(&btf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_tables(data, size);
    read_elf(data, size);
    return 0;
}
