#!/bin/sh
# Views, widgets and overlays keep nothing outside of view_state.own and a->overlay_own: no object file of theirs has a
# variable that can be written, so that two apps in one process never share one. Looks at what the compiler made, because
# `static const char *x` can be written and `static const char *const x[]` cannot.
#     scripts/statics.sh BUILD        BUILD: where the object files are
set -eu
cd "$1"
objects=$(find src/tui/views src/tui/widgets src/tui/overlays -name '*.o' | LC_ALL=C sort)
[ "$objects" ] || { echo "scripts/statics.sh: nothing is built: make all"; exit 1; }
# shellcheck disable=SC2086
nm -A -f sysv $objects | awk -F'[ \t]*[|][ \t]*' '
$4 ~ /^(OBJECT|TLS)$/ && $7 ~ /^(\.bss|\.data|\.tbss|\.tdata|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ {
    split($1, part, ":")
    sub(/\.o$/, ".c", part[1])
    sub(/\.[0-9]+$/, "", part[2]) # gcc: NAME.NUMBER in a function; clang: FUNCTION.NAME
    sub(/^.*\./, "", part[2])
    print part[1] ": " part[2] " can be written: it belongs into the own struct of the view or overlay"
    bad = 1
}
END { exit bad }'
