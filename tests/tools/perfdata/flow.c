#include "flow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of IA32_RTIT_CTL, what perf's config has in the same place: CYC, MTC, DisRETC, MTCFreq, CycThresh. */
#define CONFIG_CTL 0x7bca02ull

/* What "objcopy -I binary -O elf32-i386" puts before the file. */
#define ELF32_HEADER 52u

static bool find_code(struct flow *flow, const char *path, uint64_t at)
{
    struct stat status;
    struct flow_code *code = &flow->code[flow->nr_code];
    if (flow->nr_code == FLOW_MAX) {
        fprintf(stderr, "perfdata_wrap: more than %u places of code\n", FLOW_MAX);
        return false;
    }
    code->name = realpath(path, NULL); /* perf would look for another elsewhere; shorter than a record's 64 KiB */
    if (!code->name || stat(code->name, &status) != 0) {
        fprintf(stderr, "perfdata_wrap: %s: %s\n", path, strerror(errno));
        return false;
    }
    code->at = at;
    code->size = (uint64_t)status.st_size;
    flow->nr_code++;
    return true;
}

/* Declare a part of the image as 32-bit code: put the same bytes into an ELF32 file, from which perf takes the code
 * size. */
static bool find_code32(struct flow *flow, const struct flow_range *range, const char *path)
{
    unsigned i = 0;
    while (i < flow->nr_code && range->first - flow->code[i].at >= flow->code[i].size)
        i++;
    if (i == flow->nr_code) {
        fprintf(stderr, "perfdata_wrap: code32: there is no code at 0x%" PRIx64 "\n", range->first);
        return false;
    }
    if (!find_code(flow, path, range->first))
        return false;
    struct flow_code *code = &flow->code[flow->nr_code - 1];
    code->size = range->last - range->first + 1;
    code->offset = ELF32_HEADER + range->first - flow->code[i].at;
    return true;
}

static bool read_word(struct flow *flow, const char *word)
{
    struct flow_range range = {.stop = false};
    int path = 0;
    if (sscanf(word, "at=%" SCNx64, &range.first) == 1)
        return find_code(flow, flow->code[0].name, range.first);
    if (sscanf(word, "code32=%" SCNx64 "-%" SCNx64 ":%n", &range.first, &range.last, &path) == 2 && path != 0)
        return find_code32(flow, &range, word + path);
    range.stop = word[0] == 's';
    int words = sscanf(word, range.stop ? "stop=%" SCNx64 "-%" SCNx64 : "filter=%" SCNx64 "-%" SCNx64, &range.first,
                       &range.last);
    if (words != 2 || flow->nr_ranges == FLOW_MAX) {
        fprintf(stderr, "perfdata_wrap: %s: is no word that flow.h has, or one too many\n", word);
        return false;
    }
    flow->ranges[flow->nr_ranges++] = range;
    return true;
}

bool flow_arguments(struct flow *flow, char **arguments, int nr)
{
    if (!find_code(flow, arguments[0], strtoull(arguments[1], NULL, 0)))
        return false;
    flow->config |= strtoull(arguments[2], NULL, 0) & CONFIG_CTL;
    for (int i = 3; i < nr; i++)
        if (!read_word(flow, arguments[i]))
            return false;
    return true;
}

void flow_free(struct flow *flow)
{
    for (unsigned i = 0; i < flow->nr_code; i++)
        free(flow->code[i].name);
    flow->nr_code = 0;
}

/* The part of a range that is in this code. perf has user code by its place in the file, the kernel's by address. */
static void add_part(struct buffer *text, const struct flow_range *range, const struct flow_code *code)
{
    uint64_t first = range->first > code->at ? range->first : code->at;
    uint64_t last = range->last < code->at + code->size - 1 ? range->last : code->at + code->size - 1;
    bool kernel = code->at >> 63;
    char words[64];
    int length = snprintf(words, sizeof(words), "%s%s 0x%" PRIx64 "/0x%" PRIx64 "%s", text->used ? " " : "",
                          range->stop ? "tracestop" : "filter", kernel ? first : first - code->at + code->offset,
                          last - first + 1, kernel ? "" : "@");
    put(text, words, (size_t)length);
    if (!kernel)
        put(text, code->name, strlen(code->name));
}

char *flow_filter(const struct flow *flow)
{
    struct buffer text = {0};
    for (unsigned i = 0; i < flow->nr_ranges; i++) {
        const struct flow_range *range = &flow->ranges[i];
        for (unsigned n = 0; n < flow->nr_code; n++)
            if (range->first < flow->code[n].at + flow->code[n].size && range->last >= flow->code[n].at)
                add_part(&text, range, &flow->code[n]);
    }
    put(&text, "", 1);
    return (char *)text.bytes;
}
