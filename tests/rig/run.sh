#!/bin/bash
# The main job: boot the ISO in the emulator, receive the trace, decode it, compare it with the truth, report.
# `make run` has built everything by now. Results: build/run/.
#
# from the environment: KERNEL (or SECTOR: the guest is DISK's boot sector), OPTIONS and the variables of tests/rig/boot.sh; SYMBOLS: a System.map, for the names of what runs;
# FILES, where programs of the guest have their names
#
# Exit status: 0 the guest powered off and everything it executed was received and reported; 1 something failed.
set -u

build=${BUILD:-build}
dir=$build/run
elapsed() {
    awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'
}
built=$(elapsed "$(cat "$build/run.start")")

# Which way the trace leaves is the guest's side of the wire: the hypervisor's own option, e1000 where it says nothing.
case " $OPTIONS " in
*' channel=uart '*) export CHANNEL=uart IPS=${IPS:-4000000} ;;
*' channel=none '*) export CHANNEL=none ;;
*) export CHANNEL=e1000 ;;
esac

# What is shown meanwhile has where the CPUs are: by name, where the kernel's symbols are at hand.
symbols=${SYMBOLS:-${KERNEL:+$(dirname "$KERNEL")/System.map}}
RECEIVE="--decode ${RECEIVE:-}"
if [ -r "$symbols" ]; then RECEIVE="--symbols $symbols $RECEIVE"; fi
export RECEIVE

guest=${KERNEL##*/}
if [ -n "${SECTOR:-}" ]; then guest="the boot sector of ${DISK##*/}"; fi
echo "run: booting $guest in the emulator; the guest's console is $dir/console.txt"
begin=$EPOCHREALTIME
ISO=$build/undertrace.iso LIVE=1 tests/rig/boot.sh "$dir" &
boot=$!
# A background process of a script ignores Ctrl-C, so it gets SIGTERM instead; boot.sh then ends its own children.
trap 'kill -TERM $boot 2>/dev/null; wait; echo "run: interrupted" >&2; exit 130' INT TERM HUP
wait "$boot"
status=$?
booted=$(elapsed "$begin")
# What the hypervisor said, without the registers of a dump.
sed 's/\r$//' "$dir/console.txt" | grep -a '^undertrace: [^ ]' | sed 's/^/  /'
if [ "$status" -ne 0 ]; then
    if [ -s "$dir/capture/cpu0.pt" ]; then
        echo "run: the boot failed; what was traced until then: $build/undertrace report $dir/capture" >&2
    else
        echo "run: the boot failed; see $dir" >&2
    fi
    exit 1
fi
if [ ! -e "$dir/capture/meta.json" ]; then
    echo "run: the guest ran to power-off in $booted s, untraced: the lines above say why"
    exit 0
fi

image_bytes=$((0x$(nm "$ELF" | awk '$3 == "image_end" { print $1 }') - 0x$(nm "$ELF" | awk '$3 == "image_start" { print $1 }')))
[ "$guest" = vmlinuz ] && [ -r "$build/guest/kernel.version" ] && guest=$(cat "$build/guest/kernel.version")
[ "${GUEST:-kernel}" = kernel ] || guest="$guest, $GUEST"
names=()
# A kernel that unpacks itself has payload_length, at 24CH of Linux's boot protocol; our micro-guests do not.
[ -n "$KERNEL" ] && [ "$(od -An -tu4 -j 588 -N 4 "$KERNEL" | tr -d ' ')" -gt 0 ] 2>/dev/null && names+=(--kernel "$KERNEL")
for file in ${FILES:-}; do
    names+=(--files "$file")
done
echo "run: powered off after $booted s; decoding"
"$build/undertrace" report "$dir/capture" "${names[@]}" --truth "$dir/truth.bin" --json "$dir/summary.json" --guest "$guest" \
    --image-bytes "$image_bytes" --seconds-build "$built" --seconds-boot "$booted" | tee "$dir/report.txt"
status=${PIPESTATUS[0]}
if [ "$status" -eq 2 ]; then
    echo "run: something is missing or differs, the report says what; the capture is $dir/capture" >&2
    exit 1
elif [ "$status" -ne 0 ]; then
    echo "run: the report failed; the capture is $dir/capture" >&2
    exit 1
fi
echo "run: $dir/summary.json has these figures, $dir/capture the trace"
if ! "$build/undertrace" page "$dir/capture" "${names[@]}" -o "$dir/boot.html" 2>"$dir/page.log"; then
    echo "run: the page was not made: $(tail -n 1 "$dir/page.log")" >&2
    exit 1
fi
echo "run: $dir/boot.html shows them in a browser"
