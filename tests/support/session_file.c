#include "support/session_file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "export/live/export_json.h"
#include "support/kept_profiles.h"
#include "support/scenes.h"

char session_dir[64], session_path[96];
const char *session_scene;

int session_set_up(void **state)
{
    (void)state;
    session_scene = "command";
    strcpy(session_dir, "/tmp/rooftop-session-XXXXXX");
    if (!mkdtemp(session_dir))
        return -1;
    snprintf(session_path, sizeof session_path, "%s/s.rooftop", session_dir);
    return 0;
}

int session_tear_down(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[128];
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(file, sizeof file, "%s%s", session_path, endings[i]);
        unlink(file);
    }
    return rmdir(session_dir);
}

struct snapshot *session_moment(int tick)
{
    struct snapshot *s = scene(session_scene, tick % 50);
    s->seq = (uint64_t)tick + 1;
    s->time_ns = 1000000000u * (uint64_t)(tick + 1);
    s->stacks = tick % 4 == 1 ? profiles_random(s, (unsigned)tick) : NULL;
    return s;
}

void session_write_ticks(struct session_writer *w, int from, int to)
{
    struct error err = ERROR_INIT;
    for (int t = from; t < to; t++) {
        struct snapshot *s = session_moment(t);
        if (session_write(w, s, &err) != 0)
            fail_msg("%s: %s", err.what, err.why);
        snapshot_unref(s);
    }
}

struct session_writer *session_begin(const struct session_config *config)
{
    struct error err = ERROR_INIT;
    struct session_writer *w;
    if (session_create(&w, config, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return w;
}

void session_make(int ticks)
{
    struct error err = ERROR_INIT;
    struct session_writer *w =
        session_begin(&(struct session_config){.path = session_path, .replace = true});
    session_write_ticks(w, 0, ticks);
    assert_int_equal(session_close(w, &err), 0);
}

void session_make_killed(int ticks)
{
    pid_t pid = fork();
    if (pid == 0) {
        session_write_ticks(session_begin(&(struct session_config){.path = session_path}), 0,
                            ticks);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    session_sql("PRAGMA journal_mode=DELETE");
}

struct recording *session_read(void)
{
    struct error err = ERROR_INIT;
    struct recording *r = NULL;
    if (session_open(&r, session_path, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return r;
}

void session_assert_frame(struct recording *r, size_t i, int tick)
{
    struct error err = ERROR_INIT;
    struct snapshot *was = session_moment(tick);
    const struct snapshot *is = recording_frame(r, i, &err);
    if (!is) {
        fail_msg("frame %zu: %s: %s", i, err.what, err.why);
        return;
    }
    char *a = export_json_text(was, "t", false), *b = export_json_text(is, "t", false);
    assert_string_equal(a, b);
    profiles_assert_same(was->stacks, is->stacks);
    free(a);
    free(b);
    snapshot_unref(is);
    snapshot_unref(was);
}

void session_put(const void *bytes, size_t n)
{
    FILE *f = fopen(session_path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

void session_sql(const char *text)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(session_path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
    sqlite3_close(db);
}
