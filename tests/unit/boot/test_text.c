/* Text on a screen: in each format, the font can decode what is drawn, and nothing else is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/screen/font.h"
#include "boot/screen/text.h"

#define UNTOUCHED 0xab

static struct boot_framebuffer pixels_of(uint8_t bpp, uint32_t width, uint32_t height, uint32_t more_pitch)
{
    struct boot_framebuffer fb = {.pa = 0xe0000000,
                                  .pitch = width * ((bpp + 7u) / 8) + more_pitch,
                                  .width = width,
                                  .height = height,
                                  .bpp = bpp,
                                  .type = BOOT_FRAMEBUFFER_RGB};
    const bool small = bpp <= 16;
    fb.red_size = fb.blue_size = small ? 5 : 8;
    fb.green_size = bpp == 16 ? 6 : fb.red_size;
    fb.green_pos = fb.blue_size;
    fb.red_pos = (uint8_t)(fb.green_pos + fb.green_size);
    return fb;
}

struct canvas {
    struct boot_framebuffer fb;
    uint8_t *memory; /* exactly as long as needed, so that the sanitizer detects writes beyond its end */
    struct text_screen screen;
};

static void canvas_begin(struct canvas *c, struct boot_framebuffer fb)
{
    c->fb = fb;
    c->memory = malloc(text_bytes(&fb));
    memset(c->memory, UNTOUCHED, text_bytes(&fb));
    text_begin(&c->screen, &fb, c->memory);
}

static uint32_t pixel_at(const struct canvas *c, uint32_t x, uint32_t y)
{
    uint32_t value = 0;
    memcpy(&value, c->memory + y * c->fb.pitch + x * ((c->fb.bpp + 7u) / 8), (c->fb.bpp + 7u) / 8);
    return value;
}

/* The character in a cell; 0 if the cell shows no character of the font in this colour. */
static char read_cell(const struct canvas *c, uint32_t column, uint32_t row, enum text_ink ink)
{
    for (char candidate = FONT_FIRST; candidate <= FONT_LAST; candidate++) {
        bool same = true;
        for (unsigned i = 0; i < FONT_WIDTH * FONT_HEIGHT && same; i++) {
            const unsigned x = i % FONT_WIDTH, y = i / FONT_WIDTH;
            const uint32_t color = font_row(candidate, y) >> (7 - x) & 1 ? c->screen.ink[ink] : c->screen.paper[ink];
            same = pixel_at(c, column * FONT_WIDTH + x, row * FONT_HEIGHT + y) == color;
        }
        if (same)
            return candidate;
    }
    return 0;
}

static void assert_row(const struct canvas *c, uint32_t left, uint32_t width, uint32_t row, const char *text,
                       enum text_ink ink)
{
    char read[300] = "";
    for (uint32_t i = 0; i < width; i++) {
        read[i] = read_cell(c, left + i, row, ink);
        assert_int_not_equal(read[i], 0);
    }
    for (size_t i = width; i > 0 && read[i - 1] == ' '; i--)
        read[i - 1] = 0;
    assert_string_equal(read, text);
}

static void test_glyphs_are_distinct(void **state)
{
    (void)state;
    for (int a = FONT_FIRST; a <= FONT_LAST; a++) {
        unsigned drawn = 0;
        for (unsigned y = 0; y < FONT_HEIGHT; y++)
            drawn += font_row((char)a, y) != 0;
        assert_true(a == ' ' ? drawn == 0 : drawn > 0);
        for (int b = FONT_FIRST; b < a; b++) {
            unsigned same = 0;
            for (unsigned y = 0; y < FONT_HEIGHT; y++)
                same += font_row((char)a, y) == font_row((char)b, y);
            assert_int_not_equal(same, FONT_HEIGHT);
        }
    }
    assert_int_equal(font_row('\n', 4), font_row('?', 4));
    assert_int_equal(font_row((char)0xe4, 4), font_row('?', 4));
}

static void test_depths_are_equivalent(void **state)
{
    (void)state;
    static const uint8_t depths[] = {15, 16, 24, 32};
    for (unsigned i = 0; i < sizeof depths; i++) {
        struct canvas c;
        canvas_begin(&c, pixels_of(depths[i], 800, 608, 96));
        text_line(&c.screen, "Intel PT: yes [0x14] {~}", TEXT_PLAIN);
        text_line(&c.screen, "stopped", TEXT_ALARM);
        assert_row(&c, 0, 100, 0, "Intel PT: yes [0x14] {~}", TEXT_PLAIN);
        assert_row(&c, 0, 100, 1, "stopped", TEXT_ALARM);
        assert_row(&c, 0, 100, 2, "", TEXT_PLAIN);
        assert_int_equal(c.memory[3 * FONT_HEIGHT * c.fb.pitch], UNTOUCHED); /* the row after it */
        for (unsigned y = 0; y < 608; y++)
            for (unsigned x = c.fb.pitch - 96; x < c.fb.pitch; x++)
                assert_int_equal(c.memory[y * c.fb.pitch + x], UNTOUCHED);
        free(c.memory);
    }
}

static void test_colour_positions(void **state)
{
    (void)state;
    struct canvas c;
    canvas_begin(&c, pixels_of(16, 80, 64, 0));
    assert_int_equal(c.screen.ink[TEXT_ALARM], 0xffff);
    assert_int_equal(c.screen.paper[TEXT_ALARM], 0xa0 >> 3 << 11);
    free(c.memory);
    struct boot_framebuffer wide = pixels_of(32, 80, 64, 0);
    wide.red_size = wide.green_size = wide.blue_size = 10;
    wide.green_pos = 10;
    wide.red_pos = 20;
    canvas_begin(&c, wide);
    assert_int_equal(c.screen.paper[TEXT_ALARM], 0xa0u << 2 << 20);
    free(c.memory);
}

