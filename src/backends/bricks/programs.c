#include "backends/bricks/brick_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/owner.h"

/* --- the owner of a file --- */

struct pids_found { /* how a file was found */
    bool ours;      /* in the private folder that rooftop made for a command */
    pid_t named;    /* the pid in its name, in the process's own namespace */
    pid_t outside;  /* for a file in a container: the pid in rooftop's namespace; otherwise 0 */
};

static bool is_wanted_process(const struct target *t, const char *folder, pid_t pid)
{
    if (folder || t->kind == TARGET_HOST)
        return true;
    for (size_t i = 0; i < t->npids; i++)
        if (t->pids[i] == pid)
            return true;
    if (t->kind != TARGET_CGROUP || !t->cgroup)
        return false;
    char path[512], line[32];
    snprintf(path, sizeof path, "%s/cgroup.procs", t->cgroup);
    FILE *f = fopen(path, "re");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f))
        found = atoi(line) == pid;
    if (f)
        fclose(f);
    return found;
}

static bool same_program(const struct brick_header *h, const struct owner_process *process,
                         pid_t pid)
{
    char link[64], exe[sizeof h->exe];
    if (h->start_ticks && process->start_ticks != h->start_ticks)
        return false;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(link, exe, sizeof exe - 1);
    if (n <= 0)
        return true; /* its link may not be read */
    exe[n] = '\0';
    return strcmp(exe, h->exe) == 0; /* if they differ, it now runs another program */
}

/* Why a file is not shown for the process that it names; NULL if it is, "" if the reason is not
 * worth reporting. The file of a running process must belong to its user. If the process has ended
 * or its pid is reused, only our own files and root's are shown. In the private folder for a
 * command only we can write, which --usdt does. */
static const char *refuse_program_file(const struct pids_found *f, const struct stat *state,
                                       const struct brick_header *h, pid_t pid)
{
    struct owner_process process;
    if (f->ours && state->st_uid == geteuid())
        return NULL;
    if (!f->outside && (pid_t)h->pid != f->named)
        return "its name is another process's";
    if (h->start_ticks == 0)
        return "it does not say when its process began";
    if (owner_of_process(pid, &process) && process.start_ticks == h->start_ticks)
        return owner_refuses_named(state, process.user);
    return owner_refuses_named(state, geteuid()) ? "" : NULL;
}

/* Checks whether the program runs before reading its file, so that all it wrote is read, even its
 * mark of an orderly end. */
static void poll_program(struct watched_program *p,
                         int (*read_new)(struct brick_reader *r, struct error *err))
{
    const struct brick_header *h = brick_reader_header(p->reader);
    struct owner_process process;
    bool runs = p->state == PROGRAM_RUNNING && owner_of_process(p->pid, &process) &&
                same_program(h, &process, p->pid);
    if (read_new(p->reader, NULL) != 0)
        p->damaged = true;
    if (p->state == PROGRAM_RUNNING && !runs)
        p->state = PROGRAM_CRASHED;
    if (h->state == BRICK_ENDED) /* a writer for another program sets this mark a little later */
        p->state = PROGRAM_ENDED;
}

/* --- the list --- */

/* Identifies a file that is no longer open, although inode numbers may be used again. */
static uint64_t file_key(const struct stat *st, const char *path)
{
    return hash_text(hash_number(hash_number(0, st->st_dev), st->st_ino), path);
}

/* Remembers not to open its file again, which would push another program out of the list. */
static void forget_program(struct programs *p, size_t i)
{
    ids_add(&p->forgotten, p->list[i].key, 0);
    brick_reader_close(p->list[i].reader);
    memmove(p->list + i, p->list + i + 1, (p->n - i - 1) * sizeof *p->list);
    p->n--;
}

/* Makes space for one more by removing the oldest that has ended. */
static bool drop_ended_programs(struct programs *p)
{
    for (size_t i = 0; p->n >= PROGRAMS_MAX && i < p->n; i++)
        if (p->list[i].state != PROGRAM_RUNNING)
            forget_program(p, i);
    return p->n < PROGRAMS_MAX;
}

static bool is_known_file(const struct programs *p, const struct stat *st, const char *path)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].dev == st->st_dev && p->list[i].ino == st->st_ino)
            return true;
    return ids_get(&p->forgotten, file_key(st, path)) != IDS_NONE;
}

static void count_refused(struct programs *p, const struct stat *st, pid_t pid, const char *why)
{
    if (*why && p->refused++ == 0)
        snprintf(p->refusal, sizeof p->refusal,
                 "a file of user %u says that it is of process %d, but %s", (unsigned)st->st_uid,
                 (int)pid, why);
}

