/* Recovers the intact parts of a session file that is cut off or damaged: its blocks, and the
 * samples after them. (One thread: not for TSan.) */
#include "engine/session/session_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/watch.h"
#include "support/session_file.h"
#include "support/test.h"

enum { PAGE = 4096 };

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

/* For each block its samples, and the last of its pages according to SQLite's table of pages. The
 * path of an overflow page is that of its leaf, then the row's number there and a '+'. */
enum { BLOCKS_MOST = 40, PAGES_MOST = 2000 };
struct pages {
    int n, frames[BLOCKS_MOST], first[BLOCKS_MOST], last_page[BLOCKS_MOST];
    char leaf[BLOCKS_MOST][64]; /* its path */
    int cell[BLOCKS_MOST];
};

static sqlite3_stmt *ask(sqlite3 **db, const char *text)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(session_path, db), SQLITE_OK);
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
        /* its session_moment */
        p->first[p->n] = (int)(sqlite3_column_int64(st, 1) / 1000000000) - 1;
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

/* Exactly those blocks open that are complete in the first n bytes. Returns their number. */
static int open_cut(const char *bytes, size_t n, const struct pages *p)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    size_t at = 0, seen = 0;
    int whole = 0;
    for (int i = 0; i < p->n; i++)
        whole += (size_t)p->last_page[i] <= n / PAGE;
    session_put(bytes, n);
    if (session_open(&r, session_path, &err) != 0) {
        if (whole)
            fail_msg("cut at %zu: %d blocks are whole: %s", n, whole, err.why);
        assert_int_equal(err.kind, ERROR_INPUT);
        return 0;
    }
    assert_non_null(r->note);
    for (int i = 0; i < p->n; i++) {
        if ((size_t)p->last_page[i] > n / PAGE)
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

TEST_WITH(the_whole_blocks_of_a_cut_file_open, session_set_up, session_tear_down)
{
    static char bytes[PAGES_MOST * PAGE];
    static struct pages p;
    int most = 0, seen = 0;
    session_make(1536);
    FILE *f = fopen(session_path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n > 20 * PAGE && n < sizeof bytes);
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

/* A damaged page in the middle affects no other block. */
TEST_WITH(a_lost_page_costs_its_blocks_only, session_set_up, session_tear_down)
{
    session_make(1024);
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
    FILE *f = fopen(session_path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)(leaf - 1) * PAGE, SEEK_SET), 0);
    assert_int_equal(fwrite("\xff\xff\xff\xff\xff\xff\xff\xff", 1, 8, f), 8);
    fclose(f);
    struct recording *r = session_read();
    assert_non_null(r->note);
    assert_int_equal(recording_count(r), frames);
    recording_free(r);
}

/* --- the samples after the last block --- */

enum { KILLED_AT = 140, TAIL_MOST = 128 };

/* For each sample of the tail, the last of the pages that hold it. */
static int find_tail(int last_page[TAIL_MOST])
{
    sqlite3 *db;
    int n = 0;
    sqlite3_stmt *st = ask(&db, "SELECT path, pageno, ncell FROM dbstat WHERE name = 'tail' AND"
                                " pagetype = 'leaf' ORDER BY path");
    while (sqlite3_step(st) == SQLITE_ROW) {
        char text[256];
        for (int cell = 0; cell < sqlite3_column_int(st, 2); cell++) {
            assert_true(n < TAIL_MOST);
            snprintf(text, sizeof text,
                     "SELECT max(pageno) FROM dbstat WHERE name = 'tail' AND (pageno = %d OR"
                     " path LIKE '%s%03x+%%')",
                     sqlite3_column_int(st, 1), (const char *)sqlite3_column_text(st, 0), cell);
            last_page[n++] = number(text);
        }
    }
    ask_end(db, st);
    return n;
}

/* The small file of a recorder that was killed, cut anywhere: the block is there if it is
 * complete, and so is each sample after it as long as the samples before it are. */
