#!/bin/bash
# The index of documents, docs/README.md, from the line that each document carries:
#
#   <!-- index: GROUP NUMBER: what the document is about -->
#
# GROUP is users or developers, and NUMBER is the position in its table.
#
# usage: docs_index.sh            print both tables
#        docs_index.sh --check    print what differs in docs/README.md, and documents without such a line; nothing if all agree
#        docs_index.sh --update   write the tables there, between the markers
set -eu
export LC_ALL=C.UTF-8

index=docs/README.md
begin='<!-- index: begin (tests/rig/docs_index.sh --update) -->' end='<!-- index: end -->'
line='^<!-- index: (users|developers) ([0-9]+): (.+) -->$'

documents() { printf '%s\n' docs/*.md | grep -vxF "$index"; }

table() { # GROUP
    echo "| for $1 | |"
    echo '| --- | --- |'
    # shellcheck disable=SC2046 # a list of files
    awk -v group="$1" '$1 == "<!--" && $2 == "index:" && $3 == group {
            file = FILENAME; sub(/.*\//, "", file)
            number = $4 + 0; sub(/^<!-- index: [a-z]+ [0-9]+: /, ""); sub(/ -->$/, "")
            printf "%d\t| [%s](%s) | %s |\n", number, file, file, $0
        }' $(documents) | sort -n | cut -f 2-
}

tables() { table users; echo; table developers; }

between() { sed -n "\\|^$begin\$|,\\|^$end\$|p" "$index" | sed '1d;$d'; }

without_line() {
    local document
    for document in $(documents); do
        [ "$(grep -cE "$line" "$document")" = 1 ] || echo "$document needs one line '<!-- index: GROUP NUMBER: ... -->'"
    done
}

case ${1:-} in
'') tables ;;
--check) without_line; diff <(between) <(tables) || true ;;
--update)
    grep -qxF "$begin" "$index" || { echo "$index has no line '$begin'" >&2; exit 1; }
    { sed "\\|^$begin\$|q" "$index"; tables; sed -n "\\|^$end\$|,\$p" "$index"; } >"$index.new"
    mv "$index.new" "$index"
    ;;
*) sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2 ;;
esac
