/* The verdict on a folder of a job whose ranks recorded their calls of MPI: simulated ranks, whose
 * slow one is known, beside summaries that say the same, something else or nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/job/job_folder.h"
#include "engine/job/straggler_words.h"
#include "format/mpi_record.h"
#include "support/mpi_scene.h"
#include "support/temp_folder.h"
#include "support/test.h"

static struct job_folder f;
static struct mpi_scene scene;
static struct job j;

FIXTURE_STATUS(begin)
{
    return temp_folder_make(state);
}

FIXTURE_STATUS(end)
{
    job_folder_free(&f);
    mpi_scene_close(&scene, &j);
    return temp_folder_remove(state);
}

enum { RANKS = 4 };
static struct rank_summary summaries[RANKS];

static void make_summaries(void)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary *s = &summaries[i];
        rank_summary_begin(s);
        snprintf(s->state, sizeof s->state, "ended");
        snprintf(s->host, sizeof s->host, "node1");
        snprintf(s->command, sizeof s->command, "./prog");
        s->rank = i;
        s->ranks = RANKS;
        s->start_us = UINT64_C(1700000000000000);
        s->end_us = s->start_us + 10000000;
        s->wall = 10;
        s->user = 5;
        s->system = 0.1;
        s->ready = s->disk_wait = s->stopped = 0;
        s->status = 0;
    }
}

/* slow: the rank that the others wait for in MPI; -1: none. kind: of the folders' names. */
static void write_folders(int slow, const char *kind)
{
    struct error err = ERROR_INIT;
    for (uint32_t i = 0; i < RANKS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s%05u", temp_folder, kind, i);
        mkdir(path, 0755);
        assert_int_equal(rank_summary_write(&summaries[i], path, &err), 0);
    }
    scene = (struct mpi_scene){.seed = 11,
                               .ranks = RANKS,
                               .hosts = 1,
                               .steps = 100,
                               .slow = slow,
                               .slower = 1.8,
                               .cut = -1,
                               .compute = 1e6,
                               .noise = 0.2};
    mpi_scene_open(&scene, &j);
}

static void judge(int slow)
{
    write_folders(slow, RANK_FOLDER);
    assert_int_equal(job_folder_open(&f, temp_folder, NULL), 0);
    job_folder_take_mpi(&f, &j);
}

TEST_WITH(whom_the_others_wait_for_is_the_verdict, begin, end)
{
    char said[JOB_LINE];
    make_summaries();
    judge(2);
    assert_int_equal(f.slow.rank, 2);
    job_say_straggler(&j, said, false);
    assert_string_equal(f.slow.said, said);
    assert_non_null(strstr(said, "rank 2 holds the others up: each other rank waited "));
    assert_int_equal(f.slow.cause, SLOW_NOT_SEEN);
    assert_non_null(strstr(f.slow.why, "outside of MPI longer"));
}

TEST_WITH(the_summary_says_what_that_rank_did, begin, end)
{
    make_summaries();
    summaries[2].user = 8;
    judge(2);
    assert_int_equal(f.slow.rank, 2);
    assert_int_equal(f.slow.cause, SLOW_COMPUTES);
    assert_non_null(strstr(f.slow.said, "holds the others up"));
    assert_non_null(strstr(f.slow.why, "used the CPU for 8.10 s"));
}

/* Too little for the summaries alone to name a rank by it. */
TEST_WITH(a_small_difference_is_a_cause_once_the_rank_is_known, begin, end)
{
    make_summaries();
    summaries[1].disk_wait = 0.1;
    judge(1);
    assert_int_equal(f.slow.rank, 1);
    assert_int_equal(f.slow.cause, SLOW_DISK);
    assert_non_null(strstr(f.slow.why, "waited for a disk"));
}

