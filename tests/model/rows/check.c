/*
 * Judge what the rows of one ROM left, and print TAP lines without numbers.
 *
 *   check ELF IMAGE RESULTS BRANCHES DIR ROW.S...      the rows in the order in which they were linked
 *
 * All traces go one after the other into DIR/all.pt, and their packets in the dialect of ptdump into DIR/all.dump.
 * What perf needs to follow each flow goes there too (perf.c).
 *
 * Against the first comment of each ROW.S: its lines after "expect:" up to an empty one, in which * and ? match any
 * text and any character; and the lines for decoders that do not support the row (README.md).
 */
#include "check.h"
#include "tests/model/selftest/branches.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what, const char *why)
{
    fprintf(stderr, "rows: %s: %s\n", what, why);
    exit(1);
}

struct bytes file_read(const char *path)
{
    struct bytes file = {NULL, 0};
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        die(path, "cannot be read");
    fseek(in, 0, SEEK_END);
    file.size = (size_t)ftell(in);
    rewind(in);
    file.bytes = malloc(file.size + 1);
    if (file.bytes == NULL || fread(file.bytes, 1, file.size, in) != file.size)
        die(path, "cannot be read");
    file.bytes[file.size] = 0;
    fclose(in);
    return file;
}

FILE *file_create(const char *directory, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s%s", directory, name, suffix);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        die(path, "cannot be written");
    return file;
}

void lines_add(struct lines *lines, const char *text)
{
    lines->line = realloc(lines->line, (lines->nr + 1) * sizeof(*lines->line));
    if (lines->line == NULL || (lines->line[lines->nr++] = strdup(text)) == NULL)
        die("memory", "none left");
}

/* --- what the ROM wrote ----------------------------------------------------------------------------------------- */

static struct bytes trace_read(const char *hex)
{
    struct bytes trace = {malloc(strlen(hex) / 2 + 1), 0};
    unsigned byte;
    while (trace.bytes != NULL && sscanf(hex + 2 * trace.size, "%2x", &byte) == 1)
        trace.bytes[trace.size++] = (uint8_t)byte;
    return trace;
}

static void report_read(struct result *row, const char *line)
{
    char text[MAX_LINE], symbol[80];
    uint64_t value = 0, ip = 0;
    if (sscanf(line, "report %" SCNx64, &value) == 1) {
        snprintf(text, sizeof(text), "report %" PRIx64, value);
    } else if (sscanf(line, "fault %" SCNx64, &value) == 1) {
        snprintf(text, sizeof(text), "fault %" PRIu64, value);
    } else if (sscanf(line, "died %" SCNx64 " %" SCNx64, &value, &ip) == 2) {
        symbol_text(symbol, sizeof(symbol), ip, row);
        snprintf(text, sizeof(text), "died of exception %" PRIu64 " at %s", value, symbol);
    } else {
        snprintf(text, sizeof(text), "%s", line);
    }
    lines_add(&row->reports, text);
}

static void addr_read(struct result *row, char *text)
{
    char *end;
    for (row->nr_addr = 0; row->nr_addr < 8; row->nr_addr++, text = end) {
        row->addr[row->nr_addr] = strtoull(text, &end, 16);
        if (end == text)
            return;
    }
}

/* Read the result that starts at *text, and move *text to its end. */
static struct result result_read(char **text)
{
    struct result row;
    memset(&row, 0, sizeof(row));
    for (char *line = strsep(text, "\n"); line != NULL && !row.complete; line = strsep(text, "\n")) {
        if (sscanf(line, "row %79s %" SCNx64 " %" SCNx64, row.name, &row.start, &row.end) == 3)
            ;
        else if (sscanf(line, "ctl %" SCNx64, &row.ctl) == 1)
            ;
        else if (strncmp(line, "addr", 4) == 0)
            addr_read(&row, line + 4);
        else if (strncmp(line, "trace ", 6) == 0)
            row.trace = trace_read(line + 6);
        else if (strcmp(line, "end") == 0)
            row.complete = true;
        else
            report_read(&row, line);
        if (row.complete)
            break;
    }
    return row;
}

/* --- what the source says --------------------------------------------------------------------------------------- */

static void mapped_read(struct expectation *expected, const char *text)
{
    char *end;
    for (; expected->nr_mapped < MAX_MAPPED; text = end) {
        uint64_t address = strtoull(text, &end, 16);
        if (end == text)
            return;
        expected->mapped[expected->nr_mapped++] = address;
    }
}

/* Two labels. What follows them is returned. */
static const char *labels_read(uint64_t *first, uint64_t *end, const char *text, const struct result *row)
{
    char names[2][40];
    int length = 0;
    if (sscanf(text, "%39s %39s%n", names[0], names[1], &length) != 2 || !symbol_address(first, names[0], row) ||
        !symbol_address(end, names[1], row))
        die(row->name, "has no such labels as those of its code32:, rip32: or copied:");
    return text + length;
}

