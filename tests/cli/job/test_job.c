/* rooftop job under real launchers, as far as they are installed, and under an environment that
 * imitates torchrun. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "support/own_mounts.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    /* containers run tests as root, with fewer CPUs than ranks */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    return temp_folder_make(state);
}

static void need(const char *launcher)
{
    struct program p;
    char line[256];
    snprintf(line, sizeof line, "command -v %s", launcher);
    program_run(&p, line);
    const int status = p.status;
    program_free(&p);
    if (status != 0)
        skip_because("%s is not installed: a job that it starts is not tested", launcher);
}

static void expect(const char *shell, int status)
{
    struct program p;
    program_expect(&p, shell, status);
    program_free(&p);
}

/* Each rank is a row with its status; the launcher's status is that of a rank that failed. */
static void try_launcher(const char *start, const char *name, const char *rank)
{
    struct program p;
    char line[512];
    program_needed();
    snprintf(line, sizeof line,
             "cd $D && %s -np 3 $BIN job -o run -- sh -c 'test $%s = 1 && exit 3; exit 0'", start,
             rank);
    program_run(&p, line);
    assert_int_equal(p.status, 3);
    program_free(&p);
    program_expect(&p, "cd $D && $BIN report ranks --format csv run | cut -d, -f1,19,21", 0);
    snprintf(line, sizeof line, "rank,end,launcher\n0,0,%s\n1,3,%s\n2,0,%s\n", name, name, name);
    assert_string_equal(p.out, line);
    program_free(&p);
    expect("cd $D && test \"$(ls -A run)\" = \"$(printf 'rank-00000\\nrank-00001\\nrank-00002')\"",
           0);
    expect("cd $D && $BIN report run/rank-00001/session.rooftop", 0);
}

TEST_WITH(ranks_of_open_mpi, begin, temp_folder_remove)
{
    need("mpirun.openmpi");
    try_launcher("mpirun.openmpi --oversubscribe --bind-to none", "openmpi",
                 "OMPI_COMM_WORLD_RANK");
}

TEST_WITH(ranks_of_mpich, begin, temp_folder_remove)
{
    need("mpirun.mpich");
    try_launcher("mpirun.mpich", "hydra", "PMI_RANK");
}

/* Four ranks on two nodes; then a job that is cancelled: TERM reaches the programs, whose last
 * words are kept. */
TEST_WITH(ranks_of_slurm, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_run(
        &p,
        "cat >$D/steps <<'END'\n"
        "cd $D\n"
        "srun -N2 -n4 -O $BIN job -o run -- sh -c 'exit $SLURM_PROCID' || echo status $?\n"
        "srun -N2 -n2 -J long $BIN job -o cancelled -- sh -c \\\n"
        "  'trap \"exit 9\" TERM; touch $D/began-$SLURM_PROCID; while :; do sleep 0.05; done' &\n"
        "i=0; until [ -e began-0 ] && [ -e began-1 ] || [ $i -gt 600 ]; do sleep 0.1; "
        "i=$((i+1)); done\n"
        "scancel -n long; wait $!\n"
        "i=0; until [ -d cancelled/rank-00000 ] && [ -d cancelled/rank-00001 ] || [ $i -gt 600 ]; "
        "do sleep 0.1; i=$((i+1)); done\n"
        "END\n"
        "sh tests/cli/job/slurm.sh $D/slurm sh $D/steps");
    char why[200];
    snprintf(why, sizeof why, "%.*s", (int)strcspn(p.out, "\n"), p.out);
    const int status = p.status;
    if (status != 77) {
        assert_int_equal(status, 0); /* not ended by its alarm */
        program_sees(&p, "status 3");
    }
    program_free(&p);
    if (status == 77)
        skip_because("a job of Slurm: %s", why);
    program_expect(&p, "$BIN report ranks --format csv $D/run | cut -d, -f1,2,19,21,22", 0);
    assert_string_equal(p.out, "rank,host,end,launcher,job\n0,n1,0,slurm,1\n1,n1,1,slurm,1\n"
                               "2,n2,2,slurm,1\n3,n2,3,slurm,1\n");
    program_free(&p);
    program_expect(&p, "$BIN report ranks --format csv $D/cancelled | cut -d, -f1,19", 0);
    assert_string_equal(p.out, "rank,end\n0,9\n1,9\n");
    program_free(&p);
}

