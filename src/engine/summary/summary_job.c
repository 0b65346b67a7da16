/* The summary of a job whose ranks recorded themselves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/summary/summary_impl.h"

static const char slow_how[] =
    "A rank is slow if it did more itself than the median of the others (CPU time outside of "
    "communication, waits for disks), waited longer for the CPU time that it got, or ended later, "
    "by at least 5 % of the time, 0.3 s and four times the spread of the others, and no other rank "
    "does half as much. docs/JOBS.md has the causes that the summaries of the ranks can show.";

static double get_job_wall(const struct job_member *m)
{
    return m->s.wall;
}

static double get_job_memory(const struct job_member *m)
{
    return m->s.memory;
}

static double get_job_wait(const struct job_member *m)
{
    return m->s.ready;
}

static double get_job_cpu(const struct job_member *m)
{
    return m->s.user + m->s.system;
}

static void add_job_head(struct summary *s, const struct job_folder *f, bool ascii)
{
    const struct rank_summary *first = &f->ranks[0].s;
    summary_head(s, summary_count(s, f->n, "rank", "ranks"));
    if (*first->job)
        summary_head(s, arena_printf(&s->memory, "job %s%s%s (%s)", first->job,
                                     *first->step ? "." : "", first->step, first->launcher));
    if (!isnan(f->wall))
        summary_head(s, summary_time(s, 1e9 * f->wall, ascii));
    summary_head(s, arena_strdup(&s->memory, first->command));
}

static void add_job_numbers(struct summary *s, const struct job_folder *f, bool ascii)
{
    const double wall = job_folder_median(f, get_job_wall, JOB_NONE, NULL);
    const double cpu = job_folder_median(f, get_job_cpu, JOB_NONE, NULL);
    const double wait = job_folder_median(f, get_job_wait, JOB_NONE, NULL);
    const double memory = job_folder_median(f, get_job_memory, JOB_NONE, NULL);
    if (isnan(wall) && isnan(cpu)) /* they began just now */
        return;
    summary_say(s, "a rank", "ranks", "Medians over the ranks.",
                "runs %s, uses %s of CPU time, waits %s for a CPU, %s of memory",
                summary_time(s, 1e9 * wall, ascii), summary_time(s, 1e9 * cpu, ascii),
                summary_time(s, 1e9 * wait, ascii), summary_value(s, memory, UNIT_BYTES, ascii));
}

static const char mpi_how[] =
    "A receive waits until its sender sends, a send that is not over until its receiver asks for "
    "it, a collective until the last rank has come. The cause is who is behind it.";

/* What the ranks waited for in MPI, without parts that are 0. */
static const char *say_mpi_waits(struct summary *s, const struct job_folder *f, double *waited)
{
    static const char *const names[] = {"for late senders", "for late receivers", "at collectives",
                                        "at windows"};
    enum { PARTS = sizeof names / sizeof *names };
    double parts[PARTS] = {0};
    const char *text = "";
    for (uint32_t i = 0; i < f->n; i++) {
        const struct job_member *m = &f->ranks[i];
        const double of[PARTS] = {m->mpi.late_sender, m->mpi.late_receiver, m->mpi.collective,
                                  m->mpi.window};
        for (int k = 0; k < PARTS; k++)
            parts[k] += isnan(of[k]) ? 0 : of[k];
    }
    *waited = parts[0] + parts[1] + parts[2] + parts[3];
    for (int k = 0; k < PARTS; k++)
        if (parts[k] >= 0.0005 * *waited)
            text = arena_printf(&s->memory, "%s%s%.1f %% %s", text, *text ? ", " : "",
                                100 * parts[k] / *waited, names[k]);
    return text;
}

/* And how much of it for the rank of the verdict. */
static void add_job_mpi(struct summary *s, const struct job_folder *f, bool ascii)
{
    const struct job_member *most = NULL;
    const char *because = "";
    double waited;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct job_member *m = &f->ranks[i];
        if (!isnan(m->mpi.caused) && (!most || m->mpi.caused > most->mpi.caused))
            most = m;
    }
    const char *waits = say_mpi_waits(s, f, &waited);
    if (!most)
        return;
    if (f->slow.rank == (uint32_t)(most - f->ranks))
        because = arena_printf(&s->memory, "; %.1f %% because of rank %u",
                               100 * most->mpi.caused / waited, most->s.rank);
    if (f->mpi_part > 0 && f->mpi_part < 1)
        because = arena_printf(&s->memory, "%s; only the first %.0f %% of the calls are read",
                               because, 100 * f->mpi_part);
    if (waited > 0)
        summary_say(s, "MPI", "ranks", mpi_how, "all ranks waited %s: %s%s",
                    summary_time(s, 1e9 * waited, ascii), waits, because);
    else
        summary_say(s, "MPI", "ranks", mpi_how, "no rank made another one wait");
}

void summary_add_job(struct summary *s, const struct job_folder *f, bool ascii)
{
    const char *unjudged = f->mixed ? "two jobs are mixed here: no rank is called slow"
                                    : "there is one rank: none can be slower";
    add_job_head(s, f, ascii);
    summary_verdict(s, "ranks", slow_how, "%s", *f->slow.said ? f->slow.said : unjudged);
    if (*f->slow.why)
        summary_say(s, "", "ranks", slow_how, "%s", f->slow.why);
    if (*job_folder_failure(f))
        summary_say(s, "end", "ranks", "The status of a rank is that of its program.", "%s",
                    job_folder_failure(f));
    add_job_mpi(s, f, ascii);
    add_job_numbers(s, f, ascii);
    for (uint32_t i = 0; i < f->nnotes; i++)
        summary_add(s, (struct summary_line){.label = i ? "" : "notes",
                                             .text = arena_strdup(&s->memory, f->notes[i]),
                                             .how = "What is in the folder, beside the run that is "
                                                    "shown, or is missing there.",
                                             .next = "rooftop report ranks",
                                             .tone = SUMMARY_FAINT});
}
