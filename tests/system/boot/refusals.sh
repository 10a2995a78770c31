#!/bin/bash
# What cannot be done is refused in one clear message on the console; without Intel PT the guest still runs.
. tests/system/lib.sh

export CHANNEL=none MEMORY=256
guest=build/guests/branches.bzImage

# refused NAME TEXT: boots with the remaining arguments of `boot`, and waits for the text.
refused() {
    local name=$1 text=$2
    shift 2
    UNTIL="undertrace: $text" check "$name: \"$text\"" boot "$@"
}

export CPU=corei7_skylake_x
refused 'an unknown option' 'bad option "pt.regoin=1M": expected' option "$guest" '' '' 'pt.regoin=1M'
refused 'a bad value' 'bad option "pt.regions=2": expected a number from 4 to 4096' value "$guest" '' '' 'pt.regions=2'
refused 'an unknown policy' 'bad option "policy=lose": expected stall, drop or ring' policy "$guest" '' '' 'policy=lose'
refused 'a scheme with too many regions' 'pt.regions= is too large: pt.scheme=single takes at most 120 regions' many \
    "$guest" '' '' 'pt.scheme=single pt.regions=121'
PTMODEL='profile=broadwell, vmxmisc14=1' refused 'a table that the CPU does not have' \
    "this CPU's ToPA tables hold only one region (CPUID.14H:ECX[1] is 0), use pt.scheme=single" mentry "$guest" '' '' \
    'pt.scheme=topa'
PTMODEL='profile=broadwell, vmxmisc14=1' refused 'a range that the CPU does not have' \
    "this CPU's Intel PT has no single-range output (CPUID.14H:ECX[2] is 0)" range "$guest" '' '' 'pt.scheme=range'
refused 'no kernel' 'no kernel: expected "module2 FILE kernel COMMAND-LINE"' no_kernel '' '' '' ''
refused 'a kernel that is no bzImage' 'kernel: not a bzImage: no boot flag AA55H' no_bzimage Makefile '' '' ''
MEMORY=32 refused 'too little memory' 'too little memory' memory "$guest" '' '' 'pt.region=4M pt.regions=16'

TABLES=$(tests/rig/tables.sh "$work/tables" 0 | sed 's/.* //') EXCEPT=APIC refused 'no list of CPUs' \
    'no VMX: ACPI has no complete list of the CPUs (MADT), and one outside our control' no_list "$guest" '' '' ''

# runs NAME WHY BOOT OPTIONS: the guest boots all the same, and the console says why it is not traced.
runs() {
    check "$1: the guest boots all the same" boot "$3" "$guest" '' '' "$4"
    console_has "$1: the console says why" "$3" "undertrace: $2"
    console_has "$1: the guest is in order" "$3" 'branches: ok'
}

CPU=athlon64_clawhammer runs 'no VMX' \
    'no VMX: this CPU has no VMX (CPUID.1:ECX[5] is 0); the guest boots without the hypervisor' no_vmx ''
CPU=core2_penryn_t9600 runs 'no EPT' "no VMX: this CPU's VMX lacks the secondary processor-based control \"enable EPT\"" \
    no_ept ''
CPU=corei7_skylake_x
PTMODEL=profile=none runs 'no Intel PT' \
    'no Intel PT: this CPU has no Intel PT (CPUID.07H:EBX[25] is 0); the guest boots without tracing' no_pt pt=cpu
PTMODEL=profile=novmxpt runs 'no Intel PT in VMX operation' \
    'no Intel PT: this CPU, or the hypervisor below, does not support Intel PT in VMX operation' no_vmx_pt pt=cpu
runs 'pt=off' 'no Intel PT: Intel PT is off by the option pt=off; the guest boots without tracing' off 'pt=off'
runs 'no channel' 'channel none' no_channel 'channel=none'
done_testing
