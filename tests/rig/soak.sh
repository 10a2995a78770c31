#!/bin/bash
# What is too much for each change: the instruction decoder on all that this machine has, a whole Debian on a disk, UEFI, other
# kernels and their names, perf.data of the kernel's own driver, the tutorial, packages made twice and those of other
# distributions, many CPUs, the receiver for other C libraries and processors, a trace of more than 4 GiB (all in tests/soak/),
# several CPUs with more variations, and the matrix with many seeds, half of its places with two CPUs. Prints what failed, and
# keeps it in build/soak/; the last line counts.
#
# usage: soak.sh     from the environment: SOAK, which parts (instructions debian uefi kernels names perf_data tutorial packages
#                    other_packages many_cpus smp portable limits chroot chroots random matrix); SEEDS (1 to 20) and COUNT of places for
#                    each (240) of the matrix; and what matrix.sh and instructions.sh take
set -u

mkdir -p build/soak
failed=0 passed=0

# soak NAME COMMAND...: counts and shows what its TAP says; what it leaves in build/soak/NAME goes where all is well.
soak() {
    local name=$1 work=build/soak/$1 ok not_ok
    shift
    WORK=$work "$@" >"$work.log.new"
    mkdir -p "$work"
    mv "$work.log.new" "$work/log"
    grep -A 3 '^not ok' "$work/log" | sed "s/^/$name: /"
    ok=$(grep -c '^ok ' "$work/log") not_ok=$(grep -c '^not ok ' "$work/log")
    [ $((ok + not_ok)) -gt 0 ] || not_ok=1
    passed=$((passed + ok)) failed=$((failed + not_ok))
    echo "$name: $ok passed, $not_ok failed"
    [ "$not_ok" != 0 ] || rm -rf "$work"
}

for part in ${SOAK:-instructions debian uefi kernels names perf_data tutorial packages other_packages many_cpus smp portable limits chroot chroots random matrix}; do
    case $part in
    instructions) soak instructions tests/soak/instructions.sh ;;
    debian) soak debian tests/soak/debian.sh ;;
    names) soak names tests/soak/names.sh ;;
    uefi | kernels | perf_data | tutorial | packages | other_packages | many_cpus | portable | limits | chroots | random) soak "$part" "tests/soak/$part.sh" ;;
    chroot) soak chroot tests/soak/clean_chroot.sh ;;
    smp) SMP_MORE=1 soak smp tests/system/guest/smp.sh ;;
    matrix)
        for seed in ${SEEDS:-$(seq 1 20)}; do
            MATRIX_SEED=$seed MATRIX_COUNT=${COUNT:-240} MATRIX_SMP=${MATRIX_SMP:-2} soak "seed-$seed" tests/system/trace/matrix.sh
        done
        ;;
    *) echo "soak: what is $part?" >&2 && exit 1 ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
