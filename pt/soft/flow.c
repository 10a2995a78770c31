/* Kind: core */
/* Soft PT: what each instruction and each event yields, by the rows of the manual's table. */
#include "pt/rtit.h"
#include "pt/soft/parts.h"

/* Not by what the guest does: a FUP tells where. */
static void trace_ends(struct soft_pt *pt)
{
    soft_tnt_flush(pt);
    soft_put_ip(pt, PT_PACKET_FUP, pt->at.ip);
    soft_put_pgd(pt);
}

/* One more branch or event is in the trace. */
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
        soft_put_pip(pt); /* as behind a VM entry: CR3 may have changed unseen */
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

/* source: the address that a FUP tells, where there is one. tip: not MOV to CR3, for which TraceStop looks at the
 * instruction's own address. */
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

/* A RET that goes where its CALL came from is a taken bit; one that does not empties the stack, which both those
 * decoders that pop then and those that do not agree with. */
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

/* bit: it is one taken TNT bit; target: TIP tells the target. */
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
        if (instruction->opcode == OPCODE_INTO && to->ip == next) /* it has found nothing */
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
    else if ((at->ip != pt->at.ip || at->user != pt->at.user) && !soft_packet_en(pt)) /* it has run on unseen */
        transfer(pt, at, NULL, at->cr3 != pt->at.cr3, true);
    else if (at->cr3 != pt->at.cr3) /* root has moved to it for the guest */
        transfer(pt, at, NULL, true, false);
    else
        pt->at = *at;
}
