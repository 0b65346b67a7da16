/* Session files: what was written is read, whatever becomes of the writer. (Forks: not for TSan.)
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/export_json.h"
#include "engine/ring.h"
#include "engine/session.h"
#include "support/kept_profiles.h"
#include "support/scenes.h"

static char dir[64], path[96];

static int set_up(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/rooftop-session-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/s.rooftop", dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[128];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
    return rmdir(dir);
}

static const char *made = "command"; /* the scene */

static struct snapshot *moment(int tick)
{
    struct snapshot *s = scene(made, tick % 50);
    s->seq = (uint64_t)tick + 1;
    s->time_ns = 1000000000u * (uint64_t)(tick + 1);
    s->profile = tick % 4 == 1 ? profiles_random(s, (unsigned)tick) : NULL;
    return s;
}

static void write_ticks(struct session_writer *w, int from, int to)
{
    struct error err = ERROR_INIT;
    for (int t = from; t < to; t++) {
        struct snapshot *s = moment(t);
        if (session_write(w, s, &err) != 0)
            fail_msg("%s: %s", err.what, err.why);
        snapshot_unref(s);
    }
}

static struct session_writer *create(const struct session_config *config)
{
    struct error err = ERROR_INIT;
    struct session_writer *w;
    if (session_create(&w, config, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return w;
}

static void make(int ticks)
{
    struct error err = ERROR_INIT;
    struct session_writer *w = create(&(struct session_config){.path = path, .replace = true});
    write_ticks(w, 0, ticks);
    assert_int_equal(session_close(w, &err), 0);
}

static struct recording *open_it(void)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    if (session_open(&r, path, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return r;
}

static void assert_frame(struct recording *r, size_t i, int tick)
{
    struct error err = ERROR_INIT;
    struct snapshot *was = moment(tick);
    const struct snapshot *is = recording_frame(r, i, &err);
    if (!is) {
        fail_msg("frame %zu: %s: %s", i, err.what, err.why);
        return;
    }
    char *a = export_json_text(was, "t", false), *b = export_json_text(is, "t", false);
    assert_string_equal(a, b);
    profiles_assert_same(was->profile, is->profile);
    free(a);
    free(b);
    snapshot_unref(is);
    snapshot_unref(was);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    static const int sizes[] = {1, 127, 128, 129, 700};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        made = sizes[k] == 129 ? "procs" : "command"; /* with threads and devices */
        make(sizes[k]);
        struct recording *r = open_it();
        assert_int_equal(recording_count(r), sizes[k]);
        for (int t = 0; t < sizes[k]; t += 1 + sizes[k] / 40)
            assert_frame(r, (size_t)t, t);
        assert_frame(r, (size_t)sizes[k] - 1, sizes[k] - 1);
        recording_free(r);
    }
}

/* The file may not be there at all beforehand, and no other file of the writer is left behind. */
static void a_closed_session_is_one_file(void **state)
{
    (void)state;
    char wal[128];
    make(10);
    snprintf(wal, sizeof wal, "%s-wal", path);
    assert_int_not_equal(access(wal, F_OK), 0);
    assert_int_equal(chmod(dir, 0500), 0); /* read-only surroundings do */
    recording_free(open_it());
    assert_int_equal(chmod(dir, 0700), 0);
    assert_int_not_equal(access(wal, F_OK), 0);
}

/* Killed between two samples: everything that session_write returned for at 1 Hz is there. */
static void a_killed_writer_loses_nothing_at_one_hertz(void **state)
{
    (void)state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct session_writer *w = create(&(struct session_config){.path = path});
        write_ticks(w, 0, 300);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct recording *live = open_it(); /* while it is being written */
    assert_int_equal(recording_count(live), 300);
    assert_frame(live, 299, 299);
    recording_free(live);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    struct recording *r = open_it();
    assert_int_equal(recording_count(r), 300);
    for (int t = 0; t < 300; t += 37)
        assert_frame(r, (size_t)t, t);
    recording_free(r);
}

/* The bound holds at every moment, not only when the file is closed; the log beside it has its own.
 */
static void a_bounded_file_keeps_the_newest(void **state)
{
    (void)state;
    enum { MAX = 1 << 20, LOG = 8 << 20, TICKS = 20000 };
    struct error err = ERROR_INIT;
    struct session_writer *w = create(&(struct session_config){.path = path, .max_bytes = MAX});
    char log[128];
    struct stat st;
    snprintf(log, sizeof log, "%s-wal", path);
    for (int t = 0; t < TICKS; t += 100) {
        write_ticks(w, t, t + 100);
        assert_int_equal(stat(path, &st), 0);
        assert_in_range(st.st_size, 0, MAX);
        assert_true(stat(log, &st) != 0 || st.st_size <= LOG);
    }
    assert_int_equal(session_frames(w), TICKS);
    assert_int_equal(session_close(w, &err), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_in_range(st.st_size, MAX / 2, MAX);
    struct recording *r = open_it();
    size_t n = recording_count(r);
    assert_true(n > 500 && n < TICKS);
    assert_frame(r, n - 1, TICKS - 1);
    assert_frame(r, 0, TICKS - (int)n);
    recording_free(r);
}

static void a_ring_becomes_a_session(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct recording *ring = ring_new(RING_BYTES);
    assert_true(session_save(ring, &(struct session_config){.path = path}, &err) < 0);
    for (int t = 0; t < 400; t++) {
        struct snapshot *s = moment(t);
        ring_push(ring, s);
        snapshot_unref(s);
    }
    assert_int_equal(session_save(ring, &(struct session_config){.path = path}, &err), 0);
    struct recording *r = open_it();
    assert_int_equal(recording_count(r), 400);
    assert_frame(r, 0, 0);
    assert_frame(r, 399, 399);
    recording_free(r);
    recording_free(ring);
}

static void sql(const char *text)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
    sqlite3_close(db);
}

static void refused(const char *words, enum error_kind kind)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    assert_int_not_equal(session_open(&r, path, &err), 0);
    assert_null(r);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.why, words))
        fail_msg("'%s' does not say '%s'", err.why, words);
}

