#!/bin/sh
# Put the page together: style and scripts go into page.html, and that into a C file.
#
# usage: bundle.sh OUT.c        (from the top)
set -eu

web=decode/page/web
# In the order in which they need each other.
scripts='format data pointer lanes timeline_draw overview timeline links server list selection served_hits calltree flame tree functions sandwich coverage about search main'
page=${1%.c}.html

insert() {
    while IFS= read -r line; do
        case $line in
        @STYLE@) cat "$web/page.css" ;;
        @SCRIPT@) for script in $scripts; do cat "$web/$script.js"; done ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$web/page.html"
}

mkdir -p "$(dirname "$1")"
insert >"$page"
{
    echo '#include "decode/page/page_text.h"'
    echo 'const char page_text[] = {'
    od -An -v -td1 "$page" | sed 's/  *\(-\{0,1\}[0-9][0-9]*\)/\1,/g'
    echo '0};'
} >"$1"
