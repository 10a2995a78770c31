/* The last line of a file that another program appends to. */
#ifndef DECODE_CLI_TEXT_CONSOLE_TAIL_H
#define DECODE_CLI_TEXT_CONSOLE_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#define CONSOLE_TAIL_MAX 160u

struct console_tail {
    const char *file; /* NULL: none */
    long long offset; /* of the next byte to read */
    bool in_escape;
    size_t used;
    char partial[CONSOLE_TAIL_MAX]; /* the incomplete last line */
    char last[CONSOLE_TAIL_MAX];    /* the last complete line that is not empty, NUL-terminated */
};

/* Add characters, without control characters and terminal escape sequences. Pure. */
void console_tail_take(struct console_tail *tail, const char *bytes, size_t size);

/* Read what was appended since the last call. A file that does not exist yet is not an error. */
void console_tail_read(struct console_tail *tail);

#endif
