#!/bin/bash
# The arrows between rooms (tests/rig/arrows) as the table of docs/architecture.md.
#
# usage: arrows.sh            print the table
#        arrows.sh --check    print what differs in docs/architecture.md; nothing if it agrees
#        arrows.sh --update   write the table there, between the markers
set -eu

document=docs/architecture.md
begin='<!-- arrows: begin (tests/rig/arrows.sh --update) -->' end='<!-- arrows: end -->'

table() {
    echo '| room | may include, in addition to base/ |'
    echo '| --- | --- |'
    awk '/^[a-z\/]+:/ { room = $1; sub(/:$/, "", room); $1 = ""; sub(/^ /, ""); gsub(/ /, ", ")
        print "| " room "/ | " ($0 == "" ? "-" : $0) " |" }' tests/rig/arrows
}

between() { sed -n "\\|^$begin\$|,\\|^$end\$|p" "$document" | sed '1d;$d'; }

case ${1:-} in
'') table ;;
--check) diff <(between) <(table) || true ;;
--update)
    grep -qxF "$begin" "$document" || { echo "$document has no line '$begin'" >&2; exit 1; }
    { sed "\\|^$begin\$|q" "$document"; table; sed -n "\\|^$end\$|,\$p" "$document"; } >"$document.new"
    mv "$document.new" "$document"
    ;;
*) sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2 ;;
esac
