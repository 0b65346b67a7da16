#include "backends/counters/perf_impl.h"

#include <errno.h>
#include <string.h>

#include "backends/perf_common/explain.h"

struct emit {
    const struct emit_input *in;
    struct snapshot *out;
    /*
     * the reasons of this tick: a hundred counters that are refused for one reason share its text
     */
    struct {
        int err;
        enum explain_event event;
        const char *pmu, *text;
    } cache[32];
    size_t ncached;
};

/* Maps the unit strings of perf (sysfs *.unit) and of rooftop's clocks to units of the snapshot. */
static const struct event_unit {
    const char *text;
    double factor;
    enum unit delta, rate;
} units[] = {
    {"", 1, UNIT_COUNT, UNIT_COUNT_PER_S},          {"Joules", 1, UNIT_JOULE, UNIT_WATT},
    {"s", 1, UNIT_SECONDS, UNIT_SECONDS_PER_S},     {"B", 1, UNIT_BYTES, UNIT_BYTES_PER_S},
    {"Bytes", 1, UNIT_BYTES, UNIT_BYTES_PER_S},     {"KiB", 1024, UNIT_BYTES, UNIT_BYTES_PER_S},
    {"MiB", 1048576, UNIT_BYTES, UNIT_BYTES_PER_S}, {"C", 1, UNIT_CELSIUS, UNIT_CELSIUS},
};

static const struct event_unit *unit_of(const char *text)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].text, text))
            return &units[i];
    return &units[0];
}

static const char *explain_refused_event(struct emit *x, int err, const struct perf_encoding *enc)
{
    enum explain_event event = explain_event_of(enc);
    for (size_t i = 0; i < x->ncached; i++)
        if (x->cache[i].err == err && x->cache[i].event == event &&
            !strcmp(x->cache[i].pmu, enc->pmu))
            return x->cache[i].text;
    struct explanation why;
    explain(x->in->context,
            &(struct explain_query){.err = err,
                                    .kind = x->in->kind,
                                    .event = event,
                                    .pmu = enc->pmu,
                                    .owner = x->in->owner,
                                    .files = x->in->files},
            &why);
    const char *text =
        snapshot_printf(x->out, "%s%s%s", why.why, why.help[0] ? "; " : "", why.help);
    if (x->ncached < sizeof x->cache / sizeof *x->cache) {
        x->cache[x->ncached].err = err;
        x->cache[x->ncached].event = event;
        x->cache[x->ncached].pmu = enc->pmu;
        x->cache[x->ncached++].text = text;
    }
    return text;
}

static bool watches_tasks(const struct emit *x)
{
    return x->in->kind == TARGET_PIDS || x->in->kind == TARGET_COMMAND;
}

static enum scale_mode choose_scale_mode(const struct emit *x, const struct perf_encoding *enc)
{
    if (enc->scope == EVENT_UNCORE || !watches_tasks(x))
        return SCALE_CPU;
    return enc->hybrid ? SCALE_RAW : SCALE_TASK;
}

/* The value of one encoding, from one sum. */
static struct value part_value(struct emit *x, const struct perf_encoding *enc,
                               const struct count_sum *sum, int err)
{
    const struct event_unit *u = unit_of(enc->unit);
    double factor = (enc->scale > 0 ? enc->scale : 1) * u->factor;
    if (!sum->places && err)
        return value_missing(explain_refused_event(x, err, enc), u->delta);
    if (!sum->places && !sum->pending && !x->in->attaching && enc->scope == EVENT_UNCORE &&
        watches_tasks(x))
        return value_missing(explain_refused_event(x, EXPLAIN_SYSTEM_WIDE, enc), u->delta);
    if (enc->gauge && sum->places)
        return value_ok((double)sum->raw / sum->places * factor, u->delta);
    return scale_value(sum, choose_scale_mode(x, enc), factor, u->delta);
}

/* Whether a missing part may be left out of the sum: its PMU does not exist, or nothing ran on its
 * core type. */
static bool may_ignore_part(const struct perf_encoding *enc, int err)
{
    return enc->hybrid || err == ENOENT || err == ENODEV || err == ENXIO;
}

