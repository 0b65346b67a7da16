#include "engine/job/straggler_words.h"

#include <inttypes.h>
#include <math.h>

#include "base/print.h"
#include "engine/value/value.h"

/* What more jobs than not do by chance is nothing to be unsure of; less, of ranks of MPI, which
 * wait for each other at each message. */
#define JOB_SURELY_CHANCE     0.5
#define JOB_SURELY_CHANCE_MPI 0.1

/* Why no rank is said to hold the others up. */
static void say_nobody(const struct job *j, char out[JOB_LINE], bool ascii)
{
    const struct job_straggler *s = &j->straggler;
    char lost[VALUE_TEXT_MAX], chance[SHARE_PERCENT];
    if (s->most == TRACE_UNKNOWN) {
        print_line(out, JOB_LINE, "no rank holds the others up");
        return;
    }
    const char *most = j->ranks[s->most].name;
    const double by_chance = j->mpi ? JOB_SURELY_CHANCE_MPI : JOB_SURELY_CHANCE;
    value_time((double)s->lost, ascii, lost);
    if (s->share < JOB_LOST)
        print_line(out, JOB_LINE,
                   "no rank holds the others up: they waited most for %s, %s each (%.1f %% of the "
                   "time)",
                   most, lost, 100 * s->share);
    else if (s->chance > by_chance)
        print_line(out, JOB_LINE,
                   "no rank stands out: they waited most for %s, %s each (%.1f %% of the time), "
                   "as equal ranks do by chance",
                   most, lost, 100 * s->share);
    else if (s->chance > 1.0 / JOB_CHANCE)
        print_line(out, JOB_LINE,
                   "not sure: others waited most for %s, %s each (%.1f %% of the time), but equal "
                   "ranks do so by chance in %s %% of jobs; a longer profile decides",
                   most, lost, 100 * s->share, share_percent(s->chance, chance));
    else
        print_line(out, JOB_LINE,
                   "no single rank holds the others up: %s causes less than %.0f %% of the waiting",
                   most, 100 * JOB_SHARE);
}

void job_say_straggler(const struct job *j, char out[JOB_LINE], bool ascii)
{
    const struct job_straggler *s = &j->straggler;
    char lost[VALUE_TEXT_MAX];
    if (j->why_not) {
        print_line(out, JOB_LINE, "who holds the others up is not known: %s", j->why_not);
        return;
    }
    if (s->rank == TRACE_UNKNOWN) {
        say_nobody(j, out, ascii);
        return;
    }
    const struct job_rank *r = &j->ranks[s->rank];
    value_time((double)s->lost, ascii, lost);
    if (j->mpi)
        print_line(out, JOB_LINE,
                   "%s holds the others up: each other rank waited %s for it, %.1f %% of the time",
                   r->name, lost, 100 * s->share);
    else
        print_line(out, JOB_LINE,
                   "%s holds the others up: last at %" PRIu64 " of %" PRIu64
                   " collectives; each other rank waited %s for it",
                   r->name, r->last, r->together, lost);
}

void job_say_rule(const struct job *j, char out[JOB_LINE])
{
    const struct job_straggler *s = &j->straggler;
    uint64_t all = 0;
    for (uint32_t i = 0; i < j->n; i++)
        all += j->ranks[i].caused;
    const double part = all ? 100.0 * (double)j->ranks[s->most].caused / (double)all : 0;
    size_t n = print_line(out, JOB_LINE,
                          "%.1f %% of the time (rule: %.0f %% or more), %.1f %% of all waiting "
                          "(rule: %.0f %% or more), by chance in ",
                          100 * s->share, 100 * JOB_LOST, part, 100 * JOB_SHARE);
    if (s->chance > 1e-6)
        print_line(out + n, JOB_LINE - n, "one of %.0f jobs (rule: %d or more)",
                   fmax(1, floor(1 / s->chance)), JOB_CHANCE);
    else
        print_line(out + n, JOB_LINE - n, "fewer than one of a million jobs (rule: one of %d)",
                   JOB_CHANCE);
}

/* A rank of MPI computes, or does something else that is not recorded, while it is in no call. */
void job_say_cause(const struct job *j, char out[JOB_LINE], bool ascii)
{
    const struct job_straggler *s = &j->straggler;
    char excess[VALUE_TEXT_MAX];
    if (s->cause == JOB_NOT_SEEN && j->mpi)
        print_line(out, JOB_LINE, "it is outside of MPI for as long as the others");
    else if (s->cause == JOB_NOT_SEEN && isnan(j->efficiency))
        print_line(out, JOB_LINE, "what it does meanwhile is not recorded in these files");
    else if (s->cause == JOB_NOT_SEEN)
        print_line(out, JOB_LINE, "%s: it computes, copies and launches as the others do",
                   job_cause_text(s->cause));
    else
        print_line(out, JOB_LINE, "%s: %s more than the median of the others",
                   j->mpi ? "it is outside of MPI longer" : job_cause_text(s->cause),
                   value_time((double)s->excess, ascii, excess));
}

int job_say_verdict(const struct job *j, char lines[JOB_VERDICT_LINES][JOB_LINE], bool ascii)
{
    job_say_straggler(j, lines[0], ascii);
    if (j->straggler.rank == TRACE_UNKNOWN)
        return 1;
    job_say_rule(j, lines[1]);
    job_say_cause(j, lines[2], ascii);
    return JOB_VERDICT_LINES;
}