static void test_lines_wrap_around(void **state)
{
    (void)state;
    struct canvas c;
    canvas_begin(&c, pixels_of(32, 80, 5 * FONT_HEIGHT + 7, 0)); /* 10 columns, 5 rows */
    text_line(&c.screen, "0123456789abcd", TEXT_PLAIN);
    assert_row(&c, 0, 10, 0, "0123456789", TEXT_PLAIN);
    assert_row(&c, 0, 10, 1, "abcd", TEXT_PLAIN);
    text_line(&c.screen, "", TEXT_PLAIN);
    assert_row(&c, 0, 10, 2, "", TEXT_PLAIN);
    text_line(&c.screen, "four", TEXT_PLAIN);
    text_line(&c.screen, "exactly 10", TEXT_PLAIN);
    assert_row(&c, 0, 10, 4, "exactly 10", TEXT_PLAIN);
    assert_row(&c, 0, 10, 0, "", TEXT_PLAIN); /* the empty row, in the first row again */
    assert_row(&c, 0, 10, 1, "abcd", TEXT_PLAIN);
    text_line(&c.screen, "again", TEXT_PLAIN);
    assert_row(&c, 0, 10, 0, "again", TEXT_PLAIN);
    assert_row(&c, 0, 10, 1, "", TEXT_PLAIN);
    assert_row(&c, 0, 10, 3, "four", TEXT_PLAIN);
    free(c.memory);
}

/* The first lines matter most: those that do not fit are dropped. */
static void test_final_messages_do_not_wrap_around(void **state)
{
    (void)state;
    struct canvas c;
    canvas_begin(&c, pixels_of(32, 160 * FONT_WIDTH, 3 * FONT_HEIGHT, 0));
    text_line(&c.screen, "before", TEXT_PLAIN);
    text_begin_final(&c.screen);
    for (int i = 0; i < 8; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %d", i);
        text_line(&c.screen, line, TEXT_ALARM);
    }
    for (uint32_t i = 0; i < 6; i++) { /* two stripes of 80 columns and 3 rows */
        char line[32];
        snprintf(line, sizeof line, "line %u", i);
        assert_row(&c, i / 3 * 80, 80, i % 3, line, TEXT_ALARM);
    }
    free(c.memory);
}

static void test_narrow_screens_have_one_stripe(void **state)
{
    (void)state;
    struct canvas c;
    canvas_begin(&c, pixels_of(32, 128 * FONT_WIDTH, 2 * FONT_HEIGHT, 0));
    text_begin_final(&c.screen);
    for (int i = 0; i < 3; i++)
        text_line(&c.screen, i == 0 ? "first" : "others", TEXT_ALARM);
    assert_row(&c, 0, 128, 0, "first", TEXT_ALARM);
    assert_row(&c, 0, 128, 1, "others", TEXT_ALARM);
    free(c.memory);
}

static void test_ega_cells(void **state)
{
    (void)state;
    struct boot_framebuffer fb = {
        .pa = 0xb8000, .pitch = 160, .width = 80, .height = 25, .bpp = 16, .type = BOOT_FRAMEBUFFER_TEXT};
    struct canvas c;
    assert_int_equal(text_bytes(&fb), 4000);
    canvas_begin(&c, fb);
    text_line(&c.screen, "A", TEXT_PLAIN);
    text_line(&c.screen, "B", TEXT_ALARM);
    static const uint8_t first[] = {'A', 0x07, ' ', 0x07}, second[] = {'B', 0x4f, ' ', 0x4f}, third[] = {' ', 0x07};
    assert_memory_equal(c.memory, first, sizeof first);
    assert_memory_equal(c.memory + 160, second, sizeof second);
    assert_memory_equal(c.memory + 320, third, sizeof third);
    assert_int_equal(c.memory[480], UNTOUCHED);
    free(c.memory);
}

static void test_unsupported_formats(void **state)
{
    (void)state;
    struct boot_framebuffer fb = pixels_of(32, 640, 480, 0);
    assert_int_equal(text_bytes(&fb), 640 * 480 * 4);
    fb.pa = 0x4000000000; /* above 4 GiB, as on firmware with large BARs */
    assert_int_equal(text_bytes(&fb), 640 * 480 * 4);
    fb.type = BOOT_FRAMEBUFFER_INDEXED;
    assert_int_equal(text_bytes(&fb), 0);
    fb = pixels_of(8, 640, 480, 0);
    assert_int_equal(text_bytes(&fb), 0);
    fb = pixels_of(32, 640, 480, 0);
    fb.pitch = 640 * 4 - 1; /* less than a line of pixels */
    assert_int_equal(text_bytes(&fb), 0);
    fb = pixels_of(32, 640, 480, 0);
    fb.pa = 0;
    assert_int_equal(text_bytes(&fb), 0);
    struct canvas c;
    canvas_begin(&c, pixels_of(32, 640, 2 * FONT_HEIGHT - 1, 0)); /* no room for a line and the empty row */
    text_line(&c.screen, "nowhere", TEXT_PLAIN);
    assert_int_equal(c.memory[0], UNTOUCHED);
    free(c.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glyphs_are_distinct),
        cmocka_unit_test(test_depths_are_equivalent),
        cmocka_unit_test(test_colour_positions),
        cmocka_unit_test(test_lines_wrap_around),
        cmocka_unit_test(test_final_messages_do_not_wrap_around),
        cmocka_unit_test(test_narrow_screens_have_one_stripe),
        cmocka_unit_test(test_ega_cells),
        cmocka_unit_test(test_unsupported_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
