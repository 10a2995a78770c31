/* The stage. Core. */
#include "pt/stage.h"

static void give_all(struct stage *stage)
{
    stage->give(stage->context, stage->bytes, stage->used);
    stage->used = 0;
}

void stage_put(struct stage *stage, const void *bytes, uint32_t size)
{
    const uint8_t *at = bytes;
    /* What is staged fills whole words: a long run need not be copied in behind it. */
    if (stage->used != 0 && stage->used % 8 == 0 && size >= STAGE_BYTES)
        give_all(stage);
    while (size > 0) {
        if (stage->used == 0 && size >= STAGE_BYTES) {
            uint32_t direct = size & ~7u;
            stage->give(stage->context, at, direct);
            at += direct;
            size -= direct;
            continue;
        }
        uint32_t n = STAGE_BYTES - stage->used;
        if (n > size)
            n = size;
        __builtin_memcpy(stage->bytes + stage->used, at, n);
        stage->used += n;
        at += n;
        size -= n;
        if (stage->used == STAGE_BYTES)
            give_all(stage);
    }
}

void stage_finish(struct stage *stage)
{
    while (stage->used % 8 != 0)
        stage->bytes[stage->used++] = 0;
    if (stage->used != 0)
        give_all(stage);
}
