/* rooftop gpu reproduce without a GPU or its compiler: what it makes from a capture, how it finds
 * the source, what it refuses, and that an unfinished folder is removed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/code_made.h"
#include "support/made_capture.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static struct made_capture capture, bare;

static void make_of(struct made_capture *m, const char *code_object, const char *variable)
{
    size_t n;
    made_capture_make(m);
    uint8_t *code = code_file(code_object, &n);
    made_capture_replace(m, "kernel.hsaco", code, n);
    free(code);
    setenv(variable, m->dir, 1);
}

/* Makes $C, a capture of a kernel of tests/data/gpu; $BARE, one without line tables; $D, the
 * folder that contains them, with k.hip. */
FIXTURE(make)
{
    struct program p;
    if (!program_rooftop())
        return;
    make_of(&capture, "typed.gfx942.v5.hsaco", "C");
    make_of(&bare, "reduce.gfx942.v5.hsaco", "BARE");
    program_run(&p, "mktemp -d");
    p.out[strcspn(p.out, "\n")] = '\0';
    setenv("D", p.out, 1);
    setenv("HOME", p.out, 1);
    program_free(&p);
    program_run(&p, "cd $D && mkdir inc && echo '#include <h.h>' >k.hip && echo '//' >inc/h.h");
    program_free(&p);
}

FIXTURE(clean)
{
    struct program p;
    if (!program_rooftop())
        return;
    made_capture_remove(&capture);
    made_capture_remove(&bare);
    program_run(&p, "rm -rf \"$D\"");
    program_free(&p);
}

static void expect(int status, const char *words, const char *line)
{
    struct program p;
    program_run(&p, line);
    if (p.status != status || (words && !strstr(p.out, words) && !strstr(p.err, words)))
        fail_msg("%s: exit %d, wanted %d and '%s'\n%s%s", line, p.status, status,
                 words ? words : "", p.out, p.err);
    program_free(&p);
}

#define NEEDS_ROOFTOP                                                                              \
    (void)state;                                                                                   \
    if (!program_rooftop())                                                                        \
    skip_because("rooftop was not built")

TEST(test_a_folder_that_stands_alone)
{
    NEEDS_ROOFTOP;
    expect(0, NULL,
           "cd $D && echo '[{\"directory\": \"'$D'\", \"file\": \"k.hip\", \"command\": "
           "\"hipcc -Iinc \\\"-DTEXT=a b\\\" -O2 -c k.hip -o k.o\"}]' >commands.json");
    expect(0, "2 files",
           "$BIN reproduce --capture-dir $C -o $D/made --source $D/k.hip --compile-commands "
           "$D/commands.json");
    expect(0, NULL,
           "cd $D/made && ls Makefile README.md reproduce.json source/k.hip source/inc/h.h "
           "capture/capture_complete && [ -x replay.sh ] && [ -x profile.sh ] && "
           "sh -n replay.sh && sh -n profile.sh");
    expect(0, NULL, "diff -r $C $D/made/capture");
    expect(0,
           "--cuda-device-only\n--no-gpu-bundle-output\n\"--offload-arch=gfx942\"\n"
           "\"-Isource/inc\"\n\"-DTEXT=a b\"\n\"-O2\"\n-x\nhip\n\"source/k.hip\"\n",
           "cat $D/made/flags.txt");
    expect(0, "hipcc @flags.txt  -o kernel.hsaco", "make -n -C $D/made");
    expect(0, "clang++ @flags.txt -g -o kernel.hsaco",
           "make -n -C $D/made COMPILER=clang++ EXTRA=-g");
    expect(0, "../inc/h.h", "cd $D/made/source && ls -d ../inc/h.h inc/h.h 2>&1; true");
}

