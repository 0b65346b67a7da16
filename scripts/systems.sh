# systems.sh: minimal systems in folders, from the archives of this machine's own apt; sourced by root's scripts,
# which set $work, a folder that they may fill. mmdebstrap must be there (scripts/install-deps.sh fresh).
# A system is named by RELEASE (of Debian), ubuntu/RELEASE, alpine/vRELEASE, none (no C library at all), or RELEASE.list (a file of apt's lines).
. /etc/os-release

can_make_systems() { # whether this machine lets root mount
    command -v apt-get >/dev/null && unshare --mount --pid --fork --mount-proc true 2>/dev/null
}
lines_of() { # RELEASE: this machine's sources of the archive, as lines for that release
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v own="$VERSION_CODENAME" -v release="$1" '$2 ~ "^" own "(-updates|-security)?$" && $3 ~ /^(main|universe)$/ {
            sub("^" own, release, $2)
            lines[$1 " " $2] = lines[$1 " " $2] " " $3
        } END { for (l in lines) print "deb " l lines[l] }' | LC_ALL=C sort
}
settings() { # how this machine's apt reaches its archives: proxies, and what it does not check
    apt-config dump | grep -E '^(Acquire::(https?|[A-Za-z]*)::[Pp]roxy|Acquire::Check-)' || true
}
reachable() { # FILE of lines: whether they can be fetched at all
    mkdir -p "$work/lists/partial"
    apt-get -qq update --error-on=any -o Dir::Etc::SourceList="$1" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root >"$work/update.log" 2>&1
}

make_system() { # RELEASE FOLDER
    local options=()
    while read -r line; do options+=("--aptopt=$line"); done < <(settings)
    mmdebstrap --quiet --variant=apt --dpkgopt=force-unsafe-io "${options[@]}" "$1" "$2" "$work/$1.list" >"$work/make.log" 2>&1
}
mirror_of() { # FOLDER: the address of other packages beside this machine's own, where its mirror has them: /ubuntu beside /debian
    apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v own="$VERSION_CODENAME" -v folder="$1" '$2 == own && sub(/[^\/]*\/*$/, folder, $1) { print $1; exit }'
}
unpack_package() { # PACKAGE FOLDER [APT'S OPTION...]: checked by apt
    mkdir -p "$2"
    (cd "$2" && apt-get -qq "${@:3}" -o APT::Sandbox::User=root download "$1" && dpkg-deb -x "$1"_*.deb .)
}
write_ubuntu_lines() { # RELEASE: its list. Debian has the keys of Ubuntu's archive since Debian 13
    lines_of trixie | grep -v -e -security -e -updates >"$work/keys.list" && reachable "$work/keys.list" &&
        unpack_package ubuntu-keyring "$work/keys" -o "Dir::Etc::SourceList=$work/keys.list" -o Dir::Etc::SourceParts=/dev/null \
            -o "Dir::State::Lists=$work/lists" &&
        echo "deb [signed-by=$work/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg] $(mirror_of ubuntu) $1 main universe" >"$work/$1.list"
}
download_alpine() { # FILE of the archive at $address
    /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$address/$(uname -m)/$1" "$1" >>"$work/make.log" 2>&1
}
make_alpine() ( # RELEASE FOLDER: by Alpine's own apk. No Debian has its keys, so the two packages that bring them are not checked
    address=$(mirror_of alpine)/$1/main
    rm -rf "$work/alpine" && mkdir -p "$work/alpine" && cd "$work/alpine" && download_alpine APKINDEX.tar.gz || exit 77
    for package in apk-tools-static alpine-keys; do
        package=$package-$(tar -xzOf APKINDEX.tar.gz APKINDEX | sed -n "/^P:$package\$/,/^\$/s/^V://p").apk
        download_alpine "$package" && tar -xzf "$package" 2>/dev/null || exit 77
    done
    sbin/apk.static --quiet --no-cache --keys-dir "$PWD/etc/apk/keys" --repository "$address" --root "$2" --initdb add alpine-base \
        >>"$work/make.log" 2>&1 || { ! grep -q 'in index not found' "$work/make.log" || exit 77; cat "$work/make.log"; exit 1; }
)
make_stand_in() { # FOLDER: a system without any C library, terminfo, locale or users; only Debian's static busybox
    mkdir -p "$1/bin" "$1/proc" "$1/sys" "$1/dev/shm" "$1/tmp"
    [ -d "$work/busybox" ] || unpack_package busybox-static "$work/busybox" || return 77
    cp "$(find "$work/busybox" -path '*/bin/busybox' -type f | head -n 1)" "$1/bin/busybox"
    for command in sh cat sleep grep sed stty test; do ln -sf busybox "$1/bin/$command"; done
}
new_system() { # SYSTEM FOLDER: 77 where its packages cannot be had
    local release=${1%.list}
    release=${release##*/}
    case $1 in
    alpine/*) make_alpine "$release" "$2" || return ;;
    none) make_stand_in "$2" || return ;;
    *)
        case $1 in
        ubuntu/*) write_ubuntu_lines "$release" ;;
        *.list) cp "$1" "$work/" ;;
        *) lines_of "$1" | grep -v -e -security -e -updates >"$work/$1.list" ;; # the archive of an old release's updates is not always whole
        esac || return 77
        [ -s "$work/$release.list" ] && reachable "$work/$release.list" || return 77
        make_system "$release" "$2" || { cat "$work/make.log"; return 1; }
        ;;
    esac
    mkdir -p "$2/etc"
    cp /etc/resolv.conf "$2/etc/resolv.conf" 2>/dev/null || true
}
inside() { # FOLDER USER COMMAND: a shell's command in the project's folder there, or in / where it has none, without a terminal
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${http_proxy:+http_proxy="$http_proxy"} \
        timeout -k 10 "${FRESH_TIMEOUT:-1800}" unshare --mount --pid --fork --kill-child --propagation private sh -c '
        cd "$1" && mount -t proc proc proc && mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs tmpfs dev/shm || exit 125
        if [ "$2" = root ]; then HOME=/root exec chroot . sh -c "cd /home/user/rooftop 2>/dev/null || cd /; $3"; fi
        chroot . su user -s /bin/sh -c "cd /home/user/rooftop && $3" # not exec: as the first process this shell ends the zombies
        exit $?' sh "$1" "$2" "$3" </dev/null
}
put_project() { # FOLDER: the files that git knows, as they are in the work tree now
    local files=(.)
    mkdir -p "$1/home/user/rooftop"
    if git rev-parse --git-dir >/dev/null 2>&1; then mapfile -t files < <(git ls-files --cached --others --exclude-standard | while read -r f; do [ -e "$f" ] && echo "$f"; done); fi
    printf '%s\n' "${files[@]}" | tar --exclude=./build --exclude=./.git -cf - -T - | tar -xf - -C "$1/home/user/rooftop"
    cp /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
}
