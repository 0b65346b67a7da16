#include "backends/prometheus/server_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- selectors --- */

static void put_matchers(FILE *out, const struct selector *s, bool *first)
{
    static const char *const signs[] = {
        [MATCH_EQUAL] = "=", [MATCH_OTHER] = "!=", [MATCH_REGEX] = "=~", [MATCH_NOT_REGEX] = "!~"};
    for (size_t i = 0; s && i < s->nmatchers; i++) {
        fprintf(out, "%s%s%s\"", *first ? "" : ",", s->matchers[i].label,
                signs[s->matchers[i].kind]);
        for (const char *p = s->matchers[i].value; *p; p++) {
            if (*p == '"' || *p == '\\')
                fputc('\\', out);
            fputc(*p, out);
        }
        fputc('"', out);
        *first = false;
    }
}

static void put_selector(FILE *out, const struct query_form *f, const struct selector *s)
{
    bool first = true;
    if (s->nnames == 1)
        fputs(s->names[0], out);
    fputc('{', out);
    if (s->nnames > 1) {
        fputs("__name__=~\"", out);
        for (size_t i = 0; i < s->nnames; i++)
            fprintf(out, "%s%s", i ? "|" : "", s->names[i]);
        fputc('"', out);
        first = false;
    }
    put_matchers(out, s, &first);
    put_matchers(out, f->match, &first);
    fputc('}', out);
}

/* --- a row --- */

/* The sum or the number of the series of each host, or of each device of it. */
static void put_term(FILE *out, const struct query_form *f, const struct exporter_row *r,
                     const struct selector *s, bool counted)
{
    const bool rate = (r->flags & EXPORTER_RATE) && !counted;
    fprintf(out, "%s by (%s%s%s) (", counted ? "count" : "sum", f->host_label, *r->by ? "," : "",
            r->by);
    if (rate)
        fputs(f->instant ? "irate(" : "rate(", out);
    put_selector(out, f, s);
    if (rate)
        fprintf(out, "[%s])", f->window);
    fputc(')', out);
}

static void put_row(FILE *out, const struct query_form *f, size_t number)
{
    static const char *const joins[] = {[FLEET_JOIN_SUM] = "sum",
                                        [FLEET_JOIN_MEAN] = "avg",
                                        [FLEET_JOIN_MOST] = "max",
                                        [FLEET_JOIN_LEAST] = "min"};
    const struct exporter_row *r = &f->exporters->rows[number];
    fputs("label_replace(", out);
    if (*r->by)
        fprintf(out, "%s by (%s) ", joins[fleet_metrics[r->metric].joined], f->host_label);
    fprintf(out, "(%.17g * (%s", r->scale, r->flags & EXPORTER_REST ? "1 - " : "");
    put_term(out, f, r, &r->series, r->flags & EXPORTER_COUNT);
    if (r->has_over) {
        fputs(" / ", out);
        put_term(out, f, r, &r->over, r->flags & EXPORTER_OVER_COUNT);
    }
    fprintf(out, ")),\"rooftop_row\",\"%zu\",\"\",\"\")", number);
}

/* Which hosts have an exporter that answers the server: `up` is 0 or 1. */
static void put_up(FILE *out, const struct query_form *f)
{
    bool first = true;
    fprintf(out, "label_replace(max by (%s) (up{", f->host_label);
    put_matchers(out, f->match, &first);
    fputs("}),\"rooftop_row\",\"up\",\"\",\"\")", out);
}

/* A row's expression as text, malloc'ed. number SIZE_MAX: that of `up`. */
static char *make_query_part(const struct query_form *f, size_t number)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (number == SIZE_MAX)
        put_up(out, f);
    else
        put_row(out, f, number);
    fclose(out);
    return text;
}

char *query_make(const struct query_form *f, size_t *row)
{
    char *text = NULL;
    size_t size = 0;
    if (*row >= f->exporters->n)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool some = *row == 0;
    if (some)
        put_up(out, f);
    for (; *row < f->exporters->n; ++*row) {
        char *part = make_query_part(f, *row);
        fflush(out);
        const bool fits = !some || !part || size + strlen(part) + 4 < QUERY_BYTES;
        if (fits && part)
            fprintf(out, "%s%s", some ? " or " : "", part);
        free(part);
        if (!fits)
            break;
        some = true;
    }
    fclose(out);
    return text;
}
