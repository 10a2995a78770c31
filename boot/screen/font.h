/* A font for screens of pixels: the printable characters of ASCII. */
#ifndef BOOT_SCREEN_FONT_H
#define BOOT_SCREEN_FONT_H

#include <stdint.h>

#define FONT_FIRST 32
#define FONT_LAST 126
#define FONT_WIDTH 8u
#define FONT_HEIGHT 16u

/* Row 0 to 15 of a character, the leftmost pixel in bit 7. Characters without a glyph are shown as '?'. */
uint8_t font_row(char character, unsigned row);

#endif
