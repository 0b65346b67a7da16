#!/bin/bash
# portable.sh [SYSTEM...]: build/portable/rooftop-VERSION-linux-ARCH.tar.xz, which runs where it is unpacked, on any Linux.
# bin/rooftop has its C library linked in, so it starts without glibc, too (musl, as in Alpine), but it opens no library: neither those
# of GPUs nor others. Where the system's glibc is new enough, it hands over to glibc/bin/rooftop, which opens them (src/alone).
# That one is built in a minimal Debian 11, whose C library is old enough, by a compiler that is new enough; headers that this system
# has not, come from this machine's own release. All other libraries are linked in, except cJSON, of which Debian has no archive: it
# lies beside. The static one is built here, with an archive of cJSON that is made from Debian's sources.
# Then scripts/portable-try.sh tries both in each SYSTEM made anew ("bullseye ubuntu/focal alpine/v3.18 none"; scripts/systems.sh), and at
# last tells "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")/.."
work=$PWD/build/portable static=$PWD/build/static
oldest=bullseye
headers='linux-libc-dev libtomlplusplus-dev libhsa-runtime-dev libzydis-dev libzycore-dev'
tools='clang-16 g++ make pkg-config libncurses-dev libpfm4-dev libcjson-dev libsqlite3-dev zlib1g-dev libdw-dev libzstd-dev
    libxxhash-dev libffi-dev libmd-dev libcurl4-openssl-dev libbz2-dev liblzma-dev'

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

build() ( # FOLDER: of the oldest system; the program for glibc
    set -e
    inside "$1" root "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ${tools//$'\n'/ }"
    # Downloaded by nobody's user, where the folder lets it.
    (cd "$work/headers" && apt-get -qq -o APT::Sandbox::User=root download $headers)
    for package in "$work"/headers/*.deb; do dpkg-deb -x "$package" "$1"; done
    put_project "$1"
    # Debian 11's linker reads no DWARF 5. Some functions lie in libraries of their own in its C library.
    FRESH_TIMEOUT=7200 inside "$1" root "make -j$(nproc) CC=clang-16 CPPFLAGS='-include scripts/older_libc.h' OPT='-O2 -g1 -gdwarf-4' \
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
    # where the compiler looks for archives, too
    LIBRARY_PATH=$static make -j"$(nproc)" BUILD=build/static ALONE=yes build/static/rooftop
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
check_versions() { # what the program for glibc needs is what the static one asks for before it hands over
    local newest known
    newest=$(find "$tree/glibc" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
    known=$(sed -n 's/^#define OLDEST "\(.*\)"$/\1/p' src/alone/hand_over.c)
    [ -n "$known" ] && [ "$newest" = "$known" ] || {
        echo "failed: the programs in glibc/ need $newest; src/alone/hand_over.c says $known"
        return 1
    }
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
check_versions
echo "$tree.tar.xz"
[ $# -gt 0 ] || set -- bullseye bookworm trixie none
exec scripts/portable-try.sh "$tree.tar.xz" "$@"
