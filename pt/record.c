/*
 * Records: stamping, and laying them out behind one another in pieces that the sink takes. Shell.
 */
#include "pt/cpu.h"
#include "pt/msr.h"
#include "pt/rtit.h"

/* The sink takes multiples of 8 bytes; what does not fill 8 waits here for what follows. */
struct stage {
    struct pt_cpu *pt;
    uint32_t used;
    uint8_t bytes[64];
};

static void stage_flush(struct stage *stage)
{
    if (stage->used == 0)
        return;
    while (stage->used % 8 != 0)
        stage->bytes[stage->used++] = 0;
    stage->pt->sink->ops->record(stage->pt->sink, stage->pt->cpu, stage->bytes, stage->used);
    stage->used = 0;
}

static void stage_put(struct stage *stage, const uint8_t *bytes, uint32_t size)
{
    while (size > 0) {
        if (stage->used == 0 && size >= sizeof(stage->bytes)) {
            uint32_t direct = size & ~7u;
            stage->pt->sink->ops->record(stage->pt->sink, stage->pt->cpu, bytes, direct);
            bytes += direct;
            size -= direct;
            continue;
        }
        uint32_t n = (uint32_t)sizeof(stage->bytes) - stage->used;
        if (n > size)
            n = size;
        __builtin_memcpy(stage->bytes + stage->used, bytes, n);
        stage->used += n;
        bytes += n;
        size -= n;
        /* With a multiple of 8 in it the stage can go, and a long body goes past it. */
        if (stage->used == sizeof(stage->bytes) || (stage->used % 8 == 0 && size >= sizeof(stage->bytes)))
            stage_flush(stage);
    }
}

/* Bytes that this CPU has written up to now. TraceEn is clear, so the registers hold. */
static uint64_t trace_offset(struct pt_cpu *pt)
{
    if (!pt->tracing)
        return 0;
    struct topa_ptrs ptrs = topa_ptrs_unpack(msr_read(IA32_RTIT_OUTPUT_BASE), msr_read(IA32_RTIT_OUTPUT_MASK_PTRS));
    bool stopped = (msr_read(IA32_RTIT_STATUS) & RTIT_STATUS_STOPPED) != 0;
    if (!ring_take(&pt->ring, ptrs, stopped))
        pt->pmi_pending = true; /* the drain says what is wrong */
    return pt->ring.written;
}

void pt_record(struct pt_cpu *pt, enum record_kind kind, const void *head, uint32_t head_size, const void *body,
               uint32_t body_size)
{
    struct record_header header = {
        .kind = (uint16_t)kind,
        .cpu = pt->cpu,
        .length = head_size + body_size,
        .trace_offset = trace_offset(pt),
        .tsc = tsc_read(),
    };
    struct stage stage;
    stage.pt = pt;
    stage.used = 0;
    stage_put(&stage, (const uint8_t *)&header, sizeof(header));
    stage_put(&stage, head, head_size);
    stage_put(&stage, body, body_size);
    stage_flush(&stage);
    pt->totals.records++;
}
