#!/bin/sh
# run.sh BUILD: rooftop on a machine whose PMU counts exactly: arm64 under QEMU's software emulation, where every
# instruction takes one nanosecond of virtual time (-icount shift=0) and the Armv8 PMU counts each of them.
# Builds rooftop for it, boots it, runs guest.sh there, checks what came over the serial line (check.py).
# Ends with "N passed, N failed, N skipped"; skips, with the reason, where the packages cannot be had.
set -eu
build=${1:-build/pmu}
here=tests/platform/pmu
skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, $(python3 $here/check.py --count) skipped"
    exit 0
}
scripts/install-deps.sh pmu || skip "the emulator or the arm64 compiler is not installed"
mkdir -p "$build"
$here/fetch.sh "$build" || skip "arm64 packages could not be downloaded"

sysroot=$(cd "$build/sysroot" && pwd)
triplet=aarch64-linux-gnu
PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig \
PKG_CONFIG_SYSROOT_DIR=$sysroot \
    MAKEFLAGS='' make -s -j"$(nproc)" --no-print-directory BUILD="$build/arm64" OPT='-O1 -g1' AR=$triplet-ar \
    CC="$triplet-gcc --sysroot=$sysroot" CXX="$triplet-g++ --sysroot=$sysroot" all

root=$build/root
rm -rf "$root"
mkdir -p "$root/lib/$triplet" "$root/usr/lib" "$root/etc" "$root/proc" "$root/sys" "$root/dev/shm" "$root/tmp"
install -m 755 $here/guest.sh "$root/init"
install -m 755 "$build/busybox" "$build/arm64/rooftop" "$root"
$triplet-gcc -nostdlib -static -o "$root/loop" $here/loop.S
$triplet-gcc --sysroot="$sysroot" -std=gnu17 -O2 -Iinclude -o "$root/counted" $here/counted.c "$build/arm64/librooftop.a" \
    -pthread -lm
for part in 1 2 4; do
    $triplet-gcc --sysroot="$sysroot" -O1 -shared -fPIC -DPART=$part -o "$root/part$part.so" $here/judged.c
done
cp $here/judged.toml "$root"
cp -r themes "$root/themes"
cp -r "$sysroot/lib/terminfo" "$root/lib"
cp -L "$sysroot/lib/ld-linux-aarch64.so.1" "$root/lib"
take_libraries() { # of FILE, and theirs
    for name in $($triplet-readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
        [ -e "$root/lib/$triplet/$name" ] && continue
        from=$(ls "$sysroot/lib/$triplet/$name" "$sysroot/usr/lib/$triplet/$name" 2>/dev/null | head -1)
        cp -L "$from" "$root/lib/$triplet/"
        take_libraries "$from"
    done
}
take_libraries "$build/arm64/rooftop"
take_libraries "$root/counted"
cp -L "$sysroot/usr/lib/$triplet/libpfm.so.4" "$root/lib/$triplet/" # loaded when an event name needs it
(cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$build/initrd.gz"

# One CPU: QEMU's count goes on while any of them executes, so with two it would not be exact.
# sleep=off: an idle machine's clock jumps to its next timer instead of waiting for it
timeout -k 5 900 qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -m 512 \
    -icount shift=0,sleep=off -nographic -nodefaults -serial stdio -no-reboot -net none \
    -kernel "$build/vmlinuz" -initrd "$build/initrd.gz" -append "console=ttyAMA0 panic=-1 quiet" \
    </dev/null >"$build/serial.log" 2>"$build/qemu.log" || { tail -3 "$build/qemu.log"; echo "QEMU ended with $?"; }
python3 $here/check.py "$build/serial.log"
