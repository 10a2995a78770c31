#include "decode/cli/options/names_options.h"

#include "decode/cli/text/error_text.h"

struct names *open_names(const struct capture *capture, struct names_choice *choice)
{
    struct error error = {0};
    for (size_t i = 0; i < choice->files.count; i++)
        choice->paths[i] = choice->files.items[i].word;
    const struct names_options options = {choice->kernel, choice->symbols, choice->paths, choice->files.count};
    struct names *names = names_open(capture, &options, &error);
    if (!names)
        error_print(&error);
    return names;
}
