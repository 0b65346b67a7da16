/* What the ranks of a folder recorded of their calls of MPI, as numbers beside their summaries. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/watch.h"
#include "engine/job/job.h"
#include "engine/job/job_folder_impl.h"
#include "engine/trace/trace.h"
#include "format/mpi_record.h"

/* Bytes of all ranks together: reading so many takes some seconds; and about one second while ranks
 * still run, since the folder is then read again and again. Of more, the first calls of each rank
 * are read: all ranks made them in about the same time, so the verdict stays while the files grow.
 */
#define MPI_FILES_MOST      (UINT64_C(256) << 20)
#define MPI_FILES_MOST_LIVE (UINT64_C(64) << 20)
/* A rank's first 64 KiB are 1,024 calls: from fewer, no verdict is made. Where there is no room for
 * so many of each rank, none are read. */
#define MPI_FILE_LEAST (64 << 10)

/* The bytes of the calls that the rank recorded, and where they are; 0: none. */
static uint64_t find_calls_of_rank(const struct job_folder *f, const struct job_member *m,
                                   char path[PATH_MAX])
{
    struct stat st;
    const int n = snprintf(path, PATH_MAX, "%s/%s/" MPI_RECORD_FILE, f->path, m->folder);
    if (n < 0 || n >= PATH_MAX || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    return (uint64_t)st.st_size;
}

/* Returns a file in memory with the first bytes of another one, or -errno. */
static int copy_first_bytes(const char *path, uint64_t bytes)
{
    const int from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return -errno;
    int to = memfd_create("rooftop-calls", MFD_CLOEXEC);
    ssize_t n = to < 0 ? -1 : 1;
    for (; n > 0 && bytes > 0; bytes -= (uint64_t)n)
        n = sendfile(to, from, NULL, bytes);
    const int rc = n < 0 ? -errno : to;
    if (n < 0 && to >= 0)
        close(to);
    close(from);
    return rc;
}

static int add_file_of_rank(struct job *j, const char *path, struct error *err)
{
    struct trace t = {.nfiles = 0};
    int rc = trace_open(&t, &path, 1, err);
    if (rc == 0)
        rc = job_add(j, &t, path, err);
    trace_free(&t);
    return rc;
}

/* Adds the first calls in so many bytes. */
static int add_first_calls_of_rank(struct job *j, const char *path, uint64_t bytes,
                                   struct error *err)
{
    char copy[64];
    bytes -= bytes % sizeof(struct mpi_record);
    const int fd = copy_first_bytes(path, bytes < MPI_FILE_LEAST ? MPI_FILE_LEAST : bytes);
    if (fd < 0)
        return error_set(err, ERROR_INPUT, -fd, NULL, path, "%s", strerror(-fd));
    snprintf(copy, sizeof copy, "/proc/self/fd/%d", fd);
    const int rc = add_file_of_rank(j, copy, err);
    if (rc != 0)
        snprintf(err->what, sizeof err->what, "%s", path);
    close(fd);
    return rc;
}

/* The part of the calls that is read, which is told; 0: none is. */
static double choose_part_of_calls(struct job_folder *f)
{
    char path[PATH_MAX];
    uint64_t bytes = 0;
    const double most = (double)(f->unfinished ? MPI_FILES_MOST_LIVE : MPI_FILES_MOST);
    for (uint32_t i = 0; i < f->n; i++)
        bytes += find_calls_of_rank(f, &f->ranks[i], path);
    if ((double)bytes <= most)
        return 1;
    const char *all = f->unfinished ? "rooftop report ranks reads all when the ranks have ended"
                                    : "rooftop report ranks reads all";
    if ((double)f->n * MPI_FILE_LEAST > most) {
        job_folder_note(f, "%.0f MB of calls of MPI are not read here: %s", (double)bytes / 1e6,
                        all);
        return 0;
    }
    job_folder_note(f, "of %.0f MB of calls of MPI, the first %.0f MB are read here: %s",
                    (double)bytes / 1e6, most / 1e6, all);
    return most / (double)bytes;
}

/* Adds the ranks that recorded calls. Those of a job with very many are left to `report ranks`. */
static int add_calls_of_ranks(struct job_folder *f, struct job *j, struct error *err)
{
    char path[PATH_MAX], text[1024];
    int rc = 0;
    f->mpi_part = choose_part_of_calls(f);
    for (uint32_t i = 0; i < f->n && rc == 0 && f->mpi_part > 0; i++) {
        struct error why = ERROR_INIT;
        const uint64_t bytes = find_calls_of_rank(f, &f->ranks[i], path);
        int added = 0;
        if (bytes && f->mpi_part < 1)
            added = add_first_calls_of_rank(j, path, (uint64_t)(f->mpi_part * (double)bytes), &why);
        else if (bytes)
            added = add_file_of_rank(j, path, &why);
        if (added != 0)
            job_folder_note(f, "left out: %s", error_format(&why, text, sizeof text));
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
