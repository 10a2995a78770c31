#!/bin/bash
# Names without the guest's help, compared with the guest's own: of its kernel, wherever it was moved to; of modules that are
# loaded, unloaded and loaded elsewhere; of programs and libraries at random addresses, with the names that binutils have.
. tests/system/lib.sh
. tests/rig/names_lib.sh

initrd=$work/initrd
cat build/guest/userland build/guest/modules >"$initrd"
(cd "$work" && cpio --quiet -id) <build/guest/modules
(cd "$work" && cpio --quiet -id usr/bin/threads) <build/guest/userland # of the guest's programs, the one that this machine lacks
WIRE='rate=0 latency=0' MEMORY=512 check 'a guest that prints its names boots to power-off' \
    boot names build/guest/moved "$initrd" "$CMDLINE $short_boot mitigations=off userland=names" 'channel=e1000 net.mtu=9000'
console_has 'it printed them' names 'userland: names, done'
check 'its functions are listed' list names --kernel build/guest/vmlinuz --files "$work/modules" \
    --files "$work/usr/bin" --files /usr/bin --files /usr/sbin --files /usr/lib
dir=$work/names

# The kernel.
moved=$(sed -n 's/^# kernel: .* moved by \(0x[0-9a-f]*\): \([0-9]*\) of \2 pages agree$/\1/p' "$dir/names")
kernel_agrees names
same 'the kernel was moved as the guest says' "$moved" \
    "0x$(printf %x $((0x$(awk '$3 == "_stext" { print $1 }' "$dir/kallsyms") - 0xffffffff81000000)))"
[ "$moved" != 0x0 ] && pass 'and it was moved' || fail 'and it was moved' "by $moved"
build/undertrace names "$dir/capture" --kernel build/guest/vmlinuz >"$dir/addresses" \
    "$(awk '$3 == "schedule" { print $1 }' "$dir/kallsyms")" ffffffffffffff00
same 'an address is named' "$(awk '{ print $3, $4 }' "$dir/addresses" | tr '\n' ,)" 'schedule vmlinux,? ?,'

# A vmlinux with DWARF: the moved kernel's lines of sources are those that addr2line finds where it was linked.
if build/undertrace names "$dir/capture" 0 --files build/undertrace --srcline 2>&1 | grep -q 'built without libdw'; then
    skip 'lines of the kernel' 'libdw-dev was not there when undertrace was built'
else
    build/undertrace code "$dir/capture" -o "$dir/code.elf" >"$dir/code.log" 2>&1
    check 'a vmlinux with DWARF is made' tests/rig/vmlinux.sh "$dir/code.elf" "$moved" "$dir/vmlinux"
    awk '$1 == "-" && $6 == "vmlinux" { print $2 }' "$dir/names" | sort -u >"$dir/functions"
    xargs -n 500 build/undertrace names "$dir/capture" --kernel "$dir/vmlinux" --srcline <"$dir/functions" | awk '!/^#/ { print $1, $NF }' >"$dir/lines"
    while read -r at; do printf '%s %x\n' "$at" $((0x$at - moved)); done <"$dir/functions" >"$dir/linked"
    cut -d ' ' -f 2 "$dir/linked" | addr2line -e "$dir/vmlinux" | paste -d ' ' <(cut -d ' ' -f 1 "$dir/linked") - >"$dir/lines.wanted"
    same 'lines of the kernel are those of addr2line' "$(join "$dir/lines" "$dir/lines.wanted" |
        awk '{ n++; known += $2 ~ /^kernel.c:[1-9]/; bad += $2 != $3 } END { print (n > 4000), (known > 0.95 * n), bad + 0 }')" '1 1 0'
    same 'trace has them, too' "$(build/undertrace trace "$dir/capture" --kernel "$dir/vmlinux" --srcline --lines 1 --what branches \
        --address "$(awk '$3 == "start_kernel" { print $1 }' "$dir/kallsyms")" 2>/dev/null | grep -c ' -> .*(kernel.c:[1-9][0-9]*)$')" 1
    rm -f "$dir/vmlinux" "$dir/code.elf"
fi

