#!/bin/sh
# check-install.sh BUILD: installs into an empty folder, checks what arrived, uninstalls, and expects that nothing is left.
set -eu
build=$1
dest=$(mktemp -d)
trap 'rm -rf "$dest"' EXIT
make -s BUILD="$build" DESTDIR="$dest" PREFIX=/usr install
[ "$("$dest/usr/bin/rooftop" --version)" = "rooftop $(cat VERSION)" ]
[ "$("$dest/usr/bin/rtop" --version)" = "rooftop $(cat VERSION)" ]
share=$dest/usr/share
for file in man/man1/rooftop.1 bash-completion/completions/rooftop zsh/site-functions/_rooftop \
    fish/vendor_completions.d/rooftop.fish man/man1/rtop.1 bash-completion/completions/rtop fish/vendor_completions.d/rtop.fish doc/rooftop/LICENSE doc/rooftop/README.md doc/rooftop/snapshot.schema.json \
    doc/rooftop/documents.schema.json rooftop/themes; do
    [ -s "$share/$file" ] || { echo "not installed, or empty: $file"; exit 1; }
done
for file in include/rooftop/brick.h include/rooftop/brick_disabled.h include/rooftop/brick_cuda.h \
    include/rooftop/brick_hip.h include/rooftop/gpu_events.h include/rooftop/counters.h lib/librooftop.a lib/librooftop.so \
    lib/rooftop/librooftop-capture.so lib/rooftop/ranges/libroctx64.so.4 lib/rooftop/ranges/librocprofiler-sdk-roctx.so.1; do
    [ -s "$dest/usr/$file" ] || { echo "not installed, or empty: $file"; exit 1; }
done
[ "$(nm -D --defined-only "$dest/usr/lib/rooftop/librooftop-capture.so" | awk '{ print $3 }' | sort | xargs)" = "OnLoad OnUnload" ] ||
    { echo "librooftop-capture.so shows more, or less, than a tools library"; exit 1; }
# a page for each noun of the command line that --help lists
"$dest/usr/bin/rooftop" --help | sed -n '/^Commands/,/^What to watch/s/^  \([a-z][a-z]*\)  .*/\1/p' >"$dest/nouns"
[ "$(wc -l <"$dest/nouns")" -gt 5 ] || { echo "--help lists no nouns"; exit 1; }
while read -r noun; do
    [ -s "$share/man/man1/rooftop-$noun.1" ] || { echo "not installed, or empty: rooftop-$noun.1"; exit 1; }
done <"$dest/nouns"
rm "$dest/nouns"
for name in InitializeInjectionNvtx2 roctxRangePushA roctxRangePop; do
    nm -D "$dest/usr/lib/rooftop/librooftop-nvtx.so" | grep -q " T $name" || { echo "no $name"; exit 1; }
done
[ "$(nm -D --defined-only "$dest/usr/lib/rooftop/librooftop-nccl.so" | awk '{ print $3 }' | sort | xargs)" = \
    "ncclProfiler_v4 ncclProfiler_v5 ncclProfiler_v6" ] || { echo "librooftop-nccl.so shows more, or less, than a profiler plugin"; exit 1; }
"$dest/usr/bin/rooftop" --headless --ranges -- true >/dev/null
# A program in C and one in C++ find the library as a user's program would, with both ways of linking.
export PKG_CONFIG_PATH="$dest/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$dest"
cat >"$dest/user.c" <<'END'
#include <rooftop/brick.h>
int main(void)
{
    rooftop_timer t = rooftop_start(ROOFTOP_RMS_NORM);
    rooftop_stop(t, 1);
    return rooftop_stats_of(ROOFTOP_RMS_NORM).count != 1;
}
END
cat >"$dest/user.cpp" <<'END'
#include <rooftop/brick.h>
int main()
{
    {
        rooftop::guard g(rooftop_brick("SiLU"), 7);
    }
    return rooftop_stats_of(ROOFTOP_ACTIVATION).elements != 7;
}
END
for flags in '' '-static-libgcc -Wl,-Bstatic'; do
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$dest/user.c" $(pkg-config --cflags rooftop) -o "$dest/user" \
        -L"$dest/usr/lib" $flags -lrooftop -Wl,-Bdynamic -pthread
    LD_LIBRARY_PATH="$dest/usr/lib" "$dest/user"
done
g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$dest/user.cpp" $(pkg-config --cflags --libs rooftop) -o "$dest/user"
LD_LIBRARY_PATH="$dest/usr/lib" "$dest/user"
gcc -std=c11 -DROOFTOP_DISABLE -Wall -Wextra -Wpedantic -Werror -c "$dest/user.c" $(pkg-config --cflags rooftop) -o "$dest/user.o"
g++ -std=c++11 -DROOFTOP_DISABLE -Wall -Wextra -Wpedantic -Werror -c "$dest/user.cpp" $(pkg-config --cflags rooftop) -o "$dest/user.o"
rm "$dest"/user*
bash -n "$share/bash-completion/completions/rooftop"
make -s BUILD="$build" DESTDIR="$dest" PREFIX=/usr uninstall
left=$(find "$dest" -not -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
