#!/bin/bash
# The same guest (tests/guests/probe.c) on the bare emulated CPU, under the hypervisor, and traced: what it sees must be the
# same but for what docs/visible.md lists.
. tests/system/lib.sh

# visible TRACED: the names of lines that may differ, as a pattern; each is a line of docs/visible.md.
visible() {
    local list=(
        'cpuid_ecx_0000000100000000'            # VMX
        'cpuid_ebx_0000000700000000'            # Intel PT
        'cpuid_e[abcd]x_000000140000000[01]'    # Intel PT's leaf
        'cpuid_ecx_0000000d00000001|cpuid_e[ac]x_0000000d00000008|wrmsr_xss_pt' # its XSAVE state
        '(rdmsr|rdmsr_fault|rdmsr_upper_halves)_00000000000000(3a|9b)' # IA32_FEATURE_CONTROL, IA32_SMM_MONITOR_CTL
        '(rdmsr|rdmsr_fault|rdmsr_upper_halves)_00000000000004(8.|9.)' # IA32_VMX_*
        '(rdmsr|rdmsr_fault|rdmsr_upper_halves)_00000000000005(6.|7.|8.)|wrmsr_rtit_ctl' # IA32_RTIT_*
        'cr4_set_vmxe'                          # a reserved bit without VMX
        'reserved_000000000000000[012]'         # our memory
    )
    [ "$1" = traced ] && list+=(
        'apic_lvtpc'                            # reads as ours
        '(x2)?apic_svr_disabled'                # stays software-enabled
        'pci(_bar0)?_0000000000000002|nic_000000000000000[012]' # the channel's NIC
    )
    local IFS='|'
    echo "^probe: (${list[*]}) "
}

# seen BOOT: what the guest printed. The value of CR4 follows the line that says whether setting VMXE faulted.
seen() {
    tr -d '\r' <"$work/$1/console.txt" | sed -n '/^probe:/p' | sed '/^probe: cr4_set_vmxe /{n;d;}'
}

# alike NAME ONE OTHER PATTERN
alike() {
    local difference
    difference=$(diff <(seen "$2" | grep -Ev "$4") <(seen "$3" | grep -Ev "$4"))
    if [ -z "$difference" ]; then
        pass "$1 ($(seen "$2" | wc -l) lines)"
    else
        fail "$1" "$difference"
    fi
}

check 'the probe runs on the bare CPU' boot_bare bare build/guests/probe.bzImage ''
console_has 'it comes to its end there' bare 'probe: done'
CHANNEL=none check 'the probe runs untraced' boot_guest untraced probe 'pt=off channel=none'
console_has 'it comes to its end there' untraced 'probe: done'
check 'the probe runs traced' boot_guest traced probe ''
console_has 'it comes to its end there' traced 'probe: done'
alike 'the hypervisor differs from the bare CPU in what it lists only' bare untraced "$(visible untraced)"
alike 'so it does while tracing' bare traced "$(visible traced)"
exact 'decoded branches equal the truth, NMIs and single steps among them' traced
done_testing
