#!/bin/sh
# fetch.sh DIR: fills DIR with what the emulated machine needs, from the archives this system is configured for:
#   DIR/sysroot   arm64 libraries and headers to build against
#   DIR/vmlinuz   the arm64 kernel that this release ships for clouds
#   DIR/busybox   for the guest's shell
# Packages are only downloaded and unpacked: apt works in a root of its own under DIR, the system stays as it is.
set -eu
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ "$dir/fetched" -nt "$here/packages.txt" ] && [ "$dir/fetched" -nt "$0" ] && exit 0
rm -rf "$dir/sysroot" "$dir/kernel"
mkdir -p "$dir/apt/lists/partial" "$dir/apt/archives/partial" "$dir/apt/etc/preferences.d" "$dir/sysroot" "$dir/kernel"
dir=$(cd "$dir" && pwd)

cat >"$dir/apt/conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Dir::State "$dir/apt";
Dir::State::status "/dev/null";
Dir::Cache "$dir/apt";
CONF
apt() { tool=$1; shift; APT_CONFIG=$dir/apt/conf "apt-$tool" -qq "$@"; }
newest() { ls -v "$dir/apt/archives/$1"_*.deb | tail -1; }

apt get update || true # a foreign source without arm64 does not matter; what matters is found or not below
libraries=$(grep -v '^#' "$here/packages.txt")
kernel=$(apt cache depends linux-image-cloud-arm64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1)
[ -n "$kernel" ] || { echo "no arm64 cloud kernel in this system's archives" >&2; exit 1; }

apt get install -y --download-only $libraries >"$dir/apt/log" 2>&1 || { tail -3 "$dir/apt/log" >&2; exit 1; }
(cd "$dir/apt/archives" && apt get download "$kernel" busybox-static)

dpkg-deb -x "$(newest "$kernel")" "$dir/kernel"
cp "$dir"/kernel/boot/vmlinuz-* "$dir/vmlinuz"
mkdir -p "$dir/kernel/bb"
dpkg-deb -x "$(newest busybox-static)" "$dir/kernel/bb"
install -m 755 "$(find "$dir/kernel/bb" -path "*bin/busybox" -type f | head -1)" "$dir/busybox"
rm -rf "$dir/kernel"
for deb in "$dir"/apt/archives/*.deb; do
    case ${deb##*/} in linux-image-*|busybox*) ;; *) dpkg-deb -x "$deb" "$dir/sysroot" ;; esac
done
touch "$dir/fetched"
