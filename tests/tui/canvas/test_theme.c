/* Draws only: not for TSan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "tui/canvas/canvas_impl.h"
#include "tui/canvas/theme.h"
#include "support/test.h"

static struct theme *parse(const char *text)
{
    struct theme *t = NULL;
    struct error err = ERROR_INIT;
    if (theme_parse(&t, text, strlen(text), "x.theme", &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return t;
}

static int32_t color(const char *text, const char *key)
{
    struct theme *t = parse(text);
    int32_t v = theme_color(t, key);
    theme_free(t);
    return v;
}

TEST(values_as_btop_reads_them)
{
    assert_int_equal(color("theme[main_fg]=\"#a1B2c3\"\n", "main_fg"), 0xa1b2c3);
    assert_int_equal(color("theme[main_fg]=\"#cc\"", "main_fg"), 0xcccccc);
    assert_int_equal(color("theme[main_fg]=\"10 20 255\"\n", "main_fg"), 0x0a14ff);
    assert_int_equal(color("theme[main_fg]= #102030\n", "main_fg"), 0x102030);
    assert_int_equal(color("theme[main_fg]=#102030\r\n", "main_fg"), 0x102030);
    assert_int_equal(color("theme[cpu_mid]=\"#010203\"\"junk\n", "cpu_mid"), 0x010203);
    assert_int_equal(color("whatever[main_fg]=\"#112233\"\n", "main_fg"), 0x112233);
    assert_int_equal(color("theme[main_fg]=\"#111111\"\ntheme[main_fg]=\"#222222\"\n", "main_fg"),
                     0x222222);
    assert_int_equal(color("# theme[main_fg]=\"#111111\"\ntheme[title]=\"#222222\"\n", "main_fg"),
                     0xcccccc); /* a missing colour: the built-in default */
    assert_int_equal(color("theme[unknown]=\"#111111\"\ntheme[main_bg]=\"\"\n", "main_bg"),
                     THEME_EMPTY);
}

TEST(absent_keys_fall_back)
{
    const char *text = "theme[inactive_fg]=\"#010101\"\ntheme[cpu_start]=\"#020202\"\n"
                       "theme[cpu_mid]=\"#030303\"\ntheme[cpu_end]=\"#040404\"\n";
    assert_int_equal(color(text, "graph_text"), 0x010101);
    assert_int_equal(color(text, "meter_bg"), 0x010101);
    assert_int_equal(color(text, "process_start"), 0x020202);
    assert_int_equal(color(text, "process_end"), 0x040404);
    assert_int_equal(color(text, "rooftop_warn"), 0x030303);
    /* the fallback may be empty itself */
    assert_int_equal(color("theme[cpu_mid]=\"\"\ntheme[hi_fg]=\"#abcdef\"\n", "rooftop_warn"),
                     0xabcdef);
}

TEST(gradients_in_integers)
{
    struct theme *t = parse("theme[cpu_start]=\"#000000\"\ntheme[cpu_mid]=\"#6400c8\"\n"
                            "theme[cpu_end]=\"#ffffff\"\ntheme[temp_start]=\"#101010\"\n"
                            "theme[temp_mid]=\"\"\ntheme[temp_end]=\"#202020\"\n"
                            "theme[used_start]=\"#123456\"\ntheme[used_mid]=\"\"\n"
                            "theme[used_end]=\"\"\n");
    const int32_t *cpu = t->gradient[STYLE_GRAD_CPU];
    assert_int_equal(cpu[0], 0);
    assert_int_equal(cpu[25], 0x320064);
    assert_int_equal(cpu[50], 0x6400c8);
    assert_int_equal(cpu[51], (100 + 155 / 50) << 16 | (255 / 50) << 8 | (200 + 55 / 50));
    assert_int_equal(cpu[100], 0xffffff);
    assert_int_equal(t->gradient[STYLE_GRAD_TEMP][50], 0x181818); /* two colours */
    assert_int_equal(t->gradient[STYLE_GRAD_USED][99], 0x123456); /* one */
    theme_free(t);
}

TEST(fewer_colours)
{
    assert_int_equal(theme_to_256(0x000000), 232);
    assert_int_equal(theme_to_256(0xffffff), 255);
    assert_int_equal(theme_to_256(0x808080), 244);
    assert_int_equal(theme_to_256(0xff0000), 196);
    assert_int_equal(theme_to_256(0x0000ff), 21);
    struct theme *t = parse("theme[main_fg]=\"#ff0000\"\n");
    assert_int_equal(theme_look(t, STYLE(STYLE_TEXT), DEPTH_TRUE).fg, 0xff0000);
    assert_int_equal(theme_look(t, STYLE(STYLE_TEXT), DEPTH_256).fg, 196);
    for (int r = 0; r < STYLE_COUNT; r++)
        for (int level = 0; level <= 100; level += 10) {
            struct style st = STYLE_LEVEL(r, level);
            struct look none = theme_look(t, st, DEPTH_NONE), eight = theme_look(t, st, DEPTH_8);
            assert_true(none.fg == COLOR_DEFAULT && none.bg == COLOR_DEFAULT);
            assert_true(eight.fg < 8 && eight.bg < 8);
            assert_true(theme_look(t, st, DEPTH_16).fg < 16);
        }
    assert_true(theme_look(t, STYLE(STYLE_SELECTED), DEPTH_NONE).reverse);
    assert_true(theme_look(t, STYLE(STYLE_CRIT), DEPTH_NONE).bold);
    theme_free(t);
}

