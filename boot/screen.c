#include "boot/screen.h"

#include <stdarg.h>
#include <string.h>

#include "boot/acts.h"
#include "serial/log.h"
#include "vmx/phys.h"

#define WHITE_ON_RED 0x4f

static struct mb2_framebuffer screen;

void screen_set(const struct mb2_framebuffer *framebuffer)
{
    screen = *framebuffer;
}

static void screen_write(const char *text)
{
    uint64_t end = screen.pa + (uint64_t)screen.pitch * screen.height;
    if (screen.type != MB2_FRAMEBUFFER_TEXT || screen.pa == 0 || end > 0x100000000)
        return;
    volatile uint16_t *cell = phys_to_virt(screen.pa);
    for (uint64_t nr = (end - screen.pa) / sizeof *cell; nr > 0 && *text; nr--)
        *cell++ = (uint16_t)(WHITE_ON_RED << 8 | (uint8_t)*text++);
}

SECOND_ACT _Noreturn void boot_fail(const char *format, ...)
{
    static const char prefix[] = "undertrace: "; /* log_panic has its own */
    char text[sizeof prefix + 256];
    size_t length = sizeof prefix - 1;
    va_list args;
    memcpy(text, prefix, length);
    va_start(args, format);
    format_text_v(text + length, sizeof text - length, format, args);
    va_end(args);
    log_panic("%s", text + length);
    screen_write(text);
    log_panic("stopped: correct this and start the machine again");
    for (;;)
        __asm__ volatile("cli\n\thlt");
}
