#include "cli/compare.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/version.h"
#include "engine/session.h"
#include "tui/render.h"
#include "tui/term.h"

enum { DEFAULT_COLS = 100, LEAST_COLS = 60, MOST_COLS = 160 };

/* --- the table --- */

struct columns { /* where each begins */
    int label, a, b, change, interval, verdict;
};

static struct columns place(int cols)
{
    /* "-1.23 k/s ±12 %" takes 17 cells; the interval goes first where there is little room */
    int label = cols >= 110 ? 30 : cols >= 84 ? 24 : 20, value = cols >= 84 ? 18 : 12;
    struct columns k = {.label = 1, .a = 1 + label, .b = 1 + label + value};
    k.change = k.b + value;
    k.interval = cols >= 100 ? k.change + 10 : 0;
    k.verdict = k.interval ? k.interval + 19 : k.change + 11;
    return k;
}

static void mean_text(const struct stats *s, enum unit unit, bool ascii, bool spread, char *out,
                      size_t size)
{
    char text[VALUE_TEXT_MAX];
    struct value v = value_ok(s->mean, unit);
    if (s->n == 0) {
        snprintf(out, size, "n/a");
        return;
    }
    value_format(&v, ascii, text);
    if (spread && s->mean != 0 && s->sd > 0)
        snprintf(out, size, "%s %s%.0f%%", text, ascii ? "+-" : "±",
                 fmin(100 * s->sd / fabs(s->mean), 999));
    else
        snprintf(out, size, "%s", text);
}

static const char *change_text(double change, char out[16])
{
    if (isnan(change))
        strcpy(out, "from 0");
    else if (fabs(change) >= 1000)
        snprintf(out, 16, "%+.0fx", change / 100);
    else
        snprintf(out, 16, "%+.1f %%", change);
    return out;
}

static void interval_text(const struct compare_row *r, char *out, size_t size)
{
    double base = fabs(r->a.mean);
    if (r->d.low > r->d.high || !(base > 0) || fabs(r->d.high) > 100 * base)
        *out = '\0';
    else
        snprintf(out, size, "[%+.1f .. %+.1f]", 100 * r->d.low / base, 100 * r->d.high / base);
}

static struct style row_style(const struct compare_row *r)
{
    switch (r->verdict) {
    case COMPARE_MORE:
        return STYLE(STYLE_DIFF_UP);
    case COMPARE_LESS:
        return STYLE(STYLE_DIFF_DOWN);
    case COMPARE_ONLY_A:
    case COMPARE_ONLY_B:
        return STYLE(STYLE_WARN);
    default:
        return STYLE(STYLE_DIM);
    }
}

static void draw_row(struct canvas *c, int y, const struct columns *k, const struct compare_row *r)
{
    static const char *const marks[] = {" ", "▼", "▲", "?", "◀", "▶"};
    static const char *const ascii[] = {" ", "v", "^", "?", "<", ">"};
    char a[48], b[48], text[48];
    bool spread = k->b - k->a > 12, marked = r->verdict != COMPARE_SAME;
    struct style st = row_style(r), plain = STYLE(marked ? STYLE_TEXT : STYLE_DIM);
    mean_text(&r->a, r->unit, c->ascii, spread, a, sizeof a);
    mean_text(&r->b, r->unit, c->ascii, spread, b, sizeof b);
    canvas_text(c, k->label, y, k->a - k->label - 1, r->label, plain);
    canvas_text_right(c, k->a, y, k->b - k->a - 2, a, plain);
    canvas_text_right(c, k->b, y, k->change - k->b - 2, b, plain);
    if (r->a.n && r->b.n)
        canvas_text_right(c, k->change, y, 9, change_text(r->change, text), st);
    interval_text(r, text, sizeof text);
    if (k->interval)
        canvas_text_right(c, k->interval, y, 18, text, STYLE(STYLE_DIM));
    canvas_printf(c, k->verdict, y, c->cols - k->verdict, st, "%s %s",
                  (c->ascii ? ascii : marks)[r->verdict],
                  r->verdict == COMPARE_SAME ? "" : compare_verdict_name(r->verdict));
}

