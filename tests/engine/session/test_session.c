/* Session files: whatever was written can be read, whatever happened to the writer. (Forks:
 * not for TSan.) */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/bricks/bricks.h"
#include "engine/session/ring.h"
#include "engine/session/session.h"
#include "support/session_file.h"
#include "support/test.h"

TEST_WITH(what_was_written_is_read, session_set_up, session_tear_down)
{
    static const int sizes[] = {1, 127, 128, 129, 700};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        session_scene = sizes[k] == 129 ? "procs" : "command"; /* with threads and devices */
        session_make(sizes[k]);
        struct recording *r = session_read();
        assert_int_equal(recording_count(r), sizes[k]);
        for (int t = 0; t < sizes[k]; t += 1 + sizes[k] / 40)
            session_assert_frame(r, (size_t)t, t);
        session_assert_frame(r, (size_t)sizes[k] - 1, sizes[k] - 1);
        recording_free(r);
    }
}

/* A clock may return the same time twice, also at the border of two blocks. */
TEST_WITH(moments_may_be_equal, session_set_up, session_tear_down)
{
    enum { BLOCK = 128 }; /* samples */
    struct error err = ERROR_INIT;
    struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
    for (int t = 0; t < 3 * BLOCK; t++) {
        struct snapshot *s = session_moment(t);
        s->time_ns = (uint64_t)(1 + (t + 2) / 3) * 1000000000;
        assert_int_equal(session_write(w, s, &err), 0);
        snapshot_unref(s);
    }
    assert_int_equal(session_close(w, &err), 0);
    struct recording *r = session_read();
    assert_int_equal(recording_count(r), 3 * BLOCK);
    assert_true(recording_time(r, BLOCK - 1) == recording_time(r, BLOCK) ||
                recording_time(r, 2 * BLOCK - 1) == recording_time(r, 2 * BLOCK));
    recording_free(r);
}

/* The file need not exist before, and the writer leaves no other file behind. */
TEST_WITH(a_closed_session_is_one_file, session_set_up, session_tear_down)
{
    char wal[128];
    session_make(10);
    snprintf(wal, sizeof wal, "%s-wal", session_path);
    assert_int_not_equal(access(wal, F_OK), 0);
    assert_int_equal(chmod(session_dir, 0500), 0); /* also in a read-only folder */
    recording_free(session_read());
    assert_int_equal(chmod(session_dir, 0700), 0);
    assert_int_not_equal(access(wal, F_OK), 0);
}

/* Killed between two samples at 1 Hz: every sample for which session_write returned is there. */
TEST_WITH(a_killed_writer_loses_nothing_at_one_hertz, session_set_up, session_tear_down)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
        session_write_ticks(w, 0, 300);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct recording *live = session_read(); /* while it is being written */
    assert_int_equal(recording_count(live), 300);
    session_assert_frame(live, 299, 299);
    recording_free(live);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    struct recording *r = session_read();
    assert_int_equal(recording_count(r), 300);
    for (int t = 0; t < 300; t += 37)
        session_assert_frame(r, (size_t)t, t);
    recording_free(r);
}

/* The limit holds at any time, not only when the file is closed; the log beside it has a limit of
 * its own. */
TEST_WITH(a_bounded_file_keeps_the_newest, session_set_up, session_tear_down)
{
    enum { MAX = 1 << 20, LOG = 8 << 20, TICKS = 20000 };
    struct error err = ERROR_INIT;
    uint64_t dropped = 0;
    struct session_writer *w = session_begin(
        &(struct session_config){.path = session_path, .max_bytes = MAX, .dropped = &dropped});
    char log[128];
    struct stat st;
    snprintf(log, sizeof log, "%s-wal", session_path);
    for (int t = 0; t < TICKS; t += 100) {
        session_write_ticks(w, t, t + 100);
        assert_int_equal(stat(session_path, &st), 0);
        assert_in_range(st.st_size, 0, MAX);
        assert_true(stat(log, &st) != 0 || st.st_size <= LOG);
    }
    assert_int_equal(session_close(w, &err), 0);
    assert_int_equal(stat(session_path, &st), 0);
    assert_in_range(st.st_size, MAX / 2, MAX);
    struct recording *r = session_read();
    size_t n = recording_count(r);
    assert_true(n > 500 && n < TICKS);
    session_assert_frame(r, n - 1, TICKS - 1);
    session_assert_frame(r, 0, TICKS - (int)n);
    assert_int_equal(dropped + n, TICKS);
    recording_free(r);
}

TEST_WITH(a_ring_becomes_a_session, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct recording *ring = ring_new(RING_BYTES);
    assert_true(session_save(ring, &(struct session_config){.path = session_path}, &err) < 0);
    for (int t = 0; t < 400; t++) {
        struct snapshot *s = session_moment(t);
        ring_push(ring, s);
        snapshot_unref(s);
    }
    assert_int_equal(session_save(ring, &(struct session_config){.path = session_path}, &err), 0);
    struct recording *r = session_read();
    assert_int_equal(recording_count(r), 400);
    session_assert_frame(r, 0, 0);
    session_assert_frame(r, 399, 399);
    recording_free(r);
    recording_free(ring);
}

static void refused(const char *words, enum error_kind kind)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    assert_int_not_equal(session_open(&r, session_path, &err), 0);
    assert_null(r);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.why, words))
        fail_msg("'%s' does not say '%s'", err.why, words);
}

