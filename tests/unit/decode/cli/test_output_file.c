/* Output files: those of the capture are not overwritten, and incomplete writes are noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/cli/output.h"

static char capture[32], elsewhere[32];

static void make_file(char path[64], const char *directory, const char *name)
{
    snprintf(path, 64, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("kept", file);
    fclose(file);
}

static int setup(void **state)
{
    (void)state;
    strcpy(capture, "/tmp/test_output.XXXXXX");
    strcpy(elsewhere, "/tmp/test_output.XXXXXX");
    return mkdtemp(capture) && mkdtemp(elsewhere) ? 0 : 1;
}

static int teardown(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s %s", capture, elsewhere);
    return system(command);
}

static off_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : -1;
}

/* By its own name, by another path to it, and by a link. */
static void the_captures_own_files_are_not_overwritten(void **state)
{
    static const char *const names[] = {"cpu0.pt", "cpu13.pt", "events.bin", "index", "meta.json", "checksums"};
    char path[64], way[128], link_name[64];
    (void)state;
    snprintf(link_name, sizeof(link_name), "%s/list.txt", elsewhere);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        make_file(path, capture, names[i]);
        assert_null(output_open(path, capture));
        snprintf(way, sizeof(way), "%s/../%s/%s", elsewhere, strrchr(capture, '/') + 1, names[i]);
        assert_null(output_open(way, capture));
        assert_int_equal(symlink(path, link_name), 0);
        assert_null(output_open(link_name, capture));
        unlink(link_name);
        assert_int_equal(link(path, link_name), 0);
        assert_null(output_open(link_name, capture));
        unlink(link_name);
        assert_int_equal(size_of(path), 4);
        /* A new file with such a name would become a file of the capture. */
        unlink(path);
        assert_null(output_open(path, capture));
        assert_int_equal(size_of(path), -1);
    }
}

static void others_are_written(void **state)
{
    static const char *const names[] = {"branches.txt", "cpu.pt", "cpu0.pt.txt"};
    char path[64];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", capture, names[i]);
        FILE *file = output_open(path, capture);
        assert_non_null(file);
        fputs("x\n", file);
        assert_true(output_close(file, path));
        assert_int_equal(size_of(path), 2);
    }
    make_file(path, elsewhere, "events.bin");
    FILE *file = output_open(path, capture);
    assert_non_null(file);
    assert_true(output_close(file, path));
    assert_ptr_equal(output_open("-", capture), stdout);
}

/* A file that is only of use if it is complete is there after the last write, or not at all. */
static void whole_files_are_there_in_the_end(void **state)
{
    char path[64], link_name[64];
    (void)state;
    make_file(path, elsewhere, "page.html");
    FILE *file = output_begin_whole(path, capture);
    assert_non_null(file);
    fputs("x\n", file);
    assert_int_equal(size_of(path), 4);
    assert_true(output_finish(file, path, true));
    assert_int_equal(size_of(path), 2);
    snprintf(link_name, sizeof(link_name), "%s/link", elsewhere); /* what a link leads to is replaced, not the link */
    assert_int_equal(symlink(path, link_name), 0);
    file = output_begin_whole(link_name, capture);
    assert_non_null(file);
    fputs("three", file);
    assert_true(output_finish(file, link_name, true));
    assert_int_equal(size_of(path), 5);
    file = output_begin_whole(path, capture);
    assert_non_null(file);
    fputs("x\n", file);
    assert_true(output_finish(file, path, false));
    assert_int_equal(size_of(path), 5);
    snprintf(link_name, sizeof(link_name), "%s/page.html.part", elsewhere);
    assert_int_equal(size_of(link_name), -1);
    assert_null(output_begin_whole("/tmp/none/at/all", capture));
    assert_true(output_finish(NULL, "/tmp/none/at/all", false));
    file = output_begin_whole("/dev/full", capture);
    assert_non_null(file);
    fputs("one line", file);
    assert_false(output_finish(file, "/dev/full", true));
    assert_int_equal(access("/dev/full", F_OK), 0);
}

/* Also if the failure was long before the end. */
static void a_full_device_is_noticed(void **state)
{
    FILE *file = output_open("/dev/full", capture);
    (void)state;
    assert_non_null(file);
    fputs("one line", file);
    assert_false(output_close(file, "/dev/full"));
    file = output_open("/dev/full", capture);
    assert_non_null(file);
    fputs("one line", file);
    fflush(file);
    assert_int_equal(setvbuf(file, NULL, _IONBF, 0), 0);
    assert_false(output_close(file, "/dev/full"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(the_captures_own_files_are_not_overwritten), TEST(others_are_written),
                                       TEST(a_full_device_is_noticed), TEST(whole_files_are_there_in_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
