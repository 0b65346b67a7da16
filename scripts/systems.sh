# systems.sh: minimal Debian or Ubuntu systems in folders, from the archives of this machine's own apt; sourced by root's scripts,
# which set $work, a folder that they may fill. mmdebstrap must be there (scripts/install-deps.sh fresh).
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
    mmdebstrap --quiet --variant=apt "${options[@]}" "$1" "$2" "$work/$1.list" >"$work/make.log" 2>&1
}
inside() { # FOLDER USER COMMAND: a shell's command in the project's folder there, or in / where it has none, without a terminal
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${http_proxy:+http_proxy="$http_proxy"} \
        timeout -k 10 "${FRESH_TIMEOUT:-1800}" unshare --mount --pid --fork --kill-child --propagation private sh -c '
        cd "$1" && mount -t proc proc proc && mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs tmpfs dev/shm || exit 125
        if [ "$2" = root ]; then HOME=/root exec chroot . sh -c "cd /home/user/rooftop 2>/dev/null || cd /; $3"; fi
        exec chroot . su user -s /bin/sh -c "cd /home/user/rooftop && $3"' sh "$1" "$2" "$3" </dev/null
}
put_project() { # FOLDER: the files that git knows, as they are in the work tree now
    local files=(.)
    mkdir -p "$1/home/user/rooftop"
    if git rev-parse --git-dir >/dev/null 2>&1; then mapfile -t files < <(git ls-files --cached --others --exclude-standard | while read -r f; do [ -e "$f" ] && echo "$f"; done); fi
    printf '%s\n' "${files[@]}" | tar --exclude=./build --exclude=./.git -cf - -T - | tar -xf - -C "$1/home/user/rooftop"
    cp /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
}
