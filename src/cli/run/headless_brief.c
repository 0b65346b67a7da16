/* The short answer of what is watched, of a command that was run, and of an opened file. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/run_impl.h"
#include "engine/analysis/summary.h"
#include "engine/functions/hot_profile.h"

/* --- an opened profile --- */

/* The lines of the summary: what it concludes is the verdict, what stands below it is evidence. */
static void brief_summary(struct brief *b, const struct analysis *a)
{
    struct summary s;
    size_t verdict;
    summary_make(&s, a, true);
    for (verdict = 0; verdict < s.n && s.lines[verdict].tone != SUMMARY_VERDICT; verdict++)
        continue;
    brief_verdict(b, "%s", verdict < s.n ? s.lines[verdict].text : s.head);
    if (verdict < s.n)
        brief_evidence(b, "%s", s.head);
    for (size_t i = 0; i < s.n; i++) {
        const struct summary_line *l = &s.lines[i];
        const bool about_verdict = i > verdict && !*l->label && b->nrows == 0;
        if (i == verdict || l->tone == SUMMARY_FAINT)
            continue;
        if (about_verdict)
            brief_evidence(b, "%s", l->text);
        else if (*l->label)
            brief_row(b, l->label, "%s", l->text);
    }
    summary_free(&s);
}

/* --- samples --- */

static void brief_samples(struct brief *b, const struct hot_stacks *p)
{
    struct brief_top top = {.n = 0};
    uint64_t *self = xcalloc(p->nsymbols + 1, sizeof *self), all = 0;
    char amount[HOT_AMOUNT_MAX];
    for (size_t i = 0; i < p->nnodes; i++) {
        self[p->nodes[i].symbol] += p->nodes[i].self;
        all += p->nodes[i].self;
    }
    for (size_t i = 0; i < p->nsymbols; i++)
        if (self[i])
            brief_top_add(&top, i, (double)self[i]);
    if (top.n)
        brief_verdict(b, "%.120s takes most itself: %.1f %% of %s", p->symbols[top.index[0]].name,
                      100 * top.weight[0] / (double)all, hot_amount(p, all, true, amount));
    else
        brief_verdict(b, "there are no samples");
    for (size_t i = 0; i < top.n; i++) {
        const struct hot_symbol *s = &p->symbols[top.index[i]];
        brief_row(b, s->name, "%.1f %% itself, %s; in %s", 100 * top.weight[i] / (double)all,
                  hot_amount(p, self[top.index[i]], true, amount),
                  *s->module ? s->module : "an unknown file");
    }
    b->left_out += top.left_out;
    free(self);
}

/* --- what runs --- */

static double known_or(const struct value *v, double other)
{
    return v->validity == VALUE_OK ? v->v : other;
}

static void brief_process(struct brief *b, const struct proc *p)
{
    char what[BRIEF_TEXT], rss[VALUE_TEXT_MAX];
    const struct value bytes = value_ok((double)p->rss, UNIT_BYTES);
    print_line(what, sizeof what, "%d %s", (int)p->pid, p->comm);
    brief_row(b, what, "%.1f %% of a CPU, %s, %d thread%s; %s", known_or(&p->cpu_percent, 0),
              value_format(&bytes, true, rss), p->threads, p->threads == 1 ? "" : "s", p->cmdline);
}

static void brief_host(struct brief *b, const struct snapshot *s)
{
    char used[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX];
    brief_evidence(b, "the host: CPUs %.1f %% busy, memory %s of %s, load %.2f",
                   known_or(&s->total.busy, 0), value_format(&s->memory.used, true, used),
                   value_format(&s->memory.total, true, all), known_or(&s->load1, 0));
    for (size_t i = 0; i < s->nnotices; i++)
        if (s->notices[i].level == NOTICE_WARN)
            brief_evidence(b, "%s", s->notices[i].text);
}

