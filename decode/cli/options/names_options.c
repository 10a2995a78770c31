#include "decode/cli/options/names_options.h"

#include "decode/cli/text/error_text.h"

struct names *open_names(const struct capture *capture, struct names_wishes *wishes)
{
    struct error error = {0};
    for (size_t i = 0; i < wishes->files.count; i++)
        wishes->paths[i] = wishes->files.items[i].word;
    const struct names_options options = {wishes->kernel, wishes->symbols, wishes->paths, wishes->files.count};
    struct names *names = names_open(capture, &options, &error);
    if (!names)
        error_say(&error);
    return names;
}
