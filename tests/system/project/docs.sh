#!/bin/bash
# What the documents print exists: goals of make, commands of the host tool with their options, scripts and sources.
# tests/rig/tutorial.sh and tests/system/project/ci.sh run the longer examples.
. tests/system/lib.sh

documents="README.md CONTRIBUTING.md CHANGELOG.md $(ls docs/*.md)"

# Code only: lines of code blocks, and what is in back quotes, one piece a line.
# shellcheck disable=SC2086
code() {
    awk '/^ *```/ { inside = !inside; next }
        inside { print; next }
        { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' $documents
}
code >"$work/code"

grep -oE '^ *make [a-z][a-z_.-]*' "$work/code" | awk '{ print $2 }' | sort -u >"$work/goals"
missing=
for goal in $(cat "$work/goals"); do
    grep -qE "^#: make ([^ ]* )*$goal( |$)" Makefile || missing="$missing $goal"
done
same "each of $(wc -l <"$work/goals") goals of make exists" "$missing" ''

# Each command line of make, with its variables, as it is printed: make accepts it (it only prints what it would do), and a
# script or a rule reads each variable: make takes any name without a word. Lines with placeholders are left out, but for
# files, in whose place is one that exists.
# shellcheck disable=SC2086
awk 'FNR == 1 { inside = 0 } /^ *```/ { inside = !inside; next }
    { line = line $0; if (inside && sub(/\\$/, "", line)) next; if (inside) { print line; line = "" } else line = line " " }
    !inside && /^ *$/ { n = split(line, part, "`"); for (i = 2; i <= n; i += 2) print part[i]; line = "" }' $documents |
    grep -oE '^ *(\$ )?([A-Z_]+=[^ ]+ )*make [a-zA-Z].*' | sed -E 's/^ *(\$ )?//; s/ +(#|[|]|&&|;|>|2>).*//; s/  +/ /g' |
    grep -vE '[.]{3}|<|NAME|DIR\b' | sed -E 's:(path/to|my)/[^ ]*|my[.]img:Makefile:g' | sort -u >"$work/makes"
wrong=
while read -r line; do
    words=${line%%make *}${line#*make }
    for name in $(grep -oE '(^| )[A-Z_]+=' <<<"$words" | tr -d '= '); do
        grep -rqE "[$][({]$name\\b|^$name( |$|[?:]?=)" Makefile mk tests/rig tests/soak packaging || wrong="$wrong$line: $name"$'\n'
    done
    make_line="${line%%make *}MAKEFLAGS= make -n RUN=: ${line#*make }"
    eval "$make_line" >"$work/make.out" 2>&1 || wrong="$wrong$line: $(tail -n 1 "$work/make.out")"$'\n'
done <"$work/makes"
same "each of $(wc -l <"$work/makes") command lines of make is accepted" "$wrong" ''

# One line for each use of a command: its name and its long options. Text after a comment sign or a pipe is another command's.
grep -oE '(^|[ /])undertrace [a-z][a-z-]+( .*)?' "$work/code" | sed 's/^.*undertrace //; s/ *[#|;&].*//' |
    awk '{ name = $1; out = name; for (i = 2; i <= NF; i++) if ($i ~ /^--[a-z]/) { sub(/=.*/, "", $i); out = out " " $i } print out }' |
    sort -u >"$work/uses"
build/undertrace --help | awk '/^  [a-z]/ { print $1 }' >"$work/commands"
missing=
while read -r name options; do
    if ! grep -qxF "$name" "$work/commands"; then
        missing="$missing $name"
        continue
    fi
    build/undertrace "$name" --help >"$work/help" 2>&1
    for option in $options; do
        grep -qE -- "$option([^a-z-]|$)" "$work/help" || missing="$missing $name:$option"
    done
done <"$work/uses"
same "each of $(wc -l <"$work/uses") uses of the host tool has a command and options that exist" "$missing" ''

# Each command line of the host tool in a block of code, as it is printed, where no capture is: its words are accepted, and the
# command ends because it finds no file, not because it does not know a word.
# shellcheck disable=SC2086
awk '/^ *```/ { inside = !inside; next } inside' $documents | grep -oE '^ *(\$ )?(build/)?undertrace [a-z][a-z-]+ .*' |
    sed -E 's/^ *(\$ )?(build\/)?undertrace //; s/ +(#|[|]|&&|;|>|2>).*//' | grep -vE '^(receive|control|doctor|help)( |$)' |
    sed 's:I/N:1/2:g' | grep -vE '[.]{3}|[[]|[$]' | sort -u >"$work/lines"
mkdir -p "$work/empty"
wrong=
while read -r line; do
    output=$(cd "$work/empty" && eval "timeout 60 $OLDPWD/build/undertrace $line" 2>&1 </dev/null | head -n 3)
    grep -qE "No such file|cannot|not a capture" <<<"$output" || wrong="$wrong$line: $output"$'\n'
done <"$work/lines"
same "each of $(wc -l <"$work/lines") command lines of the host tool is accepted" "$wrong" ''

# Paths of the tree, in all of the text, without placeholders; pt/include and pt/src belong to libipt.
# shellcheck disable=SC2086
grep -ohP '(?<![\w/.-])(base|boot|vmx|pt|vtd|serial|decode|lib|tests|mk|packaging|docs)/[A-Za-z0-9_./-]+\.(c|h|S|cc|sh|md|mk|yml|1|3|7)\b' $documents |
    grep -vE 'NAME|TOPIC|ROOM|CARD|/X|^pt/(include|src)/' | sort -u >"$work/paths"
missing=
for path in $(cat "$work/paths"); do
    [ -e "$path" ] || ls tests/*/"$path" docs/"$path" >/dev/null 2>&1 || missing="$missing $path"
done
same "each of $(wc -l <"$work/paths") files exists" "$missing" ''

# Names of functions, structs and tables, as these documents lead to them.
grep -ohE '`[a-z][a-z0-9]*(_[a-z0-9]+)+`' docs/architecture.md docs/reading-order.md docs/pt.md docs/decoder.md | tr -d '`' | sort -u >"$work/names"
# shellcheck disable=SC2046
grep -ohwFf "$work/names" $(find base boot vmx pt serial vtd decode lib tests mk -type f) | sort -u >"$work/known"
same "each of $(wc -l <"$work/names") names is in the sources" "$(comm -23 "$work/names" "$work/known")" ''

done_testing
