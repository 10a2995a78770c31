/*
 * Bochs's instrumentation hooks, bound to the PT model. The macros are expanded inside member functions of BX_CPU_C, so
 * they see the CPU's own state; those that the patch adds (bochs.patch) say so.
 */
#ifndef UNDERTRACE_INSTRUMENT_H
#define UNDERTRACE_INSTRUMENT_H

#include "pt_model.h"

class bxInstruction_c;

#define BX_INSTR_INIT_ENV() ptm_env_init()
#define BX_INSTR_EXIT_ENV() ptm_env_exit()
#define BX_INSTR_INITIALIZE(cpu_id) ptm_cpu_init(BX_CPU(cpu_id))
#define BX_INSTR_EXIT(cpu_id)
#define BX_INSTR_RESET(cpu_id, type) ptm_cpu_reset(BX_CPU_THIS, type)

/* Linear address of an offset in the code segment: 36.2.3.1, "linear IP". */
#define PTM_LIP(offset) BX_CPU_THIS_PTR get_laddr(BX_SEG_REG_CS, offset)

#define PTM_CONDITIONAL(branch_eip, new_eip, taken)                                                                    \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.hot)                                                                                   \
            ptm_conditional(BX_CPU_THIS, &BX_CPU_THIS_PTR ptm, PTM_LIP(branch_eip), PTM_LIP(new_eip), taken);          \
    }
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu_id, branch_eip, new_eip) PTM_CONDITIONAL(branch_eip, new_eip, true)
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu_id, branch_eip) PTM_CONDITIONAL(branch_eip, RIP, false)

#define BX_INSTR_UCNEAR_BRANCH(cpu_id, what, branch_eip, new_eip)                                                      \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.hot) {                                                                                 \
            if ((what) == BX_INSTR_IS_RET)                                                                             \
                ptm_return(BX_CPU_THIS, &BX_CPU_THIS_PTR ptm, PTM_LIP(branch_eip), PTM_LIP(new_eip));                  \
            else if ((what) == BX_INSTR_IS_CALL || (what) == BX_INSTR_IS_CALL_INDIRECT)                                \
                ptm_call(BX_CPU_THIS, &BX_CPU_THIS_PTR ptm, PTM_LIP(branch_eip), PTM_LIP((branch_eip) + i->ilen()),    \
                         PTM_LIP(new_eip), (what) == BX_INSTR_IS_CALL_INDIRECT);                                       \
            else                                                                                                       \
                ptm_jump(BX_CPU_THIS, &BX_CPU_THIS_PTR ptm, PTM_LIP(branch_eip), PTM_LIP(new_eip),                     \
                         (what) == BX_INSTR_IS_JMP_INDIRECT);                                                          \
        }                                                                                                              \
    }

/* Software interrupts are seen as events. far_branch.prev_laddr is the patch's. */
#define BX_INSTR_FAR_BRANCH(cpu_id, what, prev_cs, prev_eip, new_cs, new_eip)                                          \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.hot && (what) != BX_INSTR_IS_INT)                                                      \
            ptm_far_branch(BX_CPU_THIS, BX_CPU_THIS_PTR far_branch.prev_laddr);                                        \
    }

/* In BX_CPU_C::interrupt, before and (by the patch) after delivery. Software interrupts report the instruction itself;
 * for all others RIP is what is pushed. Table 36-24, "FUP Cases and IP Payload". */
#define BX_INSTR_INTERRUPT(cpu_id, vector)                                                                             \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.hot)                                                                                   \
            ptm_event_begin(BX_CPU_THIS, PTM_LIP(type >= BX_SOFTWARE_INTERRUPT ? BX_CPU_THIS_PTR prev_rip : RIP));     \
    }
#define BX_INSTR_INTERRUPT_DONE()                                                                                      \
    {                                                                                                                  \
        BX_CPU_THIS_PTR prev_rip = RIP; /* Bochs does not update it after an NMI */                                    \
        BX_CPU_THIS_PTR ptm.halt_icount = 0;                                                                           \
        if (BX_CPU_THIS_PTR ptm.hot)                                                                                   \
            ptm_event_done(BX_CPU_THIS);                                                                               \
        if (BX_CPU_THIS_PTR ptm.hw_interrupt)                                                                          \
            ptm_hw_interrupt_done(BX_CPU_THIS);                                                                        \
    }
#define BX_INSTR_EXCEPTION(cpu_id, vector, error_code) BX_CPU_THIS_PTR ptm.in_exception = true
#define BX_INSTR_HWINTERRUPT(cpu_id, vector, cs, eip) BX_CPU_THIS_PTR ptm.hw_interrupt = true

