#!/bin/sh
# golden-judge.sh BUILD [CHECKS [NAME...]]: captures what ordinary programs do, checks each CHECKS times (5), and prints how often a check
# saw a difference where nothing changed. Programs that are not installed are left out and named. Exit status 1 where there was one.
set -u
build=$1 checks=${2:-5}
shift
[ $# -eq 0 ] || shift
wanted=" $* "
rooftop=$(cd "$build" && pwd)/rooftop
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
mkdir "$work/here" && cd "$work/here" || exit 1 # what is written here is input of the next check: reports are elsewhere

# Input.
cat >hello.c <<'END'
#include <stdio.h>
int main(void)
{
    puts("hello");
    return 0;
}
END
printf '#include <iostream>\nint main() { std::cout << "hello\\n"; }\n' >hello.cc
printf 'public class Hello { public static void main(String[] a) { System.out.println("hello"); } }\n' >Hello.java
printf 'fn main() { println!("hello"); }\n' >hello.rs
printf 'package main\n\nfunc main() { println("hello") }\n' >hello.go
seq 200000 | awk '{ print ($1 * 7919) % 200003 }' >numbers
printf 'all: a.o b.o c.o d.o\n\tcat a.o b.o c.o d.o >all\n%%.o: hello.c\n\tcc -c -o $@ hello.c\nclean:\n\trm -f *.o all\n' >Makefile
mkdir tree && for i in 1 2 3 4 5 6; do seq "$i"00 >"tree/$i"; done
tar cf tree.tar tree
gzip -k tree.tar
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git_as='git -c user.name=a -c user.email=a@b -c init.defaultBranch=main'
if command -v git >/dev/null; then
    # What is as old as the index is read again by git status, and that would be a matter of the clock.
    $git_as init -q repository && cp tree/* repository && touch -d 2026-01-01 repository/* && (cd repository && git add . && $git_as commit -q -m one)
fi
if command -v python3 >/dev/null; then
    python3 -u -m http.server --bind 127.0.0.1 0 >../server.out 2>/dev/null &
    server=$!
    n=0
    until grep -q 'port [0-9]' ../server.out 2>/dev/null || [ $n -ge 600 ]; do n=$((n + 1)) && sleep 0.1; done
fi
port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' ../server.out 2>/dev/null)

programs=0 absent= alarms=0 chance=0

# judge NAME PROGRAM COMMAND...: PROGRAM must be installed.
judge() {
    name=$1 program=$2
    shift 2
    case $wanted in "  " | *" $name "*) ;; *) return ;; esac
    if ! command -v "$program" >/dev/null; then
        absent="$absent $name"
        return
    fi
    if ! "$rooftop" golden capture --folder ../traces "$name" -- "$@" >../captured 2>&1; then
        echo "$name: cannot be captured"
        cat ../captured
        alarms=$((alarms + 1))
        return
    fi
    programs=$((programs + 1)) wrong=0 again=0 n=0
    while [ $n -lt "$checks" ]; do
        n=$((n + 1))
        if "$rooftop" golden check --folder ../traces -o ../report "$name" >/dev/null 2>../errors; then
            if grep -q 'as before, in' ../report; then again=$((again + 1)); fi
        else
            wrong=$((wrong + 1))
            cat ../report ../errors
        fi
    done
    alarms=$((alarms + wrong)) chance=$((chance + again))
    echo "$name: $wrong of $checks checks were false alarms, $again ran the command again"
}

judge cc-compile cc cc -O2 -c -o hello.o hello.c
judge cc-link cc cc -pipe -o hello hello.c
judge cxx c++ c++ -o hello++ hello.cc
judge clang clang clang -c -o hello-clang.o hello.c
judge javac javac javac -d classes Hello.java
judge java java java -Xshare:auto -version
judge rustc rustc rustc --crate-type lib --emit metadata -o hello.rmeta hello.rs
judge go go go vet hello.go
judge python python3 python3 -c 'import json, tempfile; t = tempfile.NamedTemporaryFile(); t.write(b"x"); t.flush(); print(json.dumps(t.name[:5]))'
judge python-threads python3 python3 -c 'import threading; t = [threading.Thread(target=open, args=("numbers",)) for i in range(8)]; [x.start() for x in t]; [x.join() for x in t]'
judge python-pool python3 python3 -c 'import subprocess; p = [subprocess.Popen(["cat", "hello.c"], stdout=subprocess.PIPE) for i in range(4)]; print(sum(len(x.communicate()[0]) for x in p))'
judge perl perl perl -e 'use File::Temp; my ($f, $n) = File::Temp::tempfile(UNLINK => 1); print $f "x"; print 45'
judge node node node -e 'console.log(require("fs").mkdtempSync(require("os").tmpdir() + "/judge-").length)'
judge tclsh tclsh tclsh Makefile
judge awk awk awk '{ s += $1 } END { print s }' numbers
judge sed sed sed -i s/hello/hello/ hello.c
judge sh sh sh -c 't=$(mktemp) && echo x >$t && cat $t | wc -c; rm $t'
judge bash bash bash -c 'cat <<<here; for i in 1 2 3; do echo $i & done >/dev/null; wait; diff <(seq 3) <(seq 3)'
judge sort sort sort -n numbers -o sorted
judge sort-threads sort sort --parallel=4 -n -S 1M numbers -o sorted
judge make make sh -c 'make -s clean && make -s -j2'
judge git-status git git -C repository status --porcelain
judge git-clone git sh -c 'rm -rf copy && git clone -q repository copy'
judge git-commit git sh -c 'rm -rf copy && git clone -q repository copy && echo x >copy/x && git -C copy add x && git -C copy -c user.name=a -c user.email=a@b commit -q -m two'
judge tar tar tar cf made.tar tree
judge tar-x tar tar xzf tree.tar.gz
judge gzip gzip gzip -kf numbers
judge xz xz xz -kf -T2 numbers
judge zip zip sh -c 'rm -f made.zip && zip -q -r made.zip tree'
judge curl curl curl -s -o fetched "http://127.0.0.1:$port/hello.c"
judge find find find tree -type f -newer Makefile
judge xargs xargs sh -c 'ls tree | xargs -P 2 -n 1 basename >/dev/null'
judge grep grep grep -r -c 9 tree
judge ls ls ls -l tree
judge cp cp cp -a tree/. copied
judge diff diff diff -r tree tree
judge openssl openssl openssl dgst -sha256 numbers
judge sqlite sqlite3 sqlite3 :memory: 'create table t (x); insert into t values (1); select sum(x) from t'
judge bc bc sh -c 'echo 2^100 | bc'
judge ar ar sh -c 'cc -c -o m.o hello.c && rm -f m.a && ar rcs m.a m.o'
judge gdb gdb gdb -batch -nx -ex 'print 6 * 7'
judge cmake cmake cmake -E sha256sum numbers
judge install install install -m 0640 numbers installed
judge split split split -n 4 numbers part-
judge dd dd dd if=numbers of=copy.dd bs=4k conv=notrunc status=none
judge vim vim vim -es -u NONE -c 'q!' hello.c
judge python-exec python3 python3 -m compileall -q -f tree

echo "$programs programs, $((programs * checks)) checks: $alarms false alarms; $chance ran the command again because the order of calls is chance"
[ -z "$absent" ] || echo "not installed:$absent"
[ $alarms -eq 0 ]
