/* The files that a capture's names come from, remembered with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/names/build_id.h"
#include "decode/names/remembered.h"
#include "tests/unit/decode/names/names_fixture.h"
#include "tests/unit/decode/names/program_fixture.h"

static const char *path_of(const char *name)
{
    static char path[2][256];
    static unsigned next;
    char *text = path[next++ % 2];
    snprintf(text, sizeof(path[0]), "%s/%s", names_directory(), name);
    return text;
}

static void expect(const struct remembered *remembered, enum remembered_kind kind, const char *name)
{
    size_t at = 0;
    const struct remembered_item *item = remembered_next(remembered, &at, kind);
    if (!name) {
        assert_null(item);
        return;
    }
    assert_non_null(item);
    assert_string_equal(item->path, path_of(name));
    assert_null(remembered_next(remembered, &at, kind));
}

/* What is written is read again: kinds, paths, also with blanks, sizes, times and build IDs. */
static void is_written_and_read(void **state)
{
    struct remembered one = {.events_size = 77}, two;
    (void)state;
    put_file("a kernel", "12345", 5);
    put_file("program", "123", 3);
    assert_true(remembered_add(&one, REMEMBERED_KERNEL, path_of("a kernel"), (const uint8_t *)"\xab\x01", 2));
    assert_true(remembered_add(&one, REMEMBERED_FILE, path_of("program"), NULL, 0));
    assert_true(remembered_add(&one, REMEMBERED_FILE, path_of("program"), NULL, 0)); /* once */
    assert_true(remembered_add(&one, REMEMBERED_OTHER, path_of("gone"), NULL, 0));   /* not at all */
    assert_int_equal(one.count, 2);
    assert_true(remembered_write(&one, made_capture()));
    remembered_read(&two, made_capture());
    assert_int_equal(two.events_size, 77);
    assert_int_equal(two.count, 2);
    expect(&two, REMEMBERED_KERNEL, "a kernel");
    expect(&two, REMEMBERED_FILE, "program");
    assert_int_equal(two.items[0].size, 5);
    assert_int_equal(two.items[0].id_size, 2);
    assert_memory_equal(two.items[0].id, "\xab\x01", 2);
    assert_int_equal(two.items[1].id_size, 0);
    assert_true(remembered_is_same(&two.items[0]));
    assert_true(remembered_has(&two, REMEMBERED_FILE, path_of("program")));
    assert_false(remembered_has(&two, REMEMBERED_OTHER, path_of("program")));
    put_file("program", "1234", 4);
    assert_false(remembered_has(&two, REMEMBERED_FILE, path_of("program")));
    unlink(path_of("a kernel"));
    assert_false(remembered_is_same(&two.items[0]));
    remembered_free(&one);
    remembered_free(&two);
}

/* A file that is cut off, or is something else, is as none. */
static void is_damaged(void **state)
{
    static const char *const damaged[] = {"kernel 5 5 - /vmlinux",           "kernel 5 5 /vmlinux\n",
                                          "kernel five 5 - /vmlinux\n",      "colonel 5 5 - /vmlinux\n",
                                          "kernel 5 5 - relative/vmlinux\n", "\n",
                                          "capture 7\nkernel 5 5 - /a\nx"};
    struct remembered remembered;
    (void)state;
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        put_file(REMEMBERED_NAME, damaged[i], strlen(damaged[i]));
        remembered_read(&remembered, made_capture());
        assert_int_equal(remembered.count, 0);
        remembered_free(&remembered);
    }
    put_file(REMEMBERED_NAME, "kernel 5 5 - /a\0b\n", 18);
    remembered_read(&remembered, made_capture());
    assert_int_equal(remembered.count, 0);
    put_file(REMEMBERED_NAME, "kernel 5 5 - /vmlinux\n", 22);
    remembered_read(&remembered, made_capture());
    assert_int_equal(remembered.count, 1);
    remembered_free(&remembered);
}

static void is_forgotten(void **state)
{
    (void)state;
    put_file(REMEMBERED_NAME, "kernel 5 5 - /vmlinux\n", 22);
    assert_true(remembered_forget(made_capture()));
    assert_int_equal(access(path_of(REMEMBERED_NAME), F_OK), -1);
    assert_true(remembered_forget(made_capture()));
}

/* A directory that cannot be written is no reason to stop, but the caller learns of it. */
static void cannot_be_written(void **state)
{
    struct remembered one = {0};
    (void)state;
    put_file("kernel", "12345", 5);
    assert_true(remembered_add(&one, REMEMBERED_KERNEL, path_of("kernel"), NULL, 0));
    strcat(made_capture()->directory, "x");
    assert_false(remembered_write(&one, made_capture()));
    made_capture()->directory[strlen(made_capture()->directory) - 1] = '\0';
    remembered_free(&one);
}

