#!/bin/bash
# What the self-test finds where something is missing, and the remedy that it names: each thing is taken away from an emulated machine by
# itself. In the emulator what VMX and Intel PT need, in QEMU without KVM what the wire and the platform need.
. tests/system/lib.sh
. tests/rig/boot_lib.sh
guard_children
ended='selftest: done'

# image NAME OPTIONS
image() {
    ELF=build/undertrace.elf KERNEL='' INITRD='' CMDLINE='' OPTIONS="selftest=on $2" tests/rig/iso.sh "$work/$1.iso"
}

# said NAME WEIGHT WHAT REMEDY: a finding and its remedy.
said() {
    local text
    text=$(tr -d '\r' <"$work/$1/console.txt" | grep -aF -A 1 "selftest: finding: $2: $3" | tail -n 1)
    case $text in
    "undertrace: selftest: remedy: "*"$4"*) pass "$1: $3: $4" ;;
    *) fail "$1: $3: $4" "$(grep -a 'selftest:' "$work/$1/console.txt" | tr -d '\r')" ;;
    esac
}

findings() {
    grep -ac 'selftest: finding:' "$work/$1/console.txt"
}

# in_emulator NAME: without a card's wire, which other lines of this file have; BIOS and PTMODEL, CPU as boot.sh has them.
in_emulator() {
    image "$1" channel=none
    CHANNEL=none MEMORY=256 UNTIL=$ended ISO=$work/$1.iso check "$1: the self-test ends" tests/rig/boot.sh "$work/$1"
}

in_emulator whole
console_has 'a whole machine has VMX' whole 'selftest: VMX: yes, with all required features'
console_has 'and Intel PT' whole 'selftest: Intel PT: yes, also in VMX operation'
said whole 'no channel' 'the channel is switched off (channel=none)' 'remove channel=none'
same 'and nothing else is found' "$(findings whole)" 1

CPU=athlon64_clawhammer in_emulator amd
said amd 'no hypervisor' "this is not an Intel CPU (this CPU has no VMX" 'another CPU'
CPU=core2_penryn_t9600 in_emulator no_ept
said no_ept 'no hypervisor' "this CPU's VMX lacks a required feature (this CPU's VMX lacks the secondary processor-based control \"enable EPT\")" 'another CPU'
console_has 'the verdict' no_ept 'selftest: this machine cannot be traced: our hypervisor cannot run on it'
PTMODEL='profile=skylake, vmxlocked=1' in_emulator locked
said locked 'no hypervisor' 'the firmware has disabled VMX and locked the setting' 'enable "Intel Virtualization Technology"'
PTMODEL=profile=none in_emulator no_pt
said no_pt 'no Intel PT' 'this CPU has no Intel PT (CPUID.07H:EBX[25] is 0)' 'pt=soft'
console_has 'the verdict' no_pt "selftest: this machine cannot be traced by Intel PT, but by single-stepping"
console_has 'not what soft PT would do' no_pt 'selftest: Intel PT: this CPU has no Intel PT'
PTMODEL=profile=novmxpt in_emulator no_vmx_pt
said no_vmx_pt 'no Intel PT' 'this CPU does not allow Intel PT in VMX operation (IA32_VMX_MISC[14] is 0)' 'pt=soft'
# A single range at 128 MiB, no privilege level enabled: IA32_RTIT_OUTPUT_BASE, _MASK_PTRS, IA32_RTIT_CTL.TraceEn.
FIRST=$'wrmsr 0x560 0x8000000\nwrmsr 0x561 0xfff\nwrmsr 0x570 1' in_emulator owned
said owned 'no Intel PT' 'Intel PT is already in use by firmware or a debug probe (IA32_RTIT_CTL.TraceEn is 1)' '"Processor Trace"'
PTMODEL='profile=custom, cpuid14=1:f:4:0' in_emulator no_topa
said no_topa note "this CPU's Intel PT does not support ToPA" 'pt.scheme=auto uses the single-range scheme'
PTMODEL='profile=custom, cpuid14=1:f:1:0' in_emulator one_region
said one_region note "this CPU's Intel PT supports ToPA tables with a single region only" 'pt.scheme=auto uses one region at a time'
PTMODEL='profile=custom, cpuid14=1:f:0:0' in_emulator no_output
said no_output 'no Intel PT' "this CPU's Intel PT cannot write to memory" 'pt=soft'

# As one file, and beside what is known of such a processor: the emulated one is a Skylake. Once as it is, once without MTC.
for boot in same other; do
    image "wire_$boot" ''
    [ "$boot" = same ] && model=profile=skylake || model='profile=custom, cpuid14=1:7:7:0'
    PTMODEL=$model QUIET=3 MEMORY=256 ISO=$work/wire_$boot.iso tests/rig/boot.sh "$work/wire_$boot" 2>/dev/null
    build/undertrace hardware "$work/wire_$boot/capture" -o "$work/$boot.txt" >"$work/$boot.out"
    same "hardware: the status of the $boot processor" $? "$([ "$boot" = same ] && echo 0 || echo 2)"
    check 'the file says the same as the capture' cmp <(build/undertrace hardware "$work/$boot.txt") "$work/$boot.out"
    check 'with what the self-test has said' grep -q '^  selftest: this machine can be traced, and its trace can be sent$' "$work/$boot.out"
