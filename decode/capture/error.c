#include "decode/capture/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *error, enum error_kind kind, uint64_t number, const char *name, ...)
{
    int system = errno;
    va_list args;
    if (error->kind != ERROR_NONE)
        return false;
    error->kind = kind;
    error->system = system;
    error->number = number;
    va_start(args, name);
    vsnprintf(error->name, sizeof(error->name), name, args);
    va_end(args);
    return false;
}
