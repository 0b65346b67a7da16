#include "engine/job/job_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/print.h"
#include "base/watch.h"
#include "engine/job/job.h"
#include "engine/job/job_folder_impl.h"

struct members { /* what is found while the folder is read */
    struct job_member *list;
    uint32_t n, room;
};

static bool is_rank_folder_name(const char *name, bool *whole)
{
    *whole = strncmp(name, RANK_FOLDER, sizeof RANK_FOLDER - 1) == 0;
    return *whole || strncmp(name, RANK_UNFINISHED, sizeof RANK_UNFINISHED - 1) == 0;
}

bool job_folder_is(const char *path)
{
    char name[NAME_MAX + sizeof "/" RANK_SUMMARY];
    struct stat st;
    bool found = false, whole;
    DIR *dir = opendir(path);
    for (struct dirent *e; !found && dir && (e = readdir(dir));) { /* NOLINT: our own stream */
        snprintf(name, sizeof name, "%s/" RANK_SUMMARY, e->d_name);
        found = is_rank_folder_name(e->d_name, &whole) &&
                fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    }
    if (dir)
        closedir(dir);
    return found;
}

void job_folder_note(struct job_folder *f, const char *fmt, ...)
{
    char raw[400], line[400];
    va_list args;
    if (f->nnotes > JOB_NOTES)
        return;
    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    print_line(line, sizeof line, "%s", raw);
    char *text = xstrdup(f->nnotes < JOB_NOTES ? line : "there is more to tell than this");
    LIST_ADD(f->notes, f->nnotes, f->notes_room, text);
}

/* Opens the folder of a rank, if it is a folder of the job's owner. Returns the descriptor or
 * -errno with err. */
static int open_rank_folder(int job, const char *name, uid_t owner, const char *path,
                            struct error *err)
{
    struct stat st;
    const int fd = openat(job, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s",
                         errno == ELOOP || errno == ENOTDIR ? "it is no folder" : strerror(errno));
    if (fstat(fd, &st) == 0 && st.st_uid == owner)
        return fd;
    close(fd);
    return error_set(err, ERROR_INPUT, EPERM, NULL, path,
                     "it belongs to another user than the job's folder");
}

static void read_rank_of_folder(struct job_folder *f, struct members *all, int job,
                                const char *name, bool whole, uid_t owner)
{
    struct job_member m = {.whole = whole, .mpi = {NAN, NAN, NAN, NAN, NAN, NAN}};
    struct error err = ERROR_INIT;
    char text[1024];
    f->left_out++;
    if (strlen(name) >= sizeof m.folder) {
        job_folder_note(f, "left out: %.100s: the name is too long", name);
        return;
    }
    snprintf(m.folder, sizeof m.folder, "%s", name);
    const int fd = open_rank_folder(job, name, owner, name, &err);
    const int rc = fd < 0 ? fd : rank_summary_read(&m.s, fd, owner, name, &err);
    if (fd >= 0)
        close(fd);
    f->left_out -= rc == 0;
    if (rc == 0)
        LIST_ADD(all->list, all->n, all->room, m);
    else if (err.code == ENOENT && fd >= 0)
        job_folder_note(f, "left out: %s has no summary: %s", name,
                        whole ? "it is damaged, or the file system does not show it yet"
                              : "its rank died as it began, or begins just now");
    else
        job_folder_note(f, "left out: %s", error_format(&err, text, sizeof text));
}

static int read_rank_folders(struct job_folder *f, struct members *all, DIR *dir, struct error *err)
{
    struct stat st;
    bool whole;
    if (fstat(dirfd(dir), &st) != 0)
        return error_set(err, ERROR_INPUT, errno, NULL, f->path, "%s", strerror(errno));
    for (struct dirent *e; (e = readdir(dir));) { /* NOLINT: no other thread uses this stream */
        if (!is_rank_folder_name(e->d_name, &whole))
            continue;
        if (all->n >= JOB_RANKS_MOST)
            return error_set(err, ERROR_INPUT, E2BIG, NULL, f->path,
                             "a job can have at most %d ranks", JOB_RANKS_MOST);
        const int rc = watch_check(f->path, err);
        if (rc != 0)
            return rc;
        read_rank_of_folder(f, all, dirfd(dir), e->d_name, whole, st.st_uid);
    }
    return 0;
}

int job_folder_open(struct job_folder *f, const char *path, struct error *err)
{
    struct members all = {.n = 0};
    *f = (struct job_folder){.path = xstrdup(path), .wall = NAN, .slow = {.rank = JOB_NONE}};
    DIR *dir = opendir(path);
    if (!dir)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    int rc = read_rank_folders(f, &all, dir, err);
    closedir(dir);
    if (rc == 0 && all.n == 0)
        rc = error_set(err, ERROR_INPUT, ENODATA, "srun rooftop job -o FOLDER -- ./program", path,
                       "%s", f->nnotes ? f->notes[0] : "no rank has written a summary there");
    if (rc != 0) {
        free(all.list);
        return rc;
    }
    job_folder_choose(f, all.list, all.n);
    job_folder_judge(f);
    job_folder_judge_collectives(f);
    return 0;
}

void job_folder_free(struct job_folder *f)
{
    for (uint32_t i = 0; i < f->nnotes; i++)
        free(f->notes[i]);
    free(f->notes);
    free(f->ranks);
    free(f->path);
    *f = (struct job_folder){.path = NULL};
}

const char *job_member_key(const struct job_member *m, char out[24])
{
    snprintf(out, 24, RANK_FOLDER "%05" PRIu32, m->s.rank);
    return out;
}

const struct job_member *job_folder_find(const struct job_folder *f, const char *key)
{
    char own[24];
    for (uint32_t i = 0; i < f->n; i++)
        if (strcmp(job_member_key(&f->ranks[i], own), key) == 0)
            return &f->ranks[i];
    return NULL;
}

double job_member_idle(const struct job_member *m)
{
    const double ready = isnan(m->s.ready) ? 0 : m->s.ready;
    const double idle = m->s.wall - m->s.user - m->s.system - ready;
    return idle < 0 ? 0 : idle; /* NaN stays */
}

const char *job_folder_failure(const struct job_folder *f)
{
    return strcmp(f->slow.said, f->failure) == 0 ? "" : f->failure;
}

const char *job_member_end(const struct job_member *m, char out[32])
{
    if (!isnan(m->s.signal))
        snprintf(out, 32, "signal %.0f", m->s.signal);
    else if (!isnan(m->s.status))
        snprintf(out, 32, "%.0f", m->s.status);
    else
        snprintf(out, 32, "%s", m->whole ? "unknown" : m->s.state);
    return out;
}
