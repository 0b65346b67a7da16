#!/bin/bash
# deb.sh BUILD: packages for Debian and Ubuntu of what `make install` installs, below BUILD/deb: rooftop, librooftop1 (the shared
# library of programs with bricks) and librooftop-dev. BUILD was linked with `STATIC=`: a package depends on the libraries that
# its system keeps up to date, and has no copies of them. The date of the changelog is that of the last commit, so that the same
# commit gives the same packages. Fails where lintian, if it is installed, finds an error or a warning.
set -eu
build=$1
out=$build/deb
version=$(cat VERSION)
arch=$(dpkg --print-architecture)
maintainer='rooftop maintainers <maintainers@rooftop.invalid>'
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
rm -rf "$out"
mkdir -p "$out/all" "$out/debian"
make -s BUILD="$build" STATIC= DESTDIR="$out/all" PREFIX=/usr install

move() { # PACKAGE PATH...: from what was installed into a package's folder
    local root=$out/$1 path
    shift
    for path in "$@"; do
        mkdir -p "$root/$(dirname "$path")"
        mv "$out/all/$path" "$root/$path"
    done
}
# Libraries of several architectures lie side by side: each has a folder.
lib=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
sed -i "s|^libdir=.*|libdir=\${prefix}/${lib#usr/}|" "$out/all/usr/lib/pkgconfig/rooftop.pc"
mkdir -p "$out/all/$lib"
(cd "$out/all/usr/lib" && mv librooftop.* pkgconfig "$OLDPWD/$out/all/$lib")
move librooftop1 "$lib/librooftop.so.1"
move librooftop-dev usr/include "$lib"
move rooftop usr
mkdir -p "$out/rooftop/usr/share/lintian/overrides"
printf '# %s\n%s\n' 'It runs in programs with any C library, or none.' 'rooftop: shared-library-lacks-prerequisites *recorder.so*' \
    >"$out/rooftop/usr/share/lintian/overrides/rooftop"

describe() { # PACKAGE: its fields that differ, as in debian/control
    case $1 in
    rooftop)
        echo 'Section: devel'
        echo 'Recommends: libhsa-runtime64-1, libcurl4, libzydis4.0, binutils'
        echo 'Suggests: linux-perf, graphviz, llvm, libpq5'
        echo 'Description: terminal dashboard for people who make compute kernels fast'
        echo ' Live hardware counters, the execution tree of a program down to the kernel'
        echo ' launch, its critical path, kernels under their roofline, system calls, hot'
        echo ' functions, profiles of GPUs. Works over ssh, as any user, without a GPU.'
        ;;
    librooftop1)
        echo 'Section: libs'
        echo 'Description: bricks of a program, seen live in rooftop (shared library)'
        echo ' A brick is a piece of work that a program times. This library keeps their'
        echo ' times where rooftop finds them while the program runs.'
        ;;
    librooftop-dev)
        echo 'Section: libdevel'
        echo 'Description: bricks of a program, seen live in rooftop (development files)'
        echo ' Headers for C, C++, CUDA and HIP, the static library, and the link for the'
        echo ' shared one.'
        ;;
    esac
}
printf 'Source: rooftop\nMaintainer: %s\n\nPackage: rooftop\nArchitecture: any\n' "$maintainer" >"$out/debian/control"
depends() { # PACKAGE: the packages of the shared libraries that its programs name
    local root=$out/$1 files
    files=$(find "$root" -type f \( -name '*.so*' -o -path '*/bin/*' \) -printf "-e$1/%P ")
    [ "$1" != librooftop-dev ] || echo "librooftop1 (= $version)"
    # Run where debian/control is; what the packages themselves bring is looked for there, too.
    [ -z "$files" ] || (cd "$out" && dpkg-shlibdeps -O --ignore-missing-info -xlibrooftop1 $files 2>/dev/null | sed 's/^shlibs:Depends=//')
}
pack() { # PACKAGE
    local root=$out/$1 doc=$out/$1/usr/share/doc/$1 needed
    mkdir -p "$root/DEBIAN" "$doc"
    find "$root" -type f -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
    find "$root" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec strip --strip-unneeded -R .comment -R .note {} +
    find "$root" -type f -path '*/man/*' ! -name '*.gz' -exec gzip -9n {} +
    find "$root" -type l -path '*/man/*' -execdir sh -c 'ln -s "$(readlink "$1").gz" "$1.gz" && rm "$1"' sh {} \;
    rm -f "$doc/LICENSE"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\n'
        awk '/^Copyright/ { sub(/^Copyright \(c\) /, ""); print "Copyright: " $0 "\nLicense: Expat" } NR > 4 { print $0 == "" ? " ." : " " $0 }' LICENSE
    } >"$doc/copyright"
    printf 'rooftop (%s) unstable; urgency=medium\n\n  * Built from the commit of that date.\n\n -- %s  %s\n' "$version" "$maintainer" \
        "$(LC_ALL=C date -uR -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
    needed=$(depends "$1")
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$1" "$version" "$arch" "$maintainer"
        printf 'Installed-Size: %s\nPriority: optional\n' "$(du -sk --apparent-size "$root/usr" | cut -f1)"
        [ "$1" != rooftop ] || needed="$needed, libpfm4" # opened when the name of an event needs it
        [ -z "$needed" ] || echo "Depends: $needed"
        describe "$1"
    } >"$root/DEBIAN/control"
    case $1 in
    librooftop1)
        echo 'librooftop 1 librooftop1' >"$root/DEBIAN/shlibs"
        echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
        ;;
    esac
    (cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
    find "$root" -type d -exec chmod 755 {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$out/${1}_${version}_$arch.deb" >/dev/null
}
for package in rooftop librooftop1 librooftop-dev; do
    pack $package
    echo "$out/${package}_${version}_$arch.deb"
done
rm -rf "$out/all" "$out/debian" "$out/rooftop" "$out/librooftop1" "$out/librooftop-dev"
! command -v lintian >/dev/null || lintian --allow-root --fail-on error,warning "$out"/*.deb
