#include "flow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of IA32_RTIT_CTL, what perf's config has in the same place: CYC, MTC, DisRETC, MTCFreq, CycThresh. */
#define CONFIG_CTL 0x7bca02ull

static bool find_code(struct flow *flow, const char *path)
{
    struct stat status;
    flow->name = realpath(path, NULL); /* perf would look for another elsewhere */
    if (!flow->name || stat(flow->name, &status) != 0) {
        fprintf(stderr, "perfdata_wrap: %s: %s\n", path, strerror(errno));
        return false;
    }
    flow->size = (uint64_t)status.st_size;
    return true; /* a path is shorter than a record's 64 KiB */
}

static bool read_word(struct flow *flow, const char *word)
{
    struct flow_range range = {.stop = word[0] == 's'};
    if (sscanf(word, "at=%" SCNx64, &range.first) == 1 && flow->nr_bases < FLOW_MAX) {
        flow->bases[flow->nr_bases++] = range.first;
        return true;
    }
    int words = sscanf(word, range.stop ? "stop=%" SCNx64 "-%" SCNx64 : "filter=%" SCNx64 "-%" SCNx64, &range.first,
                       &range.last);
    if (words != 2 || flow->nr_ranges == FLOW_MAX) {
        fprintf(stderr, "perfdata_wrap: %s is neither at=BASE nor filter=FIRST-LAST nor stop=FIRST-LAST\n", word);
        return false;
    }
    flow->ranges[flow->nr_ranges++] = range;
    return true;
}

bool flow_arguments(struct flow *flow, char **arguments, int nr)
{
    if (!find_code(flow, arguments[0]))
        return false;
    flow->bases[flow->nr_bases++] = strtoull(arguments[1], NULL, 0);
    flow->config |= strtoull(arguments[2], NULL, 0) & CONFIG_CTL;
    for (int i = 3; i < nr; i++)
        if (!read_word(flow, arguments[i]))
            return false;
    return true;
}

char *flow_filter(const struct flow *flow)
{
    size_t room = 1 + flow->nr_ranges * (64 + (flow->name ? strlen(flow->name) : 0)), used = 0;
    char *text = calloc(1, room);
    for (unsigned i = 0; text && i < flow->nr_ranges; i++) {
        const struct flow_range *range = &flow->ranges[i];
        /* User code is named by its place in the file. */
        bool of_file = range->first >= flow->bases[0] && range->first - flow->bases[0] < flow->size;
        used += (size_t)snprintf(text + used, room - used, "%s%s 0x%" PRIx64 "/0x%" PRIx64 "%s%s", i ? " " : "",
                                 range->stop ? "tracestop" : "filter", range->first - (of_file ? flow->bases[0] : 0),
                                 range->last - range->first + 1, of_file ? "@" : "", of_file ? flow->name : "");
    }
    return text;
}
