#!/bin/bash
# Captures that earlier versions have written (tests/captures/, made by tests/rig/keep_capture.sh): this version decodes each
# exactly as the emulated CPU executed, as the version that wrote it did, and by the library too. A capture of a format that is
# not known yet is refused by name.
. tests/system/lib.sh

check 'the example of the library is built' cc -I lib -o "$work/example" docs/example.c build/libundertrace.a -pthread
for stored in tests/captures/*.tar.xz; do
    name=$(basename "$stored" .tar.xz)
    mkdir "$work/$name"
    check "$name is unpacked" tar -C "$work/$name" -xf "$stored"
    exact "$name: each branch is the executed one" "$name"
    build/undertrace decode "$work/$name/capture" --branches "$work/branches.list" >/dev/null
    same "$name: the branches are those that its own version decoded" \
        "$(cd "$work" && sha256sum branches.list)" "$(cat "$work/$name/branches.sha256")"
    same "$name: the library counts as many" "$("$work/example" "$work/$name/capture" | sed 's/ branches.*, lost/, lost/')" \
        "CPU 0: $(grep -c . "$work/branches.list"), lost 0 times"
    same "$name: no gap and no damage are reported" "$(info "$name" '[.damages, .gaps | length] | add')" 0
done
check 'there is one of the wire version before this one' test -r "tests/captures/wire-$(($(sed -n 's/^#define FRAME_VERSION \([0-9]*\)u$/\1/p' serial/wire/frame.h) - 1)).tar.xz"

cp -r "$work/$name/capture" "$work/later"
sed -i 's/"capture_format": 1,/"capture_format": 7,/' "$work/later/meta.json"
rm "$work/later/checksums" # a number that differs from its checksum is a damaged one
for command in report info decode; do
    same "$command refuses a later format" "$(build/undertrace "$command" "$work/later" 2>&1; echo $?)" \
        "undertrace: $work/later: a capture of format 7, which this version of undertrace does not know: read it with a newer one"$'\n'1
done
same 'and so does the library' "$("$work/example" "$work/later" 2>&1 | grep -c 'a capture of format 7')" 1
done_testing
