/* Names of programs and libraries: by pages that are as the file has them, in the spaces that map them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "names_fixture.h"

#define PAGE 4096u
#define LINKED 0x2000ull /* where files have their code */
#define PLT 0x6000ull
#define GOT 0x7000ull
#define AT_A 0x7f1230000000ull
#define AT_B 0x55550000000ull

#define FUNCTION (STT_FUNC | STB_GLOBAL << 4)

/* What a made file has. */
struct program {
    const char *path;
    uint64_t seed;
    bool narrow, dynamic_only, runs, has_id, same_second_page, has_frames;
    const char *link; /* .gnu_debuglink */
    const char *prefix;
};

static uint8_t text[3 * PAGE], plt[64];
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

/* A page of .plt: a header, then entries that jump through GOT slots 3 and 4. */
static void make_plt(bool narrow)
{
    memset(plt, 0x90, sizeof(plt));
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *entry = plt + 16 + 16 * i;
        const uint64_t slot = GOT + (3 + i) * (narrow ? 4 : 8);
        const uint32_t operand = (uint32_t)(narrow ? slot - GOT : slot - (PLT + 16 + 16 * i + 6));
        entry[0] = 0xff;
        entry[1] = narrow ? 0xa3 : 0x25;
        memcpy(entry + 2, &operand, 4);
    }
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

/* .eh_frame: one CIE whose FDEs have distances of 4 bytes, and FDEs of two functions; the first one is exported. */
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
    return at + 4; /* a length of 0 ends it */
}

static void put_program(const struct program *program)
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
    make_plt(program->narrow);
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
    memcpy(link + 28, "\1\2\3\4", 4);
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, code, LINKED, text, sizeof(text), 0, 0, 0, 0},
        {".plt", SHT_PROGBITS, code, PLT, plt, sizeof(plt), 0, 0, 16, 0},
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

/* The debug file of a program: its symbols, and none of its code. */
static void put_debug(const struct program *program, const char *path)
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
    put_file(path, file, size);
    free(file);
}

/* A space executes a page of its code, where it was mapped. */
static void run(uint64_t offset, const struct program *program, uint64_t cr3, uint64_t base, unsigned page)
{
    make_text(program);
    put_code(offset, cr3, base + LINKED + page * PAGE, program->seed * 0x100000 + page * PAGE, text + page * PAGE,
             PAGE);
}

static void has_symbols(bool narrow)
{
    const struct program one = {.path = "bin/one", .seed = 1, .narrow = narrow, .runs = true};
    uint8_t page[PAGE] = {0};
    put_program(&one);
    run(10, &one, SPACE_A, AT_A, 0);
    run(20, &one, SPACE_B, AT_B, 2);
    make_plt(narrow);
    memcpy(page, plt, sizeof(plt));
    struct names *names = NULL;
    put_mapping(30, SPACE_B, AT_B + LINKED, one.seed * 0x100000);
    names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 40, AT_A + LINKED, "_start", "one", AT_A + LINKED);
    named(names, SPACE_A, 40, AT_A + LINKED + 0x9f, "hidden", "one", AT_A + LINKED + 0x20);
    named(names, SPACE_A, 40, AT_A + LINKED + 0xa0, NULL, "one", AT_A + LINKED + 0xa0);
    named(names, SPACE_B, 40, AT_B + LINKED + 0x150, "exported", "one", AT_B + LINKED + 0x100);
    named(names, SPACE_B, 40, AT_B + LINKED + 2 * PAGE, "third_page", "one", AT_B + LINKED + 2 * PAGE);
    named(names, SPACE_A, 40, AT_B + PAGE * PAGE, NULL, NULL, AT_B + PAGE * PAGE);
    assert_string_equal(names_process(names, made_pages(), SPACE_A, 40), "one");
    assert_null(names_process(names, made_pages(), 0x30000, 40));
    const struct name *entry = names_entry(names, made_pages(), SPACE_A, 40, AT_A + LINKED + 0xb0);
    assert_null(entry->symbol);
    assert_int_equal(entry->begin, AT_A + LINKED + 0xb0);
    assert_int_equal(entry->end, AT_A + LINKED + 0x100);
}

