/* Draws only: not for TSan. */
/* Going back in time: every panel shows that moment, and a session plays as it was recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/session/ring.h"
#include "engine/session/session.h"
#include "support/scenes.h"
#include "support/subjects.h"
#include "tui/app/app_state.h"
#include "tui/canvas/render.h"
#include "support/test.h"

enum { TICKS = 400, COLS = 110, ROWS = 34 };
static struct app *a;
static struct canvas c;

/* A snapshot each second, as in the scenes; each with another busy share. */
static struct snapshot *moment(const char *name, int tick)
{
    struct snapshot *s = scene(name, tick);
    s->seq = (uint64_t)tick + 1;
    s->time_ns = 1000000000u * (uint64_t)(tick + 1);
    s->wall_ns = 1000000000u * (uint64_t)(tick + 1);
    return s;
}

static void feed(const char *name, int from, int to)
{
    for (int t = from; t < to; t++) {
        struct snapshot *s = moment(name, t);
        app_update(a, s);
        snapshot_unref(s);
    }
}

static char *text(void)
{
    static char *out; /* static, because the stream writes to it until it is closed */
    static size_t n;
    FILE *f = open_memstream(&out, &n);
    app_draw(a, &c);
    render_text(f, &c);
    fclose(f);
    return out;
}

/* The rows of the view, without tabs, time line and footer. */
static char *panels(void)
{
    char *all = text(), *from = strchr(all, '\n') + 1, *at = from;
    for (int i = 0; i < ROWS - 4; i++)
        at = strchr(at, '\n') + 1;
    char *out = strndup(from, (size_t)(at - from));
    free(all);
    return out;
}

static unsigned press(uint32_t key)
{
    return app_key(a, &(struct key_event){.key = key});
}

FIXTURE(set_up)
{
    setenv("TZ", "UTC", 1);
    a = app_new(1, false, "rooftop-dark");
    canvas_init(&c);
    canvas_resize(&c, COLS, ROWS);
}

FIXTURE(tear_down)
{
    app_free(a);
    canvas_free(&c);
}

