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

# All files of the tree; a release tarball has no .git.
tree() {
    git ls-files -co --exclude-standard 2>/dev/null || find . -name .git -prune -o -path ./build -prune -o -type f -printf '%P\n'
}

# Text that the project wrote: sources, documents, and scripts, which may have no suffix.
written() {
    local path
    while read -r path; do
        case ${path##*/} in
        words | words.sh) ;;
        *.[chS137] | *.cc | *.inc | *.js | *.awk | *.sh | *.md | *.mk | *.ld | *.in | *.yml | Makefile) echo "$path" ;;
        *.*) ;;
        *) [ ! -f "$path" ] || head -c 2 "$path" | grep -qxaF '#!' && echo "$path" ;;
        esac
    done
}
files=$(tree | written | while read -r path; do [ ! -f "$path" ] || echo "$path"; done)

# The text of documents with its line numbers: without code blocks and tables.
prose() {
    # shellcheck disable=SC2046,SC2086 # lists of files
    awk 'FNR == 1 { inside = 0; blank = 1; list = 0 }
        /^ *```/ { inside = !inside; next }
        inside || /^[ >]*\|/ { next }
        /^ *$/ { blank = 1; next }
        /^ *([-*+]|[0-9]+\.) / { list = 1 }
        /^[^ ]/ && !/^([-*+]|[0-9]+\.) / { list = 0 }
        /^    / && blank && !list { next } # an indented block, unless it continues an item of a list
        { blank = 0; print FILENAME ":" FNR ":" $0 }' $(printf '%s\n' $files | grep '\.md$')
}

# hits NAME EXPRESSION: file:line:text of each.
hits() {
    case $1 in
    md-*) prose | grep -E -e "^[^:]+:[0-9]+:($2)" ;;
    *)
        # The name of systemd's folders is not ours to choose.
        # shellcheck disable=SC2086 # a list of files
        grep -nHiE -e "(^|[^[:alnum:]])($2)($|[^[:alnum:]])" -- $files </dev/null | grep -vF '.target.wants'
        ;;
    esac
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