static void draw_side(struct canvas *c, int y, const char *name, const char *path,
                      const struct compare_side *s)
{
    char when[32] = "";
    time_t t = (time_t)(s->wall_ns / 1000000000u);
    struct tm tm;
    if (localtime_r(&t, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    int x = 1 + canvas_text(c, 1, y, 2, name, STYLE(STYLE_HOT)) + 1;
    x += canvas_text(c, x, y, c->cols / 3, path, STYLE(STYLE_TITLE)) + 2;
    canvas_printf(c, x, y, c->cols - x - 1, STYLE(STYLE_DIM), "%s  %s  %s  %.0f s, %zu samples",
                  s->target ? s->target : "", s->hostname ? s->hostname : "", when, s->seconds,
                  s->frames);
}

static size_t count(const struct comparison *k, bool marked)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n; i++)
        n += marked ? k->rows[i].verdict == COMPARE_MORE || k->rows[i].verdict == COMPARE_LESS
                    : k->rows[i].verdict == COMPARE_SAME;
    return n;
}

void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b)
{
    struct columns at = place(cols);
    int y = 0;
    canvas_resize(c, cols, (int)k->n + 7);
    draw_side(c, y++, "A", a, &k->a);
    draw_side(c, y++, "B", b, &k->b);
    y++;
    canvas_text(c, at.label, y, at.a - at.label, "NUMBER", STYLE(STYLE_HEADING));
    canvas_text_right(c, at.a, y, at.b - at.a - 2, "A", STYLE(STYLE_HEADING));
    canvas_text_right(c, at.b, y, at.change - at.b - 2, "B", STYLE(STYLE_HEADING));
    canvas_text_right(c, at.change, y, 9, "CHANGE", STYLE(STYLE_HEADING));
    if (at.interval)
        canvas_text_right(c, at.interval, y, 18, "95 % INTERVAL, %", STYLE(STYLE_HEADING));
    y++;
    for (size_t i = 0; i < k->n; i++)
        draw_row(c, y++, &at, &k->rows[i]);
    y++;
    canvas_printf(c, 1, y, cols - 2, STYLE(STYLE_DIM),
                  "%zu differ, %zu do not: Welch's t on effective samples, false discovery rate "
                  "%.0f %%",
                  count(k, true), count(k, false), 100 * compare_alpha);
}

/* --- the document --- */

static void add_number(cJSON *to, const char *key, double v)
{
    if (isfinite(v))
        cJSON_AddNumberToObject(to, key, v);
    else
        cJSON_AddNullToObject(to, key);
}

static cJSON *stats_json(const struct stats *s)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "samples", (double)s->n);
    if (s->n == 0)
        return j;
    add_number(j, "effective_samples", s->effective);
    add_number(j, "mean", s->mean);
    add_number(j, "sd", s->sd);
    add_number(j, "min", s->min);
    add_number(j, "median", s->median);
    add_number(j, "max", s->max);
    return j;
}

static cJSON *side_json(const char *path, const struct compare_side *s)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "file", path);
    cJSON_AddStringToObject(j, "target", s->target ? s->target : "");
    cJSON_AddStringToObject(j, "hostname", s->hostname ? s->hostname : "");
    cJSON_AddStringToObject(j, "cpu_model", s->cpu_model ? s->cpu_model : "");
    cJSON_AddNumberToObject(j, "samples", (double)s->frames);
    cJSON_AddNumberToObject(j, "seconds", s->seconds);
    return j;
}

