#!/bin/sh
# fetch.sh DIR: fills DIR/root with packages.txt of Debian 13, from the archive that this system's apt is configured for.
# Packages are only downloaded and unpacked: apt works in a root of its own under DIR, the system stays as it is.
set -eu
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
suite=trixie
[ "$dir/fetched" -nt "$here/packages.txt" ] && [ "$dir/fetched" -nt "$0" ] && exit 0
[ "$(uname -m)" = x86_64 ] || { echo "the packages are for x86_64" >&2; exit 1; }
command -v apt-get >/dev/null || { echo "no apt-get here" >&2; exit 1; }
rm -rf "$dir"
mkdir -p "$dir/apt/lists/partial" "$dir/apt/archives/partial" "$dir/apt/etc/preferences.d" "$dir/root"
dir=$(cd "$dir" && pwd)

archive=$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(CODENAME) $(REPO_URI)' |
    awk '$1 == "Packages" && $2 == "Debian" && $3 !~ /-/ { print $4; exit }')
[ -n "$archive" ] || { echo "this system's apt knows no Debian archive" >&2; exit 1; }
echo "deb $archive $suite main" >"$dir/apt/sources.list"
cat >"$dir/apt/conf" <<CONF
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Dir::Etc::sourcelist "$dir/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State "$dir/apt";
Dir::State::status "/dev/null";
Dir::Cache "$dir/apt";
CONF
export APT_CONFIG="$dir/apt/conf"
apt-get -qq update
(cd "$dir/apt/archives" && apt-get -qq download $(grep -v '^#' "$here/packages.txt"))
for deb in "$dir"/apt/archives/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
rm -rf "$dir/apt"
touch "$dir/fetched"