static void seek(const char *where)
{
    struct error err = ERROR_INIT;
    if (app_seek(a, where, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

/* A moment of the past looks as it did when it was the present. */
TEST_WITH(the_past_looks_as_it_did, set_up, tear_down)
{
    static char *lived[TICKS];
    static const char *const names[] = {"vm", "zen4", "command"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        for (int t = 0; t < TICKS; t++) {
            feed(names[k], t, t + 1);
            if (t % 9 == 8 || t == TICKS - 1) {
                press('p'); /* so that both pictures have a row less, for the time line */
                lived[t] = panels();
                press('p');
            }
        }
        for (int t = TICKS - 1; t >= 0; t--) {
            char where[32];
            if (!lived[t])
                continue;
            app_time_show(a, (size_t)t + (recording_count(a->model.past) - TICKS));
            snprintf(where, sizeof where, "frame %d", t);
            char *again = panels();
            if (strcmp(again, lived[t]) != 0)
                fail_msg("%s of %s differs:\n%s\n%s", where, names[k], lived[t], again);
            free(again);
            free(lived[t]);
            lived[t] = NULL;
        }
        tear_down(NULL);
        set_up(NULL);
    }
}

/* Graphs of a past moment show as many samples as fit, up to that moment. */
TEST_WITH(graphs_of_the_past_are_as_long_as_graphs_are, set_up, tear_down)
{
    enum { AFTER = 40, ALL = LIVE_SERIES_LEN + AFTER };
    static float now[LIVE_SERIES_LEN], past[LIVE_SERIES_LEN];
    static const size_t at[] = {ALL - 1, LIVE_SERIES_LEN + 7, LIVE_SERIES_LEN, LIVE_SERIES_LEN - 1,
                                12};
    for (int t = 0; t < ALL; t++) {
        struct snapshot *s = moment("vm", t % 50);
        s->seq = (uint64_t)t + 1;
        s->time_ns = s->wall_ns = 1000000000u * (uint64_t)(t + 1);
        s->total.busy = value_ok(t, UNIT_PERCENT);
        app_update(a, s);
        snapshot_unref(s);
    }
    assert_int_equal(live_series_get(a->series, "cpu.busy", now, LIVE_SERIES_LEN), LIVE_SERIES_LEN);
    assert_true(now[0] == AFTER && now[LIVE_SERIES_LEN - 1] == ALL - 1);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        size_t n = at[k] + 1 < LIVE_SERIES_LEN ? at[k] + 1 : LIVE_SERIES_LEN;
        app_time_show(a, at[k]);
        assert_int_equal(live_series_len(a->time.series), n);
        assert_int_equal(live_series_get(a->time.series, "cpu.busy", past, LIVE_SERIES_LEN), n);
        for (size_t i = LIVE_SERIES_LEN - n; i < LIVE_SERIES_LEN; i++)
            if (past[i] != (float)(at[k] + 1 + i - LIVE_SERIES_LEN))
                fail_msg("at %zu: sample %zu is %g", at[k], i, (double)past[i]);
    }
}

TEST_WITH(sampling_goes_on_while_looking_back, set_up, tear_down)
{
    feed("vm", 0, 60);
    press(KEY_LEFT_);
    press(KEY_LEFT_);
    assert_int_equal(a->model.snap->seq, 58);
    feed("vm", 60, 90);
    assert_int_equal(a->model.snap->seq, 58);
    press(KEY_RIGHT_);
    assert_int_equal(a->model.snap->seq, 59);
    press('{');
    assert_int_equal(a->model.snap->seq, 29);
    press('(');
    assert_int_equal(a->model.snap->seq, 1);
    press(KEY_LEFT_);
    assert_int_equal(a->model.snap->seq, 1);
    press('}');
    assert_int_equal(a->model.snap->seq, 31);
    press(')');
    assert_int_equal(a->model.snap->seq, 90);
    assert_true(a->time.live);
    feed("vm", 90, 91);
    assert_int_equal(a->model.snap->seq, 91);
    press(KEY_LEFT_);
    press(KEY_RIGHT_);
    press(KEY_RIGHT_); /* beyond the end: back to now */
    assert_true(a->time.live);
}

TEST_WITH(seeking_by_time, set_up, tear_down)
{
    static const struct {
        const char *where;
        uint64_t seq;
    } table[] = {{"start", 1},      {"+30s", 31},    {"-10s", 21},      {"+1m", 81},
                 {"00:02:00", 120}, {"50%", 150},    {"-1000s", 1},     {"0%", 1},
                 {"100%", 300},     {"23:59:59", 1}, {"00:03:20", 200}, {"+1500ms", 201},
                 {"end", 300}};
    feed("vm", 0, 300);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        seek(table[i].where);
        if (a->model.snap->seq != table[i].seq)
            fail_msg("%s: %lu", table[i].where, (unsigned long)a->model.snap->seq);
    }
    static const char *const bad[] = {"",     "soon", "-",       "12", "25:00", "12:61",
                                      "101%", "-5x",  "1:2:3:4", "%",  "nan",   "+inf"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        if (app_seek(a, bad[i], &err) == 0)
            fail_msg("'%s' was taken", bad[i]);
        assert_non_null(strstr(err.help, "12:03:10"));
    }
}

TEST_WITH(clicks_choose_a_moment, set_up, tear_down)
{
    feed("vm", 0, 100);
    free(text());
    int found = 0;
    for (int i = 0; i < a->nzones; i++) {
        struct zone z = a->zones[i];
        if (z.action != ACTION_TIME_GRAPH || found++)
            continue;
        app_key(a, &(struct key_event){.key = KEY_MOUSE_,
                                       .button = MOUSE_LEFT,
                                       .x = z.r.x + z.r.w - 1 - 10,
                                       .y = z.r.y + 1});
        assert_int_equal(a->model.snap->seq, 80); /* two samples in each cell */
    }
    assert_true(found > 0);
    free(text());
    for (int i = 0; i < a->nzones; i++) {
        struct zone z = a->zones[i];
        if (z.action != ACTION_TIME_SCRUB)
            continue;
        app_key(a, &(struct key_event){
                       .key = KEY_MOUSE_, .button = MOUSE_LEFT, .x = z.r.x, .y = z.r.y});
        assert_int_equal(a->model.snap->seq, 1);
        app_key(a,
                &(struct key_event){
                    .key = KEY_MOUSE_, .button = MOUSE_LEFT, .x = z.r.x + z.r.w / 2, .y = z.r.y});
        assert_in_range(a->model.snap->seq, 48, 54);
        return;
    }
    fail_msg("there is no time line to click");
}

TEST_WITH(playing_takes_its_time, set_up, tear_down)
{
    struct recording *r = ring_new(RING_BYTES);
    for (int t = 0; t < 20; t++) {
        struct snapshot *s = moment("vm", t);
        ring_push(r, s);
        snapshot_unref(s);
    }
    app_play(a, r);
    assert_int_equal(a->model.snap->seq, 1);
    assert_int_equal(app_due_ms(a), 1000);
    assert_int_equal(app_elapsed(a, 0.6), 0);
    assert_int_equal(app_due_ms(a), 400);
    assert_int_equal(app_elapsed(a, 0.5), APP_REDRAW);
    assert_int_equal(a->model.snap->seq, 2);
    press('+'); /* plays twice as fast */
    assert_int_equal(app_due_ms(a), 450);
    app_elapsed(a, 2);
    assert_int_equal(a->model.snap->seq, 6);
    press('p');
    assert_int_equal(app_due_ms(a), -1);
    app_elapsed(a, 100);
    assert_int_equal(a->model.snap->seq, 6);
    press(' ');
    app_elapsed(a, 100); /* it stops at the end */
    assert_int_equal(a->model.snap->seq, 20);
    assert_int_equal(app_due_ms(a), -1);
    char *picture = text();
    assert_non_null(strstr(picture, "PAUSED"));
    free(picture);
    press('p'); /* once more */
    assert_int_equal(a->model.snap->seq, 1);
}

/* A session that is played headless prints what headless printed while it was recorded. */
TEST_WITH(a_session_is_what_was_lived, set_up, tear_down)
{
    char path[] = "/tmp/rooftop-time-XXXXXX", *lived[120];
    struct error err = ERROR_INIT;
    struct session_writer *w;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(session_create(&w, &(struct session_config){.path = path}, &err), 0);
    for (int t = 0; t < 120; t++) {
        struct snapshot *s = moment("zen4", t);
        assert_int_equal(session_write(w, s, &err), 0);
        snapshot_unref(s);
        feed("zen4", t, t + 1);
        lived[t] = text();
    }
    assert_int_equal(session_close(w, &err), 0);
    tear_down(NULL);
    set_up(NULL);
    struct recording *r;
    assert_int_equal(session_open(&r, path, &err), 0);
    for (size_t t = 0; t < 120; t++) {
        const struct snapshot *s = recording_frame(r, t, &err);
        app_update(a, s);
        snapshot_unref(s);
        char *again = text();
        assert_string_equal(again, lived[t]);
        free(again);
        free(lived[t]);
    }
    recording_free(r);
    unlink(path);
}

/* At its end nothing lies behind the shown moment: "-0.0 s" is no time. */
TEST(the_end_of_a_session_is_not_minus_zero)
{
    struct stage s;
    subject_stage_open(&s, "session", 120, 30);
    stage_key(&s, ')');
    assert_false(stage_sees(&s, "-0.0 s"));
    assert_true(stage_sees(&s, "  0.0 s  8/8"));
    stage_key(&s, '(');
    assert_true(stage_sees(&s, "s  1/8"));
    assert_false(stage_sees(&s, "  0.0 s"));
    subject_stage_close(&s);
}

TEST_WITH(nothing_to_go_back_to, set_up, tear_down)
{
    static const uint32_t keys[] = {'p', ' ', KEY_LEFT_, KEY_RIGHT_, '(', ')', '{', '}'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        press(keys[i]);
    char *picture = text();
    assert_null(strstr(picture, "PAUSED"));
    free(picture);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
