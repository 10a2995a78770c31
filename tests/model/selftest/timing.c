/*
 * Do the timing packets of a trace agree with each other?
 *
 *   timing TRACE MTCFREQ      TRACE ends in "PMIs" and their number
 *
 * SDM "Tracking Time" (36.8.3): a TMA packet says which crystal tick its TSC packet falls into; MTC packets count on
 * from there; CYC packets count the cycles between them, which in the model are the ticks of the timestamp counter
 * while the CPU runs. CPUID.15H of the test's processor: 146 ticks for one of the crystal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pt/packet/packet.h"

#define TICKS 146
#define SLACK 40 /* ticks: an MTC packet may come this late */

static struct {
    uint64_t tsc, tma, mtc, cyc, cyc_checked;
} seen;
static int bad;

static void complain(size_t at, const char *what, uint64_t is, uint64_t expected)
{
    fprintf(stderr, "timing: offset %zu: %s is %" PRIu64 ", not %" PRIu64 "\n", at, what, is, expected);
    bad = 1;
}

static void check_tma(size_t at, uint64_t tsc, const struct packet *tma)
{
    static uint64_t offset, remainder;
    uint64_t start = tsc - tma->tma_fc; /* of the crystal's tick */
    uint64_t is = (start / TICKS - tma->tma_ctc) & 0xffff;
    if (tma->tma_fc >= TICKS)
        complain(at, "FastCounter", tma->tma_fc, TICKS - 1);
    if (seen.tma++ == 0) {
        offset = is;
        remainder = start % TICKS;
    }
    if (is != offset || start % TICKS != remainder)
        complain(at, "TSC - FastCounter in crystal ticks, less CTC,", is, offset);
}

static void check_mtc(size_t at, uint8_t payload, uint8_t *last, uint64_t *cycles, uint64_t period)
{
    if (payload != (uint8_t)(*last + 1))
        complain(at, "MTC's payload", payload, (uint8_t)(*last + 1));
    *last = payload;
    if (seen.cyc != 0 && *cycles != 0) {
        if (*cycles + SLACK < period || *cycles > period + SLACK)
            complain(at, "cycles between MTC packets", *cycles, period);
        seen.cyc_checked++;
    }
    *cycles = 0;
    seen.mtc++;
}

static void check(const uint8_t *bytes, size_t size, unsigned freq)
{
    uint64_t tsc = 0, cycles = 0;
    uint8_t last = 0;
    bool tma_due = false, counting = false;
    for (size_t at = 0; at < size && !bad;) {
        struct packet packet;
        int length = packet_parse(&packet, bytes + at, size - at);
        if (length <= 0) {
            complain(at, "the packet's length", 0, 1);
            return;
        }
        if (tma_due != (packet.kind == PT_PACKET_TMA))
            complain(at, "TMA after TSC", packet.kind == PT_PACKET_TMA, tma_due);
        tma_due = packet.kind == PT_PACKET_TSC;
        if (packet.kind == PT_PACKET_TSC) {
            if (packet.tsc < tsc)
                complain(at, "TSC", packet.tsc, tsc);
            tsc = packet.tsc;
            seen.tsc++;
        } else if (packet.kind == PT_PACKET_TMA) {
            check_tma(at, tsc, &packet);
            last = (uint8_t)(packet.tma_ctc >> freq);
            counting = false;
        } else if (packet.kind == PT_PACKET_CYC) {
            seen.cyc++;
            cycles += packet.cyc;
        } else if (packet.kind == PT_PACKET_MTC) {
            cycles = counting ? cycles : 0;
            check_mtc(at, (uint8_t)packet.payload, &last, &cycles, (uint64_t)TICKS << freq);
            counting = true;
        }
        at += (size_t)length;
    }
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
    static uint8_t bytes[1 << 21];
    if (in == NULL) {
        fprintf(stderr, "usage: timing TRACE MTCFREQ\n");
        return 2;
    }
    size_t size = fread(bytes, 1, sizeof(bytes), in);
    fclose(in);
    if (size < 8)
        return 1;
    check(bytes, size - 8, (unsigned)atoi(argv[2]));
    printf("%" PRIu64 " TSC, %" PRIu64 " TMA, %" PRIu64 " MTC, %" PRIu64 " CYC, %" PRIu64
           " intervals counted in cycles\n",
           seen.tsc, seen.tma, seen.mtc, seen.cyc, seen.cyc_checked);
    return bad || seen.mtc == 0;
}
