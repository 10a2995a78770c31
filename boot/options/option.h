/*
 * The tables of options: a row per option, private to boot/options/ and its tests.
 *
 * A row has the option's name, its default, the valid values as an error message and docs/options.md name them, and how
 * to set a member of struct options: by one of the macros below, or by a function of the option's own. "Add an option"
 * in docs/extending.md is the recipe.
 */
#ifndef BOOT_OPTIONS_OPTION_H
#define BOOT_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/options/options.h"
#include "boot/options/value.h"

struct option {
    const char *name;
    const char *initial;  /* the default, a valid value */
    const char *expected; /* the valid values, to follow "expected " */
    /* Parse value. false: invalid; the option's members are undefined then. */
    bool (*set)(const struct option *option, struct options *options, struct value_text value);
    size_t field;             /* offset in struct options of the member to set */
    uint64_t min, max;        /* of a number or size */
    const char *const *words; /* the valid words, by the member's value; ends with NULL */
};

/* The end of a row, for a member of this type. The compiler checks the type. */
#define OPTION_FLAG(member) option_set_bool, OPTION_FIELD(member, bool), 0, 0, option_words_flag
#define OPTION_BOOL(member, words) option_set_bool, OPTION_FIELD(member, bool), 0, 0, words
#define OPTION_ENUM(member, words) option_set_enum, OPTION_FIELD(member, unsigned), 0, 0, words
#define OPTION_U16(member, min, max) option_set_u16, OPTION_FIELD(member, uint16_t), min, max, 0
#define OPTION_U32(member, min, max) option_set_u32, OPTION_FIELD(member, uint32_t), min, max, 0
#define OPTION_SIZE(member, min, max) option_set_size, OPTION_FIELD(member, uint64_t), min, max, 0
#define OPTION_OWN(set) set, 0, 0, 0, 0

#define OPTION_FIELD(member, type)                                                                                     \
    (offsetof(struct options, member) + 0 * sizeof(_Generic(((struct options *)0)->member, type : 1)))

typedef bool option_setter(const struct option *option, struct options *options, struct value_text value);
option_setter option_set_bool, option_set_enum, option_set_u16, option_set_u32, option_set_size;
extern const char *const option_words_flag[]; /* off, on */
extern const char *const option_words_compress[];

extern const struct option options_pt[]; /* pt, and pt.* that only a boot can set */
extern const size_t nr_options_pt;
extern const struct option options_net[]; /* net.* */
extern const size_t nr_options_net;
extern const struct option options_changeable[]; /* those that a command can change while the guest runs */
extern const size_t nr_options_changeable;

/* All options by index, in no particular order; NULL: index is past the last one. */
const struct option *option_at(size_t index);

/* Advance to the next word of the line. Initially word is {line, 0}. false: there are no more words. */
bool option_next_word(struct value_text *word);

/* Is this the option that a word NAME=VALUE names? */
bool option_is_named(const struct option *option, struct value_text word);

/* Set it to the value in the word NAME=VALUE. false: invalid, and *error says what was expected. */
bool option_set(const struct option *option, struct options *options, struct value_text word,
                struct options_error *error);

void option_error_set(struct options_error *error, struct value_text word, const char *expected);

#endif
