/* Draws only: not for TSan. */
/*
 * Laws that hold for any screen: every view of every subject, in four sizes, dark, light, in ASCII
 * and without colour. What a terminal shows is asked from the emulator, not from the canvas.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/own_home.h"
#include "support/subjects.h"
#include "support/vt.h"
#include "tui/canvas/render.h"
#include "tui/canvas/theme.h"
#include "support/test.h"

static const struct {
    int cols, rows;
} sizes[] = {{60, 20}, {80, 24}, {120, 40}, {200, 50}};
enum { SIZES = sizeof sizes / sizeof *sizes, ROWS_TRIED = 12 };

static struct stage s;
static struct theme *dark, *light;
static const char *subject; /* and its view, for messages */
static int faults;

/* Notes a fault of the shown picture; the test goes on, so that all are told at once. */
static void __attribute__((format(printf, 1, 2))) broken(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (faults++ < 400)
        print_error("%s, %s, %dx%d%s: %s\n", subject, views[app_view(s.a)]->name, s.c.cols,
                    s.c.rows, s.c.ascii ? ", ASCII" : "", text);
}

static void none_broken(void)
{
    const int n = faults;
    faults = 0;
    if (n)
        fail_msg("%d pictures break a law", n);
}

static uint32_t cell(int x, int y)
{
    const bool inside = x >= 0 && y >= 0 && x < s.c.cols && y < s.c.rows;
    return inside ? s.c.cells[y * s.c.cols + x].ch : 0;
}

/* Calls the law with each view of each subject that has something to show there, in each size. */
static void for_each_screen(void (*law)(void))
{
    for (size_t i = 0; subject_names[i]; i++) {
        subject = subject_names[i];
        subject_stage_open(&s, subject, 80, 24);
        for (int v = 0; views[v]; v++) {
            if (!app_view_listed(s.a, v) && strcmp(subject, "vm") != 0)
                continue;
            app_show_view(s.a, v);
            for (int k = 0; k < SIZES; k++) {
                canvas_resize(&s.c, sizes[k].cols, sizes[k].rows);
                stage_look(&s);
                law();
            }
        }
        subject_stage_close(&s);
    }
    none_broken();
}

/* --- frames --- */

enum { TOP_LEFT = 0x256d, TOP_RIGHT = 0x256e, LOW_RIGHT = 0x256f, LOW_LEFT = 0x2570 };

static bool is_side(uint32_t ch)
{
    return ch == 0x2502 || ch == 0x251c || ch == 0x2524 || ch == 0x253c;
}

/* The other end of a frame's side, from the corner at x, y down; -1: it is open. */
static int end_of_side(int x, int y, uint32_t corner)
{
    for (y++; is_side(cell(x, y)); y++)
        ;
    return cell(x, y) == corner ? y : -1;
}

static void frames_are_closed(void)
{
    int open[4] = {0};
    for (int y = 0; y < s.c.rows; y++)
        for (int x = 0; x < s.c.cols; x++) {
            const uint32_t ch = cell(x, y);
            if (ch >= TOP_LEFT && ch <= LOW_LEFT)
                open[ch - TOP_LEFT]++;
            if (ch != TOP_LEFT)
                continue;
            int right = x + 1;
            while (right < s.c.cols && cell(right, y) != TOP_RIGHT && cell(right, y) != TOP_LEFT)
                right++;
            const int low = end_of_side(x, y, LOW_LEFT);
            if (cell(right, y) != TOP_RIGHT || low < 0 || end_of_side(right, y, LOW_RIGHT) != low)
                broken("the frame at column %d, row %d is open", x, y);
        }
    if (open[0] != open[1] || open[1] != open[2] || open[2] != open[3])
        broken("corners without a partner: %d, %d, %d, %d", open[0], open[1], open[2], open[3]);
}

TEST(every_frame_is_closed)
{
    for_each_screen(frames_are_closed);
}

/* --- what a terminal shows --- */

/* The picture on the emulated terminal; the caller frees it. */
static struct vt *show(const struct theme *t, enum color_depth depth)
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&bytes, &n);
    render_ansi(f, &s.c, t, depth);
    fclose(f);
    struct vt *v = vt_new(s.c.cols, s.c.rows);
    const char *at = bytes;
    for (int y = 0; y < s.c.rows; y++) { /* each line where it belongs: a terminal would scroll */
        char place[16];
        const size_t len = strcspn(at, "\n");
        vt_feed(v, place, (size_t)snprintf(place, sizeof place, "\033[%d;1H", y + 1));
        vt_feed(v, at, len);
        at += len + 1;
    }
    free(bytes);
    return v;
}

