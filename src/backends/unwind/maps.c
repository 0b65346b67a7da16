#include "backends/unwind/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_common/perf_record.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "base/search.h"

enum {
    PROCESSES_MAX = 32768,
    MAPS_MAX = 16384, /* executable mappings in one process */
    FILES_MAX = 65536,
    BUCKETS = 4096,
};
static const uint64_t patience_min_ns = 100000000, patience_max_ns = 10000000000u;

struct mapped_process {
    struct mapped_process *next; /* in its hash bucket */
    pid_t pid;
    struct process_map *maps; /* sorted by start, without overlaps */
    size_t n, cap;
    size_t recent;        /* index of the last answer */
    bool known;           /* no earlier mapping is missing */
    uint64_t again_ns;    /* /proc is not read again before this time */
    uint64_t patience_ns; /* doubled each time that reading again did not help */
};

struct process_maps {
    struct mapped_process *bucket[BUCKETS];
    bool recorded;                /* all that is known comes from records */
    size_t nprocesses, map_bytes; /* map_bytes: of all processes */
    size_t path_bytes;
    struct map_file *files; /* files[0] stands for no file */
    size_t nfiles, cap_files;
    struct hash_table file_by_content;
    struct arena paths;
};

/* --- files --- */

/* Removes " (deleted)" from "/x/y (deleted)": the file was removed from its folder. */
static bool cut_deleted(char *path)
{
    static const char mark[] = " (deleted)";
    size_t n = strlen(path), k = sizeof mark - 1;
    if (n <= k || strcmp(path + n - k, mark) != 0)
        return false;
    path[n - k] = '\0';
    return true;
}

static bool is_map_file(const struct map_file *f, const struct map_line *l, const char *path)
{
    return f->inode == l->inode && f->major == l->major && f->minor == l->minor &&
           f->nbuild_id == l->nbuild_id &&
           (l->nbuild_id == 0 || memcmp(f->build_id, l->build_id, l->nbuild_id) == 0) &&
           !strcmp(f->path, path);
}

static uint32_t find_or_add_map_file(struct process_maps *m, const struct map_line *l)
{
    char clean[4096];
    snprintf(clean, sizeof clean, "%s", l->path);
    bool deleted = cut_deleted(clean);
    uint64_t hash = hash_text(l->inode ^ (uint64_t)l->major << 32 ^ l->minor, clean);
    HASH_EACH (&m->file_by_content, hash, i)
        if (is_map_file(&m->files[i], l, clean))
            return i;
    if (m->nfiles >= FILES_MAX)
        return 0;
    hash_table_add(&m->file_by_content, hash, m->nfiles);
    LIST_ROOM(m->files, m->nfiles, m->cap_files);
    m->path_bytes += strlen(clean) + 1;
    m->files[m->nfiles] = (struct map_file){.path = arena_strdup(&m->paths, clean),
                                            .major = l->major,
                                            .minor = l->minor,
                                            .inode = l->inode,
                                            .deleted = deleted,
                                            .memfd = strncmp(clean, "/memfd:", 7) == 0,
                                            .nbuild_id = (uint8_t)l->nbuild_id};
    if (l->nbuild_id)
        memcpy(m->files[m->nfiles].build_id, l->build_id, l->nbuild_id);
    return (uint32_t)m->nfiles++;
}

const struct map_file *maps_file(const struct process_maps *m, uint32_t file)
{
    return &m->files[file < m->nfiles ? file : 0];
}

/* --- processes --- */

static struct mapped_process **process_slot(struct process_maps *m, pid_t pid)
{
    struct mapped_process **at = &m->bucket[(uint32_t)pid % BUCKETS];
    while (*at && (*at)->pid != pid)
        at = &(*at)->next;
    return at;
}

static void drop_process(struct process_maps *m, struct mapped_process **at)
{
    struct mapped_process *p = *at;
    if (!p)
        return;
    *at = p->next;
    m->map_bytes -= sizeof *p + p->cap * sizeof *p->maps;
    free(p->maps);
    free(p);
    m->nprocesses--;
}

static void drop_all_processes(struct process_maps *m)
{
    for (size_t b = 0; b < BUCKETS; b++)
        while (m->bucket[b])
            drop_process(m, &m->bucket[b]);
}

