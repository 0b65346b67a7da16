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
#include "engine/live/proc_rows.h"
#include "engine/summary/summary.h"
#include "export/summary_export.h"

/* --- an opened file --- */

/* The lines of its summary; false: no file is open. */
static bool brief_opened(struct brief *b, const struct screen *of, const char *path)
{
    struct subject all = {.path = NULL};
    struct summary s;
    if (of->opened)
        all = *of->opened;
    all.profile = of->profile;
    all.traces = of->att;
    if (!of->opened && !all.profile && !all.traces)
        return false;
    summary_make(&s, &all, true);
    summary_brief(b, &s, path);
    summary_free(&s);
    return true;
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
        if (s->notices[i].level == NOTICE_WARN || s->notices[i].text == proc_rows_left_out(s))
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
    if (!all && n == 0 && s->target_kind == TARGET_CGROUP)
        brief_verdict(b, "%.120s has no processes", s->target);
    else if (!all && n == 0)
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

/* --- all --- */

void headless_brief(FILE *out, const struct frames *f, const struct snapshot *s,
                    const struct options *o)
{
    static const char *const opened[] = {"rooftop", NULL}, *const watched[] = {
                                                               "rooftop", "rooftop trace -c", NULL};
    struct brief b = {.command = o->words};
    const bool file = !o->argv && o->noperands && brief_opened(&b, f->screen, o->operands[0]);
    if (!file && f->runs && f->runs->n)
        brief_run(&b, f->runs);
    else if (!file)
        brief_processes(&b, s);
    if (!file) {
        brief_host(&b, s);
        brief_next_about(&b, o, o->noperands ? opened : watched);
    }
    brief_write(out, &b, o->format);
}
