/*
 * The verdict on a folder whose ranks recorded their calls of MPI: one judge for all who show it.
 * These calls say for whom the others waited, which the summaries can only guess. The summaries say
 * what that rank did meanwhile. Where no rank is named by its calls, the summaries' verdict stays
 * only if it says what calls cannot: that a rank ended later, or that the rank for which the others
 * waited most is slow by itself, too.
 */
#include <math.h>
#include <stdio.h>

#include "base/print.h"
#include "base/search.h"
#include "engine/job/job_folder_impl.h"
#include "engine/job/straggler_words.h"
#include "engine/value/value.h"

uint32_t job_folder_find_number(const struct job_folder *f, uint32_t number)
{
    uint32_t at = 0;
    SEARCH_FIRST(at, f->n, f->ranks[at].s.rank < number);
    return at < f->n && f->ranks[at].s.rank == number ? at : JOB_NONE;
}

/* rank: an index of the job's, or TRACE_UNKNOWN. */
static uint32_t find_member_of(const struct job_folder *f, const struct job *j, uint32_t rank)
{
    return rank == TRACE_UNKNOWN ? JOB_NONE : job_folder_find_number(f, j->ranks[rank].number);
}

/* All wait for a CPU: whom it comes to last is chance, and may be the same one for long. */
static void say_cpus_are_busy(struct job_folder *f, const struct job *j, uint32_t rank)
{
    struct job_slow *slow = &f->slow;
    const struct job_straggler *s = &j->straggler;
    char lost[VALUE_TEXT_MAX];
    slow->rank = JOB_NONE;
    print_line(slow->said, sizeof slow->said,
               "not clear whether rank %u holds the others up: their CPUs are busy",
               f->ranks[rank].s.rank);
    print_line(slow->why, sizeof slow->why,
               "each other rank waited %s for it, %.1f %% of the time; but all wait for a CPU: it "
               "for %.2f s, the median of the others for %.2f s",
               value_time((double)s->lost, false, lost), 100 * s->share, f->ranks[rank].s.ready,
               job_folder_median(f, job_cpu_wait, rank, NULL));
}

static void name_waited_for(struct job_folder *f, const struct job *j, uint32_t rank)
{
    struct job_slow *slow = &f->slow;
    const struct job_straggler *s = &j->straggler;
    char cause[JOB_LINE];
    bool sure = true;
    if (slow->rank != rank) {
        *slow = (struct job_slow){
            .rank = rank, .behind = 1e-9 * (double)s->lost, .beside = JOB_NONE, .spread = NAN};
        job_say_cause(j, cause, false);
        print_line(slow->why, sizeof slow->why, "%s; its summary does not say by what", cause);
        sure = job_say_why(f, 1e-9 * (double)(s->excess ? s->excess : s->lost));
    }
    if (sure)
        job_say_straggler(j, slow->said, false);
    else
        say_cpus_are_busy(f, j, rank);
}

static void name_nobody(struct job_folder *f, const struct job *j)
{
    char before[sizeof f->slow.said];
    const bool slow = f->slow.rank != JOB_NONE;
    snprintf(before, sizeof before, "%s", f->slow.said);
    f->slow = (struct job_slow){.rank = JOB_NONE, .beside = JOB_NONE};
    if (f->failed)
        snprintf(f->slow.said, sizeof f->slow.said, "%s", f->failure);
    else
        job_say_straggler(j, f->slow.said, false);
    if (slow)
        print_line(f->slow.why, sizeof f->slow.why,
                   "by its summary alone, %s; but the others do not wait for it", before);
}

void job_folder_judge_waits(struct job_folder *f, const struct job *j)
{
    const struct job_straggler *s = &j->straggler;
    const uint32_t named = find_member_of(f, j, s->rank), most = find_member_of(f, j, s->most);
    const bool hangs = f->slow.cause == SLOW_HANG || f->slow.cause == SLOW_COLLECTIVES;
    if (f->mixed || j->why_not || hangs)
        return;
    if (named != JOB_NONE) {
        name_waited_for(f, j, named);
        return;
    }
    const bool alike = f->slow.rank != JOB_NONE && f->slow.rank == most && s->share >= JOB_LOST;
    if (j->n == f->n && !alike && !job_ended_later(f))
        name_nobody(f, j);
}
