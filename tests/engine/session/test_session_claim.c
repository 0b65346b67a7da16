/* Which process may write a session file, and the order of its content. (Forks: not for TSan.) */
#include "engine/session/session_impl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/session/session.h"
#include "support/session_file.h"
#include "support/test.h"

/* An existing file is kept unless it may be replaced; an empty file belongs to the recorder that
 * has just created it. */
TEST_WITH(what_is_there_stays, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct stat st;
    FILE *f = fopen(session_path, "w");
    fputs("a letter", f);
    fclose(f);
    assert_int_equal(session_claim(session_path, true, &err), -EEXIST);
    assert_non_null(strstr(err.why, "no session of rooftop"));
    assert_int_equal(stat(session_path, &st), 0);
    assert_int_equal(st.st_size, 8);
    assert_int_equal(session_claim(session_dir, true, &err), -EINVAL);
    assert_int_equal(session_claim("/no/such/folder/s", false, &err), -ENOENT);
    unlink(session_path);
    int fd = session_claim(session_path, false, &err), other;
    assert_true(fd >= 0);
    assert_int_equal(stat(session_path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    /* it is empty, because its writer is about to begin */
    other = session_claim(session_path, true, &err);
    assert_int_equal(other, -EBUSY);
    close(fd);
    other = session_claim(session_path, false, &err);
    assert_true(other >= 0);
    close(other);
}

/* A second recorder would delete the logs of the first, which are found by name. */
TEST_WITH(one_writer_a_file, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct session_writer *second = NULL;
    struct recording *r = NULL;
    struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
    session_write_ticks(w, 0, 3);
    for (int replace = 0; replace < 2; replace++) {
        struct session_config again = {.path = session_path, .replace = replace};
        assert_true(session_create(&second, &again, &err) < 0);
        assert_null(second);
        assert_int_equal(err.kind, ERROR_OUTPUT);
        if (replace && !strstr(err.why, "another rooftop records into it"))
            fail_msg("%s: %s; %s", err.what, err.why, err.help);
    }
    session_write_ticks(w, 3, 200);
    assert_int_equal(session_close(w, &err), 0);
    assert_int_equal(session_open(&r, session_path, &err), 0);
    assert_int_equal(recording_count(r), 200);
    recording_free(r);
    session_make(5); /* its writer has ended: it is replaced */
    assert_int_equal(session_open(&r, session_path, &err), 0);
    assert_int_equal(recording_count(r), 5);
    recording_free(r);
}

/* A writer that was killed holds no lock. */
TEST_WITH(a_killed_writers_file_is_free, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
        session_write_ticks(w, 0, 3);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct session_writer *w = NULL;
    struct session_config again = {.path = session_path, .replace = true};
    assert_true(session_create(&w, &again, &err) < 0);
    assert_int_equal(err.code, EBUSY);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    session_make(4);
    struct recording *r = NULL;
    assert_int_equal(session_open(&r, session_path, &err), 0);
    assert_int_equal(recording_count(r), 4);
    recording_free(r);
    close(ready[0]);
    close(ready[1]);
}

/* The wall clock was set back and forth: samples stay in the order in which they were taken. */
TEST_WITH(a_step_of_the_clock_keeps_the_order, session_set_up, session_tear_down)
{
    enum { TICKS = 300 };
    struct error err = ERROR_INIT;
    struct session_writer *w = session_begin(&(struct session_config){.path = session_path});
    for (int t = 0; t < TICKS; t++) {
        struct snapshot *s = session_moment(t);
        int64_t step = t < 100 ? 0 : t < 200 ? -INT64_C(3600000000000) : INT64_C(86400000000000);
        s->wall_ns = UINT64_C(1700000000000000000) + s->time_ns + (uint64_t)step;
        assert_int_equal(session_write(w, s, &err), 0);
        snapshot_unref(s);
    }
    assert_int_equal(session_close(w, &err), 0);
    struct recording *r = session_read();
    assert_int_equal(recording_count(r), TICKS);
    uint64_t before = 0;
    for (size_t i = 0; i < TICKS; i++) {
        const struct snapshot *s = recording_frame(r, i, &err);
        assert_non_null(s);
        assert_int_equal(s->seq, i + 1);
        assert_true(s->time_ns > before && s->time_ns == recording_time(r, i));
        assert_int_equal(recording_find(r, s->time_ns), i);
        if (i == 100 || i == 200) /* the time of the clock at that sample */
            assert_true(s->wall_ns / 1000000000u ==
                        1700000000u + i + 1 + (i == 100 ? (uint64_t)-3600 : 86400u));
        before = s->time_ns;
        snapshot_unref(s);
    }
    recording_free(r);
}
