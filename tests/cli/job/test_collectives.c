/* rooftop job with ranks whose program uses a library that calls the plugin as NCCL does. This
 * program is the ranks' program, too. (Forks: not for TSan.) */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/job/collectives_file.h"
#include "engine/job/rank_summary.h"
#include "support/fake_nccl.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { RANKS = 2, CALLS = 50 };
#define MS UINT64_C(1000000)

/* Rank 1 computes twice as long as rank 0. */
__attribute__((constructor)) static void be_a_rank(void)
{
    const char *rank = getenv("TEST_RANK");
    struct fake_nccl nccl;
    if (!rank)
        return;
    struct fake_communicator c = {.rank = atoi(rank), .ranks = RANKS, .channels = 2};
    const uint64_t own = c.rank == 1 ? 20 * MS : 10 * MS;
    if (!fake_nccl_open(&nccl, getenv("NCCL_PROFILER_PLUGIN"), 6))
        _exit(1);
    fake_communicator_begin(&c, &nccl, 0x77, "world");
    for (int i = 0; i < CALLS; i++) {
        c.others_clock = c.clock + 20 * MS;
        fake_collective(&c, "AllReduce", 4096, own, MS);
    }
    _exit(0);
}

FIXTURE_STATUS(begin)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    unsetenv("NCCL_PROFILER_PLUGIN");
    return temp_folder_make(state);
}

/* times: how often the program of each rank runs, one after the other. */
static void run_ranks(int times)
{
    char line[1400], self[512];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    for (int i = 0; i < RANKS; i++) {
        struct program p;
        snprintf(line, sizeof line,
                 "cd $D && RANK=%d WORLD_SIZE=%d $BIN job -o run -d 0.1 -- sh -c "
                 "'TEST_RANK=%d %.500s%s%.500s; true'",
                 i, RANKS, i, self, times > 1 ? "; TEST_RANK=1 " : "; true ", self);
        program_expect(&p, line, 0);
        program_free(&p);
    }
}

static void read_rank(struct collectives_file *f, int rank)
{
    struct error err = ERROR_INIT;
    char path[128];
    snprintf(path, sizeof path, "%s/run/rank-%05d", temp_folder, rank);
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(collectives_file_read(f, fd, getuid(), 1000, path, &err), 0);
    close(fd);
}

TEST_WITH(each_rank_has_its_collectives, begin, temp_folder_remove)
{
    program_needed();
    run_ranks(1);
    for (int i = 0; i < RANKS; i++) {
        struct collectives_file f;
        read_rank(&f, i);
        assert_int_equal(f.ncalls, CALLS);
        assert_int_equal(f.calls[CALLS - 1].number, CALLS);
        assert_int_equal(f.calls[CALLS - 1].last - f.calls[CALLS - 1].first, i == 1 ? MS : 11 * MS);
        collectives_file_free(&f);
    }
    struct program p;
    program_expect(&p, "cd $D && $BIN report ranks run", 0);
    program_sees(&p, "rank 1 held the others up: last at 50 of the last 50 collectives");
    program_free(&p);
}

/* A worker that is started again is recorded again; what the one before left open is not waited
 * for. */
TEST_WITH(a_program_that_starts_again_has_new_communicators, begin, temp_folder_remove)
{
    struct collectives_file f;
    program_needed();
    run_ranks(2);
    read_rank(&f, 0);
    assert_int_equal(f.ncalls, 2 * CALLS);
    assert_int_equal(f.header.refused, 0);
    assert_int_equal(f.ngroups, 1);
    assert_int_equal(f.groups[0].serial, 2);
    collectives_file_free(&f);
}

/* Whatever keeps calls from being recorded stands in the folder, and doctor says it before. */
TEST_WITH(what_is_not_recorded_is_told_with_its_reason, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_expect(&p,
                   "cd $D && export ROOFTOP_NCCL_LIBRARY=/nowhere.so && $BIN job -o run -- true && "
                   "$BIN report ranks run && $BIN doctor",
                   0);
    program_sees(&p, "in 1 of 1 ranks calls of NCCL are not recorded: ");
    program_sees(&p, "/nowhere.so: No such file or directory");
    program_sees(&p, "no       calls of NCCL, RCCL (job)");
    program_free(&p);
    program_expect(&p, "$BIN doctor", 0);
    program_sees(&p, "yes      calls of NCCL, RCCL (job)");
    program_free(&p);
}

/* NCCL cuts a path of more than 254 bytes off, and loads nothing then. */
TEST_WITH(a_path_that_nccl_cannot_open_is_told, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_expect(&p,
                   "cd $D && P=$(printf '%0200d/%0200d' 0 0) && mkdir -p $P && : >$P/lib.so && "
                   "ROOFTOP_NCCL_LIBRARY=$PWD/$P/lib.so $BIN job -o run -- sh -c 'echo "
                   "plugin=$NCCL_PROFILER_PLUGIN.' && $BIN report ranks run",
                   0);
    program_sees(&p, "plugin=.");
    program_sees(&p, "NCCL opens no plugin whose path has more than 254 bytes");
    program_free(&p);
}

/* A job inside of a job: its own memory, its own plugin. */
TEST_WITH(a_job_in_a_job_is_recorded, begin, temp_folder_remove)
{
    char line[1024], self[512];
    struct collectives_file f;
    struct program p;
    program_needed();
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    snprintf(line, sizeof line,
             "cd $D && RANK=0 $BIN job -o out -- env TEST_RANK=0 $BIN job -o run -- %.500s", self);
    program_expect(&p, line, 0);
    program_free(&p);
    read_rank(&f, 0);
    assert_int_equal(f.ncalls, CALLS);
    collectives_file_free(&f);
}

/* The user's own choice stays. */
TEST_WITH(another_plugin_that_is_chosen_stays, begin, temp_folder_remove)
{
    struct program p;
    program_needed();
    program_expect(&p,
                   "cd $D && NCCL_PROFILER_PLUGIN=none $BIN job -o run -- sh -c 'echo "
                   "plugin=$NCCL_PROFILER_PLUGIN' && ls -A run/rank-00000",
                   0);
    program_sees(&p, "plugin=none");
    program_lacks(&p, RANK_COLLECTIVES);
    program_free(&p);
}
