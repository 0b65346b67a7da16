/* What a server answers: series of numbers of hosts. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/server_query.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/print.h"
#include "exposition/exposition_number.h"
#include "json/json.h"

enum { ROW_NONE = -2, ROW_UP = -1, WORD = 256 };

struct point {
    double at_s, v;
};

/* One series of an answer; its members may come in any order. */
struct series {
    char host[WORD];
    int row; /* ROW_NONE: not one of ours */
    struct point *points;
    size_t n, cap;
};

void grid_begin(struct grid *g, double first_s, double step_s, size_t times)
{
    *g = (struct grid){.first_s = first_s, .step_s = step_s, .times = times};
}

void grid_free(struct grid *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->hosts[i].v);
    free(g->hosts);
    hash_table_free(&g->by_name);
    *g = (struct grid){0};
}

/* The host of that name; NULL: there are too many. */
static struct grid_host *find_grid_host(struct grid *g, const char *name)
{
    const uint64_t hash = hash_text(0, name);
    HASH_EACH (&g->by_name, hash, i)
        if (strcmp(g->hosts[i].name, name) == 0)
            return &g->hosts[i];
    if (g->n == FLEET_HOSTS_MAX)
        return NULL;
    struct grid_host fresh = {.known = false};
    const size_t numbers = g->times * FLEET_METRICS;
    snprintf(fresh.name, sizeof fresh.name, "%s", name);
    fresh.v = xcalloc(numbers, sizeof *fresh.v);
    for (size_t i = 0; i < numbers; i++)
        fresh.v[i] = NAN;
    hash_table_add(&g->by_name, hash, g->n);
    LIST_ADD(g->hosts, g->n, g->cap, fresh);
    return &g->hosts[g->n - 1];
}

/* "node1:9100" is node1 to the user: several exporters of a host have ports of their own. */
static void remove_port(char *host)
{
    char *colon = strrchr(host, ':');
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
        (colon == strchr(host, ':') || colon[-1] == ']'))
        *colon = '\0';
}

/* A row that stands before that which filled the host's numbers so far replaces them. */
static bool takes_row(const struct grid *g, struct grid_host *h, int row, enum fleet_metric m)
{
    const uint16_t rank = (uint16_t)(row + 1);
    if (h->rank[m] && h->rank[m] < rank)
        return false;
    for (size_t i = 0; h->rank[m] != rank && i < g->times; i++)
        h->v[i * FLEET_METRICS + m] = NAN;
    h->rank[m] = rank;
    return true;
}

static void keep_series(struct grid *g, const struct query_form *f, struct series *s)
{
    if (s->row == ROW_NONE || !*s->host || s->row >= (int)f->exporters->n || s->n == 0)
        return;
    char name[FLEET_NAME];
    if (strcmp(f->host_label, "instance") == 0)
        remove_port(s->host);
    print_line(name, sizeof name, "%s", s->host); /* as the fleet keeps it: one row, one name */
    struct grid_host *h = find_grid_host(g, name);
    if (!h)
        return;
    if (s->row == ROW_UP) {
        const bool up = s->points[s->n - 1].v > 0;
        h->up = h->up || up;
        h->down = h->down || !up;
        return;
    }
    const enum fleet_metric m = f->exporters->rows[s->row].metric;
    if (!takes_row(g, h, s->row, m))
        return;
    for (size_t i = 0; i < s->n; i++) {
        const double at = g->step_s > 0 ? (s->points[i].at_s - g->first_s) / g->step_s : 0;
        if (at < -0.5 || at + 0.5 >= (double)g->times || !isfinite(s->points[i].v))
            continue;
        h->v[(size_t)(at + 0.5) * FLEET_METRICS + m] = (float)s->points[i].v;
        h->known = true;
    }
}

/* --- JSON --- */

/* [time, "value"] */
static void read_series_point(struct json *j, struct series *s)
{
    char digits[64] = "";
    struct point p = {.v = NAN};
    if (!json_array(j))
        return;
    if (json_item(j))
        p.at_s = json_double(j, "time");
    if (json_item(j))
        json_copy(j, "value", digits, sizeof digits);
    json_leave(j);
    if (exposition_number(digits, strlen(digits), &p.v))
        LIST_ADD(s->points, s->n, s->cap, p);
}

static void read_series_labels(struct json *j, const struct query_form *f, struct series *s)
{
    char key[WORD], text[WORD];
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        const bool row = strcmp(key, "rooftop_row") == 0;
        if (row) {
            json_copy(j, key, text, sizeof text);
            s->row = strcmp(text, "up") == 0 ? ROW_UP : ROW_NONE;
            if (isdigit((unsigned char)text[0]) && strlen(text) < 6)
                s->row = atoi(text);
        } else if (strcmp(key, f->host_label) == 0) {
            json_copy(j, key, s->host, sizeof s->host);
        } else {
            json_skip(j);
        }
    }
}

static void read_answered_series(struct json *j, const struct query_form *f, struct series *s)
{
    char key[WORD];
    s->host[0] = '\0';
    s->row = ROW_NONE;
    s->n = 0;
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "metric") == 0)
            read_series_labels(j, f, s);
        else if (strcmp(key, "value") == 0)
            read_series_point(j, s);
        else if (strcmp(key, "values") == 0 && json_array(j))
            while (json_item(j))
                read_series_point(j, s);
        else
            json_skip(j);
    }
}

static void read_data(struct json *j, struct grid *g, const struct query_form *f)
{
    char key[WORD];
    struct series s = {.row = ROW_NONE};
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "result") != 0)
            json_skip(j);
        else if (json_array(j))
            while (json_item(j)) {
                read_answered_series(j, f, &s);
                if (j->rc == 0)
                    keep_series(g, f, &s);
            }
    }
    free(s.points);
}

int grid_read(struct grid *g, const struct query_form *f, const char *text, size_t size,
              struct error *err)
{
    struct json j;
    char key[WORD], status[16] = "", words[WORD] = "";
    bool data = false;
    json_open(&j, "the answer", text, size, err);
    if (json_object(&j))
        while (json_key(&j, key, sizeof key)) {
            if (strcmp(key, "status") == 0)
                json_copy(&j, key, status, sizeof status);
            else if (strcmp(key, "error") == 0)
                json_copy(&j, key, words, sizeof words);
            else if (strcmp(key, "data") == 0 && (data = json_type(&j) == '{'))
                read_data(&j, g, f);
            else
                json_skip(&j);
        }
    json_end(&j);
    json_close(&j);
    if (j.rc != 0)
        return j.rc;
    if (strcmp(status, "success") != 0 || !data)
        return error_set(err, ERROR_INPUT, EIO, NULL, "the server", "%.200s",
                         words[0] ? words : "its answer has neither data nor an error");
    return 0;
}
