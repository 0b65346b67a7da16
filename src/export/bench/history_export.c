#include "export/bench/history_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/value/document.h"
#include "engine/value/value.h"
#include "export/github.h"

enum { LEFT = 2, LEVELS = 8, DAY = 16 /* "2026-11-23T13:00" */ };

const char *history_value(const struct history_series *s, double v, bool ascii, char out[48])
{
    char text[VALUE_TEXT_MAX];
    struct value value = value_ok(v, UNIT_SECONDS);
    if (strcmp(s->unit, "s") == 0)
        print_line(out, 48, "%s", value_format(&value, ascii, text));
    else if (strcmp(s->unit, "ratio") == 0) /* of the times of two commands */
        print_line(out, 48, "%.3gx", v);
    else
        print_line(out, 48, "%.4g %s", v, s->unit);
    return out;
}

static void write_percent(FILE *out, const struct change *c)
{
    fprintf(out, "%+.1f %%", 100 * (c->after / c->before - 1));
}

/* --- text --- */

/* Draws the last points that fit, a character each, scaled from the least to the largest. */
static void write_graph(FILE *out, const struct history_series *s, int cols, bool ascii)
{
    static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[LEVELS] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    size_t room = cols > LEFT + 1 ? (size_t)(cols - LEFT) : 1;
    size_t from = s->n > room ? s->n - room : 0;
    double low = INFINITY, high = 0;
    for (size_t i = from; i < s->n; i++) {
        low = fmin(low, s->points[i].value);
        high = fmax(high, s->points[i].value);
    }
    fputs("  ", out);
    for (size_t i = from; i < s->n; i++) {
        double share = high > low ? (s->points[i].value - low) / (high - low) : 0;
        print_text(out, "%s", (ascii ? plain : blocks)[(int)(share * (LEVELS - 1) + 0.5)]);
    }
    fputs("\n", out);
}

/* Marks the changes below the graph by their numbers. */
static void write_marks(FILE *out, const struct history_series *s, int cols)
{
    size_t room = cols > LEFT + 1 ? (size_t)(cols - LEFT) : 1;
    size_t from = s->n > room ? s->n - room : 0, column = 0;
    for (size_t i = 0; i < s->nchanges; i++) {
        if (s->changes[i].at < from)
            continue;
        for (size_t at = s->changes[i].at - from + LEFT; column < at; column++)
            fputc(' ', out);
        fprintf(out, "%zu", i % 9 + 1);
        column++;
    }
    if (column)
        fputc('\n', out);
}

static void write_change(FILE *out, const struct history_series *s, size_t i, bool ascii)
{
    const struct change *c = &s->changes[i];
    char before[48], after[48], utc[40], reason[256];
    bool worse = (c->after > c->before) != s->more_is_good;
    print_text(out, "  %zu: %s, %s to %s (", i + 1, worse ? "worse" : "better",
               history_value(s, c->before, ascii, before),
               history_value(s, c->after, ascii, after));
    write_percent(out, c);
    print_text(out, ") since %.*s, found %zu run%s later", DAY,
               utc_text(s->points[c->at].time_ns, utc), c->found - c->at,
               c->found - c->at == 1 ? "" : "s");
    history_reason(s, c->at, reason, sizeof reason);
    print_text(out, "%s%s%s\n", *reason ? "; " : "", reason,
               c->at < s->accepted && worse ? "; accepted" : "");
}

/* Says how the failed runs of the last such point ended, and how many points had failed runs. */
static void write_failed(FILE *out, const struct history_series *s)
{
    char ends[96];
    const struct history_point *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->points[i].ends.failed) {
            last = &s->points[i];
            n++;
        }
    if (last)
        print_text(out, "  runs failed in %zu of %zu measurements, in the last of these %s\n", n,
                   s->n, bench_ends_text(&last->ends, ends));
}

void history_write_text(FILE *out, const struct history_list *l, int cols, bool ascii)
{
    static const char *const alarms[] = {[HISTORY_QUIET] = "",
                                         [HISTORY_WARN] = ": warning, below 2.9",
                                         [HISTORY_LOW] = ": LOW, below 2.5",
                                         [HISTORY_CHANGED] = ": WORSE",
                                         [HISTORY_FAILING] = ": FAILING"};
    if (l->n == 0)
        fputs(
            "no series is stored under this name: rooftop compare -- CMD stores what it measures\n",
            out);
    for (size_t k = 0; k < l->n; k++) {
        const struct history_series *s = &l->list[k];
        char now[48], low[48], high[48];
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < s->n; i++) {
            least = fmin(least, s->points[i].value);
            most = fmax(most, s->points[i].value);
        }
        print_text(out, "%s%s%s%s\n", s->name, *s->host ? " on " : "", s->host, alarms[s->alarm]);
        if (s->n == 0)
            continue;
        write_graph(out, s, cols, ascii);
        write_marks(out, s, cols);
        history_value(s, s->points[s->n - 1].value, ascii, now);
        if (s->n == 1)
            print_text(out, "  %s in 1 run\n", now);
        else
            print_text(out, "  now %s, between %s and %s in %zu runs\n", now,
                       history_value(s, least, ascii, low), history_value(s, most, ascii, high),
                       s->n);
        write_failed(out, s);
        for (size_t i = 0; i < s->nchanges; i++)
            write_change(out, s, i, ascii);
    }
}