/* Its own processes where some are watched, else all of the host. */
static void brief_processes(struct brief *b, const struct snapshot *s)
{
    const bool all = s->target_kind == TARGET_HOST;
    struct brief_top top = {.n = 0};
    double cpu = 0, rss = 0;
    size_t n = 0;
    char memory[VALUE_TEXT_MAX];
    for (size_t i = 0; i < s->nprocs; i++) {
        const struct proc *p = &s->procs[i];
        if (!all && !p->watched)
            continue;
        n++;
        cpu += known_or(&p->cpu_percent, 0);
        rss += (double)p->rss;
        brief_top_add(&top, i, known_or(&p->cpu_percent, 0));
    }
    const struct value bytes = value_ok(rss, UNIT_BYTES);
    if (!all && n == 0)
        brief_verdict(b, "%.120s has ended", s->target);
    else if (all)
        brief_verdict(b, "%.80s: CPUs %.1f %% busy, %zu processes", s->target,
                      known_or(&s->total.busy, 0), n);
    else
        brief_verdict(b, "%.120s: %.1f %% of a CPU, %s in %zu process%s", s->target, cpu,
                      value_format(&bytes, true, memory), n, n == 1 ? "" : "es");
    for (size_t i = 0; i < top.n; i++)
        brief_process(b, &s->procs[top.index[i]]);
    if (all && top.n) {
        char pid[16];
        snprintf(pid, sizeof pid, "%d", (int)s->procs[top.index[0]].pid);
        brief_next(b, "rooftop -p", (const char *[]){pid}, 1);
    }
    b->left_out += top.left_out;
}

static void brief_number(struct brief *b, const struct run_number *x)
{
    char text[VALUE_TEXT_MAX];
    const struct value v = value_ok(x->within.mean, (enum unit)x->unit);
    brief_row(b, x->label, "%s", value_format(&v, true, text));
}

/* The last run of a command from begin to end. */
static void brief_run(struct brief *b, const struct runs *runs)
{
    const struct run *r = &runs->list[runs->n - 1];
    const struct run_number *elapsed = run_find(r, "elapsed");
    char text[VALUE_TEXT_MAX] = "an unknown time";
    if (elapsed) {
        const struct value v = value_ok(elapsed->within.mean, UNIT_SECONDS);
        value_format(&v, true, text);
    }
    if (r->stopped)
        brief_verdict(b, "%.160s was stopped after %s", r->command, text);
    else
        brief_verdict(b, "%.160s ended with status %d after %s", r->command, r->status, text);
    if (runs->n > 1)
        brief_evidence(b, "the last of %zu runs", runs->n);
    if (isfinite(r->others))
        brief_evidence(b, "others had %.0f %% of the machine meanwhile", 100 * r->others);
    for (size_t i = 0; i < r->n; i++)
        if (r->numbers[i].group <= RUN_WORK && &r->numbers[i] != elapsed)
            brief_number(b, &r->numbers[i]);
}

/* --- thread traces --- */

static void brief_traces(struct brief *b, const struct options *o)
{
    brief_verdict(b, "thread traces: what each instruction of a dispatch cost");
    brief_next(b, "rooftop report waves --brief", (const char *const *)o->operands, 1);
    brief_next(b, "rooftop", (const char *const *)o->operands, 1);
}

/* --- all --- */

void headless_brief(FILE *out, const struct frames *f, const struct snapshot *s,
                    const struct options *o)
{
    static const char *const opened[] = {"rooftop report", "rooftop", NULL},
                             *const samples[] = {"rooftop --view functions", "rooftop", NULL},
                             *const watched[] = {"rooftop", "rooftop trace -c", NULL};
    const struct analysis *profile = o->argv ? NULL : f->screen->profile;
    const struct hot_profile *taken = profile ? profile->trace.samples : NULL;
    struct brief b = {.command = *o->command ? o->command : "rooftop"};
    if (taken)
        brief_samples(&b, &taken->stacks);
    else if (profile)
        brief_summary(&b, profile);
    else if (f->screen->att)
        brief_traces(&b, o);
    else if (f->runs && f->runs->n)
        brief_run(&b, f->runs);
    else
        brief_processes(&b, s);
    if (!profile && !f->screen->att)
        brief_host(&b, s);
    if (profile)
        brief_next_about(&b, o, taken ? samples : opened);
    else if (!f->screen->att)
        brief_next_about(&b, o, o->noperands ? opened + 1 : watched);
    brief_write(out, &b, o->format);
}
