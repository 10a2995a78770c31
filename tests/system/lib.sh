# What the system tests share: TAP results, and boots in the emulator. Sourced, from the top of the tree.
set -u

work=${WORK:-build/tests/$(basename "$0" .sh)}
rm -rf "$work"
mkdir -p "$work"
test_count=0
CMDLINE=${CMDLINE:-console=ttyS0 panic=-1} # the Makefile's, where it runs the tests

pass() {
    test_count=$((test_count + 1))
    echo "ok $test_count - $1"
}

# fail NAME WHY...
fail() {
    test_count=$((test_count + 1))
    echo "not ok $test_count - $1"
    shift
    printf '%s\n' "$*" | sed 's/^/  /'
}

skip() {
    test_count=$((test_count + 1))
    echo "ok $test_count - $1 # SKIP $2"
}

# check NAME COMMAND...: the command's exit status decides, its output explains.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "$output"; fi
}

# same NAME IS SHOULD
same() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "is $2, should be $3"; fi
}

# at_most NAME IS LIMIT
at_most() {
    if [ "$2" -le "$3" ] 2>/dev/null; then pass "$1 ($2)"; else fail "$1" "is $2, at most $3 are allowed"; fi
}

# For a boot of Linux that is about what comes afterwards: a third of a boot's branches waits for the console's UART, and another
# third is the kernel's tests of itself and of the clocks. userland.sh and debian.sh boot without these words.
short_boot='quiet cryptomgr.notests lpj=100000 tsc=reliable random.trust_cpu=on'

done_testing() {
    echo "1..$test_count"
    exit 0
}

# vmlinuz_of KERNEL: the bzImage that Debian has of it. build/guest/unpacked is the same kernel, unpacked already, which takes half
# of a boot off, and build/guest/moved the same as KASLR moves it: for boots that are about what comes after that.
vmlinuz_of() {
    case $1 in
    build/guest/unpacked | build/guest/moved) echo build/guest/vmlinuz ;;
    *) echo "$1" ;;
    esac
}

# boot NAME KERNEL INITRD CMDLINE OPTIONS: boot a guest; its files are in $work/NAME. Variables of tests/rig/boot.sh
# (CHANNEL=, CPU=, ...) may precede it.
boot() {
    local dir=$work/$1 platform=i386-pc
    [ "${FIRMWARE:-bios}" = bios ] || platform=
    PLATFORM=$platform VMLINUZ=$(vmlinuz_of "$2") ELF=build/undertrace.elf KERNEL=$2 INITRD=$3 CMDLINE=$4 OPTIONS=$5 tests/rig/iso.sh "$dir.iso" &&
        ISO=$dir.iso tests/rig/boot.sh "$dir"
}

# boot_bare NAME KERNEL CMDLINE: GRUB boots the guest itself. It names no RSDP; the guest searches for it.
boot_bare() {
    PLATFORM=i386-pc ELF= KERNEL=$2 INITRD= CMDLINE=$3 tests/rig/iso.sh "$work/$1.iso" && CHANNEL=none ISO=$work/$1.iso tests/rig/boot.sh "$work/$1"
}

# boot_guest NAME GUEST OPTIONS: the same for one of tests/guests.
boot_guest() {
    boot "$1" "build/guests/$2.bzImage" '' '' "$3"
}

# console_has NAME BOOT TEXT: the boot's console shows the text.
console_has() {
    if grep -qF -- "$3" "$work/$2/console.txt"; then
        pass "$1"
    else
        fail "$1" "the console does not show: $3"$'\n'"$(tail -n 5 "$work/$2/console.txt" | tr -d '\r')"
    fi
}

# The parts of a boot that was traced exactly: powered off, no gap, each branch as the emulated CPU took it.
exact() {
    local name=$1 boot=$2
    if ! build/undertrace verify "$work/$boot/capture" "$work/$boot/truth.bin" --json "$work/$boot/verify.json" \
        >"$work/$boot/verify.log" 2>&1; then
        fail "$name" "$(tail -n 8 "$work/$boot/verify.log")"
        return
    fi
    local branches matched
    branches=$(jq .branches "$work/$boot/verify.json")
    matched=$(jq .matched "$work/$boot/verify.json")
    if [ "$branches" -gt 0 ] && [ "$branches" = "$matched" ]; then
        pass "$name ($matched branches)"
    else
        fail "$name" "$matched of $branches branches match"
    fi
}

# exact_from_start NAME BOOT: a boot whose trace starts later (pt.start=) was traced exactly from there on, on the first CPU: what
# the emulated CPU executed before is the first interval, and all others are equal. Other CPUs may wait in firmware's loops,
# which have no packets.
exact_from_start() {
    local file=$work/$2/verify.json first before
    build/undertrace verify "$work/$2/capture" "$work/$2/truth.bin" --json "$file" >"$work/$2/verify.log" 2>&1
    first=$(jq -c '.cpus[0] | [.first_divergence.interval, .first_divergence.decoded_branches, .decode_errors,
        .intervals - .equal_intervals]' "$file")
    before=$(jq '.cpus[0].first_divergence.expected_branches' "$file")
    if [ "$first" = '[0,0,0,1]' ] && jq -e ".cpus[0] | .matched == .branches - $before and .matched > 0" "$file" >"$file.agrees"; then
        pass "$1 ($(jq '.cpus[0].matched' "$file") branches)"
    else
        fail "$1" "$(tail -n 8 "$work/$2/verify.log")"
    fi
}

# clean_log BOOT: no VM entry failed, and nothing else that the emulator calls a failure of VMX; no PEBS record in root mode.
clean_log() {
    local lines
    lines=$(grep -E 'VMFAIL|VMENTER|VMABORT|Checks Failed|a PEBS record' "$work/$1/bochs.log" | head -n 5)
    if [ -z "$lines" ]; then
        same "no VM entry of $1 failed (log; exit reasons 33, 34, 41)" \
            "$(truth "$1" exit_33) $(truth "$1" exit_34) $(truth "$1" exit_41)" '0 0 0'
    else
        fail "no VM entry of $1 failed" "$lines"
    fi
}

# info BOOT FILTER: what jq's filter yields of `undertrace info --json`.
info() {
    build/undertrace info --json "$work/$1/capture" | jq -r "$2"
}

# gaps BOOT CONDITION: how many gaps of the capture meet it, in jq's words.
gaps() {
    info "$1" "[.gaps[] | select($2)] | length"
}

# kinds BOOT: of each event and far transfer that is decoded: which of the two it is, from where, to where.
kinds() {
    build/undertrace trace "$work/$1/capture" --what branches | awk '$4 ~ /event|sys/ { print $4, $5, $7 }'
}

# wire_share BOOT: bytes of the wire, with Ethernet's framing, for 1000 trace bytes of all CPUs.
wire_share() {
    echo $((1000 * $(tests/rig/wire.sh "$work/$1" bytes) / $(truth "$1" trace_bytes)))
}

# truth BOOT FIELD [CPU]: what the emulated CPUs counted, or one of them; tests/rig/truth.sh lists the fields.
truth() {
    tests/rig/truth.sh "$work/$1/truth.bin" "$2" ${3:+"$3"}
}
