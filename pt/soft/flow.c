/* Kind: core */
/* Soft PT: the packets of each instruction and event, by the rows of the manual's table. */
#include "pt/rtit.h"
#include "pt/soft/parts.h"

/* The trace ends for a reason other than the guest's control flow: FUP gives the IP. */
static void trace_ends(struct soft_pt *pt)
{
    soft_tnt_flush(pt);
    soft_put_ip(pt, PT_PACKET_FUP, pt->at.ip);
    soft_put_pgd(pt);
}

/* A branch or event was added to the trace. */
static void count_branch(struct soft_pt *pt)
{
    if (pt->branches_left == 0 || --pt->branches_left != 0)
        return;
    trace_ends(pt);
    soft_trace_stop(pt);
}

static void trace_on(struct soft_pt *pt, const struct soft_context *at)
{
    const bool due = pt->packet_bytes == 0;

    pt->running = true;
    pt->filter_en = !soft_has_filter(pt);
    pt->mode_known = false;
    pt->nr_returns = 0;
    const bool stop = soft_enables_at(pt, at, at->ip);
    if (!due) {
        soft_put_tsc(pt);
        soft_put_pip(pt); /* as after a VM entry: CR3 may have changed while it was not traced */
    }
    if (soft_packet_en(pt)) {
        soft_put_mode(pt, true);
        soft_put_ip(pt, PT_PACKET_TIP_PGE, at->ip);
    }
    if (due)
        soft_put_psb(pt);
    if (stop)
        soft_trace_stop(pt);
}

void soft_pt_trace_off(struct soft_pt *pt)
{
    if (soft_packet_en(pt))
        trace_ends(pt);
    pt->running = false;
}

/* source: the IP for a FUP, or NULL. tip: false for MOV to CR3, for which TraceStop is evaluated at the instruction's
 * own address. */
static void transfer(struct soft_pt *pt, const struct soft_context *to, const uint64_t *source, bool new_cr3, bool tip)
{
    const uint64_t stop_ip = tip ? to->ip : pt->at.ip;
    const bool before = soft_packet_en(pt), stop = soft_enables_at(pt, to, stop_ip), after = soft_packet_en(pt);

    if (!soft_trigger_en(pt))
        return;
    soft_tnt_flush(pt);
    if (before && source)
        soft_put_ip(pt, PT_PACKET_FUP, *source);
    if (new_cr3)
        soft_put_pip(pt);
    if (after)
        soft_put_mode(pt, false);
    if (before && after) {
        if (tip)
            soft_put_ip(pt, PT_PACKET_TIP, to->ip);
    } else if (after) {
        pt->nr_returns = 0;
        soft_put_ip(pt, PT_PACKET_TIP_PGE, to->ip);
    } else if (before && pt->context_en) {
        soft_put_ip(pt, PT_PACKET_TIP_PGD, to->ip);
    } else if (before) {
        soft_put_pgd(pt);
    }
    if (stop)
        soft_trace_stop(pt);
    soft_psb_if_due(pt);
}

void soft_pt_delivered(struct soft_pt *pt, const struct soft_context *to)
{
    const uint64_t from = pt->at.ip;

    transfer(pt, to, &from, to->cr3 != pt->at.cr3, true);
    if (soft_packet_en(pt))
        count_branch(pt);
}

static void call_push(struct soft_pt *pt, uint64_t next)
{
    pt->returns[pt->next_return++ % SOFT_RETURNS] = next;
    if (pt->nr_returns < SOFT_RETURNS)
        pt->nr_returns++;
}

/* "RET Compression": a RET to the instruction after its CALL is a taken TNT bit. Any other RET empties the stack, which
 * is right for decoders that pop an entry then and for those that do not. */
static bool return_compressed(struct soft_pt *pt, uint64_t to)
{
    if ((pt->ctl & RTIT_CTL_DIS_RETC) || pt->nr_returns == 0)
        return false;
    if (pt->returns[--pt->next_return % SOFT_RETURNS] != to) {
        pt->nr_returns = 0;
        return false;
    }
    pt->nr_returns--;
    return true;
}

