#!/bin/bash
# portable.sh [RELEASE|RELEASE.list...]: build/portable/rooftop-VERSION-linux-ARCH.tar.xz, which runs where it is unpacked, on any Linux whose C
# library is glibc 2.29 or newer (Debian 11, Ubuntu 20.04, Fedora 30). It is built in a minimal Debian 11, whose C library is old
# enough, by a compiler that is new enough; headers that this system has not, come from this machine's own release. All other
# libraries are linked in, except cJSON, of which Debian has no archive: it lies beside. rooftop is not linked to the C library
# statically, as it could not open the libraries of GPUs then; so it does not start on musl (Alpine).
# Then it is tried in a new minimal system of each RELEASE ("bullseye bookworm trixie"), and of other systems of apt, such as Ubuntu's:
# a RELEASE.list in this folder has the lines for its archive. Ends with "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")/.."
work=$PWD/build/portable
oldest=bullseye
headers='linux-libc-dev libtomlplusplus-dev libhsa-runtime-dev libzydis-dev libzycore-dev'
tools='clang-16 g++ make pkg-config libncurses-dev libpfm4-dev libcjson-dev libsqlite3-dev zlib1g-dev libdw-dev libzstd-dev
    libxxhash-dev libffi-dev libmd-dev libcurl4-openssl-dev libbz2-dev liblzma-dev'
passed=0 failed=0 skipped=0

skip_all() { # REASON: exit status 77
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}
[ "$(id -u)" -eq 0 ] || exec sudo "$PWD/scripts/portable.sh" "$@"
scripts/install-deps.sh fresh
rm -rf --one-file-system "$work"
mkdir -p "$work/headers"
. scripts/systems.sh
can_make_systems || skip_all 'a system in a folder: this machine lets not even root mount (a container without CAP_SYS_ADMIN?)'
version=$(cat VERSION)
name=rooftop-$version-linux-$(uname -m)

new_system() { # RELEASE|RELEASE.list FOLDER
    local release=${1%.list}
    # Without updates: the archive of an old release's is not always whole.
    if [ "$1" = "$release" ]; then lines_of "$1" | grep -v -e -security -e -updates >"$work/$1.list" || true; else cp "$1" "$work/"; fi
    [ -s "$work/$release.list" ] && reachable "$work/$release.list" || return 77
    make_system "$release" "$2" || { cat "$work/make.log"; return 1; }
    cp /etc/resolv.conf "$2/etc/resolv.conf" 2>/dev/null || true
}
build() ( # FOLDER: of the oldest system
    set -e
    inside "$1" root "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ${tools//$'\n'/ }"
    # Downloaded by nobody's user, where the folder lets it.
    (cd "$work/headers" && apt-get -qq -o APT::Sandbox::User=root download $headers)
    for package in "$work"/headers/*.deb; do dpkg-deb -x "$package" "$1"; done
    put_project "$1"
    # Debian 11's linker reads no DWARF 5. Some functions lie in libraries of their own in its C library.
    inside "$1" root "make -j$(nproc) CC=clang-16 CPPFLAGS='-include scripts/older_libc.h' OPT='-O2 -g1 -gdwarf-4' \
        CXXLIB='-Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -lrt -lutil' LDFLAGS=\"-Wl,-rpath,'\\\$\\\$ORIGIN/../lib/rooftop'\" \
        PREFIX= DESTDIR=/$name all install"
    cp -L "$1/usr/lib/$(uname -m)-linux-gnu/libcjson.so.1" "$1/$name/lib/rooftop/"
    find "$1/$name" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec strip --strip-unneeded {} +
    tar -C "$1" --owner=0 --group=0 --sort=name -cJf "$work/$name.tar.xz" "$name"
)
check() { # RELEASE WHAT COMMAND: in that system, where the tarball lies unpacked
    if inside "$work/root" root "cd /$name && $3" >"$work/check.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        cat "$work/check.log"
        echo "failed: $1: $2"
    fi
}
try() { # RELEASE
    local status=0
    new_system "$1" "$work/root" || status=$?
    [ $status -ne 77 ] || { echo "skipped: $1: this machine's apt has no archive of it, or it does not answer"; skipped=$((skipped + 1)); return; }
    [ $status -eq 0 ] || { echo "failed: $1: no system could be made"; failed=$((failed + 1)); return; }
    tar -C "$work/root" -xJf "$work/$name.tar.xz"
    check "$1" 'its version' "bin/rtop --version | grep -qx 'rooftop $version'"
    check "$1" 'a snapshot of this host' "bin/rooftop --headless | grep -q 'rooftop itself:'"
    check "$1" 'a program, with its themes found' "bin/rooftop --headless --theme rooftop-light --format ansi -- sleep 0.2 | grep -q sleep"
    check "$1" 'system calls, and names of errors' "bin/rooftop trace -- cat /no/file 2>&1 | grep -q 'ENOENT (No such file or directory)'"
    check "$1" 'what can be measured here' 'bin/rooftop doctor | grep -q perf_event'
    rm -rf --one-file-system "$work/root"
}

new_system $oldest "$work/oldest" || skip_all "$oldest: this machine's apt has no archive of it, or it does not answer"
build "$work/oldest" >"$work/build.log" 2>&1 &
wait $! || { tail -n 50 "$work/build.log"; exit 1; } # not "build || ...": it would go on after errors
rm -rf --one-file-system "$work/oldest"
[ $# -gt 0 ] || set -- bullseye bookworm trixie
for release; do try "$release"; done
echo "$work/$name.tar.xz"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
