/* Kind: shell, init */
#include "boot/fail.h"

#include <stdarg.h>

#include "base/log.h"

static boot_fail_end *end;

void boot_fail_set_end(boot_fail_end *function)
{
    end = function;
}

_Noreturn void boot_fail(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    format_text_v(text, sizeof text, format, args);
    va_end(args);
    log_panic("%s", text);
    if (end)
        end();
    log_panic("stopped: correct this and start the machine again");
    for (;;)
        __asm__ volatile("cli\n\thlt");
}
