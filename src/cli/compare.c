#include "cli/compare.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/compare_kernels.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/version.h"
#include "engine/session.h"
#include "tui/render.h"
#include "engine/export_json_value.h"
#include "tui/term.h"

enum { DEFAULT_COLS = 100, LEAST_COLS = 60, MOST_COLS = 160 };

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
    char *text = json_document(doc, true);
    cJSON_Delete(doc);
    return text;
}

/* --- the command --- */

int compare_cols(const struct options *o)
{
    struct winsize ws;
    int cols = o->size_cols;
    if (cols == 0 && !o->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
        cols = ws.ws_col;
    cols = cols ? cols : DEFAULT_COLS;
    return cols < LEAST_COLS ? LEAST_COLS : cols > MOST_COLS ? MOST_COLS : cols;
}

int compare_render(const struct options *o, compare_drawer drawer, const void *k, char **text,
                   size_t *len, struct error *err)
{
    struct canvas c;
    struct theme *theme = NULL;
    bool color = !o->output && isatty(STDOUT_FILENO) && term_depth(o->color) != DEPTH_NONE;
    int rc = theme_load(&theme, o->theme, err);
    if (rc != 0)
        return rc;
    canvas_init(&c);
    c.ascii = o->ascii || (!o->utf8 && !term_utf8());
    drawer(&c, compare_cols(o), k, o->operands[0], o->operands[1]);
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

int compare_print(const struct options *o, const char *text, size_t len, struct error *err)
{
    struct output out;
    int rc = output_open(&out, o->output, STDOUT_FILENO, false, err);
    if (rc != 0)
        return rc;
    rc = output_write(&out, text, len, err);
    if (rc == 0 && len && text[len - 1] != '\n')
        rc = output_write(&out, "\n", 1, err);
    int closed = output_close(&out, rc == 0, err);
    return rc != 0 ? rc : closed;
}

static void draw_sessions(struct canvas *c, int cols, const void *k, const char *a, const char *b)
{
    compare_draw(c, cols, k, a, b);
}

static int write_out(const struct options *o, const struct comparison *k, struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    int rc = 0;
    if (o->format && strcmp(o->format, "json") == 0) {
        text = compare_json(k, o->operands[0], o->operands[1]);
        len = strlen(text);
    } else {
        rc = compare_render(o, draw_sessions, k, &text, &len, err);
    }
    if (rc == 0)
        rc = compare_print(o, text, len, err);
    free(text);
    return rc;
}

static int compare_sessions(const struct options *o, struct error *err)
{
    struct recording *side[2] = {NULL, NULL};
    struct comparison *k = NULL;
    int rc = 0;
    if (o->format && strcmp(o->format, "json") != 0 && strcmp(o->format, "text") != 0)
        rc = error_set(err, ERROR_USAGE, EINVAL, "text or json", "compare", "cannot print %s",
                       o->format);
    for (size_t i = 0; i < 2 && rc == 0; i++) {
        rc = session_open(&side[i], o->operands[i], err);
        if (rc == 0 && side[i]->note)
            exit_note(side[i]->note);
    }
    if (rc == 0)
        rc = compare_recordings(&k, side[0], side[1], err);
    if (rc == 0)
        rc = write_out(o, k, err);
    comparison_free(k);
    recording_free(side[0]);
    recording_free(side[1]);
    return rc;
}

int compare_run(struct options *o)
{
    struct error err = ERROR_INIT;
    int rc;
    if (o->noperands != 2)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop compare A B", "compare",
                       "two session files, or two profiles, are needed, %zu given", o->noperands);
    else if (session_recognise(o->operands[0]) || session_recognise(o->operands[1]))
        rc = compare_sessions(o, &err);
    else
        rc = compare_profiles(o, &err);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}
