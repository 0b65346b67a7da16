/* Draws only: not for TSan. */
/* Which rows the list shows, in which order, and whether it can be read without colour. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes.h"
#include "tui/app/app.h"
#include "tui/app/app_state.h"
#include "tui/canvas/render.h"
#include "support/test.h"

static struct app *a;
static struct canvas c;
static char *screen;

static const char *look(void)
{
    size_t len = 0;
    free(screen);
    app_draw(a, &c);
    FILE *f = open_memstream(&screen, &len);
    render_text(f, &c);
    render_styles(f, &c); /* shows where the cursor is */
    fclose(f);
    return screen;
}

static void feed(struct snapshot *s)
{
    app_update(a, s);
    snapshot_unref(s);
}

FIXTURE(setup)
{
    a = app_new(1, false, "rooftop-dark");
    canvas_init(&c);
    canvas_resize(&c, 200, 130);
    feed(scene("vm", 0));
    feed(scene("vm", 1));
    look();
}

FIXTURE(teardown)
{
    app_free(a);
    canvas_free(&c);
    free(screen);
    screen = NULL;
    snapshot_pool_drain();
}

static unsigned key(uint32_t k)
{
    unsigned asked = app_key(a, &(struct key_event){.key = k});
    look();
    return asked;
}

static const struct proc *proc_of_row(int row)
{
    const struct rect l = a->state[view_named("overview")].list;
    char text[8] = "";
    for (int i = 0; i < 7; i++) /* the mark, a blank, then 7 cells with the PID */
        text[i] = (char)c.cells[(l.y + row) * c.cols + l.x + 2 + i].ch;
    for (size_t i = 0; i < a->model.snap->nprocs; i++)
        if (a->model.snap->procs[i].pid == atoi(text))
            return &a->model.snap->procs[i];
    fail_msg("row %d has no process: '%s'", row, text);
    return NULL;
}

enum { CTRL_K = 11 };

static double by_cpu(const struct proc *p, const struct proc *q)
{
    return q->cpu_percent.v - p->cpu_percent.v;
}

static double by_memory(const struct proc *p, const struct proc *q)
{
    return (double)q->rss - (double)p->rss;
}

static double by_time(const struct proc *p, const struct proc *q)
{
    return q->cpu_seconds - p->cpu_seconds;
}

static double by_threads(const struct proc *p, const struct proc *q)
{
    return q->threads - p->threads;
}

static double by_pid(const struct proc *p, const struct proc *q)
{
    return p->pid - q->pid;
}

static double by_user(const struct proc *p, const struct proc *q)
{
    return strcmp(p->user, q->user);
}

static double by_command(const struct proc *p, const struct proc *q)
{
    return strcmp(p->cmdline, q->cmdline);
}

TEST_WITH(kernel_threads_are_hidden_until_asked_for, setup, teardown)
{
    assert_int_equal(a->state[view_named("overview")].rows, 27); /* 13 of 40 are kernel threads */
    key(CTRL_K);
    assert_int_equal(a->state[view_named("overview")].rows, 40);
    key(CTRL_K);
    assert_int_equal(a->state[view_named("overview")].rows, 27);
    /* a filter that names kernel threads shows them */
    assert_int_equal(app_set_filter(a, "kernel=1", NULL), 0);
    look();
    assert_int_equal(a->state[view_named("overview")].rows, 13);
    assert_true(proc_of_row(0)->kernel_thread);
}

/* In that scene all processes are children of process 1. */
TEST_WITH(tree_folds_where_the_cursor_is, setup, teardown)
{
    key(KEY_F5);
    assert_int_equal(a->state[view_named("overview")].rows, 27);
    assert_int_equal(proc_of_row(0)->pid, 1);
    key('g');
    key(' ');
    assert_int_equal(a->state[view_named("overview")].rows, 1);
    assert_true(a->time.live); /* the key Space has not paused */
    key('+');
    assert_int_equal(a->state[view_named("overview")].rows, 27);
    key('-');
    assert_int_equal(a->state[view_named("overview")].rows, 1);
    key(KEY_F5); /* the flat list again: all processes, and + changes the interval */
    assert_int_equal(a->state[view_named("overview")].rows, 27);
    assert_true(key('+') & APP_INTERVAL);
    key(KEY_F5);
    assert_int_equal(a->state[view_named("overview")].rows,
                     1); /* the folded process is still folded */
}

TEST_WITH(rows_stand_in_the_order_the_title_says, setup, teardown)
{
    static double (*const order[])(const struct proc *, const struct proc *) = {
        by_cpu, by_memory, by_time, by_threads, by_pid, by_user, by_command};
    key(CTRL_K);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            assert_int_equal(a->state[view_named("overview")].rows, 40);
            for (int row = 1; row < 40; row++)
                assert_true(sign * order[i](proc_of_row(row - 1), proc_of_row(row)) <= 0);
            key('r');
        }
        key('s');
    }
}

