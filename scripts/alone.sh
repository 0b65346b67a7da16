#!/bin/bash
# alone.sh: build/alone/rooftop-VERSION-linux-ARCH-static.tar.xz with one program that has its C library linked in, so it starts on any
# Linux, musl's (Alpine) too. It opens no library: those of GPUs are for the rooftop of `make portable`. Where that archive is
# built, too, it lies in the folder glibc of this one, and takes over where the system's glibc is new enough.
# cJSON's archive, which Debian has not, is made from Debian's sources. Then the program is tried in a folder without any C library,
# terminfo, locale or users, with Debian's static busybox. Ends with "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")/.."
work=$PWD/build/alone
name=rooftop-$(cat VERSION)-linux-$(uname -m)
passed=0 failed=0
mkdir -p "$work/lists/partial" "$work/cjson"
. scripts/systems.sh
skip_all() { # REASON: exit status 77
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}
[ "$(id -u)" -eq 0 ] && can_make_systems || skip_all 'a system in a folder: not root, or this machine lets not even root mount'

lines_of "$VERSION_CODENAME" | sed 's/^deb /deb-src /' >"$work/sources.list"
from_sources() { # ARGUMENTS of apt-get
    (cd "$work/cjson" && apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root "$@")
}
[ -e "$work/libcjson.a" ] || {
    from_sources update && from_sources source --download-only cjson || skip_all "cJSON: this machine's apt has no sources"
    rm -rf "$work/cjson/source"
    dpkg-source -x "$work"/cjson/cjson_*.dsc "$work/cjson/source" >/dev/null
    cc -O2 -fPIE -c "$work/cjson/source/cJSON.c" -o "$work/cjson/cJSON.o"
    ar rcs "$work/libcjson.a" "$work/cjson/cJSON.o"
}
# -B: where the compiler looks for archives first
make -j"$(nproc)" BUILD=build/alone ALONE=yes CC="cc -B$work/" build/alone/rooftop >"$work/build.log" 2>&1 ||
    { tail -n 50 "$work/build.log"; exit 1; }

rm -rf --one-file-system "$work/root"
tree=$work/root/$name-static
mkdir -p "$tree/bin" "$tree/share/rooftop/locale/C.utf8" "$tree/share/doc/rooftop"
strip -o "$tree/bin/rooftop" "$work/rooftop"
cp /usr/lib/locale/C.utf8/LC_CTYPE "$tree/share/rooftop/locale/C.utf8/"
cp LICENSE README.md "$tree/share/doc/rooftop/"
if [ -e "build/portable/$name.tar.xz" ]; then
    tar -C "$tree" -xJf "build/portable/$name.tar.xz" && mv "$tree/$name" "$tree/glibc" && ln -s glibc/lib "$tree/lib"
fi
tar -C "$work/root" --owner=0 --group=0 --sort=name -cJf "$work/$name-static.tar.xz" "$name-static"

mkdir -p "$work/root/bin" "$work/root/proc" "$work/root/sys" "$work/root/dev/shm" "$work/root/tmp" "$work/busybox"
(cd "$work/busybox" && apt-get -qq -o APT::Sandbox::User=root download busybox-static && dpkg-deb -x busybox-static*.deb .) ||
    skip_all "busybox-static: this machine's apt has none"
cp "$(find "$work/busybox" -path '*/bin/busybox' -type f | head -n 1)" "$work/root/bin/busybox"
for command in sh cat sleep grep stty test; do ln -sf busybox "$work/root/bin/$command"; done
cp tests/data/rocpd/synthetic_schema3.db tests/data/chrome/kineto_cuda.json "$work/root/tmp/"
check() { # WHAT COMMAND
    if inside "$work/root" root "cd /$name-static && export TERM=xterm-256color LANG=en_US.UTF-8 && $2" >"$work/check.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        cat "$work/check.log"
        echo "failed: $1"
    fi
}
check 'its version' "bin/rooftop --version | grep -qx 'rooftop $(cat VERSION)'"
check 'a snapshot of this host' "bin/rooftop --headless | grep -q 'rooftop itself:'"
check 'a program' "bin/rooftop --headless -- sleep 0.2 | grep -q sleep"
check 'system calls, and names of errors' "bin/rooftop trace -- cat /no/file 2>&1 | grep -q 'ENOENT (No such file or directory)'"
check 'a profile in JSON' "bin/rooftop report --brief /tmp/kineto_cuda.json | grep -q gemm"
check 'a profile in SQLite' "bin/rooftop report --brief /tmp/synthetic_schema3.db | grep -q gemm"
check 'what can be measured here, and why no GPU' "bin/rooftop doctor | grep -q 'linked statically'"
# inside() gives no terminal, so script(1), which is this machine's, has the terminal outside.
cat >"$work/screen.sh" <<END
cd "$work/root" && mount -t proc proc proc && mount --rbind /dev dev && exec chroot . /bin/sh -c \
    'stty cols 100 rows 30; cd /$name-static && TERM=xterm-256color LANG=en_US.UTF-8 exec bin/rooftop'
END
if (sleep 3; printf q) | timeout 60 script -qec "unshare --mount --pid --fork --kill-child --propagation private sh $work/screen.sh" \
    /dev/null >"$work/screen.log" && grep -q '╭' "$work/screen.log"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo 'failed: the dashboard in a terminal, and its end by q'
fi
echo "$work/$name-static.tar.xz"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
