#!/bin/bash
# The ISO under QEMU/KVM with nested VMX, received and reported as tests/rig/run.sh does it in the emulator.
#
# usage: run-kvm.sh check       exit status 77, and one message, where this machine cannot do it
#        run-kvm.sh run         boot build/undertrace.iso, which is there
#        run-kvm.sh all WORDS   check, then `make run-kvm WORDS`; exits with the 77 of the check, which make would turn into 2
#
# from the environment, all optional:
#   ISO        the image (build/undertrace.iso); DIR: what comes of it (build/run-kvm), emptied first
#   OPTIONS    the hypervisor's, which are on the image: channel= and net.port= concern this side, too
#   BARE       1: no hypervisor is on the image, nothing is received
#   CPUS, MEMORY   virtual CPUs (1), MiB (1024)
#   LIVE       1: the receiver's progress goes to the terminal instead of DIR/receive.log
#   QUIET      seconds of CPU time that QEMU may take without a byte on the console or to the receiver (600)
#   IDLE       the same in seconds of real time: for a machine that uses no CPU time when it hangs (none)
#   BACKSTOP   seconds before it is given up whatever it does (7200)
#   QEMU       the program (qemu-system-x86_64), QEMU_WORDS: further words for it
#
# DIR: console.txt (COM1), uart.bin (COM2), capture/, receive.log, events (what QEMU said, of a boot that
# was given up its registers too), qemu.log, report.txt, summary.json
#
# Exit status: 0 the guest powered off, and what it sent was received and reported; 1 something failed; 77 see check.
set -u

build=${BUILD:-build}
dir=${DIR:-$build/run-kvm}
iso=${ISO:-$build/undertrace.iso}
options=${OPTIONS:-}
kernel=${KERNEL:-the image}

lacks() {
    echo "run-kvm: skipped: $*" >&2
    echo "run-kvm: make run needs neither KVM nor an Intel CPU: it does the same in an emulator, with Intel PT" >&2
    exit 77
}

fail() {
    echo "run-kvm: $*" >&2
    exit 1
}

check() {
    grep -qw vmx /proc/cpuinfo || lacks "this machine's CPU offers no VMX ($(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo |
        head -n 1)); nested VMX needs an Intel CPU, with VMX on in the firmware's setup or in the virtual machine's"
    [ -e /dev/kvm ] || lacks 'there is no /dev/kvm; turn it on: modprobe kvm_intel nested=1'
    [ -r /dev/kvm ] && [ -w /dev/kvm ] || lacks "you may not use /dev/kvm; turn it on: adduser ${USER:-YOU} kvm, or run as root"
    case $(cat /sys/module/kvm_intel/parameters/nested 2>/dev/null) in
    Y | 1) ;;
    *) lacks 'nested VMX is off; turn it on: modprobe -r kvm_intel && modprobe kvm_intel nested=1' ;;
    esac
}

# option NAME DEFAULT: what the options say; the last counts.
option() {
    local word value=$2
    for word in $options; do
        case $word in "$1="*) value=${word#*=} ;; esac
    done
    echo "$value"
}

receiver= qemu=
stop_children() {
    local pid
    for pid in $qemu $receiver; do kill -TERM "$pid" 2>/dev/null; done
    wait 2>/dev/null
}

start_receiver() {
    local source port
    port=$(option net.port 21845)
    case $channel in
    uart) source="--uart $dir/uart.bin" ;;
    none) return ;;
    *) source="--udp $port --bind 127.0.0.1" ;; # QEMU's user network takes 10.0.2.2 for this machine's loopback
    esac
    # shellcheck disable=SC2086 # a list of words
    if [ "${LIVE:-0}" = 1 ]; then
        "$build/undertrace" receive $source -o "$dir/capture" --console "$dir/console.txt" &
    else
        "$build/undertrace" receive $source -o "$dir/capture" >"$dir/receive.log" 2>&1 &
    fi
    receiver=$!
    [ "$channel" = uart ] && return
    # The first frame must find it there.
    until grep -qi ":$(printf %04X "$port") " /proc/net/udp; do
        kill -0 "$receiver" 2>/dev/null || fail "the receiver did not start: $(tail -n 1 "$dir/receive.log" 2>/dev/null)"
        sleep 0.05
    done
}

# QEMU says by which way it ended: its exit status is the same for power-off and reset. By AHCI a firmware reads whole blocks
# without a VM exit for each word.
start_qemu() {
    mkfifo "$dir/commands"
    exec 3<>"$dir/commands"
    echo '{"execute": "qmp_capabilities"}' >&3
    # shellcheck disable=SC2086 # a list of words
    "${QEMU:-qemu-system-x86_64}" -nodefaults -enable-kvm -cpu host -smp "${CPUS:-1}" -m "${MEMORY:-1024}" \
        -display none -vga std -no-reboot \
        -device ahci,id=ahci -device ide-cd,bus=ahci.0,drive=image -drive "if=none,id=image,media=cdrom,format=raw,file=$iso" \
        -netdev user,id=wire -device e1000,netdev=wire,romfile= \
        -serial "file:$dir/console.txt" -serial "file:$dir/uart.bin" -qmp stdio ${QEMU_WORDS:-} \
        <&3 >"$dir/events" 2>"$dir/qemu.log" &
    qemu=$!
}

