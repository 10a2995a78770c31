/* Kind: core */
#include "boot/options/option.h"

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

const struct option *option_find(const struct option *options, size_t nr, struct value_text word)
{
    for (size_t i = 0; i < nr; i++)
        if (value_is((struct value_text){word.at, name_size(word)}, options[i].name))
            return &options[i];
    return NULL;
}

bool option_set(const struct option *option, struct options *options, struct value_text word,
                struct options_error *error)
{
    size_t equals = name_size(word);
    if (equals < word.size && option->set(options, (struct value_text){word.at + equals + 1, word.size - equals - 1}))
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
