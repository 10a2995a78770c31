#include "decode/query/code_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

/* Pages that follow each other. */
struct piece {
    size_t first, count;
    uint64_t gva, offset; /* offset: in the file */
};

struct image_file {
    FILE *file;
    const struct code_image *image;
    struct piece *pieces;
    size_t nr_pieces;
    char *strings; /* .strtab */
    size_t strings_size;
    uint64_t symbols_offset, strings_offset, names_offset, sections_offset;
};

#define NAMES "\0.symtab\0.strtab\0.shstrtab\0.text"
#define NAME_SYMTAB 1u
#define NAME_STRTAB 9u
#define NAME_SHSTRTAB 17u
#define NAME_TEXT 27u
#define OTHER_SECTIONS 4u /* none, .symtab, .strtab, .shstrtab */

/* Does a page not follow the one before it? */
static bool begins_piece(const struct code_image *image, size_t page)
{
    return page == 0 || image->pages[page].gva - image->pages[page - 1].gva != RECORD_PAGE_SIZE;
}

static bool find_pieces(struct image_file *out)
{
    const struct code_image *image = out->image;
    out->pieces = calloc(image->nr_pages + 1, sizeof(*out->pieces));
    for (size_t i = 0; i < image->nr_pages && out->pieces; i++) {
        if (!begins_piece(image, i))
            out->pieces[out->nr_pieces - 1].count++;
        else
            out->pieces[out->nr_pieces++] = (struct piece){.first = i, .count = 1, .gva = image->pages[i].gva};
    }
    return out->pieces != NULL;
}

/* The string table: all names, one after another. */
static bool collect_strings(struct image_file *out)
{
    FILE *text = open_memstream(&out->strings, &out->strings_size);
    if (!text)
        return false;
    putc('\0', text);
    for (size_t i = 0; i < out->image->nr_symbols; i++)
        fwrite(out->image->symbols[i]->symbol, 1, strlen(out->image->symbols[i]->symbol) + 1, text);
    return fclose(text) == 0;
}

uint64_t code_elf_first_page(const struct code_image *image)
{
    uint64_t size = sizeof(Elf64_Ehdr);
    for (size_t i = 0; i < image->nr_pages; i++)
        size += begins_piece(image, i) ? sizeof(Elf64_Phdr) : 0;
    return (size + RECORD_PAGE_SIZE - 1) / RECORD_PAGE_SIZE * RECORD_PAGE_SIZE;
}

static void lay_out(struct image_file *out)
{
    uint64_t at = code_elf_first_page(out->image);
    for (size_t i = 0; i < out->nr_pieces; i++) {
        out->pieces[i].offset = at;
        at += out->pieces[i].count * RECORD_PAGE_SIZE;
    }
    out->symbols_offset = at;
    out->strings_offset = at + (out->image->nr_symbols + 1) * sizeof(Elf64_Sym);
    out->names_offset = out->strings_offset + out->strings_size;
    out->sections_offset = (out->names_offset + sizeof(NAMES) + 7) / 8 * 8;
}

static void write_head(const struct image_file *out)
{
    Elf64_Ehdr head = {.e_type = ET_EXEC,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_entry = out->nr_pieces ? out->pieces[0].gva : 0,
                       .e_phoff = sizeof(head),
                       .e_shoff = out->sections_offset,
                       .e_ehsize = sizeof(head),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = (Elf64_Half)out->nr_pieces,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = (Elf64_Half)(out->nr_pieces + OTHER_SECTIONS),
                       .e_shstrndx = 3};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    fwrite(&head, sizeof(head), 1, out->file);
    for (size_t i = 0; i < out->nr_pieces; i++) {
        const struct piece *piece = &out->pieces[i];
        const Elf64_Phdr segment = {.p_type = PT_LOAD,
                                    .p_flags = PF_R | PF_X,
                                    .p_offset = piece->offset,
                                    .p_vaddr = piece->gva,
                                    .p_paddr = piece->gva,
                                    .p_filesz = piece->count * RECORD_PAGE_SIZE,
                                    .p_memsz = piece->count * RECORD_PAGE_SIZE,
                                    .p_align = RECORD_PAGE_SIZE};
        fwrite(&segment, sizeof(segment), 1, out->file);
    }
}

