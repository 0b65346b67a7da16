/* Draws only: not for TSan. */
/*
 * Every built-in theme can be read and distinguishes what must be distinguished; themes that claim
 * so, also for people who see fewer colours, and on terminals with fewer colours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/canvas/theme.h"
#include "support/test.h"

/* --- colour science --- */

struct color {
    double r, g, b; /* linear, 0..1 */
};

/* IEC 61966-2-1 (sRGB). */
static double linear(int channel)
{
    double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct color of(int32_t rgb)
{
    return (struct color){linear(rgb >> 16 & 0xff), linear(rgb >> 8 & 0xff), linear(rgb & 0xff)};
}

/* WCAG 2.2, definitions of relative luminance and contrast ratio. */
static double luminance(struct color c)
{
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static double contrast(int32_t a, int32_t b)
{
    double x = luminance(of(a)) + 0.05, y = luminance(of(b)) + 0.05;
    return x > y ? x / y : y / x;
}

enum sight { NORMAL, PROTANOPIA, DEUTERANOPIA, TRITANOPIA, SIGHTS };
static const char *const sight_names[] = {"normal sight", "protanopia", "deuteranopia",
                                          "tritanopia"};

/* G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, IEEE TVCG 15(6), 2009: severity 1.0. */
static const double seen[SIGHTS][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};

static double clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static struct color as_seen(struct color c, enum sight s)
{
    const double(*m)[3] = seen[s];
    return (struct color){clamp(m[0][0] * c.r + m[0][1] * c.g + m[0][2] * c.b),
                          clamp(m[1][0] * c.r + m[1][1] * c.g + m[1][2] * c.b),
                          clamp(m[2][0] * c.r + m[2][1] * c.g + m[2][2] * c.b)};
}

struct lab {
    double l, a, b;
};

static double lab_f(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE 1976 L*a*b* under D65. */
static struct lab lab(struct color c)
{
    double x = 0.4124564 * c.r + 0.3575761 * c.g + 0.1804375 * c.b;
    double y = 0.2126729 * c.r + 0.7151522 * c.g + 0.0721750 * c.b;
    double z = 0.0193339 * c.r + 0.1191920 * c.g + 0.9503041 * c.b;
    double fx = lab_f(x / 0.95047), fy = lab_f(y), fz = lab_f(z / 1.08883);
    return (struct lab){116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)};
}

static double hue_angle(double b, double a)
{
    double h = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / M_PI;
    return h < 0 ? h + 360 : h;
}

static double rad(double degrees)
{
    return degrees * M_PI / 180;
}

/* CIEDE2000 as in G. Sharma, W. Wu, E. N. Dalal, Color Research and Application 30(1), 2005. */
static double delta_e(struct lab p, struct lab q)
{
    double c_mean = (hypot(p.a, p.b) + hypot(q.a, q.b)) / 2, c7 = pow(c_mean, 7);
    double g = 0.5 * (1 - sqrt(c7 / (c7 + pow(25, 7))));
    double a1 = (1 + g) * p.a, a2 = (1 + g) * q.a, c1 = hypot(a1, p.b), c2 = hypot(a2, q.b);
    double h1 = hue_angle(p.b, a1), h2 = hue_angle(q.b, a2), dh = h2 - h1, h = (h1 + h2) / 2;
    if (c1 * c2 == 0) {
        dh = 0;
        h = h1 + h2;
    } else if (fabs(dh) > 180) {
        dh += dh > 0 ? -360 : 360;
        h += h1 + h2 < 360 ? 180 : -180;
    }
    double dl = q.l - p.l, dc = c2 - c1, dH = 2 * sqrt(c1 * c2) * sin(rad(dh / 2));
    double l = (p.l + q.l) / 2, c = (c1 + c2) / 2, cc7 = pow(c, 7);
    double t = 1 - 0.17 * cos(rad(h - 30)) + 0.24 * cos(rad(2 * h)) + 0.32 * cos(rad(3 * h + 6)) -
               0.20 * cos(rad(4 * h - 63));
    double rt = -sin(rad(60 * exp(-pow((h - 275) / 25, 2)))) * 2 * sqrt(cc7 / (cc7 + pow(25, 7)));
    double sl = 1 + 0.015 * pow(l - 50, 2) / sqrt(20 + pow(l - 50, 2));
    double sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
    return sqrt(pow(dl / sl, 2) + pow(dc / sc, 2) + pow(dH / sh, 2) + rt * (dc / sc) * (dH / sh));
}

static double difference(int32_t a, int32_t b, enum sight s)
{
    return delta_e(lab(as_seen(of(a), s)), lab(as_seen(of(b), s)));
}

/* Pairs 1, 7, 17 and 25 of the data that come with Sharma et al. */
TEST(the_formula_is_right)
{
    static const struct {
        struct lab p, q;
        double e;
    } pairs[] = {{{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
                 {{50, 0, 0}, {50, -1, 2}, 2.3669},
                 {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
                 {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (fabs(delta_e(pairs[i].p, pairs[i].q) - pairs[i].e) > 1e-4)
            fail_msg("pair %zu: %g", i, delta_e(pairs[i].p, pairs[i].q));
    assert_true(fabs(contrast(0x000000, 0xffffff) - 21) < 1e-9);
    assert_true(fabs(contrast(0x777777, 0xffffff) - 4.48) < 0.005);
}

/* --- the themes --- */

struct subject {
    struct theme *t;
    const char *name;
    bool high, safe, light;
    int32_t bg[2]; /* the backgrounds it may be drawn on */
};

static void load(struct subject *x, const char *name)
{
    struct error err = ERROR_INIT;
    if (theme_load(&x->t, name, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    x->name = name;
    x->high = strstr(theme_about(x->t), "high contrast") != NULL;
    x->safe = strstr(theme_about(x->t), "colour-blind safe") != NULL;
    x->light = strncmp(theme_about(x->t), "light", 5) == 0;
    int32_t bg = theme_color(x->t, "main_bg");
    /* Backgrounds that terminals have: black or a dark grey; white or paper. */
    x->bg[0] = bg >= 0 ? bg : x->light ? 0xffffff : 0x000000;
    x->bg[1] = bg >= 0 ? bg : x->light ? 0xf4f4f0 : 0x1e1e1e;
}

static void for_each(void (*check)(const struct subject *x))
{
    const char *name;
    for (size_t i = 0; (name = theme_builtin(i)); i++) {
        struct subject x = {0};
        load(&x, name);
        check(&x);
        theme_free(x.t);
    }
}

static void expect_contrast(const struct subject *x, const char *key, int32_t fg, double least)
{
    for (int i = 0; i < 2; i++)
        if (contrast(fg, x->bg[i]) < least)
            fail_msg("%s: %s #%06x on #%06x: contrast %.2f, not %.1f", x->name, key, fg, x->bg[i],
                     contrast(fg, x->bg[i]), least);
}

/* WCAG 2.2: 4.5 for text (1.4.3 AA), 7 for enhanced (1.4.6 AAA), 3 for large text and what carries
 * meaning without being text (1.4.11). Outlines carry none: they only have to be seen. */
static void check_text(const struct subject *x)
{
    static const struct {
        const char *key;
        double least, high;
    } keys[] = {{"main_fg", 7, 12},          {"title", 7, 12},
                {"hi_fg", 4.5, 7},           {"rooftop_ok", 4.5, 7},
                {"rooftop_warn", 4.5, 7},    {"rooftop_crit", 4.5, 7},
                {"rooftop_diff_up", 4.5, 7}, {"rooftop_diff_down", 4.5, 7},
                {"inactive_fg", 4.5, 7},     {"graph_text", 4.5, 7},
                {"cpu_box", 1.7, 3},         {"mem_box", 1.7, 3},
                {"net_box", 1.7, 3},         {"proc_box", 1.7, 3},
                {"div_line", 1.4, 2}};
    static const char *const gradients[] = {"cpu",    "temp",     "used",   "free",
                                            "cached", "download", "upload", "process"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        expect_contrast(x, keys[i].key, theme_color(x->t, keys[i].key),
                        x->high ? keys[i].high : keys[i].least);
    for (size_t i = 0; i < sizeof gradients / sizeof *gradients; i++) {
        static const char *const parts[] = {"start", "mid", "end"};
        for (size_t k = 0; k < 3; k++) {
            char key[40];
            snprintf(key, sizeof key, "%s_%s", gradients[i], parts[k]);
            expect_contrast(x, key, theme_color(x->t, key), 3);
        }
    }
}

TEST(everything_can_be_read)
{
    for_each(check_text);
}

static void check_pairs(const struct subject *x)
{
    static const char *const pairs[][2] = {{"selected_fg", "selected_bg"},
                                           {"proc_banner_fg", "proc_banner_bg"},
                                           {"followed_fg", "followed_bg"},
                                           {"rooftop_cursor_fg", "rooftop_cursor_bg"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int32_t fg = theme_color(x->t, pairs[i][0]), bg = theme_color(x->t, pairs[i][1]);
        double least = x->high ? 7 : 4.5;
        if (contrast(fg, bg) < least)
            fail_msg("%s: %s on %s: contrast %.2f", x->name, pairs[i][0], pairs[i][1],
                     contrast(fg, bg));
    }
    /* the selected row differs from its neighbours */
    int32_t bg = theme_color(x->t, "selected_bg");
    for (int i = 0; i < 2; i++)
        if (difference(bg, x->bg[i], NORMAL) < 8)
            fail_msg("%s: the selected row is hardly seen", x->name);
}

TEST(selections_can_be_read)
{
    for_each(check_pairs);
}

static int32_t look(const struct subject *x, enum style_role role, int level)
{
    return theme_look(x->t, STYLE_LEVEL(role, level), DEPTH_TRUE).fg;
}

static void expect_apart(const struct subject *x, const int32_t *color, size_t n, double least,
                         const char *what)
{
    for (int s = NORMAL; s < (x->safe ? SIGHTS : PROTANOPIA); s++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++)
                if (difference(color[i], color[k], (enum sight)s) < least)
                    fail_msg("%s: %s %zu and %zu, #%06x #%06x with %s: delta E %.1f, not %.0f",
                             x->name, what, k, i, color[k], color[i], sight_names[s],
                             difference(color[i], color[k], (enum sight)s), least);
}

/* A delta E of 10 is seen at a glance, one of 2.3 just so (M. Mahy et al., CR&A 19, 1994). */
static void check_meaning(const struct subject *x)
{
    const int32_t states[] = {theme_color(x->t, "rooftop_ok"), theme_color(x->t, "rooftop_warn"),
                              theme_color(x->t, "rooftop_crit")};
    const int32_t topdown[] = {look(x, STYLE_GRAD_FREE, 60), look(x, STYLE_GRAD_DOWN, 70),
                               look(x, STYLE_GRAD_UP, 60), look(x, STYLE_GRAD_CPU, 85)};
    const int32_t load[] = {look(x, STYLE_GRAD_CPU, 0), look(x, STYLE_GRAD_CPU, 50),
                            look(x, STYLE_GRAD_CPU, 100)};
    const int32_t diff[] = {theme_color(x->t, "rooftop_diff_up"),
                            theme_color(x->t, "rooftop_diff_down")};
    expect_apart(x, states, 3, 12, "states ok, warn, crit");
    expect_apart(x, topdown, 4, 8, "segments of top-down");
    expect_apart(x, load, 3, 10, "load low, middle, high");
    expect_apart(x, diff, 2, 15, "differences");
}

TEST(meanings_are_told_apart)
{
    for_each(check_meaning);
}

/* What time went to: names of spans are written in these hues, so they are read as text. */
static void check_work(const struct subject *x)
{
    static const enum style_role roles[] = {STYLE_COMPUTE, STYLE_COMMUNICATION, STYLE_COPY,
                                            STYLE_HOST};
    static const enum color_depth depths[] = {DEPTH_TRUE, DEPTH_256, DEPTH_16, DEPTH_8};
    int32_t color[4];
    for (size_t i = 0; i < 4; i++) {
        color[i] = theme_look(x->t, STYLE(roles[i]), DEPTH_TRUE).fg;
        expect_contrast(x, style_table[roles[i]].key, color[i], x->high ? 7 : 4.5);
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (size_t k = 0; k < i; k++)
                if (theme_look(x->t, STYLE(roles[i]), depths[d]).fg ==
                    theme_look(x->t, STYLE(roles[k]), depths[d]).fg)
                    fail_msg("%s: kinds of work %zu and %zu look the same, depth %d", x->name, k, i,
                             (int)depths[d]);
    }
    expect_apart(x, color, 4, 8, "kinds of work");
}

TEST(what_time_went_to_is_told_apart)
{
    for_each(check_work);
}

/* Where hues are lost, lightness must show the amount: it changes in one direction. */
static void check_lightness(const struct subject *x)
{
    if (!x->safe)
        return;
    double before = lab(of(look(x, STYLE_GRAD_CPU, 0))).l;
    double way = lab(of(look(x, STYLE_GRAD_CPU, 100))).l - before;
    for (int level = 5; level <= 100; level += 5) {
        double l = lab(of(look(x, STYLE_GRAD_CPU, level))).l;
        if ((l - before) * way < 0)
            fail_msg("%s: the load's lightness turns back at %d", x->name, level);
        before = l;
    }
    assert_true(fabs(way) > 25);
}

TEST(safe_gradients_go_one_way)
{
    for_each(check_lightness);
}

/* xterm's 256 colours: a cube of 0, 95, 135 … 255, then greys. */
static int32_t of_palette(int32_t i)
{
    static const int32_t steps[] = {0, 95, 135, 175, 215, 255};
    if (i >= 232)
        return 0x010101 * (8 + 10 * (i - 232));
    i -= 16;
    return steps[i / 36] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
}

static void check_256(const struct subject *x)
{
    static const enum style_role roles[] = {STYLE_OK, STYLE_WARN, STYLE_CRIT};
    int32_t color[3];
    for (size_t i = 0; i < 3; i++) {
        color[i] = of_palette(theme_look(x->t, STYLE(roles[i]), DEPTH_256).fg);
        expect_contrast(x, "a state in 256 colours", color[i], 3);
    }
    int32_t text = of_palette(theme_look(x->t, STYLE(STYLE_TEXT), DEPTH_256).fg);
    expect_contrast(x, "text in 256 colours", text, 4.5);
    expect_contrast(x, "dim text in 256 colours",
                    of_palette(theme_look(x->t, STYLE(STYLE_DIM), DEPTH_256).fg), 3);
    expect_apart(x, color, 3, 8, "states in 256 colours");
}

TEST(fewer_colours_will_do)
{
    for_each(check_256);
    struct subject x = {0};
    load(&x, theme_builtin(0));
    static const enum style_role roles[] = {STYLE_OK, STYLE_WARN, STYLE_CRIT, STYLE_DIFF_UP,
                                            STYLE_DIFF_DOWN};
    for (int depth = DEPTH_8; depth <= DEPTH_16; depth++) {
        int32_t fg[5];
        for (size_t i = 0; i < 5; i++)
            fg[i] = theme_look(x.t, STYLE(roles[i]), (enum color_depth)depth).fg;
        assert_true(fg[0] != fg[1] && fg[1] != fg[2] && fg[0] != fg[2]);
        assert_true(fg[3] != fg[4]);
    }
    theme_free(x.t);
}

TEST(there_is_one_for_everybody)
{
    int n = 0, dark = 0, light = 0, high[2] = {0}, safe[2] = {0};
    for (const char *name; (name = theme_builtin((size_t)n)); n++) {
        struct subject x = {0};
        load(&x, name);
        dark += !x.light;
        light += x.light;
        high[x.light] += x.high;
        safe[x.light] += x.safe;
        for (const char *const *k =
                 (const char *const[]){"rooftop_ok", "rooftop_diff_up", "rooftop_cursor_bg",
                                       "rooftop_flame_mid", "followed_bg", NULL};
             *k; k++)
            assert_true(theme_color(x.t, *k) >= 0);
        theme_free(x.t);
    }
    assert_true(n >= 8 && dark >= 3 && light >= 2);
    assert_true(high[0] && high[1] && safe[0] && safe[1]);
}
