/* Draws only: not for TSan. */
/* The list of users, of which one is shown alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes.h"
#include "support/test.h"
#include "tui/app/app_state.h"
#include "tui/canvas/render.h"

static struct app *a;
static struct canvas c;
static char *screen;

static void look(void)
{
    static size_t n;
    free(screen);
    FILE *f = open_memstream(&screen, &n);
    app_draw(a, &c);
    render_text(f, &c);
    fclose(f);
}

static void key(uint32_t k)
{
    app_key(a, &(struct key_event){.key = k});
    look();
}

static void start(const char *name)
{
    a = app_new(1, false, "rooftop-light");
    canvas_init(&c);
    canvas_resize(&c, 100, 40);
    struct snapshot *s = scene(name, 2);
    app_update(a, s);
    snapshot_unref(s);
    look();
}

FIXTURE(set_up)
{
    start("vm");
}

FIXTURE(tear_down)
{
    app_free(a);
    canvas_free(&c);
    free(screen);
    screen = NULL;
}

static const char *filter(void)
{
    return a->state[a->view].filter;
}

static void expect(const char *text)
{
    if (!strstr(screen, text))
        fail_msg("no '%s' in:\n%s", text, screen);
}

/* Processes of the snapshot that the list can show; user NULL: of all users. */
static size_t count_processes(const char *user)
{
    const struct snapshot *s = a->model.snap;
    size_t n = 0;
    for (size_t i = 0; i < s->nprocs; i++)
        n += !s->procs[i].kernel_thread && (!user || strcmp(s->procs[i].user, user) == 0);
    return n;
}

TEST_WITH(a_letter_and_enter_choose, set_up, tear_down)
{
    char matched[64];
    key('u');
    expect("processes of");
    expect("all users");
    expect("root");
    expect("someone");
    key('r');
    expect("processes of: r");
    assert_null(strstr(screen, "all users"));
    key(KEY_ENTER_);
    assert_null(a->overlay);
    assert_string_equal(filter(), "user=\"root\"");
    snprintf(matched, sizeof matched, "%zu of %zu match", count_processes("root"),
             count_processes(NULL));
    expect(matched);
}

TEST_WITH(all_users_take_the_filter_away, set_up, tear_down)
{
    key('u');
    key('s');
    key(KEY_ENTER_);
    assert_string_equal(filter(), "user=\"someone\"");
    key('u');
    key(KEY_HOME_);
    key(KEY_ENTER_);
    assert_string_equal(filter(), "");
    assert_null(strstr(screen, "match"));
}

/* Enter alone takes the user of the selected process. */
TEST_WITH(the_cursor_begins_at_the_selected_process, set_up, tear_down)
{
    for (int i = 0; i < 6; i++) {
        key(KEY_DOWN_);
        char pid[VIEW_TEXT_MAX], expected[128];
        const struct snapshot *s = a->model.snap;
        snprintf(pid, sizeof pid, "%s", a->state[a->view].selected_key);
        for (size_t k = 0; k < s->nprocs; k++)
            if (s->procs[k].pid == atoi(pid))
                snprintf(expected, sizeof expected, "user=\"%s\"", s->procs[k].user);
        key('u');
        key(KEY_ENTER_);
        assert_string_equal(filter(), expected);
        key(KEY_ESCAPE);
    }
}

TEST_WITH(what_is_typed_wrongly_chooses_nothing, set_up, tear_down)
{
    key('u');
    key('r');
    key('z');
    expect("no user with processes begins so");
    key(KEY_ENTER_);
    assert_string_equal(filter(), "");
    assert_non_null(a->overlay);
    key(KEY_BACKSPACE_);
    key(KEY_ENTER_);
    assert_string_equal(filter(), "user=\"root\"");
    key('u');
    key('q');
    assert_null(a->overlay);
    key('u');
    key(KEY_ESCAPE);
    assert_null(a->overlay);
    assert_string_equal(filter(), "user=\"root\"");
}

/* Keys may come before the first sample; a signal is not for whatever comes first then. */
TEST_WITH(keys_may_be_faster_than_the_first_sample, set_up, tear_down)
{
    app_free(a);
    a = app_new(1, false, "rooftop-light");
    look();
    key('u');
    key('r');
    expect("no user with processes begins so");
    struct snapshot *s = scene("vm", 2);
    app_update(a, s);
    look();
    expect("processes of: r");
    expect("root");
    key(KEY_ENTER_);
    assert_string_equal(filter(), "user=\"root\"");
    app_free(a);
    a = app_new(1, false, "rooftop-light");
    look();
    key(KEY_F9);
    app_update(a, s);
    snapshot_unref(s);
    look();
    expect("no process is under the cursor");
    key('y');
    assert_null(a->overlay);
}

static void use_scene(const char *name)
{
    tear_down(NULL);
    start(name);
}

TEST_WITH(every_scene_and_size, set_up, tear_down)
{
    for (size_t i = 0; scene_names[i]; i++) {
        use_scene(scene_names[i]);
        for (int rows = 8; rows < 40; rows += 9) {
            canvas_resize(&c, 3 * rows, rows);
            look();
            key('u');
            key(KEY_PGDN);
            key(KEY_END_);
            key(KEY_UP_);
            key('x');
            key(KEY_ESCAPE);
        }
    }
}

TEST_MAIN(NULL, NULL)
