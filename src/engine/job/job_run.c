/*
 * Which of the ranks in a folder are of the run that is shown: the last one of the job that began
 * last. Two jobs are told apart by what their launchers call them, and, where that is the same or
 * unknown, by their times: ranks of one job run at the same time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/plural.h"
#include "base/print.h"
#include "engine/job/job_folder_impl.h"
#include "engine/value/document.h"

/* --- order --- */

static int compare_attempts(const struct job_member *a, const struct job_member *b)
{
    if (a->s.requeue != b->s.requeue)
        return a->s.requeue < b->s.requeue ? -1 : 1;
    return (a->s.restart > b->s.restart) - (a->s.restart < b->s.restart);
}

static int compare_job_names(const struct job_member *a, const struct job_member *b)
{
    const int c = strcmp(a->s.job, b->s.job);
    return c != 0 ? c : strcmp(a->s.step, b->s.step);
}

/* By job, then by attempt, then by begin. */
static int compare_members(const void *x, const void *y)
{
    const struct job_member *a = x, *b = y;
    int c = compare_job_names(a, b);
    if (c == 0)
        c = compare_attempts(a, b);
    if (c == 0)
        c = (a->s.start_us > b->s.start_us) - (a->s.start_us < b->s.start_us);
    return c != 0 ? c : strcmp(a->folder, b->folder);
}

static int compare_member_numbers(const void *x, const void *y)
{
    const struct job_member *a = x, *b = y;
    if (a->s.rank != b->s.rank)
        return a->s.rank < b->s.rank ? -1 : 1;
    return (a->s.start_us > b->s.start_us) - (a->s.start_us < b->s.start_us);
}

/* --- runs --- */

struct run_span { /* members [from, to) of the sorted list */
    uint32_t from, to;
};

static bool is_same_attempt(const struct job_member *a, const struct job_member *b)
{
    return compare_job_names(a, b) == 0 && compare_attempts(a, b) == 0;
}

static bool has_rank_twice(const struct job_member *all, struct run_span r)
{
    struct job_member *copy = xcalloc(r.to - r.from + (size_t)1, sizeof *copy);
    bool twice = false;
    memcpy(copy, all + r.from, (r.to - r.from) * sizeof *copy);
    qsort(copy, r.to - r.from, sizeof *copy, compare_member_numbers);
    for (uint32_t i = 1; i < r.to - r.from; i++)
        twice = twice || copy[i].s.rank == copy[i - 1].s.rank;
    free(copy);
    return twice;
}

/* When a rank was alive at last, as far as it says. */
static uint64_t last_sign(const struct job_member *m)
{
    return m->s.end_us > m->s.start_us ? m->s.end_us : m->s.start_us;
}

/* Cuts a span that has a rank twice where a rank begins after all before it had ended; returns the
 * last part. */
static struct run_span cut_by_time(const struct job_member *all, struct run_span r)
{
    uint64_t end = 0;
    uint32_t from = r.from;
    if (!has_rank_twice(all, r))
        return r;
    for (uint32_t i = r.from; i < r.to; i++) {
        if (i > r.from && all[i].s.start_us > end)
            from = i;
        end = last_sign(&all[i]) > end ? last_sign(&all[i]) : end;
    }
    return (struct run_span){from, r.to};
}

static uint64_t last_begin(const struct job_member *all, struct run_span r)
{
    uint64_t last = 0;
    for (uint32_t i = r.from; i < r.to; i++)
        last = all[i].s.start_us > last ? all[i].s.start_us : last;
    return last;
}

static struct run_span find_last_run(const struct job_member *all, uint32_t n)
{
    struct run_span best = {0, 0};
    for (uint32_t i = 0, to; i < n; i = to) {
        for (to = i + 1; to < n && is_same_attempt(&all[i], &all[to]);)
            to++;
        const struct run_span r = cut_by_time(all, (struct run_span){i, to});
        if (best.to == 0 || last_begin(all, r) >= last_begin(all, best))
            best = r;
    }
    return best;
}

/* --- what is told --- */

