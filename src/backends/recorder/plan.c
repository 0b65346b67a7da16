#include "backends/recorder/recorder_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

enum { MAPS_MAX = 65536, TRAMPOLINE = 64, PAGE = 4096, LINE = PATH_MAX + 128 };
static const uint64_t reach = UINT64_C(1) << 30, lowest = 0x10000;

struct mapping {
    uint64_t from, to, offset, inode;
    unsigned major, minor;
    bool code;     /* a private, executable mapping of a file */
    bool recorder; /* a mapping of the recorder */
    bool shared;   /* the trace's control, whose identifier is the inode */
    bool stack;
    char *path; /* path of the code's file */
};
struct maps {
    struct mapping *list;
    size_t n, cap;
};

struct plan_file {
    uint64_t inode;
    unsigned major, minor;
    uint32_t first, n; /* range of sites, sorted by offset */
    uint32_t *offsets; /* offsets of the sites */
    size_t lone;
};

/* --- /proc/PID/maps --- */

static void read_mapping_line(struct maps *m, const struct share *s, char *line)
{
    struct mapping one = {0};
    char rights[5] = "";
    int at = 0;
    unsigned long long from, to, offset, inode;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &from, &to, rights, &offset, &one.major,
               &one.minor, &inode, &at) < 7 ||
        m->n >= MAPS_MAX)
        return;
    line[strcspn(line, "\n")] = '\0';
    const char *path = line + at;
    one.from = from;
    one.to = to;
    one.offset = offset;
    one.inode = inode;
    one.recorder = strcmp(path, s->library) == 0;
    one.shared = strcmp(rights, "rw-s") == 0 && inode == (unsigned)s->control_id &&
                 strncmp(path, "/SYSV", strlen("/SYSV")) == 0;
    one.stack = strcmp(path, "[stack]") == 0;
    one.code = path[0] == '/' && strcmp(rights, "r-xp") == 0 && !one.recorder;
    one.path = one.code ? xstrdup(path) : NULL;
    LIST_ADD(m->list, m->n, m->cap, one);
}

static void read_task_maps(struct maps *m, const struct share *s, pid_t pid)
{
    char path[64], *line = xcalloc(LINE, 1), *buffer = xcalloc(PAGE, 1);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *f = fopen(path, "re");
    if (f)
        setvbuf(f, buffer, _IOFBF, PAGE); /* the kernel gives at most a page in a read */
    while (f && fgets(line, LINE, f))
        read_mapping_line(m, s, line);
    if (f)
        fclose(f);
    free(buffer);
    free(line);
}

static void free_maps(struct maps *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->list[i].path);
    free(m->list);
}

/* --- sites --- */

static int by_offset(const void *a, const void *b)
{
    const struct syscall_site *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool are_sites_in_order(const struct syscall_site *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (list[i - 1].offset > list[i].offset)
            return false;
    return true;
}

static struct plan_file *file_of(struct plans *p, struct share *s, pid_t pid,
                                 const struct mapping *m)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->files[i].inode == m->inode && p->files[i].major == m->major &&
            p->files[i].minor == m->minor)
            return &p->files[i];
    char path[PATH_MAX + 64];
    struct site_list found;
    struct plan_file f = {m->inode, m->major, m->minor, s->nsites, 0, NULL, 0};
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, m->path);
    if (sites_find(path, &found)) {
        const size_t room = SYSCALL_RING_SITES - s->nsites;
        f.n = (uint32_t)(found.n < room ? found.n : room);
        f.lone = found.lone;
        if (!are_sites_in_order(found.list, f.n))
            qsort(found.list, f.n, sizeof *found.list, by_offset);
        if (f.n)
            memcpy(s->sites + f.first, found.list, f.n * sizeof *found.list);
        f.offsets = xcalloc(f.n + 1, sizeof *f.offsets);
        for (uint32_t i = 0; i < f.n; i++)
            f.offsets[i] = found.list[i].offset;
        s->nsites += f.n;
    }
    sites_free(&found);
    LIST_ROOM(p->files, p->n, p->cap);
    p->files[p->n] = f;
    return &p->files[p->n++];
}

/* --- room for trampolines --- */