/* Schema 1 had no levels. The file stays as it is. */
static void an_older_schema_is_read(void **state)
{
    (void)state;
    struct stat before, after;
    make(300);
    sql("ALTER TABLE block DROP COLUMN levels; ALTER TABLE tail DROP COLUMN level;"
        "PRAGMA user_version = 1;");
    assert_int_equal(stat(path, &before), 0);
    struct recording *r = open_it();
    assert_int_equal(recording_count(r), 300);
    assert_frame(r, 200, 200);
    assert_int_equal(recording_level(r, 200), 255);
    recording_free(r);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_size, after.st_size);
}

static void a_newer_schema_is_refused(void **state)
{
    (void)state;
    make(3);
    sql("PRAGMA user_version = 99");
    refused("written by a newer rooftop", ERROR_UNSUPPORTED);
}

static void put_file(const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
}

static void what_is_no_session_is_refused(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct session_writer *w;
    refused("No such file", ERROR_INPUT);
    put_file("", 0);
    refused("not a session file", ERROR_INPUT);
    put_file("hello\n", 6);
    refused("not a session file", ERROR_INPUT);
    assert_true(session_create(&w, &(struct session_config){.path = path, .replace = true}, &err) <
                0);
    assert_non_null(strstr(err.why, "is no session"));
    unlink(path);
    make(3);
    assert_true(session_create(&w, &(struct session_config){.path = path}, &err) < 0);
    assert_string_equal(err.why, "it exists");
    sql("DELETE FROM block; DELETE FROM tail");
    refused("holds no samples", ERROR_INPUT);
    make(3);
    sql("DROP TABLE tail");
    refused("tail is no table", ERROR_INPUT);
}