#define TORCHRUN                                                                                   \
    "torchrun_() { r=0; while [ $r -lt $1 ]; do RANK=$r WORLD_SIZE=$1 LOCAL_RANK=$r "              \
    "TORCHELASTIC_RUN_ID=e1 TORCHELASTIC_RESTART_COUNT=$2 $BIN job -o $D/run -- sh -c \"$3\" & "   \
    "r=$((r+1)); done; wait; }; "

/* An elastic job is started again with fewer ranks after one died. */
TEST_WITH(restarts_are_told_apart, begin, temp_folder_remove)
{
    struct program p;
    expect(TORCHRUN "torchrun_ 3 0 'test $RANK = 1 && kill -9 $$; exit 1'; torchrun_ 2 1 true", 0);
    program_expect(&p, "$BIN report ranks $D/run", 0);
    program_sees(&p, "2 ranks, job e1 (torchrun)");
    program_sees(&p, "not shown: 3 ranks of an earlier run of this job e1");
    program_free(&p);
}

TEST_WITH(a_rank_that_is_killed_is_told, begin, temp_folder_remove)
{
    struct program p;
    expect(
        "cd $D; RANK=0 WORLD_SIZE=3 $BIN job -o run -- true; RANK=1 WORLD_SIZE=3 $BIN job -o run "
        "-d 0.2 -- sleep 600 & p=$!; i=0; until $BIN report run/.rank-00001.*/session.rooftop "
        ">seen 2>&1 || [ $i -gt 600 ]; do sleep 0.1; i=$((i+1)); done; kill -9 $p; wait",
        0);
    program_expect(&p, "$BIN report ranks $D/run", 0);
    program_sees(&p, "2 ranks of 3");
    program_sees(&p, "rank 1 did not end");
    program_sees(&p, "1 of 3 ranks wrote nothing here: 2");
    program_free(&p);
    /* what it had written is there */
    expect("$BIN report $D/run/.rank-00001.*/session.rooftop", 0);
}

/* A launcher ends a job by TERM and soon KILL: what is known at TERM is written at once. */
TEST_WITH(the_summary_is_written_when_the_end_is_announced, begin, temp_folder_remove)
{
    expect(
        "cd $D; $BIN job -o run -- sh -c 'trap \"touch heard\" TERM; touch up; while :; do sleep "
        "0.05; done' & p=$!; i=0; until [ -e up ] || [ $i -gt 600 ]; do sleep 0.1; i=$((i+1)); "
        "done; kill -TERM $p; i=0; until [ -e heard ] && grep -q ending run/.rank*/summary.json "
        "|| [ $i -gt 600 ]; do sleep 0.1; i=$((i+1)); done; kill -9 $p; wait; test -e heard && "
        "grep -q ending run/.rank*/summary.json",
        0);
}

/* Checkpoints are asked for by such signals, more than once. */
TEST_WITH(every_signal_reaches_the_program, begin, temp_folder_remove)
{
    expect(
        "cd $D; $BIN job -o run -- sh -c 'n=0; trap \"n=\\$((n+1)); echo \\$n >n\" USR1; trap "
        "\"exit 4\" USR2; touch up; while :; do sleep 0.02; done' & p=$!; wait_() { i=0; until "
        "eval \"$1\" || [ $i -gt 1200 ]; do sleep 0.05; i=$((i+1)); done; }; wait_ 'test -e up'; "
        "kill -USR1 $p; wait_ 'grep -q 1 n'; kill -USR1 $p; wait_ 'grep -q 2 n'; kill -USR2 $p; "
        "wait $p",
        4);
}