#define BX_INSTR_TLB_CNTRL(cpu_id, what, new_cr3)                                                                      \
    {                                                                                                                  \
        if ((what) == BX_INSTR_MOV_CR3)                                                                                \
            ptm_mov_cr3(BX_CPU_THIS);                                                                                  \
        else if ((what) == BX_INSTR_TASK_SWITCH)                                                                       \
            ptm_task_switch_cr3(BX_CPU_THIS);                                                                          \
        else if ((what) == BX_INSTR_CONTEXT_SWITCH)                                                                    \
            ptm_context_switch(BX_CPU_THIS);                                                                           \
    }

/* In BX_CPU_C::VMexit, before the guest's state is saved; trap-like exits report the next instruction. */
#define BX_INSTR_VMEXIT(cpu_id, reason, qualification)                                                                 \
    ptm_vmexit_begin(BX_CPU_THIS, reason,                                                                              \
                     PTM_LIP(IS_TRAP_LIKE_VMEXIT(((reason)&0xffff)) ? RIP : BX_CPU_THIS_PTR prev_rip))

/* In BX_CPU_C::wrmsr, which returns false for #GP. */
#define BX_INSTR_WRMSR(cpu_id, addr, value)                                                                            \
    {                                                                                                                  \
        enum ptm_access ptm_result = ptm_wrmsr(BX_CPU_THIS, addr, value);                                              \
        if (ptm_result != PTM_NOT_MINE)                                                                                \
            return ptm_result == PTM_DONE;                                                                             \
    }

/* In BX_CPU_C::enter_sleep_state. Row 33a: MWAIT to C0, whose hint is FH, stops no clock. */
#define BX_INSTR_HLT(cpu_id)                                                                                           \
    {                                                                                                                  \
        if (state == BX_ACTIVITY_STATE_HLT)                                                                            \
            BX_CPU_THIS_PTR ptm.halt_icount = BX_CPU_THIS_PTR icount + 1;                                              \
        if (state < BX_ACTIVITY_STATE_MWAIT || (EAX >> 4 & 0xf) != 0xf)                                                \
            ptm_halt(BX_CPU_THIS);                                                                                     \
    }
#define BX_INSTR_MWAIT(cpu_id, addr, len, flags)

#define BX_INSTR_REPEAT_ITERATION(cpu_id, i)                                                                           \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.hot & PTM_HOT_TRUTH)                                                                   \
            ptm_rep_iteration(&BX_CPU_THIS_PTR ptm, BX_CPU_THIS_PTR icount, BX_CPU_THIS_PTR prev_rip);                 \
    }

/* The patch's. */
#define BX_INSTR_RDMSR(index, msr)                                                                                     \
    {                                                                                                                  \
        uint64_t ptm_value;                                                                                            \
        enum ptm_access ptm_result = ptm_rdmsr(BX_CPU_THIS, index, &ptm_value);                                        \
        if (ptm_result == PTM_DONE)                                                                                    \
            *(msr) = ptm_value;                                                                                        \
        if (ptm_result != PTM_NOT_MINE)                                                                                \
            return ptm_result == PTM_DONE;                                                                             \
    }
#define BX_INSTR_RDPMC(i)                                                                                              \
    {                                                                                                                  \
        uint64_t ptm_value;                                                                                            \
        enum ptm_access ptm_result = ptm_rdpmc(BX_CPU_THIS, ECX, &ptm_value);                                          \
        if (ptm_result == PTM_FAULT)                                                                                   \
            exception(BX_GP_EXCEPTION, 0);                                                                             \
        if (ptm_result == PTM_DONE) {                                                                                  \
            RAX = GET32L(ptm_value);                                                                                   \
            RDX = GET32H(ptm_value);                                                                                   \
            BX_NEXT_INSTR(i);                                                                                          \
        }                                                                                                              \
    }
#define BX_INSTR_CPUID(function, subfunction, leaf) ptm_cpuid(BX_CPU_THIS, function, subfunction, leaf)
#define BX_INSTR_VMEXIT_DONE() ptm_vmexit_done(BX_CPU_THIS)
#define BX_INSTR_VMENTRY() ptm_vmentry(BX_CPU_THIS)
#define BX_INSTR_VMFAIL(error) ptm_vmfail(BX_CPU_THIS, error)
#define BX_INSTR_VMENTRY_WITHOUT_VMCS() ptm_vmentry_failed(BX_CPU_THIS)
#define BX_INSTR_VMPTRLD() ptm_vmptrld(BX_CPU_THIS)
#define BX_INSTR_VMXON() ptm_vmxon(BX_CPU_THIS)
#define BX_INSTR_SMI() ptm_smi(BX_CPU_THIS)
#define BX_INSTR_SIPI() ptm_sipi(BX_CPU_THIS)
#define BX_INSTR_INIT_SIGNAL() ptm_init_begin(BX_CPU_THIS)
/* A SIPI in non-root operation: Bochs would make the VM exit while it executes the CPU that sent it. */
#define BX_INSTR_SIPI_EXITS(vector)                                                                                    \
    {                                                                                                                  \
        BX_CPU_THIS_PTR ptm.sipi = PTM_SIPI | (uint32_t)(vector);                                                      \
        return;                                                                                                        \
    }