/* Esc closes the innermost thing, and never quits. */
TEST_WITH(escape_closes_one_thing_at_a_time, setup, teardown)
{
    key('\\');
    app_key(a, &(struct key_event){.key = 'g'});
    key(KEY_ENTER_);
    key('/');
    app_key(a, &(struct key_event){.key = 'm'});
    key(KEY_ENTER_);
    key('i');
    struct view_state *st = &a->state[view_named("overview")];
    assert_ptr_equal(a->overlay, &overlay_explain);
    key(KEY_ESCAPE);
    assert_null(a->overlay);
    assert_string_equal(st->search, "m");
    key(KEY_ESCAPE);
    assert_string_equal(st->search, "");
    assert_string_equal(st->filter, "g");
    key(KEY_ESCAPE);
    assert_string_equal(st->filter, "");
    assert_int_equal(key(KEY_ESCAPE) & APP_QUIT, 0);
}

TEST_WITH(every_footer_label_can_be_clicked, setup, teardown)
{
    for (int i = 0; i < a->nzones; i++)
        for (int k = 0; k < i; k++)
            assert_true(a->zones[i].r.y != a->zones[k].r.y ||
                        a->zones[i].r.x >= a->zones[k].r.x + a->zones[k].r.w);
    struct zone z = {0};
    for (int i = 0; i < a->nzones; i++)
        if (a->zones[i].action == ACTION_HELP)
            z = a->zones[i];
    assert_int_equal(z.action, ACTION_HELP);
    assert_int_equal(z.r.y, c.rows - 1);
    assert_int_equal(c.cells[z.r.y * c.cols + z.r.x].ch, '?');
    app_key(a, &(struct key_event){
                   .key = KEY_MOUSE_, .x = z.r.x + z.r.w - 1, .y = z.r.y, .button = MOUSE_LEFT});
    assert_non_null(strstr(look(), "─ help ─"));
}

/* Absurd values are limited before they become cells, colours and integers. */
TEST_WITH(absurd_values_do_no_harm, setup, teardown)
{
    static const char *const never[] = {"nan", "inf ", "-inf", "2147483648", "9223372036854775808"};
    const double bad[] = {1e300, -1e300, -1};
    for (size_t b = 0; b < 3; b++) {
        struct snapshot *s = scene("zen4", 2 + (int)b);
        struct value v = {.v = bad[b], .running = 1, .validity = VALUE_OK};
        s->total.busy.v = s->memory.used.v = bad[b];
        for (int i = 0; i < s->host->ncpus; i++)
            s->cpus[i].busy.v = bad[b];
        for (size_t i = 0; i < s->nprocs; i++)
            s->procs[i].cpu_percent = v;
        for (size_t i = 0; i < s->nmetrics; i++)
            s->metrics[i].value.v = bad[b], s->metrics[i].value.validity = VALUE_OK;
        for (size_t i = 0; i < s->ncounters; i++)
            s->counters[i].rate.v = s->counters[i].delta.v = bad[b];
        feed(s);
        for (const char *k = "12i1i"; *k; k++) {
            key((uint32_t)*k);
            for (size_t i = 0; i < sizeof never / sizeof *never; i++)
                if (strstr(screen, never[i]))
                    fail_msg("'%s' in view %c:\n%s", never[i], *k, screen);
        }
    }
}

/* one of the three load averages is missing */
TEST_WITH(a_missing_load_is_no_zero, setup, teardown)
{
    struct snapshot *s = scene("vm", 2);
    s->load5 = value_missing("not there", UNIT_NONE);
    s->load15 = value_missing("not there", UNIT_NONE);
    feed(s);
    look();
    assert_null(strstr(screen, "3.21 0.00"));
}

/* No label of an axis is cut if there is room for it. */
TEST_WITH(axis_and_top_down_labels_are_whole, setup, teardown)
{
    static const int widths[] = {120, 160, 200};
    feed(scene("zen4", 2));
    feed(scene("zen4", 3));
    for (size_t i = 0; i < 3; i++) {
        canvas_resize(&c, widths[i], 50);
        look();
        assert_null(strstr(screen, "GF…"));
        assert_non_null(strstr(screen, "T SMT contention 3."));
    }
}

static char letter(int x, int y)
{
    return style_table[c.cells[y * c.cols + x].style.role].letter;
}

/* Without colour, states are shown by words, signs and attributes. */
TEST_WITH(state_is_told_without_colour, setup, teardown)
{
    struct theme *t;
    struct error err = ERROR_INIT;
    assert_int_equal(theme_load(&t, "rooftop-dark", &err), 0);
    assert_true(theme_look(t, STYLE(STYLE_SELECTED), DEPTH_NONE).reverse);
    theme_free(t);
    key('j');
    const struct view_state *st = &a->state[view_named("overview")];
    for (int row = 0; row < st->rows; row++)
        assert_int_equal(letter(st->list.x + 3, st->list.y + row) ==
                             style_table[STYLE_SELECTED].letter,
                         row == st->selected);
    assert_non_null(strstr(screen, "CPU %▾"));
    key('p');
    assert_non_null(strstr(screen, "PAUSED"));
    key('p');
    feed(scene("zen4", 3));
    assert_non_null(strstr(look(), "◀ backend bound"));
}