/* Time never steps back in what is read, whatever order a file has its blocks in. */
static void blocks_out_of_order_are_not_believed(void **state)
{
    static const char *const turned[] = {
        "UPDATE block SET id = -id",
        "UPDATE block SET first_ns = first_ns - 200000000000 WHERE id = (SELECT max(id) FROM "
        "block)",
    };
    (void)state;
    for (size_t k = 0; k < sizeof turned / sizeof *turned; k++) {
        struct error err = ERROR_INIT;
        struct recording *r;
        make(400);
        sql(turned[k]);
        if (session_open(&r, path, &err) != 0) {
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

static bool unwanted(void *ctx)
{
    (void)ctx;
    return false;
}

/* Every byte of a small file changed in turn: refused or read, never a crash. */
static void damage_never_crashes(void **state)
{
    (void)state;
    make(140);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static char was[1 << 20];
    size_t n = fread(was, 1, sizeof was, f), seen = 0;
    fclose(f);
    for (size_t i = 0; i < n; i += 211) {
        struct error err = ERROR_INIT;
        struct recording *r;
        char byte = was[i];
        was[i] = (char)(byte ^ 0x55);
        put_file(was, n);
        was[i] = byte;
        if (session_open(&r, path, &err) != 0)
            continue;
        recording_scan(r, 0, recording_count(r), RECORDING_ALL, visit, &seen, &err);
        recording_free(r);
    }
    assert_true(seen > 0);
}

/* --- cut off --- */

/* Of each block: its samples, and the last of the pages that hold it, as SQLite's own table of
 * pages says. The path of a page of a row that goes on is its leaf's, the row's number there, and a
 * +. */
enum { BLOCKS_MOST = 40, PAGES_MOST = 2000 };
struct pages {
    int n, frames[BLOCKS_MOST], first[BLOCKS_MOST], last_page[BLOCKS_MOST];
    char leaf[BLOCKS_MOST][64]; /* its path */
    int cell[BLOCKS_MOST];
};

static sqlite3_stmt *ask(sqlite3 **db, const char *text)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(path, db), SQLITE_OK);
    if (sqlite3_prepare_v2(*db, text, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(*db));
    return st;
}

static void ask_end(sqlite3 *db, sqlite3_stmt *st)
{
    sqlite3_finalize(st);
    sqlite3_close(db);
}

static int number(const char *text)
{
    sqlite3 *db;
    sqlite3_stmt *st = ask(&db, text);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int n = sqlite3_column_int(st, 0);
    ask_end(db, st);
    return n;
}

static void find_blocks(struct pages *p)
{
    sqlite3 *db;
    sqlite3_stmt *st = ask(&db, "SELECT frames, first_ns FROM block ORDER BY id");
    for (*p = (struct pages){0}; sqlite3_step(st) == SQLITE_ROW; p->n++) {
        assert_true(p->n < BLOCKS_MOST);
        p->frames[p->n] = sqlite3_column_int(st, 0);
        p->first[p->n] = (int)(sqlite3_column_int64(st, 1) / 1000000000) - 1; /* its moment */
    }
    ask_end(db, st);
}

static void find_leaves(struct pages *p)
{
    sqlite3 *db;
    sqlite3_stmt *st = ask(&db, "SELECT path, pageno, ncell FROM dbstat WHERE name = 'block' AND"
                                " pagetype = 'leaf' ORDER BY path");
    for (int i = 0; sqlite3_step(st) == SQLITE_ROW;)
        for (int cell = 0; cell < sqlite3_column_int(st, 2); cell++, i++) {
            assert_true(i < p->n);
            snprintf(p->leaf[i], sizeof p->leaf[i], "%s", (const char *)sqlite3_column_text(st, 0));
            p->last_page[i] = sqlite3_column_int(st, 1);
            p->cell[i] = cell;
        }
    ask_end(db, st);
}

static void find_pages(struct pages *p)
{
    sqlite3 *db;
    find_blocks(p);
    find_leaves(p);
    sqlite3_stmt *st = ask(&db, "SELECT path, pageno FROM dbstat WHERE name = 'block' AND"
                                " pagetype = 'overflow'");
    while (sqlite3_step(st) == SQLITE_ROW) {
        const char *at = (const char *)sqlite3_column_text(st, 0), *plus = strchr(at, '+');
        assert_non_null(plus);
        for (int i = 0; i < p->n; i++) {
            size_t n = strlen(p->leaf[i]);
            bool its = (size_t)(plus - at) == n + 3 && strncmp(at, p->leaf[i], n) == 0 &&
                       strtol(at + n, NULL, 16) == p->cell[i];
            if (its && sqlite3_column_int(st, 1) > p->last_page[i])
                p->last_page[i] = sqlite3_column_int(st, 1);
        }
    }
    ask_end(db, st);
}

/* All blocks that are whole in so many bytes open, and nothing else. How many those are. */
static int open_cut(const char *bytes, size_t n, const struct pages *p)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    size_t at = 0, seen = 0;
    int whole = 0;
    for (int i = 0; i < p->n; i++)
        whole += (size_t)p->last_page[i] <= n / 4096;
    put_file(bytes, n);
    if (session_open(&r, path, &err) != 0) {
        if (whole)
            fail_msg("cut at %zu: %d blocks are whole: %s", n, whole, err.why);
        assert_int_equal(err.kind, ERROR_INPUT);
        return 0;
    }
    assert_non_null(r->note);
    for (int i = 0; i < p->n; i++) {
        if ((size_t)p->last_page[i] > n / 4096)
            continue;
        if (at >= recording_count(r) ||
            recording_time(r, at) != 1000000000u * (uint64_t)(p->first[i] + 1))
            fail_msg("cut at %zu: block %d is not there", n, i);
        at += (size_t)p->frames[i];
    }
    assert_int_equal(recording_count(r), at);
    assert_int_equal(recording_scan(r, 0, at, RECORDING_ALL, visit, &seen, &err), 0);
    recording_free(r);
    return whole;
}

static void the_whole_blocks_of_a_cut_file_open(void **state)
{
    (void)state;
    static char bytes[PAGES_MOST * 4096];
    static struct pages p;
    int most = 0, seen = 0;
    make(1536);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n > 20 * 4096 && n < sizeof bytes);
    find_pages(&p);
    assert_true(p.n >= 8);
    for (size_t cut = n - 1; cut > 100; cut = cut > 1531 ? cut - 1531 : 0) {
        int blocks = open_cut(bytes, cut, &p);
        most = blocks > most ? blocks : most;
        seen |= 1 << blocks;
    }
    assert_true(most >= p.n - 3);
    assert_true(__builtin_popcount((unsigned)seen) > p.n / 2); /* different numbers of blocks */
}