TEST_WITH(a_cut_costs_what_comes_after_it, session_set_up, session_tear_down)
{
    static char bytes[PAGES_MOST * PAGE];
    static struct pages p;
    int last[TAIL_MOST], seen = 0;
    session_make_killed(KILLED_AT);
    FILE *f = fopen(session_path, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    find_pages(&p);
    int ntail = find_tail(last);
    assert_int_equal(p.n, 1);
    assert_int_equal(ntail + p.frames[0], KILLED_AT);
    for (size_t cut = 0; cut < n; cut += cut % PAGE <= 1 || cut % PAGE == PAGE - 1 ? 1 : 1023) {
        struct error err = ERROR_INIT;
        struct recording *r = NULL;
        size_t first = (size_t)p.last_page[0] <= cut / PAGE ? (size_t)p.frames[0] : 0, whole = 0;
        while (whole < (size_t)ntail && (size_t)last[whole] <= cut / PAGE)
            whole++;
        session_put(bytes, cut);
        int rc = session_open(&r, session_path, &err);
        if ((rc == 0) != (first + whole > 0))
            fail_msg("cut at %zu: %zu samples are whole: %d %s", cut, first + whole, rc, err.why);
        if (rc != 0)
            continue;
        if (recording_count(r) != first + whole)
            fail_msg("cut at %zu: %zu samples, %zu are whole", cut, recording_count(r),
                     first + whole);
        assert_non_null(r->note);
        for (size_t i = 0; i < first + whole; i += 1 + first / 3)
            session_assert_frame(r, i, (int)(i < first ? i : i - first + (size_t)p.frames[0]));
        seen |= first && whole ? 1 : whole ? 2 : 4;
        recording_free(r);
    }
    assert_true(seen & 1 && seen & (2 | 4)); /* both occurred, and each alone */
}

static void damage_first_page(void)
{
    FILE *f = fopen(session_path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, 100, SEEK_SET), 0); /* the byte with the type of the page */
    assert_int_equal(fwrite("\xff", 1, 1, f), 1);
    fclose(f);
}

/* A sample is a difference from the one before: after a gap, or after a row of an earlier run in a
 * free page, it would be wrong. */
TEST_WITH(samples_behind_a_gap_are_not_believed, session_set_up, session_tear_down)
{
    static const struct {
        const char *sql;
        int left;
    } gaps[] = {
        {"UPDATE tail SET level = level", 10},
        {"UPDATE tail SET time_ns = time_ns + 1 WHERE seq = 7", 6},
        {"DELETE FROM tail WHERE seq = 4", 3},
        {"UPDATE tail SET data = x'00' WHERE seq = 9", 8},
        {"UPDATE tail SET time_ns = 1 WHERE seq = 10", 9},
    };
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
        unlink(session_path);
        session_make_killed(10);
        session_sql(gaps[k].sql);
        damage_first_page();
        struct recording *r = session_read();
        if (recording_count(r) != (size_t)gaps[k].left)
            fail_msg("%s: %zu samples", gaps[k].sql, recording_count(r));
        for (int i = 0; i < gaps[k].left; i++)
            session_assert_frame(r, (size_t)i, i);
        if (!strstr(r->note, "damaged"))
            fail_msg("%s", r->note);
        recording_free(r);
    }
    unlink(session_path);
    session_make_killed(10);
    session_sql("DELETE FROM tail WHERE seq = 1"); /* the first one is missing */
    damage_first_page();
    struct error err = ERROR_INIT;
    struct recording *r;
    assert_int_not_equal(session_open(&r, session_path, &err), 0);
    assert_int_equal(err.kind, ERROR_INPUT);
}

/* A block that was moved may still be in a free page. */
TEST_WITH(no_sample_is_there_twice, session_set_up, session_tear_down)
{
    session_make(10);
    session_sql("INSERT INTO block SELECT id + 1, first_ns, last_ns, frames, times, levels, data"
                " FROM block");
    damage_first_page();
    struct recording *r = session_read();
    assert_int_equal(recording_count(r), 10);
    session_assert_frame(r, 9, 9);
    recording_free(r);
}

TEST_WITH(looking_for_blocks_is_given_up, session_set_up, session_tear_down)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    session_make(12 * 128);
    struct stat st;
    assert_int_equal(stat(session_path, &st), 0);
    assert_int_equal(truncate(session_path, st.st_size - 1), 0);
    const struct watch w = {unwanted, NULL}, *before = watch_set(&w);
    assert_int_equal(session_open(&r, session_path, &err), -ECANCELED);
    watch_set(before);
    assert_null(r);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