/* A sum of parts, and whether it may be left out if another part has a value. */
struct partial {
    struct value v;
    bool started, ignorable;
};

static void add_part_value(struct partial *p, struct value v, bool may_ignore)
{
    bool ign = may_ignore && v.validity == VALUE_MISSING;
    if (p->started && p->v.validity == VALUE_OK && v.validity == VALUE_OK) {
        p->v.v += v.v;
        p->v.flags |= v.flags;
        if (v.running < p->v.running)
            p->v.running = v.running;
    } else if (!p->started || (p->ignorable && !ign) || (p->v.validity == VALUE_OK && !ign)) {
        p->v = v;
        p->ignorable = ign;
    }
    p->started = true;
}

/* Sums the parts of a row, over everything or for one CPU (an index >= 0). */
static struct value sum_row_parts(struct emit *x, size_t row, int cpu)
{
    const struct event_table *t = x->in->events;
    const struct tally *y = x->in->tally;
    size_t first = t->rows[row].first, end = first + t->rows[row].parts;
    struct partial total = {.v = value_pending(unit_of(t->parts[first].enc.unit)->delta)};
    for (size_t i = first; i < end; i++) {
        struct plan_place at = y->plan->where[i];
        if (at.group < 0)
            continue;
        const struct perf_encoding *enc = &t->parts[i].enc;
        size_t m = y->plan->groups[at.group].first + (size_t)at.member;
        size_t c = cpu < 0 ? 0 : m * (size_t)y->ncpus + (size_t)cpu;
        const struct count_sum *sum = cpu < 0 ? &y->sum[m] : &y->cpu[c];
        int err = cpu < 0 ? y->err[m] : y->cpu_err[c];
        if (cpu >= 0 && !sum->places && !err && !sum->pending)
            continue; /* this CPU has another core type, which does not count this part */
        add_part_value(&total, part_value(x, enc, sum, err), may_ignore_part(enc, err));
    }
    if (!total.started && cpu >= 0)
        return value_missing("not counted on this CPU", (enum unit)total.v.unit);
    return total.v;
}

static struct value counter_rate(const struct value *delta, double interval_s, bool gauge,
                                 enum unit unit)
{
    struct value r = *delta;
    if (gauge)
        return r;
    r.unit = (uint8_t)unit;
    if (r.validity == VALUE_OK && interval_s > 0)
        r.v /= interval_s;
    return r;
}

static void fill_totals(struct emit *x, struct counter *c, size_t row)
{
    const struct event_table *t = x->in->events;
    const struct tally *y = x->in->tally;
    bool excluded = false;
    for (size_t i = t->rows[row].first; i < t->rows[row].first + t->rows[row].parts; i++) {
        struct plan_place at = y->plan->where[i];
        if (at.group < 0)
            continue;
        const struct plan_group *g = &y->plan->groups[at.group];
        const struct count_sum *sum = &y->sum[g->first + (size_t)at.member];
        c->raw += sum->raw;
        c->enabled_ns += sum->enabled;
        c->running_ns += sum->running;
        if (c->group < 0 && g->n > 1)
            c->group = at.group;
        if (y->excluded[g->first + (size_t)at.member] && !excluded)
            c->desc = snapshot_printf(x->out, "%s (user mode only)", c->desc);
        excluded |= y->excluded[g->first + (size_t)at.member];
    }
}

static void fill_counter_cpus(struct emit *x, struct counter *c, size_t row)
{
    const struct perf_encoding *enc = &x->in->events->parts[x->in->events->rows[row].first].enc;
    if (x->in->tally->ncpus == 0 || watches_tasks(x) ||
        (enc->scope == EVENT_UNCORE && enc->cpumask[0]))
        return;
    int n = x->in->tally->ncpus;
    c->percpu = snapshot_alloc(x->out, (size_t)n * sizeof *c->percpu);
    for (int i = 0; i < n; i++)
        c->percpu[i] = x->in->interval_s > 0 ? sum_row_parts(x, row, i)
                                             : value_pending((enum unit)c->delta.unit);
}

