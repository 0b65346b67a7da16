/* A thread trace as text for people: first where the cycles are, then what waves did. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/value/document.h"
#include "export/code/att_export.h"

enum { HOT_SHOWN = 20, BLOCKS_SHOWN = 5, WAITS_SHOWN = 5, NOTES_SHOWN = 20, PARTS = 60, ISA = 44 };

static void print_percent(FILE *out, int width, double share)
{
    if (isnan(share))
        print_text(out, "%*s", width, "n/a");
    else
        fprintf(out, "%*.1f", width, 100 * share);
}

/* Prints at most `width` cells of a text. pad: fills up with blanks. */
static void print_att_cells(FILE *out, const char *text, int width, bool pad)
{
    bool whole = text_width(text) <= width;
    print_text(out, "%.*s%s", whole ? width : width - 2, text, whole ? "" : "..");
    if (pad && whole)
        fprintf(out, "%*s", width - text_width(text), "");
}

static void print_att_head(FILE *out, const struct att *a)
{
    char gfx[32];
    const char *kernel = att_kernel_name(a);
    print_att_cells(out, *kernel ? kernel : "unknown kernel", 400, false);
    fputs("\n", out);
    print_att_cells(out, a->name, 200, false);
    print_text(out, ": %s", att_gfx_name(a, gfx));
    if (a->agent != ATT_UNKNOWN)
        fprintf(out, ", agent %u, dispatch %u", a->agent, a->dispatch);
    double hz = att_clock_hz(a);
    if (!isnan(hz))
        fprintf(out, ", shader clock %.0f MHz", hz / 1e6);
    fputs("\n", out);
}

static void print_att_totals(FILE *out, const struct att *a, const struct att_totals *t)
{
    const struct att_sum *s = &t->all;
    print_text(out, "\n%-14s %16u  of %u\n", "instructions", s->executed, s->rows);
    if (att_sampled_only(t)) {
        print_text(out, "%-14s %16" PRIu64 "  %" PRIu64 " of them did not issue: %.1f %%\n",
                   "PC samples", s->issued + s->stalled, s->stalled,
                   100 * att_share(s->stalled, s->issued + s->stalled));
        return;
    }
    print_text(out, "%-14s %16" PRIu64 "  executions by the waves traced\n", "hits", s->hits);
    print_text(out, "%-14s %16" PRIu64 "  sum of latencies; latency ends with the %s\n", "cycles",
               s->latency, att_latency_end(a) ? att_latency_end(a) : "issue or the execution");
    print_text(out, "%-14s %16" PRIu64 "  ", "stalled", s->stall);
    print_percent(out, 0, att_share(s->stall, s->latency));
    fputs(" % of these cycles\n", out);
    print_text(out, "%-14s %16" PRIu64 "  between instructions, beside these cycles\n", "idle",
               s->idle);
    if (s->issued || s->stalled)
        print_text(out, "%-14s %16" PRIu64 "  of them %" PRIu64 " that did not issue\n",
                   "PC samples", s->issued + s->stalled, s->stalled);
}

static void hot_row(FILE *out, const struct att_row *r, const struct att_totals *t, bool sampled)
{
    struct att_weight w = att_row_weight(t, r);
    print_percent(out, 6, att_share(w.time, att_sum_weight(t, &t->all).time));
    if (att_sampled_only(t))
        print_text(out, " %12s %10s", "n/a", "n/a");
    else
        fprintf(out, " %12" PRIu64 " %10" PRIu64, r->latency, r->hits);
    if (r->hits)
        fprintf(out, " %9.1f ", att_per_hit(r));
    else
        print_text(out, " %9s ", "n/a");
    print_percent(out, 7, att_share(w.stall, w.time));
    if (sampled)
        fprintf(out, " %8" PRIu64, r->issued + r->stalled);
    print_text(out, "  %-9s ", att_category_name(r->category));
    print_att_cells(out, r->isa, ISA, true);
    fputs(" ", out);
    print_att_cells(out, r->source, 80, false);
    fputs("\n", out);
}

