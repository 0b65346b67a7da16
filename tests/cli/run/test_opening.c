/* Opens profiles on a thread: taken when complete, given up, refused; and the progress line of
 * headless commands. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/run/run_impl.h"
#include "cli/run/progress.h"
#include "support/rocpd_file.h"
#include "support/test.h"

enum { LONG = 60000, ROWS = 200000 };
static struct rocpd_file file;

FIXTURE(make_file)
{
    rocpd_file_open(&file, "opening");
    rocpd_file_tables(&file, "_a", "g1");
    rocpd_file_names(&file);
    rocpd_file_sql(&file, "BEGIN");
    rocpd_file_sql(&file,
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                   "200000) INSERT INTO [rocpd_kernel_dispatch@](id, dispatch_id, start, [end], "
                   "queue_id, kernel_id) SELECT i, i, i * 100, i * 100 + 50 + i % 7, i % 4, "
                   "1 + i % 2 FROM n");
    rocpd_file_sql(&file, "COMMIT");
    rocpd_file_close(&file);
}

FIXTURE(remove_file)
{
    rocpd_file_remove(&file);
}

static struct opening *start(const char *path)
{
    struct error err = ERROR_INIT;
    struct opening *o = opening_start(&path, 1, NULL, &err);
    assert_non_null(o);
    return o;
}

static int take(struct opening *o, struct analysis **a, struct error *err)
{
    struct opened made = {0};
    int rc = 1;
    *err = (struct error)ERROR_INIT;
    assert_true(opening_wait(o, LONG));
    assert_true(opening_take(o, &made, &rc, err));
    assert_null(made.session);
    *a = made.profile;
    return rc;
}

TEST(handed_over_whole)
{
    struct opening *o = start(file.path);
    struct analysis *a;
    struct error err;
    assert_int_equal(take(o, &a, &err), 0);
    opening_free(o);
    assert_non_null(a);
    assert_int_equal(a->trace.ndispatches, ROWS);
    assert_true(a->path.length > 0 && a->bricks.nprograms == 1);
    assert_null(a->trace.watch);
    analysis_close(a);
    free(a);
}

/* Thread traces are opened on the thread, too. */
TEST(thread_traces)
{
    struct opening *o = start("tests/data/att");
    struct opened made = {0};
    struct error err = ERROR_INIT;
    int rc = 1;
    assert_true(opening_wait(o, LONG));
    assert_true(opening_take(o, &made, &rc, &err));
    opening_free(o);
    assert_int_equal(rc, 0);
    assert_true(!made.profile && !made.session && made.traces);
    assert_int_equal(made.traces->n, 1);
    opening_traces_free(made.traces);
    opening_free(start("tests/data/att")); /* the result is not taken */
}

/* A result that was not taken is freed. */
TEST(not_taken)
{
    struct opening *o = start(file.path);
    assert_true(opening_wait(o, LONG));
    opening_free(o);
}

TEST(given_up)
{
    struct opening *o = start(file.path);
    struct app_opening look;
    struct analysis *a;
    struct error err;
    opening_give_up(o);
    opening_look(o, &look);
    assert_true(look.giving_up);
    int rc = take(o, &a, &err);
    assert_int_equal(rc, -ECANCELED);
    assert_null(a);
    assert_non_null(strstr(err.why, "given up"));
    opening_free(o);
}

/* A user who quits does not wait: the thread ends by itself. */
TEST(left_alone)
{
    for (int i = 0; i < 8; i++)
        opening_free(start(file.path));
}

TEST(refused)
{
    struct opening *o = start("/nonexistent/profile.db");
    struct analysis *a;
    struct error err;
    assert_int_equal(take(o, &a, &err), -EINVAL);
    assert_null(a);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.what, "/nonexistent/profile.db"));
    opening_free(o);
}

TEST(tells_when_it_is_over)
{
    struct opening *o = start(file.path);
    struct app_opening look;
    struct opened made = {0};
    struct error err = ERROR_INIT;
    double before = 0;
    int rc = 1;
    opening_look(o, &look);
    assert_string_equal(look.path, file.path);
    assert_string_equal(look.doing, "reading");
    do {
        struct pollfd p = {.fd = opening_fd(o), .events = POLLIN};
        assert_int_equal(poll(&p, 1, LONG), 1);
        opening_look(o, &look);
        assert_true(look.share >= before && look.share <= 1);
        before = look.share;
    } while (!opening_take(o, &made, &rc, &err));
    assert_int_equal(rc, 0);
    opening_free(o);
    analysis_close(made.profile);
    free(made.profile);
}

/* --- without a thread --- */

struct seen {
    const struct trace *t;
    unsigned phases; /* one bit for each phase that was reported */
    double share;
    enum trace_phase stop; /* the phase to give up in; TRACE_PHASES: none */
};

static bool see(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct seen *s = ctx;
    double share = trace_share(s->t, done, total);
    assert_string_equal(path, file.path);
    assert_true(share >= s->share && share <= 1);
    s->share = share;
    s->phases |= 1u << s->t->phase;
    return s->t->phase != s->stop;
}

/* All phases are reported in order, and the user can give up in each of them. */
TEST(every_phase_asks)
{
    const char *path = file.path;
    for (int stop = 0; stop <= TRACE_PHASES; stop++) {
        struct analysis a = {0};
        struct seen s = {.t = &a.trace, .stop = (enum trace_phase)stop};
        struct error err = ERROR_INIT;
        a.trace.watch = see;
        a.trace.watch_ctx = &s;
        int rc = analysis_open(&a, &path, 1, &err);
        assert_int_equal(rc, stop == TRACE_PHASES ? 0 : -ECANCELED);
        unsigned until = stop == TRACE_PHASES ? stop - 1u : (unsigned)stop;
        assert_int_equal(s.phases, (2u << until) - 1);
        analysis_close(&a);
    }
}

static void line(const char *want, int width, const char *path, const char *doing, double share)
{
    char text[256];
    progress_line(text, sizeof text, width, path, doing, share);
    assert_string_equal(text, want);
    assert_true(text_width(text) <= width);
}

TEST(the_line)
{
    line("a.db  reading  [====================                    ]  50 %", 79, "/x/a.db",
         "reading", 0.5);
    line("a.db  reading  [                                        ]  0 %", 79, "a.db", "reading",
         -1);
    line("a.db  reading  [========================================]  100 %", 79, "a.db", "reading",
         7);
    line("a?.db  reading  [===========           ]  50 %", 48, "a\033.db", "reading", 0.5);
    line("reading 50 %", 30, "a.db", "reading", 0.5);
    line("rea 50 %", 9, "a.db", "reading", 0.5);
    /* a long name is cut at its begin, between characters; the bar takes the remaining cells */
    line("größe.db  reading  [==========           ]  50 %", 50, "/x/größe.db", "reading", 0.5);
    line("öße.db  reading  [=====     ]  50 %", 37, "größe.db", "reading", 0.5);
    line("字.db  reading  [=====      ]  50 %", 37, "xx漢字.db", "reading", 0.5);
    line("a?b?.db  reading  [==============              ]  50 %", 56,
         "a\xe2\x80\xae"
         "b\xff.db",
         "reading", 0.5);
}

TEST_MAIN(make_file, remove_file)