# The files are remembered, and found where they are searched. What is not there any more is fetched.
remembered() { build/undertrace info --json "$dir/capture" | jq -r ".names[] | select(.kind == \"$1\").path"; }
named() { build/undertrace names "$@" "$(awk '$3 == "schedule" { print $1 }' "$dir/kallsyms")" 2>"$work/named.log" | awk '{ print $3, $4 }'; }
check 'a kernel is given again' eval '[ "$(named "$dir/capture" --kernel build/guest/vmlinuz)" = "schedule vmlinux" ]' # in place of one with DWARF
same 'the kernel is remembered' "$(remembered kernel)" "$(realpath build/guest/vmlinuz)"
same 'and the paths of --files' "$(remembered given | wc -l)" 5
at_most 'of them only the files with code of the trace' "$(remembered file | wc -l)" 40
check 'bash and the modules, for instance' eval '[ "$(remembered file | grep -cE "/(bash|loop.ko)$")" = 2 ]'
same 'without options there are names' "$(named "$dir/capture")" 'schedule vmlinux'
same 'also of programs' "$(awk '$6 == "bash" && $5 != "?" { print $2, $5; exit }' "$dir/names" >"$work/one" && read -r at name <"$work/one" &&
    build/undertrace names "$dir/capture" "$at" --cr3 "$(awk '$6 == "bash" && $5 != "?" { print "0x" $1; exit }' "$dir/names")" | awk '{ print $3 }' |
    grep -cxF "$name")" 1
same 'but not where they are ignored' "$(named "$dir/capture" --remembered ignore)" '? ?'
# debuginfod_agrees: a program without symbols gets them from a server, and is fetched itself when it is gone.
debuginfod_agrees() {
    local port=$((20000 + $$ % 20000)) served=$work/served
    mkdir -p "$served" "$work/bin"
    objcopy --only-keep-debug "$work/usr/bin/threads" "$served/threads.debug"
    cp "$work/usr/bin/threads" "$served/threads"
    strip "$served/threads"
    cp "$served/threads" "$work/bin"
    # Was `await` executed, which only this program has, by the names that there are?
    awaited() {
        DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_URLS=$1 build/undertrace find "$dir/capture" --json await "${@:2}" 2>"$work/fetch.log" | jq '.executed > 0'
    }
    same 'a stripped program has no symbols' "$(awaited '' --files "$work/bin")" false
    debuginfod -d :memory: -p "$port" -F "$served" >"$work/debuginfod.log" 2>&1 &
    local server=$!
    local id
    id=$(readelf -n "$served/threads" | awk '/Build ID/ { print $3 }')
    for _ in $(seq 100); do # until it has read the files; the client remembers what a server does not have
        DEBUGINFOD_CACHE_PATH=$work/cache.wait DEBUGINFOD_URLS=http://127.0.0.1:$port debuginfod-find executable "$id" >"$work/find.log" 2>&1 &&
            DEBUGINFOD_CACHE_PATH=$work/cache.wait DEBUGINFOD_URLS=http://127.0.0.1:$port debuginfod-find debuginfo "$id" >"$work/find.log" 2>&1 && break
        rm -rf "$work/cache.wait"
        sleep 0.2
    done
    same 'with debuginfod it has' "$(awaited "http://127.0.0.1:$port")" true
    check 'and what is fetched is said' grep -q "debuginfod: the debug file of .*/bin/threads, build ID $id" "$work/fetch.log"
    rm -r "$work/bin" "$work/cache"
    same 'a remembered program that is gone is fetched' "$(awaited "http://127.0.0.1:$port")" true
    kill "$server"
    wait "$server" 2>/dev/null
    rm -r "$work/cache"
    same 'without its server it has no names' "$(awaited "http://127.0.0.1:$port")" false
    check 'and messages say why' eval 'grep -q "^undertrace: debuginfod: .*; this command fetches nothing else" "$work/fetch.log" &&
        grep -q "1 of 1 files are gone or have changed, the first: .*/bin/threads" "$work/fetch.log"'
}
mkdir "$work/kernels"
echo none >"$work/kernels/vmlinuz-0"
cp build/guest/vmlinuz "$work/kernels/vmlinuz-1"
cp build/guest/vmlinuz "$work/kernels/vmlinuz-2"
cp "$dir/capture/names" "$work/names.kept"
same 'forgotten names are gone, and the kernel is found by its code' "$(UNDERTRACE_KERNELS=$work/kernels named "$dir/capture" --remembered forget)$(
    UNDERTRACE_KERNELS=$work/kernels named "$dir/capture")" '? ?schedule vmlinux'
