/* The folder of a job: made by hand, rank by rank, with runs, restarts and damage that are known.
 */
#include "engine/job/job_folder.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define DAY_US UINT64_C(1700000000000000)
enum { RANKS = 8 };

static struct job_folder f;

FIXTURE_STATUS(begin)
{
    return temp_folder_make(state);
}

FIXTURE_STATUS(end)
{
    job_folder_free(&f);
    return temp_folder_remove(state);
}

static struct rank_summary make_rank(uint32_t rank)
{
    struct rank_summary s;
    rank_summary_begin(&s);
    strcpy(s.state, "ended");
    strcpy(s.host, "node1");
    strcpy(s.command, "./prog");
    strcpy(s.program, "/home/u/prog");
    strcpy(s.build_id, "ab12");
    strcpy(s.launcher, "slurm");
    strcpy(s.job, "77");
    snprintf(s.cpus, sizeof s.cpus, "%u", rank);
    s.rank = rank;
    s.ranks = RANKS;
    s.pid = 100 + rank;
    s.start_us = DAY_US;
    s.end_us = DAY_US + 10000000;
    s.wall = 10 + 0.01 * (rank % 3);
    s.user = 9.5;
    s.system = 0.1;
    s.ready = 0.02 * (rank % 2);
    s.major_faults = s.swapped = s.other_used = s.throttled = 0;
    s.clock = 3e9;
    s.far = 0;
    s.gpus_far = 0;
    s.status = 0;
    return s;
}

static void put_as(const struct rank_summary *s, const char *name)
{
    char path[256];
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    mkdir(path, 0755);
    assert_int_equal(rank_summary_write(s, path, &err), 0);
}

static void put(const struct rank_summary *s)
{
    char name[64];
    snprintf(name, sizeof name, "rank-%05u", s->rank);
    put_as(s, name);
}

static void put_all(void)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        const struct rank_summary s = make_rank(i);
        put(&s);
    }
}

static void read_folder(void)
{
    struct error err = ERROR_INIT;
    job_folder_free(&f);
    assert_int_equal(job_folder_open(&f, temp_folder, &err), 0);
}

static bool is_told(const char *text)
{
    for (uint32_t i = 0; i < f.nnotes; i++)
        if (strstr(f.notes[i], text))
            return true;
    return false;
}

TEST_WITH(equal_ranks_are_rows_and_none_is_slow, begin, end)
{
    put_all();
    read_folder();
    assert_true(job_folder_is(temp_folder));
    assert_int_equal(f.n, RANKS);
    assert_int_equal(f.nnotes, 0);
    assert_int_equal(f.slow.rank, JOB_NONE);
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(f.ranks[i].s.rank, i);
    assert_true(fabs(f.wall - 10) < 1e-6);
}

/* A summary that is read again is what was written. */
TEST_WITH(a_summary_keeps_every_member, begin, end)
{
    struct rank_summary s = make_rank(3);
    strcpy(s.gpus, "CUDA_VISIBLE_DEVICES=3");
    strcpy(s.lost, "no space");
    s.restart = 2;
    s.far = 0.25;
    s.signal = 9;
    put(&s);
    read_folder();
    const struct rank_summary *b = &f.ranks[0].s;
    assert_string_equal(b->gpus, s.gpus);
    assert_string_equal(b->lost, s.lost);
    assert_int_equal(b->restart, 2);
    assert_true(b->far == 0.25 && b->signal == 9 && isnan(b->memory));
    assert_int_equal(b->start_us, s.start_us);
}

static void expect_cause(const struct rank_summary *slow, enum slow_cause cause, const char *why)
{
    put(slow);
    read_folder();
    assert_int_equal(f.slow.rank, slow->rank);
    assert_int_equal(f.slow.cause, cause);
    assert_non_null(strstr(f.slow.why, why));
}