/* bit: the branch is a taken TNT bit; target: it is a TIP. */
static void near_taken(struct soft_pt *pt, const struct soft_context *to, bool bit, bool target)
{
    const bool before = soft_packet_en(pt), stop = soft_enables_at(pt, to, to->ip), after = soft_packet_en(pt);

    if (before && after && bit) {
        soft_put_tnt(pt, true);
    } else if (before && after && target) {
        soft_tnt_flush(pt);
        soft_put_ip(pt, PT_PACKET_TIP, to->ip);
        soft_psb_if_due(pt);
    } else if (before && !after) {
        soft_tnt_flush(pt);
        if (bit)
            soft_put_pgd(pt);
        else
            soft_put_ip(pt, PT_PACKET_TIP_PGD, to->ip);
        soft_psb_if_due(pt);
    } else if (!before && after) {
        pt->nr_returns = 0;
        soft_put_mode(pt, false);
        soft_put_ip(pt, PT_PACKET_TIP_PGE, to->ip);
        soft_psb_if_due(pt);
    }
    if (stop)
        soft_trace_stop(pt);
}

static void conditional(struct soft_pt *pt, const struct soft_context *to, bool taken)
{
    if (taken) {
        near_taken(pt, to, true, false);
        return;
    }
    pt->at = *to;
    if (soft_packet_en(pt))
        soft_put_tnt(pt, false);
}

static void branch(struct soft_pt *pt, const struct instruction *instruction, const struct soft_context *to)
{
    const uint64_t from = pt->at.ip,
                   next = to->cs_l ? from + instruction->length : (uint32_t)(from + instruction->length);
    const bool new_cr3 = to->cr3 != pt->at.cr3;

    switch (instruction->kind) {
    case INSTRUCTION_JCC:
        conditional(pt, to, to->ip != next);
        break;
    case INSTRUCTION_CALL_DIRECT:
    case INSTRUCTION_CALL_INDIRECT:
        if (to->ip != next || instruction->kind == INSTRUCTION_CALL_INDIRECT)
            call_push(pt, next);
        near_taken(pt, to, false, instruction->kind == INSTRUCTION_CALL_INDIRECT);
        break;
    case INSTRUCTION_JMP_DIRECT:
        near_taken(pt, to, false, false);
        break;
    case INSTRUCTION_JMP_INDIRECT:
        near_taken(pt, to, false, true);
        break;
    case INSTRUCTION_RET: {
        const bool bit = return_compressed(pt, to->ip);

        near_taken(pt, to, bit, !bit);
        break;
    }
    case INSTRUCTION_FAR_CALL:
        if (instruction->opcode == OPCODE_INTO && to->ip == next) /* OF was clear */
            pt->at = *to;
        else
            transfer(pt, to, instruction_is_interrupt(instruction) ? &from : NULL, new_cr3, true);
        break;
    case INSTRUCTION_FAR_RETURN:
    case INSTRUCTION_FAR_JUMP:
        transfer(pt, to, NULL, new_cr3, true);
        break;
    default:
        break;
    }
}

void soft_pt_executed(struct soft_pt *pt, const struct instruction *instruction, const struct soft_context *to)
{
    if (instruction->kind == INSTRUCTION_PLAIN || instruction->kind >= INSTRUCTION_VM_ENTRY) {
        if (instruction->kind == INSTRUCTION_MOV_CR3)
            transfer(pt, to, NULL, true, false);
        pt->at = *to;
        return;
    }
    const bool traced = soft_packet_en(pt);

    branch(pt, instruction, to);
    if (traced && soft_packet_en(pt))
        count_branch(pt);
}

void soft_pt_step_begin(struct soft_pt *pt, const struct soft_context *at)
{
    if (!(pt->ctl & RTIT_CTL_TRACE_EN))
        return;
    if (!pt->running)
        trace_on(pt, at);
    else if ((at->ip != pt->at.ip || at->user != pt->at.user) && !soft_packet_en(pt)) /* it ran without being stepped */
        transfer(pt, at, NULL, at->cr3 != pt->at.cr3, true);
    else if (at->cr3 != pt->at.cr3) /* root mode has loaded it for the guest */
        transfer(pt, at, NULL, true, false);
    else
        pt->at = *at;
}
