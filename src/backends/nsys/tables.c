/* Reads tables with names: strings, processes, threads, hosts, enumerations. */
#include <stdio.h>
#include <string.h>

#include "backends/nsys/nsys_impl.h"

#include "base/list.h"
#include "engine/trace/left_out.h"

enum {
    NAME_MAX_BYTES = 16383 /* enough for templates, not for output of programs */
};

/* --- strings --- */

static int read_strings(struct nsys *n)
{
    static const char *const columns[] = {"id", "value"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, "StringIds", columns, 2);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        int64_t id;
        const char *text = sqlite_rows_text(&r, 1);
        rc = 0;
        if (!text || !sqlite_rows_int(&r, 0, &id) ||
            !ids_add(&n->strings_by_id, (uint64_t)id, n->nstrings))
            continue;
        LIST_ROOM(n->strings, n->nstrings, n->strings_cap);
        n->strings[n->nstrings++] = (struct nsys_string){
            arena_strndup(&n->memory, text, strnlen(text, NAME_MAX_BYTES)), GRAPH_NONE, GRAPH_NONE};
    }
    sqlite_rows_close(&r);
    return rc;
}

static struct nsys_string *string_of(struct nsys *n, const struct sqlite_rows *r, int column)
{
    int64_t id;
    if (!sqlite_rows_int(r, column, &id))
        return NULL;
    uint32_t i = ids_get(&n->strings_by_id, (uint64_t)id);
    return i == IDS_NONE ? NULL : &n->strings[i];
}

uint32_t nsys_name(struct nsys *n, const struct sqlite_rows *r, int column)
{
    struct nsys_string *s = string_of(n, r, column);
    const char *text = s ? NULL : sqlite_rows_text(r, column);
    if (text && *text)
        return graph_intern(n->g, text);
    if (!s || !*s->text)
        return GRAPH_NONE;
    if (s->name == GRAPH_NONE)
        s->name = graph_intern(n->g, s->text);
    return s->name;
}

/* Removes "_v3020", "_v10000": the function is the same in every version of CUDA. */
static uint32_t function_name(struct graph *g, const char *text)
{
    size_t length = strlen(text), digits = 0;
    char base[256];
    while (digits < length && strchr("0123456789", text[length - 1 - digits]))
        digits++;
    if (digits < 4 || digits > 5 || length < digits + 3 || length >= sizeof base ||
        memcmp(text + length - digits - 2, "_v", 2) != 0)
        return graph_intern(g, text);
    memcpy(base, text, length - digits - 2);
    base[length - digits - 2] = '\0';
    return graph_intern(g, base);
}

uint32_t nsys_function_name(struct nsys *n, const struct sqlite_rows *r, int column)
{
    struct nsys_string *s = string_of(n, r, column);
    if (!s)
        return nsys_name(n, r, column);
    if (s->function == GRAPH_NONE)
        s->function = function_name(n->g, s->text);
    return s->function;
}

/* --- processes and threads --- */

uint32_t nsys_process(struct nsys *n, uint64_t id)
{
    bool is_new;
    uint32_t i = ids_number(&n->processes_by_id, nsys_process_bits(id), &is_new);
    if (is_new) {
        LIST_ROOM(n->processes, n->nprocesses, n->processes_cap);
        n->processes[n->nprocesses++] =
            (struct nsys_process){nsys_process_bits(id), GRAPH_NONE, GRAPH_NONE};
    }
    return i;
}

uint32_t nsys_thread(struct nsys *n, uint64_t id)
{
    bool is_new;
    uint32_t i = ids_number(&n->threads_by_id, id, &is_new);
    if (is_new) {
        LIST_ROOM(n->threads, n->nthreads, n->threads_cap);
        n->threads[n->nthreads++] =
            (struct nsys_thread){id, GRAPH_NONE, GRAPH_NONE, nsys_process(n, id)};
    }
    return i;
}

