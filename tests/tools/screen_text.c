/*
 * Read what Undertrace has drawn on a screen, by its own font.
 *
 * usage: screen_text PICTURE                   binary PPM of 8 bits (P6)
 *        screen_text FRAMEBUFFER WIDTH HEIGHT  pixels of 32 bits, blue first, without a gap
 *
 * Prints each row of characters without trailing blanks; before it '!' where it is on red, else ' '. A cell that holds
 * no character of the font is a DEL.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/screen/font.h"

struct picture {
    unsigned width, height;
    uint8_t *rgb;
};

static bool read_picture(struct picture *p, const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned most;
    if (!file || fscanf(file, "P6 %u %u %u", &p->width, &p->height, &most) != 3 || most != 255 || getc(file) == EOF ||
        p->width > 16384 || p->height > 16384)
        return false;
    const size_t size = (size_t)p->width * p->height * 3;
    p->rgb = malloc(size);
    const bool all = p->rgb && fread(p->rgb, 1, size, file) == size;
    fclose(file);
    return all;
}

static bool read_pixels(struct picture *p, const char *path, unsigned width, unsigned height)
{
    FILE *file = fopen(path, "rb");
    uint8_t bgrx[4];
    *p = (struct picture){width, height, calloc((size_t)width * height, 3)};
    if (!file || !p->rgb || width > 16384)
        return false;
    for (uint8_t *at = p->rgb; at < p->rgb + 3 * (size_t)width * height; at += 3) {
        if (fread(bgrx, sizeof bgrx, 1, file) != 1)
            return false;
        at[0] = bgrx[2];
        at[1] = bgrx[1];
        at[2] = bgrx[0];
    }
    fclose(file);
    return true;
}

static const uint8_t *pixel_at(const struct picture *p, unsigned column, unsigned row, unsigned x, unsigned y)
{
    return p->rgb + 3 * ((size_t)(row * FONT_HEIGHT + y) * p->width + column * FONT_WIDTH + x);
}

/* Which of the cell's pixels differ from its last one, which no glyph sets. false: they have more than two colors. */
static bool cell_bits(const struct picture *p, unsigned column, unsigned row, uint8_t bits[FONT_HEIGHT])
{
    const uint8_t *paper = pixel_at(p, column, row, FONT_WIDTH - 1, FONT_HEIGHT - 1), *ink = NULL;
    memset(bits, 0, FONT_HEIGHT);
    for (unsigned i = 0; i < FONT_WIDTH * FONT_HEIGHT; i++) {
        const uint8_t *pixel = pixel_at(p, column, row, i % FONT_WIDTH, i / FONT_WIDTH);
        if (memcmp(pixel, paper, 3) == 0)
            continue;
        if (ink && memcmp(pixel, ink, 3) != 0)
            return false;
        ink = pixel;
        bits[i / FONT_WIDTH] |= (uint8_t)(0x80 >> i % FONT_WIDTH);
    }
    return true;
}

static char read_cell(const struct picture *p, unsigned column, unsigned row)
{
    uint8_t bits[FONT_HEIGHT];
    if (!cell_bits(p, column, row, bits))
        return 0x7f;
    for (char c = FONT_FIRST; c <= FONT_LAST; c++) {
        unsigned y = 0;
        while (y < FONT_HEIGHT && font_row(c, y) == bits[y])
            y++;
        if (y == FONT_HEIGHT)
            return c;
    }
    return 0x7f;
}

int main(int argc, char **argv)
{
    struct picture picture = {0};
    const bool good = argc == 4 ? read_pixels(&picture, argv[1], (unsigned)strtoul(argv[2], NULL, 10),
                                              (unsigned)strtoul(argv[3], NULL, 10))
                                : argc == 2 && read_picture(&picture, argv[1]);
    if (!good) {
        fprintf(stderr, "usage: screen_text PICTURE.ppm | FRAMEBUFFER WIDTH HEIGHT\n");
        return 2;
    }
    for (unsigned row = 0; row < picture.height / FONT_HEIGHT; row++) {
        char line[16384 / FONT_WIDTH + 1] = "";
        unsigned used = 0;
        const uint8_t *paper = pixel_at(&picture, 0, row, FONT_WIDTH - 1, FONT_HEIGHT - 1);
        for (unsigned column = 0; column < picture.width / FONT_WIDTH; column++) {
            line[column] = read_cell(&picture, column, row);
            if (line[column] != ' ')
                used = column + 1;
        }
        printf("%c%.*s\n", paper[0] > 0x80 && paper[1] < 0x20 ? '!' : ' ', (int)used, line);
    }
    free(picture.rgb);
    return 0;
}
