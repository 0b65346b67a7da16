#!/bin/sh
# install-deps.sh GROUP...: checks for the packages that scripts/deps.tsv lists for these groups; installs missing ones
# with apt-get (through sudo if not root), or says what to install. Silent and quick if nothing is missing.
set -eu
table=$(dirname "$0")/deps.tsv
cc=${CC:-cc}

have_header() { # the usual places first: asking the compiler takes 10 ms a header
    case $1 in /*) [ -e "$1" ]; return ;; esac
    for dir in /usr/include /usr/local/include /usr/include/*-linux-gnu*; do
        [ -e "$dir/$1" ] && return 0
    done
    printf '#include <%s>\n' "$1" | $cc -E -x c++ - >/dev/null 2>&1
}

have() { # PROBE[|PROBE]
    case $1 in
    *'|'*) have "${1%%|*}" || have "${1%%:*}:${1#*|}" ;;
    cmd:*) command -v "${1#cmd:}" >/dev/null 2>&1 ;;
    h:*) have_header "${1#h:}" ;;
    *) echo "deps.tsv: unknown probe $1" >&2; exit 2 ;;
    esac
}

packages='' names='' optional=''
tab=$(printf '\t')
while IFS=$tab read -r group package probe name; do
    case " $* " in *" ${group%\?} "*) ;; *) continue ;; esac
    have "$probe" && continue
    case $group in *\?) optional="$optional $package"; continue ;; esac
    packages="$packages $package"
    names="$names
  $name"
done <"$table"
available() { # those of the optional packages that this system's archives have for this architecture
    for package in $optional; do
        if apt-cache madison "$package" 2>/dev/null | grep -q .; then printf ' %s' "$package"; fi
    done
}
give_up() { # MESSAGE: unless rooftop does without what is missing
    [ -n "$packages" ] || exit 0
    echo "$1" >&2
    exit 1
}
[ -n "$packages" ] || [ -n "$(available)" ] || exit 0

command -v apt-get >/dev/null 2>&1 ||
    give_up "rooftop needs the following, which this system lacks. Please install with its package manager:$names"
as_root=''
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
        give_up "rooftop needs packages that are missing. As root:  apt-get install$packages"
    as_root=sudo
    [ -t 0 ] || as_root='sudo -n' # nobody there to type a password
fi

echo "Installing:$packages$(available)"
lock_s=300 # how long to wait for another installation: unattended upgrades take minutes
apt() { # ARGUMENTS: apt-get, once nobody else holds one of its locks; its messages only where it fails
    waited=0
    until messages=$($as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" 2>&1 >/dev/null </dev/null); do
        case $messages in *'Could not get lock'*) ;; *) return 1 ;; esac
        if [ "$waited" -ge "$lock_s" ]; then
            messages="$messages
Another installation held apt's lock for $lock_s s. When it has ended, try again."
            return 1
        fi
        [ "$waited" -gt 0 ] || echo "Waiting for another installation, which holds apt's lock, for $lock_s s at most." >&2
        sleep 5
        waited=$((waited + 5))
    done
}
install() { apt install -y --no-install-recommends $packages $(available); }
# The package lists may be absent (a fresh container) or too old to download from: only then fetch them.
if ! install; then
    apt update || printf '%s\n' "$messages" >&2
    install || { printf '%s\n' "$messages" >&2; give_up "Could not install. Please run:  ${as_root:+sudo }apt-get install$packages"; }
fi
