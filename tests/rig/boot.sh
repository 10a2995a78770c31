#!/bin/bash
# One boot in the emulator with a receiver; the output of both is kept. `make run` and the system tests use it.
#
# usage: boot.sh DIR           DIR is emptied first, and has all output afterwards
#
# from the environment, all optional but ISO:
#   ISO       the image to boot; empty: the machine boots from its disk, DISK
#   CHANNEL   e1000 (default), uart, none: how the trace is sent; the image's OPTIONS must have the same channel=
#   CPU       the emulator's CPU model (corei7_skylake_x)
#   CPUS      how many (1)
#   DISK      image of an IDE disk, /dev/sda for Linux. It stays as it is: what the guest writes goes to DIR, and is gone at the end
#   OUTPUT    a file of cylinders of 516096 bytes as that disk, instead of DISK; what the guest writes stays in it
#   MEMORY    MiB (1024)
#   FIRMWARE  bios (default), or uefi: Debian's OVMF, for which the image needs TABLES of tests/rig/tables.sh
#   IPS       emulated instructions a second (50000000): how fast the CPU is against the wire and the timers
#   PTMODEL   which Intel PT the emulated CPU has, words of the emulator's ptmodel line (profile=skylake); "absent": the
#             emulator is one without our model and network module
#   EMULATOR  the emulator (build/bochs)
#   WIRE      further words for the emulated wire (drop=, reorder=, ...)
#   UART_SOCKET  1: COM2 is a TCP socket, which carries commands too, instead of a file
#   BRANCHES  1: also write every branch that was executed to DIR/branches.bin; FROM-TO: only branches at these addresses
#   TIMES     1: with BRANCHES=1, also their times, in DIR/branches.bin.times
#   END_TENTHS   how long to wait for the end record after power-off, in tenths of a second (1200)
#   QUIET     give up after so many 10^9 ticks of emulated time without a byte on the console or to the receiver (15); does not
#             depend on this machine's speed
#   MOST      give up after so many 10^9 ticks of emulated time in all (300): a guest may print for ever
#   BACKSTOP  give up after so many seconds in any case (7200): the emulator itself may hang
#   ENDS      how the guest ends: power-off (default); reset, of the machine; stop: the hypervisor parks the CPU; unplugged: by
#             the word unplug= of PTMODEL. The receiver is then stopped, when it has read what had arrived
#   UNTIL     stop, with status 0, as soon as the console shows this text: for boots that are refused
#   RECEIVE   further words for `undertrace receive`
#   RECEIVER  a program to run in place of build/undertrace for it
#   LIVE      1: the receiver's progress goes to the terminal instead of DIR/receive.log
#
# DIR: beat (a byte for each 100 million ticks), bochsrc, bochs.log, emulator.log, console.txt (COM1), uart.bin (COM2), truth.bin, capture/, receive.log,
# user_seconds (the emulator's CPU time)
#
# Exit status: 0 the guest ended as ENDS says and the receiver had the end record; 1 something failed, said in one line on
# standard error; 3 the guest ended, but the receiver did not get everything.
set -u
umask 022
. "$(dirname "$0")/boot_lib.sh"

dir=$1
channel=${CHANNEL:-e1000}
build=${BUILD:-build}
quiet=${QUIET:-15}
most=${MOST:-300}
backstop=${BACKSTOP:-7200}
bochs=${EMULATOR:-$build/bochs}
undertrace=${RECEIVER:-$build/undertrace}
memory=${MEMORY:-1024} # what Bochs does not hold itself, 2048 MiB at most, it keeps in a file of its own
# KiB of memory that the emulator holds, or writes to that file, at a time. As it starts it compares each block's name with each
# other's: with the 128 that are usual, that takes longer than many a guest of ours.
block=$((memory <= 2048 ? 1024 : 512))

fail() {
    echo "boot: $*" >&2
    exit "${code:-1}"
}

if [ -n "${ISO?}" ]; then
    [ -r "$ISO" ] || fail "there is no image $ISO"
    boots="cdrom" cd="path=\"$ISO\", status=inserted"
else
    [ -n "${DISK:-}" ] || fail "there is neither an image nor a disk to boot"
    boots="disk" cd="status=ejected"
fi
[ -x "$bochs" ] || fail "there is no emulator $bochs; make model builds build/bochs"
rm -rf "$dir"
mkdir -p "$dir"

rom='romimage: file=/usr/share/bochs/BIOS-bochs-latest'
slots=slot1=e1000
if [ "${FIRMWARE:-bios}" = uefi ]; then
    rom='romimage: file=/usr/share/ovmf/OVMF.fd, address=0xffe00000'
    slots="slot1=e1000, slot2=pcivga"