/* Strings of the catalog outlive all snapshots; the user's are copied. */
static const char *keep_event_text(struct emit *x, const struct event_row *row, const char *text)
{
    return row->fixed ? text : snapshot_strdup(x->out, text);
}

/* Why a counter stands still that changes on every real machine; NULL for other counters. RAPL
 * updates its energy about once in a millisecond, even if the machine is idle (Intel SDM volume 3B,
 * 16.10.3). KVM counts the system management interrupts of the guest, which has none (Linux,
 * arch/x86/kvm/x86.c, smi_count). */
static const char *why_it_stands_still(const struct emit *x, const struct event_row *row)
{
    const struct perf_encoding *enc = &x->in->events->parts[row->first].enc;
    const char *hypervisor = x->in->context->hypervisor;
    if (strcmp(enc->pmu, "power") == 0)
        return *hypervisor
                   ? "it has stood still since counting began: this virtual machine's energy "
                     "counter is "
                     "there, but nothing feeds it"
                   : "it has stood still since counting began: nothing feeds this energy counter";
    if (*hypervisor && strcmp(row->set, "msr") == 0 && strcmp(row->name, "smi") == 0)
        return "it has stood still since counting began: a virtual machine does not see those of "
               "its host";
    return NULL;
}

/* Makes a counter missing, not 0, if it should have moved and never did; until that is known,
 * pending. */
static void look_still(struct emit *x, struct counter *c, size_t index)
{
    const char *why = why_it_stands_still(x, &x->in->events->rows[index]);
    if (!x->in->still || !why || c->delta.validity != VALUE_OK)
        return;
    struct still *s = &x->in->still[index];
    s->moved = s->moved || c->delta.v > 0;
    if (s->moved)
        return;
    s->seconds += x->in->interval_s;
    bool sure = s->seconds * 1e3 >= EMIT_STILL_MS;
    enum unit unit = (enum unit)c->delta.unit;
    c->delta = sure ? value_missing(why, unit) : value_pending(unit);
    for (int i = 0; c->percpu && i < x->in->tally->ncpus; i++)
        c->percpu[i] = c->delta;
    c->rate = counter_rate(&c->delta, 0, c->gauge, (enum unit)c->rate.unit);
}

static void emit_row(struct emit *x, size_t index)
{
    const struct event_row *row = &x->in->events->rows[index];
    struct counter *c = snapshot_add_counter(x->out);
    c->name = keep_event_text(x, row, row->name);
    c->set = keep_event_text(x, row, row->set);
    c->desc = keep_event_text(x, row, row->desc);
    c->spec = snapshot_strdup(x->out, row->encoded);
    c->source = "perf";
    c->group = -1;
    c->user = row->user;
    if (!row->parts) {
        const char *why = snapshot_strdup(x->out, row->why ? row->why : "unknown event");
        c->delta = value_missing(why, UNIT_COUNT);
        c->rate = value_missing(why, UNIT_COUNT_PER_S);
        return;
    }
    const struct perf_encoding *enc = &x->in->events->parts[row->first].enc;
    const struct event_unit *u = unit_of(enc->unit);
    c->gauge = enc->gauge;
    c->delta = x->in->interval_s > 0 ? sum_row_parts(x, index, -1) : value_pending(u->delta);
    if (x->in->stopped && c->delta.validity == VALUE_OK && enc->scope != EVENT_UNCORE)
        c->delta = value_missing(EMIT_STOPPED, u->delta);
    c->rate = counter_rate(&c->delta, x->in->interval_s, enc->gauge, u->rate);
    fill_totals(x, c, index);
    if (x->in->coverage && c->delta.validity == VALUE_OK) {
        c->desc = snapshot_printf(x->out, "%s (%s)", c->desc, x->in->coverage);
        c->delta.flags |= VALUE_LOW_CONFIDENCE;
        c->rate.flags |= VALUE_LOW_CONFIDENCE;
    }
    fill_counter_cpus(x, c, index);
    look_still(x, c, index);
}

void emit_counters(const struct emit_input *in, struct snapshot *out)
{
    struct emit x = {.in = in, .out = out};
    for (size_t i = 0; i < in->events->nrows; i++)
        emit_row(&x, i);
}
