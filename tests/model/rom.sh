# Test ROMs in the emulator: how they are compiled, configured and run. Sourced by regs/run.sh, rows/run.sh and selftest/*.sh.
# shellcheck shell=sh disable=SC2034,SC2154

rom_flags='-c -O2 -ffreestanding -fno-pie -mno-red-zone -mgeneral-regs-only -fcf-protection=none -fno-stack-protector
    -fno-asynchronous-unwind-tables -Wall -Wextra -Werror'

# rom_link ROM.elf SCRIPT OBJECT...: also ROM.bin, the image.
rom_link() {
    rom=$1 script=$2
    shift 2
    ld -nostdlib -static --no-warn-rwx-segments -T "$script" -o "$rom" "$@"
    objcopy -O binary "$rom" "${rom%.elf}.bin"
}

# rom_bochsrc MEMORY CPUS COM1 PTMODEL [LINE...]: what COM1 receives goes to the file COM1. Further lines as they are.
rom_bochsrc() {
    cat <<RC
memory: $1
romimage: file=rom.bin, address=0xffff0000
vgaromimage: file=vga.bin
cpu: model=corei7_skylake_x, count=$2, ips=1000000, reset_on_triple_fault=0
clock: sync=none, time0=1700000000
boot: cdrom
log: bochs.log
com1: enabled=1, mode=file, dev=$3
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
display_library: nogui
ptmodel: $4
RC
    shift 4
    [ $# -eq 0 ] || printf '%s\n' "$@"
}

# rom_run DIR: with DIR/bochsrc and DIR/rom.bin. How the ROM ended is for the caller to check.
rom_run() {
    head -c 32768 /dev/zero >"$1/vga.bin"
    (cd "$1" && timeout 3600 "$build/bochs" -q -f bochsrc </dev/null >bochs.out 2>&1) || true
}
