/* Kind: core */
#include "boot/options/option.h"

const char *const option_words_flag[] = {"off", "on", NULL};

void option_error_set(struct options_error *error, struct value_text word, const char *expected)
{
    size_t n = word.size < sizeof error->word - 1 ? word.size : sizeof error->word - 1;
    for (size_t i = 0; i < n; i++)
        error->word[i] = word.at[i];
    error->word[n] = 0;
    error->expected = expected;
}

static size_t name_size(struct value_text word)
{
    size_t equals = 0;
    while (equals < word.size && word.at[equals] != '=')
        equals++;
    return equals;
}

bool option_is_named(const struct option *option, struct value_text word)
{
    return value_is((struct value_text){word.at, name_size(word)}, option->name);
}

bool option_set(const struct option *option, struct options *options, struct value_text word,
                struct options_error *error)
{
    size_t equals = name_size(word);
    if (equals < word.size &&
        option->set(option, options, (struct value_text){word.at + equals + 1, word.size - equals - 1}))
        return true;
    option_error_set(error, word, option->expected);
    return false;
}

bool option_next_word(struct value_text *word)
{
    word->at += word->size;
    while (*word->at == ' ' || *word->at == '\t')
        word->at++;
    for (word->size = 0; word->at[word->size] && word->at[word->size] != ' ' && word->at[word->size] != '\t';)
        word->size++;
    return word->size > 0;
}

/* --- setters ---------------------------------------------------------------------------------------------------------
 */

static void *field_of(const struct option *option, struct options *options)
{
    return (char *)options + option->field;
}

static bool find_word(unsigned *index, const struct option *option, struct value_text value)
{
    for (*index = 0; option->words[*index]; ++*index)
        if (value_is(value, option->words[*index]))
            return true;
    return false;
}

bool option_set_bool(const struct option *option, struct options *options, struct value_text value)
{
    unsigned index;
    const bool found = find_word(&index, option, value);

    *(bool *)field_of(option, options) = index == 1;
    return found;
}

bool option_set_enum(const struct option *option, struct options *options, struct value_text value)
{
    return find_word(field_of(option, options), option, value);
}

bool option_set_u16(const struct option *option, struct options *options, struct value_text value)
{
    uint32_t number;

    if (!value_u32(&number, value, (uint32_t)option->min, (uint32_t)option->max))
        return false;
    *(uint16_t *)field_of(option, options) = (uint16_t)number;
    return true;
}

bool option_set_u32(const struct option *option, struct options *options, struct value_text value)
{
    return value_u32(field_of(option, options), value, (uint32_t)option->min, (uint32_t)option->max);
}

bool option_set_size(const struct option *option, struct options *options, struct value_text value)
{
    return value_size(field_of(option, options), value, option->min, option->max);
}
