/* What the ranks of a folder recorded of their calls of MPI, as numbers beside their summaries. */
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/watch.h"
#include "engine/job/job.h"
#include "engine/job/job_folder_impl.h"
#include "engine/trace/trace.h"
#include "format/mpi_record.h"

/* Bytes of all ranks together: reading so many takes two seconds; and 0.1 s while ranks still run,
 * since the folder is then read again and again. */
#define MPI_FILES_MOST      (UINT64_C(256) << 20)
#define MPI_FILES_MOST_LIVE (UINT64_C(16) << 20)

/* Whether the rank recorded calls, and where; adds their size. */
static bool find_calls_of_rank(const struct job_folder *f, const struct job_member *m,
                               char path[PATH_MAX], uint64_t *bytes)
{
    struct stat st;
    const int n = snprintf(path, PATH_MAX, "%s/%s/" MPI_RECORD_FILE, f->path, m->folder);
    if (n < 0 || n >= PATH_MAX || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *bytes += (uint64_t)st.st_size;
    return true;
}

static void add_calls_of_rank(struct job_folder *f, struct job *j, const char *path)
{
    struct trace t = {.nfiles = 0};
    struct error why = ERROR_INIT;
    char text[1024];
    int rc = trace_open(&t, &path, 1, &why);
    if (rc == 0)
        rc = job_add(j, &t, path, &why);
    if (rc != 0)
        job_folder_note(f, "left out: %s", error_format(&why, text, sizeof text));
    trace_free(&t);
}

/* Adds the ranks that recorded calls. Those of a job with very many are left to `report ranks`. */
static int add_calls_of_ranks(struct job_folder *f, struct job *j, struct error *err)
{
    char path[PATH_MAX];
    uint64_t bytes = 0, again = 0;
    int rc = 0;
    for (uint32_t i = 0; i < f->n; i++)
        find_calls_of_rank(f, &f->ranks[i], path, &bytes);
    if (bytes > (f->unfinished ? MPI_FILES_MOST_LIVE : MPI_FILES_MOST)) {
        job_folder_note(f, "%.0f MB of calls of MPI are not read here: rooftop report ranks does",
                        (double)bytes / 1e6);
        return 0;
    }
    for (uint32_t i = 0; i < f->n && rc == 0; i++) {
        if (find_calls_of_rank(f, &f->ranks[i], path, &again))
            add_calls_of_rank(f, j, path);
        rc = watch_check(f->path, err);
    }
    return rc;
}

static struct job_member *find_member_of_number(const struct job_folder *f, uint32_t number)
{
    const uint32_t at = job_folder_find_number(f, number);
    return at == JOB_NONE ? NULL : &f->ranks[at];
}

void job_folder_take_mpi(struct job_folder *f, const struct job *j)
{
    for (uint32_t i = 0; j->mpi && i < j->n; i++) {
        struct job_member *m = find_member_of_number(f, j->ranks[i].number);
        if (m)
            m->mpi.calls = 1e-9 * (double)j->ranks[i].use.communication;
    }
    for (uint32_t i = 0; j->mpi && i < j->mpi->nranks; i++) {
        const struct mpi_rank *r = &j->mpi->ranks[i];
        const struct job_rank *row = &j->ranks[r->id];
        struct job_member *m = row->judged ? find_member_of_number(f, row->number) : NULL;
        if (!m)
            continue;
        m->mpi.late_sender = 1e-9 * (double)r->by[MPI_LATE_SENDER];
        m->mpi.late_receiver = 1e-9 * (double)r->by[MPI_LATE_RECEIVER];
        m->mpi.collective = 1e-9 * (double)r->by[MPI_LATE_COLLECTIVE];
        m->mpi.window = 1e-9 * (double)r->by[MPI_LATE_WINDOW];
        m->mpi.caused = 1e-9 * (double)r->caused;
    }
    if (j->mpi)
        job_folder_judge_waits(f, j);
}

int job_folder_read_mpi(struct job_folder *f, struct error *err)
{
    struct error why = ERROR_INIT;
    struct job j = {.n = 0};
    char text[1024];
    const int rc = add_calls_of_ranks(f, &j, err);
    if (rc == 0 && j.n && job_finish(&j, &why) != 0)
        job_folder_note(f, "calls of MPI: %s", error_format(&why, text, sizeof text));
    else if (rc == 0)
        job_folder_take_mpi(f, &j);
    job_free(&j);
    return rc;
}
