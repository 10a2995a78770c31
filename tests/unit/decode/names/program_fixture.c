#include "tests/unit/decode/names/program_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/decode/names/elf_fixture.h"
#include "tests/unit/decode/names/names_fixture.h"

#define FUNCTION (STT_FUNC | STB_GLOBAL << 4)

static uint8_t text[TEXT_SIZE];
static const uint8_t id[36] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 1, 2, 3};

static void make_text(const struct program *program)
{
    fill_code(text, sizeof(text), program->seed);
    if (program->same_second_page)
        fill_code(text + PAGE, PAGE, 4242);
}

static void name_it(struct made_symbols *symbols, const struct program *program, const char *name, uint64_t value,
                    uint64_t size)
{
    char whole[64];
    snprintf(whole, sizeof(whole), "%s%s", program->prefix ? program->prefix : "", name);
    add_symbol(symbols, whole, value, size, FUNCTION, 1);
}

const uint8_t *program_plt(bool narrow)
{
    static uint8_t plt[PLT_SIZE];
    memset(plt, 0x90, sizeof(plt));
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *entry = plt + 16 + 16 * i;
        const uint64_t slot = GOT + (3 + i) * (narrow ? 4 : 8);
        const uint32_t operand = (uint32_t)(narrow ? slot - GOT : slot - (PLT + 16 + 16 * i + 6));
        entry[0] = 0xff;
        entry[1] = narrow ? 0xa3 : 0x25;
        memcpy(entry + 2, &operand, 4);
    }
    return plt;
}

static struct made_section relocations_of(bool narrow)
{
    static Elf64_Rela wide[2];
    static Elf32_Rel thin[2];
    for (unsigned i = 0; i < 2; i++) {
        wide[i] = (Elf64_Rela){GOT + (3 + i) * 8, ELF64_R_INFO(i + 1, R_X86_64_JUMP_SLOT), 0};
        thin[i] = (Elf32_Rel){(uint32_t)(GOT + (3 + i) * 4), ELF32_R_INFO(i + 1, R_386_JMP_SLOT)};
    }
    return (struct made_section){.name = narrow ? ".rel.plt" : ".rela.plt",
                                 .type = narrow ? SHT_REL : SHT_RELA,
                                 .flags = SHF_ALLOC,
                                 .bytes = narrow ? (const void *)thin : wide,
                                 .size = narrow ? sizeof(thin) : sizeof(wide),
                                 .link = 3,
                                 .info = 2};
}

#define FRAMES 0x8000ull

/* .eh_frame: one CIE with PC-relative 4-byte addresses, and FDEs of two functions, of which the first is exported. */
static size_t make_frames(uint8_t frames[128])
{
    static const uint8_t cie[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        uint32_t begin, size;
    } functions[] = {{LINKED + 0x100, 0x100}, {LINKED + 0x200, 0x44}};
    size_t at = sizeof(cie);
    memset(frames, 0, 128);
    memcpy(frames, cie, sizeof(cie));
    for (unsigned i = 0; i < 2; i++, at += 24) {
        const uint32_t words[4] = {20, (uint32_t)at + 4, functions[i].begin - (uint32_t)(FRAMES + at + 8),
                                   functions[i].size};
        memcpy(frames + at, words, sizeof(words));
    }
    return at + 4; /* the end: a length of 0 */
}

void put_program(const struct program *program)
{
    uint8_t frames[128];
    static struct made_symbols dynamic, all;
    static const uint64_t flags[4] = {DT_FLAGS_1, DF_1_PIE, DT_NULL, 0};
    static const uint32_t thin_flags[4] = {DT_FLAGS_1, DF_1_PIE, DT_NULL, 0};
    const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
    char link[32] = {0};
    size_t size;
    memset(&dynamic, 0, sizeof(dynamic));
    memset(&all, 0, sizeof(all));
    make_text(program);
    add_symbol(&dynamic, "puts", 0, 0, FUNCTION, 0);
    add_symbol(&dynamic, "exit", 0, 0, FUNCTION, 0);
    name_it(&dynamic, program, "exported", LINKED + 0x100, 0x100);
    name_it(&all, program, "_start", LINKED, 0x20);
    name_it(&all, program, "hidden", LINKED + 0x20, 0x80);
    name_it(&all, program, "exported", LINKED + 0x100, 0x100);
    name_it(&all, program, "second_page", LINKED + PAGE, PAGE);
    name_it(&all, program, "third_page", LINKED + 2 * PAGE, PAGE);
    if (program->link)
        strcpy(link, program->link);
    memcpy(link + 28, program->crc ? program->crc : (const uint8_t *)"\1\2\3\4", 4);
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, code, LINKED, text, sizeof(text), 0, 0, 0, 0},
        {".plt", SHT_PROGBITS, code, PLT, program_plt(program->narrow), PLT_SIZE, 0, 0, 16, 0},
        symbols_section(&dynamic, program->narrow, SHT_DYNSYM, 4),
        strings_section(&dynamic),
        relocations_of(program->narrow),
        {".got.plt", SHT_PROGBITS, SHF_ALLOC, GOT, NULL, 64, 0, 0, 0, 0},
        {".dynamic", program->runs ? SHT_DYNAMIC : SHT_PROGBITS, SHF_ALLOC, 0,
         program->narrow ? (const void *)thin_flags : flags, program->narrow ? sizeof(thin_flags) : sizeof(flags), 0, 0,
         0, 0},
        {program->has_id ? ".note.gnu.build-id" : ".note", SHT_NOTE, SHF_ALLOC, 0, id, sizeof(id), 0, 0, 0, 0},
        {program->has_frames ? ".eh_frame" : ".no_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, frames, make_frames(frames),
         0, 0, 0, 0},
        {program->link ? ".gnu_debuglink" : ".comment", SHT_PROGBITS, 0, 0, link, sizeof(link), 0, 0, 0, 0},
        symbols_section(&all, program->narrow, SHT_SYMTAB, 12),
        strings_section(&all),
    };
    const struct made_head head = {
        .narrow = program->narrow, .type = ET_DYN, .machine = program->narrow ? EM_386 : EM_X86_64, .entry = LINKED};
    uint8_t *file = make_elf(&size, head, sections, program->dynamic_only ? 10 : 12);
    put_file(program->path, file, size);
    free(file);
}

const char *put_debug(const struct program *program, const char *path)
{
    static struct made_symbols all;
    size_t size;
    memset(&all, 0, sizeof(all));
    name_it(&all, program, "from_debug", LINKED + 0x20, 0x80);
    const struct made_section sections[] = {
        {".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, LINKED, NULL, sizeof(text), 0, 0, 0, 0},
        symbols_section(&all, program->narrow, SHT_SYMTAB, 3),
        strings_section(&all),
        {".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, id, sizeof(id), 0, 0, 0, 0},
    };
    uint8_t *file = make_elf(&size, (struct made_head){.type = ET_DYN, .machine = EM_X86_64}, sections, 4);
    const char *put = put_file(path, file, size);
    free(file);
    return put;
}

void run_program(uint64_t offset, const struct program *program, uint64_t cr3, uint64_t base, unsigned page)
{
    make_text(program);
    put_code(offset, cr3, base + LINKED + page * PAGE, program->seed * 0x100000 + page * PAGE, text + page * PAGE,
             PAGE);
}
