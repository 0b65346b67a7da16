#include "backends/prometheus/exporters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/text_file.h"
#include "engine/value/toml.h"

#define RATE       EXPORTER_RATE
#define COUNT      EXPORTER_COUNT
#define OVER_COUNT EXPORTER_OVER_COUNT
#define REST       EXPORTER_REST

struct exporter_text { /* a row as it is written */
    const char *metric, *series, *over, *by;
    unsigned flags;
    double scale;
    const char *source;
};

static const struct exporter_text built_in[] = {
#define EXPORTER(metric, series, over, by, flags, scale, source)                                   \
    {#metric, series, over, by, flags, scale, source},
#include "backends/prometheus/exporters.def"
};

static int add_exporter(struct exporters *e, const struct exporter_text *t, const char *what,
                        struct error *err)
{
    if (e->n == EXPORTERS_MAX)
        return error_set(err, ERROR_INPUT, E2BIG, NULL, what, "more than %d rows", EXPORTERS_MAX);
    struct exporter_row *r = &e->rows[e->n];
    *r = (struct exporter_row){.metric = fleet_metric_named(t->metric),
                               .flags = t->flags,
                               .scale = t->scale,
                               .by = arena_strdup(&e->texts, t->by),
                               .source = arena_strdup(&e->texts, t->source),
                               .has_over = *t->over};
    if (r->metric == FLEET_METRICS)
        return error_set(err, ERROR_INPUT, EINVAL, "docs/PROMETHEUS.md lists them", what,
                         "no metric of a fleet has the id '%.60s'", t->metric);
    int rc = selector_parse(&r->series, &e->texts, t->series, true, what, err);
    if (rc != 0)
        return rc;
    if (r->has_over)
        rc = selector_parse(&r->over, &e->texts, t->over, true, what, err);
    if (rc != 0)
        selector_free(&r->series);
    else
        e->n++;
    return rc;
}

/* --- a user's file --- */

struct exporter_reader {
    struct exporters *e;
    struct arena texts; /* of the open row */
    struct exporter_text row;
    const char *path;
    int line; /* of the open row; 0: none is open */
    struct error *err;
};

static int close_row(struct exporter_reader *r)
{
    char what[192];
    if (!r->line)
        return 0;
    snprintf(what, sizeof what, "%.150s:%d", r->path, r->line);
    r->line = 0;
    if (!*r->row.metric || !*r->row.series)
        return error_set(r->err, ERROR_INPUT, EINVAL, "see docs/PROMETHEUS.md", what,
                         "a row needs a metric and a series");
    return add_exporter(r->e, &r->row, what, r->err);
}

static int refuse_item(struct exporter_reader *r, const struct toml_item *item, const char *why)
{
    char what[192];
    snprintf(what, sizeof what, "%.150s:%d:%d", r->path, item->line, item->column);
    return error_set(r->err, ERROR_INPUT, EINVAL,
                     "keys are: metric series over by rate count over_count rest scale source",
                     what, "%s", why);
}

static int take_row_text(struct exporter_reader *r, const struct toml_item *item)
{
    const struct {
        const char *key, **at;
    } texts[] = {{"metric", &r->row.metric},
                 {"series", &r->row.series},
                 {"over", &r->row.over},
                 {"by", &r->row.by},
                 {"source", &r->row.source}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].key, item->key) == 0) {
            *texts[i].at = arena_strdup(&r->texts, item->string);
            return 0;
        }
    return refuse_item(r, item, "no key of this kind has this name");
}

static int take_row_flag(struct exporter_reader *r, const struct toml_item *item)
{
    static const struct {
        const char *key;
        unsigned flag;
    } flags[] = {{"rate", RATE}, {"count", COUNT}, {"over_count", OVER_COUNT}, {"rest", REST}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].key, item->key) == 0) {
            r->row.flags |= item->number != 0 ? flags[i].flag : 0;
            return 0;
        }
    return refuse_item(r, item, "no key of this kind has this name");
}

static int visit_exporter_item(void *ctx, const struct toml_item *item)
{
    struct exporter_reader *r = ctx;
    if (strcmp(item->table, "exporter") != 0)
        return refuse_item(r, item, "rows begin with [[exporter]]");
    if (!item->key) {
        const int rc = close_row(r);
        arena_reset(&r->texts);
        r->row = (struct exporter_text){"", "", "", "", 0, 1, "the user's file"};
        r->line = item->line;
        return rc;
    }
    if (item->type == TOML_STRING)
        return take_row_text(r, item);
    if (item->type == TOML_BOOL)
        return take_row_flag(r, item);
    if (item->type != TOML_NUMBER || strcmp(item->key, "scale") != 0)
        return refuse_item(r, item, "no key of this kind has this name");
    r->row.scale = item->number;
    return 0;
}

static int read_exporters(struct exporters *e, const char *path, struct error *err)
{
    struct exporter_reader r = {.e = e, .path = path, .err = err};
    struct toml_failure failure = {0};
    char *text = NULL;
    size_t n;
    int rc = text_file_read(&text, &n, path, err);
    if (rc == 0) {
        rc = toml_walk(text, n, visit_exporter_item, &r, &failure);
        if (rc != 0 && failure.line)
            rc = error_set(err, ERROR_INPUT, EINVAL, NULL, path, "line %d, column %d: %s",
                           failure.line, failure.column, failure.why);
    }
    if (rc == 0)
        rc = close_row(&r);
    arena_free(&r.texts);
    free(text);
    return rc;
}

int exporters_load(struct exporters **out, const char *path, struct error *err)
{
    struct exporters *e = xcalloc(1, sizeof *e);
    e->rows = xcalloc(EXPORTERS_MAX, sizeof *e->rows);
    int rc = path ? read_exporters(e, path, err) : 0;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in && rc == 0; i++)
        rc = add_exporter(e, &built_in[i], "exporters.def", err);
    if (rc != 0) {
        exporters_free(e);
        return rc;
    }
    *out = e;
    return 0;
}

void exporters_free(struct exporters *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->n; i++) {
        selector_free(&e->rows[i].series);
        selector_free(&e->rows[i].over);
    }
    arena_free(&e->texts);
    free(e->rows);
    free(e);
}
