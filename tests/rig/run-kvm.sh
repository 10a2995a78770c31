#!/bin/bash
# The ISO under QEMU/KVM with nested VMX.
#
# usage: run-kvm.sh check      exit status 2, and one message, where this machine cannot do it
#        run-kvm.sh run        boots build/undertrace.iso; the console is build/run-kvm/console.txt and the terminal
set -u

build=${BUILD:-build}

lacks() {
    echo "run-kvm: $*" >&2
    echo "run-kvm: make run needs neither KVM nor an Intel CPU: it does the same in an emulator, with Intel PT" >&2
    exit 2
}

check() {
    grep -qw vmx /proc/cpuinfo || lacks "this machine's CPU offers no VMX ($(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo |
        head -n 1)); nested VMX needs an Intel CPU with VMX on"
    [ -e /dev/kvm ] || lacks 'there is no /dev/kvm: load the module kvm_intel'
    [ -r /dev/kvm ] && [ -w /dev/kvm ] || lacks 'you may not use /dev/kvm: join the group kvm, or run as root'
    case $(cat /sys/module/kvm_intel/parameters/nested 2>/dev/null) in
    Y | 1) ;;
    *) lacks 'nested VMX is off: load kvm_intel with nested=1' ;;
    esac
}

run() {
    local dir=$build/run-kvm
    mkdir -p "$dir"
    timeout "${BACKSTOP:-7200}" qemu-system-x86_64 -enable-kvm -cpu host -m 1024 -display none -monitor none -no-reboot \
        -net none -cdrom "$build/undertrace.iso" -serial stdio </dev/null | tee "$dir/console.txt"
    local status=${PIPESTATUS[0]}
    [ "$status" -eq 0 ] || {
        echo "run-kvm: QEMU ended with status $status before the guest powered off" >&2
        exit 1
    }
    grep -q 'undertrace: ' "$dir/console.txt" || {
        echo 'run-kvm: the hypervisor said nothing' >&2
        exit 1
    }
}

case "${1:-}" in
check) check ;;
run) run ;;
*)
    echo 'usage: run-kvm.sh check|run' >&2
    exit 1
    ;;
esac