static void bad(const char *text, const char *where, const char *why)
{
    struct theme *t = NULL;
    struct error err = ERROR_INIT;
    assert_true(theme_parse(&t, text, strlen(text), "x.theme", &err) < 0);
    assert_null(t);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.what, where);
    if (!strstr(err.why, why))
        fail_msg("'%s' does not say '%s'", err.why, why);
}

TEST(malformed_files_are_refused_with_their_line)
{
    bad("", "x.theme:1", "no theme[KEY]");
    bad("# only a comment\n", "x.theme:1", "no theme[KEY]");
    bad("theme[main_fg]=\"#112233\"\nnonsense\n", "x.theme:2", "no theme[KEY]");
    bad("\n\ntheme[main_fg\n", "x.theme:3", "']'");
    bad("theme[main_fg]\n", "x.theme:1", "'='");
    bad("theme[main_fg]=\"#112233\n", "x.theme:1", "quote");
    bad("theme[main_fg]=\"red\"\n", "x.theme:1", "not a colour");
    bad("theme[main_fg]=\"#12345\"\n", "x.theme:1", "not a colour");
    bad("theme[main_fg]=\"1 2 256\"\n", "x.theme:1", "not a colour");
}

/* WCAG 2: relative luminance and contrast. */
static double channel(int v)
{
    double x = v / 255.0;
    return x <= 0.03928 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static double luminance(int32_t c)
{
    return 0.2126 * channel(c >> 16 & 255) + 0.7152 * channel(c >> 8 & 255) +
           0.0722 * channel(c & 255);
}

static double contrast(int32_t a, int32_t b)
{
    double x = luminance(a), y = luminance(b);
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

static void check_contrast(const char *name, int32_t page)
{
    struct theme *t;
    struct error err = ERROR_INIT;
    assert_int_equal(theme_load(&t, name, &err), 0);
    static const int text[] = {STYLE_TEXT,     STYLE_TITLE,      STYLE_HOT,  STYLE_HEADING,
                               STYLE_SELECTED, STYLE_OK,         STYLE_WARN, STYLE_CRIT,
                               STYLE_BANNER,   STYLE_GRAPH_TEXT, STYLE_DIM};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct look l = theme_look(t, STYLE(text[i]), DEPTH_TRUE);
        double c = contrast(l.fg, l.bg == COLOR_DEFAULT ? page : l.bg);
        if (c < 4.5)
            fail_msg("%s: style %c has contrast %.2f", name, style_table[text[i]].letter, c);
    }
    for (int r = STYLE_GRAD_CPU; r <= STYLE_GRAD_PROC; r++)
        for (int level = 0; level <= 100; level += 5) {
            double c = contrast(theme_look(t, STYLE_LEVEL(r, level), DEPTH_TRUE).fg, page);
            if (c < 3) /* graphical objects: 1.4.11 */
                fail_msg("%s: gradient %c at %d has contrast %.2f", name, style_table[r].letter,
                         level, c);
        }
    theme_free(t);
}

TEST(our_themes_can_be_read)
{
    check_contrast("rooftop-dark", 0x14181d);
    check_contrast("rooftop-dark", 0x1e1e1e); /* a common dark terminal */
    check_contrast("rooftop-light", 0xfbfbf9);
    check_contrast("rooftop-light", 0xffffff);
    check_contrast("rooftop-contrast", 0x000000);
}

TEST(our_themes_have_short_names)
{
    struct theme *whole, *by_short_name;
    struct error err = ERROR_INIT;
    assert_int_equal(theme_load(&whole, "rooftop-safe-light", &err), 0);
    assert_int_equal(theme_load(&by_short_name, "safe-light", &err), 0);
    assert_int_equal(theme_color(whole, "main_fg"), theme_color(by_short_name, "main_fg"));
    assert_int_equal(theme_color(whole, "main_bg"), theme_color(by_short_name, "main_bg"));
    theme_free(whole);
    theme_free(by_short_name);
    assert_true(theme_load(&whole, "lite", &err) < 0);
}

TEST(themes_are_found_by_name_and_path)
{
    char dir[] = "/tmp/rooftop-test-XXXXXX", path[256];
    struct theme *t;
    struct error err = ERROR_INIT;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/rooftop", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/rooftop/themes", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/rooftop/themes/mine.theme", dir);
    FILE *f = fopen(path, "w");
    fputs("theme[main_fg]=\"#010203\"\n", f);
    fclose(f);
    const char *was = env_get("XDG_CONFIG_HOME");
    env_put("XDG_CONFIG_HOME", dir);
    assert_int_equal(theme_load(&t, "mine", &err), 0);
    assert_int_equal(theme_color(t, "main_fg"), 0x010203);
    theme_free(t);
    assert_int_equal(theme_load(&t, path, &err), 0);
    theme_free(t);
    char **names;
    size_t n = theme_list(&names), found = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(i == 0 || theme_builtin(i - 1) || theme_builtin(i) ||
                    strcmp(names[i - 1], names[i]) < 0); /* sorted, none twice */
        found += strcmp(names[i], "mine") == 0 || strcmp(names[i], "rooftop-dark") == 0;
    }
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    assert_int_equal(found, 2);
    assert_true(theme_load(&t, "no such theme", &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.help, "rooftop-light"));
    assert_true(theme_load(&t, "/", &err) < 0); /* a folder */
    env_put("XDG_CONFIG_HOME", was);
    unlink(path);
    for (int i = 0; i < 3; i++) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}
