/*
 * Lines of text on a screen: pixels in a framebuffer, or the cells of EGA text mode. The framebuffer is never read, as
 * a read takes about a microsecond; so lines do not scroll. After the last row, output continues in the first row; an
 * empty row follows the newest line.
 *
 * Core, except for the stores to the framebuffer. Source: Multiboot2 Specification 2.0, "Framebuffer info".
 */
#ifndef BOOT_SCREEN_TEXT_H
#define BOOT_SCREEN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/info.h"

enum text_ink { TEXT_PLAIN, TEXT_ALARM }; /* light grey on black; white on red */

struct text_screen {
    volatile uint8_t *memory;  /* NULL: no screen */
    uint32_t pitch;            /* bytes from one line of pixels or cells to the next */
    uint32_t columns, rows;    /* characters */
    uint32_t pixel_bytes;      /* 2 to 4; 0: cells of EGA text */
    uint32_t paper[2], ink[2]; /* pixels, by enum text_ink */
    uint32_t left, width;      /* the columns of the current stripe */
    uint32_t row;
    bool once; /* output ends with the last row of the last stripe, and does not wrap around */
};

/* Size of the framebuffer in bytes, 0 if its format is not supported. */
uint64_t text_bytes(const struct boot_framebuffer *framebuffer);

/* Start in the first row. memory: the framebuffer, of text_bytes bytes, which must not be 0. */
void text_begin(struct text_screen *screen, const struct boot_framebuffer *framebuffer, volatile void *memory);

/* Restart in the first row for the final messages. The first of them matter most, so lines for which there is no room
 * are dropped. A wide screen shows several stripes of rows side by side. */
void text_begin_final(struct text_screen *screen);

/* Write one line, wrapped at the screen's width. */
void text_line(struct text_screen *screen, const char *line, enum text_ink ink);

#endif
