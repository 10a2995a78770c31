/*
 * The model's configuration: the "ptmodel" line of bochsrc, the profiles, CPUID, and the CPU's reset.
 *
 * Source: SDM "Detection of Intel Processor Trace" (36.3.1), Table 36-11 (CPUID leaf 14H).
 */
#include <errno.h>
#include <unistd.h>

#include "pt_internal.h"

#include "pc_system.h"

static const uint64_t ALL_BRANCHES = ~0ull;

struct ptm_config ptm_config = {NULL, NULL, NULL, NULL, PTM_SCOPE_NON_ROOT, 0, ALL_BRANCHES, 0, ALL_BRANCHES, 0, false, 0, false, 0, false, false, 1, 0};

static bool set_number(uint64_t *number, const char *text)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == 0;
}

static bool set_profile(const char *name)
{
    ptm_config.profile = ptm_profile_find(name);
    return ptm_config.profile != NULL;
}

/* The words that are numbers: one of the pointers is set. */
static bool set_number_option(const char *name, uint64_t number)
{
    const struct {
        const char *name;
        uint64_t *wide;
        uint32_t *narrow;
        bool *flag;
    } words[] = {
        {"first", &ptm_config.first_branch, NULL, NULL},
        {"last", &ptm_config.last_branch, NULL, NULL},
        {"from", &ptm_config.list_from, NULL, NULL},
        {"upto", &ptm_config.list_upto, NULL, NULL},
        {"skid", NULL, &ptm_config.skid_bytes, NULL},
        {"second", NULL, &ptm_config.second_bytes, NULL},
        {"late", NULL, &ptm_config.late_ticks, NULL},
        {"spoil", NULL, &ptm_config.spoil, NULL},
        {"ahead", NULL, &ptm_config.ahead, NULL},
        {"seed", NULL, &ptm_config.seed, NULL},
        {"lost", NULL, NULL, &ptm_config.lost_pmis},
        {"update48", NULL, NULL, &ptm_config.update_48},
        {"deferred", NULL, NULL, &ptm_config.deferred_tips},
        {"pmu", NULL, &ptm_config.pmu_version, NULL},
        {"pebs", NULL, NULL, &ptm_config.pebs},
        {"leaks", NULL, NULL, &ptm_config.leaks},
        {"hold", NULL, NULL, &ptm_config.hold_pmis},
        {"keepinit", NULL, NULL, &ptm_config.keep_init},
        {"tsc_skew", &ptm_config.tsc_skew, NULL, NULL},
        {"times", NULL, NULL, &ptm_config.times},
        {"vmxlocked", NULL, NULL, &ptm_config.vmx_locked},
        {"loseinit", NULL, &ptm_config.lose_inits, NULL},
        {"x2apic", NULL, &ptm_config.x2apic, NULL},
        {"dmar", NULL, NULL, &ptm_config.dmar},
        {"unplug", &ptm_config.unplug, NULL, NULL},
    };
    for (size_t n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        if (strcmp(name, words[n].name) != 0)
            continue;
        if (words[n].wide != NULL)
            *words[n].wide = number;
        else if (words[n].narrow != NULL)
            *words[n].narrow = (uint32_t)number;
        else
            *words[n].flag = number != 0;
        if (strcmp(name, "second") == 0)
            ptm_config.second_pmi = true;
        if (strcmp(name, "pmu") == 0 && (number == 1 || number > 4))
            return false;
        if (strcmp(name, "x2apic") == 0 && number > PTM_X2APIC_LOCKED_APS)
            return false;
        return words[n].narrow == NULL || number <= UINT32_MAX;
    }
    return false;
}