/* --- the short answer --- */

/* Alarms come first, then what changed last. */
static double weigh_series(const struct history_series *s)
{
    const double changed = s->nchanges ? (double)s->changes[s->nchanges - 1].at : 0;
    return (double)s->alarm * 1e9 + changed;
}

static void brief_series(struct brief *b, const struct history_series *s, bool ascii)
{
    char now[48], name[160], last[64] = "";
    print_line(name, sizeof name, "%s%s%s", s->name, *s->host ? " on " : "", s->host);
    if (s->n == 0) {
        brief_row(b, name, "no run is stored");
        return;
    }
    if (s->nchanges) {
        const struct change *c = &s->changes[s->nchanges - 1];
        snprintf(last, sizeof last, "; the last change, %zu %s ago: %+.1f %%", s->n - c->at,
                 plural(s->n - c->at, "run", "runs"), 100 * (c->after / c->before - 1));
    }
    brief_row(b, name, "%s: now %s in %zu run%s%s", history_alarm_name(s->alarm),
              history_value(s, s->points[s->n - 1].value, ascii, now), s->n, s->n == 1 ? "" : "s",
              last);
}

void history_brief(struct brief *b, const struct history_list *l, bool ascii)
{
    struct brief_top top = {.n = 0};
    size_t alarmed = 0, runs = 0;
    for (size_t i = 0; i < l->n; i++) {
        alarmed += history_alarmed(&l->list[i]);
        runs += l->list[i].n;
        brief_top_add(&top, i, weigh_series(&l->list[i]));
    }
    if (l->n == 0)
        brief_verdict(b, "no series is stored under this name");
    else
        brief_verdict(b, "%zu of %zu series %s alarmed", alarmed, l->n,
                      alarmed == 1 ? "is" : "are");
    brief_evidence(b, "%zu run%s %s stored", runs, runs == 1 ? "" : "s", runs == 1 ? "is" : "are");
    for (size_t i = 0; i < top.n; i++)
        brief_series(b, &l->list[top.index[i]], ascii);
    b->left_out += top.left_out;
}

void history_annotate(FILE *out, const struct history_list *l, bool fails)
{
    for (size_t i = 0; i < l->n; i++) {
        struct brief b = {.command = "compare history"};
        if (!history_alarmed(&l->list[i]))
            continue;
        brief_series(&b, &l->list[i], true);
        github_annotate(out, fails ? "error" : "warning", NULL, 0, b.rows[0].what,
                        b.rows[0].measure);
    }
}

/* --- JSON, CSV --- */

static cJSON *change_object(const struct history_series *s, const struct change *c)
{
    char utc[40], reason[256];
    cJSON *o = cJSON_CreateObject();
    json_add_number(o, "at", (double)c->at);
    json_add_number(o, "found", (double)c->found);
    json_add_text(o, "time", utc_text(s->points[c->at].time_ns, utc));
    json_add_number(o, "before", c->before);
    json_add_number(o, "after", c->after);
    cJSON_AddBoolToObject(o, "worse", (c->after > c->before) != s->more_is_good);
    json_add_text(o, "reason", history_reason(s, c->at, reason, sizeof reason));
    return o;
}

static cJSON *point_object(const struct history_point *p, const double *samples, size_t n)
{
    char utc[40];
    cJSON *o = cJSON_CreateObject(), *counters;
    json_add_text(o, "time", utc_text(p->time_ns, utc));
    json_add_number(o, "value", p->value);
    json_add_text(o, "tool", p->tool);
    json_add_text(o, "commit", p->conditions.commit);
    json_add_text(o, "branch", p->conditions.branch);
    json_add_text(o, "cpu", p->conditions.cpu);
    json_add_text(o, "kernel", p->conditions.kernel);
    json_add_text(o, "governor", p->conditions.governor);
    json_add_text(o, "turbo", p->conditions.turbo);
    json_add_text(o, "smt", p->conditions.smt);
    json_add_text(o, "microcode", p->conditions.microcode);
    json_add_number(o, "load", p->load);
    json_add_text(o, "compiler", p->compiler);
    json_add_number(o, "failed", p->ends.runs ? (double)p->ends.failed : NAN);
    counters = cJSON_AddObjectToObject(o, "counters");
    for (int c = 0; c < BENCH_COUNTERS; c++)
        json_add_number(counters, bench_counter_names[c], p->counters[c]);
    json_add_doubles(o, "samples", samples, n);
    return o;
}

