#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/live/metric.h"
#include "tui/app/app_state.h"
#include "tui/model/counter_key.h"
#include "tui/overlays/overlays_impl.h"
#include "tui/views/procs/procs.h"

static const char *percent_text(float share, char out[16])
{
    snprintf(out, 16, "%.1f %%", (double)share * 100);
    return out;
}

static void explain_value(struct page *p, const struct value *v)
{
    char text[VALUE_TEXT_MAX], share[16];
    if (v->validity == VALUE_OK)
        page_item(p, "value", "%s  (%.10g %s)", value_format(v, 0, text), v->v,
                  unit_name((enum unit)v->unit));
    else
        page_item(p, "value", "%s: %s", value_format(v, 0, text),
                  v->why ? v->why : "no reason given");
    if (v->validity == VALUE_OK)
        page_item(p, "counted", "%s of the interval%s%s", percent_text(v->running, share),
                  v->flags & VALUE_SCALED ? "; scaled up to all of it" : "",
                  v->flags & VALUE_LOW_CONFIDENCE ? "; that is little, so the value is uncertain"
                                                  : "");
    if (v->validity == VALUE_OK && (v->flags & VALUE_CROSS_GROUP))
        page_item(p, "", "its operands were counted in different groups, so at different times");
    if (v->flags & VALUE_MODELLED)
        page_item(p, "", "a modelled number, not a measurement");
}

/* label: what is listed for each CPU, which need not be the value above. */
static void explain_spread(struct page *p, const char *label, const struct value *percpu,
                           const struct snapshot *s)
{
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    int lo = -1, hi = -1;
    for (int i = 0; percpu && s->host && i < s->host->ncpus; i++) {
        if (percpu[i].validity != VALUE_OK)
            continue;
        lo = lo < 0 || percpu[i].v < percpu[lo].v ? i : lo;
        hi = hi < 0 || percpu[i].v > percpu[hi].v ? i : hi;
    }
    if (lo >= 0)
        page_item(p, label, "lowest %s on cpu%d, highest %s on cpu%d",
                  value_format(&percpu[lo], 0, a), s->cpus[lo].id, value_format(&percpu[hi], 0, b),
                  s->cpus[hi].id);
}

static void counter_lines(struct page *p, const struct counter *k)
{
    char text[VALUE_TEXT_MAX], share[16], group[32] = "counted alone";
    char enabled[VALUE_TEXT_MAX], running[VALUE_TEXT_MAX];
    if (k->group >= 0)
        snprintf(group, sizeof group, "group %d", k->group);
    value_format(&k->delta, 0, text);
    if (k->delta.validity == VALUE_OK)
        page_item(p, k->name, "%s scaled, %" PRIu64 " raw; enabled %s, running %s (%s); %s", text,
                  k->raw, value_time((double)k->enabled_ns, false, enabled),
                  value_time((double)k->running_ns, false, running),
                  percent_text(k->delta.running, share), group);
    else
        page_item(p, k->name, "%s: %s", text, k->delta.why ? k->delta.why : "no reason given");
}

/* Lists every counter of the set whose name is a word of the formula. */
static void add_formula_counts(struct page *p, const struct metric_def *d, const struct snapshot *s)
{
    bool first = true;
    for (size_t i = 0; i < s->ncounters; i++) {
        const struct counter *k = &s->counters[i];
        size_t n = strlen(k->name);
        for (const char *at = d->formula; n && at && (at = strstr(at, k->name)); at += n) {
            bool head = at == d->formula || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
            bool tail = !(isalnum((unsigned char)at[n]) || at[n] == '_');
            bool here = strcmp(k->set, d->set) == 0;
            size_t m = strlen(k->set);
            bool named =
                at > d->formula + m && at[-1] == '.' && strncmp(at - 1 - m, k->set, m) == 0;
            if (head && tail && (here || named)) {
                if (first)
                    page_heading(p, "Counts of this interval");
                first = false;
                counter_lines(p, k);
                break;
            }
        }
    }
}

static void explain_metric(struct page *p, const struct metric *k, const struct snapshot *s)
{
    const struct metric_def *d = k->def;
    page_heading(p, d->label);
    if (d->what)
        page_text(p, STYLE_TEXT, "%s", d->what);
    page_text(p, STYLE_TEXT, " ");
    explain_value(p, &k->value);
    explain_spread(p, "per CPU", k->percpu, s);
    page_item(p, "formula", "%s", d->formula ? d->formula : "");
    page_item(p, "event set", "%s", d->set ? d->set : "");
    if (d->parent)
        page_item(p, "part of", "%s (top-down level %d)", d->parent, d->level);
    if (d->reference)
        page_item(p, "source", "%s", d->reference);
    if (d->warn_above > 0)
        page_item(p, "marked", "above %g", d->warn_above);
    add_formula_counts(p, d, s);
}