/* Schema 1 had no levels. The file is not changed. */
TEST_WITH(an_older_schema_is_read, session_set_up, session_tear_down)
{
    struct stat before, after;
    session_make(300);
    session_sql("ALTER TABLE block DROP COLUMN levels; ALTER TABLE tail DROP COLUMN level;"
                "PRAGMA user_version = 1;");
    assert_int_equal(stat(session_path, &before), 0);
    struct recording *r = session_read();
    assert_int_equal(recording_count(r), 300);
    session_assert_frame(r, 200, 200);
    assert_int_equal(recording_level(r, 200), 255);
    recording_free(r);
    assert_int_equal(stat(session_path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_size, after.st_size);
}

/* Frames of version 4 that an old rooftop recorded, with the numbers that it read. */
TEST_WITH(older_frames_are_read, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct recording *r = NULL;
    if (session_open(&r, "tests/data/session/frames-4.rooftop", &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_int_equal(recording_count(r), 8);
    const struct snapshot *s = recording_frame(r, 7, &err);
    assert_non_null(s);
    assert_non_null(s->bricks);
    assert_int_equal(s->bricks->nprograms, 1);
    const struct brick_program *p = &s->bricks->programs[0];
    assert_string_equal(p->name, "transformer");
    assert_int_equal(p->state, PROGRAM_ENDED);
    assert_int_equal(p->threads, 2);
    assert_int_equal(p->spans, 9861);
    assert_int_equal(p->tokens, 68);
    assert_float_equal(p->tokens_per_s, 413.384402, 1e-5);
    assert_int_equal(s->bricks->window.wall, 2322005);
    snapshot_unref(s);
    recording_free(r);
}

TEST_WITH(a_newer_schema_is_refused, session_set_up, session_tear_down)
{
    session_make(3);
    session_sql("PRAGMA user_version = 99");
    refused("written by a newer rooftop", ERROR_UNSUPPORTED);
}

TEST_WITH(what_is_no_session_is_refused, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct session_writer *w;
    refused("No such file", ERROR_INPUT);
    session_put("", 0);
    refused("not a session file", ERROR_INPUT);
    session_put("hello\n", 6);
    refused("not a session file", ERROR_INPUT);
    assert_true(session_create(&w, &(struct session_config){.path = session_path, .replace = true},
                               &err) < 0);
    assert_non_null(strstr(err.why, "is no session"));
    unlink(session_path);
    session_make(3);
    assert_true(session_create(&w, &(struct session_config){.path = session_path}, &err) < 0);
    assert_string_equal(err.why, "it exists");
    session_sql("DELETE FROM block; DELETE FROM tail");
    refused("holds no samples", ERROR_INPUT);
    session_make(3);
    session_sql("DROP TABLE tail");
    refused("tail is no table", ERROR_INPUT);
}

/* Times never decrease in what is read, whatever order the file's blocks have. */
TEST_WITH(blocks_out_of_order_are_not_believed, session_set_up, session_tear_down)
{
    static const char *const turned[] = {
        "UPDATE block SET id = -id",
        ("UPDATE block SET first_ns = first_ns - 200000000000"
         " WHERE id = (SELECT max(id) FROM block)"),
        /* a difference of nearly 2^64 */
        "UPDATE block SET times = x'f1ffffffffffffffff01' || substr(times, 6)",
        "UPDATE tail SET time_ns = time_ns - 200000000000",
    };
    for (size_t k = 0; k < sizeof turned / sizeof *turned; k++) {
        struct error err = ERROR_INIT;
        struct recording *r;
        unlink(session_path);
        session_make_killed(400);
        session_sql(turned[k]);
        if (session_open(&r, session_path, &err) != 0) {
            assert_int_equal(err.kind, ERROR_INPUT);
            assert_non_null(strstr(err.why, "damaged"));
            continue;
        }
        for (size_t i = 1; i < recording_count(r); i++)
            if (recording_time(r, i) < recording_time(r, i - 1))
                fail_msg("%s: frame %zu is earlier than the one before it", turned[k], i);
        recording_free(r);
    }
}

static bool visit(void *ctx, const struct snapshot *s)
{
    *(size_t *)ctx += s->nprocs;
    return true;
}

/* Changes each byte of a small file: it is refused or read, but never crashes. */
TEST_WITH(damage_never_crashes, session_set_up, session_tear_down)
{
    session_make(140);
    FILE *f = fopen(session_path, "rb");
    assert_non_null(f);
    static char was[1 << 20];
    size_t n = fread(was, 1, sizeof was, f), seen = 0;
    fclose(f);
    for (size_t i = 0; i < n; i += 211) {
        struct error err = ERROR_INIT;
        struct recording *r;
        char byte = was[i];
        was[i] = (char)(byte ^ 0x55);
        session_put(was, n);
        was[i] = byte;
        if (session_open(&r, session_path, &err) != 0)
            continue;
        recording_scan(r, 0, recording_count(r), RECORDING_ALL, visit, &seen, &err);
        recording_free(r);
    }
    assert_true(seen > 0);
}

TEST_WITH(it_is_for_its_user_alone, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct stat st;
    char log[128];
    mode_t before = umask(0);
    struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
    session_write_ticks(w, 0, 3);
    umask(before);
    assert_int_equal(stat(session_path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    snprintf(log, sizeof log, "%s-wal", session_path);
    assert_int_equal(stat(log, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(session_close(w, &err), 0);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
