#include "decode/cli/report_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/report/profile_report.h"
#include "decode/stack/stacks_run.h"

static struct stack_hooks hooks_of(void *context, uint16_t cpu)
{
    struct report_profile *made = context;
    return profile_hooks(&made->cpus[cpu], &made->profile);
}

static bool run(struct report_profile *made, const struct capture *capture, unsigned threads)
{
    const struct stacks_run_options options = {.threads = threads, .progress = progress_of_decoding()};
    struct error error = {0};
    if (!stacks_run(capture, made->names, &options, hooks_of, NULL, made, &error)) {
        error_say(&error);
        return false;
    }
    if (made->profile.no_memory)
        message_say("%s: out of memory for its call tree", capture->directory);
    return !made->profile.no_memory;
}

struct report_profile *report_profile_make(const struct capture *capture, struct names_wishes *wishes, unsigned threads)
{
    struct report_profile *made = calloc(1, sizeof(*made));
    if (!made) {
        message_say("%s: out of memory for its call tree", capture->directory);
        return NULL;
    }
    made->names = open_names(capture, wishes);
    if (!made->names || !profile_init(&made->profile, made->names) || !run(made, capture, threads)) {
        report_profile_free(made);
        return NULL;
    }
    if (!text_find_number(&made->khz, capture->hello, "tsc_khz"))
        made->khz = 0;
    return made;
}

/* Words, in lines of at most COLUMNS. */
#define COLUMNS 98u
static void print_words(const char *text)
{
    size_t column = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > COLUMNS) {
            fputs("\n   ", stdout);
            column = 3;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "  ", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

void report_profile_show(const struct report_profile *made)
{
    const char *line;
    puts("\nNames");
    for (size_t i = 0; (line = names_about(made->names, i)); i++)
        print_words(line);
    profile_print(stdout, &made->profile, made->khz, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
}

void report_profile_free(struct report_profile *made)
{
    if (!made)
        return;
    profile_free(&made->profile);
    if (made->names)
        names_close(made->names);
    free(made);
}
