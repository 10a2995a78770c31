#!/bin/bash
# The rules of the source that a compiler does not check. Prints TAP.
#
# usage: lint.sh       (from the top; CORE holds the core files, as the Makefile lists them)
set -u

sources=$(git ls-files -co --exclude-standard '*.c' '*.h' 2>/dev/null || find base boot vmx pt serial decode lib tests -name '*.[ch]')
count=0

# Name a rule; what the command prints is what breaks it.
rule() {
    local name=$1 output
    shift
    output=$("$@" 2>&1)
    count=$((count + 1))
    if [ -z "$output" ]; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        echo "$output" | head -n 40
    fi
}

format() {
    # shellcheck disable=SC2086
    clang-format --dry-run -Werror $sources
}

cppcheck_quiet() {
    # shellcheck disable=SC2086
    cppcheck --quiet --std=c11 --platform=unix64 -U__ASSEMBLER__ -I. --inline-suppr --suppress=missingIncludeSystem \
        --library=tests/rig/cppcheck.cfg --suppressions-list=tests/rig/cppcheck.suppressions \
        --enable=warning,performance,portability --template='{file}:{line}: {id}: {message}' \
        $(printf '%s\n' $sources | grep '\.c$')
}

# The arrows of the design: what a file of a room may include of other rooms.
include_directions() {
    # shellcheck disable=SC2086
    awk -v core="$CORE" '
    BEGIN {
        leaf = "base/ serial/log.h"
        may["boot"] = "base/ vmx/ pt/ serial/"
        may["vmx"] = "pt/engine.h pt/lvtpc.h serial/record.h " leaf
        may["pt"] = "serial/sink.h serial/sink_cut.h serial/record.h serial/command.h " leaf
        may["serial"] = "base/"
        may["base"] = ""
        # The rooms of the host tool: cli -> report -> check -> flow -> engine -> code -> capture, cli -> receive -> capture,
        # and report -> profile -> stack -> names -> code, stack -> flow.
        wire = "serial/frame.h serial/record.h serial/crc32c.h serial/command.h "
        may["decode/capture"] = wire
        may["decode/receive"] = wire "decode/capture/"
        may["decode/code"] = wire "decode/capture/ pt/rtit.h"
        may["decode/engine"] = may["decode/code"] " decode/code/ decode/truth.h pt/packet.h pt/instruction.h"
        may["decode/flow"] = may["decode/engine"] " decode/engine/"
        may["decode/foreign"] = may["decode/flow"] " decode/flow/"
        may["decode/check"] = may["decode/flow"] " decode/flow/ boot/builtin_guest.h"
        may["decode/names"] = may["decode/engine"] " decode/engine/hot.h"
        may["decode/stack"] = may["decode/flow"] " decode/engine/ decode/flow/ decode/names/"
        may["decode/query"] = may["decode/stack"]
        may["decode/profile"] = may["decode/stack"] " decode/stack/"
        may["decode/report"] = may["decode/check"] " decode/check/ decode/profile/ decode/stack/ decode/names/ pt/caps.h"
        may["decode/export"] = may["decode/profile"] " decode/profile/ pt/rtit.h decode/query/code_elf.h decode/query/code_image.h"
        may["decode/page"] = may["decode/export"] " decode/export/ decode/report/cause_text.h"
        # Whether a machine can be traced is judged by what the hypervisor judges it by.
        may["decode/doctor"] = "vmx/caps.h pt/caps.h pt/rtit.h boot/pt_same.h boot/linux.h serial/nic.h"
        may["decode/cli"] = may["decode/report"] " boot/builtin_guest.h decode/report/ decode/receive/ decode/foreign/ decode/export/ decode/page/ decode/query/ decode/doctor/"
        may["lib"] = may["decode/report"] " decode/report/ decode/foreign/ serial/record.h"
        may["tests"] = "base/ boot/ vmx/ pt/ serial/ decode/ lib/"
        n = split(core, list, " ")
        for (i = 1; i <= n; i++) is_core[list[i]] = 1
    }
    FILENAME ~ /^tests\/model\// { next } # compiled as a part of Bochs, includes its headers
    /^#include "/ {
        split($0, quoted, "\""); target = quoted[2]
        nr_parts = split(FILENAME, path, "/"); room = path[1]
        if (room == "decode" && nr_parts > 2) room = room "/" path[2]
        if (target !~ /\//) {
            if (room != "tests") print FILENAME ":" FNR ": \"" target "\": write room/file.h"
            next
        }
        if (is_core[FILENAME] && (target == "base/msr.h" || target == "base/io.h"))
            print FILENAME ":" FNR ": core includes " target ", which touches hardware"
        if (index(target, room "/") == 1) next
        n = split(may[room], list, " "); allowed = 0
        for (i = 1; i <= n; i++)
            if (list[i] == target || (list[i] ~ /\/$/ && index(target, list[i]) == 1)) allowed = 1
        if (!allowed) print FILENAME ":" FNR ": " room "/ may not include " target
    }' $sources
}