TEST_WITH(the_slow_rank_is_named_with_its_cause, begin, end)
{
    put_all();
    struct rank_summary s = make_rank(5);
    s.wall = 13;
    expect_cause(&s, SLOW_NOT_SEEN, "not in the summaries");
    s.major_faults = 5000;
    expect_cause(&s, SLOW_FAULTS, "5000 pages");
    s.swapped = 1 << 30;
    expect_cause(&s, SLOW_SWAPPED, "1.00 GiB");
    s.user = 12.4;
    expect_cause(&s, SLOW_COMPUTES,
                 "used the CPU for 12.50 s, the median of the others for 9.60 s");
    s.gpus_far = 1;
    strcpy(s.far_gpu, "0000:c1:00.0 (node 0)");
    expect_cause(&s, SLOW_FAR_GPU, "its GPU 0000:c1:00.0 (node 0) is on another NUMA node");
    s.far = 0.8;
    expect_cause(&s, SLOW_FAR_MEMORY, "80 %");
    s.clock = 2e9;
    expect_cause(&s, SLOW_CLOCK, "2.00 GHz");
    s.throttled = 12;
    expect_cause(&s, SLOW_CLOCK, "12 times");
    s = make_rank(5);
    s.ready = 2.9;
    expect_cause(&s, SLOW_CPU_WAIT, "2.90 s");
    strcpy(s.other, "spin (pid 9)");
    s.other_pid = 9;
    s.other_used = 2.8;
    expect_cause(&s, SLOW_OTHER_PROGRAM, "spin (pid 9)");
    strcpy(s.cpus, "4"); /* that of rank 4 */
    s.other_pid = 104;
    expect_cause(&s, SLOW_SHARED_CPU, "rank 4");
}

/* That all ranks have their GPUs so explains no difference. */
TEST_WITH(a_far_gpu_that_others_have_too_is_no_cause, begin, end)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary s = make_rank(i);
        s.gpus_far = 1;
        s.wall = i == 5 ? 13 : s.wall;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, 5);
    assert_int_equal(f.slow.cause, SLOW_NOT_SEEN);
}

/* With no CPU time at all there is no share of waiting to compare. */
TEST_WITH(a_rank_without_cpu_time_is_not_held_up, begin, end)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary s = make_rank(i);
        s.ready = 0.02;
        s.user = i == 5 ? 0 : s.user;
        s.system = i == 5 ? 0 : s.system;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* Where ranks wait for each other all end together: the rank that waits for a CPU shows itself. */
TEST_WITH(a_rank_that_is_held_up_is_named_though_all_end_together, begin, end)
{
    put_all();
    struct rank_summary s = make_rank(2);
    s.ready = 3;
    s.user = 6.5;
    expect_cause(&s, SLOW_CPU_WAIT, "3.00 s");
}

TEST_WITH(ranks_that_all_differ_have_no_slow_one, begin, end)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary s = make_rank(i);
        s.wall = 10 + i;
        s.ready = i;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* A short run on a busy host: ranks wait for a CPU now and then. */
TEST_WITH(tenths_of_a_second_make_no_slow_rank, begin, end)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary s = make_rank(i);
        s.wall = 0.5;
        s.user = 0.2;
        s.ready = i == 3 ? 0.41 : 0.27;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* Four ranks on two CPUs beside a compiler, as measured: the longest wait is chance. */