static void it_is_as_wide_as_drawn(struct vt *v)
{
    for (int y = 0; y < s.c.rows; y++)
        for (int x = 0; x < s.c.cols; x++) {
            const uint32_t want = cell(x, y), ch = vt_cell_at(v, x, y).ch;
            if (want && ch != want && !(want == ' ' && ch == 0)) {
                broken("column %d, row %d: U+%04x was drawn, U+%04x is seen", x, y, want, ch);
                return;
            }
        }
}

/* IEC 61966-2-1 and WCAG 2.2. */
static double luminance(uint32_t rgb)
{
    double sum = 0;
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    for (int i = 0; i < 3; i++, rgb >>= 8) {
        const double c = (rgb & 0xff) / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

/* Themes leave the background to the terminal: paper is what a terminal of that theme has. */
static void letters_can_be_read(struct vt *v, const char *theme, uint32_t paper)
{
    enum { LARGE_TEXT = 3 }; /* what WCAG asks for at least */
    for (int y = 0; y < s.c.rows; y++)
        for (int x = 0; x < s.c.cols; x++) {
            const struct vt_cell k = vt_cell_at(v, x, y);
            const double ratio = contrast(k.fg, k.bg_set ? k.bg : paper);
            if (k.ch < 0x7f && isalnum((int)k.ch) && k.fg_set && ratio < LARGE_TEXT) {
                broken("%s: '%c' in column %d, row %d has a contrast of %.2f: %06x", theme,
                       (int)k.ch, x, y, ratio, k.fg);
                return;
            }
        }
}

static void it_can_be_read(void)
{
    struct vt *v = show(dark, DEPTH_TRUE);
    it_is_as_wide_as_drawn(v);
    letters_can_be_read(v, "dark", 0);
    vt_free(v);
    v = show(light, DEPTH_TRUE);
    letters_can_be_read(v, "light", 0xffffff);
    vt_free(v);
}

TEST(a_terminal_shows_what_was_drawn_and_letters_can_be_read)
{
    for_each_screen(it_can_be_read);
}

static void it_has_no_colour(void)
{
    struct vt *v = show(dark, DEPTH_NONE);
    for (int y = 0; y < s.c.rows; y++)
        for (int x = 0; x < s.c.cols; x++) {
            const struct vt_cell k = vt_cell_at(v, x, y);
            if (k.fg_set || k.bg_set)
                broken("column %d, row %d has a colour", x, y);
        }
    vt_free(v);
}

TEST(without_colour_no_cell_has_one)
{
    for_each_screen(it_has_no_colour);
}

static void it_is_ascii(void)
{
    s.a->host.ascii = true;
    stage_look(&s);
    for (const char *p = s.screen; *p; p++)
        if ((unsigned char)*p > 0x7e) {
            broken("'%.20s'", p);
            break;
        }
    s.a->host.ascii = false;
}

TEST(in_ascii_each_cell_is_ascii)
{
    for_each_screen(it_is_ascii);
}

/* --- units --- */

static bool is_unit(const char *p)
{
    static const char *const units[] = {"ns",  "us", "µs", "ms", "KiB", "MiB",
                                        "GiB", "kB", "MB", "GB", "GHz", "MHz"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t n = strlen(units[i]);
        if (strncmp(p, units[i], n) == 0 && !isalnum((unsigned char)p[n]) && p[n] != '_')
            return true;
    }
    return false;
}

/* Whether the number is beside an axis, where there is no room for a blank: "2MB/s┤". */
static bool is_axis_label(const char *unit)
{
    const char *axis = strstr(unit, "┤");
    return axis && axis - unit < 6;
}

/* "1760.3us", "1760.3 us": a number has a blank before its unit, and its unit has it below 1000
 * (1024 of bytes), where there is a longer one. */
static void units_are_written_one_way(void)
{
    for (const char *p = s.screen; *p; p++) {
        if (!isdigit((unsigned char)*p) ||
            (p > s.screen && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '-')))
            continue;
        char *end;
        const double number = strtod(p, &end);
        if (is_unit(end) && !is_axis_label(end))
            broken("no blank before a unit: '%.16s'", p);
        if (*end == ' ' && is_unit(end + 1) && number >= 1024 && !strchr("GM", end[1]))
            broken("a unit too small: '%.16s'", p);
        p = end - 1;
    }
}

TEST(units_are_written_one_way_only)
{
    for_each_screen(units_are_written_one_way);
}

/* --- cut texts --- */

enum { SEEN_MAX = 400, TEXTS_MAX = 8192, WIDE = 400 };
struct seen_texts {
    char text[TEXTS_MAX][SEEN_MAX];
    size_t n;
};

static const char *skip_edges(const char *p)
{
    while (*p == ' ' || strncmp(p, "│", 3) == 0)
        p += *p == ' ' ? 1 : 3;
    return p;
}

/* Writes the next text between edges or two blanks. Returns what is behind it; NULL: no more. */
static const char *next_seen(const char *at, char out[SEEN_MAX])
{
    size_t n = 0;
    at = skip_edges(at);
    while (*at && strncmp(at, "  ", 2) != 0 && strncmp(at, "│", 3) != 0 && n + 1 < SEEN_MAX)
        out[n++] = *at++;
    while (n && (out[n - 1] == ' ' || (n >= 3 && memcmp(out + n - 3, "█", 3) == 0)))
        n -= out[n - 1] == ' ' ? 1 : 3;
    out[n] = '\0';
    return *at || n ? at : NULL;
}

/* Whether a text was cut that is long enough for what differs; not the label in a bar. */
static bool is_long_cut(const char *text)
{
    enum { LEAST = 8 };
    return strstr(text, "…") && strlen(text) >= LEAST + strlen("…") && !strstr(text, "░") &&
           !strstr(text, "▒") && !strstr(text, "█");
}

/* The texts of the picture, between tabs and footer; cut: only those that are. */
static void list_seen(struct seen_texts *out, bool cut)
{
    char field[SEEN_MAX];
    out->n = 0;
    for (int y = 1; y < s.c.rows - 1; y++)
        for (const char *at = stage_row(&s, y); (at = next_seen(at, field)) != NULL;)
            if (out->n < TEXTS_MAX && (!cut || is_long_cut(field)))
                strcpy(out->text[out->n++], field);
}

/* A sentence is read from its begin, and in full below the list when its row is chosen: only names
 * must differ. */
static bool is_sentence(const char *text)
{
    enum { WORDS = 6 };
    int words = 1;
    for (const char *p = text; *p; p++)
        words += *p == ' ';
    return words >= WORDS;
}

static bool is_cut_from(const char *cut, const char *whole)
{
    const char *mark = strstr(cut, "…");
    const size_t before = (size_t)(mark - cut), after = strlen(mark + 3), n = strlen(whole);
    return n > before + after && strncmp(cut, whole, before) == 0 &&
           strcmp(mark + 3, whole + n - after) == 0;
}

/* Whether two different texts of the wide picture look like that after the cut. */
static bool has_two_wholes(const char *cut, const struct seen_texts *wide)
{
    const char *first = NULL;
    for (size_t i = 0; i < wide->n; i++) {
        if (!is_cut_from(cut, wide->text[i]))
            continue;
        if (first && strcmp(first, wide->text[i]) != 0)
            return true;
        first = wide->text[i];
    }
    return false;
}

static void nothing_is_cut_equal(void)
{
    static struct seen_texts cut, wide;
    const int cols = s.c.cols, rows = s.c.rows;
    list_seen(&cut, true);
    canvas_resize(&s.c, WIDE, rows);
    stage_look(&s);
    list_seen(&wide, false);
    canvas_resize(&s.c, cols, rows);
    stage_look(&s);
    for (size_t i = 0; i < cut.n; i++)
        for (size_t k = i + 1; k < cut.n; k++)
            if (strcmp(cut.text[i], cut.text[k]) == 0 && !is_sentence(cut.text[i]) &&
                has_two_wholes(cut.text[i], &wide)) {
                broken("two are cut to '%s'", cut.text[i]);
                break;
            }
}

TEST(no_two_texts_are_cut_to_be_equal)
{
    for_each_screen(nothing_is_cut_equal);
}

/* --- the footer --- */

struct offered {
    int n;
    enum action list[48];
};

static void list_offered(struct offered *out)
{
    out->n = 0;
    for (int i = 0; i < s.c.nzones; i++)
        if (s.c.zones[i].r.y == s.c.rows - 1 && out->n < 48)
            out->list[out->n++] = (enum action)s.c.zones[i].action;
}

/* Whether the key of the action changes the picture, or asks something from the program. */
static bool does_something(enum action act)
{
    char key[16];
    struct canvas was;
    canvas_init(&was);
    canvas_resize(&was, s.c.cols, s.c.rows);
    memcpy(was.cells, s.c.cells, (size_t)s.c.cols * (size_t)s.c.rows * sizeof *s.c.cells);
    stage_key(&s, key_parse(app_first_key(act, key)));
    const bool did = (s.asked & ~(unsigned)APP_REDRAW) || !canvas_equal(&was, &s.c);
    canvas_free(&was);
    return did;
}

/* Whether its key does something in one of the first rows of the view. */
static bool does_something_in_a_row(enum action act, int view)
{
    for (int row = 0; row < ROWS_TRIED; row++) {
        app_show_view(s.a, view);
        stage_look(&s);
        for (int k = 0; k < row; k++)
            stage_key(&s, KEY_DOWN_);
        if (does_something(act))
            return true;
    }
    return false;
}

static void keys_do_something(int view)
{
    struct offered offered;
    char key[16];
    for (int i = 0; i == 0 || i < offered.n; i++) { /* a key must not see what another one left */
        subject_stage_open(&s, subject, 200, 50);
        app_show_view(s.a, view);
        stage_look(&s);
        list_offered(&offered);
        if (i == 0 && offered.n < 3)
            broken("only %d keys are offered", offered.n);
        if (i < offered.n && !(action_table[offered.list[i]].contexts & CONTEXT_GLOBAL) &&
            !does_something_in_a_row(offered.list[i], view))
            broken("%s (%s) is offered and does nothing", app_first_key(offered.list[i], key),
                   action_table[offered.list[i]].name);
        subject_stage_close(&s);
    }
}

TEST(each_key_of_the_footer_does_something)
{
    for (size_t i = 0; subject_names[i]; i++) {
        bool listed[VIEWS_MAX] = {false};
        subject = subject_names[i];
        subject_stage_open(&s, subject, 80, 24);
        for (int v = 0; views[v]; v++)
            listed[v] = app_view_listed(s.a, v) || strcmp(subject, "vm") == 0;
        subject_stage_close(&s);
        for (int v = 0; views[v]; v++)
            if (listed[v])
                keys_do_something(v);
    }
    none_broken();
}

/* --- the help --- */

static void help_is_not_cut(void)
{
    int x = 0, y = 0, end = 0;
    if (s.c.cols != 80)
        return;
    stage_key(&s, '?');
    assert_true(stage_find(&s, "─ help ─", &x, &y) && stage_find(&s, "Esc close", &x, &end));
    for (; y < end; y++) {
        const char *cut = strstr(stage_row(&s, y), "…");
        if (cut && cut[-1] != ' ') /* "1 … 0" are keys */
            broken("the help has '%s'", s.row);
    }
    stage_key(&s, KEY_ESCAPE);
}

TEST(no_help_is_cut_in_80_columns)
{
    for_each_screen(help_is_not_cut);
}

/* --- the first row --- */

static void places_of_tabs(int at[TABS])
{
    for (int t = 0; t < TABS; t++)
        at[t] = -1;
    for (int i = 0; i < s.c.nzones; i++)
        for (int t = 0; t < TABS; t++)
            if (s.c.zones[i].r.y == 0 && s.c.zones[i].action == (int)view_tabs[t].select)
                at[t] = s.c.zones[i].r.x;
}

TEST(no_tab_moves_between_views)
{
    for (size_t i = 0; subject_names[i]; i++) {
        subject = subject_names[i];
        subject_stage_open(&s, subject, 80, 24);
        for (int v = 0; views[v]; v++) { /* what is known once a view was drawn adds a tab */
            app_show_view(s.a, v);
            stage_look(&s);
        }
        for (int k = 1; k < SIZES; k++) {
            int first[TABS], now[TABS];
            canvas_resize(&s.c, sizes[k].cols, sizes[k].rows);
            stage_look(&s);
            places_of_tabs(first);
            for (int v = 0; views[v]; v++) {
                app_show_view(s.a, v);
                stage_look(&s);
                places_of_tabs(now);
                for (int t = 0; t < TABS; t++)
                    if (first[t] >= 0 && now[t] >= 0 && now[t] != first[t])
                        broken("the tab %s moved from %d to %d", view_tabs[t].name, first[t],
                               now[t]);
            }
        }
        subject_stage_close(&s);
    }
    none_broken();
}

int main(void)
{
    struct error err = ERROR_INIT;
    char state[] = "/tmp/rooftop-every-view-XXXXXX", command[64];
    setenv("TZ", "UTC", 1);
    setenv("ROOFTOP_SELF", "/bin/false", 1); /* what a key starts ends at once */
    assert_non_null(mkdtemp(state));         /* no benchmarks yet */
    setenv("XDG_STATE_HOME", state, 1);
    own_home();
    if (theme_load(&dark, "rooftop-dark", &err) != 0 ||
        theme_load(&light, "rooftop-light", &err) != 0)
        return 1;
    const int rc = tests_run(NULL, NULL);
    theme_free(dark);
    theme_free(light);
    snprintf(command, sizeof command, "rm -rf %s", state);
    return system(command) || rc;
}
