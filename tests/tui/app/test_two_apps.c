/* Draws only: not for TSan. */
/* Two apps in one process: what one shows does not touch the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/compare.h"
#include "support/att_scene.h"
#include "support/compared_scene.h"
#include "support/gpu_scene.h"
#include "support/profile_scene.h"
#include "support/replay_scene.h"
#include "support/stage.h"
#include "tui/canvas/render.h"
#include "support/test.h"

static struct stage one, other;

FIXTURE(teardown)
{
    stage_close(&one);
    stage_close(&other);
}

/* What the line above "takes …" names. */
static void expect_selected(struct stage *s, const char *name)
{
    int x, y;
    if (!stage_find(s, "takes  ", &x, &y) || !strstr(stage_row(s, y - 1), name))
        fail_msg("%s is not selected in\n%s", name, s->screen);
}

static void open_both(const char *view)
{
    stage_open(&one, "bricks", 120, 40, 4);
    stage_open(&other, "bricks", 120, 40, 4);
    stage_view(&one, view);
    stage_view(&other, view);
}

/* From pass to pass the cursor stays on the like of its own span, not of the other app's. */
TEST_WITH(each_timeline_follows_its_own_span, NULL, teardown)
{
    open_both("timeline");
    stage_command(&one, "search gemv_down");
    stage_command(&other, "search DownProjection");
    for (int t = 4; t < 8; t++) {
        stage_feed(&one, "bricks", t);
        stage_feed(&other, "bricks", t);
        stage_look(&one);
        expect_selected(&one, "gemv_down");
        stage_look(&other);
        expect_selected(&other, "DownProjection");
    }
}

/* --- every view --- */

static struct compared_scene compared;

FIXTURE(begin)
{
    compared_scene_open(&compared);
}

FIXTURE(end)
{
    compared_scene_close(&compared);
}

/* What is opened, and what is done in one app and in the other: keys with blanks between them. Then
 * both get the keys of `both`, by turns. */
static const struct {
    const char *scene, *one, *other, *both;
} cases[] = {
    {"vm", "1 F5 Down x Down", "1 s s Down Down Down x", "Down Space Up x"},
    {"bricks", "1 F5", "1 s", "Down Down"},
    {"zen4", "2 / c y c Enter n", "2 s Down Down", "n Down"},
    {"bricks", "3 / g e m v Enter n", "3 s / D o w n Enter", "n n Space Down"},
    {"bricks", "3 m Down Down", "3 m / R m s Enter", "n Down"},
    {"bricks", "3 m m m Down Right", "3 m m m Down Down / D o w n Enter", "n Down Right"},
    {"bricks", "4 Down Down s", "4 m Down", "Down + Down"},
    {"bricks", "5 Down Down", "5 s s m Down", "Down + d Down"},
    {"roof", "5 l Down", "5 l l s m Down Down", "Down d + Down"},
    {"captures", "0 Down", "0 s s Down Down", "Down ] Up"},
    {"captures", "0 m t Down", "0 Down m t t t PgDn", "Down Right t"},
    {"captures", "0 R", "0 Down c", "Tab Tab"},
    {"trace", "6 Down Down s", "6 m Down + +", "Down + Down"},
    {"bricks", "4 4 / g e m v Enter", "4 4 Space Down +", "n + Right Down"},
    {"profile", "4 4 + + Right", "4 4 Down Down Space", "c + Down"},
    {"gpus", "0 m Down", "0 s Down", "Down m Down"},
    {"hot", "f s Down Down", "f m Down", "Down m Down"},
    {"hot", "f m m Down Right", "f m m Down Down Enter", "Right Down"},
    {"hot", "f m - Down", "f m Down Down +", "Down - Down"},
    {"profile", "K s Down Down", "K m Down", "Down d Down d"},
    {"profile", "K m Down", "K s s s Down Down", "Down i Esc Down"},
    {"command", "o / p a s s Enter", "o / w a r m Enter", "n Up"},
    {"compare", "C Down Down Down Right", "C s Down + Right", "Down Right - Down"},
    {"vm", "t Down Down", "t l i", "Down"},
};

static void open_case(struct stage *s, const char *scene)
{
    bool own = strcmp(scene, "captures") != 0 && strcmp(scene, "trace") != 0 &&
               strcmp(scene, "profile") != 0 && strcmp(scene, "roof") != 0 &&
               strcmp(scene, "compare") != 0;
    stage_open(s, own ? scene : "vm", 160, 48, 4);
    if (strcmp(scene, "captures") == 0)
        replay_scene_set(s->a, "captures");
    if (strcmp(scene, "trace") == 0)
        app_set_att(s->a, att_scene());
    if (strcmp(scene, "profile") == 0)
        app_set_profile(s->a, profile_scene());
    if (strcmp(scene, "roof") == 0)
        app_set_profile(s->a, gpu_scene());
    if (strcmp(scene, "compare") == 0)
        app_compare(s->a, &compared.shown);
    stage_look(s);
}

/* Presses the next of the keys; what follows it. */
static const char *press(struct stage *s, const char *keys)
{
    char word[16];
    size_t n = strcspn(keys, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, keys);
    stage_key(s, key_parse(word));
    return keys + n + strspn(keys + n, " ");
}

/* Its text, and below it the styles: where the cursor is. */
static char *picture(struct stage *s)
{
    char *text = NULL;
    size_t size = 0;
    stage_look(s);
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(render_text(f, &s->c), 0);
    assert_int_equal(render_styles(f, &s->c), 0);
    fclose(f);
    return text;
}

/* Frees what it got. */
static void expect_as_alone(size_t i, const char *keys, char *alone, char *beside)
{
    if (strcmp(alone, beside) != 0)
        fail_msg("case %zu: '%s' alone\n%s\nbeside another app\n%s", i, keys, alone, beside);
    free(alone);
    free(beside);
}

static char *picture_alone(const char *scene, const char *keys, const char *then)
{
    struct stage s;
    open_case(&s, scene);
    while (*keys)
        keys = press(&s, keys);
    while (*then)
        then = press(&s, then);
    char *alone = picture(&s);
    stage_close(&s);
    return alone;
}

/* Each app shows what it shows alone, whatever was done and drawn in the other between its keys. */
TEST(each_view_shows_what_it_shows_alone)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *a = cases[i].one, *b = cases[i].other, *both = cases[i].both;
        char *alone = picture_alone(cases[i].scene, a, both);
        char *other_alone = picture_alone(cases[i].scene, b, both);
        if (strcmp(alone, other_alone) == 0)
            fail_msg("case %zu: '%s' and '%s' show the same\n%s", i, a, b, alone);
        open_case(&one, cases[i].scene);
        open_case(&other, cases[i].scene);
        while (*a || *b) {
            a = *a ? press(&one, a) : a;
            b = *b ? press(&other, b) : b;
        }
        while (*both) {
            press(&one, both);
            both = press(&other, both);
        }
        char *beside = picture(&one);
        expect_as_alone(i, cases[i].other, other_alone, picture(&other));
        expect_as_alone(i, cases[i].one, alone, beside);
        stage_close(&one);
        stage_close(&other);
    }
}

TEST_MAIN(begin, end)
