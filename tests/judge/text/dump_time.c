#include "tests/judge/text/dump_time.h"

#define MTC_BITS 8u
#define MTC_MASK 0xffu
#define TMA_CTC_BITS 16u
#define TMA_CTC_MASK 0xffffu
#define TSC_BITS 56u
#define MOST_TICKS (UINT64_MAX / DUMP_TIME_ONE)

/* SKL168: CYC packets come every 4096 cycles at least. One of them is lost, less what is usual anyway; where MTCs are
 * this rare it is not noticed. */
#define LOST_CYCLES 0xf00u
#define MTC_FREQ_RARE 10u

const char *dump_time_text(enum dump_time_error error)
{
    static const char *const texts[] = {
        [DUMP_TIME_OK] = "no calibration",        [DUMP_TIME_NONE] = "no timing information",
        [DUMP_TIME_PACKET] = "unknown packet",    [DUMP_TIME_CONTEXT] = "unexpected packet context",
        [DUMP_TIME_CONFIG] = "bad configuration", [DUMP_TIME_TOO_LARGE] = "internal error",
    };
    return texts[error];
}

static void forget_calibration(struct dump_calibration *calibration)
{
    *calibration = (struct dump_calibration){.least = UINT64_MAX};
}

void dump_time_begin(struct dump_time *time, const struct dump_time_setup *setup)
{
    *time = (struct dump_time){.setup = *setup};
    forget_calibration(&time->calibration);
}

bool dump_time_cycle(const struct dump_time *time, uint64_t *cycle)
{
    *cycle = time->calibration.cycle;
    return time->calibration.least <= time->calibration.most;
}

static void set_cycle(struct dump_calibration *calibration, uint64_t cycle)
{
    calibration->cycle = cycle;
    if (cycle < calibration->least)
        calibration->least = cycle;
    if (cycle > calibration->most)
        calibration->most = cycle;
}

/* From one count of the crystal to a later one, which may have wrapped once: in its own ticks. */
static enum dump_time_error crystal_between(const struct dump_time_setup *setup, uint32_t from, uint32_t to,
                                            uint32_t *ticks)
{
    const uint32_t wrap = 1u << (setup->mtc_freq + MTC_BITS);
    *ticks = to < from ? to + wrap - from : to - from;
    return to < from && to + wrap < from ? DUMP_TIME_PACKET : DUMP_TIME_OK;
}

/* The same in ticks of the TSC. */
static enum dump_time_error ticks_between(const struct dump_time_setup *setup, uint32_t from, uint32_t to,
                                          uint64_t *ticks)
{
    uint32_t crystal;
    const enum dump_time_error error = crystal_between(setup, from, to, &crystal);
    if (error)
        return error;
    if (!setup->numerator || !setup->denominator)
        return DUMP_TIME_CONFIG;
    *ticks = (uint64_t)crystal * setup->numerator / setup->denominator;
    return DUMP_TIME_OK;
}

static enum dump_time_error calibrate_by_tsc(struct dump_time *time, uint64_t tsc)
{
    struct dump_calibration *c = &time->calibration;
    const uint64_t before = c->tsc, cycles = c->cycles_of_tsc;
    const uint64_t ticks = tsc < before ? tsc + (1ull << TSC_BITS) - before : tsc - before;
    c->tsc = tsc;
    c->cycles_of_tsc = 0;
    /* Before a TSC outside of a PSB+, time may have been lost. */
    if (!time->header || !before || !cycles || c->mtc_known)
        return DUMP_TIME_OK;
    if (ticks > MOST_TICKS)
        return DUMP_TIME_TOO_LARGE;
    set_cycle(c, ticks * DUMP_TIME_ONE / cycles);
    return DUMP_TIME_OK;
}

/* A CBR outside of a PSB+ reports that the frequency has changed. */
static enum dump_time_error calibrate_by_cbr(struct dump_time *time, uint64_t ratio)
{
    if (!time->header)
        forget_calibration(&time->calibration);
    if (!time->setup.nom_freq)
        return DUMP_TIME_OK;
    if (!ratio)
        return DUMP_TIME_PACKET;
    set_cycle(&time->calibration, (uint64_t)time->setup.nom_freq * DUMP_TIME_ONE / ratio);
    return DUMP_TIME_OK;
}

/* SKL168: are packets missing between the MTC before a PSB and the one after it, so that the cycles cannot be used? */
static bool is_by_skl168(const struct dump_time *time, uint32_t crystal, uint64_t ticks, uint64_t cycles)
{
    uint64_t cycle;
    if (1u << time->setup.mtc_freq < crystal)
        return true;
    return time->setup.mtc_freq < MTC_FREQ_RARE && dump_time_cycle(time, &cycle) &&
           cycle * (cycles + LOST_CYCLES) / DUMP_TIME_ONE < ticks;
}

static enum dump_time_error calibrate_by_mtc(struct dump_time *time, uint32_t ctc)
{
    struct dump_calibration *c = &time->calibration;
    const uint64_t cycles = c->cycles_of_mtc;
    const uint32_t before = c->ctc;
    const bool psb_passed = c->psb_passed, first = !c->mtc_known;
    uint64_t ticks = 0;
    uint32_t crystal = 0;
    c->psb_passed = false;
    if (!first && !cycles) /* the next MTC covers both periods */
        return DUMP_TIME_OK;
    c->mtc_known = true;
    c->cycles_of_mtc = 0;
    c->ctc = ctc;
    if (first)
        return DUMP_TIME_OK;
    const enum dump_time_error error = ticks_between(&time->setup, before, ctc, &ticks);
    if (error)
        return error;
    if (ticks > MOST_TICKS)
        return DUMP_TIME_TOO_LARGE;
    crystal_between(&time->setup, before, ctc, &crystal);
    if (!psb_passed || !is_by_skl168(time, crystal, ticks, cycles))
        set_cycle(c, ticks * DUMP_TIME_ONE / cycles);
    return DUMP_TIME_OK;
}

