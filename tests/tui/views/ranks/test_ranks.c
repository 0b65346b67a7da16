/* The view of a job's ranks, driven by keys. Draws only: not for TSan. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/summary/subject.h"
#include "format/mpi_record.h"
#include "support/mpi_scene.h"
#include "support/stage.h"
#include "support/temp_folder.h"
#include "support/test.h"

static struct stage s;
static struct subject job;

static void open_job(int cols, int rows)
{
    struct error err = ERROR_INIT;
    assert_int_equal(subject_recognise("tests/data/job"), SUBJECT_JOB);
    assert_int_equal(subject_open(&job, SUBJECT_JOB, "tests/data/job", &err), 0);
    stage_open(&s, "vm", cols, rows, 2);
    app_set_opened(s.a, &job);
    stage_view(&s, "ranks");
}

FIXTURE(small)
{
    open_job(80, 24);
}

FIXTURE(wide)
{
    open_job(200, 50);
}

FIXTURE(closed)
{
    stage_close(&s);
    subject_free(&job);
}

static void expect(const char *text)
{
    if (!stage_sees(&s, text))
        fail_msg("no '%s' on\n%s", text, s.screen);
}

TEST_WITH(the_verdict_stands_above_the_ranks, small, closed)
{
    expect("5 ranks · job 4711.0 (slurm) · 12.0 s · ./solver --size 4096");
    expect("rank 4 is held up: it waited 4.24 s longer for a CPU");
    expect("backup (pid 977) used 4.30 s");
    expect("1 of 6 ranks wrote nothing here: 5");
    expect("RANK");
    expect("signal 9");
}

/* The rank that waits for a CPU has the tallest cell there, and the shortest of CPU time. */
TEST_WITH(a_heat_cell_shows_where_a_rank_stands, wide, closed)
{
    int x, y;
    stage_command(&s, "sort waited");
    assert_true(stage_find(&s, "node2", &x, &y));
    expect("▁ ▁█");
    expect("HEAT low to high: wall, user, system, computes, wait, idle, faults, memory");
    expect("3120");
}

TEST_WITH(in_ascii_too, wide, closed)
{
    s.a->host.ascii = true;
    stage_look(&s);
    expect(". .#");
    assert_false(stage_sees(&s, "█"));
}

TEST_WITH(enter_asks_for_the_session_of_the_rank, small, closed)
{
    stage_command(&s, "sort rank");
    stage_key(&s, 'g');
    stage_key(&s, KEY_ENTER_);
    assert_true(s.asked & APP_OPEN);
    assert_string_equal(app_open_key(s.a), "rank-00000");
    stage_key(&s, 'G');
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(app_open_key(s.a), "rank-00004");
}

TEST_WITH(the_cursor_comes_back_to_the_rank, small, closed)
{
    struct error err = ERROR_INIT;
    assert_true(app_choose_row(s.a, "ranks", "rank-00002", &err));
    stage_look(&s);
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(app_open_key(s.a), "rank-00002");
}

/* --- a job that runs is read again --- */