static void has_symbols_wide(void **state)
{
    (void)state;
    has_symbols(false);
}

static void has_symbols_narrow(void **state)
{
    (void)state;
    has_symbols(true);
}

/* A PLT's page as the file has it, with what stands around it. */
static void has_plt(bool narrow)
{
    const struct program one = {.path = "one", .seed = 1, .narrow = narrow};
    uint8_t file[65536];
    char path[128];
    put_program(&one);
    snprintf(path, sizeof(path), "%s/one", names_directory());
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    const size_t size = fread(file, 1, sizeof(file), stream);
    fclose(stream);
    make_plt(narrow);
    const uint8_t *at = memmem(file, size, plt, sizeof(plt));
    assert_non_null(at);
    put_code(10, SPACE_A, AT_A + PLT, 0x500000, at, (size_t)(file + size - at));
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + PLT + 16, "puts@plt", "one", AT_A + PLT + 16);
    named(names, SPACE_A, 20, AT_A + PLT + 47, "exit@plt", "one", AT_A + PLT + 32);
    named(names, SPACE_A, 20, AT_A + PLT, NULL, "one", AT_A + PLT);
}

static void has_plt_wide(void **state)
{
    (void)state;
    has_plt(false);
}

static void has_plt_narrow(void **state)
{
    (void)state;
    has_plt(true);
}

/* Of a stripped library only what it exports is known. */
static void is_stripped(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true};
    (void)state;
    put_program(&one);
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x1ff, "exported", "one", AT_A + LINKED + 0x100);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x200, NULL, "one", AT_A + LINKED + 0x200);
    assert_null(names_process(names, made_pages(), SPACE_A, 20)); /* it is no program */
}

/* What unwinds its frames still tells functions apart. */
static void has_frames(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_frames = true};
    (void)state;
    put_program(&one);
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x110, "exported", "one", AT_A + LINKED + 0x100);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x243, NULL, "one", AT_A + LINKED + 0x200);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x250, NULL, "one", AT_A + LINKED + 0x244);
    assert_int_equal(names_find(names, made_pages(), SPACE_A, 20, AT_A + LINKED + 0x200)->end, AT_A + LINKED + 0x244);
}

static void has_debug_by_id(void **state)
{
    char path[128] = "debug/.build-id/ab/cd010203";
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true};
    (void)state;
    for (unsigned i = 0; i < 15; i++)
        strcat(path, "00");
    put_program(&one);
    put_debug(&one, strcat(path, ".debug"));
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, "from_debug", "one", AT_A + LINKED + 0x20);
}

static void has_debug_by_link(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true, .link = "one.debug"};
    (void)state;
    put_program(&one);
    put_debug(&one, ".debug/one.debug");
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, "from_debug", "one", AT_A + LINKED + 0x20);
}

/* Another file's: neither its build ID nor its CRC fits. */
static void has_wrong_debug(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .link = "one.debug"};
    (void)state;
    put_program(&one);
    put_debug(&one, ".debug/one.debug");
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, NULL, "one", AT_A + LINKED);
}

/* A page that two files have is that one's whose other pages lie around it in its space. */
static void is_shared(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .same_second_page = true, .prefix = "one_"};
    const struct program two = {.path = "two", .seed = 2, .same_second_page = true, .prefix = "two_"};
    (void)state;
    put_program(&one);
    put_program(&two);
    put_mapping(5, SPACE_B, AT_B - PAGE, 0x900000);
    run(10, &one, SPACE_A, AT_A, 0);
    run(20, &one, SPACE_A, AT_A, 1);
    run(30, &two, SPACE_B, AT_A, 2);
    run(40, &two, SPACE_B, AT_A, 1);
    run(50, &two, SPACE_B, AT_B, 1); /* alone */
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 60, AT_A + LINKED + PAGE, "one_second_page", "one", AT_A + LINKED + PAGE);
    named(names, SPACE_B, 60, AT_A + LINKED + PAGE, "two_second_page", "two", AT_A + LINKED + PAGE);
    named(names, SPACE_B, 60, AT_B + LINKED + PAGE, NULL, NULL, AT_B + LINKED + PAGE);
    tells(names, "1 pages are in several");
}

