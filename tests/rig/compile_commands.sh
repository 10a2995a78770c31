#!/bin/sh
# Print compile_commands.json: one entry for each C file, with the command of its kind.
#
# from the environment: {HV,HOST,GUEST}_SOURCES, lists of files, and {HV,HOST,GUEST}_COMMAND, what compiles them
set -eu

entries() {
    command=$1
    shift
    for file in "$@"; do
        printf '{"directory": "%s", "file": "%s", "command": "%s -c %s"}\n' "$PWD" "$file" "$command" "$file"
    done
}

echo '['
{
    # shellcheck disable=SC2086 # lists of files
    { entries "$HV_COMMAND" $HV_SOURCES; entries "$HOST_COMMAND" $HOST_SOURCES; entries "$GUEST_COMMAND" $GUEST_SOURCES; }
} | sed '$!s/$/,/'
echo ']'
