#!/bin/bash
# The rules of the source that a compiler does not check. Prints TAP.
#
# usage: lint.sh       (from the top; CORE holds the core files, as the Makefile lists them)
set -u

sources=$(git ls-files -co --exclude-standard '*.c' '*.h' 2>/dev/null || find base boot vmx pt serial vtd decode lib tests -name '*.[ch]')
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

# What a file of a room may include of other rooms: tests/rig/arrows.
include_directions() {
    # shellcheck disable=SC2086
    awk -v core="$CORE" '
    function room_of(path,    folder) {
        for (folder = path; sub(/\/[^\/]*$/, "", folder);)
            if (folder in may) return folder
        return ""
    }
    function allowed(target, list,    words, n, i) {
        n = split(list, words, " ")
        for (i = 1; i <= n; i++)
            if (words[i] == target || (words[i] ~ /\/$/ && index(target, words[i]) == 1)) return 1
        return 0
    }
    BEGIN { n = split(core, list, " "); for (i = 1; i <= n; i++) is_core[list[i]] = 1 }
    FILENAME == "tests/rig/arrows" {
        if ($1 ~ /:$/) { room = $1; sub(/:$/, "", room); $1 = ""; may[room] = $0 }
        next
    }
    FILENAME ~ /^tests\/model\// { next } # compiled as a part of Bochs, includes its headers
    /^#include "/ {
        split($0, quoted, "\""); target = quoted[2]; room = room_of(FILENAME)
        if (target !~ /\//) {
            if (room != "tests") print FILENAME ":" FNR ": \"" target "\": write room/file.h"
            next
        }
        if (is_core[FILENAME] && (target == "base/msr.h" || target == "base/io.h"))
            print FILENAME ":" FNR ": core includes " target ", which touches hardware"
        if (room == "") print FILENAME ":" FNR ": no room of tests/rig/arrows holds this file"
        else if (room_of(target) != room && target !~ /^base\// && !allowed(target, may[room]))
            print FILENAME ":" FNR ": " room "/ may not include " target
    }' tests/rig/arrows $sources
}

# Only decode/cli/ prints: below it, and in the library, errors are values and progress is a callback.
silent_below_cli() {
    # shellcheck disable=SC2086
    grep -nE '\b(isatty|perror|printf|vprintf|puts|putchar|exit|getopt_long)\(|\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b' \
        $(printf '%s\n' $sources | grep -E '^(decode|lib)/' | grep -v '^decode/cli/')
}

# An address that the guest chose becomes a pointer in one place, which checks it: vmx/guest/memory.h. The others convert
# addresses of root's own: EPT tables, the local APIC (checked when the guest moves it), boot's GDT for the guest.
guest_addresses() {
    # shellcheck disable=SC2086
    grep -nE '\bphys_to_virt\(' $(printf '%s\n' $sources | grep '^vmx/' |
        grep -vE '^vmx/(guest/memory\.c|ept/tables\.h|apic/registers\.h|vmcs/setup\.c|host/.*)$')
}

# These rooms of vmx/ have one header each for others.
one_door() {
    local folder
    for folder in code exit nmi soft; do
        # shellcheck disable=SC2086
        grep -nE "#include \"vmx/$folder/" $(printf '%s\n' $sources | grep -vE "^(vmx/$folder|tests)/") |
            grep -v "\"vmx/$folder/$folder.h\""
    done
}

# Only the file of vmx/ that keeps a state on each CPU (CPU_STATE of vmx/cpu/cpu.h) accesses it; in vmx/code/ and
# vmx/soft/ the room does.
cpu_states() {
    local file name owner
    # shellcheck disable=SC2086
    grep -HoE '^CPU_STATE\(\w+\)' $(printf '%s\n' $sources | grep '^vmx/') | tr -d '()' | sed 's/:CPU_STATE/ /' |
        while read -r file name; do
            case $file in
            vmx/code/* | vmx/soft/*) owner=${file%/*}/ ;;
            *) owner=${file%.*}. ;;
            esac
            grep -nE "\\b${name}_of\\(" $(printf '%s\n' $sources | grep '^vmx/' | grep -vF "$owner")
        done
}

# libipt is what tests compare with: the product does without.
libipt_confined() {
    # shellcheck disable=SC2086
    grep -nE 'intel-pt.h|tests/judge' $(printf '%s\n' $sources | grep -E '^(decode|lib)/')
}

headers_compile() {
    local header
    for header in $(printf '%s\n' $sources | grep '\.h$' | grep -v '^tests/'); do
        gcc -std=c11 -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header" || echo "$header does not compile by itself"
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

# Nothing in the tree may name a place that exists on one machine only, or a package mirror. (The first line of a copyright file
# of Debian is the address of its format.)
places() {
    git ls-files -zco --exclude-standard 2>/dev/null | xargs -0 grep -nIE '/([w]ork|[t]mp/rig|[h]ome|[r]oot)/|https?://[^ /]*debian|[f]tp://' -- |
        grep -v '^packaging/debian/copyright:1:Format: '
}

unfinished() {
    git ls-files -zco --exclude-standard -- base boot vmx pt serial vtd decode lib tests mk Makefile 2>/dev/null | xargs -0 grep -nIE '(TO)DO|(FIX)ME|\bX[X]X\b' --
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

# Words that say nothing to a VMX or PT engineer, and documents wider than 120 columns: budgets that only shrink.
private_words() {
    tests/rig/words.sh --check
}

# docs/README.md and docs/architecture.md have what is generated from the documents and from tests/rig/arrows.
documents_listed() {
    tests/rig/docs_index.sh --check
    tests/rig/arrows.sh --check
}

# A tool that was run at the top with a wrong option leaves files there: none of them is the project's.
top_files() {
    git ls-files -co --exclude-standard 2>/dev/null | grep -v / |
        grep -vxE '\.clang-format|\.editorconfig|\.gitignore|(CHANGELOG|CONTRIBUTING|README)\.md|LICENSE|Makefile|linker\.ld'
}

# Each goal has its line in make help.
goals_have_help() {
    local goal
    for goal in $(sed -n '/^\.PHONY:/,/[^\\]$/p' Makefile | tr -d '\\' | sed 's/^\.PHONY://'); do
        grep -qE "^#: make ([^ ]* )*$goal( |$)" Makefile || echo "Makefile: the goal $goal has no line '#: make $goal ...'"
    done
}

rule 'clang-format changes nothing' format
rule 'cppcheck finds nothing' cppcheck_quiet
rule 'includes follow the arrows between rooms' include_directions
rule 'the host tool prints in decode/cli/ only' silent_below_cli
rule 'the product does without libipt' libipt_confined
rule 'guest addresses become pointers only where they are checked' guest_addresses
rule 'rooms of vmx/ have one header for others' one_door
rule 'each state on a CPU is accessed by one file' cpu_states
rule 'each header compiles by itself' headers_compile
rule 'functions have at most 70 lines' function_length
rule 'no place of one machine, no mirror' places
rule 'nothing is left unfinished' unfinished
rule 'the patch to Bochs changes less than 60 lines' patch_size
rule 'shell scripts parse' shell_syntax
rule 'private words and wide lines become fewer' private_words
rule 'each goal has a line in make help' goals_have_help
rule 'the top folder holds nothing but the project' top_files
rule 'generated parts of the documents are current' documents_listed
echo "1..$count"