static void print_att_hottest(FILE *out, const struct att *a, const struct att_totals *t)
{
    uint32_t n;
    uint32_t *hot = att_hottest(a, &n);
    bool sampled = t->all.issued || t->all.stalled;
    print_text(out, "\n%6s %12s %10s %9s  %7s%s  %-9s %-*s %s\n", "TIME %", "CYCLES", "HITS",
               "PER HIT", "STALL %", sampled ? "  SAMPLES" : "", "KIND", ISA, "INSTRUCTION",
               "SOURCE");
    uint32_t shown = 0;
    for (; shown < n && shown < HOT_SHOWN; shown++) {
        const struct att_row *r = &a->rows[hot[shown]];
        if (!r->hits && !r->latency && !r->issued && !r->stalled)
            break;
        hot_row(out, r, t, sampled);
    }
    if (t->all.executed > shown)
        fprintf(out, "  ... and %u more (--format csv has all)\n", t->all.executed - shown);
    free(hot);
}

static void brief_att_row(struct brief *b, const struct att_row *r, const struct att_totals *t)
{
    const struct att_weight w = att_row_weight(t, r);
    const double stalled = 100 * att_share(w.stall, w.time);
    char of_it[48] = "";
    if (!isnan(stalled))
        snprintf(of_it, sizeof of_it, ", %.1f %% of that stalled", stalled);
    brief_row(b, r->isa, "%.1f %% of the time%s; %s%s%.80s",
              100 * att_share(w.time, att_sum_weight(t, &t->all).time), of_it,
              att_category_name(r->category), *r->source ? "; " : "", r->source);
}

void att_brief(struct brief *b, const struct att *a)
{
    struct att_totals t;
    uint32_t n;
    const char *kernel = *att_kernel_name(a) ? att_kernel_name(a) : "unknown kernel";
    att_totals(a, &t);
    const struct att_weight all = att_sum_weight(&t, &t.all);
    if (all.time == 0)
        brief_verdict(b, "%.120s: nothing was traced", kernel);
    else
        brief_verdict(b, "%.120s: %.1f %% of the time of its instructions is stalled", kernel,
                      100 * att_share(all.stall, all.time));
    brief_evidence(b, "%u of %u instructions ran, in %u waves%s", t.all.executed, t.all.rows,
                   a->nwaves, att_sampled_only(&t) ? "; PCs were sampled only" : "");
    for (uint32_t i = 0; i < a->nnotes; i++)
        brief_evidence(b, "%s", a->notes[i]);
    uint32_t *hot = att_hottest(a, &n);
    for (uint32_t i = 0; i < n; i++)
        if (att_row_weight(&t, &a->rows[hot[i]]).time)
            brief_att_row(b, &a->rows[hot[i]], &t);
    free(hot);
}

static void print_att_categories(FILE *out, const struct att_totals *t)
{
    print_text(out, "\n%-12s %6s %14s %12s %9s  %7s %14s\n", "KIND", "TIME %", "CYCLES", "HITS",
               "PER HIT", "STALL %", "IDLE");
    for (int c = 0; c < ATT_CATEGORIES; c++) {
        const struct att_sum *s = &t->category[c];
        if (!s->executed)
            continue;
        print_text(out, "%-12s ", att_category_name((enum att_category)c));
        struct att_weight w = att_sum_weight(t, s);
        print_percent(out, 6, att_share(w.time, att_sum_weight(t, &t->all).time));
        if (att_sampled_only(t))
            print_text(out, " %14s %12s", "n/a", "n/a");
        else
            fprintf(out, " %14" PRIu64 " %12" PRIu64, s->latency, s->hits);
        fprintf(out, s->hits ? " %9.1f  " : "       n/a  ", att_share(s->latency, s->hits));
        print_percent(out, 7, att_share(w.stall, w.time));
        fprintf(out, att_sampled_only(t) ? "            n/a\n" : " %14" PRIu64 "\n", s->idle);
    }
}

static void print_att_reasons(FILE *out, const struct att_totals *t)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ATT_REASONS_MAX; i++)
        att_add(&sum, t->reasons[i]);
    if (!sum)
        return;
    fputs("\nWhy sampled waves did not issue\n", out);
    for (unsigned i = 0; i < ATT_REASONS_MAX; i++)
        if (t->reasons[i]) {
            print_percent(out, 6, att_share(t->reasons[i], sum));
            if (*att_reason_name(i))
                print_text(out, " %12" PRIu64 "  %s\n", t->reasons[i], att_reason_name(i));
            else
                fprintf(out, " %12" PRIu64 "  reason %u\n", t->reasons[i], i + 1);
        }
}