/* The documents of the folder agree, and a capture made by another tool is complete. */
TEST(test_what_it_says)
{
    NEEDS_ROOFTOP;
    expect(0, "\"schema\":\t\"rooftop.reproduction/1\"",
           "$BIN reproduce --capture-dir $C -o $D/said --source $D/k.hip --format json "
           "2>/dev/null >$D/said.json; cat $D/said.json");
    expect(0, "/brief builds and replays ",
           "$BIN reproduce --brief --capture-dir $C -o $D/brief --source $D/k.hip");
    expect(0, "\"make -C \"",
           "rm -r $D/brief; $BIN reproduce --brief --capture-dir $C -o $D/brief --format json "
           "--source $D/k.hip | grep -o '\"make -C ' | sed 's/$/\"/'");
    expect(0, NULL, "cmp $D/said.json $D/said/reproduce.json");
    expect(0, "-O3 is assumed", "cat $D/said/README.md");
    expect(0, "-O3 is assumed", "cat $D/said/reproduce.json");
    /* the capture is from 2026-01-02 */
    expect(0, "changed after the capture", "cat $D/said/README.md");
}

/* Relative names in line tables (-ffile-prefix-map) are searched for from the working directory. */
TEST(test_relative_names_are_looked_for_here)
{
    NEEDS_ROOFTOP;
    expect(0, "found by the line tables",
           "cp $D/k.hip $D/typed.hip && (cd $D && $BIN reproduce --capture-dir $C -o here) && "
           "ls $D/here/source/typed.hip && cat $D/here/README.md");
    expect(0, NULL, "rm $D/typed.hip");
}

/* Names and words that would be commands in make and a shell are quoted. */
TEST(test_names_run_nothing)
{
    NEEDS_ROOFTOP;
    expect(
        0, NULL,
        "mkdir -p \"$D/a b\" && cp $D/k.hip \"$D/a b/\\$(touch ran)\\`touch ran\\`;k.hip\" && cd "
        "$D && "
        "printf '[{\"directory\": \"%s\", \"file\": \"a b/$(touch ran)`touch ran`;k.hip\", "
        "\"arguments\": [\"clang;touch ran\", \"-DX=\\\\\"; touch ran\\\\n\", \"$(touch ran)\"]}]' "
        "$D >odd.json");
    expect(0, NULL,
           "$BIN reproduce --capture-dir $C -o $D/odd --compile-commands $D/odd.json --source "
           "\"$D/a b/\\$(touch ran)\\`touch ran\\`;k.hip\"");
    expect(0, NULL,
           "cd $D/odd && ! grep -q touch Makefile replay.sh profile.sh && "
           "make -s COMPILER='true' && [ ! -e ran ]");
}

/* A shell that reads the printed commands gets the name of the folder, and from README.md that of
 * the source file. */
TEST(test_commands_that_are_shown_can_be_typed)
{
    NEEDS_ROOFTOP;
    expect(0, NULL,
           "cd $D && mkdir typed && cd typed && cp ../k.hip \"it's \\`k\\`.hip\" && "
           "$BIN reproduce --capture-dir $C -o \"-it's \\$(touch ran)\" --source \"it's "
           "\\`k\\`.hip\" >said && cd - >/dev/null");
    expect(
        0, NULL,
        "cd $D/typed && eval \"set -- $(grep '^make -C' said | tr -d ,)\" && "
        "[ \"$3\" = \"./-it's \\$(touch ran)\" ] && [ \"$6\" = \"$3/replay.sh\" ] && "
        "[ -x \"$6\" ] && cd \"$3\" && eval \"set -- $(grep '^ *rooftop gpu replay edit' README.md "
        "| sed 's/.$//')\" && [ -f \"$8\" ] && [ ! -e ../ran ] && "
        "grep -F '`` source/it'\"'\"'s `k`.hip ``' README.md");
}

/* What a reproduce that was killed left goes with the next one. */
TEST(test_what_the_killed_left)
{
    NEEDS_ROOFTOP;
    expect(0, NULL,
           "cd $D && mkdir -p left.rooftop-abcdef/capture && $BIN reproduce --capture-dir $C -o "
           "left --source $D/k.hip && [ ! -e left.rooftop-abcdef ]");
}

