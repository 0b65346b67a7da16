#include "engine/facts/descriptors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/hash.h"
#include "base/ids.h"
#include "base/list.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"
#include "engine/syscalls/roles.h"

enum { FD_LIMIT = 1 << 20, NONE = -1 };

struct slot {
    int32_t object; /* NONE: closed or unknown */
    bool closes;    /* by exec */
    bool before;    /* it is from before the trace */
    uint8_t end;    /* of a pipe or a pair of sockets */
};

struct process {
    int32_t pid;
    struct slot *fds;
    uint32_t n, cap, open, before; /* before: of the open ones, those from before the trace */
    bool early; /* it has its parent's descriptors since the parent's fork returned */
    bool told;  /* the parent's fork has returned */
    bool over;  /* it has ended: its number may come again */
};

struct descriptors {
    struct descriptor_object **objects;
    size_t nobjects, objects_cap;
    struct process *processes;
    size_t nprocesses, processes_cap;
    struct ids by_pid;  /* index into processes */
    struct ids by_tid;  /* the process of a thread that is not its first */
    struct ids by_name; /* hash of kind and name to index into objects */
    uint32_t pipes, sockets, handles;
};

static int32_t object_add(struct descriptors *d, enum descriptor_kind kind, const char *name)
{
    LIST_ROOM(d->objects, d->nobjects, d->objects_cap);
    struct descriptor_object *o = xcalloc(1, sizeof *o);
    *o = (struct descriptor_object){
        .name = xstrdup(name), .kind = (uint8_t)kind, .index = (uint32_t)d->nobjects};
    d->objects[d->nobjects] = o;
    return (int32_t)d->nobjects++;
}

/* The object of this name; a new one where there is none. */
static int32_t object_named(struct descriptors *d, enum descriptor_kind kind, const char *name)
{
    for (uint64_t key = hash_text(kind, name);; key++) {
        uint32_t found = ids_get(&d->by_name, key);
        if (found == IDS_NONE) {
            int32_t made = object_add(d, kind, name);
            ids_add(&d->by_name, key, (uint32_t)made);
            return made;
        }
        if (d->objects[found]->kind == kind && strcmp(d->objects[found]->name, name) == 0)
            return (int32_t)found;
    }
}

static int32_t object_numbered(struct descriptors *d, enum descriptor_kind kind, const char *what,
                               uint32_t *count)
{
    char name[64];
    snprintf(name, sizeof name, "%.40s %u", what, ++*count);
    return object_add(d, kind, name);
}

static struct process *process_find(const struct descriptors *d, int32_t pid)
{
    uint32_t i = ids_get(&d->by_pid, (uint32_t)pid);
    return i == IDS_NONE ? NULL : &d->processes[i];
}

static void drop_descriptor(struct descriptors *d, struct process *p, uint32_t fd)
{
    if (fd >= p->n || p->fds[fd].object == NONE)
        return;
    d->objects[p->fds[fd].object]->open--;
    p->before -= p->fds[fd].before;
    p->fds[fd].before = false;
    p->fds[fd].object = NONE;
    p->open--;
}

static void put_descriptor(struct descriptors *d, struct process *p, int64_t fd, int32_t object,
                           bool closes)
{
    if (fd < 0 || fd >= FD_LIMIT)
        return;
    while (p->n <= fd)
        LIST_ADD(p->fds, p->n, p->cap, (struct slot){.object = NONE});
    drop_descriptor(d, p, (uint32_t)fd);
    if (object == NONE)
        return;
    p->fds[fd] = (struct slot){.object = object, .closes = closes};
    p->open++;
    d->objects[object]->open++;
}

static void drop_descriptors_of(struct descriptors *d, struct process *p)
{
    for (uint32_t fd = 0; fd < p->n; fd++)
        drop_descriptor(d, p, fd);
    free(p->fds);
    p->fds = NULL;
    p->n = p->cap = 0;
}

/* A process that was not seen before has the standard streams; a child has those of its parent. */
static struct process *find_or_add_fd_table(struct descriptors *d, int32_t pid)
{
    static const char *const streams[] = {"stdin", "stdout", "stderr"};
    struct process *p = process_find(d, pid);
    if (p)
        return p;
    LIST_ROOM(d->processes, d->nprocesses, d->processes_cap);
    p = &d->processes[d->nprocesses];
    *p = (struct process){.pid = pid};
    ids_add(&d->by_pid, (uint32_t)pid, (uint32_t)d->nprocesses++);
    for (int fd = 0; fd < 3; fd++)
        put_descriptor(d, p, fd, object_named(d, DESCRIPTOR_STANDARD, streams[fd]), false);
    return p;
}

