/* The kernel's names: how far it was moved, from patched pages; lists of symbols; a bzImage. */
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
#define TEXT 0xffffffff81000000ull
#define PAGES 16u
#define MOVED 0x1d600000ull
#define PHYSICAL 0x5000000ull /* guest-physical address of its first page */
#define FUNCTION 0x80u        /* size of each function */

static uint8_t text[PAGES * PAGE];
static uint8_t init[PAGE];

/* A note of Linux's own before the build ID, as in .notes of its kernels. */
static const uint8_t notes[] = {6, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 'L', 'i', 'n', 'u', 'x', 0, 0, 0, 0, 0,
                                0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0,   0,   'G', 'N', 'U', 0, 1, 2, 3, 4};

static struct made_section kernel_sections[] = {
    {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, text, sizeof(text), 0, 0, 0, 0},
    {".init.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT + 0x400000, init, sizeof(init), 0, 0, 0, 0},
    {0},
    {0},
    {".notes", SHT_NOTE, SHF_ALLOC, TEXT + 0x800000, notes, sizeof(notes), 0, 0, 0, 0}};

static void put_kernel(const char *name)
{
    static struct made_symbols symbols;
    char text_name[32];
    size_t size;
    memset(&symbols, 0, sizeof(symbols));
    fill_code(text, sizeof(text), 1);
    fill_code(init, sizeof(init), 2);
    add_symbol(&symbols, "_stext", TEXT, 0, STT_NOTYPE | STB_GLOBAL << 4, 1);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(text_name, sizeof(text_name), "function_%u", i);
        add_symbol(&symbols, text_name, TEXT + i * FUNCTION, FUNCTION, STT_FUNC | STB_GLOBAL << 4, 1);
    }
    add_symbol(&symbols, "start_kernel", TEXT + 0x400010, 0x100, STT_FUNC | STB_GLOBAL << 4, 2);
    add_symbol(&symbols, "jiffies", TEXT + FUNCTION / 2, 8, STT_OBJECT | STB_GLOBAL << 4, 1);
    kernel_sections[2] = symbols_section(&symbols, false, SHT_SYMTAB, 4);
    kernel_sections[3] = strings_section(&symbols);
    uint8_t *file = make_elf(&size, (struct made_head){.type = ET_EXEC, .machine = EM_X86_64}, kernel_sections, 5);
    put_file(name, file, size);
    free(file);
}

/* Add pages of it to the capture, with this many patched bytes per thousand. */
static void run_kernel(uint64_t moved, unsigned count, unsigned patched)
{
    uint8_t page[PAGE];
    for (unsigned i = 0; i < count; i++) {
        memcpy(page, text + i * PAGE, PAGE);
        for (unsigned j = 0; j < PAGE; j++)
            page[j] ^= (j * 7919u) % 1000 < patched;
        put_code(100 + i, SPACE_A, TEXT + moved + i * PAGE, PHYSICAL + i * PAGE, page, PAGE);
    }
}

static void moved_by(uint64_t moved, unsigned patched)
{
    put_kernel("vmlinux");
    run_kernel(moved, PAGES, patched);
    struct names *names = open_made("vmlinux", NULL, false);
    named(names, SPACE_A, 200, TEXT + moved, "function_0", "vmlinux", TEXT + moved);
    named(names, SPACE_B, 0, TEXT + moved + 5 * FUNCTION + 3, "function_5", "vmlinux", TEXT + moved + 5 * FUNCTION);
    named(names, SPACE_A, 200, TEXT + moved + 0x400012, "start_kernel", "vmlinux", TEXT + moved + 0x400010);
    named(names, SPACE_A, 200, TEXT + moved + 40 * FUNCTION, NULL, "vmlinux", TEXT + moved + 40 * FUNCTION);
    named(names, SPACE_A, 200, 0xffffffffc0000123, NULL, NULL, 0xffffffffc0000000);
    has_line(names, "16 of 16 pages agree");
}

static void stays(void **state)
{
    (void)state;
    moved_by(0, 0);
}

static void is_moved(void **state)
{
    (void)state;
    moved_by(MOVED, 0);
}

static void is_moved_down(void **state)
{
    (void)state;
    moved_by(0 - 0x800000ull, 50);
}

static void is_patched(void **state)
{
    (void)state;
    moved_by(MOVED, 300);
}

/* Another kernel, or one that is patched beyond recognition: no names, and a line says so. */
static void is_another(void **state)
{
    (void)state;
    put_kernel("vmlinux");
    run_kernel(MOVED, PAGES, 900);
    struct names *names = open_made("vmlinux", NULL, false);
    named(names, SPACE_A, 200, TEXT + MOVED, NULL, NULL, TEXT + MOVED);
    has_line(names, "do not come from this file");
}

