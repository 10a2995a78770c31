#!/bin/bash
# Make the first inputs of the fuzz target `names` out of the sources beside this script, with gcc and binutils: each is
# smaller than 4096 bytes, libFuzzer's limit in run.sh. Other versions of binutils make slightly different files.
#
# usage: tests/fuzz/seeds/names.sh DIR     (from the top; tests/fuzz/corpus/names has what it made)
set -eu

out=$1
sources=tests/fuzz/seeds
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

assemble() { gcc -c -o "$work/$1.o" "${@:3}" "$sources/$2.S"; }
link() { ld --hash-style=sysv -z noseparate-code -z norelro -z max-page-size=4096 "$@"; }

assemble library names_library -m64
assemble library32 names_library -m32
link -shared --build-id -o "$out/library" "$work/library.o"
link -m elf_i386 -shared -o "$out/library32" "$work/library32.o"
link -pie --no-dynamic-linker --unresolved-symbols=ignore-all -e first -o "$out/program" "$work/library.o"

assemble module names_module -m64
cp "$work/module.o" "$out/module"

# -N: segments are not aligned in the file. Without .symtab only kallsyms has the symbols.
for form in base relative; do
    assemble "$form" names_kernel -m64 $([ $form = relative ] && echo -DRELATIVE)
    link -N -s --no-warn-rwx-segments -Ttext=0xffffffff81000000 -e text -o "$out/kernel-$form" "$work/$form.o"
done
objcopy -O binary --only-section=.BTF "$work/base.o" "$out/btf"
objcopy -O binary --only-section=.rodata "$work/base.o" "$out/kallsyms"
wc -c "$out"/*
