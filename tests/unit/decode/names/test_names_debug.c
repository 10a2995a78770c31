/* Names of stripped programs, from separate debug files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        NAMES_TEST(has_debug_by_id),
        NAMES_TEST(has_debug_by_link),
        NAMES_TEST(has_debug_by_crc),
        NAMES_TEST(has_wrong_debug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
