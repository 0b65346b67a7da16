/* What rooftop itself costs: its own CPU, each source, each view, the terminal. */
#include <math.h>

#include "tui/app/app_state.h"

void cost_add(struct cost_number *c, double v)
{
    enum { LENGTH = 32 };
    double weight = c->n < LENGTH ? 1.0 / (double)(c->n + 1) : 1.0 / LENGTH;
    c->n++;
    c->last = v;
    c->mean += (v - c->mean) * weight;
    c->max = v > c->max ? v : c->max;
}

static const char *format_cost_bytes(double v, char out[VALUE_TEXT_MAX])
{
    struct value x = value_ok(v, UNIT_BYTES);
    return value_format(&x, 0, out);
}

static void add_process_lines(struct page *p, const struct snapshot *s)
{
    char rss[VALUE_TEXT_MAX];
    page_heading(p, "rooftop as a process");
    if (!s || s->interval_s <= 0) {
        page_item(p, "CPU", "…");
        return;
    }
    double share = (double)s->own_cpu_ns / 1e7 / s->interval_s;
    int ncpus = s->host && s->host->ncpus > 0 ? s->host->ncpus : 1;
    page_item(p, "CPU", "%.2f %% of one CPU, %.3f %% of this machine, in the last %.3g s", share,
              share / ncpus, s->interval_s);
    page_item(p, "memory", "%s resident",
              s->own_rss ? format_cost_bytes((double)s->own_rss, rss) : "n/a");
    page_item(p, "late samples", "%llu that began over a quarter of the interval late",
              (unsigned long long)s->late_samples);
}

static void add_source_costs(struct page *p, const struct snapshot *s)
{
    uint64_t sum = 0;
    char time[VALUE_TEXT_MAX];
    page_heading(p, "Sampling: each source, in the last sample");
    for (size_t i = 0; s && i < s->ncosts; i++) {
        page_item(p, s->costs[i].name, "%9s", value_time((double)s->costs[i].poll_ns, false, time));
        sum += s->costs[i].poll_ns;
    }
    if (s && s->interval_s > 0)
        page_item(p, "together", "%9s, %.3f %% of the interval",
                  value_time((double)sum, false, time), (double)sum / 1e7 / s->interval_s);
    const struct hot_stacks *f = s ? s->stacks : NULL;
    if (f)
        page_item(p, "call stacks",
                  "%.0f samples a second on each CPU by %s; %llu in this interval, "
                  "%llu lost, %llu times throttled",
                  f->hz, f->event, (unsigned long long)f->samples, (unsigned long long)f->lost,
                  (unsigned long long)f->throttled);
    else
        page_item(p, "call stacks", "not sampled; the functions view turns it on");
}

static void add_cost_line(struct page *p, const char *label, const struct cost_number *c,
                          const char *unit)
{
    if (c->n)
        page_item(p, label, "%9.1f %s; mean %.1f, largest %.1f", c->last, unit, c->mean, c->max);
}

static void add_terminal_costs(struct page *p, const struct app_cost *c)
{
    char rate[VALUE_TEXT_MAX];
    page_heading(p, "Drawing");
    for (int i = 0; views[i]; i++)
        add_cost_line(p, views[i]->title, &c->draw_us[i], "us");
    add_cost_line(p, "to the terminal", &c->send_us, "us");
    add_cost_line(p, "bytes a frame", &c->bytes, "B");
    page_item(p, "unchanged", "%llu pictures of which nothing had to be written",
              (unsigned long long)c->unchanged);
    page_heading(p, "The line to the terminal");
    if (!c->link_answers) {
        page_item(p, "speed", "not known: the terminal does not answer when asked for its status");
        return;
    }
    page_item(p, "answers", "in %s", value_time(c->link_rtt_s * 1e9, false, rate));
    page_item(p, "speed", "%s/s at least%s", format_cost_bytes(c->link_bytes_per_s, rate),
              c->link_slow ? ": slow, so frames are cut and some left out" : "");
    page_item(p, "left out", "%llu frames were held back while the line was busy",
              (unsigned long long)c->link_dropped);
}

static void add_looking_effect(struct page *p, const struct app *a)
{
    char ring[VALUE_TEXT_MAX];
    page_heading(p, "What looking changes");
    page_item(p, "counters",
              "are read in groups, and cost the watched programs nothing while they count; the "
              "interrupts of call-stack sampling cost something: docs/PROFILE.md has the "
              "measurements");
    page_item(p, "devices", "none is opened or asked, so that sleeping ones stay asleep");
    page_item(p, "the past", "%s of memory hold %zu samples",
              format_cost_bytes((double)app_past_bytes(a), ring), recording_count(app_past(a)));
}

static void draw_cost(struct app *a, struct canvas *c, struct rect area)
{
    page_reset(&a->page);
    add_process_lines(&a->page, a->model.snap);
    add_source_costs(&a->page, a->model.snap);
    add_terminal_costs(&a->page, &a->cost);
    add_looking_effect(&a->page, a);
    page_draw(c, area, "what rooftop itself costs", &a->page, 18, &a->overlay_state.scroll);
}

const struct overlay_ops overlay_cost = {
    .name = "cost",
    .toggle = ACTION_COST,
    .draw = draw_cost,
    .act = overlay_scroll_page,
};
