#include "backends/brick/programs.h"

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

/* --- whose file it is --- */

static bool wanted(const struct target *t, const char *folder, pid_t pid)
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

/* Field 22 of /proc/PID/stat; 0 = there is no such process. */
static uint64_t start_ticks(pid_t pid)
{
    char path[64], text[1024];
    int fd = open(env_path(path, sizeof path, "/proc/%d/stat", (int)pid), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    char *at = strrchr(text, ')');
    if (at && (at[2] == 'Z' || at[2] == 'X'))
        return 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static bool same_program(const struct brick_header *h, pid_t pid)
{
    char link[64], exe[sizeof h->exe];
    uint64_t ticks = start_ticks(pid);
    if (ticks == 0 || (h->start_ticks && ticks != h->start_ticks))
        return false;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(link, exe, sizeof exe - 1);
    if (n <= 0)
        return true; /* we may not look */
    exe[n] = '\0';
    return strcmp(exe, h->exe) == 0; /* else it runs another program now */
}

/* Whether it runs is asked before its file is read: what it wrote to the last is read then, that it
 * ended in order included. */
static void poll_program(struct program *p)
{
    const struct brick_header *h = brick_reader_header(p->reader);
    bool runs = p->state == PROGRAM_RUNNING && same_program(h, p->pid);
    if (brick_reader_poll(p->reader, NULL) != 0)
        p->damaged = true;
    if (p->state == PROGRAM_RUNNING && !runs)
        p->state = PROGRAM_CRASHED;
    if (h->state == BRICK_ENDED) /* who writes for another says so a little later */
        p->state = PROGRAM_ENDED;
}

/* --- the list --- */

static void forget(struct programs *p, size_t i)
{
    brick_reader_close(p->list[i].reader);
    memmove(p->list + i, p->list + i + 1, (p->n - i - 1) * sizeof *p->list);
    p->n--;
}

/* Room for one more: the oldest that has ended goes. */
static bool make_room(struct programs *p)
{
    for (size_t i = 0; p->n >= PROGRAMS_MAX && i < p->n; i++)
        if (p->list[i].state != PROGRAM_RUNNING)
            forget(p, i);
    return p->n < PROGRAMS_MAX;
}

static bool known(const struct programs *p, const struct stat *st)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].dev == st->st_dev && p->list[i].ino == st->st_ino)
            return true;
    return false;
}

static int take(struct programs *p, int fd, const char *path, pid_t pid, struct error *err)
{
    struct stat st;
    struct brick_reader *r;
    if (fstat(fd, &st) != 0 || known(p, &st)) {
        close(fd);
        return 0;
    }
    int rc = brick_reader_open_fd(&r, fd, path, err);
    if (rc != 0)
        return rc;
    if (!make_room(p)) {
        p->left_out++;
        brick_reader_close(r);
        return 0;
    }
    const struct brick_header *h = brick_reader_header(r);
    p->list = xrealloc(p->list, p->n + 1, sizeof *p->list);
    struct program *new = &p->list[p->n++];
    *new = (struct program){
        .reader = r, .pid = pid ? pid : (pid_t)h->pid, .dev = st.st_dev, .ino = st.st_ino};
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
    return take(p, fd, path, 0, err);
}

/* Files that are not readable, or half made yet, are passed over: the next poll looks again. */
static void search_folder(struct programs *p, const struct target *t, const char *folder, bool all,
                          pid_t outside)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int pid;
        size_t n = strlen(e->d_name), suffix = strlen(BRICK_SUFFIX);
        if (sscanf(e->d_name, BRICK_PREFIX "%d-", &pid) != 1 || n < suffix ||
            strcmp(e->d_name + n - suffix, BRICK_SUFFIX) != 0)
            continue;
        struct stat st;
        if ((!all && !wanted(t, NULL, outside ? outside : pid)) ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || known(p, &st))
            continue;
        char path[512];
        snprintf(path, sizeof path, "%.300s/%.200s", folder, e->d_name);
        int fd = openat(dirfd(dir), e->d_name,
                        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0)
            take(p, fd, path, outside, NULL);
    }
    if (dir)
        closedir(dir);
}

/* The last number of the line "NSpid:" of its status: its pid as it sees itself. */
static pid_t inner_pid(pid_t pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    pid_t inner = pid;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "NSpid:", 6) == 0) {
            const char *last = strrchr(line, '\t');
            inner = last ? atoi(last) : pid;
        }
    if (f)
        fclose(f);
    return inner;
}

/* A program in a container keeps its file in the container's own shared memory. */
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
    inside.pids[0] = pid;
    DIR *dir = opendir(root);
    pid_t as_it_sees = inner_pid(pid);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int named;
        if (sscanf(e->d_name, BRICK_PREFIX "%d-", &named) == 1 && named == as_it_sees) {
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
    if (strcmp(env_path(root, sizeof root, "/"), "/") != 0) /* a recorded machine has none */
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
            poll_program(&p->list[i]);
}

void programs_close(struct programs *p)
{
    for (size_t i = 0; i < p->n; i++)
        brick_reader_close(p->list[i].reader);
    free(p->list);
    *p = (struct programs){0};
}
