#include "decode/receive/holes.h"

#include <stdlib.h>
#include <string.h>

#include "serial/wire/frame.h"

void holes_free(struct holes *holes)
{
    free(holes->announced);
    free(holes->bytes);
    *holes = (struct holes){0};
}

bool holes_announce(struct holes *holes, uint64_t from, uint64_t end)
{
    struct holes_announced *more = realloc(holes->announced, (holes->nr_announced + 1) * sizeof(*holes->announced));
    if (!more)
        return false;
    holes->announced = more;
    holes->announced[holes->nr_announced++] = (struct holes_announced){from, end < from ? UINT64_MAX : end};
    return true;
}

void holes_forget(struct holes *holes, uint64_t offset)
{
    size_t past = 0;
    while (past < holes->nr_announced && holes->announced[past].end <= offset)
        past++;
    if (past == 0)
        return;
    holes->nr_announced -= past;
    memmove(holes->announced, holes->announced + past, holes->nr_announced * sizeof(*holes->announced));
}

uint64_t holes_unannounced(const struct holes *holes, uint64_t *at, uint64_t end)
{
    size_t i = 0;
    for (; i < holes->nr_announced && holes->announced[i].from <= *at; i++)
        if (holes->announced[i].end > *at)
            *at = holes->announced[i].end;
    if (i < holes->nr_announced && holes->announced[i].from < end)
        end = holes->announced[i].from;
    return *at < end ? end - *at : 0;
}

bool holes_hold(struct holes *holes, uint64_t offset, const uint8_t *bytes, size_t size)
{
    if (!holes->bytes)
        holes->bytes = malloc(FRAME_MAX_PLAIN);
    if (!holes->bytes || size > FRAME_MAX_PLAIN)
        return false;
    memcpy(holes->bytes, bytes, size);
    holes->held = true;
    holes->offset = offset;
    holes->size = size;
    return true;
}

bool holes_confirm(const struct holes *holes, uint64_t offset)
{
    return holes->held && holes->offset + holes->size == offset;
}
