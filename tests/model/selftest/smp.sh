#!/bin/sh
# The PT model's self-test with two processors that trace at once: smp.c in the emulator, each one's trace decoded with
# libipt and compared with what that one did.
#
#   tests/model/selftest/smp.sh [BUILD] [OPTION...]     BUILD/bochs must exist; options are added to the ptmodel line
#   CTL=BITS       more bits for IA32_RTIT_CTL
#   MTCFREQ=N      as CTL has it: check the timing packets as well
#   OUT=DIR        where DIR/smp has its trace and the rest: build/model/selftest
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
[ $# -eq 0 ] || shift
out=${OUT:-$build/model/selftest}/smp
mkdir -p "$out"
cd "$out"
out=$(pwd)
extra=
for option in "$@"; do extra="$extra, $option"; done

gcc -c -o rom.o "$here/rom.S"
gcc -c -o ap.o "$root/tests/guests/ap.S"
gcc -c -O2 -ffreestanding -fno-pie -mno-red-zone -mgeneral-regs-only -fcf-protection=none -fno-stack-protector \
    -fno-asynchronous-unwind-tables -Wall -Wextra -Werror -DCTL_EXTRA="${CTL:-0}" -o smp.o "$here/smp.c"
ld -nostdlib -static --no-warn-rwx-segments -T "$here/link.ld" -o rom.elf rom.o ap.o smp.o
objcopy -O binary rom.elf rom.bin
gcc -O1 -Wall -Wextra -Werror -o check "$here/check.c" "$here/branches.c" -lipt

cat >bochsrc <<RC
memory: guest=32, host=32
romimage: file=rom.bin, address=0xffff0000
vgaromimage: file=vga.bin
cpu: model=corei7_skylake_x, count=2, ips=1000000, reset_on_triple_fault=0
clock: sync=none, time0=1700000000
boot: cdrom
log: bochs.log
com1: enabled=1, mode=file, dev=trace.bin
com2: enabled=1, mode=file, dev=trace.bin.cpu1
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
display_library: nogui
ptmodel: profile=skylake, truth=truth.bin, branches=branches.bin, scope=traced$extra
RC
head -c 32768 /dev/zero >vga.bin
rm -f trace.bin* branches.bin*
timeout 3600 "$build/bochs" -q -f bochsrc </dev/null >bochs.out 2>&1 || true
grep -q "soft power off" bochs.log || { echo "smp: the test did not reach its end, see $out/bochs.log" >&2; exit 1; }
if [ -n "${MTCFREQ:-}" ]; then
    gcc -O1 -Wall -Wextra -Werror -I"$root" -o timing "$here/timing.c" "$root/pt/packet/parse.c" "$root/pt/packet/encode.c"
    ./timing trace.bin "$MTCFREQ"
    ./timing trace.bin.cpu1 "$MTCFREQ"
fi
./check rom.bin trace.bin branches.bin "$extra"
./check rom.bin trace.bin.cpu1 branches.bin.cpu1 "$extra"
