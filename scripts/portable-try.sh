#!/bin/bash
# portable-try.sh ARCHIVE SYSTEM...: tries the archive of scripts/portable.sh in systems made anew (scripts/systems.sh names them).
# Each has the whole archive, and the archive without glibc/, whose program needs no C library. A terminal is tmux's, so what is on the
# screen is told by a terminal emulator that is not rooftop's. Ends with "N passed, N failed, N skipped".
# KEEP=FOLDER keeps each system in FOLDER/SYSTEM, and takes what is there instead of making it.
set -eu
archive=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
work=$PWD/build/portable/try
version=$(cat VERSION)
name=$(basename "$archive" .tar.xz)
passed=0 failed=0 skipped=0
socket=none terminals=0
. scripts/systems.sh
rm -rf --one-file-system "$work"
mkdir -p "$work"
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$work/root"' EXIT

count() { # WHAT, after the command that tells whether it passed
    if [ $? -eq 0 ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "failed: $1"
}
check() { # WHAT COMMAND: of a shell, in the folder of the unpacked archive; $where is the system's name and the folder's
    inside "$root" root "cd /$folder && export TERM=xterm-256color LANG=en_US.UTF-8 && $2" >"$work/check.log" 2>&1 || { cat "$work/check.log"; false; }
    count "$where: $1"
}

# --- a terminal
terminal() { # ENVIRONMENT COMMAND: in that system, in a terminal of 100x30. A server that ends still holds its socket for a while
    terminals=$((terminals + 1)) socket=rooftop$$-$terminals
    cat >"$work/terminal.sh" <<-END
	cd "$root" && mount -t proc proc proc && mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs tmpfs dev/shm
	exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ $1 chroot . /bin/sh -c 'cd /$folder && $2; echo "left \$?"; exec sleep 600'
	END
    tmux -u -L "$socket" -f /dev/null new-session -d -x 100 -y 30 \
        "exec unshare --mount --pid --fork --kill-child --propagation private sh $work/terminal.sh"
}
sees() { # PATTERN: whether the terminal shows it within a minute
    for _ in $(seq 120); do
        tmux -L "$socket" capture-pane -p >"$work/screen.txt" 2>/dev/null || return 1
        grep -qe "$1" "$work/screen.txt" && return 0
        sleep 0.5
    done
    echo "the terminal does not show $1:"
    cat "$work/screen.txt"
    return 1
}
type_key() { tmux -L "$socket" send-keys "$1"; }
close_terminal() { tmux -L "$socket" kill-server 2>/dev/null || true; }
left() { # whether q ends it with status 0, and what was drawn is gone
    type_key q && sees '^left 0$' && ! grep -qe '[╭+]-*─*.*cpu' "$work/screen.txt"
}
check_terminals() {
    terminal 'TERM=screen-256color LANG=en_US.UTF-8' bin/rooftop
    sees '╭.*cpu' && type_key 2 && sees 'counters by section' && type_key '?' && sees 'leave rooftop' && type_key Escape && sees 's Sort' && type_key 1 && sees '╭.*cpu' && left
    count "$where: the dashboard in a terminal, two views, help, and its end by q"
    close_terminal
    terminal 'TERM=screen LANG=C' bin/rooftop
    sees '+.*cpu' && ! LC_ALL=C grep -q '[^ -~]' "$work/screen.txt" && left
    count "$where: the dashboard in ASCII"
    close_terminal
    terminal 'TERM=xterm-256color LANG=C.UTF-8' 'bin/rooftop -- /bin/sh -c "sleep 600"'
    sees 'sleep 600.*running' && type_key q && sees 'leave rooftop?' && type_key y && sees '^left [0-9]*$'
    count "$where: a watched program in a terminal"
    close_terminal
    terminal 'TERM=no-such-terminal LANG=C.UTF-8' bin/rooftop
    sees "'no-such-terminal': no terminfo entry" && sees '^left 8$'
    count "$where: a terminal that nobody knows, with what would help"
    close_terminal
}

# --- everything else
check_program() { # LINKED: how doctor says that the program is linked
    check 'its version' "bin/rooftop --version | grep -qx 'rooftop $version' && bin/rtop --version | grep -qx 'rooftop $version'"
    check "doctor: $1" "bin/rooftop doctor | grep 'libraries opened when needed' | grep -q \"$1\""
    check 'doctor: a reason for each library that is missing' \
        "bin/rooftop doctor | grep -e 'NVIDIA GPUs' -e 'HSA runtime' | grep -Ec 'no .*(lib[a-z0-9-]*\.so|linked statically)' | grep -qx 2"
    check 'a snapshot of this host' "bin/rooftop --headless | grep -q 'rooftop itself:'"
    check 'names of users' "bin/rooftop --headless --format json | grep -q '\"user\":[[:space:]]*\"'\$(grep -q '^root:' /etc/passwd && echo root || echo 0)"
    check 'a program, with a theme' "bin/rooftop --headless --theme rooftop-light --format ansi -- sleep 0.2 | grep -q sleep"
    check 'UTF-8 of a locale that is not installed' "bin/rooftop --headless | grep -q '│\|─'"
    check 'ASCII of LANG=C' "LANG=C bin/rooftop --headless >/tmp/ascii && grep -q 'rooftop itself:' /tmp/ascii && ! LC_ALL=C grep -q '[^ -~]' /tmp/ascii"
    check 'system calls, and names of errors' "bin/rooftop trace -- cat /no/file 2>&1 | grep -q 'ENOENT (No such file or directory)'"
    check 'a session, recorded and opened' "rm -f /tmp/s; bin/rooftop record -o /tmp/s -- sh -c 'i=0; while [ \$i -lt 300000 ]; do i=\$((i+1)); done' &&
        bin/rooftop report --brief /tmp/s | grep -q 'exit 0' && bin/rooftop --headless /tmp/s | grep -q cpu"
    check 'functions that were sampled' "bin/rooftop --headless --functions --view functions --frames 3 -- sh -c 'i=0; while [ \$i -lt 900000 ]; do i=\$((i+1)); done' |
        grep -Eq '[0-9] *%'"
    check 'a profile in JSON' "bin/rooftop report --brief /tmp/kineto_cuda.json | grep -q gemm"
    check 'a profile in SQLite' "bin/rooftop report --brief /tmp/synthetic_schema3.db | grep -q gemm"
    check 'a trace that gzip wrote' "bin/rooftop report --brief /tmp/trivial_cli.json.gz | grep -q calls"
    check 'many hosts: ssh is missing, and what would help' "PATH=/nowhere bin/rooftop --host nobody --headless 2>&1 | grep -q 'ssh.*openssh-client'"
    check_terminals
}
try() { # SYSTEM
    local system=$1 status=0 linked="linked to this system's C library"
    root=${KEEP:-$work}/$(basename "${system//\//-}" .list)
    [ -d "$root" ] || new_system "$system" "$root" || status=$?
    [ $status -ne 77 ] || { echo "skipped: $system: its packages cannot be had from this machine's own archive"; skipped=$((skipped + 1)); return; }
    [ $status -eq 0 ] || { echo "failed: $system: no system could be made"; failed=$((failed + 1)); return; }
    case $system in none | alpine/*) linked='linked statically' ;; esac
    tar -C "$root" -xJf "$archive"
    cp tests/data/rocpd/synthetic_schema3.db tests/data/chrome/kineto_cuda.json tests/data/renacer/python/trivial_cli.json.gz "$root/tmp/"
    for folder in "$name" alone; do
        where=$system
        if [ "$folder" = alone ]; then
            where="$system without glibc/" linked='linked statically'
            rm -rf "${root:?}/alone" && mv "$root/$name" "$root/alone" && rm -rf "$root/alone/glibc"
        fi
        set +e
        check_program "$linked"
        set -e
    done
    echo "tried: $system: $(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' "$root/etc/os-release" 2>/dev/null)"
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$root"
}

for system; do try "$system"; done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