/* Prints what the s_waitcnt in a row waited for. */
static void one_wait(FILE *out, const struct att *a, const struct att_row *r, uint64_t latency)
{
    bool first = true;
    for (uint32_t i = 0; i < a->nwaits; i++) {
        uint32_t on =
            a->waits[i].line == r->line ? att_row_of_line(a, a->waits[i].on) : ATT_UNKNOWN;
        if (on == ATT_UNKNOWN)
            continue;
        if (first) {
            print_percent(out, 6, att_share(r->latency, latency));
            fputs(" % ", out);
            print_att_cells(out, r->isa, ISA, true);
        } else {
            print_text(out, "%*s", 9 + ISA, "");
        }
        fputs(" on ", out);
        print_att_cells(out, a->rows[on].isa, ISA, true);
        fputs(" ", out);
        print_att_cells(out, a->rows[on].source, 60, false);
        fputs("\n", out);
        first = false;
    }
}

static bool waited_for(const struct att *a, uint32_t line)
{
    for (uint32_t i = 0; i < a->nwaits; i++)
        if (a->waits[i].line == line && att_row_of_line(a, a->waits[i].on) != ATT_UNKNOWN)
            return true;
    return false;
}

static void print_att_waits(FILE *out, const struct att *a, const struct att_totals *t)
{
    uint32_t n, shown = 0;
    if (!a->nwaits)
        return;
    uint32_t *hot = att_hottest(a, &n);
    for (uint32_t i = 0; i < n && shown < WAITS_SHOWN; i++) {
        const struct att_row *r = &a->rows[hot[i]];
        if (r->category != ATT_WAIT || r->line == ATT_UNKNOWN || !waited_for(a, r->line))
            continue;
        if (shown++ == 0)
            fputs("\nWhat was waited for\n", out);
        one_wait(out, a, r, t->all.latency);
    }
    free(hot);
}

static void print_att_blocks(FILE *out, const struct att *a, const struct att_totals *t)
{
    uint32_t n;
    struct att_block *b = att_blocks(a, &n);
    if (n > 1)
        print_text(out, "\n%6s %14s %12s  %s\n", "TIME %", "CYCLES", "ENTERED", "BASIC BLOCK");
    for (uint32_t i = 0; n > 1 && i < n && i < BLOCKS_SHOWN; i++) {
        const struct att_row *r = &a->rows[b[i].first];
        struct att_weight w = att_sum_weight(t, &b[i].sum);
        if (!w.time)
            break;
        print_percent(out, 6, att_share(w.time, att_sum_weight(t, &t->all).time));
        if (att_sampled_only(t))
            print_text(out, " %14s %12s", "n/a", "n/a");
        else
            fprintf(out, " %14" PRIu64 " %12" PRIu64, w.time, b[i].entered);
        fprintf(out, "  0x%" PRIx64 ", %u instructions from ", r->vaddr, b[i].nrows);
        print_att_cells(out, r->isa, ISA, false);
        if (*r->source) {
            fputs(", ", out);
            print_att_cells(out, r->source, 60, false);
        }
        fputs("\n", out);
    }
    free(b);
}

/* --- waves --- */

/* Draws the values of v relative to max, one character each. */
static void print_att_spark(FILE *out, const double *v, size_t stride, double max, bool ascii)
{
    static const char *const utf8[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ":", ":", "=", "=", "#", "#"};
    fputs(ascii ? "|" : "▕", out);
    for (int i = 0; i < PARTS; i++) {
        double x = max > 0 ? v[(size_t)i * stride] / max * 8 : 0;
        int level = (int)ceil(limit_double(x, 0, 8));
        print_text(out, "%s", (ascii ? plain : utf8)[level]);
    }
    fputs(ascii ? "|" : "▏", out);
}

static void print_att_waves(FILE *out, const struct att *a)
{
    struct att_ipc ipc;
    att_ipc(a, &ipc);
    if (!a->nwaves)
        return;
    fprintf(out, "\n%u waves, %u read", a->nwaves, a->waves_read);
    if (ipc.instructions)
        fprintf(out,
                ": %" PRIu64 " instructions on %u compute units; issued per cycle of a wave %.3g",
                ipc.instructions, ipc.cus, ipc.per_wave);
    if (!isnan(ipc.per_cu))
        fprintf(out, ", of a unit %.3g", ipc.per_cu);
    fputs("\n", out);
}