/* A line that is not of what is expected. */
static void word_read(struct expectation *expected, const char *line, const struct result *row)
{
    if (strncmp(line, "libipt: packets", 15) == 0) {
        expected->instructions = false;
    } else if (strncmp(line, "libipt: no truth", 16) == 0) {
        expected->truth = false;
    } else if (strncmp(line, "perf: packets", 13) == 0) {
        expected->perf = false;
    } else if (strncmp(line, "perf: branches", 14) == 0) {
        expected->perf_instructions = false;
    } else if (strncmp(line, "mapped:", 7) == 0) {
        mapped_read(expected, line + 7);
    } else if (strncmp(line, "code32:", 7) == 0) {
        labels_read(&expected->code32, &expected->code32_end, line + 7, row);
    } else if (strncmp(line, "copied:", 7) == 0) {
        line = labels_read(&expected->copied, &expected->copied_end, line + 7, row);
        expected->copied_to = strtoull(line, NULL, 16);
    } else if (strncmp(line, "rip32:", 6) == 0) {
        labels_read(&expected->code32, &expected->code32_end, line + 6, row);
        mapped_read(expected, "0");
        expected->rip = true;
    }
}

static struct expectation expectation_read(const char *path, const struct result *row)
{
    struct expectation expected = {.instructions = true, .truth = true, .perf = true, .perf_instructions = true};
    char *text = (char *)file_read(path).bytes;
    char *end = strstr(text, "*/");
    bool inside = false;
    if (end == NULL)
        die(path, "has no comment with what is expected");
    *end = 0;
    for (char *line = strsep(&text, "\n"); line != NULL; line = strsep(&text, "\n")) {
        line += strspn(line, " *");
        line[strcspn(line, "\t")] = 0;
        for (size_t n = strlen(line); n != 0 && line[n - 1] == ' '; n--)
            line[n - 1] = 0;
        if (strcmp(line, "expect:") == 0)
            inside = true;
        else if (*line == 0)
            inside = false;
        else if (inside)
            lines_add(&expected.lines, line);
        else
            word_read(&expected, line, row);
    }
    return expected;
}

/* --- the verdict ------------------------------------------------------------------------------------------------ */

/* Several labels at one address are shown as "tip one|other": any of them may be expected. */
static bool line_matches(const char *is, const char *should)
{
    char text[MAX_LINE];
    size_t opcode = strcspn(is, " ");
    if (strchr(is, '|') == NULL)
        return fnmatch(should, is, 0) == 0;
    for (const char *label = is + opcode + 1; *label != 0; label += strspn(label, "|")) {
        size_t length = strcspn(label, "|");
        snprintf(text, sizeof(text), "%.*s %.*s", (int)opcode, is, (int)length, label);
        if (fnmatch(should, text, 0) == 0)
            return true;
        label += length;
    }
    return false;
}

static bool lines_match(const struct lines *is, const struct lines *should)
{
    if (is->nr != should->nr)
        return false;
    for (size_t i = 0; i < is->nr; i++)
        if (!line_matches(is->line[i], should->line[i]))
            return false;
    return true;
}

static void show_difference(const struct lines *is, const struct lines *should)
{
    printf("    %-32s   %s\n", "expected", "is");
    for (size_t i = 0; i < is->nr || i < should->nr; i++) {
        const char *left = i < should->nr ? should->line[i] : "", *right = i < is->nr ? is->line[i] : "";
        printf("    %-32s %c %s\n", left, line_matches(right, left) ? ' ' : '!', right);
    }
}

static void judge(const char *source, struct result *row, const char *image_path, const struct bytes *run,
                  const char *directory, FILE *flows)
{
    struct expectation expected = expectation_read(source, row);
    struct lines is = {NULL, 0};
    char why[256] = "";
    bool parsed = packets_text(&is, row);
    for (size_t i = 0; i < row->reports.nr; i++)
        lines_add(&is, row->reports.line[i]);
    bool same = lines_match(&is, &expected.lines);
    struct branches truth = row_truth(row, &expected, run), found = {.nr = 0};
    bool agree = parsed && libipt_packets_agree(row, why, sizeof(why)) &&
                 (!expected.instructions ||
                  libipt_instructions_agree(row, &expected, image_path, &truth, &found, why, sizeof(why)));
    if (expected.perf)
        perf_flow_write(flows, directory, row, &expected, &truth, &found);
    free(truth.list);
    free(found.list);
    free(found.instructions);
    printf("%sok - %s\n", same && agree ? "" : "not ", row->name);
    if (!same)
        show_difference(&is, &expected.lines);
    if (!agree)
        printf("    %s\n", why);
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: check ELF IMAGE RESULTS BRANCHES DIR ROW.S...\n");
        return 2;
    }
    symbols_load(argv[1]);
    struct bytes run = file_read(argv[4]);
    char *text = (char *)file_read(argv[3]).bytes;
    packets_collect(argv[5]);
    FILE *flows = file_create(argv[5], "flows", "");
    for (int i = 6; i < argc; i++) {
        struct result row = result_read(&text);
        if (row.complete)
            judge(argv[i], &row, argv[2], &run, argv[5], flows);
        else
            printf("not ok - %s\n    the run ended before or in it\n", argv[i]);
    }
    fclose(flows);
    return 0;
}
