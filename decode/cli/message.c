#include "decode/cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HELD_BYTES 16384u /* later lines are left out */

static struct {
    bool on;
    char text[HELD_BYTES];
    size_t used, last; /* last: where the last line begins */
} held;

static void hold(const char *format, va_list args, const char *reason)
{
    char line[2048];
    vsnprintf(line, sizeof(line), format, args);
    const size_t room = sizeof(held.text) - held.used;
    const int size =
        snprintf(held.text + held.used, room, "undertrace: %s%s%s\n", line, reason ? ": " : "", reason ? reason : "");
    if (size < 0 || (size_t)size >= room) {
        held.text[held.used] = '\0';
        return;
    }
    held.last = held.used;
    held.used += (size_t)size;
}

static void print(const char *format, va_list args, const char *reason)
{
    if (held.on) {
        hold(format, args, reason);
        return;
    }
    fputs("undertrace: ", stderr);
    vfprintf(stderr, format, args);
    fprintf(stderr, reason ? ": %s\n" : "\n", reason);
}

void message_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(format, args, NULL);
    va_end(args);
}

void message_errno(const char *format, ...)
{
    const char *reason = strerror(errno);
    va_list args;
    va_start(args, format);
    print(format, args, reason);
    va_end(args);
}

void message_hold(void)
{
    held.on = true;
}

void message_release(void)
{
    fputs(held.text, stderr);
    held.on = false;
    held.used = held.last = 0;
    held.text[0] = '\0';
}

const char *message_held(void)
{
    return held.text + held.last;
}
