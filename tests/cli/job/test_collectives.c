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

static void run_ranks(const char *before)
{
    char line[1024], self[512];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    for (int i = 0; i < RANKS; i++) {
        struct program p;
        snprintf(line, sizeof line,
                 "cd $D && %s TEST_RANK=%d RANK=%d WORLD_SIZE=%d $BIN job -o run -d 0.1 -- %.500s",
                 before, i, i, RANKS, self);
        program_expect(&p, line, 0);
        program_free(&p);
    }
}

TEST_WITH(each_rank_has_its_collectives, begin, temp_folder_remove)
{
    program_needed();
    run_ranks("");
    for (int i = 0; i < RANKS; i++) {
        struct collectives_file f;
        struct error err = ERROR_INIT;
        char path[128];
        snprintf(path, sizeof path, "%s/run/rank-%05d", temp_folder, i);
        const int fd = open(path, O_RDONLY | O_DIRECTORY);
        assert_int_equal(collectives_file_read(&f, fd, getuid(), 1000, path, &err), 0);
        close(fd);
        assert_int_equal(f.ncalls, CALLS);
        assert_int_equal(f.calls[CALLS - 1].number, CALLS);
        assert_int_equal(f.calls[CALLS - 1].last - f.calls[CALLS - 1].first, i == 1 ? MS : 11 * MS);
        collectives_file_free(&f);
    }
    struct program p;
    program_expect(&p, "cd $D && $BIN report ranks run", 0);
    program_sees(&p, "rank 1 holds the others up: last at 50 of the last 50 collectives");
    program_free(&p);
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