TEST_WITH(on_busy_cpus_the_longest_wait_names_nobody, begin, end)
{
    static const double waits[] = {1.47, 0.91, 0.93, 0.97};
    for (uint32_t i = 0; i < 4; i++) {
        struct rank_summary s = make_rank(i);
        s.ranks = 4;
        s.wall = i == 0 ? 2.4 : 1.8;
        s.user = 0.7;
        s.ready = waits[i];
        strcpy(s.cpus, "0-1");
        strcpy(s.other, "cc1plus (pid 9)");
        s.other_used = 0.5;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
    assert_string_equal(f.slow.said, "not clear whether a rank is slow: their CPUs are busy");
    assert_non_null(strstr(f.slow.why, "rank 0 for 1.47 s, the median of the others for 0.93 s"));
    struct rank_summary s = make_rank(0); /* one that computes longer is seen all the same */
    s.ranks = 4;
    s.wall = 3;
    s.user = 1.5;
    s.ready = 1.6;
    expect_cause(&s, SLOW_COMPUTES, "used the CPU for 1.60 s");
    s.user = 0.7;
    s.ready = 3; /* more than twice as long for as much CPU time is no chance */
    expect_cause(&s, SLOW_SHARED_CPU, "3.00 s");
}

/* --- ranks that wait for each other by asking again and again --- */

static struct rank_summary make_polling(uint32_t rank, double work)
{
    struct rank_summary s = make_rank(rank);
    s.ranks = 4;
    s.user = 9.5;
    s.polled_user = 9.5 - work;
    s.polled_system = 0;
    s.sampled = 2000;
    return s;
}

/* All use as much CPU time, as those that wait ask all the time. */
TEST_WITH(of_polling_ranks_the_one_that_works_longest_is_named, begin, end)
{
    static const double work[] = {4, 4.1, 6.5, 3.9};
    for (uint32_t i = 0; i < 4; i++) {
        const struct rank_summary s = make_polling(i, work[i]);
        put(&s);
    }
    const struct rank_summary s = make_polling(2, work[2]);
    expect_cause(&s, SLOW_COMPUTES,
                 "for 6.50 s, the median of the others for 4.00 s; communication");
}

/* In few samples there is chance: 6 of 12 samples are 4.8 s of 9.6 s, give or take 1.4 s. */
TEST_WITH(of_few_samples_nobody_is_named, begin, end)
{
    static const double work[] = {4, 4.1, 6.5, 3.9};
    for (uint32_t i = 0; i < 4; i++) {
        struct rank_summary s = make_polling(i, work[i]);
        s.sampled = 12;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* Recorded: five equal ranks of Open MPI beside 70 other programs. Most samples of the last one
 * were lost, among them all in communication. */
TEST_WITH(a_rank_that_lost_its_samples_is_not_taken_for_one_that_works, begin, end)
{
    static const double recorded[][5] = {{0.13, 0.08, 0.01, 0.06, 36},
                                         {0.14, 0.07, 0.03, 0.04, 38},
                                         {0.13, 0.08, 0.01, 0.06, 36},
                                         {0.13, 0.08, 0.01, 0.05, 38},
                                         {0.11, 0.09, 0, 0, 6}};
    for (uint32_t i = 0; i < 5; i++) {
        struct rank_summary s = make_rank(i);
        s.ranks = 5;
        s.user = recorded[i][0];
        s.system = recorded[i][1];
        s.polled_user = recorded[i][2];
        s.polled_system = recorded[i][3];
        s.sampled = recorded[i][4];
        s.ready = 6.5;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* Without call stacks, those that wait may use more of the kernel than the one they wait for. */
TEST_WITH(without_samples_a_waiting_rank_is_not_taken_for_the_slow_one, begin, end)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct rank_summary s = make_rank(i);
        s.ranks = 2;
        s.user = i == 0 ? 7.3 : 12.8;
        s.system = i == 0 ? 6.0 : 0.6;
        put(&s);
    }
    read_folder();
    assert_int_equal(f.slow.rank, JOB_NONE);
}

TEST_WITH(a_rank_that_was_stopped_or_waited_for_a_disk_is_named, begin, end)
{
    put_all();
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary s = make_rank(i);
        s.stopped = 0;
        s.disk_wait = 0.1;
        put(&s);
    }
    struct rank_summary s = make_rank(5);
    s.stopped = 0;
    s.disk_wait = 1.5;
    expect_cause(&s, SLOW_DISK, "a disk or a file server for 1.50 s");
    s.stopped = 2;
    expect_cause(&s, SLOW_STOPPED, "a signal or a debugger had stopped it for 2.00 s");
}

TEST_WITH(missing_failed_and_unfinished_ranks_are_told, begin, end)
{
    struct rank_summary s = make_rank(0);
    s.status = NAN;
    s.signal = 9;
    put(&s);
    s = make_rank(1);
    strcpy(s.build_id, "cd34");
    put(&s);
    s = make_rank(4);
    strcpy(s.program, "/home/u/other");
    strcpy(s.build_id, "ef56");
    put(&s);
    s = make_rank(6);
    strcpy(s.state, "running");
    s.status = NAN;
    put_as(&s, ".rank-00006.abcdef");
    s = make_rank(7);
    strcpy(s.lost, "full");
    put(&s);
    read_folder();
    assert_int_equal(f.n, 5);
    assert_int_equal(f.missing, 3);
    assert_int_equal(f.failed, 1);
    assert_string_equal(f.slow.said, "rank 0 failed: signal 9");
    assert_string_equal(job_folder_failure(&f), "");
    assert_int_equal(f.unfinished, 1);
    assert_true(is_told("3 of 8 ranks wrote nothing here: 2-3, 5"));
    assert_true(is_told("rank 6 did not end"));
    assert_true(is_told("rank 7 could not write the whole session"));
    assert_true(is_told("rank 1 ran another build of /home/u/prog"));
    assert_true(is_told("rank 4 ran another program than the others' /home/u/prog"));
}

/* A rank that is slow is the verdict; that some failed stands below. */
TEST_WITH(the_rank_that_failed_first_is_told, begin, end)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct rank_summary s = make_rank(i);
        s.end_us -= i == 2 ? 2000000 : 0;
        s.status = i == 0 ? 0 : NAN;
        s.signal = i == 0 ? NAN : 15 - 4 * (i == 2);
        put(&s);
    }
    read_folder();
    assert_string_equal(f.slow.said, "3 of 4 ranks failed; the first was rank 2: signal 11");
    struct rank_summary s = make_rank(3);
    s.signal = 15;
    s.status = NAN;
    s.user += 20;
    s.wall += 20;
    put(&s);
    read_folder();
    assert_int_equal(f.slow.rank, 3);
    assert_string_equal(job_folder_failure(&f),
                        "3 of 4 ranks failed; the first was rank 2: signal 11");
}