static void put_rank(const char *folder, unsigned rank, const char *state, const char *host)
{
    char path[300], text[400];
    snprintf(path, sizeof path, "%s/%s", temp_folder, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/summary.json", temp_folder, folder);
    snprintf(text, sizeof text,
             "{\"schema\":\"rooftop.rank/1\",\"state\":\"%s\",\"rank\":%u,\"ranks\":3,"
             "\"host\":\"%s\",\"start_us\":1700000000000000}",
             state, rank, host);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void read_job(struct subject *out)
{
    struct error err = ERROR_INIT;
    assert_int_equal(subject_open(out, SUBJECT_JOB, temp_folder, &err), 0);
}

FIXTURE(running)
{
    temp_folder_make(NULL);
    for (unsigned i = 0; i < 3; i++)
        put_rank(
            (const char *[]){".rank-00000.aaaaaa", ".rank-00001.bbbbbb", ".rank-00002.cccccc"}[i],
            i, "running", "early");
    read_job(&job);
    stage_open(&s, "vm", 100, 30, 2);
    app_set_opened(s.a, &job);
    stage_view(&s, "ranks");
}

FIXTURE(ended)
{
    stage_close(&s);
    subject_free(&job);
    temp_folder_remove(NULL);
}

/* Its folder has another name then, and the next reading may lie where this one was. */
TEST_WITH(another_reading_shows_what_is_new_and_keeps_the_selection, running, ended)
{
    stage_command(&s, "sort rank");
    stage_key(&s, 'g');
    stage_key(&s, 'j');
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(app_open_key(s.a), "rank-00001");
    expect("early");
    char from[300], to[300];
    snprintf(from, sizeof from, "%s/.rank-00001.bbbbbb", temp_folder);
    snprintf(to, sizeof to, "%s/rank-00001", temp_folder);
    assert_int_equal(rename(from, to), 0);
    put_rank("rank-00001", 1, "ended", "later");
    subject_free(&job);
    read_job(&job);
    job.reading = 1;
    app_set_opened(s.a, &job);
    stage_look(&s);
    expect("later");
    expect("ranks 0, 2 did not end");
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(app_open_key(s.a), "rank-00001");
}

/* --- calls of MPI --- */

static struct mpi_scene scene;

/* A simulated job of three ranks, the second of which is slow: its calls go into the ranks'
 * folders.
 */
FIXTURE(with_mpi)
{
    struct job simulated;
    temp_folder_make(NULL);
    scene = (struct mpi_scene){.seed = 3,
                               .ranks = 3,
                               .hosts = 1,
                               .steps = 60,
                               .slow = 1,
                               .slower = 1.5,
                               .cut = -1,
                               .compute = 1e6,
                               .noise = 0.2};
    mpi_scene_open(&scene, &simulated);
    for (unsigned i = 0; i < 3; i++) {
        char from[300], to[300];
        put_rank((const char *[]){"rank-00000", "rank-00001", "rank-00002"}[i], i, "ended", "node");
        snprintf(from, sizeof from, "%s/rank-%05u.calls", scene.folder, i);
        snprintf(to, sizeof to, "%s/rank-%05u/" MPI_RECORD_FILE, temp_folder, i);
        assert_int_equal(rename(from, to), 0);
    }
    mpi_scene_close(&scene, &simulated);
    read_job(&job);
    stage_open(&s, "vm", 80, 24, 2);
    app_set_opened(s.a, &job);
    stage_view(&s, "ranks");
}

TEST_WITH(calls_of_mpi_are_columns, with_mpi, ended)
{
    for (int r = 0; r < 3; r++) {
        const struct job_member *m = &job.job->ranks[r];
        const double waited = m->mpi.late_sender + m->mpi.late_receiver + m->mpi.collective;
        assert_true(fabs(waited - scene.waited[r] / 1e9) < 1e-5 + 1e-3 * waited);
        assert_true(m->mpi.calls >= waited);
        assert_true(r == 1 || m->mpi.caused < job.job->ranks[1].mpi.caused);
    }
    expect("late senders");
    expect("rank 1 holds the others up: each other rank waited");
    expect("because of rank 1");
    expect("COMPUTES CPU WAIT   CAUSED");
    stage_command(&s, "sort caused");
    stage_key(&s, 'g');
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(app_open_key(s.a), "rank-00001");
}

TEST_WITH(a_damaged_file_of_calls_is_told, with_mpi, ended)
{
    char path[300];
    snprintf(path, sizeof path, "%s/rank-00001/" MPI_RECORD_FILE, temp_folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("no calls\n", f);
    fclose(f);
    subject_free(&job);
    read_job(&job);
    job.reading = 1;
    app_set_opened(s.a, &job);
    stage_look(&s);
    expect("left out: ");
    assert_true(isnan(job.job->ranks[1].mpi.calls));
    assert_false(isnan(job.job->ranks[0].mpi.calls));
}

TEST_WITH(without_calls_of_mpi_there_is_no_column_for_them, wide, closed)
{
    assert_false(stage_sees(&s, "IN MPI"));
    assert_false(stage_sees(&s, "late senders"));
}

TEST_WITH(i_explains_all_that_a_rank_says, wide, closed)
{
    stage_command(&s, "sort rank");
    stage_key(&s, 'G');
    stage_key(&s, 'i');
    expect("rank 4");
    expect("its threads waited for a CPU, all together");
    expect("135afc8c6d1b9e02356cce218bf0109c3687ad9f");
}

TEST_WITH(a_filter_takes_ranks_away, wide, closed)
{
    stage_command(&s, "filter host=node2");
    expect("node2");
    assert_false(stage_sees(&s, "node1"));
}

TEST_WITH(the_digit_widens_to_the_host_and_back, small, closed)
{
    stage_key(&s, '1');
    assert_false(stage_sees(&s, "Enter opens a rank"));
    stage_key(&s, '1');
    stage_key(&s, '1');
    expect("Enter opens a rank");
}