static void print_att_states(FILE *out, const struct att *a, const struct att_totals *totals,
                             bool ascii)
{
    double part[PARTS][ATT_STATES], max = 0;
    uint64_t cycles[ATT_STATES], sum = 0;
    int64_t from, to;
    enum att_states_from source = att_states_sum(a, cycles);
    if (source == ATT_STATES_NONE || !att_span(a, &from, &to))
        return;
    att_states_bins(a, from, to, PARTS, part);
    for (int s = ATT_STATE_IDLE; s < ATT_STATES; s++)
        att_add(&sum, cycles[s]);
    for (int i = 0; i < PARTS; i++)
        for (int s = ATT_STATE_IDLE; s < ATT_STATES; s++)
            max = part[i][s] > max ? part[i][s] : max;
    const char *of = a->waves_read < a->nwaves ? ", of the waves read" : "";
    if (source == ATT_STATES_LEVELS)
        of = ", all waves as the tool summed them";
    const struct att_weight w = att_sum_weight(totals, &totals->all);
    if (att_states_differ(cycles, att_share(w.stall, w.time)))
        print_text(out,
                   "\nInstructions stalled, but the states of wave slots below show no stalls: in "
                   "this trace a slot is\nidle, too, while its instruction waits.\n");
    print_text(out, "\n%-8s %6s %14s  waves at a time, cycles %" PRId64 " to %" PRId64 "%s\n",
               "STATE", "TIME %", "WAVE CYCLES", from, to, of);
    for (int s = ATT_STATE_IDLE; s < ATT_STATES; s++) {
        if (s == ATT_STATE_OTHER && !cycles[s])
            continue;
        print_text(out, "%-8s ", att_state_name((enum att_state)s));
        print_percent(out, 6, att_share(cycles[s], sum));
        fprintf(out, " %14" PRIu64 "  ", cycles[s]);
        print_att_spark(out, &part[0][s], ATT_STATES, max, ascii);
        if (s == ATT_STATE_IDLE)
            fprintf(out, " top %.3g", max);
        fputs("\n", out);
    }
}

static void print_att_occupancy(FILE *out, const struct att *a, bool ascii)
{
    uint32_t n;
    int64_t from, to;
    double part[PARTS];
    char mean[32];
    struct att_occupancy *o = att_occupancy(a, &n);
    if (n && att_span(a, &from, &to)) {
        print_text(out, "\n%-8s %6s %6s %5s %6s  waves at a time\n", "ENGINE", "MEAN", "PEAK",
                   "CUS", "SIMDS");
        for (uint32_t i = 0; i < n; i++) {
            att_occupancy_bins(a, o[i].se, from, to, PARTS, part);
            snprintf(mean, sizeof mean, isnan(o[i].mean) ? "n/a" : "%.1f", o[i].mean);
            print_text(out, "SE%-6u %6s %6" PRIu64 " %5u %6u  ", o[i].se, mean, o[i].peak, o[i].cus,
                       o[i].simds);
            print_att_spark(out, part, 1, (double)o[i].peak, ascii);
            fputs("\n", out);
        }
    }
    free(o);
}

static void print_att_counters(FILE *out, const struct att *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->ncounters; i++) {
        struct att_counter c;
        att_counter(a, i, &c);
        if (!c.samples)
            continue;
        if (!any)
            print_text(out, "\n%-36s %9s %14s %14s\n", "COUNTER", "SAMPLES", "MEAN", "MAX");
        any = true;
        print_att_cells(out, a->counters[i], 36, true);
        fprintf(out, " %9" PRIu64 " %14.1f %14.1f\n", c.samples, c.mean, c.max);
    }
}

static void print_att_notes(FILE *out, const struct att *a)
{
    if (a->nnotes)
        fputs("\n", out);
    for (uint32_t i = 0; i < a->nnotes && i < NOTES_SHOWN; i++) {
        fputs("note: ", out);
        print_att_cells(out, a->notes[i], 400, false);
        fputs("\n", out);
    }
    if (a->nnotes > NOTES_SHOWN)
        fprintf(out, "note: and %u more\n", a->nnotes - NOTES_SHOWN);
}

void att_export_text(FILE *out, const struct att *a, bool ascii)
{
    struct att_totals t;
    att_totals(a, &t);
    print_att_head(out, a);
    if (t.all.rows) {
        print_att_totals(out, a, &t);
        print_att_hottest(out, a, &t);
        print_att_categories(out, &t);
        print_att_reasons(out, &t);
        print_att_waits(out, a, &t);
        print_att_blocks(out, a, &t);
    }
    print_att_waves(out, a);
    print_att_states(out, a, &t, ascii);
    print_att_occupancy(out, a, ascii);
    print_att_counters(out, a);
    print_att_notes(out, a);
}