/* The scripts work in their own folder, also where CDPATH has another one of that name. */
TEST(test_scripts_find_their_folder)
{
    NEEDS_ROOFTOP;
    expect(
        0, NULL,
        "cd $D && $BIN reproduce --capture-dir $C -o at --source $D/k.hip && mkdir -p trap/at && "
        "printf '#!/bin/sh\\npwd\\n' >where && chmod +x where && "
        "printf 'all kernel.hsaco:\\n' >trap/at/Makefile");
    expect(0, "/at\n",
           "cd $D && export CDPATH=$D/trap COMPILER=true ROOFTOP=$D/where ROCPROFV3=$D/where && "
           "for i in replay profile; do [ \"$(sh at/$i.sh)\" = $D/at ] && [ \"$(cd ./at && sh "
           "$i.sh)\" = $D/at ] || exit; done; sh at/replay.sh");
}

TEST(test_what_is_refused)
{
    NEEDS_ROOFTOP;
    expect(2, "which capture?", "$BIN reproduce -o $D/no");
    expect(2, "which folder", "$BIN reproduce --capture-dir $C");
    expect(2, "takes no word", "$BIN reproduce --capture-dir $C -o $D/no extra");
    expect(2, "give one of text, json", "$BIN reproduce --capture-dir $C -o $D/no --format csv");
    expect(3, "nosuch", "$BIN reproduce --capture-dir $D/nosuch -o $D/no --source $D/k.hip");
    expect(3, "no source file that could be copied",
           "$BIN reproduce --capture-dir $C -o $D/no --source /etc/passwd");
    expect(3, "typed.hip: the captured code object is compiled from it",
           "$BIN reproduce --capture-dir $C -o $D/no");
    expect(6, "-gline-tables-only", "$BIN reproduce --capture-dir $BARE -o $D/no");
    expect(6, "0 files",
           "echo '[]' >$D/none.json; $BIN reproduce --capture-dir $BARE -o $D/no "
           "--compile-commands $D/none.json");
    expect(7, "not empty", "$BIN reproduce --capture-dir $C -o $D/inc --source $D/k.hip");
    expect(0, "h.h", "ls $D/inc"); /* the source is left as it was */
    expect(0, NULL,
           "mkdir $D/empty && $BIN reproduce --capture-dir $C -o $D/empty/ --source "
           "$D/k.hip && [ -e $D/empty/Makefile ]");
    expect(1, NULL, "ls -d $D/no $D/*.rooftop-* 2>/dev/null | grep .");
}

/* A capture with a damaged byte is refused before anything is written. */
TEST(test_a_damaged_capture_makes_nothing)
{
    NEEDS_ROOFTOP;
    expect(3, "its checksum is",
           "cp -r $C $D/hurt && chmod -R u+w $D/hurt && f=$(ls $D/hurt/memory/*.bin | head -1) && "
           "printf X | dd of=$f bs=1 seek=9 conv=notrunc 2>/dev/null; "
           "$BIN reproduce --capture-dir $D/hurt -o $D/no --source $D/k.hip");
    expect(1, NULL, "ls -d $D/no $D/no.rooftop-* 2>/dev/null | grep .");
}

/* ^C while a large file is copied, which takes minutes. The file is a hole, so that it needs no
 * room. */
TEST(test_an_interrupted_folder_is_removed)
{
    NEEDS_ROOFTOP;
    expect(130, NULL,
           "cp -r $C $D/large && truncate -s 256G $D/large/extra.bin && "
           "{ $BIN reproduce --capture-dir $D/large -o $D/late --source $D/k.hip & p=$!; "
           "until ls -d $D/late.rooftop-*/capture/extra.bin >/dev/null 2>&1; do sleep 0.01; done; "
           "kill -INT $p; wait $p; }");
    expect(1, NULL, "ls -d $D/late* 2>/dev/null | grep .");
}

TEST_MAIN(make, clean)
