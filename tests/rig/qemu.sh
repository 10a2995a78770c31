#!/bin/bash
# The self-test under QEMU without KVM: no VMX and no PT, but other cards than the emulator has, and a real receiver.
#
# usage: qemu.sh DIR CARD [OPTIONS]       DIR is emptied first; CARD: QEMU's name of the device, with its properties; OPTIONS:
#                                         the hypervisor's, in addition to selftest=on and net.port=
#
# from the environment:
#   QEMU         the program (qemu-system-x86_64), QEMU_WORDS: further arguments, QEMU_BEFORE: arguments before the card's
#   CPU_SECONDS  of QEMU's that it may take (600)
#   ANNOUNCE     1: the receiver announces itself to the guest at 10.0.2.15, for net.peer=announce
#   NETDEV       QEMU's words for the network that the card is attached to, id=wire, instead of its user network
#   IN           words in front of QEMU's name
#   RECEIVE      words for the receiver (--bind 127.0.0.1)
#   NO_LINK      ids of devices whose cable is out when the machine starts
#
# DIR: image.iso, console.txt, capture/, receive.log, qemu.log
#
# Exit status: 0 the self-test ran to its end, and the receiver had the end record; 77 this QEMU has no such card; 1 anything else
set -u
. "$(dirname "$0")/boot_lib.sh"

dir=$1 card=$2 options=${3:-}
build=${BUILD:-build}
qemu=${QEMU:-qemu-system-x86_64}

fail() {
    echo "qemu: $*" >&2
    exit "${code:-1}"
}

"$qemu" -device "${card%%,*},help" >/dev/null 2>&1 || code=77 fail "$qemu has no card ${card%%,*}"
rm -rf "$dir"
mkdir -p "$dir"
: >"$dir/console.txt"

guard_children
port=$(free_port)
ELF=$build/undertrace.elf KERNEL= INITRD= CMDLINE= OPTIONS="selftest=on net.port=$port $options" tests/rig/iso.sh "$dir/image.iso" ||
    fail 'no image'
forward= announce=
if [ "${ANNOUNCE:-0}" = 1 ]; then
    way=$(free_port)
    forward=",hostfwd=udp:127.0.0.1:$way-10.0.2.15:$port"
    announce="--announce-to 127.0.0.1:$way"
fi
# shellcheck disable=SC2086 # a list of words
"$build/undertrace" receive --udp "$port" ${RECEIVE:---bind 127.0.0.1} $announce -o "$dir/capture" >"$dir/receive.log" 2>&1 &
receiver=$!
until udp_port_is_open "$port"; do
    kill -0 "$receiver" 2>/dev/null || fail "the receiver did not start: $(tail -n 1 "$dir/receive.log")"
    sleep 0.05
done

# The user network takes what is sent to 10.0.2.2 to this machine's loopback, at the same port.
qmp() {
    echo '{"execute": "qmp_capabilities"}'
    for id in ${NO_LINK:-}; do
        echo '{"execute": "set_link", "arguments": {"name": "'"$id"'", "up": false}}'
    done
    echo '{"execute": "cont"}'
}
# shellcheck disable=SC2086 # a list of words
${IN:-} "$qemu" -S -qmp stdio -nodefaults -accel tcg -cpu max -m 256 -display none -vga std -no-reboot -cdrom "$dir/image.iso" \
    ${QEMU_BEFORE:-} -netdev "${NETDEV:-user,id=wire$forward}" -device "$card,netdev=wire" -serial "file:$dir/console.txt" ${QEMU_WORDS:-} >"$dir/qemu.log" 2>&1 < <(qmp) &
emulator=$!

spent() {
    awk '{ sub(/.*\) /, ""); print int(($12 + $13) / 100) }' "/proc/$emulator/stat" 2>/dev/null || echo 0
}
while kill -0 "$emulator" 2>/dev/null; do
    grep -qa '^undertrace: selftest: done' "$dir/console.txt" && break
    [ "$(spent)" -lt "${CPU_SECONDS:-600}" ] || fail "given up after ${CPU_SECONDS:-600} seconds of QEMU's CPU time: $(tail -n 1 "$dir/console.txt")"
    sleep 0.2
done
grep -qa '^undertrace: selftest: done' "$dir/console.txt" || fail "QEMU ended: $(tail -n 1 "$dir/qemu.log"); the console's last line: $(tail -n 1 "$dir/console.txt")"
for _ in $(seq 100); do
    kill -0 "$receiver" 2>/dev/null || break
    sleep 0.1
done
kill -TERM "$receiver" 2>/dev/null
wait "$receiver"
status=$?
receiver=
[ "$status" = 0 ] || fail "the receiver ended with $status: $(tail -n 1 "$dir/receive.log")"