static void mark_before(struct process *p, int64_t fd)
{
    p->before += !p->fds[fd].before;
    p->fds[fd].before = true;
}

static void copy_slot(struct descriptors *d, struct process *to, int64_t fd,
                      const struct slot *slot, bool closes)
{
    const struct slot copied = *slot; /* to may have it, and move */
    put_descriptor(d, to, fd, copied.object, closes);
    if (fd >= 0 && fd < to->n)
        to->fds[fd].end = copied.end;
    if (fd >= 0 && fd < to->n && copied.before)
        mark_before(to, fd);
}

static void inherit_descriptors(struct descriptors *d, int32_t child, int32_t maker)
{
    uint32_t pid = ids_get(&d->by_tid, (uint32_t)maker);
    int32_t parent = pid == IDS_NONE ? maker : (int32_t)pid;
    find_or_add_fd_table(d, parent);
    struct process *to = find_or_add_fd_table(d, child), *from = process_find(d, parent);
    drop_descriptors_of(d, to);
    to->told = to->over = false;
    for (uint32_t fd = 0; fd < from->n; fd++)
        copy_slot(d, to, fd, &from->fds[fd], from->fds[fd].closes);
}

/*
 * A child has the descriptors that its parent had at the fork. Whichever is seen first tells: the
 * parent's call that returns, or the child that starts; later the parent may have closed some.
 */
static void fork_returned(struct descriptors *d, const struct syscall_event *e)
{
    bool thread;
    int32_t child = syscall_made_task(e, &thread);
    if (!child || thread)
        return;
    struct process *known = process_find(d, child);
    if (known && !(known->told && known->over)) { /* its start was seen, even its end perhaps */
        known->told = true;
        return;
    }
    inherit_descriptors(d, child, e->pid);
    known = process_find(d, child);
    known->early = known->told = true;
}

static void child_started(struct descriptors *d, const struct syscall_event *e)
{
    struct process *p = process_find(d, e->pid);
    if (p && p->early)
        p->early = false;
    else
        inherit_descriptors(d, e->pid, e->parent);
}

static void close_at_exec(struct descriptors *d, struct process *p)
{
    for (uint32_t fd = 0; fd < p->n; fd++)
        if (p->fds[fd].closes)
            drop_descriptor(d, p, fd);
}

static int32_t find_object_number(const struct process *p, uint64_t fd)
{
    return fd < p->n ? p->fds[fd].object : NONE;
}

/* Flags of the call that close its new descriptor at an exec. */
static bool closes_at_exec(const struct syscall_event *e, const struct syscall_duty *duty)
{
    const char *name = syscall_name(e->abi, e->number);
    switch (duty->role) {
    case ROLE_OPEN:
        if (strcmp(name, "openat2") == 0 || strcmp(name, "creat") == 0)
            return false;
        return e->args[duty->path + 1] & O_CLOEXEC;
    case ROLE_DUP:
        return strcmp(name, "dup3") == 0 && (e->args[2] & O_CLOEXEC);
    case ROLE_PIPE:
        return strcmp(name, "pipe2") == 0 && (e->args[1] & O_CLOEXEC);
    case ROLE_SOCKET:
    case ROLE_PAIR:
        return e->args[1] & SOCK_CLOEXEC;
    case ROLE_ACCEPT:
        return strcmp(name, "accept4") == 0 && (e->args[3] & SOCK_CLOEXEC);
    case ROLE_HANDLE:
        return strchr("123456789", name[strlen(name) - 1]) != NULL;
    default:
        return false;
    }
}

bool descriptors_path(const struct descriptors *d, const struct syscall_event *e, int dirfd,
                      int path, char *out, size_t size)
{
    size_t n = 0;
    const uint8_t *text = path < 0 ? NULL : syscall_kept(e, e->args[path], false, &n, NULL);
    if (!text)
        return false;
    n = strnlen((const char *)text, n);
    const struct descriptor_object *below = NULL;
    if (dirfd >= 0 && (n == 0 || text[0] != '/'))
        below = descriptors_of(d, e->pid, (int)(int32_t)e->args[dirfd]);
    snprintf(out, size, "%s%s%.*s", below ? below->name : "", below && n ? "/" : "", (int)n, text);
    return true;
}

/* A decimal number that is all of the text; -1: it is none. */
static int read_fd_number(const char *text)
{
    char *end;
    const long n = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
    return n >= 0 && n < FD_LIMIT && !*end ? (int)n : -1;
}