char *compare_json(const struct comparison *k, const char *a, const char *b)
{
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", "rooftop.compare/1");
    cJSON_AddStringToObject(doc, "version", ROOFTOP_VERSION);
    cJSON_AddNumberToObject(doc, "false_discovery_rate", compare_alpha);
    cJSON_AddItemToObject(doc, "a", side_json(a, &k->a));
    cJSON_AddItemToObject(doc, "b", side_json(b, &k->b));
    cJSON *list = cJSON_AddArrayToObject(doc, "numbers");
    for (size_t i = 0; i < k->n; i++) {
        const struct compare_row *r = &k->rows[i];
        cJSON *j = cJSON_CreateObject();
        bool tested = r->d.low <= r->d.high;
        cJSON_AddStringToObject(j, "id", r->id);
        cJSON_AddStringToObject(j, "label", r->label);
        cJSON_AddStringToObject(j, "unit", unit_name(r->unit));
        cJSON_AddItemToObject(j, "a", stats_json(&r->a));
        cJSON_AddItemToObject(j, "b", stats_json(&r->b));
        add_number(j, "change_percent", r->a.n && r->b.n ? r->change : NAN);
        add_number(j, "low", tested ? r->d.low : NAN);
        add_number(j, "high", tested ? r->d.high : NAN);
        add_number(j, "p_adjusted", tested ? r->d.p : NAN);
        cJSON_AddStringToObject(j, "verdict", compare_verdict_name(r->verdict));
        cJSON_AddItemToArray(list, j);
    }
    char *text = cJSON_Print(doc);
    cJSON_Delete(doc);
    return text;
}

/* --- the command --- */

static int choose_cols(const struct options *o)
{
    struct winsize ws;
    int cols = o->size_cols;
    if (cols == 0 && !o->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
        cols = ws.ws_col;
    cols = cols ? cols : DEFAULT_COLS;
    return cols < LEAST_COLS ? LEAST_COLS : cols > MOST_COLS ? MOST_COLS : cols;
}

static int make_text(const struct options *o, const struct comparison *k, char **text, size_t *len,
                     struct error *err)
{
    struct canvas c;
    struct theme *theme = NULL;
    bool color = !o->output && isatty(STDOUT_FILENO) && term_depth(o->color) != DEPTH_NONE;
    int rc = theme_load(&theme, o->theme, err);
    if (rc != 0)
        return rc;
    canvas_init(&c);
    c.ascii = o->ascii || (!o->utf8 && !term_utf8());
    compare_draw(&c, choose_cols(o), k, o->operands[0], o->operands[1]);
    FILE *f = open_memstream(text, len);
    rc = !f ? -errno : color ? render_ansi(f, &c, theme, term_depth(o->color)) : render_text(f, &c);
    if (f && fclose(f) != 0 && rc == 0)
        rc = -errno;
    canvas_free(&c);
    theme_free(theme);
    return rc == 0 ? 0
                   : error_set(err, ERROR_INTERNAL, -rc, NULL, "draw the comparison", "%s",
                               strerror(-rc));
}

static int write_out(const struct options *o, const struct comparison *k, struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    struct output out;
    int rc = 0;
    if (o->format && strcmp(o->format, "json") == 0) {
        text = compare_json(k, o->operands[0], o->operands[1]);
        len = strlen(text);
    } else {
        rc = make_text(o, k, &text, &len, err);
    }
    if (rc == 0)
        rc = output_open(&out, o->output, STDOUT_FILENO, false, err);
    if (rc == 0) {
        rc = output_write(&out, text, len, err);
        if (rc == 0 && len && text[len - 1] != '\n')
            rc = output_write(&out, "\n", 1, err);
        int closed = output_close(&out, rc == 0, err);
        rc = rc != 0 ? rc : closed;
    }
    free(text);
    return rc;
}

int compare_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct recording *side[2] = {NULL, NULL};
    struct comparison *k = NULL;
    int rc = 0;
    if (o->noperands != 2)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop compare A.rooftop B.rooftop", "compare",
                       "two session files are needed, %zu given", o->noperands);
    else if (o->format && strcmp(o->format, "json") != 0 && strcmp(o->format, "text") != 0)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "text or json", "compare", "cannot print %s",
                       o->format);
    for (size_t i = 0; i < 2 && rc == 0; i++)
        rc = session_open(&side[i], o->operands[i], &err);
    if (rc == 0)
        rc = compare_recordings(&k, side[0], side[1], &err);
    if (rc == 0)
        rc = write_out(o, k, &err);
    comparison_free(k);
    recording_free(side[0]);
    recording_free(side[1]);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}
