#include "decode/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "decode/page/page_state.h"
#include "decode/page/page_text.h"

/* Write the page up to a mark. Returns the rest after the mark. */
static const char *write_up_to(FILE *file, const char *text, const char *mark)
{
    const char *end = strstr(text, mark);
    fwrite(text, 1, end ? (size_t)(end - text) : strlen(text), file);
    return end ? end + strlen(mark) : "";
}

static void write_title(FILE *file, const char *directory)
{
    fputs("Undertrace: ", file);
    for (const char *c = directory; *c; c++)
        if (*c == '<' || *c == '&')
            fprintf(file, "&#%d;", *c);
        else
            fputc(*c, file);
}

static bool write_page(FILE *file, const struct page *page)
{
    const char *rest = write_up_to(file, page_text, "@TITLE@");
    write_title(file, page->run->capture->directory);
    rest = write_up_to(file, rest, "@DATA@");
    fputs("<script type=\"application/json\" id=\"facts\">", file);
    const bool good = page_write_facts(file, page, PAGE_HTML);
    fputs("</script>\n", file);
    page_write_columns(file, page, PAGE_HTML);
    fputs(rest, file);
    return good;
}

static bool write_window(FILE *file, const struct page *page)
{
    fputs("{\"facts\":", file);
    const bool good = page_write_facts(file, page, PAGE_JSON);
    fputs(",\n\"columns\":{", file);
    page_write_columns(file, page, PAGE_JSON);
    fputs("}}\n", file);
    return good;
}

static void free_page(struct page *page)
{
    slices_free(&page->slices);
    profile_free(&page->profile);
    page_tree_free(&page->tree);
    call_pairs_free(&page->pairs);
    free(page->marks.items);
    free(page->ran);
    free(page->processes);
}

static bool write_data(FILE *file, struct calls_run *run, const struct page_limits *limits, struct page_sums *sums,
                       bool (*write)(FILE *file, const struct page *page), struct error *error)
{
    struct page page = {.run = run, .served = limits->served};
    slices_init(&page.slices, run->names, limits->most_calls, limits->shortest, true);
    bool good = page_collect(&page, error) && page_marks_collect(&page.marks, run, error);
    if (good) {
        const struct slices *slices = &page.slices;
        page.first = slices->first <= slices->last ? slices->first : 0;
        page.unit = slices->first <= slices->last ? (slices->last - slices->first) / UINT32_MAX + 1 : 1;
        good = (page_tree_make(&page.tree, &page.profile, limits->most_ways) &&
                call_pairs_make(&page.pairs, &page.profile) && write(file, &page)) ||
               error_set(error, ERROR_MEMORY, 0, "the page");
        *sums = (struct page_sums){slices->count, slices->merged, slices->least, page.tree.count - 1, page.tree.merged};
    }
    free_page(&page);
    return good;
}

bool page_write(FILE *file, struct calls_run *run, const struct page_limits *limits, struct page_sums *sums,
                struct error *error)
{
    return write_data(file, run, limits, sums, write_page, error);
}

bool page_write_window(FILE *file, struct calls_run *run, const struct page_limits *limits, struct page_sums *sums,
                       struct error *error)
{
    return write_data(file, run, limits, sums, write_window, error);
}
