#!/bin/bash
# check-fresh.sh: makes a minimal system in a folder, and runs the commands of the README's chapter "Two commands" in it
# unchanged, once as root and once as an ordinary user with sudo. In root's system nothing is installed except what they
# install. The user's has the distribution's own clang, lld and LLVM (FRESH_TOOLS names others, '' none), which may be too old.
# The archives are those of this machine's own apt. FRESH='bookworm trixie' names other releases of the same archive.
# FRESH_USERS='user' leaves root out, for .ci/run: it begins with the same commands as root on the machine as it finds it.
# Object files that root compiled there, or else here for the same release, are copied for the ordinary user: linking,
# installing and testing are done again, compiling is not.
# Ends with "N passed, N failed, N skipped". Exit status 77, with the reason, if this machine does not allow to make a system.
set -eu
cd "$(dirname "$0")/.."
work=$PWD/build/fresh
passed=0 failed=0 skipped=0

close_with_sum() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] || exit 1
    [ "$passed" -gt 0 ] || exit 77
}
skip_all() { # REASON, which is the machine's: exit status 77
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    [ -t 0 ] || sudo='sudo -n'
    $sudo true 2>/dev/null || skip_all 'a system in a folder: only root can make one, and sudo asks for a password or is not there'
    exec $sudo env FRESH="${FRESH:-}" FRESH_TOOLS="${FRESH_TOOLS-clang lld llvm}" FRESH_USERS="${FRESH_USERS:-}" "$PWD/scripts/check-fresh.sh"
fi
command -v apt-get >/dev/null || skip_all 'a minimal Debian or Ubuntu: this machine has no apt, and so no archive of theirs'
scripts/install-deps.sh fresh
rm -rf --one-file-system "$work"
mkdir -p "$work"
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' INT TERM

. scripts/systems.sh
can_make_systems || skip_all 'a system in a folder: this machine lets not even root mount (a container without CAP_SYS_ADMIN?)'
add_user() { # FOLDER: one who may use sudo without a password; sudo and the tools are all that is installed beforehand
    inside "$1" root 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends sudo '"${FRESH_TOOLS-clang lld llvm}" &&
        inside "$1" root 'useradd user && chown -R user: /home/user && echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user'
}
hand_over_build() { # BUILD PROJECT: what was compiled there, less what is linked
    mkdir -p "$2/build/release"
    (cd "$1" && find . \( -name '*.o' -o -name '*.d' -o -path ./flags -o -path ./files -o -path ./live-flags \) -print0 | tar --null -cf - -T -) |
        tar -xf - -C "$2/build/release"
    rm -f "$2/build/release/src/main.o"
}

# --- the README's commands
chapter() { # TITLE: its indented lines, less their comments
    awk -v title="## $1" '/^## / { on = $0 == title } on && sub(/^    /, "")' README.md | sed 's/[[:space:]]*#.*//'
}
commands() { # USER: the indented lines of the chapter, less their comments; who has sudo installs it, too
    chapter 'Two commands'
    [ "$1" = root ] || chapter Install
}
judge() { # COMMAND LOG FOLDER USER: what the command promises beyond its exit status
    case $1 in
    *'make install'*) [ "$(inside "$3" "$4" 'rooftop --version' 2>&1)" = "rooftop $(cat VERSION)" ] || echo 'what it installed does not run' ;;
    'make run') grep -q 'rooftop itself:' "$2" || echo 'it printed no snapshot' ;;
    'make test') tail -1 "$2" | grep -Eq '^[1-9][0-9]* passed, 0 failed, [0-9]+ skipped$' || echo 'its last line is not that of tests which passed' ;;
    esac
}
run_readme() { # RELEASE FOLDER USER
    local command why log=$work/command.log start
    while read -r command; do
        start=$SECONDS why=
        [ "$3" = root ] || command=$(sed 's/apt-get/sudo &/g' <<<"$command")
        inside "$2" "$3" "$command" >"$log" 2>&1 || why="exit status $?"
        [ -n "$why" ] || why=$(judge "$command" "$log" "$2" "$3")
        if [ -n "$why" ]; then
            cat "$log"
            echo "failed: $1, as $3: $command: $why"
            failed=$((failed + 1))
            return
        fi
        passed=$((passed + 1))
        echo "note: $1, as $3: $command ($((SECONDS - start)) s)$(sed -n '$s/^[0-9]* passed.*/: &/p' "$log")"
        grep '^skipped:' "$log" | sort | uniq -c | sed "s/^ *\([0-9]*\) skipped: /there: \1 x /" || true
    done < <(commands "$3")
}
try() { # RELEASE
    lines_of "$1" >"$work/$1.list"
    [ -s "$work/$1.list" ] || { echo "skipped: $1: this machine's apt has no archive of it"; skipped=$((skipped + 1)); return; }
    reachable "$work/$1.list" || { cat "$work/update.log"; echo "skipped: $1: its archive does not answer"; skipped=$((skipped + 1)); return; }
    if ! make_system "$1" "$work/root" || ! put_project "$work/root" || ! cp -a "$work/root" "$work/user" || ! add_user "$work/user" >>"$work/make.log" 2>&1; then
        cat "$work/make.log"
        echo "failed: $1: no system could be made"
        failed=$((failed + 1))
        return
    fi
    local built=
    if [ "$1" = "$VERSION_CODENAME" ]; then built=build/release; fi
    if [ "${FRESH_USERS:-root}" = root ]; then
        run_readme "$1" "$work/root" root
        built=$work/root/home/user/rooftop/build/release
        cp -a "$work/root/var/cache/apt/archives/." "$work/user/var/cache/apt/archives/"
    fi
    if [ -d "$built" ]; then hand_over_build "$built" "$work/user/home/user/rooftop"; fi
    inside "$work/user" root 'chown -R user: /home/user'
    run_readme "$1" "$work/user" user
    rm -rf --one-file-system "$work/root" "$work/user"
}

for release in ${FRESH:-$VERSION_CODENAME}; do try "$release"; done
# Ubuntu's oldest release with standard support.
[ "$ID" != ubuntu ] && echo "skipped: Ubuntu jammy: the apt of this machine ($PRETTY_NAME) has no archive of Ubuntu" && skipped=$((skipped + 1))
[ "$ID" = ubuntu ] && [ -z "${FRESH:-}" ] && [ "$VERSION_CODENAME" != jammy ] && try jammy
close_with_sum