static void explain_counter(struct page *p, const struct counter *k, const struct snapshot *s)
{
    page_heading(p, k->name);
    if (k->desc[0])
        page_text(p, STYLE_TEXT, "%s", k->desc);
    page_text(p, STYLE_TEXT, " ");
    explain_value(p, &k->rate);
    explain_spread(p, k->gauge ? "per CPU" : "count per CPU", k->percpu, s);
    page_item(p, "encoded as", "%s", k->spec);
    page_item(p, "counted by", "%s, set %s", k->source, k->set);
    if (!k->gauge)
        counter_lines(p, k);
    else
        page_item(p, "kind", "a gauge: the value at the moment of reading");
}

static void explain_proc(struct page *p, const struct proc *k)
{
    char text[VALUE_TEXT_MAX];
    struct value rss = value_ok((double)k->rss, UNIT_BYTES),
                 virt = value_ok((double)k->virt, UNIT_BYTES);
    page_heading(p, k->comm);
    page_text(p, STYLE_TEXT, "%s", k->cmdline);
    page_text(p, STYLE_TEXT, " ");
    page_item(p, "pid", "%d, parent %d%s", k->pid, k->ppid, k->watched ? ", watched" : "");
    page_item(p, "user", "%s (%u)", k->user, (unsigned)k->uid);
    page_item(p, "state", "%c, %d thread%s, nice %d, last ran on cpu%d", k->state, k->threads,
              k->threads == 1 ? "" : "s", k->nice, k->cpu);
    page_item(p, "CPU", "%s of one CPU since it was last read%s%s",
              value_format(&k->cpu_percent, 0, text), k->cpu_percent.why ? ": " : "",
              k->cpu_percent.why ? k->cpu_percent.why : "");
    page_item(p, "CPU time", "%s since it started", value_time(1e9 * k->cpu_seconds, false, text));
    page_item(p, "resident", "%s", value_format(&rss, 0, text));
    page_item(p, "virtual", "%s", value_format(&virt, 0, text));
    page_text(p, STYLE_TEXT, " ");
    page_text(p, STYLE_DIM,
              "a watches this process: counters then count it and the processes that it starts.");
}

/* Whether a notice is about this value: one of the two texts contains a part of the other. */
static bool is_notice_about(const struct notice *n, const char *why)
{
    char reason[256];
    snprintf(reason, sizeof reason, "%.*s", (int)strcspn(why, ";"), why);
    const char *cause = strstr(n->text, ": ");
    return strstr(n->text, reason) || (cause && cause[2] && strstr(why, cause + 2)) ||
           (n->help && strstr(why, n->help));
}

/* Lists the part of the reason after its semicolon, and the notices about the reason. */
static void add_remedies(struct page *p, const struct snapshot *s, const char *why)
{
    const char *help = why ? strstr(why, "; ") : NULL;
    bool told = help != NULL;
    if (!why || !*why)
        return;
    page_heading(p, "What would help");
    if (help)
        page_item(p, "  →", "%s", help + 2);
    for (size_t i = 0; i < s->nnotices; i++) {
        const struct notice *n = &s->notices[i];
        if (!is_notice_about(n, why))
            continue;
        if (!help || !n->help || !strstr(help, n->help)) {
            page_text(p, STYLE_TEXT, "%s", n->text);
            if (n->help)
                page_item(p, "  →", "%s", n->help);
        }
        told = true;
    }
    if (!told)
        page_text(p, STYLE_TEXT,
                  "rooftop doctor lists what is missing here, and what would enable it");
}

static void fill_explanation(struct page *p, const struct model *m, const char *key)
{
    const struct snapshot *s = m->snap;
    if (!s) {
        page_text(p, STYLE_DIM, "nothing was measured yet");
        return;
    }
    const struct metric *metric = strncmp(key, "m:", 2) == 0 ? snapshot_metric(s, key + 2) : NULL;
    const struct counter *counter = strncmp(key, "c:", 2) == 0 ? counter_find(s, key) : NULL;
    const struct proc *proc = !metric && !counter ? procs_find(s, key) : NULL;
    if (metric)
        explain_metric(p, metric, s);
    else if (counter)
        explain_counter(p, counter, s);
    else if (proc)
        explain_proc(p, proc);
    else
        page_text(p, STYLE_DIM, "%s is not here any more", key);
    if (metric && metric->value.validity == VALUE_MISSING)
        add_remedies(p, s, metric->value.why);
    else if (counter && counter->rate.validity == VALUE_MISSING)
        add_remedies(p, s, counter->rate.why);
}

static void draw_explain(struct app *a, struct canvas *c, struct rect area)
{
    const struct view_ops *v = views[a->view];
    const char *key = a->overlay_key;
    const bool metric = strncmp(key, "m:", 2) == 0 || strncmp(key, "c:", 2) == 0;
    page_reset(&a->page);
    if (v->explain && !metric) /* ":explain NAME" explains a metric in any view */
        v->explain(&a->page, &a->model, &a->state[a->view], key);
    else
        fill_explanation(&a->page, &a->model, key);
    page_draw(c, area, "explain", &a->page, 18, &a->overlay_state.scroll);
}

const struct overlay_ops overlay_explain = {
    .name = "explain",
    .draw = draw_explain,
    .act = overlay_scroll_page,
};