/* A page in the middle that is not what it was takes nothing else with it. */
static void a_lost_page_costs_its_blocks_only(void **state)
{
    (void)state;
    make(1024);
    static struct pages p;
    find_pages(&p);
    int frames = 0;
    for (int i = 0; i < p.n; i++) /* the leaf of the first block */
        frames += strcmp(p.leaf[i], p.leaf[0]) != 0 ? p.frames[i] : 0;
    assert_true(frames > 0);
    char text[200];
    snprintf(text, sizeof text, "SELECT pageno FROM dbstat WHERE name = 'block' AND path = '%s'",
             p.leaf[0]);
    int leaf = number(text);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)(leaf - 1) * 4096, SEEK_SET), 0);
    assert_int_equal(fwrite("\xff\xff\xff\xff\xff\xff\xff\xff", 1, 8, f), 8);
    fclose(f);
    struct recording *r = open_it();
    assert_non_null(r->note);
    assert_int_equal(recording_count(r), frames);
    recording_free(r);
}

static void looking_for_blocks_is_given_up(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct recording *r;
    make(12 * 128);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size - 1), 0);
    const struct watch w = {unwanted, NULL}, *before = watch_set(&w);
    assert_int_equal(session_open(&r, path, &err), -ECANCELED);
    watch_set(before);
    assert_null(r);
}

static void it_is_for_its_user_alone(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct stat st;
    char log[128];
    mode_t before = umask(0);
    struct session_writer *w = create(&(struct session_config){.path = path});
    write_ticks(w, 0, 3);
    umask(before);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    snprintf(log, sizeof log, "%s-wal", path);
    assert_int_equal(stat(log, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(session_close(w, &err), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_was_written_is_read),
        T(a_closed_session_is_one_file),
        T(a_killed_writer_loses_nothing_at_one_hertz),
        T(a_bounded_file_keeps_the_newest),
        T(a_ring_becomes_a_session),
        T(an_older_schema_is_read),
        T(a_newer_schema_is_refused),
        T(what_is_no_session_is_refused),
        T(blocks_out_of_order_are_not_believed),
        T(damage_never_crashes),
        T(the_whole_blocks_of_a_cut_file_open),
        T(a_lost_page_costs_its_blocks_only),
        T(looking_for_blocks_is_given_up),
        T(it_is_for_its_user_alone),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