static void open_and_take(struct remembered *remembered, const char *const *files, size_t nr_files)
{
    struct error error = {0};
    const struct names_options options = {.files = files, .nr_files = nr_files};
    struct names *names = names_open(made_capture(), &options, &error);
    assert_non_null(names);
    assert_true(remembered_take(remembered, made_capture(), names, &options));
    names_close(names);
}

/* Of a directory, the files with code of the capture are remembered. Another path replaces them if it has some, too. */
static void takes_files(void **state)
{
    const struct program one = {.path = "bin/one", .seed = 1, .has_id = true}, other = {.path = "bin/other", .seed = 2};
    struct remembered remembered = {0};
    char directory[256], nothing[256], again[256];
    (void)state;
    put_program(&one);
    put_program(&other);
    run_program(10, &one, SPACE_A, 0x7f1230000000ull, 0);
    put_file("none/text", "text", 4);
    put_program(&(struct program){.path = "again/one", .seed = 1});
    snprintf(directory, sizeof(directory), "%s", path_of("bin"));
    snprintf(nothing, sizeof(nothing), "%s", path_of("none"));
    snprintf(again, sizeof(again), "%s", path_of("again"));
    made_capture()->events_size = 5;
    open_and_take(&remembered, (const char *[]){directory}, 1);
    expect(&remembered, REMEMBERED_GIVEN, "bin");
    expect(&remembered, REMEMBERED_FILE, "bin/one");
    assert_int_equal(remembered.events_size, 5);
    made_capture()->events_size = 6;
    open_and_take(&remembered, (const char *[]){nothing}, 1);
    open_and_take(&remembered, NULL, 0);
    expect(&remembered, REMEMBERED_GIVEN, "bin");
    expect(&remembered, REMEMBERED_FILE, "bin/one");
    assert_int_equal(remembered.events_size, 5);
    open_and_take(&remembered, (const char *[]){again}, 1);
    expect(&remembered, REMEMBERED_GIVEN, "again");
    expect(&remembered, REMEMBERED_FILE, "again/one");
    remembered_free(&remembered);
}

/* The paths of --debug, until there are others. */
static void takes_debug_paths(void **state)
{
    struct remembered remembered = {0};
    struct error error = {0};
    char first[256], second[256];
    const char *const debug[] = {first, second};
    size_t at = 0;
    (void)state;
    put_file("first/text", "text", 4);
    put_file("second/text", "text", 4);
    snprintf(first, sizeof(first), "%s", path_of("first"));
    snprintf(second, sizeof(second), "%s", path_of("second"));
    struct names *names = names_open(made_capture(), &(struct names_options){0}, &error);
    assert_non_null(names);
    const struct names_options both = {.debug = debug, .nr_debug = 2}, one = {.debug = debug + 1, .nr_debug = 1};
    assert_true(remembered_take(&remembered, made_capture(), names, &both));
    assert_string_equal(remembered_next(&remembered, &at, REMEMBERED_DEBUG)->path, first);
    assert_string_equal(remembered_next(&remembered, &at, REMEMBERED_DEBUG)->path, second);
    assert_true(remembered_take(&remembered, made_capture(), names, &(struct names_options){0}));
    assert_int_equal(remembered.count, 2);
    assert_true(remembered_take(&remembered, made_capture(), names, &one));
    assert_int_equal(remembered.count, 1);
    expect(&remembered, REMEMBERED_DEBUG, "second");
    names_close(names);
    remembered_free(&remembered);
}

static void build_ids_are_text(void **state)
{
    uint8_t id[BUILD_ID_SIZE];
    char text[BUILD_ID_TEXT_SIZE];
    (void)state;
    assert_string_equal(build_id_text(text, (const uint8_t *)"\x0a\xff", 2), "0aff");
    assert_int_equal(build_id_parse(id, "0aff"), 2);
    assert_memory_equal(id, "\x0a\xff", 2);
    assert_int_equal(build_id_parse(id, "-"), 0);
    assert_int_equal(build_id_parse(id, "0af"), 0);
    char *path = build_id_path("/d", (const uint8_t *)"\x0a\xff\x01", 3, ".debug");
    assert_string_equal(path, "/d/.build-id/0a/ff01.debug");
    free(path);
    assert_null(build_id_path("/d", id, 1, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NAMES_TEST(is_written_and_read),      NAMES_TEST(is_damaged),  NAMES_TEST(is_forgotten),
        NAMES_TEST(cannot_be_written),        NAMES_TEST(takes_files), NAMES_TEST(takes_debug_paths),
        cmocka_unit_test(build_ids_are_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