/* Makes an object of everything in a series but its points. */
static cJSON *series_object(const struct history_series *s)
{
    cJSON *o = cJSON_CreateObject(), *changes;
    json_add_text(o, "name", s->name);
    json_add_text(o, "host", s->host);
    json_add_text(o, "unit", s->unit);
    cJSON_AddBoolToObject(o, "more_is_good", s->more_is_good);
    json_add_text(o, "alarm", history_alarm_name(s->alarm));
    json_add_number(o, "accepted", (double)s->accepted);
    changes = cJSON_AddArrayToObject(o, "changes");
    for (size_t i = 0; i < s->nchanges; i++)
        cJSON_AddItemToArray(changes, change_object(s, &s->changes[i]));
    return o;
}

/* Writes an object without its closing brace, so that members can follow. */
static void write_unclosed(FILE *out, const cJSON *o)
{
    char *text = json_document(o, true), *brace = text ? strrchr(text, '\n') : NULL;
    if (brace)
        *brace = '\0';
    fputs(text ? text : "{", out); /* raw: a document */
    free(text);
}

/* Reads and writes samples point by point: a history of years does not fit into memory. */
static int write_points(FILE *out, struct bench_history *h, const struct history_series *s,
                        struct error *err)
{
    int rc = 0;
    fputs(",\n\t\"points\":\t[", out);
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        double *v;
        size_t n;
        rc = bench_history_samples(h, s->points[i].id, &v, &n, err);
        cJSON *o = point_object(&s->points[i], v, n);
        fputs(i ? ",\n" : "\n", out);
        json_write(out, o, true);
        cJSON_Delete(o);
        free(v);
    }
    fputs("]", out);
    return rc;
}

int history_write_json(FILE *out, struct bench_history *h, const struct history_list *l,
                       struct error *err)
{
    int rc = 0;
    fputs("{\"schema\":\t\"rooftop.history/1\",\n\"series\":\t[", out);
    for (size_t k = 0; k < l->n && rc == 0; k++) {
        fputs(k ? ",\n" : "\n", out);
        cJSON *o = series_object(&l->list[k]);
        write_unclosed(out, o);
        cJSON_Delete(o);
        rc = write_points(out, h, &l->list[k], err);
        fputs("\n}", out);
    }
    fputs("]}\n", out);
    return rc;
}

static const char *change_word_of(const struct history_series *s, const struct change *c)
{
    return (c->after > c->before) != s->more_is_good ? "worse" : "better";
}

void history_write_csv(FILE *out, const struct history_list *l)
{
    fputs("series,host,unit,time,value,samples,load,commit,cpu,kernel,governor,turbo,smt,"
          "microcode,tool,change,compiler,failed,branch",
          out);
    for (int c = 0; c < BENCH_COUNTERS; c++)
        print_csv(out, ",%s", bench_counter_names[c]);
    fputc('\n', out);
    for (size_t k = 0; k < l->n; k++) {
        const struct history_series *s = &l->list[k];
        for (size_t i = 0, next = 0; i < s->n; i++) {
            const struct history_point *p = &s->points[i];
            bool change = next < s->nchanges && s->changes[next].at == i;
            char utc[40];
            print_csv(out, "%s,%s,%s,%s,%.9g,%zu", s->name, s->host, s->unit,
                      utc_text(p->time_ns, utc), p->value, p->n);
            csv_write_number(out, p->load);
            print_csv(out, ",%s,%s,%s,%s,%s,%s,%s,%s,%s,%s", p->conditions.commit,
                      p->conditions.cpu, p->conditions.kernel, p->conditions.governor,
                      p->conditions.turbo, p->conditions.smt, p->conditions.microcode, p->tool,
                      change ? change_word_of(s, &s->changes[next]) : "", p->compiler);
            csv_write_number(out, p->ends.runs ? (double)p->ends.failed : NAN);
            print_csv(out, ",%s", p->conditions.branch);
            for (int c = 0; c < BENCH_COUNTERS; c++)
                csv_write_number(out, p->counters[c]);
            fputc('\n', out);
            next += change;
        }
    }
}
