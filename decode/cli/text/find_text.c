#include "decode/cli/text/find_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/text/name_text.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

static void print_moment(const struct find_listing *listing, const char *title, const struct moment *moment)
{
    char time[TIME_TEXT_SIZE], cr3[32] = "not known";
    const struct query_index *index = &listing->indexed->index;
    const struct index_space *space = moment->space;
    if (space->cr3 != FLOW_CR3_UNKNOWN)
        snprintf(cr3, sizeof(cr3), "%#" PRIx64, space->cr3);
    printf("  %-6s %s s, TSC %" PRIu64 ", CPU %u, trace offset %" PRIu64 ", CR3 %s", title,
           time_text(time, listing->indexed, moment->tsc), moment->tsc, index_chunk_of(index, moment->stretch)->cpu,
           index->stretches[moment->stretch].begin, cr3);
    if (space->pid)
        printf(", %s (%" PRIu32 ")", space->comm, space->pid);
    putchar('\n');
}

/* The source line of the first execution. */
static const char *source_of(char text[SOURCE_LINE_SIZE], const struct find_listing *listing,
                             const struct occurrence *o)
{
    const struct query_index *index = &listing->indexed->index;
    const struct code_pages *pages = &listing->indexed->traces[index_chunk_of(index, o->first.stretch)->cpu].pages;
    return source_line_text(text, listing->sources, pages, o->first.space->cr3,
                            index->stretches[o->first.stretch].end - 1, o->begin);
}

static void print_text(const struct find_listing *listing, const char *what, const struct occurrence *o)
{
    char number[COUNTED_TEXT_SIZE], source[SOURCE_LINE_SIZE];
    if (o->runs == 0) {
        printf("%s\n  never\n", what);
        return;
    }
    printf("%s\n", what);
    if (listing->sources)
        printf("  source %s\n", source_of(source, listing, o));
    print_moment(listing, "first", &o->first);
    print_moment(listing, "last", &o->last);
    if (o->end - o->begin == 1) {
        printf("  executed %s\n", counted_text(number, o->runs, "time", "times"));
        return;
    }
    printf("  entered %s", counted_text(number, o->entered, "time", "times"));
    printf("; %s through it\n", counted_text(number, o->runs, "straight run", "straight runs"));
}

static void json_moment(const struct find_listing *listing, const char *title, const struct moment *moment)
{
    const struct query_index *index = &listing->indexed->index;
    const double seconds = indexed_capture_seconds(listing->indexed, moment->tsc);
    printf(", \"%s\": {\"seconds\": ", title);
    if (seconds >= 0)
        printf("%.9f", seconds);
    else
        fputs("null", stdout);
    printf(", \"tsc\": %" PRIu64 ", \"cpu\": %u, \"offset\": %" PRIu64 ", \"cr3\": ", moment->tsc,
           index_chunk_of(index, moment->stretch)->cpu, index->stretches[moment->stretch].begin);
    if (moment->space->cr3 != FLOW_CR3_UNKNOWN)
        printf("\"%#" PRIx64 "\"", moment->space->cr3);
    else
        fputs("null", stdout);
    fputs(", ", stdout);
    json_figure(stdout, "pid", (struct figure){moment->space->pid, moment->space->pid}, ", ");
    json_string(stdout, "comm", moment->space->pid ? moment->space->comm : NULL, "}");
}

static void print_json(const struct find_listing *listing, const char *what, const struct occurrence *o)
{
    fputs("{\"what\": ", stdout);
    text_write_json(stdout, (struct record_text){what, strlen(what)});
    printf(", \"begin\": \"%#" PRIx64 "\", \"end\": \"%#" PRIx64 "\", \"executed\": %" PRIu64 ", \"runs\": %" PRIu64,
           o->begin, o->end, o->end - o->begin == 1 ? o->runs : o->entered, o->runs);
    if (o->runs) {
        json_moment(listing, "first", &o->first);
        json_moment(listing, "last", &o->last);
        if (listing->sources) {
            char source[SOURCE_LINE_SIZE];
            source_of(source, listing, o);
            fputs(", \"source\": ", stdout);
            text_write_json(stdout, (struct record_text){source, strlen(source)});
        }
    }
    puts("}");
}

void find_print(const struct find_listing *listing, const char *what, const struct occurrence *o)
{
    if (listing->json)
        print_json(listing, what, o);
    else
        print_text(listing, what, o);
}
