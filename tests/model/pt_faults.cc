/*
 * Faults on purpose: internal buffer overflows where the configuration says.
 *
 *   ovf=AT:LENGTH[+AT:LENGTH...]  the first packet at or after trace offset AT is lost, and so are all packets until
 *                                 LENGTH branches (those that have packets) have been executed
 *   ovf=every:BYTES:LENGTH        seeded: between 1 and twice BYTES bytes after the last, of 1 to LENGTH branches
 *
 * Source: SDM "Internal Buffer Overflow" (36.3.8), "Overflow (OVF) Packet" (36.4.2.16).
 */
#include "pt_internal.h"

#define MAX_OVERFLOWS 64
static const uint64_t NEVER = ~0ull;

static struct {
    uint64_t at, length;
} plan[MAX_OVERFLOWS];
static unsigned nr_planned;
static uint64_t every_bytes, every_length;

static bool number(uint64_t *value, char **text, char until)
{
    char *end;
    *value = strtoull(*text, &end, 0);
    if (end == *text || *value == 0 || (*end != 0 && *end != until))
        return false;
    *text = *end != 0 ? end + 1 : end;
    return true;
}

bool ptm_faults_overflow_option(const char *value)
{
    char *copy = strdup(value), *text = copy;
    bool good = true;
    if (strncmp(text, "every:", 6) == 0) {
        text += 6;
        good = number(&every_bytes, &text, ':') && *text != 0 && number(&every_length, &text, 0) && *text == 0;
    } else {
        while (good && *text != 0 && nr_planned < MAX_OVERFLOWS) {
            good = number(&plan[nr_planned].at, &text, ':') && *text != 0 &&
                   number(&plan[nr_planned].length, &text, '+') &&
                   (nr_planned == 0 || plan[nr_planned].at > plan[nr_planned - 1].at);
            nr_planned++;
        }
        good = good && nr_planned != 0 && *text == 0;
    }
    free(copy);
    return good;
}

bool ptm_faults_errata_option(const char *value)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } errata[] = {{"bdm70", PTM_BDM70}, {"skd022", PTM_SKD022}, {"skl014", PTM_SKL014}};
    char *copy = strdup(value), *rest = NULL;
    bool good = true;
    for (char *word = strtok_r(copy, "+", &rest); word != NULL && good; word = strtok_r(NULL, "+", &rest)) {
        good = false;
        for (size_t n = 0; n < sizeof(errata) / sizeof(errata[0]); n++) {
            if (strcmp(word, errata[n].name) == 0) {
                ptm_config.errata |= errata[n].bit;
                good = true;
            }
        }
    }
    free(copy);
    return good;
}

bool ptm_faults_planned(const struct ptm_cpu *p)
{
    return every_bytes != 0 || p->slow.overflow_index < nr_planned;
}

/* The same generator as for the PMI's skid; each CPU has its own. */
static uint64_t next_random(struct ptm_slow *s, uint64_t most)
{
    if (s->overflow_state == 0)
        s->overflow_state = ptm_random_seed();
    s->overflow_state = s->overflow_state * 6364136223846793005ull + 1442695040888963407ull;
    return 1 + (s->overflow_state >> 33) % most;
}

void ptm_overflow_plan(struct ptm_cpu *p)
{
    struct ptm_slow *s = &p->slow;
    if (s->overflow_at != 0 && s->overflow_at != NEVER)
        return;
    s->overflow_at = NEVER;
    if (every_bytes != 0) {
        s->overflow_at = ptm_trace_offset(p) + next_random(s, 2 * every_bytes);
        s->overflow_left = next_random(s, every_length);
    } else if (s->overflow_index < nr_planned) {
        s->overflow_at = plan[s->overflow_index].at;
        s->overflow_left = plan[s->overflow_index].length;
    }
    ptm_output_limit(p);
}

static void overflow_begin(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->slow.overflow = true;
    p->slow.overflows++;
    p->slow.overflow_index++;
    ptm_tnt_drop(p);
    ptm_slow_update(p);
}

/*
 * OVF, then FUP where PacketEn = 1; else a TIP.PGE comes when it comes. What follows is compressed against nothing that
 * was lost.
 */
void ptm_overflow_end(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct packet packet = {};
    bool traced = (p->hot & PTM_HOT_BRANCH) != 0;
    packet.kind = PT_PACKET_OVF;
    ptm_timing_lose(cpu);
    p->slow.overflow = false;
    p->slow.overflow_at = NEVER;
    p->slow.ip_uncompressed = true;
    p->retstack_depth = 0;
    ptm_list_overflow(cpu, traced ? ip : 0);
    ptm_put(cpu, &packet);
    if (traced)
        ptm_put_ip(cpu, PT_PACKET_FUP, ip);
    ptm_overflow_plan(p);
    ptm_slow_update(p);
}

/*
 * A branch while packets are lost; the state is its target's. The manual does not say how a decoder learns of a mode
 * that has changed meanwhile: the overflow lasts until the mode is again the one that was sent last, or until PacketEn
 * is 0 (then MODE.Exec precedes the TIP.PGE).
 */
void ptm_overflow_branch(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_timing_lose(cpu);
    if (p->slow.overflow_left > 1) {
        p->slow.overflow_left--;
        return;
    }
    if (!(p->hot & PTM_HOT_BRANCH) || (p->mode_known && p->mode_sent == ptm_mode(cpu)))
        ptm_overflow_end(cpu, ip);
}

bool ptm_packet_before(BX_CPU_C *cpu, enum packet_kind kind)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!p->slow.overflow && ptm_trace_offset(p) >= p->slow.overflow_at)
        overflow_begin(cpu);
    if (p->slow.overflow)
        return false;
    ptm_timing_before(cpu, kind);
    if (!p->slow.overflow && ptm_trace_offset(p) >= p->slow.overflow_at)
        overflow_begin(cpu); /* after the timing packets */
    return !p->slow.overflow;
}
