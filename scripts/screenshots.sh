#!/bin/sh
# screenshots.sh ROOFTOP DIR: draws the pictures of README.md with rooftop itself, from two sessions that it records here:
# this machine while it compiles rooftop and a small transformer generates tokens, and the transformer alone; and from the
# system calls of a small build. demo.svg and demo-light.svg are the transformer, view after view (scripts/animate.py). replay.svg comes from tests/platform/gpu/demo.sh, after a few
# replays by hand, its blank rows cut off.
set -eu
rooftop=$1 dir=$2
mkdir -p "$dir"
# The system calls of a build with all its processes: make, the shell, the compiler, the assembler. First, because the
# mechanism that does not stop them (BPF) does not work in the namespace below.
if [ -z "${ALONE:-}" ]; then
    objects=$(ls src/base/*.c src/json/*.c | sed 's,^,build/pictures/,; s,c$,o,')
    work=$(mktemp -d) trace=$work/make.json
    # shellcheck disable=SC2086 # a list
    "$rooftop" trace -f --format json -o "$trace" -- make -s -j2 BUILD=build/pictures $objects >/dev/null 2>&1
    "$rooftop" --no-config --headless --format svg --utf8 --color true --size 120x30 -o "$dir/syscalls.svg" --view syscalls "$trace"
    rm -rf "$work" build/pictures
    echo "$dir/syscalls.svg"
fi
# In a process namespace of its own where that is allowed: the pictures show no other process of this machine.
if [ -z "${ALONE:-}" ] && unshare -pf --mount-proc true 2>/dev/null; then
    ALONE=1 exec unshare -pf --mount-proc "$0" "$@"
fi
[ -z "${ALONE:-}" ] || mount -t tmpfs tmpfs /dev/shm # where bricks are: another rooftop here would see other processes
# Its weights are larger than its share of the caches: it is memory's roof that binds.
transformer="${rooftop%/*}/examples/transformer/transformer --quiet --dim 1024 --ffn 2752 --layers 8"
work=$(mktemp -d)
trap 'rm -rf "$work" build/pictures' EXIT

shot() { # OUT FRAME SIZE SESSION ARGUMENTS...
    out=$1 frame=$2 size=$3 session=$4; shift 4
    "$rooftop" --no-config --headless --format svg --utf8 --color true --frames "$frame" --size "$size" -o "$out" "$@" "$work/$session"
}
picture() { # NAME, then as shot
    name=$1; shift
    shot "$dir/$name.svg" "$@"
    echo "$dir/$name.svg"
}

# The transformer alone. Ten samples a second fill the graphs. $transformer is not quoted, it is words.
"$rooftop" record --functions -d 0.1 --for 13s -o "$work/transformer.rooftop" -- $transformer || true
picture tree 110 120x30 transformer.rooftop --view tree
picture path 110 120x30 transformer.rooftop --view path
picture timeline 110 120x14 transformer.rooftop --view timeline
picture roofline 110 110x34 transformer.rooftop --view roofline
picture counters 110 120x28 transformer.rooftop --view counters
picture functions 110 120x21 transformer.rooftop --view functions --run 'functions-mode; functions-mode'

# Ten seconds of it: what runs, its layers and bricks, what holds it up, how far it is from its roof. Once for readers
# with a dark background, once for those with a light one.
scene() { # SECONDS VIEW FRAMES...
    seconds=$1 view=$2; shift 2
    for n in "$@"; do
        shot "$work/$view.$n.svg" "$n" 110x30 transformer.rooftop --view "$view" --theme "$theme"
        frames="$frames $seconds:$work/$view.$n.svg"
    done
}
film() { # NAME THEME
    theme=$2 frames=
    scene 0.6 overview 92 95 98 101 104
    scene 1.0 tree 108 111 114
    scene 1.2 path 116 118
    scene 1.2 roofline 119 121
    scripts/animate.py "$dir/$1.svg" $frames # unquoted: a list
    echo "$dir/$1.svg"
}
film demo rooftop-dark
film demo-light rooftop-light

# A busy machine: the compiler starts when the transformer has measured its roofs.
"$rooftop" record -d 0.1 --for 14s -o "$work/build.rooftop" -- $transformer &
recorder=$!
sleep 3
make -s -j8 BUILD=build/pictures build/pictures/librooftop-core.a >"$work/make.out" 2>&1 &
busy=$!
wait $recorder || true
{ kill $busy && wait $busy; } 2>/dev/null || true
picture overview 120 120x34 build.rooftop --view overview
