#include "decode/cli/options/query_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/message.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/work_bar.h"
#include "decode/report/number_text.h"

bool query_open(struct indexed_capture *indexed, const char *directory, struct query_options *arguments)
{
    struct error error = {0};
    struct work_bar bar;
    const struct index_build_options build = {.threads = (unsigned)arguments->threads,
                                              .progress = work_bar_wanted() ? work_bar_show : NULL,
                                              .progress_context = &bar};
    *indexed = (struct indexed_capture){0};
    struct capture *capture = open_capture(directory);
    if (!capture)
        return false;
    work_bar_start(&bar, "indexing");
    if (!indexed_capture_open(indexed, capture, arguments->no_index, &build, &error)) {
        error_print(&error);
        indexed_capture_close(indexed);
        return false;
    }
    if (!(indexed->names = open_names(capture, &arguments->names))) {
        indexed_capture_close(indexed);
        return false;
    }
    if (indexed->index_errno)
        message_print("%s/" INDEX_NAME ": cannot be written: %s; the next query will decode the trace again", directory,
                      strerror(indexed->index_errno));
    return true;
}

int query_print_missing(const struct indexed_capture *indexed)
{
    const struct index_header *header = indexed->index.header;
    const char *directory = indexed->capture->directory;
    const bool damaged = damages_print(indexed->capture) || header->damages;
    char number[COUNTED_TEXT_SIZE];
    if (damaged && indexed->index.mapped)
        message_print("%s: parts of it are damaged; undertrace info lists them", directory);
    if (header->gaps)
        message_print("%s: %s; what was executed there is unknown", directory,
                      counted_text(number, header->gaps, "gap", "gaps"));
    if (header->decode_gaps)
        message_print("%s: %s; what was executed there is unknown; undertrace decode lists them", directory,
                      counted_text(number, header->decode_gaps, "decode gap", "decode gaps"));
    return damaged || header->gaps || header->decode_gaps ? 2 : 0;
}
