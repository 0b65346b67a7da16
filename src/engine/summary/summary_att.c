/* The summary of thread traces. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/summary/summary_impl.h"

enum { HOT = 3, TRACES_SHOWN = 8 };
#define STALLS 0.5 /* rule: so much of the cycles were stalls */

static uint64_t time_of(const struct att_digest *d, const struct att_sum *sum)
{
    return att_sum_weight(&d->totals, sum).time;
}

/* The trace with the most time, which the verdict is about. */
static const struct att_digest *find_longest_trace(const struct att_set *set)
{
    const struct att_digest *most = &set->list[0];
    for (uint32_t i = 1; i < set->n; i++)
        if (time_of(&set->list[i], &set->list[i].totals.all) > time_of(most, &most->totals.all))
            most = &set->list[i];
    return most;
}

static void add_stall_verdict(struct summary *s, const struct att_digest *d)
{
    static const char how[] =
        "Of the latencies of all instructions, summed over the waves traced, the share in which an "
        "instruction could not be issued. With 50 % or more, waiting bounds the kernel. Time "
        "between "
        "instructions is idle time and counts apart.";
    const struct att_weight all = att_sum_weight(&d->totals, &d->totals.all);
    const double share = att_share(all.stall, all.time);
    const char *unit = att_sampled_only(&d->totals) ? "samples" : "cycles";
    if (isnan(share))
        summary_verdict(s, "att", how, "n/a: no instruction has cycles or samples");
    else if (share >= STALLS)
        summary_verdict(s, "att", how,
                        "it waits: %.1f %% of the %s are stalls (rule: 50 %% or more)", 100 * share,
                        unit);
    else
        summary_verdict(s, "att", how,
                        "it issues: %.1f %% of the %s are stalls (rule: less than 50 %%)",
                        100 * share, unit);
}

static void add_hot_instructions(struct summary *s, const struct att_digest *d)
{
    const struct att *a = &d->trace;
    const uint64_t all = time_of(d, &d->totals.all);
    for (uint32_t i = 0; i < d->nhot && i < HOT && all; i++) {
        const struct att_row *r = &a->rows[d->hot[i]];
        const struct att_weight w = att_row_weight(&d->totals, r);
        summary_say(s, i == 0 ? "hottest" : "", "att",
                    "Instructions by their latency, or samples, summed over the waves traced.",
                    "%s: %.1f %% of the time, %.1f %% of that stalled%s%s", r->isa,
                    100 * att_share(w.time, all), 100 * (w.time ? att_share(w.stall, w.time) : 0),
                    *r->source ? "; " : "", r->source);
    }
}

static void add_kinds(struct summary *s, const struct att_digest *d)
{
    const uint64_t all = time_of(d, &d->totals.all);
    uint32_t done = 0;
    const char *text = "";
    for (int n = 0; n < HOT && all; n++) {
        int most = -1;
        uint64_t time = 0;
        for (int c = 0; c < ATT_CATEGORIES; c++)
            if (!(done >> c & 1) && time_of(d, &d->totals.category[c]) > time) {
                most = c;
                time = time_of(d, &d->totals.category[c]);
            }
        if (most < 0)
            break;
        done |= 1U << most;
        text = arena_printf(&s->memory, "%s%s%s %.1f %%", text, *text ? ", " : "",
                            att_category_name((enum att_category)most), 100 * att_share(time, all));
    }
    if (*text)
        summary_say(s, "by kind", "att", "The kinds of instructions with the most time.", "%s",
                    text);
}

static void add_waves(struct summary *s, const struct att_digest *d)
{
    const struct att *a = &d->trace;
    if (a->nwaves)
        summary_say(s, "waves", "att", "Waves whose instructions were written by the tool.",
                    "%" PRIu32 ", %" PRIu32 " of them instruction by instruction%s", a->nwaves,
                    a->waves_read,
                    isnan(d->ipc.per_wave)
                        ? ""
                        : arena_printf(&s->memory, "; %.2g instructions a cycle while a wave lives",
                                       d->ipc.per_wave));
    for (uint32_t i = 0; i < d->nengines && i < HOT; i++)
        summary_say(s, i == 0 ? "occupancy" : "", "att",
                    "From the events of waves that began and ended.",
                    "shader engine %" PRIu32 ": mean %.1f waves, peak %" PRIu64, d->occupancy[i].se,
                    isnan(d->occupancy[i].mean) ? 0 : d->occupancy[i].mean, d->occupancy[i].peak);
    for (uint32_t i = 0; i < a->nnotes && i < HOT; i++)
        summary_say(s, i == 0 ? "remarks" : "", NULL, "What is missing or was left out.", "%s",
                    a->notes[i]);
}

static void add_other_traces(struct summary *s, const struct att_set *set,
                             const struct att_digest *shown)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->n && n < TRACES_SHOWN; i++) {
        const struct att_digest *d = &set->list[i];
        if (d != shown)
            summary_say(s, n++ == 0 ? "others" : "", "att", "The other dispatches of the folder.",
                        "%s: %s, %" PRIu64 " of %s", d->trace.name, att_kernel_name(&d->trace),
                        time_of(d, &d->totals.all),
                        att_sampled_only(&d->totals) ? "samples" : "cycles");
    }
    if (set->left_out)
        summary_say(s, "left out", "att", "Only so many are opened at once.", "%" PRIu32 " more",
                    set->left_out);
}

void summary_add_traces(struct summary *s, const struct att_set *set, bool ascii)
{
    char gfx[32];
    if (set->n == 0)
        return;
    const struct att_digest *d = find_longest_trace(set);
    const struct att_sum *all = &d->totals.all;
    const double hz = att_clock_hz(&d->trace);
    summary_head(s, "thread trace");
    summary_head(s, arena_strdup(&s->memory, att_gfx_name(&d->trace, gfx)));
    summary_head(s, summary_count(s, set->n, "dispatch", "dispatches"));
    add_stall_verdict(s, d);
    summary_say(s, "kernel", "att", "From the marker before its first instruction.", "%s",
                *att_kernel_name(&d->trace) ? att_kernel_name(&d->trace)
                                            : "n/a: no marker names it");
    summary_say(s, "executed", "att", "Sums over the waves traced.",
                "%" PRIu32 " of %" PRIu32 " instructions, %" PRIu64 " times, in %" PRIu64 " %s%s",
                all->executed, all->rows, all->hits, time_of(d, all),
                att_sampled_only(&d->totals) ? "samples" : "cycles",
                isnan(hz) ? ""
                          : arena_printf(&s->memory, "; the shader clock is %s",
                                         summary_value(s, hz, UNIT_HZ, ascii)));
    add_hot_instructions(s, d);
    add_kinds(s, d);
    add_waves(s, d);
    add_other_traces(s, set, d);
}