static void tell_other_runs(struct job_folder *f, const struct job_member *all, uint32_t n,
                            struct run_span shown)
{
    for (uint32_t i = 0, to; i < n; i = to) {
        for (to = i + 1; to < n && is_same_attempt(&all[i], &all[to]);)
            to++;
        char when[40];
        const struct job_member *m = &all[i];
        const uint32_t here = shown.from >= i && shown.from < to ? shown.to - shown.from : 0;
        const uint32_t left = to - i - here;
        if (left == 0)
            continue;
        utc_text(m->s.start_us * 1000, when);
        when[19] = '\0';
        job_folder_note(f, "not shown: %u %s of %s%s%s%s%s that began at %s UTC", left,
                        plural(left, "rank", "ranks"),
                        here || compare_job_names(m, &all[shown.from]) == 0
                            ? "an earlier run of this job"
                            : "another job",
                        *m->s.job ? " " : "", m->s.job, *m->s.step ? "." : "", m->s.step, when);
    }
}

/* Writes "3, 5-7" to out, at most so much of it as fits, then "and others". */
static void list_rank_numbers(const uint32_t *list, uint32_t n, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (uint32_t i = 0, to; i < n; i = to + 1) {
        for (to = i; to + 1 < n && list[to + 1] == list[to] + 1;)
            to++;
        if (used + 40 > size) {
            snprintf(out + used, size - used, " and others");
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%u", i ? ", " : "", list[i]);
        if (to > i)
            used += (size_t)snprintf(out + used, size - used, "-%u", list[to]);
    }
}

static void tell_missing_ranks(struct job_folder *f)
{
    enum { TOLD = 1024 };
    uint32_t list[TOLD], n = 0;
    char text[200];
    uint32_t k = 0;
    for (uint32_t rank = 0; rank < f->size; rank++) {
        while (k < f->n && f->ranks[k].s.rank < rank)
            k++;
        if (k < f->n && f->ranks[k].s.rank == rank)
            continue;
        f->missing++;
        if (n < TOLD)
            list[n++] = rank;
    }
    if (!f->missing)
        return;
    list_rank_numbers(list, n, text, sizeof text);
    const char *nothing = f->left_out ? "nothing that can be read" : "nothing";
    const char *why = f->left_out ? "are left out, " : "";
    job_folder_note(f,
                    "%u of %u ranks wrote %s here: %s; they %sdied at once, were not started by "
                    "rooftop job, or the file system does not show them yet",
                    f->missing, f->size, nothing, text, why);
}

typedef bool is_told(const struct job_member *m, const void *of);

static bool is_unfinished(const struct job_member *m, const void *of)
{
    (void)of;
    return !m->whole;
}

static bool is_session_cut(const struct job_member *m, const void *of)
{
    (void)of;
    return *m->s.lost;
}

/* of: the job's folder. */
static bool is_size_different(const struct job_member *m, const void *of)
{
    return m->s.ranks > 0 && m->s.ranks != ((const struct job_folder *)of)->size;
}

/* The most frequent build of the program of rank 0's name; f->ranks[0] if all differ. */
static const struct job_member *find_usual_build(const struct job_folder *f)
{
    const struct job_member *usual = &f->ranks[0];
    int lead = 0; /* Boyer and Moore's majority vote */
    for (uint32_t i = 0; i < f->n; i++) {
        if (lead == 0)
            usual = &f->ranks[i];
        lead += strcmp(f->ranks[i].s.build_id, usual->s.build_id) == 0 ? 1 : -1;
    }
    return usual;
}

/* of: a member of the usual build. */
static bool is_other_build(const struct job_member *m, const void *of)
{
    const struct job_member *usual = of;
    return *m->s.build_id && *usual->s.build_id && strcmp(m->s.program, usual->s.program) == 0 &&
           strcmp(m->s.build_id, usual->s.build_id) != 0;
}

static bool is_other_program(const struct job_member *m, const void *of)
{
    const struct job_member *usual = of;
    return *m->s.program && *usual->s.program && strcmp(m->s.program, usual->s.program) != 0 &&
           strcmp(m->s.build_id, usual->s.build_id) != 0; /* else it is a copy */
}

/* Tells of the ranks for which is(rank, of) holds; what comes after their numbers. */
static uint32_t tell_ranks(struct job_folder *f, is_told *is, const void *of, const char *what)
{
    uint32_t *list = xcalloc(f->n + (size_t)1, sizeof *list), n = 0;
    char text[160];
    for (uint32_t i = 0; i < f->n; i++)
        if (is(&f->ranks[i], of))
            list[n++] = f->ranks[i].s.rank;
    list_rank_numbers(list, n, text, sizeof text);
    if (n)
        job_folder_note(f, "%s %s %s", plural(n, "rank", "ranks"), text, what);
    free(list);
    return n;
}

static void tell_builds(struct job_folder *f)
{
    const struct job_member *usual = find_usual_build(f);
    char what[200];
    bool differs = false;
    for (uint32_t i = 0; i < f->n && !differs; i++)
        differs = strcmp(f->ranks[i].s.build_id, usual->s.build_id) != 0;
    snprintf(what, sizeof what, "ran another build of %.120s than the others", usual->s.program);
    if (!differs)
        return;
    tell_ranks(f, is_other_build, usual, what);
    snprintf(what, sizeof what, "ran another program than the others' %.120s", usual->s.program);
    tell_ranks(f, is_other_program, usual, what);
}

/* --- choosing --- */

static void find_run_times(struct job_folder *f)
{
    uint64_t from = UINT64_MAX, to = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct job_member *m = &f->ranks[i];
        from = m->s.start_us && m->s.start_us < from ? m->s.start_us : from;
        to = m->s.end_us > to ? m->s.end_us : to; /* of ranks that run it is not known */
    }
    if (to > from)
        f->wall = (double)(to - from) / 1e6;
}