TEST_WITH(a_restart_is_shown_and_the_starts_before_it_are_told, begin, end)
{
    put_all();
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank_summary s = make_rank(i);
        char name[64];
        s.restart = 1;
        s.start_us += 20000000;
        s.end_us += 20000000;
        snprintf(name, sizeof name, "rank-%05u.2", i);
        put_as(&s, name);
    }
    read_folder();
    assert_int_equal(f.n, RANKS);
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(f.ranks[i].s.restart, 1);
    assert_true(is_told("not shown: 8 ranks of an earlier run of this job"));
    assert_false(f.mixed);
}

/* Without a name of the job, runs are told apart by their times. */
TEST_WITH(two_jobs_in_one_folder_are_never_joined, begin, end)
{
    put_all();
    struct rank_summary s = make_rank(0);
    strcpy(s.job, "78");
    s.ranks = 1;
    s.start_us += 5000000;
    put_as(&s, "rank-00000.2");
    read_folder();
    assert_int_equal(f.n, 1);
    assert_string_equal(f.ranks[0].s.job, "78");
    assert_true(is_told("not shown: 8 ranks of another job 77 that began at 2023-11-14T22:13:20"));
    for (uint32_t i = 0; i < RANKS; i++) {
        char name[64];
        s = make_rank(i);
        s.start_us += 60000000;
        s.end_us += 60000000;
        snprintf(name, sizeof name, "rank-%05u.3", i);
        put_as(&s, name);
    }
    read_folder();
    assert_int_equal(f.n, RANKS);
    assert_int_equal(f.ranks[0].s.start_us, DAY_US + 60000000);
    assert_false(f.mixed);
}

TEST_WITH(two_jobs_at_once_without_a_name_are_not_judged, begin, end)
{
    put_all();
    struct rank_summary s = make_rank(0);
    s.wall = 30;
    put_as(&s, "rank-00000.2");
    read_folder();
    assert_true(f.mixed);
    assert_true(is_told("two jobs wrote into this folder at the same time"));
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* --- what is damaged or not ours --- */

static void put_text(const char *name, const char *text)
{
    temp_folder_put(name, text);
}

TEST_WITH(what_is_no_summary_is_left_out_and_told, begin, end)
{
    char path[256];
    put_all();
    put_text("rank-00100/summary.json", "{\"schema\":\"rooftop.rank/1\",\"rank\":");
    put_text("rank-00101/summary.json", "[]");
    put_text("rank-00102/summary.json", "{\"schema\":\"rooftop.rank/1\",\"rank\":9,\"ranks\":8}");
    put_text("rank-00103/summary.json", "{\"schema\":\"other/1\",\"rank\":1}");
    put_text("rank-00104/nothing", "");
    put_text("rank-00105", "a file");
    put_text("rank-00109/summary.json", "{\"schema\":\"rooftop.rank/1\",\"rank\":9,\"ranks\":4e9}");
    snprintf(path, sizeof path, "%s/rank-00106", temp_folder);
    mkdir(path, 0755);
    strcat(path, "/summary.json");
    mkfifo(path, 0644); /* nobody writes to it: it must not be waited for */
    snprintf(path, sizeof path, "%s/rank-00107", temp_folder);
    mkdir(path, 0755);
    strcat(path, "/summary.json");
    assert_int_equal(symlink("../rank-00000/summary.json", path), 0);
    snprintf(path, sizeof path, "%s/rank-00108", temp_folder);
    assert_int_equal(symlink("rank-00000", path), 0);
    read_folder();
    assert_int_equal(f.n, RANKS);
    assert_int_equal(f.nnotes, 10);
    assert_true(is_told("rank-00100: it is no JSON object, or it was cut off"));
    assert_true(is_told("rank-00102: its rank is none of the job"));
    assert_true(is_told("rank-00104 has no summary"));
    assert_true(is_told("rank-00106: it is no regular file"));
    assert_true(is_told("rank-00107: it is a link"));
    assert_true(is_told("rank-00108: it is no folder"));
    assert_true(is_told("rank-00109: its rank is none of the job"));
}

/* Ranks that began just now: how long the job takes is not known, and is not the time between their
 * begins. */
TEST_WITH(a_job_that_begins_has_no_time_yet, begin, end)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct rank_summary s = make_rank(i);
        strcpy(s.state, "running");
        s.start_us += 5000 * i;
        s.end_us = 0;
        s.wall = s.user = s.system = s.status = NAN;
        char name[32];
        snprintf(name, sizeof name, ".rank-%05u.abcdef", i);
        put_as(&s, name);
    }
    read_folder();
    assert_int_equal(f.unfinished, 3);
    assert_true(isnan(f.wall));
}