static struct mapped_process *find_or_add_mapped_process(struct process_maps *m, pid_t pid)
{
    struct mapped_process **at = process_slot(m, pid), *have = *at;
    if (have)
        return have;
    /* exits were missed: start again, /proc will be read for those that live */
    if (m->nprocesses >= PROCESSES_MAX) {
        drop_all_processes(m);
        at = process_slot(m, pid);
    }
    *at = xcalloc(1, sizeof **at);
    (*at)->pid = pid;
    (*at)->known = m->recorded;
    m->map_bytes += sizeof **at;
    m->nprocesses++;
    return *at;
}

/* Index of the first mapping that ends after address. */
static size_t first_above(const struct mapped_process *p, uint64_t address)
{
    size_t low = 0;
    SEARCH_FIRST(low, p->n, !(p->maps[low].end > address));
    return low;
}

static void open_gap(struct mapped_process *p, size_t at, size_t n)
{
    if (p->n + n > p->cap) {
        p->cap = p->cap ? p->cap * 2 : 16;
        p->maps = xrealloc(p->maps, p->cap, sizeof *p->maps);
    }
    memmove(p->maps + at + n, p->maps + at, (p->n - at) * sizeof *p->maps);
    p->n += n;
}

/* Inserts a mapping. It replaces what was there, as mmap does. */
static void insert_map(struct mapped_process *p, const struct process_map *new)
{
    size_t at = first_above(p, new->start);
    if (p->n + 2 > MAPS_MAX)
        return;
    if (at < p->n && p->maps[at].start < new->start) {
        struct process_map *old = &p->maps[at];
        if (old->end > new->end) { /* inside an old mapping: keep the upper part */
            struct process_map upper = *old;
            upper.offset += new->end - upper.start;
            upper.start = new->end;
            old->end = new->start;
            open_gap(p, at + 1, 1);
            p->maps[at + 1] = upper;
        } else {
            old->end = new->start;
        }
        at++;
    }
    size_t gone = at;
    while (gone < p->n && p->maps[gone].end <= new->end)
        gone++;
    if (gone < p->n && p->maps[gone].start < new->end) {
        p->maps[gone].offset += new->end - p->maps[gone].start;
        p->maps[gone].start = new->end;
    }
    if (gone == at) {
        open_gap(p, at, 1);
    } else if (gone > at + 1) {
        memmove(p->maps + at + 1, p->maps + gone, (p->n - gone) * sizeof *p->maps);
        p->n -= gone - at - 1;
    }
    p->maps[at] = *new;
}

static void map_range(struct process_maps *m, struct mapped_process *p, const struct map_line *l)
{
    if (l->end <= l->start)
        return;
    struct process_map new = {.start = l->start,
                              .end = l->end,
                              .offset = l->offset,
                              .kind = (uint8_t)maps_kind_of(l->path)};
    if (new.kind == MAP_FILE)
        new.file = find_or_add_map_file(m, l);
    const size_t before = p->cap;
    insert_map(p, &new);
    m->map_bytes += (p->cap - before) * sizeof *p->maps;
}

/* --- the kernel's records --- */

void maps_add(struct process_maps *m, pid_t pid, const struct record_mapping *r)
{
    if (pid <= 0) /* the kernel's own */
        return;
    uint64_t end = r->start + r->length;
    map_range(m, find_or_add_mapped_process(m, pid),
              &(struct map_line){.start = r->start,
                                 .end = end < r->start ? UINT64_MAX : end,
                                 .offset = r->offset,
                                 .inode = r->inode,
                                 .major = r->major,
                                 .minor = r->minor,
                                 .path = r->path,
                                 .build_id = r->build_id,
                                 .nbuild_id = r->nbuild_id});
}

void maps_fork(struct process_maps *m, pid_t pid, pid_t parent)
{
    if (pid == parent || pid <= 0) /* a thread */
        return;
    drop_process(m, process_slot(m, pid));
    struct mapped_process *p = find_or_add_mapped_process(m, pid), *from = *process_slot(m, parent);
    if (!from || from == p)
        return;
    p->known = from->known;
    if (from->n == 0)
        return;
    p->n = p->cap = from->n;
    p->maps = xcalloc(from->n, sizeof *p->maps);
    memcpy(p->maps, from->maps, from->n * sizeof *p->maps);
    m->map_bytes += p->cap * sizeof *p->maps;
}

