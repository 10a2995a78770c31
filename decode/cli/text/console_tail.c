#include "decode/cli/text/console_tail.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void end_line(struct console_tail *tail)
{
    if (tail->used > 0) {
        memcpy(tail->last, tail->partial, tail->used);
        tail->last[tail->used] = '\0';
    }
    tail->used = 0;
}

void console_tail_take(struct console_tail *tail, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (tail->in_escape) {
            /* ESC [ parameters letter, or ESC and one character. */
            tail->in_escape = c == '[' || c == ';' || c == '?' || (c >= '0' && c <= '9');
        } else if (c == '\033') {
            tail->in_escape = true;
        } else if (c == '\n') {
            end_line(tail);
        } else if (c >= ' ' && c < 0x7f && tail->used < CONSOLE_TAIL_MAX - 1) {
            tail->partial[tail->used++] = c;
        }
    }
}

void console_tail_read(struct console_tail *tail)
{
    if (!tail->file)
        return;
    int fd = open(tail->file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    char buffer[4096];
    ssize_t size;
    while ((size = pread(fd, buffer, sizeof(buffer), tail->offset)) > 0) {
        console_tail_take(tail, buffer, (size_t)size);
        tail->offset += size;
    }
    close(fd);
}