/* Of several files, the one with the code that ran; the others are another kernel and no kernel. */
static void is_searched(void **state)
{
    char paths[3][128];
    const char *list[3];
    struct names_source source;
    (void)state;
    snprintf(paths[0], sizeof(paths[0]), "%s", put_file("text", "a kernel, really", 16));
    put_kernel("vmlinux");
    run_kernel(MOVED, PAGES, 10);
    snprintf(paths[1], sizeof(paths[1]), "%s/vmlinux", names_directory());
    snprintf(paths[2], sizeof(paths[2]), "%s/gone", names_directory());
    for (size_t i = 0; i < 3; i++)
        list[i] = paths[i];
    assert_int_equal(names_search_kernel(made_capture(), list, 3), 1);
    assert_int_equal(names_search_kernel(made_capture(), list, 1), 1);
    struct names *names = open_made("vmlinux", NULL, false);
    assert_true(names_kernel_source(names, &source));
    assert_string_equal(source.path, paths[1]);
    assert_int_equal(source.id_size, 4);
    assert_memory_equal(source.id, "\1\2\3\4", 4);
}

/* A kernel that is not the capture's is none that its names come from. */
static void is_not_found(void **state)
{
    struct names_source source;
    (void)state;
    put_kernel("vmlinux");
    run_kernel(MOVED, PAGES, 900);
    const char *path = "vmlinux";
    char whole[128];
    snprintf(whole, sizeof(whole), "%s/%s", names_directory(), path);
    path = whole;
    assert_int_equal(names_search_kernel(made_capture(), &path, 1), 1);
    assert_false(names_kernel_source(open_made("vmlinux", NULL, false), &source));
}

/* The same pages at two distances: it cannot be decided which one is right. */
static void is_at_two_places(void **state)
{
    (void)state;
    put_kernel("vmlinux");
    run_kernel(MOVED, PAGES, 0);
    for (unsigned i = 0; i < PAGES; i++) {
        text[i * PAGE]++; /* a different page */
        put_code(500 + i, SPACE_A, TEXT + 2 * MOVED + i * PAGE, 2 * PHYSICAL + i * PAGE, text + i * PAGE, PAGE);
    }
    struct names *names = open_made("vmlinux", NULL, false);
    named(names, SPACE_A, 600, TEXT + MOVED, NULL, NULL, TEXT + MOVED);
}

/* One page is not enough. */
static void is_one_page(void **state)
{
    (void)state;
    put_kernel("vmlinux");
    run_kernel(MOVED, 1, 0);
    struct names *names = open_made("vmlinux", NULL, false);
    named(names, SPACE_A, 600, TEXT + MOVED, NULL, NULL, TEXT + MOVED);
}

/* Before the kernel has its own page tables it runs at its guest-physical addresses. */
static void runs_early(void **state)
{
    (void)state;
    put_kernel("vmlinux");
    put_code(1, SPACE_B, PHYSICAL + 3 * PAGE, PHYSICAL + 3 * PAGE, text + 3 * PAGE, PAGE);
    run_kernel(MOVED, 3, 0);
    struct names *names = open_made("vmlinux", NULL, false);
    uint64_t begin = PHYSICAL + 3 * PAGE;
    named(names, SPACE_B, 2, begin + 0x90, NULL, "vmlinux", PHYSICAL + 40 * FUNCTION);
    named(names, SPACE_A, 200, TEXT + MOVED + PAGE, "function_32", "vmlinux", TEXT + MOVED + PAGE);
}

/* Without an image a list of symbols is used unchanged; with the image, its addresses are moved like the image. */
static void put_list(uint64_t moved)
{
    char lines[256];
    const int size = snprintf(lines, sizeof(lines),
                              "%016llx T _stext\n%016llx t first_of_list\n%016llx D data\n%016llx T second_of_list\n",
                              TEXT + moved, TEXT + moved, TEXT + moved + 0x20, TEXT + moved + 0x40);
    put_file("list", lines, (size_t)size);
}

static void has_a_list(void **state)
{
    (void)state;
    put_list(MOVED);
    struct names *names = open_made(NULL, "list", false);
    named(names, SPACE_A, 5, TEXT + MOVED + 0x41, "second_of_list", "vmlinux", TEXT + MOVED + 0x40);
    has_line(names, "not compared with a kernel");
}

