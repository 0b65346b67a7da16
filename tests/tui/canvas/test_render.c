/* Draws only: not for TSan. */
/* The SVG is valid XML whatever the names of processes are; the ANSI form leaves no colour
 * behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes.h"
#include "tui/app/app.h"
#include "tui/canvas/render.h"
#include "support/test.h"

/* XML 1.0, production [2] Char. */
static bool xml_char(uint32_t ch)
{
    return ch == '\t' || ch == '\n' || ch == '\r' || (ch >= 0x20 && ch < 0xd800) ||
           (ch >= 0xe000 && ch < 0xfffe) || (ch >= 0x10000 && ch <= 0x10ffff);
}

static const char *entity(const char *p)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#160;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(p, known[i], strlen(known[i])) == 0)
            return p + strlen(known[i]);
    fail_msg("'%.10s' is no entity", p);
    return p;
}

/* Checks XML: tags are nested, attributes are quoted, and every character is allowed. */
static void check_xml(const char *p)
{
    char open[16][16];
    int depth = 0;
    while (*p) {
        if (*p == '&') {
            p = entity(p);
        } else if (*p != '<') {
            const char *at = p;
            uint32_t ch = text_next(&p);
            bool damaged = ch == 0xfffd && strncmp(at, "\xef\xbf\xbd", 3) != 0;
            if (!xml_char(ch) || damaged)
                fail_msg("U+%04X stands in the picture", (unsigned)ch);
        } else if (p[1] == '/') {
            size_t n = strcspn(p + 2, ">");
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strlen(open[depth]), n);
            assert_memory_equal(open[depth], p + 2, n);
            p += 2 + n + 1;
        } else {
            size_t n = strcspn(p + 1, " >/");
            assert_true(depth < 16 && n > 0 && n < 16);
            snprintf(open[depth++], 16, "%.*s", (int)n, p + 1);
            bool quoted = false;
            for (p += 1 + n; *p && (quoted || *p != '>'); p++) {
                quoted ^= *p == '"';
                assert_true(*p != '<');
            }
            assert_int_equal(*p, '>');
            depth -= p[-1] == '/';
            p++;
        }
    }
    assert_int_equal(depth, 0);
}

static char *svg_of(const struct canvas *c, const struct theme *t)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(render_svg(f, c, t), 0);
    fclose(f);
    return text;
}

static struct theme *dark(void)
{
    struct theme *t = NULL;
    struct error err = ERROR_INIT;
    assert_int_equal(theme_load(&t, "rooftop-dark", &err), 0);
    return t;
}

TEST(svg_holds_any_character)
{
    struct theme *t = dark();
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 256, 64);
    for (uint32_t base = 0; base < 0x110000; base += 256 * 64) {
        canvas_clear(&c);
        for (uint32_t i = 0; i < 256 * 64; i++)
            canvas_put(&c, (int)(i % 256), (int)(i / 256), base + i, STYLE(STYLE_TEXT));
        char *text = svg_of(&c, t);
        check_xml(text);
        free(text);
    }
    canvas_free(&c);
    theme_free(t);
}

TEST(svg_of_every_scene_is_xml)
{
    static const char keys[] = "12?i";
    struct theme *t = dark();
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 120, 40);
    for (int i = 0; scene_names[i]; i++) {
        struct app *a = app_new(1, false, "rooftop-dark");
        for (int tick = 0; tick < 3; tick++) {
            struct snapshot *s = scene(scene_names[i], tick);
            app_update(a, s);
            snapshot_unref(s);
        }
        for (const char *k = keys; *k; k++) {
            app_key(a, &(struct key_event){.key = (uint32_t)*k});
            app_draw(a, &c);
            char *text = svg_of(&c, t);
            check_xml(text);
            free(text);
        }
        app_free(a);
    }
    canvas_free(&c);
    theme_free(t);
    snapshot_pool_drain();
}

/* A line that is pasted into a log must not colour what follows it. */
TEST(ansi_lines_end_plain_at_every_depth)
{
    struct theme *t = dark();
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 20, 4);
    canvas_fill(&c, (struct rect){0, 0, 20, 4}, 'x', STYLE(STYLE_SELECTED));
    for (int depth = DEPTH_NONE; depth <= DEPTH_TRUE; depth++) {
        char *text = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&text, &len);
        assert_int_equal(render_ansi(f, &c, t, depth), 0);
        fclose(f);
        int lines = 0;
        for (const char *p = text; (p = strchr(p, '\n')); p++, lines++)
            assert_true(p - text >= 4 && strncmp(p - 4, "\033[0m", 4) == 0);
        assert_int_equal(lines, 4);
        free(text);
    }
    canvas_free(&c);
    theme_free(t);
}
