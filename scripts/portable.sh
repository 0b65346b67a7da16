#!/bin/bash
# portable.sh [RELEASE|RELEASE.list...]: build/portable/rooftop-VERSION-linux-ARCH.tar.xz, which runs where it is unpacked, on any Linux.
# bin/rooftop has its C library linked in, so it starts without glibc, too (musl, as in Alpine), but it opens no library: neither those
# of GPUs nor others. Where the system's glibc is new enough, it hands over to glibc/bin/rooftop, which opens them (src/alone).
# That one is built in a minimal Debian 11, whose C library is old enough, by a compiler that is new enough; headers that this system
# has not, come from this machine's own release. All other libraries are linked in, except cJSON, of which Debian has no archive: it
# lies beside. The static one is built here, with an archive of cJSON that is made from Debian's sources.
# Then both are tried in a new minimal system of each RELEASE ("bullseye bookworm trixie"), and of other systems of apt, such as Ubuntu's
# (a RELEASE.list has the lines for its archive), and at last in a folder that has no C library, terminfo, locale or users, only
# Debian's static busybox. Ends with "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")/.."
work=$PWD/build/portable static=$PWD/build/static
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
scripts/install-deps.sh build fresh portable
rm -rf --one-file-system "$work"
mkdir -p "$work/headers" "$static"
. scripts/systems.sh
can_make_systems || skip_all 'a system in a folder: this machine lets not even root mount (a container without CAP_SYS_ADMIN?)'
version=$(cat VERSION)
name=rooftop-$version-linux-$(uname -m)
tree=$work/$name

