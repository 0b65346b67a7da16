/* Draws only: not for TSan. */
/*
 * Every screen of every machine on a terminal without colours, compared with
 * tests/data/golden/mono (UPDATE_GOLDEN=1 rewrites them). Nothing may depend on colour alone:
 * everything that has a meaning has an attribute, a glyph or a word of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "support/golden.h"
#include "support/kept_profiles.h"
#include "support/replay_scene.h"
#include "support/scenes.h"
#include "tui/app/app_state.h"
#include "tui/canvas/render.h"
#include "tui/canvas/theme.h"
#include "support/test.h"

enum { COLS = 100, ROWS = 30 };
static struct theme *theme;

/* The name of each picture, and the keys that lead to it. */
static const struct {
    const char *name, *keys;
} screens[] = {{"overview", ""}, {"counters", "2"}, {"functions", "f"}, {"output", "o"},
               {"help", "?"},    {"explain", "i"},  {"menu", "\r"},     {"palette", ":"},
               {"themes", "t"},  {"boxes", "b"},    {"cost", "D"},      {"past", ",,"},
               {"tree", "3"},    {"path", "4"},     {"roofline", "5"}};
enum { SCREENS = sizeof screens / sizeof *screens };

static struct app *lived(const char *name)
{
    struct app *a = app_new(1, false, "rooftop-dark");
    for (int t = 0; t < 12; t++) {
        struct snapshot *s = scene(name, t);
        s->stacks = profiles_random(s, (unsigned)t);
        app_update(a, s);
        snapshot_unref(s);
    }
    return a;
}

static void go(struct app *a, struct canvas *c, const char *keys)
{
    for (; *keys; keys++) {
        app_key(a, &(struct key_event){.key = (unsigned char)*keys});
        app_draw(a, c);
    }
}

/* Whether the role has a meaning. */
static bool means(enum style_role r)
{
    return r == STYLE_OK || r == STYLE_WARN || r == STYLE_CRIT || r == STYLE_SELECTED ||
           r == STYLE_BANNER || r == STYLE_DIFF_UP || r == STYLE_DIFF_DOWN ||
           r == STYLE_TIME_CURSOR;
}

static bool attribute(struct style st)
{
    struct look l = theme_look(theme, st, DEPTH_NONE);
    return l.bold || l.reverse || l.underline;
}

static void check(const struct canvas *c, const char *scene_name, const char *screen)
{
    for (int i = 0; i < c->cols * c->rows; i++) {
        const struct cell *k = &c->cells[i];
        bool blank = k->ch == ' ' || k->ch == 0xa0;
        enum style_role r = (enum style_role)k->style.role;
        /* a blank in a role with a background shows only a colour */
        if (means(r) && style_table[r].background && blank && !attribute(k->style))
            fail_msg("%s, %s, column %d row %d: role '%c' is told by colour alone", scene_name,
                     screen, i % c->cols, i / c->cols, style_table[r].letter);
    }
}

TEST(nothing_is_told_by_colour_alone)
{
    for (size_t k = 0; scene_names[k]; k++)
        for (size_t i = 0; i < SCREENS; i++) {
            struct app *a = lived(scene_names[k]);
            struct canvas c;
            canvas_init(&c);
            canvas_resize(&c, COLS, ROWS);
            app_draw(a, &c);
            go(a, &c, screens[i].keys);
            check(&c, scene_names[k], screens[i].name);
            app_free(a);
            canvas_free(&c);
        }
    static const enum style_role marked[] = {STYLE_SELECTED, STYLE_BANNER, STYLE_TIME_CURSOR,
                                             STYLE_WARN,     STYLE_CRIT,   STYLE_DIFF_UP,
                                             STYLE_DIFF_DOWN};
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        assert_true(attribute(STYLE(marked[i])));
}

/* The pictures of a scene, each after a line with its name. */
struct pictures {
    FILE *f;
    char *text;
    size_t size;
};

static void pictures_add(struct pictures *p, const char *name, const struct canvas *c)
{
    if (!p->f)
        p->f = open_memstream(&p->text, &p->size);
    fprintf(p->f, "--- %s\n", name);
    render_ansi(p->f, c, theme, DEPTH_NONE);
}

static void pictures_are(struct pictures *p, const char *scene)
{
    char path[128];
    fclose(p->f);
    assert_null(strstr(p->text, "\033[3")); /* no colour sequence */
    assert_null(strstr(p->text, "\033[4;3"));
    snprintf(path, sizeof path, "tests/data/golden/mono/%s.ansi", scene);
    golden_is(path, p->text);
    free(p->text);
}

TEST(pictures_without_colour)
{
    static const char *const names[] = {"zen4", "command"};
    setenv("TZ", "UTC", 1);
    setenv("HOME", "/nonexistent", 1);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct pictures p = {0};
        for (size_t i = 0; i < SCREENS; i++) {
            /* pictures that depend on this process or this machine, and those without a screen of
             * their own */
            if (strcmp(screens[i].name, "cost") == 0 || strcmp(screens[i].name, "themes") == 0 ||
                (k == 0 && strcmp(screens[i].name, "output") == 0))
                continue;
            struct app *a = lived(names[k]);
            struct canvas c;
            canvas_init(&c);
            canvas_resize(&c, COLS, ROWS);
            app_draw(a, &c);
            go(a, &c, screens[i].keys);
            pictures_add(&p, screens[i].name, &c);
            app_free(a);
            canvas_free(&c);
        }
        pictures_are(&p, names[k]);
    }
}

static uint64_t five_seconds(void *ctx)
{
    (void)ctx;
    return 5000000000u;
}

TEST(the_replay_menu_without_colour)
{
    static const char *const scenes[] = {"captures", "running",  "different",
                                         "fault",    "variants", "emulated"};
    struct pictures p = {0};
    env_set_clock(five_seconds, NULL);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct app *a = lived("vm");
        struct canvas c;
        canvas_init(&c);
        canvas_resize(&c, COLS, ROWS);
        replay_scene_set(a, scenes[i]);
        app_draw(a, &c);
        go(a, &c, "0");
        check(&c, scenes[i], "replay");
        pictures_add(&p, scenes[i], &c);
        app_free(a);
        canvas_free(&c);
    }
    pictures_are(&p, "replay");
    env_set_clock(NULL, NULL);
}

int main(void)
{
    struct error err = ERROR_INIT;
    if (theme_load(&theme, "rooftop-dark", &err) != 0)
        return 1;
    int rc = tests_run(NULL, NULL);
    theme_free(theme);
    snapshot_pool_drain();
    return golden_end(rc);
}