#define BX_INSTR_WAIT_FOR_SIPI()                                                                                       \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.sipi != 0)                                                                             \
            ptm_sipi_exit(BX_CPU_THIS);                                                                                \
    }
#define BX_INSTR_NMI_ARRIVES() ptm_nmi_arrives(BX_CPU_THIS)
#define BX_INSTR_INIT_KEPT() ptm_init_kept(BX_CPU_THIS)
#define BX_INSTR_TASK_COMMITS(by_event)                                                                                \
    {                                                                                                                  \
        if (BX_CPU_THIS_PTR ptm.hot)                                                                                   \
            ptm_task_commits(BX_CPU_THIS, by_event);                                                                   \
    }
#define BX_INSTR_RSM() ptm_rsm(BX_CPU_THIS)
#define BX_INSTR_RANDOM_SEED() ptm_random_seed()
#define BX_INSTR_TSC_SKEW() ptm_tsc_skew(BX_CPU_ID)
/* A device reads or writes memory. Zeros, since Bochs's cards follow no ones as lengths. */
#define BX_INSTR_DMA_READ(data, len)                                                                                   \
    {                                                                                                                  \
        if (ptm_dmar_blocks_dma()) {                                                                                   \
            memset(data, 0, len);                                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
    }
#define BX_INSTR_DMA_WRITE()                                                                                           \
    {                                                                                                                  \
        if (ptm_dmar_blocks_dma())                                                                                     \
            return;                                                                                                    \
    }

/* Members of BX_CPU_C: the model's state, and the methods that its table of XSAVE components takes. */
#define BX_INSTR_CPU_MEMBERS                                                                                           \
    struct ptm_cpu ptm = {};                                                                                           \
    BX_SMF bool ptm_xsave_in_use(void);                                                                                \
    BX_SMF void ptm_xsave(bxInstruction_c *i, bx_address offset);                                                      \
    BX_SMF void ptm_xrstor(bxInstruction_c *i, bx_address offset);                                                     \
    BX_SMF void ptm_xrstor_init(void);

/* In a VM entry's checks, where the controls are known, and where the guest's state is about to be loaded. */
#define BX_INSTR_VMENTRY_CONTROLS()                                                                                    \
    {                                                                                                                  \
        if (!ptm_vmentry_controls_valid(BX_CPU_THIS))                                                                  \
            return VMXERR_VMENTRY_INVALID_VM_CONTROL_FIELD;                                                            \
    }
#define BX_INSTR_VMENTRY_GUEST_STATE()                                                                                 \
    {                                                                                                                  \
        if (!ptm_vmentry_guest_valid(BX_CPU_THIS))                                                                     \
            return VMX_VMEXIT_VMENTRY_FAILURE_GUEST_STATE;                                                             \
    }

#ifdef PTM_ROOT_COUNTS
#define BX_INSTR_BEFORE_EXECUTION(cpu_id, i)                                                                           \
    {                                                                                                                  \
        if (!BX_CPU_THIS_PTR in_vmx_guest && BX_CPU_THIS_PTR ptm.entered)                                              \
            ptm_root_instruction(RIP);                                                                                 \
    }
#else
#define BX_INSTR_BEFORE_EXECUTION(cpu_id, i)
#endif

/* Not needed. */
#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)
#define BX_INSTR_OPCODE(cpu_id, i, opcode, len, is32, is64)
#define BX_INSTR_CLFLUSH(cpu_id, laddr, paddr)
#define BX_INSTR_CACHE_CNTRL(cpu_id, what)
#define BX_INSTR_PREFETCH_HINT(cpu_id, what, seg, offset)
#define BX_INSTR_AFTER_EXECUTION(cpu_id, i)
#define BX_INSTR_LIN_ACCESS(cpu_id, lin, phy, len, memtype, rw)
#define BX_INSTR_PHY_ACCESS(cpu_id, phy, len, memtype, rw)
#define BX_INSTR_INP(addr, len)
#define BX_INSTR_INP2(addr, len, val)
#define BX_INSTR_OUTP(addr, len, val)

#endif
