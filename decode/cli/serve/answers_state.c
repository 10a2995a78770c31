#include "decode/cli/serve/answers_state.h"

#include <stdlib.h>

#include "decode/cli/message.h"
#include "decode/report/error_text.h"

const struct indexed_capture *answers_index(struct answers *answers, FILE *file)
{
    if (answers->indexed.capture)
        return &answers->indexed;
    answers->query.names = answers->options->names;
    answers->query.threads = answers->options->threads;
    if (query_open(&answers->indexed, answers->options->capture, &answers->query))
        return &answers->indexed;
    answers->indexed = (struct indexed_capture){0};
    fputs("the index cannot be made; undertrace serve says why on its terminal\n", file);
    return NULL;
}

/* It takes seconds for a whole boot, since each straight run of code needs its name. */
const struct executed_function *answers_functions(struct answers *answers, size_t *count)
{
    const struct executed_filter all = {0};
    if (!answers->functions)
        answers->functions = functions_executed(&answers->indexed, &all, &answers->nr_functions);
    *count = answers->nr_functions;
    return answers->functions;
}

bool answers_number(uint64_t *number, const char *word, uint64_t most)
{
    char *end;
    if (!word)
        return true;
    *number = strtoull(word, &end, 10);
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && *number <= most;
}

enum serve_status answers_error(FILE *file, const struct error *error)
{
    char text[ERROR_TEXT_MAX];
    error_text(text, sizeof(text), error);
    fprintf(file, "%s\n", text);
    message_print("%s", text);
    return SERVE_FAILED;
}