/* A copy of a file is that file: its build ID says so. */
static void is_copied(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .has_id = true},
                         copy = {.path = "x", .seed = 1, .has_id = true};
    (void)state;
    put_program(&one);
    put_program(&copy);
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED, "_start", "one", AT_A + LINKED);
}

static void is_damaged(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .has_frames = true};
    uint8_t file[65536], wrong[65536];
    char path[128];
    uint64_t random = 5;
    (void)state;
    put_program(&one);
    snprintf(path, sizeof(path), "%s/one", names_directory());
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    const size_t size = fread(file, 1, sizeof(file), stream);
    fclose(stream);
    for (unsigned i = 0; i < 400; i++) {
        char name[32];
        memcpy(wrong, file, size);
        for (unsigned flips = 0; flips <= i % 6; flips++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            const size_t at = (size_t)(random >> 33);
            wrong[i % 4 == 0   ? at % 400
                  : i % 4 == 1 ? size - 1 - at % 850
                               : LINKED + sizeof(text) + at % (size - LINKED - sizeof(text))] ^=
                (uint8_t)(random >> 11);
        }
        snprintf(name, sizeof(name), "wrong%u", i);
        put_file(name, wrong, i % 5 ? size : (size_t)(random >> 40) % size);
    }
    run(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    assert_non_null(names_find(names, made_pages(), SPACE_A, 20, AT_A + LINKED));
}

/* By its number and name as the guest has them, where they were told; else by the program's file. */
static void is_process(void **state)
{
    (void)state;
    put_task(20, SPACE_A, 125, "perl");
    struct names *names = open_made(NULL, NULL, true);
    assert_string_equal(names_process_text(names, made_pages(), SPACE_A, 30), "perl (125)");
    assert_int_equal(names_task(names, made_pages(), SPACE_A, 30)->pid, 125);
    assert_null(names_process_text(names, made_pages(), SPACE_B, 30));
    assert_true(names_is_process(names, made_pages(), SPACE_A, 30, "perl"));
    assert_true(names_is_process(names, made_pages(), SPACE_A, 30, "pid:125"));
    assert_false(names_is_process(names, made_pages(), SPACE_A, 30, "pid:12"));
    assert_false(names_is_process(names, made_pages(), SPACE_A, 30, "per"));
    assert_false(names_is_process(names, made_pages(), SPACE_B, 30, "perl"));
    assert_false(names_is_process(names, made_pages(), SPACE_B, 30, "pid:125"));
    tells(names, "processes: 1 by number and name");
}

/* What was named itself must be there, and be an ELF file. */
static void is_none(void **state)
{
    char path[128];
    const char *const files[] = {path};
    const struct names_options options = {.files = files, .nr_files = 1};
    struct capture capture = {0};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct error error = {0};
        snprintf(path, sizeof(path), "%s/none", names_directory());
        assert_null(names_open(&capture, &options, &error));
        assert_int_equal(error.kind, i ? ERROR_NAMES : ERROR_CANNOT_OPEN);
        assert_non_null(strstr(error.name, "/none"));
        put_file("none", "not this", 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NAMES_TEST(has_symbols_wide), NAMES_TEST(has_symbols_narrow), NAMES_TEST(has_plt_wide),
        NAMES_TEST(has_plt_narrow),   NAMES_TEST(is_stripped),        NAMES_TEST(has_frames),
        NAMES_TEST(has_debug_by_id),  NAMES_TEST(has_debug_by_link),  NAMES_TEST(has_wrong_debug),
        NAMES_TEST(is_shared),        NAMES_TEST(is_copied),          NAMES_TEST(is_damaged),
        NAMES_TEST(is_none),          NAMES_TEST(is_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
