#include "decode/cli/ask_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/message.h"
#include "decode/cli/open_capture.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/work_bar.h"
#include "decode/report/number_text.h"

bool ask_capture(struct ask *ask, const char *directory, struct ask_arguments *arguments)
{
    struct error error = {0};
    struct work_bar bar;
    const struct index_build_options build = {.threads = (unsigned)arguments->threads,
                                              .progress = work_bar_wanted() ? work_bar_show : NULL,
                                              .progress_context = &bar};
    *ask = (struct ask){0};
    struct capture *capture = open_capture(directory);
    if (!capture)
        return false;
    work_bar_start(&bar, "indexing");
    if (!ask_open(ask, capture, arguments->no_index, &build, &error)) {
        error_say(&error);
        ask_close(ask);
        return false;
    }
    if (!(ask->names = open_names(capture, &arguments->names))) {
        ask_close(ask);
        return false;
    }
    if (ask->index_errno)
        message_say("%s/" INDEX_NAME ": cannot be written: %s; the next query will decode the trace again", directory,
                    strerror(ask->index_errno));
    return true;
}

int ask_say_missing(const struct ask *ask)
{
    const struct index_header *header = ask->index.header;
    const char *directory = ask->capture->directory;
    const bool damaged = say_damages(ask->capture) || header->damages;
    char number[COUNTED_TEXT_SIZE];
    if (damaged && ask->index.mapped)
        message_say("%s: parts of it are damaged; undertrace info lists them", directory);
    if (header->gaps)
        message_say("%s: %s; what was executed there is unknown", directory,
                    counted_text(number, header->gaps, "gap", "gaps"));
    if (header->decode_gaps)
        message_say("%s: %s; what was executed there is unknown; undertrace decode lists them", directory,
                    counted_text(number, header->decode_gaps, "decode gap", "decode gaps"));
    return damaged || header->gaps || header->decode_gaps ? 2 : 0;
}

static bool parse_address(const char *word, size_t size, uint64_t *address)
{
    char digits[24], *end;
    if (size == 0 || size >= sizeof(digits))
        return false;
    memcpy(digits, word, size);
    digits[size] = '\0';
    if (strspn(digits, "0123456789abcdefABCDEFxX") != size)
        return false;
    *address = strtoull(digits, &end, 16);
    return *end == '\0';
}

bool ask_parse_range(const char *word, uint64_t *begin, uint64_t *end)
{
    const bool page = !strncmp(word, "page:", 5);
    const char *first = page ? word + 5 : word, *dash = strchr(first, '-');
    if (!parse_address(first, dash ? (size_t)(dash - first) : strlen(first), begin))
        return false;
    *end = *begin + 1;
    if (page) {
        *begin -= *begin % RECORD_PAGE_SIZE;
        *end = *begin + RECORD_PAGE_SIZE;
    }
    return !dash || (!page && parse_address(dash + 1, strlen(dash + 1), end) && *end > *begin);
}

const char *name_text(char text[NAME_TEXT_SIZE], const struct name *name, uint64_t address)
{
    int used = 0;
    text[0] = '\0';
    if (name->symbol)
        used = address > name->begin
                   ? snprintf(text, NAME_TEXT_SIZE, "%s+%#" PRIx64, name->symbol, address - name->begin)
                   : snprintf(text, NAME_TEXT_SIZE, "%s", name->symbol);
    if (name->object && used >= 0 && used < (int)NAME_TEXT_SIZE)
        snprintf(text + used, NAME_TEXT_SIZE - (size_t)used, "%s[%s]", used ? " " : "", name->object);
    return text;
}

const char *time_text(char text[TIME_TEXT_SIZE], const struct ask *ask, uint64_t tsc)
{
    const double seconds = ask_seconds(ask, tsc);
    if (seconds >= 0)
        snprintf(text, TIME_TEXT_SIZE, "%.9f", seconds);
    else if (tsc)
        snprintf(text, TIME_TEXT_SIZE, "%" PRIu64 "t", tsc - ask->index.header->first_tsc);
    else
        strcpy(text, "-");
    return text;
}