uint32_t nsys_process_node(struct nsys *n, uint32_t process)
{
    struct nsys_process *p = &n->processes[process];
    char name[40];
    if (p->node != GRAPH_NONE)
        return p->node;
    snprintf(name, sizeof name, "process %u", nsys_pid(p->id));
    if (p->name == GRAPH_NONE)
        p->name = graph_intern(n->g, p->id ? name : "unknown process");
    p->node = graph_add(n->g, NODE_PROGRAM, p->name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN,
                        GRAPH_UNKNOWN);
    if (p->node != GRAPH_NONE)
        graph_detail(n->g, p->node)->thread.id = nsys_pid(p->id);
    return p->node;
}

uint32_t nsys_thread_node(struct nsys *n, uint32_t thread)
{
    struct nsys_thread *t = &n->threads[thread];
    char name[40];
    if (t->node != GRAPH_NONE)
        return t->node;
    uint32_t program = nsys_process_node(n, t->process);
    snprintf(name, sizeof name, "thread %u", nsys_tid(t->id));
    if (t->name == GRAPH_NONE)
        t->name = graph_intern(n->g, t->id ? name : "unknown thread");
    if (program != GRAPH_NONE)
        t->node = graph_add(n->g, NODE_THREAD, t->name, program, EDGE_LAUNCHES, GRAPH_UNKNOWN,
                            GRAPH_UNKNOWN);
    if (t->node != GRAPH_NONE)
        graph_detail(n->g, t->node)->thread.id = nsys_tid(t->id);
    return t->node;
}

/* The owner of a name. An owner may have two names; the first one counts. */
enum whose { PROCESS, THREAD, HOST };

static void keep_owner_name(struct nsys *n, enum whose whose, uint64_t id, uint32_t name)
{
    uint32_t *of = NULL;
    if (whose == HOST) {
        ids_add(&n->hosts, nsys_machine(id), name);
        n->first_host = n->first_host == GRAPH_NONE ? name : n->first_host;
    } else if (whose == PROCESS) {
        uint32_t process = nsys_process(n, id); /* may move the array */
        of = &n->processes[process].name;
    } else {
        uint32_t thread = nsys_thread(n, id);
        of = &n->threads[thread].name;
    }
    if (of && *of == GRAPH_NONE)
        *of = name;
}

/* Reads names of processes, threads or hosts. columns: the id, the name, and one that must equal
 * third ("": anything). */
static int read_owner_names(struct nsys *n, enum whose whose, const char *table,
                            const char *const columns[3], const char *third)
{
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, table, columns, 3);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        int64_t id;
        const char *is = *third ? sqlite_rows_text(&r, 2) : third;
        rc = 0;
        if (!is || strcmp(is, third) != 0 || !sqlite_rows_int(&r, 0, &id))
            continue;
        uint32_t name = nsys_name(n, &r, 1);
        if (name != GRAPH_NONE)
            keep_owner_name(n, whose, (uint64_t)id, name);
    }
    sqlite_rows_close(&r);
    return rc;
}

/* --- enumerations --- */

/* Finds the NVTX events that are ranges. Their numbers never changed; newer files also have their
 * names. */
static int read_event_types(struct nsys *n)
{
    static const char *const columns[] = {"id", "name"};
    struct {
        const char *name;
        int64_t *id, usual;
    } types[] = {{"NvtxPushPopRange", &n->push_pop[0], 59},
                 {"NvtxtPushPopRange", &n->push_pop[1], 70},
                 {"NvtxStartEndRange", &n->start_end[0], 60},
                 {"NvtxtStartEndRange", &n->start_end[1], 71},
                 {"NvtxDomainCreate", &n->domain_create, 75}};
    enum { N = sizeof types / sizeof *types };
    struct sqlite_rows r;
    for (size_t i = 0; i < N; i++)
        *types[i].id = types[i].usual;
    int rc = sqlite_rows_open(&r, &n->file, "ENUM_NSYS_EVENT_TYPE", columns, 2);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        const char *name = sqlite_rows_text(&r, 1);
        for (size_t i = 0; name && i < N; i++)
            if (strcmp(name, types[i].name) == 0)
                sqlite_rows_int(&r, 0, types[i].id);
        rc = 0;
    }
    sqlite_rows_close(&r);
    return rc;
}

