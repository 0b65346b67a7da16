#include "engine/summary/summary.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "engine/summary/summary_impl.h"

enum { LINE_BYTES = 2048 };

void summary_add(struct summary *s, struct summary_line line)
{
    LIST_ADD(s->lines, s->n, s->cap, line);
}

static void add_said_line(struct summary *s, struct summary_line line, const char *fmt, va_list ap)
{
    char text[LINE_BYTES];
    vsnprintf(text, sizeof text, fmt, ap);
    line.text = arena_strdup(&s->memory, text_whole(text));
    summary_add(s, line);
}

void summary_say(struct summary *s, const char *label, const char *more, const char *how,
                 const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_said_line(s, (struct summary_line){.label = label, .more = more, .how = how}, fmt, ap);
    va_end(ap);
}

void summary_verdict(struct summary *s, const char *more, const char *how, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const struct summary_line line = {
        .label = "verdict", .more = more, .how = how, .tone = SUMMARY_VERDICT};
    add_said_line(s, line, fmt, ap);
    va_end(ap);
}

const char *summary_count(struct summary *s, uint64_t n, const char *one, const char *many)
{
    return arena_printf(&s->memory, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

void summary_head(struct summary *s, const char *text)
{
    if (*text)
        s->head = arena_printf(&s->memory, "%s%s%s", s->head, *s->head ? " · " : "", text);
}

const char *summary_time(struct summary *s, double ns, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    return arena_strdup(&s->memory, value_time(ns, ascii, text));
}

const char *summary_value(struct summary *s, double v, enum unit unit, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    const struct value x = value_ok(v, unit);
    return arena_strdup(&s->memory, value_format(&x, ascii, text));
}

double summary_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* What the reader of the files has to say: what it chose, could not read, or could not join. */
static void add_trace_notes(struct summary *s, const struct trace *t)
{
    enum { MOST = 3 };
    for (uint32_t i = 0; i < t->nnotes && i < MOST; i++)
        summary_add(s, (struct summary_line){.label = i ? "" : "notes",
                                             .text = arena_strdup(&s->memory, t->notes[i]),
                                             .how = "What the reader chose, or could not read or "
                                                    "join. Reports print it on standard error.",
                                             .tone = SUMMARY_FAINT});
    if (t->nnotes > MOST)
        summary_add(s,
                    (struct summary_line){
                        .label = "",
                        .text = arena_printf(&s->memory, "and %" PRIu32 " more", t->nnotes - MOST),
                        .tone = SUMMARY_FAINT});
}

void summary_make(struct summary *out, const struct subject *s, bool ascii)
{
    *out = (struct summary){.head = ""};
    if (s->profile && s->profile->trace.samples)
        summary_add_samples(out, &s->profile->trace, ascii);
    else if (s->profile)
        summary_add_profile(out, s->profile, ascii);
    else if (s->session)
        summary_add_session(out, s->session, ascii);
    else if (s->job)
        summary_add_job(out, s->job, ascii);
    else if (s->hang)
        summary_add_hang(out, s->hang, ascii);
    else if (s->captures.n)
        summary_add_captures(out, s, ascii);
    else if (s->code)
        summary_add_code(out, s->code, ascii);
    else if (s->traces)
        summary_add_traces(out, s->traces, ascii);
    if (s->profile)
        add_trace_notes(out, &s->profile->trace);
    if (!out->first)
        out->first = out->n;
}

void summary_free(struct summary *s)
{
    free(s->lines);
    arena_free(&s->memory);
    *s = (struct summary){.n = 0};
}