static void has_a_system_map(void **state)
{
    (void)state;
    put_kernel("vmlinux");
    run_kernel(MOVED, PAGES, 10);
    put_list(0);
    struct names *names = open_made("vmlinux", "list", false);
    named(names, SPACE_A, 5, TEXT + MOVED + 0x41, "second_of_list", "vmlinux", TEXT + MOVED + 0x40);
}

static void has_a_copy_of_proc(void **state)
{
    (void)state;
    put_kernel("vmlinux");
    run_kernel(MOVED, PAGES, 10);
    put_list(MOVED);
    struct names *names = open_made("vmlinux", "list", false);
    named(names, SPACE_A, 5, TEXT + MOVED + 0x41, "second_of_list", "vmlinux", TEXT + MOVED + 0x40);
}

/* The same kernel packed in a bzImage; the page of code that unpacks it belongs to the bzImage. */
static void is_a_bzimage(void **state)
{
    (void)state;
    char command[512];
    uint8_t *file = calloc(1, 1u << 20);
    assert_non_null(file);
    put_kernel("vmlinux");
    snprintf(command, sizeof(command), "gzip -9 <%s/vmlinux >%s/packed", names_directory(), names_directory());
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof(command), "%s/packed", names_directory());
    FILE *packed = fopen(command, "rb");
    assert_non_null(packed);
    const size_t loader = 5 * 512, payload = loader + 2 * PAGE;
    const uint32_t length = (uint32_t)fread(file + payload, 1, 512u << 10, packed), offset = 2 * PAGE;
    fclose(packed);
    file[0x1f1] = 4;
    memcpy(file + 0x1fe, "\x55\xaaxxHdrS", 8);
    file[0x206] = 0x0f;
    file[0x207] = 2;
    memcpy(file + 0x248, &offset, 4);
    memcpy(file + 0x24c, &length, 4);
    fill_code(file + loader, 2 * PAGE, 77);
    put_file("bzImage", file, payload + length);
    put_code(1, SPACE_B, 0x1001000, 0x1001000, file + loader + PAGE, PAGE);
    run_kernel(MOVED, PAGES, 10);
    struct names *names = open_made("bzImage", NULL, false);
    named(names, SPACE_A, 200, TEXT + MOVED, "function_0", "vmlinux", TEXT + MOVED);
    named(names, SPACE_B, 1, 0x1001234, NULL, "bzImage", 0x1000000);
    free(file);
}

static void refuse(const char *name, const void *bytes, size_t size, const char *why)
{
    const struct names_options options = {.kernel = put_file(name, bytes, size)};
    struct error error = {0};
    struct capture capture = {0};
    assert_null(names_open(&capture, &options, &error));
    assert_int_equal(error.kind, ERROR_NAMES);
    if (!strstr(error.name, why) || !strstr(error.name, name))
        fail_msg("%s: the message is '%s', without '%s'", name, error.name, why);
}

/* Files that are not kernels, or are truncated, yield a clear error. */
static void is_no_kernel(void **state)
{
    (void)state;
    uint8_t file[8192] = {0};
    refuse("empty", file, 0, "neither a bzImage nor an ELF file");
    refuse("text", "a kernel, really", 16, "neither a bzImage nor an ELF file");
    memcpy(file + 0x1fe, "\x55\xaaxxHdrS\x0f\x02", 10);
    refuse("nothing", file, sizeof(file), "truncated or has no payload");
    memcpy(file + 0x24c, "\0\x10\0\0", 4);
    refuse("unsized", file, sizeof(file), "impossible size of its payload");
    memcpy(file + 0xa00 + 0x1000 - 4, "\0\x10\0\0", 4);
    refuse("unknown", file, sizeof(file), "packed in an unknown format");
    memcpy(file + 0xa00, "\x1f\x8b\x08", 3);
    refuse("damaged", file, sizeof(file), "cannot unpack it");
    memcpy(file + 0x24c, "\0\0\x10\0", 4);
    refuse("cut", file, sizeof(file), "truncated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NAMES_TEST(stays),        NAMES_TEST(is_moved),         NAMES_TEST(is_moved_down),
        NAMES_TEST(is_patched),   NAMES_TEST(is_another),       NAMES_TEST(is_at_two_places),
        NAMES_TEST(is_one_page),  NAMES_TEST(runs_early),       NAMES_TEST(has_a_list),
        NAMES_TEST(is_a_bzimage), NAMES_TEST(has_a_system_map), NAMES_TEST(has_a_copy_of_proc),
        NAMES_TEST(is_no_kernel), NAMES_TEST(is_searched),      NAMES_TEST(is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