static bool set_option(const char *name, const char *value)
{
    uint64_t number = 0;
    if (strcmp(name, "profile") == 0)
        return set_profile(value);
    if (strcmp(name, "truth") == 0) {
        ptm_config.truth_path = strdup(value);
        return true;
    }
    if (strcmp(name, "branches") == 0) {
        ptm_config.branches_path = strdup(value);
        return true;
    }
    if (strcmp(name, "beat") == 0) {
        ptm_config.beat_path = strdup(value);
        return true;
    }
    if (strcmp(name, "watch") == 0)
        return ptm_watch_option(value);
    if (strcmp(name, "scope") == 0) {
        ptm_config.scope = strcmp(value, "traced") == 0  ? PTM_SCOPE_TRACED
                           : strcmp(value, "guest") == 0 ? PTM_SCOPE_GUEST
                                                         : PTM_SCOPE_NON_ROOT;
        return ptm_config.scope != PTM_SCOPE_NON_ROOT || strcmp(value, "nonroot") == 0;
    }
    if (ptm_profile_set(&ptm_config.profile, name, value))
        return true;
    if (strcmp(name, "ovf") == 0)
        return ptm_faults_overflow_option(value);
    if (strcmp(name, "errata") == 0)
        return ptm_faults_errata_option(value);
    return set_number(&number, value) && set_number_option(name, number);
}

/* ptmodel: profile=skylake, the words of ptm_profile_set, truth=FILE, branches=FILE, scope=nonroot|guest|traced,
 * first=N, last=N, skid=BYTES, spoil=N, pmu=0|2|3|4, seed=N, ... */
static Bit32s options_parse(const char *context, int num_params, char *params[])
{
    for (int n = 1; n < num_params; n++) {
        char *value = strchr(params[n], '=');
        if (value != NULL)
            *value++ = 0;
        if (value == NULL || !set_option(params[n], value)) {
            fprintf(stderr,
                    "%s: ptmodel: '%s' with value '%s' is not understood; it takes "
                    "profile=broadwell|skylake|icelake|novmxpt|none|custom, "
                    "cpuid14=EAX:EBX:ECX:EDX:EAX1:EBX1, cpuid15=EAX:EBX:ECX, vmxmisc14=0|1, lip=0|1, hybrid=0|1|2, ip8=0|1, "
                    "vmxctl=0|1, vmxgpa=0|1, longtnt=0|1, xsave=0|1, early=BYTES, microcode=N, "
                    "truth=FILE, branches=FILE, scope=nonroot|guest|traced, first=N, last=N, skid=BYTES, second=BYTES, "
                    "late=TICKS, "
                    "times=0|1, vmxlocked=0|1, x2apic=0|1|2|3, dmar=0|1, lost=0|1, hold=0|1, keepinit=0|1, loseinit=N, beat=FILE, watch=PA:BYTES:FILE, ahead=N, "
                    "pmu=0|2|3|4, pebs=0|1, leaks=0|1, seed=N, unplug=TICKS, tsc_skew=TICKS, deferred=0|1, update48=0|1, "
                    "ovf=AT:LENGTH[+...]|every:BYTES:LENGTH, errata=bdm70[+skd022][+skl014]\n",
                    context, params[n], value ? value : "");
            exit(1);
        }
    }
    return 0;
}

void ptm_env_init(void)
{
    set_profile("none");
    SIM->register_addon_option("ptmodel", options_parse, NULL);
    atexit(ptm_truth_close);
}

void ptm_env_exit(void)
{
    ptm_truth_close();
    ptm_pmi_print(stderr);
    ptm_speculation_print(stderr);
    ptm_nmis_print(stderr);
    ptm_dmar_print(stderr);
}

/* A byte for each BEAT_TICKS of emulated time, so that an observer need not rely on the host's clock. */
static void beat(void *file)
{
    fputc('.', (FILE *)file);
    fflush((FILE *)file);
}

static void beat_start(void)
{
    static const uint32_t BEAT_TICKS = 100000000;
    FILE *file = fopen(ptm_config.beat_path, "wb");
    if (file != NULL)
        bx_pc_system.register_timer_ticks(file, beat, BEAT_TICKS, true, true, "ptmodel.beat");
}

/* The plug is pulled: nothing that the machine still holds gets out. The truth is what it had executed. */
static void unplugged(void *)
{
    ptm_truth_close();
    fprintf(stderr, "ptmodel: the plug was pulled at TSC %llu\n", (unsigned long long)ptm_tsc(BX_CPU(0)));
    fflush(NULL);
    _exit(0);
}