/* The calls decide: its work beside the job costs the others nothing. */
TEST_WITH(a_rank_that_nobody_waits_for_is_not_named, begin, end)
{
    make_summaries();
    summaries[3].user = 9;
    judge(-1);
    assert_int_equal(f.slow.rank, JOB_NONE);
    assert_non_null(strstr(f.slow.said, "no "));
    assert_non_null(strstr(f.slow.why, "by its summary alone, rank 3 is slow: "));
}

/* That a job failed is more than who was waited for in it. */
TEST_WITH(a_failure_stays_the_verdict_where_no_rank_is_waited_for, begin, end)
{
    make_summaries();
    summaries[3].user = 9;
    summaries[1].signal = 11;
    judge(-1);
    assert_string_equal(f.slow.said, "rank 1 failed: signal 11");
    assert_non_null(strstr(f.slow.why, "by its summary alone, rank 3 is slow: "));
}

TEST_WITH(another_rank_than_the_summaries_name_may_hold_the_others_up, begin, end)
{
    make_summaries();
    summaries[3].user = 9;
    judge(0);
    assert_int_equal(f.slow.rank, 0);
    assert_non_null(strstr(f.slow.said, "rank 0 holds the others up"));
}

/* Calls end with MPI_Finalize; what a rank does then is seen by its end only. */
/* The rank sleeps, which costs no CPU time. */
TEST_WITH(a_rank_that_sleeps_is_named_with_that, begin, end)
{
    make_summaries();
    for (int i = 0; i < RANKS; i++)
        summaries[i].user = i == 1 ? 6 : 9.5;
    judge(1);
    assert_int_equal(f.slow.rank, 1);
    assert_int_equal(f.slow.cause, SLOW_IDLE);
}

/* All wait for a CPU, and nothing of its own explains why this one came last. */
TEST_WITH(on_busy_cpus_the_last_rank_may_be_the_last_by_chance, begin, end)
{
    make_summaries();
    for (int i = 0; i < RANKS; i++)
        summaries[i].ready = i == 1 ? 4.4 : 4;
    judge(1);
    assert_int_equal(f.slow.rank, JOB_NONE);
    assert_non_null(strstr(f.slow.said, "not clear whether rank 1 holds the others up"));
    assert_non_null(strstr(f.slow.why, "it for 4.40 s"));
}

TEST_WITH(a_rank_that_ended_later_stays_slow, begin, end)
{
    make_summaries();
    summaries[3].wall = 14;
    judge(-1);
    assert_int_equal(f.slow.rank, 3);
    assert_non_null(strstr(f.slow.said, "ran 4.00 s longer"));
}

/* The files grow while the ranks run: the verdict that their first calls gave stays. */
TEST_WITH(long_files_of_ranks_that_run_are_judged_by_their_first_calls, begin, end)
{
    const off_t grown = 40 << 20;
    make_summaries();
    write_folders(2, RANK_UNFINISHED);
    for (uint32_t i = 0; i < RANKS; i++) {
        char from[128], to[256];
        snprintf(from, sizeof from, "%s/rank-%05u.calls", scene.folder, i);
        snprintf(to, sizeof to, "%s/" RANK_UNFINISHED "%05u/" MPI_RECORD_FILE, temp_folder, i);
        assert_int_equal(rename(from, to), 0);
        assert_int_equal(truncate(to, grown), 0);
    }
    assert_int_equal(job_folder_open(&f, temp_folder, NULL), 0);
    assert_int_equal(f.unfinished, RANKS);
    assert_int_equal(job_folder_read_mpi(&f, NULL), 0);
    assert_int_equal(f.slow.rank, 2);
    assert_non_null(strstr(f.slow.said, "rank 2 holds the others up: each other rank waited "));
    assert_true(f.mpi_part > 0 && f.mpi_part < 1);
    assert_true(f.nnotes > 0); /* the other ones tell that the ranks run */
    assert_string_equal(f.notes[f.nnotes - 1],
                        "of 168 MB of calls of MPI, the first 67 MB are read here: rooftop report "
                        "ranks reads all when the ranks have ended");
}

TEST_MAIN(NULL, NULL)
