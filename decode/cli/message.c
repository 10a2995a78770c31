#include "decode/cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void message_print(const char *format, ...)
{
    va_list args;
    fputs("undertrace: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void message_errno(const char *format, ...)
{
    const char *reason = strerror(errno);
    va_list args;
    fputs("undertrace: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, ": %s\n", reason);
}