static uint64_t distance_of_addresses(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/*
 * Finds free addresses for size bytes, near enough to the mapping for jumps. Takes the upper end of
 * a gap, because the heap grows upwards, but never below the stack, which grows downwards. 0: none.
 */
static uint64_t free_place(const struct maps *m, const struct mapping *near, uint64_t size)
{
    uint64_t best = 0, end = lowest;
    for (size_t i = 0; i < m->n; i++) {
        const struct mapping *next = &m->list[i];
        const bool fits = next->from > end && next->from - end >= size + 2 * PAGE;
        const uint64_t at = next->from - size - PAGE;
        if (fits && !next->stack && distance_of_addresses(at, near->from) < reach &&
            distance_of_addresses(at, near->to) < reach &&
            (!best ||
             distance_of_addresses(at, near->from) < distance_of_addresses(best, near->from)))
            best = at;
        if (next->to > end)
            end = next->to;
    }
    return best;
}

/* Marks addresses as taken; the list stays sorted. */
static void take_place(struct maps *m, uint64_t from, uint64_t size)
{
    LIST_ROOM(m->list, m->n, m->cap);
    size_t i = m->n++;
    for (; i > 0 && m->list[i - 1].from > from; i--)
        m->list[i] = m->list[i - 1];
    m->list[i] = (struct mapping){.from = from, .to = from + size};
}

static bool make_part(struct plans *p, struct share *s, struct maps *m, size_t i, pid_t pid,
                      struct syscall_part *out)
{
    const struct mapping one = m->list[i];
    const struct plan_file *f = file_of(p, s, pid, &one);
    const uint64_t end = one.offset + (one.to - one.from);
    uint32_t first = 0, last = f->n;
    while (first < last && f->offsets[first] < one.offset)
        first++;
    while (last > first && f->offsets[last - 1] >= end)
        last--;
    p->lone += f->lone;
    if (first == last)
        return false;
    const uint64_t size = ((uint64_t)(last - first) * TRAMPOLINE + PAGE - 1) / PAGE * PAGE;
    *out = (struct syscall_part){.from = one.from,
                                 .to = one.to,
                                 .bias = one.from - one.offset,
                                 .trampoline = free_place(m, &one, size),
                                 .first = f->first + first,
                                 .n = last - first};
    if (out->trampoline)
        take_place(m, out->trampoline, size);
    return out->trampoline != 0;
}

void plan_make(struct plans *p, struct share *s, pid_t pid, struct syscall_plan *out)
{
    struct maps m = {0};
    read_task_maps(&m, s, pid);
    out->nparts = 0;
    for (size_t i = 0; i < m.n && out->nparts < SYSCALL_RING_PLAN; i++) {
        const size_t before = m.n;
        const uint64_t from = m.list[i].from;
        if (m.list[i].code && make_part(p, s, &m, i, pid, &out->parts[out->nparts]))
            out->nparts++;
        if (m.n > before && m.list[i].from != from)
            i++; /* take_place inserted an entry below */
    }
    out->ready = 1;
    free_maps(&m);
}

bool plan_part(struct plans *p, struct share *s, pid_t pid, uint64_t address,
               struct syscall_part *out)
{
    struct maps m = {0};
    bool found = false;
    read_task_maps(&m, s, pid);
    for (size_t i = 0; i < m.n && !found; i++)
        if (m.list[i].code && m.list[i].from <= address && address < m.list[i].to)
            found = make_part(p, s, &m, i, pid, out);
    free_maps(&m);
    return found;
}

bool plan_recorder(const struct share *s, pid_t pid, uint64_t *from, uint64_t *to)
{
    struct maps m = {0};
    bool found = false;
    read_task_maps(&m, s, pid);
    for (size_t i = 0; i < m.n; i++)
        if (m.list[i].recorder) {
            *from = found ? *from : m.list[i].from;
            *to = m.list[i].to;
            found = true;
        }
    free_maps(&m);
    return found;
}

bool plan_has_share(const struct share *s, pid_t tid)
{
    struct maps m = {0};
    bool found = false;
    read_task_maps(&m, s, tid);
    for (size_t i = 0; i < m.n && !found; i++)
        found = m.list[i].shared;
    free_maps(&m);
    return found;
}

void plans_free(struct plans *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->files[i].offsets);
    free(p->files);
    *p = (struct plans){0};
}
