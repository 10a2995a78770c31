/* Kind: core, init */
#include "boot/screen/text.h"

#include "boot/screen/font.h"

#define EGA_CELL_BYTES 2u
#define STRIPE_COLUMNS 66u /* a line of a register dump with its prefix */

static const uint8_t ega_attributes[] = {[TEXT_PLAIN] = 0x07, [TEXT_ALARM] = 0x4f};
static const uint32_t rgb_inks[] = {[TEXT_PLAIN] = 0xd0d0d0, [TEXT_ALARM] = 0xffffff};
static const uint32_t rgb_papers[] = {[TEXT_PLAIN] = 0x000000, [TEXT_ALARM] = 0xa00000};

static bool is_pixels(const struct boot_framebuffer *fb)
{
    return fb->type == BOOT_FRAMEBUFFER_RGB && fb->bpp >= 15 && fb->bpp <= 32;
}

uint64_t text_bytes(const struct boot_framebuffer *fb)
{
    const bool known = fb->type == BOOT_FRAMEBUFFER_TEXT || is_pixels(fb);
    const uint32_t cell = is_pixels(fb) ? (fb->bpp + 7u) / 8 : EGA_CELL_BYTES;
    if (!known || fb->pa == 0 || fb->width == 0 || fb->pitch / cell < fb->width)
        return 0;
    return (uint64_t)fb->pitch * fb->height;
}

/* An 8-bit colour component, scaled to the framebuffer's size and position. */
static uint32_t color_part(uint32_t part, uint8_t pos, uint8_t size)
{
    if (size == 0 || size > 16 || pos > 31)
        return 0;
    return (size >= 8 ? part << (size - 8) : part >> (8 - size)) << pos;
}

static uint32_t color_of(const struct boot_framebuffer *fb, uint32_t rgb)
{
    return color_part(rgb >> 16 & 0xff, fb->red_pos, fb->red_size) |
           color_part(rgb >> 8 & 0xff, fb->green_pos, fb->green_size) |
           color_part(rgb & 0xff, fb->blue_pos, fb->blue_size);
}

void text_begin(struct text_screen *s, const struct boot_framebuffer *fb, volatile void *memory)
{
    const bool pixels = is_pixels(fb);
    *s = (struct text_screen){.memory = memory,
                              .pitch = fb->pitch,
                              .columns = pixels ? fb->width / FONT_WIDTH : fb->width,
                              .rows = pixels ? fb->height / FONT_HEIGHT : fb->height,
                              .pixel_bytes = pixels ? (fb->bpp + 7u) / 8 : 0};
    for (unsigned i = TEXT_PLAIN; i <= TEXT_ALARM; i++) {
        s->ink[i] = pixels ? color_of(fb, rgb_inks[i]) : ega_attributes[i];
        s->paper[i] = pixels ? color_of(fb, rgb_papers[i]) : ega_attributes[i];
    }
    s->width = s->columns;
    if (s->columns == 0 || s->rows < 2)
        s->memory = NULL;
}

void text_begin_final(struct text_screen *s)
{
    const uint32_t stripes = s->columns / STRIPE_COLUMNS;
    s->once = true;
    s->row = s->left = 0;
    if (stripes > 1)
        s->width = s->columns / stripes;
}

static void put_pixel(volatile uint8_t *at, uint32_t bytes, uint32_t color)
{
    if (bytes == 4) {
        *(volatile uint32_t *)at = color;
    } else if (bytes == 2) {
        *(volatile uint16_t *)at = (uint16_t)color;
    } else {
        at[0] = (uint8_t)color;
        at[1] = (uint8_t)(color >> 8);
        at[2] = (uint8_t)(color >> 16);
    }
}

static void put_character(const struct text_screen *s, uint32_t row, uint32_t column, char c, enum text_ink ink)
{
    if (s->pixel_bytes == 0) {
        *(volatile uint16_t *)(s->memory + (uint64_t)row * s->pitch + column * EGA_CELL_BYTES) =
            (uint16_t)(s->ink[ink] << 8 | (uint8_t)c);
        return;
    }
    for (unsigned y = 0; y < FONT_HEIGHT; y++) {
        volatile uint8_t *at =
            s->memory + (uint64_t)(row * FONT_HEIGHT + y) * s->pitch + column * FONT_WIDTH * s->pixel_bytes;
        const uint8_t bits = font_row(c, y);
        for (unsigned x = 0; x < FONT_WIDTH; x++, at += s->pixel_bytes)
            put_pixel(at, s->pixel_bytes, bits >> (7 - x) & 1 ? s->ink[ink] : s->paper[ink]);
    }
}

/* Write as much of line as fits into a row of the stripe, padded with blanks. Returns the rest of line. */
static const char *put_row(const struct text_screen *s, uint32_t row, const char *line, enum text_ink ink)
{
    for (uint32_t i = 0; i < s->width; i++)
        put_character(s, row, s->left + i, *line ? *line++ : ' ', ink);
    return line;
}

static void advance(struct text_screen *s)
{
    if (++s->row < s->rows)
        return;
    if (!s->once)
        s->row = 0;
    else if (s->left + 2 * s->width <= s->columns) {
        s->row = 0;
        s->left += s->width;
    }
}

void text_line(struct text_screen *s, const char *line, enum text_ink ink)
{
    if (!s->memory)
        return;
    do {
        if (s->row >= s->rows)
            return;
        line = put_row(s, s->row, line, ink);
        advance(s);
    } while (*line);
    if (!s->once)
        put_row(s, s->row, "", TEXT_PLAIN);
}