void maps_exec(struct process_maps *m, pid_t pid)
{
    drop_process(m, process_slot(m, pid));
    find_or_add_mapped_process(m, pid)->known = true;
}

void maps_exit(struct process_maps *m, pid_t pid)
{
    drop_process(m, process_slot(m, pid));
}

/* --- /proc/PID/maps --- */

static void read_proc(struct process_maps *m, struct mapped_process *p, uint64_t now_ns)
{
    char path[512], line[4352];
    p->known = true;
    if (p->patience_ns == 0)
        p->patience_ns = patience_min_ns;
    p->again_ns = now_ns + p->patience_ns;
    FILE *f = fopen(env_path(path, sizeof path, "/proc/%d/maps", (int)p->pid), "re");
    if (!f)
        return;
    p->n = 0;
    while (fgets(line, sizeof line, f)) {
        struct map_line l;
        line[strcspn(line, "\n")] = '\0';
        if (maps_parse_line(line, &l) && l.executable)
            map_range(m, p, &l);
    }
    fclose(f);
}

static const struct process_map *search_maps(struct mapped_process *p, uint64_t address)
{
    if (p->recent < p->n && address >= p->maps[p->recent].start && address < p->maps[p->recent].end)
        return &p->maps[p->recent];
    size_t at = first_above(p, address);
    if (at >= p->n || p->maps[at].start > address)
        return NULL;
    p->recent = at;
    return &p->maps[at];
}

const struct process_map *maps_find(struct process_maps *m, pid_t pid, uint64_t address, bool again,
                                    uint64_t now_ns)
{
    if (pid <= 0)
        return NULL;
    struct mapped_process *p = find_or_add_mapped_process(m, pid);
    if (!p->known)
        read_proc(m, p, now_ns);
    const struct process_map *found = search_maps(p, address);
    if (!found && again && !m->recorded && now_ns >= p->again_ns) {
        if (p->patience_ns < patience_max_ns)
            p->patience_ns *= 2;
        read_proc(m, p, now_ns);
        found = search_maps(p, address);
        if (found)
            p->patience_ns = patience_min_ns;
    }
    return found;
}

bool maps_touched(const struct process_maps *m, pid_t pid, uint64_t start, uint64_t length)
{
    const struct mapped_process *p = m->bucket[(uint32_t)pid % BUCKETS];
    const uint64_t end = length < UINT64_MAX - start ? start + length : UINT64_MAX;
    while (p && p->pid != pid)
        p = p->next;
    if (!p)
        return false;
    const size_t at = first_above(p, start);
    return start < end && at < p->n && p->maps[at].start < end;
}

/* --- making and freeing --- */

size_t maps_processes(const struct process_maps *m)
{
    return m->nprocesses;
}

size_t maps_memory(const struct process_maps *m)
{
    return m->cap_files * sizeof *m->files + hash_table_memory(&m->file_by_content) +
           m->path_bytes + m->map_bytes;
}

size_t maps_files(const struct process_maps *m)
{
    return m->nfiles - 1;
}

static void no_files(struct process_maps *m)
{
    m->nfiles = m->path_bytes = 0;
    LIST_ADD(m->files, m->nfiles, m->cap_files, (struct map_file){.path = ""});
    hash_table_clear(&m->file_by_content);
}

struct process_maps *maps_new(void)
{
    struct process_maps *m = xcalloc(1, sizeof *m);
    no_files(m);
    return m;
}

struct process_maps *maps_new_recorded(void)
{
    struct process_maps *m = maps_new();
    m->recorded = true;
    return m;
}

void maps_reset(struct process_maps *m)
{
    drop_all_processes(m);
    arena_reset(&m->paths);
    no_files(m);
}

void maps_free(struct process_maps *m)
{
    if (!m)
        return;
    drop_all_processes(m);
    arena_free(&m->paths);
    free(m->files);
    hash_table_free(&m->file_by_content);
    free(m);
}