/* Reads labels from the file's enumeration in place of the built-in ones. before: a prefix for
 * them. */
static int read_labels(struct nsys *n, const char *table, const char *before, uint32_t *out,
                       size_t count)
{
    static const char *const columns[] = {"id", "label"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, table, columns, 2);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        int64_t id;
        char name[128];
        const char *label = sqlite_rows_text(&r, 1);
        rc = 0;
        if (!label || !*label || !sqlite_rows_int(&r, 0, &id) || id < 0 || (uint64_t)id >= count)
            continue;
        snprintf(name, sizeof name, "%s%.100s", before, label);
        out[id] = graph_intern(n->g, name);
    }
    sqlite_rows_close(&r);
    return rc;
}

static int read_copy_kinds(struct nsys *n)
{
    static const char *const copies[NSYS_COPY_KINDS] = {"memcpy",
                                                        "memcpy Host-to-Device",
                                                        "memcpy Device-to-Host",
                                                        "memcpy Host-to-Array",
                                                        "memcpy Array-to-Host",
                                                        "memcpy Array-to-Array",
                                                        "memcpy Array-to-Device",
                                                        "memcpy Device-to-Array",
                                                        "memcpy Device-to-Device",
                                                        "memcpy Host-to-Host",
                                                        "memcpy Peer-to-Peer",
                                                        "memcpy Unified Host-to-Device",
                                                        "memcpy Unified Device-to-Host",
                                                        "memcpy Unified Device-to-Device",
                                                        "memcpy",
                                                        "memcpy"};
    static const char *const memories[NSYS_MEMORY_KINDS] = {
        "Pageable", "Pinned",        "Device",         "Array",
        "Managed",  "Device Static", "Managed Static", "Unknown"};
    for (size_t i = 0; i < NSYS_COPY_KINDS; i++)
        n->copy_kind[i] = graph_intern(n->g, copies[i]);
    for (size_t i = 0; i < NSYS_MEMORY_KINDS; i++)
        n->memory_kind[i] = graph_intern(n->g, memories[i]);
    int rc = read_labels(n, "ENUM_CUDA_MEMCPY_OPER", "memcpy ", n->copy_kind, NSYS_COPY_KINDS);
    return rc ? rc : read_labels(n, "ENUM_CUDA_MEM_KIND", "", n->memory_kind, NSYS_MEMORY_KINDS);
}

int nsys_read_names(struct nsys *n)
{
    static const char *const process[] = {"globalPid", "name", ""},
                             *const thread[] = {"globalTid", "nameId", ""},
                             *const host[] = {"globalVid", "value", "name"};
    int rc = read_strings(n);
    if (rc == 0)
        rc = read_event_types(n);
    if (rc == 0)
        rc = read_copy_kinds(n);
    if (rc == 0)
        rc = read_owner_names(n, PROCESS, "PROCESSES", process, "");
    if (rc == 0)
        rc = read_owner_names(n, THREAD, "ThreadNames", thread, "");
    if (rc == 0)
        rc = read_owner_names(n, HOST, "TARGET_INFO_SYSTEM_ENV", host, "Hostname");
    return rc;
}

bool nsys_times(struct nsys *n, const struct sqlite_rows *r, int start, int end, uint64_t out[2])
{
    int64_t from, to;
    bool good = sqlite_rows_int(r, start, &from) && sqlite_rows_int(r, end, &to) && from >= 0 &&
                to >= from && to > 0;
    if (good) {
        out[0] = (uint64_t)from;
        out[1] = (uint64_t)to;
    } else {
        trace_leave_out(n->t, LEFT_TIMELESS, 1);
    }
    return good;
}

bool nsys_short(struct nsys *n, uint32_t lane, uint32_t name, enum node_kind kind,
                const uint64_t time[2])
{
    return lane != GRAPH_NONE &&
           trace_shorts_take(&n->shorts, &n->cut, lane, name, kind, time[1] - time[0]);
}