new_system() { # RELEASE|RELEASE.list FOLDER
    local release=${1%.list}
    # Without updates: the archive of an old release's is not always whole.
    if [ "$1" = "$release" ]; then lines_of "$1" | grep -v -e -security -e -updates >"$work/$1.list" || true; else cp "$1" "$work/"; fi
    release=${release##*/}
    [ -s "$work/$release.list" ] && reachable "$work/$release.list" || return 77
    make_system "$release" "$2" || { cat "$work/make.log"; return 1; }
    cp /etc/resolv.conf "$2/etc/resolv.conf" 2>/dev/null || true
}
new_stand_in() { # FOLDER: a system without any C library
    mkdir -p "$1/bin" "$1/proc" "$1/sys" "$1/dev/shm" "$1/tmp" "$work/busybox"
    (cd "$work/busybox" && apt-get -qq -o APT::Sandbox::User=root download busybox-static && dpkg-deb -x busybox-static*.deb .) || return 77
    cp "$(find "$work/busybox" -path '*/bin/busybox' -type f | head -n 1)" "$1/bin/busybox"
    for command in sh cat sleep grep stty test; do ln -sf busybox "$1/bin/$command"; done
}
build() ( # FOLDER: of the oldest system; the program for glibc
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
)
build_static() ( # the program that needs no C library
    set -e
    lines_of "$VERSION_CODENAME" | sed 's/^deb /deb-src /' >"$work/sources.list"
    [ -e "$static/libcjson.a" ] || (
        mkdir -p "$work/cjson" "$work/source-lists/partial"
        cd "$work/cjson"
        for step in update 'source --download-only cjson'; do
            apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
                -o Dir::State::Lists="$work/source-lists" -o APT::Sandbox::User=root $step || exit 77
        done
        dpkg-source -x cjson_*.dsc source
        cc -O2 -fPIE -c source/cJSON.c -o cJSON.o
        ar rcs "$static/libcjson.a" cJSON.o
    )
    # -B: where the compiler looks for archives first
    make -j"$(nproc)" BUILD=build/static ALONE=yes CC="cc -B$static/" build/static/rooftop
)
pack() { # FOLDER: of the oldest system
    mkdir -p "$tree/bin" "$tree/glibc"
    mv "$1/$name/bin" "$1/$name/lib" "$tree/glibc/"
    mv "$1/$name/share" "$1/$name/include" "$tree/"
    rm "$tree/glibc/bin/rtop"
    ln -s glibc/lib "$tree/lib"
    ln -s rooftop "$tree/bin/rtop"
    strip -o "$tree/bin/rooftop" "$static/rooftop"
    mkdir -p "$tree/share/rooftop/locale/C.utf8"
    cp /usr/lib/locale/C.utf8/LC_CTYPE "$tree/share/rooftop/locale/C.utf8/"
    tar -C "$work" --owner=0 --group=0 --sort=name -cJf "$tree.tar.xz" "$name"
}
count() { # WHAT, after the command that tells whether it passed
    if [ $? -eq 0 ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "failed: $1"
}
check_versions() { # what the program for glibc needs is what the static one asks for before it hands over
    local newest known
    newest=$(find "$tree/glibc" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
    known=$(sed -n 's/^#define OLDEST "\(.*\)"$/\1/p' src/alone/hand_over.c)
    [ -n "$known" ] && [ "$newest" = "$known" ]
    count "the programs in glibc/ need $newest; src/alone/hand_over.c says $known"
}
check() { # RELEASE WHAT COMMAND: in that system, where the archive lies unpacked
    inside "$work/root" root "cd /$name && export TERM=xterm-256color LANG=en_US.UTF-8 && $3" >"$work/check.log" 2>&1 ||
        { cat "$work/check.log"; false; }
    count "$1: $2"
}
check_dashboard() { # RELEASE: inside() gives no terminal, so script(1), which is this machine's, has the terminal outside
    cat >"$work/screen.sh" <<EOF
cd "$work/root" && mount -t proc proc proc && mount --rbind /dev dev && exec chroot . /bin/sh -c \
    'stty cols 100 rows 30; cd /$name && TERM=xterm-256color LANG=en_US.UTF-8 exec bin/rooftop'
EOF
    (sleep 3; printf q) | timeout 60 script -qec "unshare --mount --pid --fork --kill-child --propagation private sh $work/screen.sh" \
        /dev/null >"$work/screen.log" && grep -q '╭' "$work/screen.log"
    count "$1: the dashboard in a terminal, and its end by q"
}
try() { # RELEASE LINKED COMMAND...: the command makes the system; doctor says how the program that runs there is linked
    local release=$1 linked=$2 status=0
    shift 2
    "$@" "$work/root" || status=$?
    [ $status -ne 77 ] || { echo "skipped: $release: this machine's apt has no archive of it, or it does not answer"; skipped=$((skipped + 1)); return; }
    [ $status -eq 0 ] || { echo "failed: $release: no system could be made"; failed=$((failed + 1)); return; }
    tar -C "$work/root" -xJf "$tree.tar.xz"
    cp tests/data/rocpd/synthetic_schema3.db tests/data/chrome/kineto_cuda.json "$work/root/tmp/"
    set +e
    check "$release" 'its version' "bin/rooftop --version | grep -qx 'rooftop $version' && bin/rtop --version | grep -qx 'rooftop $version'"
    check "$release" 'a snapshot of this host' "bin/rooftop --headless | grep -q 'rooftop itself:'"
    check "$release" 'a program, with a theme' "bin/rooftop --headless --theme rooftop-light --format ansi -- sleep 0.2 | grep -q sleep"
    check "$release" 'system calls, and names of errors' "bin/rooftop trace -- cat /no/file 2>&1 | grep -q 'ENOENT (No such file or directory)'"
    check "$release" 'a profile in JSON' "bin/rooftop report --brief /tmp/kineto_cuda.json | grep -q gemm"
    check "$release" 'a profile in SQLite' "bin/rooftop report --brief /tmp/synthetic_schema3.db | grep -q gemm"
    check "$release" "doctor: $linked" "bin/rooftop doctor | grep -q \"$linked\""
    check_dashboard "$release"
    set -e
    rm -rf --one-file-system "$work/root"
}

new_system $oldest "$work/oldest" || skip_all "$oldest: this machine's apt has no archive of it, or it does not answer"
# wait, not "build || ...": it would go on after errors
build "$work/oldest" >"$work/build.log" 2>&1 &
wait $! || { tail -n 50 "$work/build.log"; exit 1; }
build_static >"$work/static.log" 2>&1 &
status=0
wait $! || status=$?
[ $status -ne 77 ] || skip_all "cJSON: this machine's apt has no sources of it, or they do not answer"
[ $status -eq 0 ] || { tail -n 50 "$work/static.log"; exit 1; }
pack "$work/oldest"
rm -rf --one-file-system "$work/oldest"
set +e
check_versions
set -e
[ $# -gt 0 ] || set -- bullseye bookworm trixie
for release; do try "$release" "linked to this system's C library" new_system "$release"; done
try 'no C library' 'linked statically' new_stand_in
echo "$tree.tar.xz"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