TEST_WITH(a_command_that_is_not_there_is_a_rank_that_failed, begin, temp_folder_remove)
{
    struct program p;
    expect("$BIN job -o $D/run -- /nowhere/prog", 127);
    program_expect(&p, "$BIN report ranks --format csv $D/run | cut -d, -f1,19", 0);
    assert_string_equal(p.out, "rank,end\n0,127\n");
    program_free(&p);
    program_answers("$BIN report $D/run", 0, "verdict       rank 0 failed: status 127\n", "");
}

TEST_WITH(a_folder_that_cannot_be_used_is_refused_before_the_program_runs, begin,
          temp_folder_remove)
{
    struct program p;
    expect("touch $D/file", 0);
    program_answers("$BIN job -o $D/file -- touch $D/ran", 7, "", "name another folder");
    program_answers("$BIN job -o $D/no/where -- touch $D/ran", 7, "", "mkdir -p");
    program_answers("$BIN job -o /proc/run -- touch $D/ran", 7, "", "cannot be written there");
    program_answers("$BIN job -- touch $D/ran", 2, "", "-o FOLDER is missing");
    program_answers("$BIN job -o $D/run", 2, "", "a command after --");
    program_answers("RANK=3 WORLD_SIZE=2 $BIN job -o $D/run -- touch $D/ran", 2, "",
                    "rank 3 of a job of 2 ranks");
    program_run(&p, "test -e $D/ran");
    assert_int_not_equal(p.status, 0);
    program_free(&p);
}

/* A full disk ends the session, not the program, which fills it here. */
TEST_WITH(a_full_disk_does_not_end_the_program, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    own_mounts_run(&p, "mount -t tmpfs -o size=320k none $D",
                   "$BIN job -o $D/run -d 0.1 -- sh -c "
                   "\"cat /dev/zero >$D/all 2>/dev/null; sleep 2; exit 5\"; echo status $?; $BIN "
                   "report ranks $D/run");
    program_sees(&p, "status 5");
    program_sees(&p, "rank 0 could not write the whole session");
    assert_non_null(strstr(p.err, "the program goes on"));
    program_free(&p);
}

/* The program may write a file of its own beside the session. */
TEST_WITH(the_program_knows_its_folder, begin, temp_folder_remove)
{
    expect("RANK=1 WORLD_SIZE=2 $BIN job -o $D/run -- sh -c 'echo mine "
           ">$ROOFTOP_RANK_FOLDER/own' && grep -q mine $D/run/rank-00001/own",
           0);
}

/* What goes into the program is what was asked for: --mpi was not. */
TEST_WITH(nothing_is_loaded_that_was_not_asked_for, begin, temp_folder_remove)
{
    expect("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 $BIN job -o $D/run -- sh -c 'echo "
           "\"+$LD_PRELOAD+\" >$ROOFTOP_RANK_FOLDER/own' && grep -qx ++ $D/run/rank-00000/own",
           0);
}

/* What is asked for is not mistaken for the number that other commands take by default. */
TEST_WITH(stacks_are_sampled_as_often_as_asked_for, begin, temp_folder_remove)
{
    static const struct {
        const char *option;
        double rate;
    } asked[] = {{"", 199}, {"--sample-rate 997", 997}, {"--sample-rate 499", 499}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct program p;
        char line[256];
        snprintf(line, sizeof line,
                 "cd $D && RANK=0 WORLD_SIZE=1 $BIN job -o run%zu %s -- true 2>log && "
                 "$BIN --headless --format json run%zu/rank-00000/session.rooftop",
                 i, asked[i].option, i);
        program_expect(&p, line, 0);
        cJSON *doc = cJSON_Parse(p.out);
        const cJSON *rate = cJSON_GetObjectItem(cJSON_GetObjectItem(doc, "functions"), "rate");
        assert_true(cJSON_GetObjectItem(rate, "value")->valuedouble == asked[i].rate);
        cJSON_Delete(doc);
        program_free(&p);
    }
}