ended_by() {
    sed -n 's/.*"event": "SHUTDOWN".*"reason": "\([^"]*\)".*/\1/p' "$dir/events" | tail -n 1
}

# In seconds: user, system and guest time, which counts as user time.
cpu_seconds() {
    local ticks
    # After the name, which may contain spaces, utime and stime are the fields 12 and 13.
    ticks=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$qemu/stat" 2>/dev/null)
    echo $((${ticks:-0} / 100))
}

heard= heard_at=0 heard_when=0
has_stuck() {
    local now spent
    now=$(stat -c %s "$dir/console.txt" "$dir/uart.bin" "$dir"/capture/*.pt "$dir"/capture/events.bin 2>/dev/null)
    spent=$(cpu_seconds)
    if [ "$now" != "$heard" ]; then heard=$now heard_at=$spent heard_when=$SECONDS; fi
    if [ $((spent - heard_at)) -gt "${QUIET:-600}" ]; then
        gave_up="nothing more came within ${QUIET:-600} seconds of QEMU's CPU time"
    elif [ -n "${IDLE:-}" ] && [ $((SECONDS - heard_when)) -gt "$IDLE" ]; then
        gave_up="nothing more came within $IDLE seconds"
    elif [ "$SECONDS" -gt "${BACKSTOP:-7200}" ]; then
        gave_up="no end within ${BACKSTOP:-7200} seconds"
    fi
    [ -n "$gave_up" ]
}

last_words() {
    tail -n 3 "$dir/console.txt" | tr -d '\r' | tail -n 1 | cut -c 1-120
}

gave_up= stopped=
wait_for_qemu() {
    while kill -0 "$qemu" 2>/dev/null; do
        if grep -qaE '^undertrace: (stopped:|.*is parked)' "$dir/console.txt"; then
            stopped=$(tr -d '\r' <"$dir/console.txt" | grep -aE -m 1 '^undertrace: .*the guest is stopped')
            : "${stopped:=$(tr -d '\r' <"$dir/console.txt" | grep -aB 1 '^undertrace: stopped:' | head -n 1)}"
            : "${stopped:=undertrace: a CPU is parked}"
            sleep 1 # what is on its way arrives
        fi
        if [ -n "$stopped" ] || has_stuck; then
            # The registers show where its CPUs hang.
            echo '{"execute": "human-monitor-command", "arguments": {"command-line": "info registers -a"}}' >&3
            sleep 1
            kill -TERM "$qemu"
            break
        fi
        sleep 0.2
    done
    wait "$qemu" 2>/dev/null
    status=$?
    qemu=
}

await_receiver() {
    # The end record is the last thing sent before the power goes: what has not come soon does not come.
    for _ in $(seq 300); do
        kill -0 "$receiver" 2>/dev/null || break
        sleep 0.1
    done
    kill -TERM "$receiver" 2>/dev/null
    wait "$receiver"
    received=$?
    receiver=
}

# What the hypervisor said, without the registers of a dump.
show_hypervisor() {
    sed 's/\r$//' "$dir/console.txt" | grep -a '^undertrace: [^ ]' | sed 's/^/  /'
}

report() {
    if [ ! -e "$dir/capture/meta.json" ]; then
        echo "run-kvm: the guest ran to power-off, and nothing was received: the lines above say why"
        return
    fi
    [ "$received" -eq 0 ] || fail "the receiver ended with $received: $(tail -n 1 "$dir/receive.log" 2>/dev/null)"
    "$build/undertrace" report "$dir/capture" --json "$dir/summary.json" --guest "${GUEST_NAME:-${kernel##*/}}" \
        >"$dir/report.txt" || fail "the report says that something is missing: $dir/report.txt"
    cat "$dir/report.txt"
    echo "run-kvm: $dir/summary.json has these figures, $dir/capture what was received"
}

run() {
    [ -r "$iso" ] || fail "there is no image $iso"
    rm -rf "$dir"
    mkdir -p "$dir"
    : >"$dir/console.txt"
    : >"$dir/uart.bin"
    channel=$(option channel e1000)
    [ "${BARE:-0}" = 0 ] || channel=none
    trap stop_children EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    start_receiver
    echo "run-kvm: booting ${kernel##*/} under KVM; the guest's console is $dir/console.txt"
    start_qemu
    wait_for_qemu
    show_hypervisor
    [ -z "$gave_up" ] || fail "given up: $gave_up; the console's last line: $(last_words)"
    [ -z "$stopped" ] || fail "${stopped/#undertrace: /the hypervisor stopped: }; the console's last line: $(last_words)"
    [ "$status" -eq 0 ] || fail "QEMU ended with status $status: $(tail -n 1 "$dir/qemu.log")"
    [ "$(ended_by)" = guest-shutdown ] || fail "the guest did not power off: $(ended_by); the console's last line: $(last_words)"
    [ "${BARE:-0}" = 0 ] || return 0
    grep -qa '^undertrace: ' "$dir/console.txt" || fail 'the hypervisor said nothing'
    received=0
    [ -z "$receiver" ] || await_receiver
    report
}

case "${1:-}" in
check) check ;;
run)
    check
    run
    ;;
all)
    check
    shift
    exec make run-kvm "$@"
    ;;
*)
    echo 'usage: run-kvm.sh check|run|all [VARIABLE=VALUE...]' >&2
    exit 1
    ;;
esac
