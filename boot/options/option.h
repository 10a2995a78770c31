/* One option: its name, its setter, what it takes. What the files boot/options*.c share. Core. */
#ifndef BOOT_OPTIONS_OPTION_H
#define BOOT_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/options/options.h"
#include "boot/options/value.h"

struct option {
    const char *name;
    bool (*set)(struct options *options, struct value_text value); /* false: no such value */
    const char *expected;
};

extern const struct option options_pt[]; /* pt and what of pt.* only a boot sets */
extern const size_t nr_options_pt;
extern const struct option options_net[]; /* net.* */
extern const size_t nr_options_net;
extern const struct option options_changeable[]; /* what a command can change as well */
extern const size_t nr_options_changeable;

/* The next word behind word, whose first at is the line's start. false: there is none. */
bool option_next_word(struct value_text *word);

/* The option that a word NAME=VALUE names, or NULL. */
const struct option *option_find(const struct option *options, size_t nr, struct value_text word);

/* Set it to the word's value. false: it does not take that; *error says what it takes. */
bool option_set(const struct option *option, struct options *options, struct value_text word,
                struct options_error *error);

void option_error_set(struct options_error *error, struct value_text word, const char *expected);

#endif