fi
port=$(free_port)
ethernet='ethmod=lockstep, ethdev="none"'
[ "$channel" = e1000 ] && ethernet="ethmod=lockstep, ethdev=\"127.0.0.1:$port${WIRE:+ $WIRE}\""
serial="mode=file, dev=\"$dir/uart.bin\""
[ "${UART_SOCKET:-0}" = 1 ] && serial="mode=socket-server, dev=\"127.0.0.1:$port\""
[ "${PTMODEL:-}" = absent ] && ethernet="ethmod=null, ethdev=\"none\""
list=
case ${BRANCHES:-0} in
0) ;;
*-*) list=", branches=\"$dir/branches.bin\", from=${BRANCHES%-*}, upto=${BRANCHES#*-}" ;;
*) list=", branches=\"$dir/branches.bin\", times=${TIMES:-0}" ;;
esac
ptmodel="ptmodel: ${PTMODEL:-profile=skylake}, truth=\"$dir/truth.bin\", beat=\"$dir/beat\"$list"
[ "${PTMODEL:-}" = absent ] && ptmodel=
[ -z "${DISK:-}" ] || [ -r "$DISK" ] || fail "there is no disk image $DISK"
# On the channel that the CD does not use. cylinders=0: the geometry follows the size.
disk=${DISK:+"ata1-master: type=disk, mode=volatile, path=\"$DISK\", journal=\"$dir/disk\", cylinders=0"}
[ -z "${OUTPUT:-}" ] || disk="ata1-master: type=disk, mode=flat, path=\"$OUTPUT\", cylinders=0"
[ -z "${OUTPUT:-}" ] || rm -f "$OUTPUT.lock" # of an emulator that was stopped

# The clock starts at a fixed time and follows the instructions, so that two runs execute the same instructions.
# The emulator's errors are logged: what it thinks of our VMCS is among them, and one line for each EPT violation.
cat >"$dir/bochsrc" <<END
config_interface: textconfig
display_library: nogui
$rom
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=${CPU:-corei7_skylake_x}, count=${CPUS:-1}, ips=${IPS:-50000000}, reset_on_triple_fault=0
${ptmodel}
memory: guest=$memory, host=$((memory < 2048 ? memory : 2048)), block_size=$block
clock: sync=none, time0=1700000000
pci: enabled=1, chipset=i440fx, $slots
e1000: card=0, enabled=1, mac=52:54:00:12:34:56, $ethernet
ata0-master: type=cdrom, $cd
ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
$disk
boot: $boots
com1: enabled=1, mode=file, dev="$dir/console.txt"
com2: enabled=1, $serial
speaker: enabled=0
log: $dir/bochs.log
logprefix: %t%e%d
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
END

guard_children

: >"$dir/console.txt"
: >"$dir/uart.bin"
case $channel in
e1000) source="--udp $port --bind 127.0.0.1" ;;
uart)
    source="--uart $dir/uart.bin"
    [ "${UART_SOCKET:-0}" = 1 ] && source="--uart 127.0.0.1:$port"
    ;;
none) source= ;;
*) fail "CHANNEL=$channel is neither e1000, uart nor none" ;;
esac
# The emulator waits for a connection to its serial line.
await_emulator() {
    [ "$channel" = uart ] && [ "${UART_SOCKET:-0}" = 1 ] || return 0
    until grep -q ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp; do sleep 0.1; done
}
if [ -n "$source" ]; then
    # shellcheck disable=SC2086 # lists of words
    if [ "${LIVE:-0}" = 1 ]; then
        "$undertrace" receive $source -o "$dir/capture" --console "$dir/console.txt" ${RECEIVE:-} &
    else
        (await_emulator && exec "$undertrace" receive $source -o "$dir/capture" ${RECEIVE:-}) \
            >"$dir/receive.log" 2>&1 &
    fi
    receiver=$!
fi

# The first frame must find the receiver there, however long it takes to start.
if [ "$channel" = e1000 ]; then
    until udp_port_is_open "$port" || ! kill -0 "$receiver" 2>/dev/null; do sleep 0.05; done
fi