same 'which is remembered, too, and what is no kernel' "$(remembered kernel)$(grep -c '^other .*/vmlinuz-0$' "$dir/capture/names")" \
    "$(realpath "$work/kernels/vmlinuz-1")1"
rm "$work/kernels/vmlinuz-1"
same 'when it is gone, another one is found' "$(UNDERTRACE_KERNELS=$work/kernels named "$dir/capture")" 'schedule vmlinux'
rm "$work/kernels/vmlinuz-2"
same 'when none is left, a message says so' "$(UNDERTRACE_KERNELS=$work/kernels named "$dir/capture") $(grep -c 'gone or has changed' "$work/named.log")" '? ? 1'
if command -v debuginfod >/dev/null && ! grep -q 'libdebuginfod=$' build/extra.inputs; then
    debuginfod_agrees
else
    skip 'files are fetched by build ID' 'debuginfod or libdebuginfod-dev is not installed'
fi
cp "$work/names.kept" "$dir/capture/names"

# Modules: what the guest lists; of what was gone by then, what binutils find in the file's .init.text.
printed names 'modules 1' >"$dir/modules"
printed names 'modules 2' >>"$dir/modules"
for module in loop dummy binfmt_misc; do
    objdump -t -j .init.text "$work/modules/$module.ko" | awk -v m="$module" '$NF != ".init.text" && NF > 4 { print "init", "t", $NF, "[" m "]" }'
done >>"$dir/modules"
counts=$(awk 'NR == FNR { own[$1 " " $3 " " $4] = 1; next }
    $1 == "-" && $6 != "vmlinux" { if (($2 " " $5 " [" $6 "]") in own || ("init " $5 " [" $6 "]") in own) good++; else { bad++; print >"'"$dir/differ"'" } }
    END { print (good > 50), bad + 0 }' "$dir/modules" "$dir/names")
same 'functions of modules have the guest'"'"'s own names' "$counts$(cat "$dir/differ" 2>/dev/null)" '1 0'
for module in loop binfmt_misc; do
    same "$module was at two addresses" "$(awk -v m="$module" '$6 == m && $5 ~ "^" wanted[m] "$" { print $2 }
        BEGIN { wanted["loop"] = "lo_ioctl"; wanted["binfmt_misc"] = "bm_register_write" }' "$dir/names" | sort -u | wc -l)" 2
done

# Programs.
maps_agree names bash
maps_agree names perl
# A branch to a page whose fault is handled only after the next PSB is listed before the page is known. Below 1 MiB:
# real mode.
at_most 'functions of users of which it is not known whose they are' \
    "$(awk '$1 != "-" && $6 == "?" && $2 >= "0000000000100000"' "$dir/names" | wc -l)" 3
# The code before the unpacked kernel is in no file.
same 'and of which process it was' "$(awk '!/^#/ && $1 != "-" && $1 > 0 && !/vmlinux|bzImage/ && $2 != "0000000001000000" && NF < 7' "$dir/names" | wc -l)" 0

# Tasks.
tasks_agree names
build/undertrace report "$dir/capture" --kernel build/guest/vmlinuz --files /usr/bin --files /usr/sbin --json "$dir/report.json" >"$dir/report.txt"
# Its file is known by what its pages hold: the two ways must agree. Scripts and busybox are called otherwise than their files.
same 'processes are called as their programs' "$(jq -r '[.profile.processes[] | select(.program and .comm) | .comm as $comm | .program as $program |
    select([$program[:15], "names", "init", "first thread", "second thread", "x", "called otherwis", "(a child)"] | index($comm) | not)] |
    map("\(.comm) is \(.program)") | unique | join(", ")' "$dir/report.json")" ''