/* Two programs run all the time on the CPU of one of two ranks, which is named with one of them. */
TEST_WITH(a_rank_whose_cpu_is_taken_is_named, begin, temp_folder_remove)
{
    struct program p;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        skip_because("a rank beside another one needs two CPUs");
    need("taskset");
    program_run(
        &p,
        "cd $D && cat >work <<'END'\n"
        "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done\n"
        "END\n"
        "cpus=$(taskset -pc $$ | sed 's/.*: //; s/-/,/g'); a=${cpus%%,*}; b=${cpus##*,}\n"
        "for k in 1 2 3 4 5 6; do taskset -c $b sh -c 'while :; do :; done' & loops=\"$loops $!\"; "
        "done\n"
        "for try in 1 2 3 4; do rm -rf run\n"
        "RANK=0 WORLD_SIZE=2 $BIN job -o run -d 0.1 -- taskset -c $a sh work & p=$!\n"
        "RANK=1 WORLD_SIZE=2 $BIN job -o run -d 0.1 -- taskset -c $b sh work\n"
        "wait $p\n"
        "$BIN report ranks run >seen; grep -q 'rank 1 is.*for a CPU' seen && break; done\n"
        "kill $loops; cat seen");
    /* What takes more than one of the CPUs may hold up the other rank, or both. That a verdict is
     * right where the facts are known is tested with tests/data/job. */
    const bool named = strstr(p.out, "for a CPU (median of the others") != NULL;
    program_free(&p);
    if (!named) /* four times */
        skip_because("other programs take the CPU of the other rank, too");
}

/* The folder of tests/data/job is that of tests/tui/views/ranks, too. */
TEST_WITH(two_runs_are_compared_rank_by_rank, begin, temp_folder_remove)
{
    struct program p;
    program_answers("$BIN compare tests/data/job tests/data/job", 0,
                    "the ranks run as long as before", "wrote nothing here: 5");
    program_answers("$BIN compare tests/data/job tests/data/hang", 2, "",
                    "rooftop: tests/data/hang: this is no folder of a job");
    program_answers("$BIN compare tests/data/job /none/such", 3, "", "there is no folder /none\n");
    program_answers("$BIN compare $D/nothing tests/data/job", 3, "", "/nothing: No such file");
    expect("cp -r tests/data/job $D/slow; sed -i 's/\"wall_s\": 1[12]/\"wall_s\": 14/' "
           "$D/slow/*/summary.json",
           0);
    program_expect(&p, "$BIN compare --fail-on slower=5% tests/data/job $D/slow", 9);
    program_sees(&p, "the ranks run 1");
    program_sees(&p, "longer: more than the spread between them");
    program_free(&p);
    program_answers("$BIN compare --format svg tests/data/job $D/slow", 2, "", "no picture");
    expect("sed '/\"wall_s\"/d' -i.all $D/slow/*/summary.json", 0);
    program_answers("$BIN compare tests/data/job $D/slow", 0, "not recorded in both runs", "");
    expect("for f in $D/slow/*/summary.json; do mv $f.all $f; done", 0);
    expect("rm -r $D/slow/rank-0000[1-4]", 0);
    program_answers("$BIN compare tests/data/job $D/slow", 0, "of one rank no spread is known",
                    "wrote nothing here");
}

TEST_WITH(a_folder_of_a_job_is_a_file_like_any_other, begin, temp_folder_remove)
{
    program_answers("$BIN report --brief tests/data/job", 0, "rank 4 is held up", "");
    program_answers("$BIN report ranks --brief tests/data/job", 0, "rank 4 is held up", "");
    program_answers("$BIN --headless --size 100x30 tests/data/job", 0, "Enter opens a rank", "");
}
