#!/bin/bash
# The lines of the console appear on the screen too, from the first one on: a picture of the screen, read back by the font,
# has the lines of the serial line. In QEMU with each depth that GRUB can set, on a BIOS and under UEFI.
. tests/system/lib.sh
. tests/rig/boot_lib.sh

firmware=/usr/share/OVMF/OVMF_CODE_4M.fd
variables=/usr/share/OVMF/OVMF_VARS_4M.fd
guard_children

# image NAME PIXELS OPTIONS
image() {
    ELF=build/undertrace.elf KERNEL='' INITRD='' CMDLINE='' PIXELS=$2 OPTIONS=$3 tests/rig/iso.sh "$work/$1.iso"
}

# shot NAME LAST [WORDS...]: run the image until the console shows the text LAST, and take a picture of the screen.
shot() {
    local dir=$work/$1 last=$2 spent
    mkdir -p "$dir"
    : >"$dir/registers"
    mkfifo "$dir/monitor.in" "$dir/monitor.out"
    : >"$dir/console.txt"
    qemu-system-x86_64 -nodefaults -accel tcg -machine q35 -cpu max -m 256 -display none -vga std -no-reboot \
        -chardev "pipe,id=monitor,path=$dir/monitor" -mon chardev=monitor,mode=readline \
        -cdrom "$work/$1.iso" -serial "file:$dir/console.txt" "${@:3}" >"$dir/qemu.log" 2>&1 </dev/null &
    emulator=$!
    cat "$dir/monitor.out" >>"$dir/registers" &
    exec 9>"$dir/monitor.in"
    # After the last line the CPU halts, with interrupts off; firmware and GRUB have them on.
    until grep -a 'RFL=.* HLT=1' "$dir/registers" | grep -qv 'RFL=00000[2367abef]'; do
        spent=$(awk '{ sub(/.*\) /, ""); print int(($12 + $13) / 100) }' "/proc/$emulator/stat" 2>/dev/null) || spent=9999
        [ "${spent:-9999}" -lt 600 ] || { echo 'QEMU does not come to its end'; return 1; }
        : >"$dir/registers"
        echo 'info registers' >&9
        sleep 0.2
    done
    grep -qaF -- "$last" "$dir/console.txt" || { echo "the console does not show: $last"; return 1; }
    printf 'screendump %s\nquit\n' "$dir/screen.ppm" >&9
    wait "$emulator"
    emulator=
    exec 9>&-
    build/tools/screen_text "$dir/screen.ppm" >"$dir/screen.txt"
}

# lines_of NAME: what the console got, in rows as wide as the picture; as screen_text prints them but for the colour.
lines_of() {
    local columns
    columns=$(head -n 2 "$work/$1/screen.ppm" | tail -n 1 | awk '{ print int($1 / 8) }')
    tr -d '\r' <"$work/$1/console.txt" | grep -a '^undertrace: ' | cut -d ' ' -f 2- | fold -w "$columns" | sed 's/ *$//'
}

# shows NAME: the picture begins with these lines, and an empty one follows.
shows() {
    local nr
    lines_of "$1" >"$work/$1/should.txt"
    nr=$(wc -l <"$work/$1/should.txt")
    [ "$nr" -ge 3 ] && cut -c 2- "$work/$1/screen.txt" | head -n "$nr" | diff "$work/$1/should.txt" - &&
        [ -z "$(sed -n "$((nr + 1))s/^.//p" "$work/$1/screen.txt")" ]
}

for depth in 32 24 16; do
    name=bios$depth
    image "$name" "1024x768x$depth" 'selftest=on channel=none'
    check "$depth bits a pixel, BIOS: the self-test ends" shot "$name" 'selftest: done'
    check 'its lines are on the screen as on the console' shows "$name"
    same 'none of them in red' "$(grep -c '^!' "$work/$name/screen.txt")" 0
done
same 'the first one is the first' "$(sed -n '1s/^ version .*/version/p' "$work/bios32/screen.txt")" version

image refused 800x600x32 'pt.regions=1'
check 'an option is refused' shot refused 'stopped: correct this'
check 'which the screen says too' shows refused
same 'in red, with what to do' "$(grep -c '^!' "$work/refused/screen.txt")" 2

if [ -r "$firmware" ]; then
    cp "$variables" "$work/vars.fd"
    image uefi '' 'selftest=on channel=none'
    check 'UEFI: the self-test ends' shot uefi 'selftest: done' \
        -drive if=pflash,format=raw,readonly=on,file="$firmware" -drive if=pflash,format=raw,file="$work/vars.fd"
    check 'its lines are on the screen as on the console' shows uefi
else
    skip 'the screen of UEFI firmware' 'OVMF is not installed'
fi

# The last words of a dying hypervisor, over what the guest has drawn: in the emulator, whose framebuffer is looked at from outside.
ELF=build/undertrace.elf KERNEL=build/guests/ends.bzImage INITRD='' CMDLINE='triple 1000' PIXELS=1024x768x32 OPTIONS='pt.regions=4 triple=stop' \
    tests/rig/iso.sh "$work/dies.iso"
ISO=$work/dies.iso QUIET=2 UNTIL='no such text' PTMODEL="profile=skylake, watch=0xe0000000:$((1024 * 768 * 4)):$work/dies.screen" \
    tests/rig/boot.sh "$work/dies" 2>/dev/null
console_has 'a guest that ends in a triple fault' dies 'guest triple fault on CPU 0; the guest is stopped'
build/tools/screen_text "$work/dies.screen" 1024 768 >"$work/dies.txt"
tr -d '\r' <"$work/dies/console.txt" | sed -n '/guest triple fault/,$p' | grep '^undertrace: ' | cut -d ' ' -f 2- | head -n 48 >"$work/dies.should"
same 'the dump has more lines than the screen' "$(wc -l <"$work/dies.should")" 48
check 'the screen is full of its first ones' cmp "$work/dies.should" <(cut -c 2- "$work/dies.txt")
same 'all in red' "$(grep -c '^!' "$work/dies.txt")" 48

# The same in cells of EGA text, 80 to a row: characters and attributes in turn.
ELF=build/undertrace.elf KERNEL=build/guests/ends.bzImage INITRD='' CMDLINE='triple 1000' OPTIONS='pt.regions=4 triple=stop' \
    tests/rig/iso.sh "$work/ega.iso"
ISO=$work/ega.iso QUIET=2 UNTIL='no such text' PTMODEL="profile=skylake, watch=0xb8000:4096:$work/ega.screen" \
    tests/rig/boot.sh "$work/ega" 2>/dev/null
head -c 4000 "$work/ega.screen" | od -An -v -t u1 -w2 >"$work/ega.cells"
awk '{ printf "%c", $1; if (NR % 80 == 0) print "" }' "$work/ega.cells" | sed 's/ *$//' >"$work/ega.txt"
check 'on a text screen too' cmp <(head -n 25 "$work/dies.should") "$work/ega.txt"
same 'all in red' "$(awk '$2 == 79' "$work/ega.cells" | wc -l)" 2000
done_testing