at_most 'processes of which the number is not known' "$(jq '[.profile.processes[] | select(.cr3 and (.pid | not))] | length' "$dir/report.json")" 0
check 'the report calls them by name and number' grep -Eq '^  perl \([0-9]+\) ' "$dir/report.txt"
check 'trace names threads as the guest does' threads_agree names 'called otherwis' --kernel build/guest/vmlinuz

# One process of several that had a CR3 one after another: what find counts is what trace lists, and all of them together are what
# the CR3 has. An address that many of them executed: where bash's code is entered most often.
entered=$(awk '$1 != "-" && $6 == "bash" && !/@plt/ { print $2 }' "$dir/names" | sort | uniq -c | sort -rn | awk '{ print $2; exit }')
cr3=$(info names '[.tasks[] | select(.comm == "names")] | group_by(.cr3) | max_by(map(.pid) | unique | length) | .[0].cr3')
build/undertrace trace "$dir/capture" --remembered ignore --what instructions --address "$entered" --process "0x$cr3" 2>/dev/null |
    sed -E 's/^ *[0-9.]+ [0-9]+ +0x[0-9a-f]+ (.*) [0-9a-f]{16}$/\1/; s/ *$//' | sort | uniq -c >"$dir/owners"
while read -r count comm; do
    pid=${comm##*(}
    echo "$comm $count $(build/undertrace find "$dir/capture" --json "$entered" --process "pid:${pid%)}" 2>/dev/null | jq .executed)"
done <"$dir/owners" >"$dir/counted"
same 'find counts of each process what trace lists of it' "$(awk '{ sum += $NF; bad += $NF < $(NF - 1) } END { print (NR > 1), bad + 0 }' "$dir/counted")" '1 0'
one=$(awk '{ print $NF, $0 }' "$dir/counted" | sort -n | sed -n '1s/.*(\([0-9]*\)).*/\1/p')
same 'all of a process, also by its name' "$(build/undertrace find "$dir/capture" --json "$entered" --process "pid:$one" 2>/dev/null | jq .executed)" \
    "$(build/undertrace trace "$dir/capture" --what instructions --address "$entered" --process "pid:$one" 2>/dev/null | wc -l)"
# A function is found by its name in the source and by each symbol at its address.
executed() { build/undertrace find "$dir/capture" --kernel build/guest/vmlinuz --json "$1" 2>/dev/null | jq -sc 'map([.begin, .executed])'; }
clone=$(build/undertrace find "$dir/capture" --kernel build/guest/vmlinuz --json '*.isra.0' 2>/dev/null | jq -sr 'map(select(.executed > 0).what)[0] | split(" ")[1]')
same "a clone ($clone) by its function's name" "$(executed "${clone%%.*}")" "$(executed "$clone")"
same 'several symbols of one function' "$(executed memcpy)" "$(executed __memcpy)"
same 'which was executed' "$(executed memcpy | jq '.[0][1] > 0')" true
same 'perl is perl, by its name and by its file' "$(for options in '--remembered ignore' '--files /usr/bin'; do
    # shellcheck disable=SC2086 # two words
    build/undertrace find "$dir/capture" --json "$(awk '$5 == "main@plt" || $6 == "perl" { print $2; exit }' "$dir/names")" --process perl $options 2>/dev/null |
        jq -c '[.executed > 0, .first.comm, .last.comm]'
done | sort -u)" '[true,"perl","perl"]'
same 'an unknown process is an error' "$(build/undertrace find "$dir/capture" "$entered" --process unknown 2>&1; echo $?)" \
    "undertrace: find: --process unknown: no such process executed anything; undertrace report lists the processes"$'\n'1

# What is exported of one process is what the report has of it, but for some branches where it begins.
build/undertrace export "$dir/capture" --remembered ignore --kernel build/guest/vmlinuz --process perl --format folded -o "$dir/perl.folded" 2>/dev/null
at_most 'export --process: branches of perl that differ from those of the report' "$(($(awk '{ sum += $NF } END { print sum }' "$dir/perl.folded") -
    $(jq '[.profile.processes[] | select(.comm == "perl") | .branches] | add' "$dir/report.json")))" 10
