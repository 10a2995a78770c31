/* Names of modules, from pages that are relocated and patched as by the kernel when it loads a module. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/names/elf_fixture.h"
#include "tests/unit/decode/names/names_fixture.h"

#define PAGE 4096u
#define BASE 0xffffffffc0400000ull
#define OTHER 0xffffffffc0990000ull
#define TEXT_SIZE (PAGE + 0x234u) /* .text; .text.unlikely and .exit.text follow, aligned */
#define COLD_AT 0x1240u
#define EXIT_AT 0x1260u
#define CORE_SIZE 0x1280u

static uint8_t text[TEXT_SIZE], init[0x60], cold[0x18], exit_text[0x20];
static Elf64_Rela relocations[200];
static struct made_symbols symbols;

/* A CALL with a relocation every 40 bytes: compilers emit many. */
static size_t make_code(uint64_t seed)
{
    size_t count = 0;
    fill_code(text, sizeof(text), seed);
    fill_code(init, sizeof(init), seed + 1);
    fill_code(cold, sizeof(cold), seed + 2);
    fill_code(exit_text, sizeof(exit_text), seed + 3);
    for (size_t at = 8; at + 5 < sizeof(text); at += 40) {
        text[at] = 0xe8;
        memset(text + at + 1, 0, 4);
        relocations[count++] = (Elf64_Rela){at + 1, ELF64_R_INFO(1, R_X86_64_PLT32), -4};
    }
    return count;
}

static void put_module(const char *file, const char *name, uint64_t seed)
{
    char info[64];
    size_t size;
    const size_t count = make_code(seed);
    const size_t info_size = (size_t)snprintf(info, sizeof(info), "license=GPL%cname=%s", 0, name) + 1;
    memset(&symbols, 0, sizeof(symbols));
    add_symbol(&symbols, "first", 0, 0x40, STT_FUNC, 1);
    add_symbol(&symbols, "second", 0x40, 0x1000, STT_FUNC, 1);
    add_symbol(&symbols, "second.cold", 0, 0x18, STT_FUNC, 3);
    add_symbol(&symbols, "init_module", 0, 0x60, STT_FUNC | STB_GLOBAL << 4, 2);
    add_symbol(&symbols, "first_init", 0, 0x60, STT_FUNC, 2);
    add_symbol(&symbols, "last_exit", 0, 0x20, STT_FUNC, 4);
    const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
    const struct made_section sections[] = {
        {".text", SHT_PROGBITS, code, 0, text, sizeof(text), 0, 0, 0, 16},
        {".init.text", SHT_PROGBITS, code, 0, init, sizeof(init), 0, 0, 0, 16},
        {".text.unlikely", SHT_PROGBITS, code, 0, cold, sizeof(cold), 0, 0, 0, 16},
        {".exit.text", SHT_PROGBITS, code, 0, exit_text, sizeof(exit_text), 0, 0, 0, 32},
        {".rela.text", SHT_RELA, 0, 0, relocations, count * sizeof(*relocations), 7, 1, sizeof(*relocations), 8},
        {".modinfo", SHT_PROGBITS, SHF_ALLOC, 0, info, info_size, 0, 0, 0, 1},
        symbols_section(&symbols, false, SHT_SYMTAB, 8),
        strings_section(&symbols),
        {".gnu.linkonce.this_module", SHT_PROGBITS, SHF_ALLOC, 0, text, 16, 0, 0, 0, 0},
    };
    uint8_t *bytes = make_elf(&size, (struct made_head){.type = ET_REL, .machine = EM_X86_64}, sections, 9);
    put_file(file, bytes, size);
    free(bytes);
}

/* Load it: change the bytes at relocations, and patch some others. */
static void run_module(uint64_t offset, uint64_t base, uint64_t gpa, uint64_t seed, unsigned patched)
{
    uint8_t core[2 * PAGE] = {0}, other[PAGE] = {0};
    const size_t count = make_code(seed);
    memcpy(core, text, sizeof(text));
    memcpy(core + COLD_AT, cold, sizeof(cold));
    memcpy(core + EXIT_AT, exit_text, sizeof(exit_text));
    for (size_t i = 0; i < count; i++)
        fill_code(core + relocations[i].r_offset, 4, base + i);
    for (size_t i = 0; i < CORE_SIZE; i++)
        core[i] ^= (i * 7919) % 1000 < patched;
    memcpy(other, init, sizeof(init));
    put_code(offset, SPACE_A, base, gpa, core, PAGE);
    put_code(offset + 1, SPACE_A, base + PAGE, gpa + PAGE, core + PAGE, PAGE);
    put_code(offset + 2, SPACE_A, base + 0x9000, gpa + 0x9000, other, PAGE);
}

