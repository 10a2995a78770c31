#!/bin/sh
# The PT model's self-test: run the test ROM in the emulator, decode its trace with libipt, compare with what the
# emulated CPU did. No BIOS, no VMX, no hypervisor: about a second.
#
#   tests/model/selftest/run.sh [BUILD] [OPTION...]     BUILD/bochs must exist; options are added to the ptmodel line
#   CTL=BITS       more bits for IA32_RTIT_CTL
#   PROFILE=NAME   instead of skylake
#   MTCFREQ=N      as CTL has it: check the timing packets as well
#   OUT=DIR        where trace.bin, branches.bin and the rest go: build/model/selftest
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
[ $# -eq 0 ] || shift
out=${OUT:-$build/model/selftest}
mkdir -p "$out"
cd "$out"
out=$(pwd)
extra=
for option in "$@"; do extra="$extra, $option"; done

gcc -c -o rom.o "$here/rom.S"
gcc -c -O2 -ffreestanding -fno-pie -mno-red-zone -mgeneral-regs-only -fcf-protection=none -fno-stack-protector \
    -fno-asynchronous-unwind-tables -Wall -Wextra -Werror -DCTL_EXTRA="${CTL:-0}" -o test.o "$here/test.c"
ld -nostdlib -static --no-warn-rwx-segments -T "$here/link.ld" -o rom.elf rom.o test.o
objcopy -O binary rom.elf rom.bin
gcc -O1 -Wall -Wextra -Werror -o check "$here/check.c" "$here/branches.c" -lipt

cat >bochsrc <<RC
memory: guest=32, host=32
romimage: file=rom.bin, address=0xffff0000
vgaromimage: file=vga.bin
cpu: model=corei7_skylake_x, count=1, ips=1000000, reset_on_triple_fault=0
clock: sync=none, time0=1700000000
boot: cdrom
log: bochs.log
com1: enabled=1, mode=file, dev=trace.bin
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
display_library: nogui
ptmodel: profile=${PROFILE:-skylake}, truth=truth.bin, branches=branches.bin, scope=traced$extra
RC
head -c 32768 /dev/zero >vga.bin
rm -f trace.bin branches.bin
timeout 3600 "$build/bochs" -q -f bochsrc </dev/null >bochs.out 2>&1 || true
grep -q "soft power off" bochs.log || { echo "selftest: the test did not reach its end, see $out/bochs.log" >&2; exit 1; }
if [ -n "${MTCFREQ:-}" ]; then
    gcc -O1 -Wall -Wextra -Werror -I"$root" -o timing "$here/timing.c" "$root/pt/packet/parse.c" "$root/pt/packet/encode.c"
    ./timing trace.bin "$MTCFREQ"
fi
./check rom.bin trace.bin branches.bin "$extra"