void ptm_unplug_start(void)
{
    if (ptm_config.unplug != 0)
        bx_pc_system.register_timer_ticks(NULL, unplugged, ptm_config.unplug, false, true, "ptmodel.unplug");
}

uint64_t ptm_tsc_skew(unsigned cpu)
{
    return cpu * ptm_config.tsc_skew;
}

unsigned ptm_random_seed(void)
{
    return ptm_config.seed != 0 ? ptm_config.seed : 1;
}

void ptm_cpu_init(BX_CPU_C *cpu)
{
    ptm_truth_open();
    if (cpu->bx_cpuid == 0 && ptm_config.beat_path != NULL)
        beat_start();
    if (cpu->bx_cpuid == 0)
        ptm_watch_start();
    if (cpu->bx_cpuid == 0)
        ptm_dmar_start();
    ptm_xsave_init(cpu);
    ptm_vmx_init(cpu);
    ptm_cpu_reset(cpu, BX_RESET_HARDWARE);
    cpu->ptm.hash = TRUTH_HASH_SEED;
}

/* 36.2.7.1: a reset clears the MSRs, or only TraceEn where CPUID.14H:EBX[2] says that they are kept across a warm reset
 * (at the first, all are 0); INIT changes none. The model's totals are kept. */
void ptm_cpu_reset(BX_CPU_C *cpu, unsigned type)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!p->in_init)
        ptm_truth_reset(cpu);
    if (type == BX_RESET_HARDWARE) {
        if (cpu->bx_cpuid == 0)
            ptm_dmar_reset();
        if (p->output_on)
            ptm_output_stop(cpu);
        if (!ptm_cap(ptm_config.profile, PTM_CAP_IP_FILTER))
            memset(&p->msr, 0, sizeof(p->msr));
        p->msr.ctl &= ~RTIT_CTL_TRACE_EN;
        p->context_en = p->filter_en = false;
        p->msr.output_mask_ptrs |= TOPA_PTRS_LOWER_ONES;
        memset(&p->pmu, 0, sizeof(p->pmu));
        p->pmi_waiting = false;
        p->nr_pmis = 0;
        p->early_int_at = ~0ull;
        p->output_on = false;
    }
    if (!p->output_on) {
        ptm_tnt_drop(p);
        p->window_offset += (uint64_t)(p->out - p->window);
        p->window = p->out = p->window_end = p->out_limit = p->nowhere;
    }
    p->in_vm_entry = p->in_vm_exit = false;
    p->sipi = 0;
    ptm_xsave_reset(cpu);
    p->in_vmx_transition = p->ctl_deferred = p->cr3_changed = false;
    if (type == BX_RESET_SOFTWARE && p->in_init)
        ptm_init_done(cpu);
    else
        ptm_enables_update(cpu);
}

void ptm_cpuid(BX_CPU_C *cpu, uint32_t leaf, uint32_t subleaf, struct cpuid_function_t *regs)
{
    const struct ptm_profile *profile = ptm_config.profile;
    ptm_apic_cpuid(cpu, leaf, subleaf, regs);
    if (!profile->pt)
        return;
    if (leaf == 0 && regs->eax < 0x15)
        regs->eax = 0x15;
    if (leaf == 0xa)
        ptm_pmu_cpuid(regs);
    if (leaf == 7 && subleaf == 0)
        regs->ebx |= 1u << 25;
    if (leaf == 0x15 && profile->cpuid15[0] != 0) {
        regs->eax = profile->cpuid15[0];
        regs->ebx = profile->cpuid15[1];
        regs->ecx = profile->cpuid15[2];
        regs->edx = 0;
    }
    if (leaf != 0x14 || subleaf > profile->cpuid14_0[0])
        return;
    const uint32_t *from = subleaf == 0 ? profile->cpuid14_0 : profile->cpuid14_1;
    regs->eax = from[0];
    regs->ebx = from[1];
    regs->ecx = subleaf == 0 ? ptm_leaf14_ecx(profile, cpu->bx_cpuid) : from[2];
    regs->edx = from[3];
}