static void is_loaded(void **state)
{
    (void)state;
    put_module("lib/first-thing.ko", "first_thing", 100);
    put_module("lib/second-thing.ko", "second_thing", 200);
    run_module(10, BASE, 0x100000, 200, 60);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, BASE + 0x3f, "first", "second_thing", BASE);
    named(names, SPACE_B, 20, BASE + PAGE + 1, "second", "second_thing", BASE + 0x40);
    named(names, SPACE_A, 20, BASE + 0x1100, NULL, "second_thing", BASE + 0x1040);
    named(names, SPACE_A, 20, BASE + COLD_AT, "second.cold", "second_thing", BASE + COLD_AT);
    named(names, SPACE_A, 20, BASE + EXIT_AT + 0x1f, "last_exit", "second_thing", BASE + EXIT_AT);
    named(names, SPACE_A, 20, BASE + 0x9004, "first_init", "second_thing", BASE + 0x9000);
    has_line(names, "have 3 of the 3 pages at modules' addresses");
}

/* A module is replaced by another one at its address, and is loaded again elsewhere. */
static void is_reloaded(void **state)
{
    (void)state;
    put_module("one.ko", "one", 100);
    put_module("two.ko", "two", 200);
    run_module(10, BASE, 0x100000, 100, 0);
    run_module(1000, BASE, 0x200000, 200, 0);
    run_module(2000, OTHER, 0x300000, 100, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, BASE + 0x3f, "first", "one", BASE);
    named(names, SPACE_A, 1020, BASE + 0x3f, "first", "two", BASE);
    named(names, SPACE_A, 2020, OTHER + 0x50, "second", "one", OTHER + 0x40);
    named(names, SPACE_A, 20, BASE + 0x3f, "first", "one", BASE);
    assert_ptr_not_equal(names_find(names, made_pages(), SPACE_A, 20, BASE),
                         names_find(names, made_pages(), SPACE_A, 1020, BASE));
}

/* Another build of the module, or code generated at run time, does not get its names. */
static void is_another(void **state)
{
    (void)state;
    put_module("one.ko", "one", 100);
    run_module(10, BASE, 0x100000, 555, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, BASE + 0x3f, NULL, NULL, BASE);
    has_line(names, "have 0 of the 3 pages at modules' addresses");
}

/* Two modules with the same code: the object is unknown, the symbol is known because they agree. */
static void is_twice(void **state)
{
    (void)state;
    put_module("one.ko", "one", 100);
    put_module("two.ko", "two", 100);
    run_module(10, BASE, 0x100000, 100, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, BASE + 0x3f, "first", NULL, BASE);
    has_line(names, "3 pages are in several");
}

/* A packed module; a truncated one, which a line reports. */
static void is_packed(void **state)
{
    char command[256];
    (void)state;
    put_module("one.ko", "one", 100);
    snprintf(command, sizeof(command), "xz %s/one.ko && head -c 3000 %s/one.ko.xz >%s/cut.ko.xz", names_directory(),
             names_directory(), names_directory());
    assert_int_equal(system(command), 0);
    run_module(10, BASE, 0x100000, 100, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, BASE + 0x3f, "first", "one", BASE);
    has_line(names, "files: 1 looked at");
    has_line(names, "files: 1 cannot be read or unpacked, the first: ");
    has_line(names, "/cut.ko.xz: xz cannot unpack it");
}

/* Modules with damaged headers. */
static void is_damaged(void **state)
{
    uint64_t random = 3;
    char path[128], name[32];
    uint8_t bytes[32768];
    (void)state;
    put_module("one.ko", "one", 100);
    snprintf(path, sizeof(path), "%s/one.ko", names_directory());
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    for (unsigned i = 0; i < 400; i++) {
        uint8_t wrong[sizeof(bytes)];
        memcpy(wrong, bytes, size);
        for (unsigned flips = 0; flips <= i % 6; flips++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            const size_t at = (size_t)(random >> 33);
            /* Mostly the file header, or the section headers at the end. */
            wrong[i % 4 ? size - 1 - at % 700 : at % 64] ^= (uint8_t)(random >> 11);
        }
        snprintf(name, sizeof(name), "wrong%u.ko", i);
        put_file(name, wrong, i % 5 ? size : (size_t)(random >> 40) % size);
    }
    run_module(10, BASE, 0x100000, 100, 0);
    struct names *names = open_made(NULL, NULL, true);
    assert_non_null(names_find(names, made_pages(), SPACE_A, 20, BASE + 0x3f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {NAMES_TEST(is_loaded), NAMES_TEST(is_reloaded), NAMES_TEST(is_another),
                                       NAMES_TEST(is_twice),  NAMES_TEST(is_packed),   NAMES_TEST(is_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
