#!/bin/bash
# Registers, CPUID, output, PMI, XSAVE and VMX controls: ROMs that check the model from inside. Prints TAP.
#
#   tests/model/regs/run.sh [BUILD [PATTERN]]      BUILD/bochs must exist; PATTERN: which tests, default '*'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
pattern=${2:-*}
out=$build/model/regs
# shellcheck source=tests/model/rom.sh
. "$here/../rom.sh"
c_flags="$rom_flags -fno-tree-loop-distribute-patterns"

rm -rf "$out"
mkdir -p "$out"

# test NAME FILE OPTIONS [FLAG...]: run FILE.c in the emulator with the ptmodel line OPTIONS.
# shellcheck disable=SC2086
test() {
    # shellcheck disable=SC2254 # a pattern is meant
    case $1 in $pattern) ;; *) return ;; esac
    local dir=$out/$1 source=$2 options=$3 cpus
    cpus=$(sed -n 's/^ \* cpus: *//p' "$here/$source.c")
    shift 3
    mkdir -p "$dir"
    gcc $c_flags "$@" -o "$dir/test.o" "$here/$source.c"
    rom_link "$dir/rom.elf" "$here/../selftest/link.ld" "$out/rom.o" "$out/faults.o" "$out/regs.o" "$out/vmx.o" "$out/ap.o" \
        "$dir/test.o"
    rom_bochsrc 'guest=512, host=512, block_size=1024' "${cpus:-1}" results.txt "$options" >"$dir/bochsrc"
    rom_run "$dir"
    sed "s/ok - /ok - ${dir##*/}: /" "$dir/results.txt"
    grep -qx end "$dir/results.txt" || echo "not ok - ${dir##*/}: came to its end"
}

msrs() { # NAME OPTIONS WORDS
    test "msrs-$1" msrs "$2" "-DEXPECTED_CPUID14=$3"
}

# shellcheck disable=SC2086
gcc $c_flags -o "$out/regs.o" "$here/regs.c"
# shellcheck disable=SC2086
gcc $c_flags -o "$out/vmx.o" "$here/../rows/vmx.c"
gcc -c -I"$here/../rows" -o "$out/faults.o" "$here/../rows/faults.S"
gcc -c -o "$out/ap.o" "$here/../../guests/ap.S"
gcc -c -o "$out/rom.o" "$here/../selftest/rom.S"
{
    msrs broadwell profile=broadwell 0,1,1,0,0,0
    msrs skylake 'profile=skylake, cpuid14=1:f:7:0:02490002:003f3fff' 1,0xf,7,0,0x02490002,0x003f3fff
    msrs icelake 'profile=icelake, cpuid14=1:1f:80000007:0:02490004:003f1fff' 1,0x1f,0x80000007,0,0x02490004,0x003f1fff
    msrs single 'profile=custom, cpuid14=1:0:4:0:0:0' 1,0,4,0,0,0
    msrs all 'profile=custom, cpuid14=1:1ff:8000000f:0:ffff0003:ffff5555' 1,0x1ff,0x8000000f,0,0xffff0003,0xffff5555
    test none none profile=none
    test reset reset profile=skylake -DKEEPS=true
    test reset-broadwell reset profile=broadwell -DKEEPS=false
    test fixes fixes profile=skylake
    test tables tables profile=skylake
    test tables-fabric tables 'profile=skylake, cpuid14=1:f:f'
    test output output profile=skylake -DAHEAD=1
    test output-ahead0 output 'profile=skylake, ahead=0' -DAHEAD=0
    test output-ahead2 output 'profile=icelake, ahead=2' -DAHEAD=2
    test pmi pmi profile=skylake -DSINGLE=0 -DSKID=0 -DSECOND=1
    test pmi-skid pmi 'profile=skylake, skid=300' -DSINGLE=0 -DSKID=300 -DSECOND=1
    test pmi-second pmi 'profile=skylake, second=200' -DSINGLE=0 -DSKID=0 -DSECOND=2
    test pmi-second0 pmi 'profile=skylake, second=0' -DSINGLE=0 -DSKID=0 -DSECOND=1
    test pmi-broadwell pmi profile=broadwell -DSINGLE=1 -DSKID=0 -DSECOND=0
    test pmi-at-end pmi_kept 'profile=skylake, skid=300' -DKEPT=0 -DLOST=0
    test pmi-lost pmi_kept 'profile=skylake, skid=300, lost=1' -DKEPT=0 -DLOST=1
    test pmi-kept pmi_kept 'profile=skylake, skid=300, cpuid14=1:4f' -DKEPT=1 -DLOST=0
    test pmi-lost-kept pmi_kept 'profile=skylake, skid=300, lost=1, cpuid14=1:4f' -DKEPT=1 -DLOST=1
    test pmu4 pmu 'profile=skylake, pmu=4' -DVERSION=4 -DPEBS=0
    test pmu2 pmu 'profile=skylake, pmu=2' -DVERSION=2 -DPEBS=0
    test pmu-pebs pmu 'profile=skylake, pmu=4, pebs=1' -DVERSION=4 -DPEBS=1
    test xsave xsave profile=skylake
    test smp smp profile=skylake -DKEPT=0
    test smp-keepinit smp 'profile=skylake, keepinit=1' -DKEPT=1
    test vmx-novmxpt vmx profile=novmxpt -DVMX_PT=0 -DVMX_CTL=0 -DVMX_GPA=0
    test vmx-skylake vmx profile=skylake -DVMX_PT=1 -DVMX_CTL=0 -DVMX_GPA=0
    test vmx-icelake vmx profile=icelake -DVMX_PT=1 -DVMX_CTL=1 -DVMX_GPA=1
    test vmx-nogpa vmx 'profile=custom, vmxctl=1' -DVMX_PT=1 -DVMX_CTL=1 -DVMX_GPA=0
} >"$out/tap"
sed -i '/^end$/d' "$out/tap"
awk '/^(not )?ok - / { sub(/ok - /, "ok " ++n " - ") } { print } END { print "1.." n+0 }' "$out/tap"
! grep -q '^not ok' "$out/tap"