# The host tool speaks to people in cli/ alone: below it, and in the library, errors and progress are values and calls.
silent_below_cli() {
    # shellcheck disable=SC2086
    grep -nE '\b(isatty|perror|printf|vprintf|puts|putchar|exit|getopt_long)\(|\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b' \
        $(printf '%s\n' $sources | grep -E '^(decode|lib)/' | grep -v '^decode/cli/')
}

# libipt is what tests compare with: the product does without.
libipt_confined() {
    # shellcheck disable=SC2086
    grep -nE 'intel-pt.h|tests/judge' $(printf '%s\n' $sources | grep -E '^(decode|lib)/')
}

headers_alone() {
    local header
    for header in $(printf '%s\n' $sources | grep '\.h$' | grep -v '^tests/'); do
        gcc -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header" || echo "$header does not compile alone"
    done
}

function_length() {
    # shellcheck disable=SC2086
    awk '
    /^[a-zA-Z_].*[(,]/ { head = $0; line = FNR }
    /^{/ { start = FNR }
    /^}/ && start {
        if (FNR - start - 1 > 70) print FILENAME ":" line ": " FNR - start - 1 " lines, more than 70: " head
        start = 0
    }' $sources
}

# Nothing in the tree may name a place that exists on one machine only, or a package mirror.
places() {
    git ls-files -zco --exclude-standard 2>/dev/null | xargs -0 grep -nIE '/([w]ork|[t]mp/rig|[h]ome|[r]oot)/|https?://[^ /]*debian|[f]tp://' --
}

unfinished() {
    git ls-files -zco --exclude-standard -- base boot vmx pt serial decode lib tests Makefile 2>/dev/null | xargs -0 grep -nIE '(TO)DO|(FIX)ME|\bX[X]X\b' --
}

# The model's patch to Bochs is hooks, and stays so.
patch_size() {
    local lines
    lines=$(grep -cE '^([+][^+]|-[^-]|[+]$)' tests/model/bochs.patch)
    [ "$lines" -lt 60 ] || echo "tests/model/bochs.patch changes $lines lines, 60 or more"
}

shell_syntax() {
    local script
    for script in $(git ls-files -co --exclude-standard '*.sh' 2>/dev/null); do bash -n "$script"; done
}

rule 'clang-format changes nothing' format
rule 'cppcheck finds nothing' cppcheck_quiet
rule 'includes follow the arrows between rooms' include_directions
rule 'the host tool prints in decode/cli/ alone' silent_below_cli
rule 'the product does without libipt' libipt_confined
rule 'each header compiles alone' headers_alone
rule 'functions have at most 70 lines' function_length
rule 'no place of one machine, no mirror' places
rule 'nothing is left unfinished' unfinished
rule 'the patch to Bochs changes less than 60 lines' patch_size
rule 'shell scripts parse' shell_syntax
echo "1..$count"
