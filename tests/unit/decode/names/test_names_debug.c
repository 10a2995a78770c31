/* Names of stripped programs, from separate debug files. */
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

static void has_debug_by_id(void **state)
{
    char path[128] = "debug/.build-id/ab/cd010203";
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true};
    (void)state;
    for (unsigned i = 0; i < 15; i++)
        strcat(path, "00");
    put_program(&one);
    put_debug(&one, strcat(path, ".debug"));
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, "from_debug", "one", AT_A + LINKED + 0x20);
}

/* Found by build ID. */
static void has_debug_by_link(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true, .link = "one.debug"};
    (void)state;
    put_program(&one);
    put_debug(&one, ".debug/one.debug");
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, "from_debug", "one", AT_A + LINKED + 0x20);
}

/* The CRC of a file, from the trailer that gzip writes (RFC 1952, "CRC32"). */
static void crc_of(uint8_t crc[4], const char *path)
{
    char command[512];
    snprintf(command, sizeof(command), "gzip -c '%s' | tail -c 8 | head -c 4", path);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    assert_int_equal(fread(crc, 1, 4, stream), 4);
    assert_int_equal(pclose(stream), 0);
}

static void has_debug_by_crc(void **state)
{
    uint8_t crc[4];
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .link = "one.debug", .crc = crc};
    (void)state;
    crc_of(crc, put_debug(&one, "one.debug"));
    put_program(&one);
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, "from_debug", "one", AT_A + LINKED + 0x20);
}

/* The debug file of another program: neither build ID nor CRC matches. */
static void has_wrong_debug(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .link = "one.debug"};
    (void)state;
    put_program(&one);
    put_debug(&one, ".debug/one.debug");
    run_program(10, &one, SPACE_A, AT_A, 0);
    struct names *names = open_made(NULL, NULL, true);
    named(names, SPACE_A, 20, AT_A + LINKED + 0x20, NULL, "one", AT_A + LINKED);
}

/* What fetch_debug was called with, and its answer. */
static struct {
    char path[256];
    unsigned calls;
    uint8_t id[64];
    size_t id_size;
} fetched;

static char *fetch_debug(const uint8_t *id, size_t id_size, const char *name)
{
    assert_non_null(strstr(name, "/one"));
    fetched.calls++;
    fetched.id_size = id_size;
    memcpy(fetched.id, id, id_size);
    return fetched.path[0] ? strdup(fetched.path) : NULL;
}

/* debug: as of --debug, or NULL. */
static const struct name *name_of(const struct program *one, bool runs, const char *debug)
{
    static struct code_pages pages;
    const char *files[] = {names_directory()};
    const struct names_options options = {
        .files = files, .nr_files = 1, .fetch = fetch_debug, .debug = &debug, .nr_debug = debug ? 1 : 0};
    struct error error = {0};
    put_program(one);
    if (runs)
        run_program(10, one, SPACE_A, AT_A, 0);
    struct names *names = names_open(made_capture(), &options, &error);
    assert_non_null(names);
    assert_true(code_pages_collect(&pages, made_capture(), 0, &error));
    static struct name name;
    static char symbol[64];
    name = *names_find(names, &pages, SPACE_A, 20, AT_A + LINKED + 0x20);
    snprintf(symbol, sizeof(symbol), "%s", name.symbol ? name.symbol : "");
    name.symbol = symbol;
    names_close(names);
    code_pages_free(&pages);
    return &name;
}

static const struct name *name_of_one(bool runs)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true};
    return name_of(&one, runs, NULL);
}

/* A debug file that is given, whatever its name; only if it is that of the program. */
static void has_given_debug(void **state)
{
    struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true};
    char path[256];
    (void)state;
    memset(&fetched, 0, sizeof(fetched));
    snprintf(path, sizeof(path), "%s", put_debug(&one, "elsewhere/some.file"));
    assert_string_equal(name_of(&one, true, path)->symbol, "from_debug");
    assert_int_equal(fetched.calls, 0);
    one.has_id = false;
    assert_string_equal(name_of(&one, false, path)->symbol, "");
}

/* A directory like /usr/lib/debug: the program's directory is below it, with the name of its link. */
static void has_debug_in_given_directory(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true, .link = "one.debug"};
    char path[256];
    (void)state;
    memset(&fetched, 0, sizeof(fetched));
    snprintf(path, sizeof(path), "root%s/one.debug", names_directory());
    put_debug(&one, path);
    assert_string_equal(name_of(&one, true, NULL)->symbol, "");
    snprintf(path, sizeof(path), "%s/root", names_directory());
    assert_string_equal(name_of(&one, false, path)->symbol, "from_debug");
}

/* A debug file that is in no directory is fetched, by the build ID, once. */
static void has_fetched_debug(void **state)
{
    const struct program one = {.path = "one", .seed = 1, .dynamic_only = true, .has_id = true};
    (void)state;
    memset(&fetched, 0, sizeof(fetched));
    snprintf(fetched.path, sizeof(fetched.path), "%s", put_debug(&one, "cache/debuginfo"));
    assert_string_equal(name_of_one(true)->symbol, "from_debug");
    assert_int_equal(fetched.calls, 1);
    assert_int_equal(fetched.id_size, 20);
    assert_memory_equal(fetched.id, "\xab\xcd\x01\x02\x03", 5);
}

/* No server has it, or what it has is no debug file. */
static void has_no_fetched_debug(void **state)
{
    (void)state;
    memset(&fetched, 0, sizeof(fetched));
    assert_string_equal(name_of_one(true)->symbol, "");
    assert_int_equal(fetched.calls, 1);
    snprintf(fetched.path, sizeof(fetched.path), "%s", put_file("cache/debuginfo", "<html>", 6));
    assert_string_equal(name_of_one(false)->symbol, "");
    assert_int_equal(fetched.calls, 2);
}

/* Nothing is fetched for a file that the capture has no code of. */
static void needs_no_debug(void **state)
{
    (void)state;
    memset(&fetched, 0, sizeof(fetched));
    name_of_one(false);
    assert_int_equal(fetched.calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NAMES_TEST(has_debug_by_id), NAMES_TEST(has_debug_by_link), NAMES_TEST(has_debug_by_crc),
        NAMES_TEST(has_wrong_debug), NAMES_TEST(has_fetched_debug), NAMES_TEST(has_no_fetched_debug),
        NAMES_TEST(needs_no_debug),  NAMES_TEST(has_given_debug),   NAMES_TEST(has_debug_in_given_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