static void say_failure(struct job_folder *f)
{
    char end[32], many[48] = "";
    const struct job_member *first = NULL;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct job_member *m = &f->ranks[i];
        const bool failed = m->s.signal > 0 || m->s.status > 0;
        f->failed += failed;
        if (failed && (!first || m->s.end_us < first->s.end_us))
            first = m;
    }
    if (!first)
        return;
    if (f->failed > 1)
        snprintf(many, sizeof many, "%u of %u ranks failed; the first was ", f->failed, f->n);
    const char *failed = *many ? "" : " failed";
    const char *kind = isnan(first->s.signal) ? "status " : "";
    print_line(f->failure, sizeof f->failure, "%srank %u%s: %s%s", many, first->s.rank, failed,
               kind, job_member_end(first, end));
}

static void count_shown_run(struct job_folder *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        const struct job_member *m = &f->ranks[i];
        f->size = m->s.ranks > f->size ? (uint32_t)m->s.ranks : f->size;
        f->mixed = f->mixed || (i && f->ranks[i - 1].s.rank == m->s.rank);
    }
    find_run_times(f);
    say_failure(f);
}

void job_folder_choose(struct job_folder *f, struct job_member *all, uint32_t n)
{
    qsort(all, n, sizeof *all, compare_members);
    const struct run_span shown = find_last_run(all, n);
    tell_other_runs(f, all, n, shown);
    f->n = shown.to - shown.from;
    memmove(all, all + shown.from, f->n * sizeof *all);
    f->ranks = all;
    qsort(f->ranks, f->n, sizeof *f->ranks, compare_member_numbers);
    count_shown_run(f);
    if (f->mixed)
        job_folder_note(f, "two jobs wrote into this folder at the same time, and nothing tells "
                           "them apart: give each job a folder of its own");
    tell_missing_ranks(f);
    tell_ranks(f, is_size_different, f, "say another number of ranks than the others");
    f->unfinished = tell_ranks(f, is_unfinished, f,
                               "did not end: still running, or killed before the end was written");
    tell_ranks(f, is_session_cut, f, "could not write the whole session");
    tell_builds(f);
}