timeout --foreground "$backstop" "$bochs" -q -f "$dir/bochsrc" >"$dir/emulator.log" 2>&1 </dev/null &
emulator=$!
# A hypervisor that has stopped waits for ever, and so does the emulator. The last but one line says why it stopped. When the
# receiver has the end record, the power goes off at once, unless the guest has reset the machine.
was_reset() {
    grep -q '^ptmodel: the machine was reset' "$dir/emulator.log"
}
# The emulator's heart beats ten times in a thousand million ticks (tests/model/pt_config.cc).
heard= heard_at=0
has_stuck() {
    local beats now
    beats=$(stat -c %s "$dir/beat" 2>/dev/null)
    now=$(stat -c %s "$dir/console.txt" "$dir/uart.bin" "$dir"/capture/*.pt 2>/dev/null)
    if [ "$now" != "$heard" ]; then heard=$now heard_at=$beats; fi
    if [ $((${beats:-0} - ${heard_at:-0})) -gt $((quiet * 10)) ]; then
        gave_up="nothing more came for $quiet thousand million ticks of emulated time"
    elif [ "${beats:-0}" -gt $((most * 10)) ]; then
        gave_up="no end within $most thousand million ticks of emulated time"
    fi
    [ -n "$gave_up" ]
}
# Have 2 * 10^9 ticks passed since the receiver ended?
ended_at=
has_gone_on() {
    local beats
    beats=$(stat -c %s "$dir/beat" 2>/dev/null)
    : "${ended_at:=${beats:=0}}"
    [ $((beats - ended_at)) -gt 20 ]
}
stopped= gave_up= ended=0 ends=${ENDS:-power-off}
while kill -0 "$emulator" 2>/dev/null; do
    if [ -n "${UNTIL:-}" ]; then
        if grep -qaF -- "$UNTIL" "$dir/console.txt"; then exit 0; fi
    elif [ "$ends" = reset ] && was_reset; then
        kill -TERM "$emulator"
        break
    elif grep -qaE '^undertrace: (stopped:|.*is parked)' "$dir/console.txt"; then
        if [ "$ends" = stop ] && grep -qa 'is parked' "$dir/console.txt"; then
            ended=1
            kill -INT "$emulator" # it writes the end of the truth
            break
        fi
        stopped=$(tr -d '\r' <"$dir/console.txt" | grep -aB 1 '^undertrace: stopped:' | head -n 1)
        : "${stopped:=$(grep -aE -m 1 '^undertrace: .*the guest is stopped' "$dir/console.txt" | tr -d '\r')}"
        sleep 1 # what is on its way arrives
        kill -TERM "$emulator"
        break
    elif [ -n "$receiver" ] && ! kill -0 "$receiver" 2>/dev/null && has_gone_on; then
        stopped='the trace has ended, but the guest did not power off: it reset the machine'
        kill -TERM "$emulator"
        break
    fi
    if has_stuck; then
        kill -TERM "$emulator"
        break
    fi
    sleep 0.1
done
[ "$ends" = reset ] && was_reset && ended=1 # it may have ended by itself: what follows is another run
wait "$emulator" 2>/dev/null # not that of the shell: our own message says more
status=$?
emulator=
[ "${PTMODEL:-}" = absent ] && rm -f eth_null-tx.log eth_null-txdump.txt # Bochs's module drops them where it runs
times >"$dir/times" # not in a pipe: that would be another shell's
awk 'NR == 2 { split($1, t, /[ms]/); print 60 * t[1] + t[2] }' "$dir/times" >"$dir/user_seconds"

[ "$status" -ne 124 ] || gave_up="no end within $backstop seconds"
last_words() {
    tail -n 3 "$dir/console.txt" | tr -d '\r' | tail -n 1 | cut -c 1-120
}
if [ -n "$gave_up" ] && [ -z "${UNTIL:-}" ]; then
    fail "given up: $gave_up; the console's last line: $(last_words)"
fi
if [ -n "${UNTIL:-}" ]; then
    # The emulator may have ended right after the text.
    if grep -qF -- "$UNTIL" "$dir/console.txt"; then exit 0; fi
    fail "the console does not show \"$UNTIL\" (exit code $status); its last line: $(last_words)"
fi
[ -z "$stopped" ] || fail "${stopped/#undertrace: /the hypervisor stopped: }; the console's last line: $(last_words)"
if [ "$ends" = unplugged ] && grep -q '^ptmodel: the plug was pulled' "$dir/emulator.log"; then
    while udp_has_unread "$port"; do sleep 0.05; done
    kill -TERM "$receiver"
    wait "$receiver"
    receiver=
    exit 0
fi
if [ "$ended" = 0 ] && ! grep -q 'soft power off' "$dir/emulator.log"; then
    fail "the emulator ended without power-off (exit code $status): $(sed -n '/following message/{n;p}' \
        "$dir/emulator.log" | head -n 1); the console's last line: $(last_words)"
fi

if [ -n "$receiver" ]; then
    # The end record is the last thing sent before the power goes: what has not come soon does not come.
    for _ in $(seq "${END_TENTHS:-1200}"); do
        kill -0 "$receiver" 2>/dev/null || break
        sleep 0.1
    done
    kill -TERM "$receiver" 2>/dev/null
    wait "$receiver"
    status=$?
    receiver=
    if [ "$status" -ne 0 ]; then
        code=3 fail "the receiver ended with $status: $(tail -n 1 "$dir/receive.log" 2>/dev/null)"
    fi
fi
exit 0
