/* What a command or processes have used, once none of them runs. */
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "tui/views/watched/watched.h"
#include "tui/widgets/wrap.h"

enum { END_LABEL = 14, END_TEXT = 192 };

bool watched_has_ended(const struct model *m)
{
    return m->snap && m->snap->target_gone && m->snap->use.processes == 0;
}

static void draw_end_row(struct canvas *c, struct rect *r, const char *label, const char *text)
{
    if (r->h <= 0)
        return;
    canvas_text(c, r->x, r->y, END_LABEL - 1, label, STYLE(STYLE_DIM));
    const struct rect value = {r->x + END_LABEL, r->y, r->w - END_LABEL, r->h};
    const int rows = wrap_draw(c, value, text, STYLE(STYLE_TEXT));
    r->y += rows;
    r->h -= rows;
}

static void write_peak(const struct snapshot *s, bool ascii, char *out)
{
    const struct command_usage *u = &s->command.usage;
    char sum[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX];
    const struct value largest = value_ok((double)u->max_rss, UNIT_BYTES);
    size_t n = 0;
    value_format(&s->use.memory_peak, ascii, sum);
    if (u->known && u->max_rss > u->max_rss_before)
        n = (size_t)snprintf(out, END_TEXT, "%s in one process; ",
                             value_format(&largest, ascii, most));
    if (s->use.memory_peak.validity == VALUE_OK)
        snprintf(out + n, END_TEXT - n, "%s in all of them, as sampled", sum);
    else
        snprintf(out + n, END_TEXT - n, "no sample was taken while it ran");
}

static void write_cpu(const struct snapshot *s, bool ascii, char *out)
{
    const struct command_usage *u = &s->command.usage;
    const struct target_use *use = &s->use;
    char all[VALUE_TEXT_MAX], user[VALUE_TEXT_MAX], kernel[VALUE_TEXT_MAX];
    size_t n = (size_t)snprintf(out, END_TEXT, "%s", value_format(&use->cpu_time, ascii, all));
    if (u->known)
        n += (size_t)snprintf(out + n, END_TEXT - n, ": user %s, system %s",
                              value_time(1e9 * u->user_s, ascii, user),
                              value_time(1e9 * u->system_s, ascii, kernel));
    if (use->elapsed.validity == VALUE_OK && use->elapsed.v > 0 && s->target_kind == TARGET_COMMAND)
        snprintf(out + n, END_TEXT - n, "; %.0f %% of one CPU",
                 100 * use->cpu_time.v / use->elapsed.v);
}

static void write_all_faults(const struct target_use *u, bool ascii, char *out)
{
    char all[VALUE_TEXT_MAX], disk[VALUE_TEXT_MAX];
    snprintf(out, END_TEXT, "%s, %s of them from disk", value_format(&u->faults, ascii, all),
             value_format(&u->major_faults, ascii, disk));
}

static void draw_output_row(struct canvas *c, struct rect *r, const struct snapshot *s)
{
    char text[END_TEXT], bytes[VALUE_TEXT_MAX];
    const struct value v = value_ok((double)s->command.output_total, UNIT_BYTES);
    if (!s->command.output)
        return;
    snprintf(text, sizeof text, "%s: o shows it", value_format(&v, c->ascii, bytes));
    draw_end_row(c, r, "output", s->command.output_total ? text : "none");
}

void watched_end(struct canvas *c, struct rect r, const struct model *m)
{
    const struct snapshot *s = m->snap;
    const struct command_usage *u = &s->command.usage;
    char text[END_TEXT];
    watched_state(s, c->ascii, text, sizeof text);
    draw_end_row(c, &r, "end", text);
    write_peak(s, c->ascii, text);
    draw_end_row(c, &r, "peak memory", text);
    write_cpu(s, c->ascii, text);
    draw_end_row(c, &r, "cpu time", text);
    write_all_faults(&s->use, c->ascii, text);
    draw_end_row(c, &r, "page faults", text);
    if (u->known) {
        char waited[VALUE_TEXT_MAX], forced[VALUE_TEXT_MAX];
        const struct value by_itself = value_ok((double)u->voluntary, UNIT_COUNT);
        const struct value by_kernel = value_ok((double)u->forced, UNIT_COUNT);
        snprintf(text, sizeof text, "it waited %s %s, was made to wait %s %s",
                 value_format(&by_itself, c->ascii, waited), plural(u->voluntary, "time", "times"),
                 value_format(&by_kernel, c->ascii, forced), plural(u->forced, "time", "times"));
        draw_end_row(c, &r, "switches", text);
    }
    draw_output_row(c, &r, s);
}