int descriptors_named(const char *path, size_t n, int32_t *pid)
{
    static const char *const own[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    char text[64] = "", *end;
    if (n >= sizeof text)
        return -1;
    memcpy(text, path, n);
    for (int i = 0; i < 3; i++)
        if (strcmp(text, streams[i]) == 0)
            return i;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(text, own[i], strlen(own[i])) == 0)
            return read_fd_number(text + strlen(own[i]));
    if (strncmp(text, "/proc/", 6) != 0 || text[6] < '1' || text[6] > '9')
        return -1;
    const long whose = strtol(text + 6, &end, 10);
    if (whose > INT32_MAX || strncmp(end, "/fd/", 4) != 0)
        return -1;
    *pid = (int32_t)whose;
    return read_fd_number(end + 4);
}

/* What the path stands for that the call opens again; NONE: it is a file. */
static int32_t opened_again(const struct descriptors *d, const struct syscall_event *e,
                            const char *path)
{
    int32_t pid = e->pid;
    const int fd = descriptors_named(path, strlen(path), &pid);
    const struct process *p = fd >= 0 ? process_find(d, pid) : NULL;
    return p ? find_object_number(p, (uint64_t)fd) : NONE;
}

static void add_opened_file(struct descriptors *d, struct process *p, const struct syscall_event *e,
                            const struct syscall_duty *duty)
{
    char path[4200];
    const bool known = descriptors_path(d, e, duty->fd, duty->path, path, sizeof path);
    int32_t object = known ? opened_again(d, e, path) : NONE;
    if (object == NONE)
        object = known ? object_named(d, DESCRIPTOR_FILE, path)
                       : object_numbered(d, DESCRIPTOR_FILE, "file of unknown name", &d->handles);
    d->objects[object]->made++;
    put_descriptor(d, p, e->result, object, closes_at_exec(e, duty));
}

/* Two descriptors that the call wrote to memory. */
static void open_two(struct descriptors *d, struct process *p, const struct syscall_event *e,
                     const struct syscall_duty *duty, int32_t object)
{
    int32_t fds[2];
    size_t n = 0;
    const uint8_t *kept = syscall_kept(e, e->args[duty->path], true, &n, NULL);
    d->objects[object]->made++;
    if (!kept || n < sizeof fds)
        return;
    memcpy(fds, kept, sizeof fds);
    for (uint8_t i = 0; i < 2; i++) {
        const struct slot slot = {.object = object, .end = i};
        copy_slot(d, p, fds[i], &slot, closes_at_exec(e, duty));
    }
}

static void add_duplicate(struct descriptors *d, struct process *p, const struct syscall_event *e,
                          bool closes)
{
    if ((uint64_t)e->result == e->args[0]) /* dup2 of a descriptor to itself changes nothing */
        return;
    const struct slot none = {.object = NONE};
    copy_slot(d, p, e->result, e->args[0] < p->n ? &p->fds[e->args[0]] : &none, closes);
}

static void control_descriptor(struct descriptors *d, struct process *p,
                               const struct syscall_event *e)
{
    switch (e->args[1]) {
    case F_DUPFD:
        add_duplicate(d, p, e, false);
        break;
    case F_DUPFD_CLOEXEC:
        add_duplicate(d, p, e, true);
        break;
    case F_SETFD:
        if (e->args[0] < p->n)
            p->fds[e->args[0]].closes = e->args[2] & FD_CLOEXEC;
        break;
    default:
        break;
    }
}

static void close_range_of(struct descriptors *d, struct process *p, const struct syscall_event *e)
{
    uint64_t last = e->args[1] < p->n ? e->args[1] : (uint64_t)p->n;
    for (uint64_t fd = e->args[0]; fd <= last && fd < p->n; fd++)
        if (e->args[2] & CLOSE_RANGE_CLOEXEC)
            p->fds[fd].closes = true;
        else
            drop_descriptor(d, p, (uint32_t)fd);
}

static void add_made_descriptor(struct descriptors *d, struct process *p,
                                const struct syscall_event *e, const struct syscall_duty *duty,
                                int32_t object)
{
    d->objects[object]->made++;
    put_descriptor(d, p, e->result, object, closes_at_exec(e, duty));
}