done
same 'no difference' "$(tail -n 1 "$work/same.out")" 'no difference from Skylake'
same 'the one difference' "$(grep 'differs from' "$work/other.out" | tr -s ' ')" ' MTC packets no differs from Skylake: yes'
same 'the registers of VMX are in it' "$(grep -c '^log selftest: registers: IA32_FEATURE_CONTROL 5 VMX basic ' "$work/same.txt")" 1
same 'its last line says that it is whole' "$(tail -n 1 "$work/same.txt")" end
head -c 500 "$work/same.txt" >"$work/cut.txt"
build/undertrace hardware "$work/cut.txt" >"$work/cut.out" 2>"$work/cut.err"
same 'a file that was cut is refused, not compared' "$? $(cat "$work/cut.out" "$work/cut.err")" \
    "1 undertrace: $work/cut.txt: is truncated: its last line (end) is missing; copy it again"
build/undertrace hardware Makefile >/dev/null 2>"$work/refused.txt"
same 'another file is refused' "$? $(cat "$work/refused.txt")" '1 undertrace: Makefile: is neither a capture nor a file that undertrace hardware has written'

# in_qemu NAME OPTIONS [WORDS...]: until the end; COMMAND: the monitor's, before anything runs.
in_qemu() {
    local name=$1 options=$2 dir=$work/$1 spent
    shift 2
    mkdir -p "$dir"
    : >"$dir/console.txt"
    image "$name" "$options"
    mkfifo "$dir/monitor"
    exec 9<>"$dir/monitor"
    qemu-system-x86_64 -S -nodefaults -accel tcg -machine "${MACHINE:-pc}" -cpu max -m 256 -display none -vga std -no-reboot \
        -monitor stdio -cdrom "$work/$name.iso" -serial "file:$dir/console.txt" "$@" <"$dir/monitor" >"$dir/qemu.log" 2>&1 &
    emulator=$!
    printf '%s\n' ${COMMAND:+"$COMMAND"} cont >&9
    until grep -qaF "$ended" "$dir/console.txt"; do
        spent=$(awk '{ sub(/.*\) /, ""); print int(($12 + $13) / 100) }' "/proc/$emulator/stat" 2>/dev/null) || spent=9999
        [ "${spent:-9999}" -lt 600 ] || break
        sleep 0.1
    done
    kill -TERM "$emulator"
    wait "$emulator" 2>/dev/null
    emulator=
    exec 9>&-
    console_has "$name: the self-test ends" "$name" "$ended"
}

card='-netdev user,id=wire -device e1000e,netdev=wire,id=card'
# shellcheck disable=SC2086 # lists of words
{
    in_qemu no_card 'channel=auto'
    said no_card 'no channel' 'no supported network card' 'docs/hardware.md'
    said no_card note 'this is a virtual machine, run by another hypervisor (TCGTCGTCGTCG)' 'not in a virtual machine'
    said no_card 'no hypervisor' 'the outer hypervisor offers no VMX that we can use' 'not in a virtual machine'
    COMMAND='set_link wire off' in_qemu no_link 'net.wait=2' $card
    said no_link 'no channel' 'the card has no link' 'connect this card by a cable'
    in_qemu no_peer 'net.wait=2 net.peer=192.168.7.7' $card
    said no_peer 'no channel' "the receiver's address does not answer" 'net.peer='
    in_qemu no_receiver "net.wait=2 net.port=$(free_port)" $card
    said no_receiver 'no channel' 'no receiver answers' 'start "undertrace receive" first'
    in_qemu no_start 'net.mtu=9500' $card
    said no_start 'no channel' "the channel's device does not start" 'the option named in that line'
    MACHINE=q35 in_qemu vtd channel=none -device intel-iommu
    said vtd note 'VT-d can protect our memory from devices, but a boot leaves it off (it is left to the guest' 'add vtd=on'
    MACHINE=q35 in_qemu vtd_off 'channel=none vtd=off' -device intel-iommu
    said vtd_off note 'the machine has DMA remapping (VT-d), which is hidden from the guest' 'channel=uart'
    # GCMD.TE of its only unit, when all is loaded: without tables for it the card would reach no memory.
    MACHINE=q35 LAST='write_dword 0xfed90018 0x80000000' in_qemu vtd_on "net.wait=2 net.port=$(free_port)" -device intel-iommu $card
    console_has 'what firmware left on is off' vtd_on 'VT-d: switched off 1 of 1 units, which firmware had left on'
    said vtd_on 'no channel' 'no receiver answers' 'start "undertrace receive" first'
}
done_testing
