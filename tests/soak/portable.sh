#!/bin/bash
# The receiver and decoder elsewhere than on Debian's glibc and x86-64: built with clang, with musl (static), and for arm64
# (static, run by qemu-user). Their unit tests pass, and what a capture holds is the same to each.
#
# By itself, from the top: tests/soak/portable.sh
WORK=${WORK:-build/soak/portable}
. tests/system/lib.sh

tests/rig/deps.sh portable

# cmocka is one file: for C libraries and processors that Debian's package is not for, it is compiled from Debian's source.
cmocka=cmocka_1.1.5.orig.tar.xz
cmocka_sha256=f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6
for uri in $(apt-get indextargets --format '$(REPO_URI)' | sort -u); do
    /usr/lib/apt/apt-helper download-file "${uri%/}/pool/main/c/cmocka/$cmocka" "$work/$cmocka" "SHA256:$cmocka_sha256" \
        >"$work/download.log" 2>&1 && break
done
check 'the source of cmocka is there' tar -C "$work" -xf "$work/$cmocka"

# The receiver's and decoder's unit tests. Not among them: what compares with libipt, which is not built here.
units=$(cd tests/unit && find decode pt/packet pt/instruction -name 'test_*.c' | sed 's/\.c$//' | grep -v test_flow_ranges | LC_ALL=C sort)

# built NAME WORDS...: the host tool and the unit tests, in $work/NAME.
built() {
    local name=$1 out=$work/$1
    shift
    # shellcheck disable=SC2086 # the units are words
    make -s -j"$(nproc)" BUILD="$out" SANITIZE= UNIT_SHELL= JUDGE= "$@" "$out/undertrace" \
        $(printf "$out/check/unit/%s\n" $units) >/dev/null
}

# static NAME CC: the same with a cmocka of its own.
static() {
    mkdir -p "$work/$1.cmocka"
    $2 -O1 -w -I "$work"/cmocka-*/include -DHAVE_{SIGNAL,INTTYPES,STDINT,STRINGS,UNISTD,SYS_TYPES,TIME,MALLOC}_H \
        -DHAVE_STRUCT_TIMESPEC -DHAVE_CLOCK_REALTIME -c "$work"/cmocka-*/src/cmocka.c -o "$work/$1.cmocka/cmocka.o" &&
        ar rcs "$work/$1.cmocka/libcmocka.a" "$work/$1.cmocka/cmocka.o" &&
        built "$1" CC="$2" CPPFLAGS="-I$(echo "$work"/cmocka-*/include)" LDFLAGS="-static -L$work/$1.cmocka"
}

# sums PROGRAM...: a sum of what each command prints of the capture, without what another program has kept of it.
sums() {
    rm -f "$work/capture"/index.*
    for command in 'decode --branches -' dump 'info --json' 'export --format folded -o -'; do
        # shellcheck disable=SC2086 # words
        "$@" ${command%% *} "$work/capture" $([[ $command != *' '* ]] || echo "${command#* }") 2>/dev/null | sha256sum
    done
}

# agrees NAME [EMULATOR]: its unit tests pass, and it has the same of a capture as the build for this machine.
agrees() {
    local name=$1 unit failed=
    shift
    for unit in $units; do
        # qemu-user maps no file of 16 TiB.
        [ "$unit ${1:+emulated}" != 'decode/flow/test_flow_hole emulated' ] || continue
        "$@" "$work/$name/check/unit/$unit" >"$work/unit.log" 2>&1 || failed+=" $unit"
    done
    same "$name: unit tests that fail" "$failed" ''
    same "$name: decode, dump, info and export are as with this machine's build" "$(sums "$@" "$work/$name/undertrace")" "$own"
}

check 'a guest runs, and is received' eval 'MEMORY=256 boot_guest guest spaces "channel=e1000 net.mtu=9000" && cp -r "$work/guest/capture" "$work/capture"'
own=$(sums build/undertrace)
same 'this machine'"'"'s build prints something of each kind' "$(grep -c "$(sha256sum </dev/null)" <<<"$own")" 0
check 'it builds with clang' built clang CC=clang
agrees clang
check 'it builds with musl, static' static musl musl-gcc
agrees musl
check 'it builds for arm64, static' static arm64 aarch64-linux-gnu-gcc
agrees arm64 qemu-aarch64-static
same 'doctor on another processor says where it must run' "$(qemu-aarch64-static "$work/arm64/undertrace" doctor 2>&1; echo $?)" \
    "undertrace: doctor: the processor of this machine is not an x86 processor; run undertrace doctor on the machine that is to be traced, or name a directory with that machine's files (--root)"$'\n'1
done_testing