static void follow_returned_call(struct descriptors *d, struct process *p,
                                 const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    switch (duty->role) {
    case ROLE_OPEN:
        add_opened_file(d, p, e, duty);
        break;
    case ROLE_CLOSES:
        close_range_of(d, p, e);
        break;
    case ROLE_DUP:
        add_duplicate(d, p, e, closes_at_exec(e, duty));
        break;
    case ROLE_FCNTL:
        control_descriptor(d, p, e);
        break;
    case ROLE_PIPE:
        open_two(d, p, e, duty, object_numbered(d, DESCRIPTOR_PIPE, "pipe", &d->pipes));
        break;
    case ROLE_PAIR:
        open_two(d, p, e, duty, object_numbered(d, DESCRIPTOR_SOCKET, "socket", &d->sockets));
        break;
    case ROLE_SOCKET:
    case ROLE_ACCEPT:
        add_made_descriptor(d, p, e, duty,
                            object_numbered(d, DESCRIPTOR_SOCKET, "socket", &d->sockets));
        break;
    case ROLE_HANDLE:
    case ROLE_RING:
        add_made_descriptor(
            d, p, e, duty,
            object_numbered(d, DESCRIPTOR_HANDLE, syscall_name(e->abi, e->number), &d->handles));
        break;
    default:
        break;
    }
}

static void task_started(struct descriptors *d, const struct syscall_event *e)
{
    const bool thread = e->pid != e->tid;
    if (thread || ids_get(&d->by_tid, (uint32_t)e->tid) != IDS_NONE)
        ids_set(&d->by_tid, (uint32_t)e->tid, (uint32_t)e->pid);
    if (!thread && e->parent)
        child_started(d, e);
}

/* A descriptor from before the trace; that of a standard stream keeps its name. */
static void held_before(struct descriptors *d, const struct syscall_event *e)
{
    static const char handle[] = "anon_inode:";
    const char *name = (const char *)e->bytes;
    if (!e->nbytes || name[e->nbytes - 1] != '\0' || e->args[0] < 3 || e->args[0] >= FD_LIMIT)
        return;
    enum descriptor_kind kind = DESCRIPTOR_FILE;
    if (strncmp(name, "socket:", 7) == 0)
        kind = DESCRIPTOR_SOCKET;
    else if (strncmp(name, "pipe:", 5) == 0)
        kind = DESCRIPTOR_PIPE;
    else if (strncmp(name, handle, sizeof handle - 1) == 0)
        kind = DESCRIPTOR_HANDLE;
    struct process *p = find_or_add_fd_table(d, e->pid);
    put_descriptor(d, p, (int64_t)e->args[0], object_named(d, kind, name), false);
    mark_before(p, (int64_t)e->args[0]);
}

void descriptors_follow(struct descriptors *d, const struct syscall_event *e)
{
    if (e->kind == SYSCALL_START)
        task_started(d, e);
    else if (e->kind == SYSCALL_HELD)
        held_before(d, e);
    else if (e->kind == SYSCALL_EXEC)
        close_at_exec(d, find_or_add_fd_table(d, e->pid));
    else if (e->kind == SYSCALL_EXIT && e->pid == e->tid) {
        struct process *p = process_find(d, e->pid);
        if (p) {
            drop_descriptors_of(d, p);
            p->over = true;
        }
    } else if (e->kind == SYSCALL_CALL && !(e->flags & SYSCALL_NO_ENTRY)) {
        fork_returned(d, e);
        struct process *p = find_or_add_fd_table(d, e->pid);
        const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
        if (duty->role == ROLE_CLOSE) /* Linux closes it also where it reports an error */
            drop_descriptor(d, p, (uint32_t)e->args[0]);
        else if (e->result >= 0 && !(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)))
            follow_returned_call(d, p, e);
    }
}

const struct descriptor_object *descriptors_of(const struct descriptors *d, int32_t pid, int fd)
{
    const struct process *p = process_find(d, pid);
    int32_t object = p && fd >= 0 ? find_object_number(p, (uint64_t)fd) : NONE;
    return object == NONE ? NULL : d->objects[object];
}

int descriptors_end(const struct descriptors *d, int32_t pid, int fd)
{
    const struct process *p = process_find(d, pid);
    return p && fd >= 0 && (uint32_t)fd < p->n ? p->fds[fd].end : 0;
}

size_t descriptors_count(const struct descriptors *d)
{
    return d->nobjects;
}

const struct descriptor_object *descriptors_at(const struct descriptors *d, size_t i)
{
    return d->objects[i];
}

uint32_t descriptors_open(const struct descriptors *d, int32_t pid)
{
    const struct process *p = process_find(d, pid);
    return p ? p->open - p->before : 0;
}

struct descriptors *descriptors_new(void)
{
    return xcalloc(1, sizeof(struct descriptors));
}

void descriptors_free(struct descriptors *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->nprocesses; i++)
        free(d->processes[i].fds);
    for (size_t i = 0; i < d->nobjects; i++) {
        free(d->objects[i]->name);
        free(d->objects[i]);
    }
    free(d->processes);
    free(d->objects);
    ids_free(&d->by_pid);
    ids_free(&d->by_tid);
    ids_free(&d->by_name);
    free(d);
}
