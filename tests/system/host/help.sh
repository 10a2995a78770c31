#!/bin/bash
# Each command and option is in the help, in the manual page and in the shell's completion; messages about wrong words;
# the version is the same everywhere.
. tests/system/lib.sh

tool=build/undertrace
commands=$($tool --complete)

# The manual page without its markup: "\-" is a hyphen, \fR and the like change the font, quotes separate fonts.
plain() { sed -E 's/\\f[A-Z]//g; s/\\-/-/g; s/"//g' decode/undertrace.1; }
# section COMMAND: the command's part of the manual page.
section() { plain | awk -v name="$1" '/^[.]S[SH] / { on = $2 == name } on'; }

same 'the help has a line for each command' "$($tool --help | awk 'NF > 1 && /^  / { print $1 }')" "$commands"
for command in $commands; do
    same "undertrace(1): a synopsis and a section of $command" \
        "$(plain | awk -v name="$command" '$1 == ".B" && $2 == "undertrace" && $3 == name { found++ } END { print (found > 0) }') \
$(section "$command" | grep -c '^[.]SS')" '1 1'
    same "$command --help begins with its usage" "$($tool "$command" --help | head -n 1 | cut -d' ' -f1-3)" "usage: undertrace $command"
    same "$command -h is the same" "$($tool "$command" -h | md5sum)" "$($tool "$command" --help | md5sum)"
    same "help $command is the same" "$($tool help "$command" | md5sum)" "$($tool "$command" --help | md5sum)"
done

# --- options ----------------------------------------------------------------------------------------------------------
# completed WORDS...: what the shell offers for the last of them.
completed() {
    PATH=$PWD/build:$PATH bash -c '. complete/undertrace; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _undertrace; echo "${COMPREPLY[*]}"' _ "$@"
}
# shared COMMAND: the section of find says which of its options trace, code and diff have as well.
shared() { case $1 in trace | code | diff) cat ;; esac }
# lacks OPTIONS: those of them that are not in the text on standard input.
lacks() {
    local text option
    text=$(cat)
    for option in $1; do grep -qF -- "$option" <<<"$text" || echo "$option"; done
}
same 'completion: commands' "$(completed undertrace tr)" trace
same 'completion: words to choose from' "$(completed undertrace trace x --what '')" 'functions branches instructions'
for command in $commands; do
    options=$($tool "$command" --complete | awk '$1 != "--help" { print $1 }')
    # An unknown option is refused before anything else. A known one uses up the first --none, or refuses it.
    refused=
    for option in $options --help; do
        $tool "$command" "$option" --none --none 2>&1 | grep -q -- "unknown option '$option'" && refused="$refused $option"
    done
    same "$command accepts each of its options" "$refused" ''
    case $command in decode | merge) continue ;; esac # in the help and the page, --filter:addrN_cfg is four options
    same "the help of $command has each option" "$($tool "$command" --help | lacks "$options")" ''
    same "undertrace(1) has each option of $command" "$({ section "$command"; section find | shared "$command"; } | lacks "$options")" ''
    same "completion: $command offers them" "$(completed undertrace "$command" --help)" --help
done

# --- export formats -----------------------------------------------------------------------------------------------------
formats=$(completed undertrace export x --format '')
for format in $formats; do
    same "format $format: in the help, the manual page and docs/export.md" \
        "$($tool export --help | grep -cE "^ +$format ") $(section export | grep -cwF -- "$format" | awk '{ print ($1 > 0) }') $(grep -cwF "$format" docs/export.md | awk '{ print ($1 > 0) }')" \
        '1 1 1'
done

# --- messages -----------------------------------------------------------------------------------------------------------
# says TEXT WORDS...: exit status 1, and this one line.
says() {
    local text=$1
    shift
    same "undertrace $*" "$($tool "$@" 2>&1; echo $?)" "undertrace: $text"$'\n'1
}
says "unknown command 'foo'; undertrace --help lists the commands" foo
says "unknown command 'foo'; undertrace --help lists the commands" help foo
says "info: unknown option '--foo'; undertrace info --help lists the options" info --foo
says "info: unexpected argument 'b'; see undertrace info --help" info a b
says "export: option '--format' requires a value; see undertrace export --help" export x --format
says "export: unknown format 'svg'; choose from ${formats// /, }" export x --format svg -o -
says "export: --format F is required; choose from ${formats// /, }" export x -o -
says "export: unknown unit 'hours'; choose from branches, ticks" export x --format folded --unit hours -o -
says "control: unknown command 'stop'; choose from status, pause, resume, snapshot, set" control x stop
says "control: unknown option '--foo'; undertrace control --help lists the options" control x status --foo
says 'receive: -o DIRECTORY is required; see undertrace receive --help' receive --udp 1
says 'receive: give exactly one of --udp PORT and --uart SOURCE' receive -o x

# --- version ------------------------------------------------------------------------------------------------------------
version=$(sed -n 's/.*UNDERTRACE_VERSION "\(.*\)"/\1/p' base/version.h)
commit=
[ -e .git ] && commit=" (commit $(git rev-parse --short=10 HEAD))"
same '--version prints the version, and the commit of a git checkout' "$($tool --version)" "undertrace $version$commit"
mkdir -p "$work/tarball/build"
cp -r Makefile mk base decode vmx pt serial boot vtd lib "$work/tarball/"
same 'a tarball has no commit, even within a git checkout' \
    "$(make -s -C "$work/tarball" --eval='show: ; @echo "commit: $(COMMIT)"' show 2>/dev/null | tail -n 1)" 'commit: '
same 'the Debian package has the same version' "$(sed -n '1s/.*(\([^)-]*\).*/\1/p' packaging/debian/changelog)" "$version"
same 'the library has the same version' \
    "$(awk '/define UNDERTRACE_VERSION_(MAJOR|MINOR)/ { print $3 }' lib/undertrace.h | paste -sd.)" "$version"
done_testing
