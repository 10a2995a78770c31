#!/bin/bash
# Private words (tests/rig/words) in sources, scripts and documents: what must be written in the field's own terms.
#
# usage: words.sh             print each word with its count and its budget
#        words.sh --check     print only what breaks a budget: more hits than allowed, or fewer, so that the budget shrinks
#        words.sh --show NAME print each occurrence: file:line:text
#        words.sh --update    write today's counts into tests/rig/words, where they are lower than the budgets
set -u
export LC_ALL=C.UTF-8 # widths are counted in characters

list=tests/rig/words
files=$(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.S' '*.cc' '*.sh' '*.md' '*.mk' '*.ld' '*.1' '*.3' '*.7' Makefile |
    grep -vE '^tests/rig/words')

# hits NAME EXPRESSION: file:line:text of each. A name that starts with md- concerns documents only.
hits() {
    local among=$files
    case $1 in md-*) among=$(printf '%s\n' $files | grep '\.md$') ;; esac
    # shellcheck disable=SC2086 # a list of files
    grep -nHiE -e "$2" -- $among </dev/null
}

case ${1:-} in
--show)
    expression=$(awk -v name="${2:-}" '$2 == name { $1 = $2 = ""; sub(/^ +/, ""); print }' "$list")
    [ -n "$expression" ] || { echo "words.sh: unknown word '${2:-}'; choose from $(awk '!/^#/ { printf "%s ", $2 }' "$list")" >&2; exit 2; }
    hits "$2" "$expression"
    ;;
'' | --check | --update)
    while read -r budget name expression; do
        case $budget in '#' | '#'*) continue ;; esac
        found=$(hits "$name" "$expression" | wc -l)
        case ${1:-} in
        '') printf '%-12s %4d of %4d\n' "$name" "$found" "$budget" ;;
        --check)
            if [ "$found" -gt "$budget" ]; then
                echo "'$name' occurs $found times, $budget are allowed; see tests/rig/words.sh --show $name"
            elif [ "$found" -lt "$budget" ]; then
                echo "'$name' occurs $found times only: lower its budget with tests/rig/words.sh --update"
            fi
            ;;
        --update) [ "$found" -ge "$budget" ] || sed -i "s/^$budget $name /$found $name /" "$list" ;;
        esac
    done <"$list"
    ;;
*)
    sed -n 's/^# //p' "$0" | sed -n '3,6p' >&2
    exit 2
    ;;
esac
