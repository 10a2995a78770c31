/* One option: its name, its setter, what it takes. Between boot/options.c and boot/options_pt.c. Core. */
#ifndef BOOT_OPTION_H
#define BOOT_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/options.h"
#include "boot/value.h"

struct option {
    const char *name;
    bool (*set)(struct options *options, struct value_text value); /* false: no such value */
    const char *expected;
};

extern const struct option options_pt[]; /* pt and pt.* */
extern const size_t nr_options_pt;

#endif
