/* The text of the first record, from which the receiver makes a capture's meta.json. */
#ifndef BOOT_HELLO_H
#define BOOT_HELLO_H

#include <stddef.h>
#include <stdint.h>

#include "boot/aps.h"
#include "pt/caps.h"

struct hello_facts {
    const struct pt_cpuid *cpuid;
    const struct pt_setup *setup; /* NULL: no tracing */
    const struct pt_options *config;
    const char *pt; /* "on", or why there is no tracing */
    const char *options;
    const char *guest;
    const char *guest_line;
    const char *channel;
    const char *compression; /* of frames; NULL: none */
    uint64_t image_base, image_pa, image_bytes;
    uint64_t reserved_start, reserved_end;
    const struct boot_cpu *cpus;
    uint16_t nr_cpus;
};

/* The most bytes that the text needs. */
static inline uint32_t hello_bytes_max(uint16_t nr_cpus)
{
    return 8192 + nr_cpus * 128u;
}

/* Write lines "name value" to text. Returns the number of bytes, without a terminating NUL. */
uint32_t hello_text(char *text, size_t size, const struct hello_facts *facts);

#endif