at_most 'and of others, before the records have their names' "$(awk '!/^perl [(]/ { sum += $NF } END { print sum + 0 }' "$dir/perl.folded")" 10
same 'none of a process that was not there' "$(build/undertrace export "$dir/capture" --process unknown --time 100-120 --format folded -o - 2>/dev/null | wc -c)" 0

# perf reads the whole boot.
if command -v perf >/dev/null; then
    check 'perf report calls processes as the guest does, and sums up what they took' \
        perf_agrees names --kernel build/guest/vmlinuz --files "$work/modules" --files /usr/bin --files /usr/sbin
    same 'perf script has the guest'"'"'s own functions of the kernel' "$(awk '{ print ($1 > 3000), $2 }' "$dir/perf.kernel")" '1 0'
else
    skip 'perf opens the boot' 'perf is not installed (linux-perf)'
fi

# program_agrees NAME FILE: its functions are where binutils say; what is exported, and the entries of the PLT.
program_agrees() {
    local base file=$2
    base=$(awk -v file="$file" '$6 == file { split($1, range, "-"); print range[1], $3; exit }' "$dir/maps.$1")
    { nm -D --defined-only "$file" | awk '$2 ~ /[tTwWiuV]/ { sub("@.*", "", $3); print $1, $3 }'
        objdump -d -j .plt -j .plt.sec -j .plt.got "$file" 2>/dev/null | sed -n 's/^\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p'
    } >"$dir/own.$1"
    counts=$(awk -v base=$((0x${base% *} - 0x${base#* })) "$hex"' NR == FNR { own[hex(substr($1, 4)) " " $2] = 1; next }
        $1 != "-" && $6 == "'"$1"'" && $5 != "?" {
            at = hex(substr($2, 4)) - base
            if (at < 0 || at >= 2^24) next # another process
            if ((at " " $5) in own) good++; else { bad++; print >"'"$dir/differ.$1"'" }
            plt += $5 ~ /@plt$/
        } END { print (good > 100), bad + 0, (plt > 10) }' "$dir/own.$1" "$dir/names")
    same "functions of $1 are where binutils have them" "$counts$(head -n 3 "$dir/differ.$1" 2>/dev/null)" '1 0 1'
}
program_agrees bash /usr/bin/bash
program_agrees perl "$(readlink -f /usr/bin/perl)"

# nokaslr: as linked. As far as the first lines of its console.
UNTIL='Memory: ' MEMORY=512 check 'a kernel that stays where it was linked' \
    boot stays build/guest/unpacked build/guest/initrd "$CMDLINE nokaslr" 'channel=e1000 net.mtu=9000'
check 'its functions are listed, too' eval 'list stays --kernel build/guest/vmlinuz || [ $? = 1 ]'
same 'it is found there' "$(sed -n 's/^# kernel: .* moved by \(0x[0-9a-f]*\): .*/\1/p' "$work/stays/names")" 0x0
same 'start_kernel ran there' "$(awk '$5 == "start_kernel" { print $2, $6 }' "$work/stays/names")" \
    "$(awk -v moved=$((moved)) '$3 == "start_kernel" { print $1 }' "$dir/kallsyms" | while read -r at; do printf '%x vmlinux' $((0x$at - moved)); done)"

# Another kernel's file, and files that are not ELF files.
check 'another file of a kernel yields no names' eval \
    'build/undertrace names "$dir/capture" --kernel "$work/modules/loop.ko" 2>&1 | grep -q "not an x86-64 kernel"'
printf '.globl _start\n_start: ret\n' | as --32 -o "$work/narrow.o" && ld -m elf_i386 -Ttext 0xc1000000 -o "$work/narrow" "$work/narrow.o"
check 'an image of a 32-bit kernel is not read; all else has names' eval \
    'build/undertrace names "$dir/capture" --kernel "$work/narrow" --files /usr/bin >"$work/narrow.names" &&
    grep -q "^# .*32-bit kernel.*--symbols" "$work/narrow.names" && grep -q " bash " "$work/narrow.names"'
check 'kernel-options says that it is one' eval \
    'build/undertrace kernel-options "$work/narrow" 2>&1 | grep -q "it is a 32-bit kernel"'
done_testing
