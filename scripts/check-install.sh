#!/bin/sh
# check-install.sh BUILD: installs into an empty place, looks at what arrived, uninstalls, and wants nothing left.
set -eu
build=$1
dest=$(mktemp -d)
trap 'rm -rf "$dest"' EXIT
make -s BUILD="$build" CC=gcc CXX=g++ WERROR=-Werror DESTDIR="$dest" PREFIX=/usr install
[ "$("$dest/usr/bin/rooftop" --version)" = "rooftop $(cat VERSION)" ]
share=$dest/usr/share
for file in man/man1/rooftop.1 bash-completion/completions/rooftop zsh/site-functions/_rooftop \
    fish/vendor_completions.d/rooftop.fish doc/rooftop/LICENSE doc/rooftop/README.md rooftop/themes; do
    [ -s "$share/$file" ] || { echo "not installed, or empty: $file"; exit 1; }
done
bash -n "$share/bash-completion/completions/rooftop"
make -s BUILD="$build" CC=gcc CXX=g++ WERROR=-Werror DESTDIR="$dest" PREFIX=/usr uninstall
left=$(find "$dest" -not -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