static void take_tsc(struct dump_time *time, uint64_t tsc)
{
    time->tsc_known = true;
    time->tma_known = time->mtc_known = time->cycles_lost = false;
    time->tsc = time->base = tsc;
    time->since_base = 0;
    time->ctc = 0;
}

/* If MTCFreq is above 8, MTC has higher bits of the crystal's count than TMA: the next MTC completes TMA's count. */
static enum dump_time_error take_tma(struct dump_time *time, const struct packet *packet)
{
    const uint32_t bits = time->setup.mtc_freq + MTC_BITS;
    if (!time->tsc_known || time->tma_known)
        return DUMP_TIME_CONTEXT;
    time->tma_known = true;
    time->base -= packet->tma_fc;
    time->since_base += packet->tma_fc;
    time->mtc_known = bits <= TMA_CTC_BITS;
    time->ctc = time->ctc_of_cycles = packet->tma_ctc & ((1u << bits) - 1);
    return DUMP_TIME_OK;
}

static enum dump_time_error take_mtc(struct dump_time *time, uint32_t ctc)
{
    const bool first = !time->mtc_known;
    uint32_t before = time->ctc;
    uint64_t ticks;
    if (time->tsc_known && !time->tma_known) /* a TMA will follow */
        return DUMP_TIME_OK;
    if (time->since_base || time->cycles_lost || first)
        time->ctc_of_cycles = ctc;
    time->mtc_known = true;
    time->since_base = 0;
    time->ctc = ctc;
    time->cycles_lost = false;
    if (first && !time->tma_known) /* there is no earlier count to subtract */
        return DUMP_TIME_OK;
    if (first) {
        uint32_t high = ctc & ~TMA_CTC_MASK;
        if ((ctc & TMA_CTC_MASK) < before)
            high = (high - (1u << TMA_CTC_BITS)) & MTC_MASK << time->setup.mtc_freq;
        before |= high;
    }
    const enum dump_time_error error = ticks_between(&time->setup, before, ctc, &ticks);
    if (!error)
        time->tsc = time->base += ticks;
    return error;
}

/* A CYC covers the time since an earlier MTC: subtract the cycles that belong to earlier periods. */
static enum dump_time_error cycles_here(const struct dump_time *time, uint64_t cycle, uint64_t *cycles)
{
    uint64_t ticks = 0;
    if (time->ctc == time->ctc_of_cycles)
        return DUMP_TIME_OK;
    const enum dump_time_error error = ticks_between(&time->setup, time->ctc_of_cycles, time->ctc, &ticks);
    if (error)
        return error;
    const uint64_t earlier = ticks * DUMP_TIME_ONE / cycle;
    *cycles = *cycles < earlier ? 0 : *cycles - earlier;
    return DUMP_TIME_OK;
}

static void take_cyc(struct dump_time *time, uint64_t cycles, struct dump_time_errors *errors)
{
    uint64_t cycle = 0;
    if (time->setup.calibrated && !dump_time_cycle(time, &cycle))
        errors->uncalibrated = DUMP_TIME_NONE;
    if (time->setup.calibrated) {
        time->calibration.cycles_of_mtc += cycles;
        time->calibration.cycles_of_tsc += cycles;
    }
    errors->cycles_lost = !cycle;
    time->cycles_lost |= !cycle;
    if (cycle && !time->since_base)
        errors->clock = cycles_here(time, cycle, &cycles);
    if (!cycle || errors->clock)
        return;
    time->since_base += cycles * cycle / DUMP_TIME_ONE;
    time->tsc = time->base + time->since_base;
}

static void take_overflow(struct dump_time *time)
{
    struct dump_calibration *c = &time->calibration;
    if (time->setup.kept_on_overflow)
        *c = (struct dump_calibration){
            .cycle = c->cycle, .least = c->least, .most = c->most, .psb_passed = c->psb_passed};
    else
        forget_calibration(c);
}

struct dump_time_errors dump_time_take(struct dump_time *time, const struct packet *packet)
{
    struct dump_time_errors errors = {0};
    const bool calibrated = time->setup.calibrated;
    const uint32_t ctc = (uint32_t)(packet->payload & MTC_MASK) << time->setup.mtc_freq;
    switch (packet->kind) {
    case PT_PACKET_PSB:
        time->header = true;
        time->calibration.psb_passed |= time->setup.skl168;
        break;
    case PT_PACKET_PSBEND:
        time->header = false;
        break;
    case PT_PACKET_OVF:
        take_overflow(time);
        break;
    case PT_PACKET_TSC:
        errors.calibration = calibrated ? calibrate_by_tsc(time, packet->tsc) : DUMP_TIME_OK;
        take_tsc(time, packet->tsc);
        break;
    case PT_PACKET_CBR:
        errors.calibration = calibrated ? calibrate_by_cbr(time, packet->payload) : DUMP_TIME_OK;
        errors.clock = packet->payload ? DUMP_TIME_OK : DUMP_TIME_PACKET;
        break;
    case PT_PACKET_TMA:
        errors.clock = take_tma(time, packet);
        break;
    case PT_PACKET_MTC:
        errors.calibration = calibrated ? calibrate_by_mtc(time, ctc) : DUMP_TIME_OK;
        errors.clock = take_mtc(time, ctc);
        break;
    case PT_PACKET_CYC:
        take_cyc(time, packet->cyc, &errors);
        break;
    default:
        break;
    }
    return errors;
}