/* Opens a file. f: how it was found; NULL: the user named it, so its contents are accepted. */
static int open_program_file(struct programs *p, int fd, const char *path,
                             const struct pids_found *f, struct error *err)
{
    struct stat st;
    struct brick_reader *r;
    if (fstat(fd, &st) != 0 || is_known_file(p, &st, path)) {
        close(fd);
        return 0;
    }
    int rc = brick_reader_open_fd(&r, fd, path, err);
    if (rc != 0)
        return rc;
    const struct brick_header *h = brick_reader_header(r);
    const pid_t pid = f && f->outside ? f->outside : (pid_t)h->pid;
    const char *why = f ? refuse_program_file(f, &st, h, pid) : NULL;
    if (why)
        count_refused(p, &st, pid, why);
    if (why || !drop_ended_programs(p)) {
        p->left_out += !why;
        brick_reader_close(r);
        return 0;
    }
    p->list = xrealloc(p->list, p->n + 1, sizeof *p->list);
    struct watched_program *new = &p->list[p->n++];
    *new = (struct watched_program){.reader = r,
                                    .number = p->opened++,
                                    .pid = pid,
                                    .dev = st.st_dev,
                                    .ino = st.st_ino,
                                    .key = file_key(&st, path)};
    snprintf(new->path, sizeof new->path, "%s", path);
    snprintf(new->name, sizeof new->name, "%.79s", h->program[0] ? h->program : "?");
    for (char *c = new->name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return 0;
}

int programs_add_file(struct programs *p, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    return open_program_file(p, fd, path, NULL, err);
}

/* Searches a folder. Files that are not readable or not complete yet are skipped; the next poll
 * tries them again. */
static void search_folder(struct programs *p, const struct target *t, const char *folder, bool all,
                          pid_t outside)
{
    struct pids_found f = {.ours = all, .outside = outside};
    DIR *dir = opendir(folder);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int pid;
        size_t n = strlen(e->d_name), suffix = strlen(BRICK_SUFFIX);
        if (sscanf(e->d_name, BRICK_PREFIX "%d-", &pid) != 1 || n < suffix ||
            strcmp(e->d_name + n - suffix, BRICK_SUFFIX) != 0)
            continue;
        struct stat st;
        char path[512];
        snprintf(path, sizeof path, "%.300s/%.200s", folder, e->d_name);
        if ((!all && !is_wanted_process(t, NULL, outside ? outside : pid)) ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            is_known_file(p, &st, path))
            continue;
        int fd = openat(dirfd(dir), e->d_name,
                        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        f.named = pid;
        if (fd >= 0)
            open_program_file(p, fd, path, &f, NULL);
    }
    if (dir)
        closedir(dir);
}

/* Searches a container: a program there has its file in the container's own shared memory. */
static void search_container(struct programs *p, const struct target *t, pid_t pid)
{
    char root[64];
    struct stat ours, theirs;
    snprintf(root, sizeof root, "/proc/%d/root" BRICK_FOLDER, (int)pid);
    if (stat(BRICK_FOLDER, &ours) != 0 || stat(root, &theirs) != 0 ||
        (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino))
        return;
    struct target inside = *t;
    inside.kind = TARGET_PIDS;
    inside.npids = 1;
    inside.pids = &pid;
    struct owner_process process;
    DIR *dir = owner_of_process(pid, &process) ? opendir(root) : NULL;
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int named;
        if (sscanf(e->d_name, BRICK_PREFIX "%d-", &named) == 1 && named == process.inner) {
            search_folder(p, &inside, root, false, pid);
            break;
        }
    }
    if (dir)
        closedir(dir);
}

void programs_find(struct programs *p, const struct target *t, const char *folder)
{
    char root[512];
    p->refused = 0;
    /* a recorded machine has no containers */
    if (strcmp(env_path(root, sizeof root, "/"), "/") != 0)
        return;
    if (folder)
        search_folder(p, t, folder, true, 0);
    else
        search_folder(p, t, BRICK_FOLDER, false, 0);
    for (size_t i = 0; !folder && i < t->npids; i++)
        search_container(p, t, t->pids[i]);
}

void programs_poll(struct programs *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!p->list[i].damaged)
            poll_program(&p->list[i], brick_reader_poll);
}

void programs_follow(struct programs *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!p->list[i].damaged)
            poll_program(&p->list[i], brick_reader_follow);
}

void programs_close(struct programs *p)
{
    for (size_t i = 0; i < p->n; i++)
        brick_reader_close(p->list[i].reader);
    free(p->list);
    ids_free(&p->forgotten);
    *p = (struct programs){0};
}
