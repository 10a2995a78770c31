#include "decode/cli/text/info_sums.h"

#include <string.h>

void info_sum(struct info_sums *sums, const struct capture *capture, unsigned cpu)
{
    *sums = (struct info_sums){.handed_over = 0};
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        if (record->header.cpu != cpu)
            continue;
        sums->records[record->header.kind < INFO_KINDS ? record->header.kind : 0]++;
        if (record->header.kind == RECORD_DRAIN) {
            struct record_drain drain;
            memcpy(&drain, record->payload, sizeof(drain));
            sums->handed_over += drain.size;
        }
    }
}
