/*
 * A terminal that a program draws on, by the escape sequences of ECMA-48 that all terminals of today have; so nothing
 * needs a library. Drawing never waits: a terminal that is stopped or slow misses pictures.
 */
#ifndef DECODE_CLI_TEXT_TERMINAL_H
#define DECODE_CLI_TEXT_TERMINAL_H

#include <stdbool.h>

#include "decode/cli/text/screen.h"

/* Can the terminal of standard error be drawn on? */
bool terminal_is_there(void);

/* Begin to draw on it; signals that stop or end the program restore it first. false: it cannot be opened. */
bool terminal_open(void);

/* Its size now: it may be resized at any time. The last column stays free, where terminals differ. */
void terminal_size(unsigned *columns, unsigned *rows);

/* Draw in place of what is there, unless the last picture is still on its way. */
void terminal_draw(const struct screen *screen);

/* Restore what was there before terminal_open. Waits at most a second for the terminal. */
void terminal_close(void);

#endif