static void pad(const struct image_file *out, uint64_t from, uint64_t to)
{
    for (; from < to; from++)
        putc('\0', out->file);
}

/* The section of an address; SHN_ABS: none. */
static Elf64_Half section_of(const struct image_file *out, uint64_t address)
{
    const size_t after = LIST_AFTER(out->pieces, out->nr_pieces, struct piece, gva, address);
    if (after == 0 || address - out->pieces[after - 1].gva >= out->pieces[after - 1].count * RECORD_PAGE_SIZE)
        return SHN_ABS;
    return (Elf64_Half)(after - 1 + OTHER_SECTIONS);
}

static void write_symbols(const struct image_file *out)
{
    const Elf64_Sym none = {0};
    Elf64_Word at = 1;
    fwrite(&none, sizeof(none), 1, out->file);
    for (size_t i = 0; i < out->image->nr_symbols; i++) {
        const struct name *name = out->image->symbols[i];
        const Elf64_Sym symbol = {.st_name = at,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = section_of(out, name->begin),
                                  .st_value = name->begin,
                                  .st_size = name->end - name->begin};
        fwrite(&symbol, sizeof(symbol), 1, out->file);
        at += (Elf64_Word)strlen(name->symbol) + 1;
    }
}

static void write_sections(const struct image_file *out)
{
    const Elf64_Shdr others[OTHER_SECTIONS] = {
        {0},
        {.sh_name = NAME_SYMTAB,
         .sh_type = SHT_SYMTAB,
         .sh_offset = out->symbols_offset,
         .sh_size = (out->image->nr_symbols + 1) * sizeof(Elf64_Sym),
         .sh_link = 2,
         .sh_info = 1,
         .sh_addralign = 8,
         .sh_entsize = sizeof(Elf64_Sym)},
        {.sh_name = NAME_STRTAB,
         .sh_type = SHT_STRTAB,
         .sh_offset = out->strings_offset,
         .sh_size = out->strings_size,
         .sh_addralign = 1},
        {.sh_name = NAME_SHSTRTAB,
         .sh_type = SHT_STRTAB,
         .sh_offset = out->names_offset,
         .sh_size = sizeof(NAMES),
         .sh_addralign = 1},
    };
    fwrite(others, sizeof(others), 1, out->file);
    for (size_t i = 0; i < out->nr_pieces; i++) {
        const struct piece *piece = &out->pieces[i];
        const Elf64_Shdr section = {.sh_name = NAME_TEXT,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                    .sh_addr = piece->gva,
                                    .sh_offset = piece->offset,
                                    .sh_size = piece->count * RECORD_PAGE_SIZE,
                                    .sh_addralign = 16};
        fwrite(&section, sizeof(section), 1, out->file);
    }
}

static void write_file(const struct image_file *out)
{
    write_head(out);
    pad(out, sizeof(Elf64_Ehdr) + out->nr_pieces * sizeof(Elf64_Phdr),
        out->nr_pieces ? out->pieces[0].offset : out->symbols_offset);
    for (size_t i = 0; i < out->image->nr_pages; i++)
        fwrite(out->image->pages[i].page->bytes, RECORD_PAGE_SIZE, 1, out->file);
    write_symbols(out);
    fwrite(out->strings, 1, out->strings_size, out->file);
    fwrite(NAMES, 1, sizeof(NAMES), out->file);
    pad(out, out->names_offset + sizeof(NAMES), out->sections_offset);
    write_sections(out);
}

enum code_elf_result code_elf_write(FILE *file, const struct code_image *image)
{
    struct image_file out = {.file = file, .image = image};
    enum code_elf_result result = CODE_ELF_NO_MEMORY;
    if (find_pieces(&out) && collect_strings(&out)) {
        lay_out(&out);
        result = out.nr_pieces + OTHER_SECTIONS < SHN_LORESERVE ? CODE_ELF_WRITTEN : CODE_ELF_TOO_MANY;
        if (result == CODE_ELF_WRITTEN)
            write_file(&out);
    }
    free(out.pieces);
    free(out.strings);
    return result;
}
