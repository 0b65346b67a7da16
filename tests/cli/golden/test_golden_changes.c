/* True changes of a program, each of which a golden trace must show. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define IN   "rm -rf $D/w && mkdir $D/w && cd $D/w && echo one >a && echo two >b && "
#define TEMP "t=$(mktemp) && echo a >$t && "

/* Each starts in a folder with the files a and b. */
static const struct {
    const char *before, *after;
    const char *level;
    const char *needs; /* a program that may be absent; NULL: none */
} changes[] = {
    /* names that look as if they were drawn by lot, and are not */
    {IN "echo x >$D/part.public", IN "echo x >$D/part.secret", "effects", NULL},
    {IN "echo x >$D/tmpabcdefgh", IN "echo x >$D/tmpabcdefgi", "effects", NULL},
    {IN "echo x >$D/app.aB3dE6", IN "echo x >$D/app.Q8r7T6", "effects", NULL},
    {IN "echo x >$D/tmp.aB3dE6abcd", IN "echo x >$D/tmp.Q8r7T6abcd", "effects", NULL},
    {IN "mkdir d.aB3dE6", IN "mkdir d.Q8r7T6", "effects", NULL},
    {IN "rm a", IN "rm b", "effects", NULL},
    {IN "mv a report.abcdef", IN "mv a report.secret", "effects", NULL},
    {IN "cat a >/dev/null", IN "cat b >/dev/null", "order", NULL},
    /* names that are drawn by lot: the rest is compared */
    {IN TEMP "rm $t", IN "t=$(mktemp) && echo b >$t && rm $t", "effects", NULL},
    {IN TEMP "rm $t", IN TEMP "true", "effects", NULL},
    {IN TEMP "rm $t", IN TEMP "chmod 644 $t; rm $t", "effects", NULL},
    {IN TEMP "mv $t c", IN TEMP "mv $t d", "effects", NULL},
    {IN TEMP "rm $t", IN "t=$(mktemp -p .) && echo a >$t && rm $t", "effects", NULL},
    {IN TEMP "rm $t", IN TEMP "rm $t; echo a >/tmp/rooftop-no-lot; rm /tmp/rooftop-no-lot",
     "effects", NULL},
    /* files without bytes, and sizes */
    {IN ": >f", IN "true", "effects", NULL},
    {IN ": >a", IN ": >>a", "effects", NULL},
    {IN "echo x >a", IN "echo x >>a", "effects", NULL},
    {IN "touch f", IN "touch g", "effects", NULL},
    {IN "truncate -s 0 a", IN "truncate -s 5 a", "effects", NULL},
    {IN "truncate -s 5 a", IN "true", "effects", NULL},
    {IN "fallocate -l 10 a", IN "fallocate -l 20 a", "effects", "fallocate"},
    {IN "dd if=a of=b conv=notrunc status=none", IN "dd if=a of=b seek=1 conv=notrunc status=none",
     "effects", NULL},
    /* modes, kinds of files, links */
    {IN "chmod 600 a", IN "chmod 4777 a", "effects", NULL},
    {IN "chmod 600 a", IN "true", "effects", NULL},
    {IN "umask 022; : >f", IN "umask 077; : >f", "effects", NULL},
    {IN "mkdir -m 755 d", IN "mkdir -m 700 d", "effects", NULL},
    {IN "mkfifo f", IN ": >f", "effects", NULL},
    {IN "mkfifo -m 600 f", IN "mkfifo -m 666 f", "effects", NULL},
    {IN "mkfifo f", IN "true", "effects", NULL},
    {IN "ln a f", IN "ln -s a f", "effects", NULL},
    {IN "ln -s a f", IN "ln -s b f", "effects", NULL},
    {IN "ln -s a f", IN "cp a f", "effects", NULL},
    {IN "mv a f", IN "cp a f", "effects", NULL},
    {IN "install -m 640 a f", IN "install -m 600 a f", "effects", NULL},
    {IN "cp a f", IN "cp -p a f", "effects", NULL},
    {IN "mkdir d; rmdir d", IN "mkdir d", "effects", NULL},
    /* bytes and ends */
    {IN "cat a", IN "cat b", "effects", NULL},
    {IN "cat a", IN "cat a >&2", "effects", NULL},
    {IN "printf 'a\\n'", IN "printf a", "effects", NULL},
    {IN "exit 1", IN "exit 2", "effects", NULL},
    {IN "kill -TERM $$", IN "kill -KILL $$", "effects", NULL},
    {IN "cat a b | sort >f", IN "cat a b | sort -r >f", "effects", NULL},
    {IN "sort a | tee f >/dev/null", IN "sort a | tee g >/dev/null", "effects", NULL},
    /* calls and their order */
    {IN "cat a b >/dev/null", IN "cat b a >/dev/null", "order", NULL},
    {IN "touch c; touch d", IN "touch d; touch c", "order", NULL},
    {IN "test -e a", IN "test -e b || true", "order", NULL},
    {IN "echo a | cat >/dev/null", IN "echo b | cat >/dev/null", "order", NULL},
    {IN "cat a", IN "/bin/sh -c 'cat a'", "order", NULL},
};

TEST(each_change_is_found)
{
    unsigned missed = 0, tried = 0;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct program p;
        setenv("BEFORE", changes[i].before, 1);
        setenv("AFTER", changes[i].after, 1);
        setenv("LEVEL", changes[i].level, 1);
        setenv("NEEDS", changes[i].needs ? changes[i].needs : "true", 1);
        program_run(&p, "command -v $NEEDS >/dev/null || exit 66; "
                        "$BIN golden capture --folder $D/g --level $LEVEL --force x -- sh -c "
                        "\"$BEFORE\" >$D/log 2>&1; $BIN golden check --folder $D/g x >>$D/log "
                        "2>&1 || { cat $D/log; exit 67; }; $BIN golden check --folder $D/g x "
                        "-- sh -c \"$AFTER\" >>$D/log 2>&1; s=$?; cat $D/log; exit $s");
        tried += p.status != 66;
        if (p.status != 9 && p.status != 66) {
            missed++;
            print_error("%s: %s -> %s\n%s%s", p.status == 67 ? "unchanged, and differs" : "missed",
                        changes[i].before, changes[i].after, p.out, p.err);
        }
        program_free(&p);
    }
    print_message("%u of %u changes were found\n", tried - missed, tried);
    assert_int_equal(missed, 0);
    assert_true(tried >= 40);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
