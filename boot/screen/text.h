/*
 * Lines of text on a screen: into a framebuffer of pixels, or into the cells of EGA text. Nothing is ever read from
 * there, where a read takes a microsecond: lines do not scroll. Behind the last row they go on in the first, with an
 * empty one ahead of them.
 *
 * Core, but for the stores into the framebuffer. Source: Multiboot2 Specification 2.0, "Framebuffer info".
 */
#ifndef BOOT_SCREEN_TEXT_H
#define BOOT_SCREEN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/mb2.h"

enum text_ink { TEXT_PLAIN, TEXT_ALARM }; /* light grey on black; white on red */

struct text_screen {
    volatile uint8_t *memory;  /* NULL: none */
    uint32_t pitch;            /* bytes from a line of pixels, or of cells, to the next */
    uint32_t columns, rows;    /* characters */
    uint32_t pixel_bytes;      /* 2 to 4; 0: cells of EGA text */
    uint32_t paper[2], ink[2]; /* pixels, by enum text_ink */
    uint32_t left, width;      /* columns of the stripe that is written */
    uint32_t row;
    bool once; /* lines end with the last row of the last stripe, and do not begin anew */
};

/* Bytes of the framebuffer, 0 where it is of a kind that is not drawn into. */
uint64_t text_bytes(const struct mb2_framebuffer *framebuffer);

/* Begin in the first row. memory: the framebuffer, text_bytes (not 0) long. */
void text_begin(struct text_screen *screen, const struct mb2_framebuffer *framebuffer, volatile void *memory);

/* Begin again in the first row, for words after which nothing comes: the first are the ones that matter, so lines that
 * find no room are left out. A wide screen has several stripes of rows beside each other. */
void text_begin_last(struct text_screen *screen);

/* One line, folded where it is longer than the screen is wide. */
void text_line(struct text_screen *screen, const char *line, enum text_ink ink);

#endif