/* What is left out is not said to be missing without a reason; times below 0 are not known. */
TEST_WITH(a_damaged_rank_is_no_rank_that_wrote_nothing, begin, end)
{
    put_all();
    put_text("rank-00003/summary.json", "{");
    struct rank_summary s = make_rank(4);
    s.wall = -5;
    s.user = -1e300;
    put(&s);
    read_folder();
    assert_true(
        is_told("1 of 8 ranks wrote nothing that can be read here: 3; they are left out, died"));
    for (uint32_t i = 0; i < f.n; i++)
        assert_true(!(f.ranks[i].s.wall < 0) && !(f.ranks[i].s.user < 0));
}

TEST_WITH(a_summary_of_a_gigabyte_is_not_read, begin, end)
{
    char path[256];
    put_all();
    put_text("rank-00100/summary.json", "");
    snprintf(path, sizeof path, "%s/rank-00100/summary.json", temp_folder);
    assert_int_equal(truncate(path, 1 << 30), 0);
    read_folder();
    assert_true(is_told("rank-00100: it is too large"));
}

TEST_WITH(ranks_of_another_user_are_left_out, begin, end)
{
    char path[256];
    if (geteuid() != 0)
        skip_because("only root can make files of another user");
    put_all();
    snprintf(path, sizeof path, "%s/rank-00003", temp_folder);
    assert_int_equal(chown(path, 65534, 65534), 0);
    snprintf(path, sizeof path, "%s/rank-00004/summary.json", temp_folder);
    assert_int_equal(chown(path, 65534, 65534), 0);
    read_folder();
    assert_int_equal(f.n, RANKS - 2);
    assert_true(is_told("rank-00003: it belongs to another user"));
    assert_true(is_told("rank-00004: it belongs to another user"));
}

TEST_WITH(an_empty_folder_is_refused_with_what_to_do, begin, end)
{
    struct error err = ERROR_INIT;
    assert_false(job_folder_is(temp_folder));
    assert_int_not_equal(job_folder_open(&f, temp_folder, &err), 0);
    assert_non_null(strstr(err.help, "rooftop job"));
    put_text("rank-00000/summary.json", "damaged");
    job_folder_free(&f);
    assert_int_not_equal(job_folder_open(&f, temp_folder, &err), 0);
    assert_non_null(strstr(err.why, "rank-00000"));
}

/* The number of notes is bounded, whatever is in the folder. */
TEST_WITH(thousands_of_damaged_ranks_are_told_in_few_lines, begin, end)
{
    put_all();
    for (int i = 100; i < 400; i++) {
        char name[64];
        snprintf(name, sizeof name, "rank-%05d/summary.json", i);
        put_text(name, "{");
    }
    read_folder();
    assert_int_equal(f.n, RANKS);
    assert_true(f.nnotes <= 40);
    assert_true(is_told("there is more to tell"));
}
