#include "engine/bench/history_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum filter_match { MATCH_WHOLE, MATCH_START, MATCH_PART };

/* What a point is filtered by; at: of struct bench_conditions, -1: the compiler's text. */
static const struct {
    const char *name;
    enum filter_match match;
    long at;
} rows[] = {
    {"host", MATCH_WHOLE, offsetof(struct bench_conditions, host)},
    {"branch", MATCH_WHOLE, offsetof(struct bench_conditions, branch)},
    {"commit", MATCH_START, offsetof(struct bench_conditions, commit)},
    {"cpu", MATCH_PART, offsetof(struct bench_conditions, cpu)},
    {"kernel", MATCH_PART, offsetof(struct bench_conditions, kernel)},
    {"governor", MATCH_PART, offsetof(struct bench_conditions, governor)},
    {"compiler", MATCH_PART, -1},
};
enum { ROWS = sizeof rows / sizeof *rows, ROW_HOST = 0 };

static int read_condition(struct history_filter *f, char *word, struct error *err)
{
    static const char help[] =
        "host=, branch=, commit=, cpu=, kernel=, governor= or compiler=, with commas between them";
    char *equals = strchr(word, '=');
    if (f->n == HISTORY_FILTERS)
        return error_set(err, ERROR_USAGE, E2BIG, NULL, "--where", "at most %d conditions",
                         HISTORY_FILTERS);
    if (!equals || !equals[1])
        return error_set(err, ERROR_USAGE, EINVAL, help, "--where", "'%s' has no value", word);
    *equals = '\0';
    for (int i = 0; i < ROWS; i++)
        if (strcmp(word, rows[i].name) == 0) {
            f->list[f->n++] = (struct history_condition){i, equals + 1};
            return 0;
        }
    return error_set(err, ERROR_USAGE, EINVAL, help, "--where", "'%s' is not known of a run", word);
}

int history_filter_read(struct history_filter *f, const char *text, struct error *err)
{
    *f = (struct history_filter){.n = 0};
    if (!text)
        return 0;
    if (strlen(text) >= sizeof f->text)
        return error_set(err, ERROR_USAGE, ENAMETOOLONG, NULL, "--where", "the text is too long");
    snprintf(f->text, sizeof f->text, "%s", text);
    int rc = 0;
    char *at = f->text;
    for (char *word; rc == 0 && (word = strsep(&at, ","));)
        rc = read_condition(f, word, err);
    return rc;
}

/* The host is the series', not the point's. */
static bool point_fulfils(const struct history_condition *c, const struct history_series *s,
                          const struct history_point *p)
{
    const char *text = p->compiler;
    if (c->what == ROW_HOST)
        text = s->host;
    else if (rows[c->what].at >= 0)
        text = (const char *)&p->conditions + rows[c->what].at;
    if (rows[c->what].match == MATCH_PART)
        return strstr(text, c->value) != NULL;
    if (rows[c->what].match == MATCH_START)
        return strncmp(text, c->value, strlen(c->value)) == 0;
    return strcmp(text, c->value) == 0;
}

static void keep_points(const struct history_filter *f, struct history_series *s)
{
    size_t kept = 0, accepted = 0;
    for (size_t i = 0; i < s->n; i++) {
        bool all = true;
        for (size_t k = 0; k < f->n && all; k++)
            all = point_fulfils(&f->list[k], s, &s->points[i]);
        if (!all)
            continue;
        accepted += i < s->accepted;
        s->points[kept++] = s->points[i];
    }
    s->n = kept;
    s->accepted = accepted;
}

void history_filter_keep(const struct history_filter *f, struct history_list *l)
{
    size_t kept = 0;
    if (f->n == 0)
        return;
    for (size_t i = 0; i < l->n; i++) {
        keep_points(f, &l->list[i]);
        if (l->list[i].n) {
            l->list[kept++] = l->list[i];
        } else {
            free(l->list[i].points);
            free(l->list[i].changes);
        }
    }
    l->n = kept;
}
