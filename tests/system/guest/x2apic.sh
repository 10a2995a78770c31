#!/bin/bash
# Firmware that hands the machine over in x2APIC mode, which some machines cannot leave. Without VT-d a guest cannot use
# that mode for devices' interrupts: where VT-d is hidden, it starts in xAPIC mode, or without the hypervisor.
. tests/system/lib.sh

export MEMORY=256 QUIET=3 MOST=20
TABLES=
on='profile=skylake, x2apic=1' locked='profile=skylake, x2apic=2' others='profile=skylake, x2apic=3'
table=$work/dmar.aml leaves='x2APIC mode: all CPUs leave it'
tests/rig/dmar.sh 5 0xfed90000 >"$table"

# smp NAME CPUS WORDS OPTIONS
smp() {
    CPUS=$2 boot "$1" build/guests/smp.bzImage '' "cpus=$2 stops=20 rounds=2000 $3" "$4"
}

# traced NAME CPUS WORDS OPTIONS LEAVES: all of it is as it was executed. LEAVES: how many lines say that the mode ends
traced() {
    check "$1: the guest runs to its end" smp "$1" "$2" "$3" "$4"
    console_has "$1: and finds itself in order" "$1" 'smp: ok'
    exact "$1: all branches equal the truth" "$1"
    same "$1: no gap" "$(jq '[(.ends // [.end])[] | .gaps] | add' "$work/$1/capture/meta.json")" 0
    same "$1: x2APIC mode ends before the guest starts, or not" "$(grep -a -c "$leaves" "$work/$1/console.txt")" "$5"
    clean_log "$1"
}

# VT-d is hidden: the guest starts in xAPIC mode on all CPUs. It stays there, or enters x2APIC mode again.
for cpus in 2 4; do
    TABLES=$table PTMODEL=$on traced xapic$cpus $cpus '' '' 1
done
TABLES=$table PTMODEL=$on traced again 2 x2apic '' 1
# There is no VT-d, or the guest has it: the mode is as firmware left it.
for cpus in 2 4; do PTMODEL=$on traced kept$cpus $cpus x2apic '' 0; done

# What firmware has programmed is there: interrupts of the 8259, NMIs, thermal events as SMIs, all software-enabled.
TABLES=$table PTMODEL=$on UNTIL='probe: apic_0000000000000370' check 'the probe reads its local APIC' \
    boot probe build/guests/probe.bzImage '' '' 'pt=off'
for line in 00000000000000f0=1ff 0000000000000350=700 0000000000000360=400 0000000000000330=200; do
    console_has "register ${line%=*}" probe "apic_${line%=*} 00000000$(printf %08x 0x"${line#*=}")"
done

# Locked. With a network card as the channel the guest has VT-d, but can remap only interrupts: whatever it does to the
# unit, DMA is as it was, and so is the trace, which a card sends.
export TABLES=$table PTMODEL=$locked
PTMODEL=$others traced visible 2 x2apic '' 0
console_has 'only another CPU is locked' visible "CPU 1 (APIC id 1): its x2APIC mode is locked, the first CPU's is not"
console_has 'DMAR stays visible' visible 'VT-d: the guest can remap interrupts, since it has to stay in x2APIC mode, but not DMA'
tests/rig/dmar.sh 1 0xfed90000@1 >"$work/io-apic.aml"
TABLES=$work/io-apic.aml PTMODEL="$locked, dmar=1" check 'a guest that drives the unit' boot_guest remaps remaps ''
console_has 'its interrupts arrive as its table says, and DMA remapping stays off' remaps 'remaps: ok'
exact 'all branches equal the truth' remaps
clean_log remaps
same 'the unit says so as well' "$(sed -n 's/^ptmodel: VT-d: //p' "$work/remaps/emulator.log")" \
    '4 interrupts remapped, 2 blocked, 5 invalidations; translation never enabled, protected memory never enabled'

# A unit that the hypervisor cannot reach could block the card: the guest boots without the hypervisor, as on bare metal.
tests/rig/dmar.sh 1 0xfed90000 0x1fed90000 >"$work/high.aml"
TABLES=$work/high.aml CHANNEL=none check 'a unit above 4 GiB: the guest boots' smp refused 2 x2apic ''
console_has 'without the hypervisor' refused \
    'no VMX: the guest has to stay in x2APIC mode, in which it needs VT-d, but not all remapping units can be kept from blocking the network card; the guest boots without the hypervisor'
console_has 'and what to do' refused 'use a serial line: channel=uart; or disable SGX and TDX in the firmware setup'
console_has 'and it works' refused 'smp: ok'
PTMODEL=$others TABLES=$work/high.aml CHANNEL=none check 'only another CPU is locked: the guest boots' \
    smp others 2 x2apic ''
console_has 'without the hypervisor, too' others 'no VMX: the guest has to stay in x2APIC mode, in which it needs VT-d'
console_has 'and works' others 'smp: ok'

# With a serial line, or with none, the guest has VT-d as it is.
CHANNEL=uart check 'locked, with a serial line: the guest runs to its end' smp uart 2 x2apic 'pt=off channel=uart vtd=on'
console_has 'and finds itself in order' uart 'smp: ok'
console_has 'vtd=on does not take it from the guest' uart \
    'VT-d: vtd=on, but our memory is not protected: the guest needs it, since it has to stay in x2APIC mode'
same 'nor is it hidden, or restricted' "$(grep -a -c 'VT-d: hidden\|x2APIC mode: all\|can remap' "$work/uart/console.txt")" 0
CHANNEL=uart PTMODEL=$others check 'only another CPU is locked, with a serial line: the guest runs to its end' \
    smp others-uart 2 x2apic 'pt=off channel=uart vtd=on'
console_has 'and finds itself in order' others-uart 'smp: ok'
same 'VT-d is not hidden' "$(grep -a -c 'VT-d: hidden\|x2APIC mode: all' "$work/others-uart/console.txt")" 0

# The self-test: a note, or the reason why there would be no hypervisor.
for tables in dmar:net high:net high:none; do
    TABLES=$work/${tables%:*}.aml CHANNEL=none UNTIL='selftest: done' check "the self-test ends: $tables" \
        boot "selftest $tables" '' '' '' "selftest=on channel=${tables#*:}"
done
console_has 'the self-test notes it' 'selftest dmar:net' \
    'selftest: finding: note: the guest has to stay in x2APIC mode, in which it needs VT-d'
console_has 'the self-test finds that' 'selftest high:net' \
    'selftest: finding: no hypervisor: the guest has to stay in x2APIC mode, in which it needs VT-d, but not all remapping units can be kept from blocking the network card (x2APIC mode is locked: IA32_XAPIC_DISABLE_STATUS[0]'
same 'not where the channel is no card' "$(grep -a -c 'finding: no hypervisor' "$work/selftest high:none/console.txt")" 0
done_testing
