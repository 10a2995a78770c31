# What run.sh and smp.sh share, which source this with their own arguments: [BUILD] [OPTION...]. Afterwards the output
# directory is the current one, $out; $extra has the options for the ptmodel line.
# shellcheck shell=sh disable=SC2034,SC2154
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
[ $# -eq 0 ] || shift
extra=
for option in "$@"; do extra="$extra, $option"; done
. "$here/../rom.sh"

# selftest_in DIR
selftest_in() {
    mkdir -p "$1"
    cd "$1"
    out=$(pwd)
}

# selftest_build NAME OBJECT...: rom.elf and rom.bin of NAME.c and the objects, and the program that judges the trace.
selftest_build() {
    name=$1
    shift
    gcc -c -o rom.o "$here/rom.S"
    # shellcheck disable=SC2086
    gcc $rom_flags -DCTL_EXTRA="${CTL:-0}" -o "$name.o" "$here/$name.c"
    rom_link rom.elf "$here/link.ld" rom.o "$@" "$name.o"
    gcc -O1 -Wall -Wextra -Werror -o check "$here/check.c" "$here/branches.c" -lipt
}

# selftest_run NAME CPUS PTMODEL [LINE...]: the ROM must reach its end.
selftest_run() {
    name=$1 cpus=$2 ptmodel=$3
    shift 3
    rom_bochsrc "guest=32, host=32" "$cpus" trace.bin "$ptmodel$extra" "$@" >bochsrc
    rm -f trace.bin* branches.bin*
    rom_run .
    grep -q "soft power off" bochs.log || { echo "$name: the test did not reach its end, see $out/bochs.log" >&2; exit 1; }
}

# selftest_check TRACE BRANCHES: with MTCFREQ, the timing packets as well.
selftest_check() {
    if [ -n "${MTCFREQ:-}" ]; then
        gcc -O1 -Wall -Wextra -Werror -I"$root" -o timing "$here/timing.c" "$root/pt/packet/parse.c" "$root/pt/packet/encode.c"
        ./timing "$1" "$MTCFREQ"
    fi
    ./check rom.bin "$1" "$2" "$extra"
}
