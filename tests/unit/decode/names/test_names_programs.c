/* Names of programs and libraries, from pages that equal the file, in the spaces that map them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/names/names_fixture.h"
#include "tests/unit/decode/names/program_fixture.h"

#define AT_A 0x7f1230000000ull
#define AT_B 0x55550000000ull

static void has_symbols(bool narrow)
{
    const struct program one = {.path = "bin/one", .seed = 1, .narrow = narrow, .runs = true};
    put_program(&one);
    run_program(10, &one, SPACE_A, AT_A, 0);
    run_program(20, &one, SPACE_B, AT_B, 2);
    put_mapping(30, SPACE_B, AT_B + LINKED, one.seed * 0x100000);
    struct names *names = open_made(NULL, NULL, true);
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

/* The page of a call's target may be mapped only after the call, by its page fault. */
static void is_mapped_after_the_call(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .runs = true};
    (void)state;
    put_program(&one);
    run_program(10, &one, SPACE_B, AT_B, 0);
    run_program(12, &one, SPACE_A, AT_A, 2);
    put_mapping(15, SPACE_A, AT_A + LINKED + 2 * PAGE, one.seed * 0x100000 + 2 * PAGE);
    put_mapping(30, SPACE_A, AT_A + LINKED, one.seed * 0x100000);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED, NULL, NULL, AT_A + LINKED);
    assert_string_equal(names_called(names, made_pages(), SPACE_A, 20, AT_A + LINKED)->symbol, "_start");
    assert_string_equal(names_entry(names, made_pages(), SPACE_A, 20, AT_A + LINKED)->symbol, "_start");
    assert_null(names_called(names, made_pages(), SPACE_A, 20, AT_B)->object); /* nothing is ever mapped there */
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

/* The page of a PLT with its surroundings, as in the file. */
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
    const uint8_t *at = memmem(file, size, program_plt(narrow), PLT_SIZE);
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

/* Of a stripped library only the exported functions are known. */
static void is_stripped(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true};
    (void)state;
    put_program(&one);
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x1ff, "exported", "one", AT_A + LINKED + 0x100);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x200, NULL, "one", AT_A + LINKED + 0x200);
    assert_null(names_process(names, made_pages(), SPACE_A, 20)); /* a library, not a program */
}

/* .eh_frame still separates its functions. */
static void has_frames(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_frames = true};
    (void)state;
    put_program(&one);
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x110, "exported", "one", AT_A + LINKED + 0x100);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x243, NULL, "one", AT_A + LINKED + 0x200);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x250, NULL, "one", AT_A + LINKED + 0x244);
    assert_int_equal(names_find(names, made_pages(), SPACE_A, 20, AT_A + LINKED + 0x200)->end, AT_A + LINKED + 0x244);
}

/* A page that two files contain belongs to the file whose other pages are mapped around it. */
static void is_shared(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .same_second_page = true, .prefix = "one_"};
    const struct program two = {.path = "two", .seed = 2, .same_second_page = true, .prefix = "two_"};
    (void)state;
    put_program(&one);
    put_program(&two);
    put_mapping(5, SPACE_B, AT_B - PAGE, 0x900000);
    run_program(10, &one, SPACE_A, AT_A, 0);
    run_program(20, &one, SPACE_A, AT_A, 1);
    run_program(30, &two, SPACE_B, AT_A, 2);
    run_program(40, &two, SPACE_B, AT_A, 1);
    run_program(50, &two, SPACE_B, AT_B, 1); /* without neighbours */
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 60, AT_A + LINKED + PAGE, "one_second_page", "one", AT_A + LINKED + PAGE);
    named(names, SPACE_B, 60, AT_A + LINKED + PAGE, "two_second_page", "two", AT_A + LINKED + PAGE);
    named(names, SPACE_B, 60, AT_B + LINKED + PAGE, NULL, NULL, AT_B + LINKED + PAGE);
    has_line(names, "1 page is in several");
}

/* A copy of a file counts as the same file, by its build ID. */
static void is_copied(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .has_id = true},
                         copy = {.path = "x", .seed = 1, .has_id = true};
    (void)state;
    put_program(&one);
    put_program(&copy);
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED, "_start", "one", AT_A + LINKED);
}

/* Damaged files: nothing is read beyond their bytes (the sanitizers check that). */
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
                               : LINKED + TEXT_SIZE + at % (size - LINKED - TEXT_SIZE)] ^= (uint8_t)(random >> 11);
        }
        snprintf(name, sizeof(name), "wrong%u", i);
        put_file(name, wrong, i % 5 ? size : (size_t)(random >> 40) % size);
    }
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    assert_non_null(names_find(names, made_pages(), SPACE_A, 20, AT_A + LINKED));
}

/* A process by number and name if there is a TASK record, else by its program's file. */
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
    has_line(names, "processes: 1 by number and name");
}

/* Cached answers hold only for their range of offsets, their space and their CPU. */
static void is_followed_by_another(void **state)
{
    (void)state;
    put_task(20, SPACE_A, 125, "perl");
    put_task(20, SPACE_A + 0x10000, 127, "ls"); /* the same slot of the cache */
    put_task(40, SPACE_A, 126, "sh");
    struct names *names = open_made(NULL, NULL, true);
    for (unsigned i = 0; i < 2; i++) {
        assert_string_equal(names_process_text(names, made_pages(), SPACE_A, 30), "perl (125)");
        assert_string_equal(names_process_text(names, made_pages(), SPACE_A + 0x10000, 30), "ls (127)");
        assert_string_equal(names_process_text(names, made_pages(), SPACE_A, 39), "perl (125)");
        assert_string_equal(names_process_text(names, made_pages(), SPACE_A, 40), "sh (126)");
    }
}

/* A given path must exist and be an ELF file or a directory. */
static void is_no_elf_file(void **state)
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
        NAMES_TEST(is_mapped_after_the_call),
        NAMES_TEST(has_symbols_wide),
        NAMES_TEST(has_symbols_narrow),
        NAMES_TEST(has_plt_wide),
        NAMES_TEST(has_plt_narrow),
        NAMES_TEST(is_stripped),
        NAMES_TEST(has_frames),
        NAMES_TEST(is_shared),
        NAMES_TEST(is_copied),
        NAMES_TEST(is_damaged),
        NAMES_TEST(is_no_elf_file),
        NAMES_TEST(is_process),
        NAMES_TEST(is_followed_by_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
