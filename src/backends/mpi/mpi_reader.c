/* Reads the file in which a rank of an MPI program recorded its calls. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "engine/mpi/mpi.h"
#include "engine/trace/trace.h"
#include "format/mpi_record.h"

enum { AT_A_TIME = 4096 /* records */, THREADS_MAX = 1 << 12 };

struct mpi_reading {
    struct trace *t;
    const char *path;
    int fd;
    uint64_t size;
    struct mpi_record_header head;
    uint32_t program;
    struct lane {
        uint32_t thread, node;
    } * lanes;
    uint32_t n, room;
    uint32_t last; /* of the lanes: the one used last */
};

#define MPI_KIND_OTHER       MPI_OTHER
#define MPI_KIND_SEND        MPI_OTHER
#define MPI_KIND_RECEIVE     MPI_OTHER
#define MPI_KIND_START       MPI_OTHER
#define MPI_KIND_COMPLETE    MPI_OTHER
#define MPI_KIND_ALL         MPI_ALL
#define MPI_KIND_FROM_ROOT   MPI_FROM_ROOT
#define MPI_KIND_TO_ROOT     MPI_TO_ROOT
#define CALL_ROW(name, kind) [MPI_RECORD_##name] = {"MPI_" #name, MPI_KIND_##kind},
static const struct {
    const char *name;
    uint8_t kind;
} calls[MPI_RECORD_CALLS] = {MPI_CALLS(CALL_ROW)};

static bool is_mpi_file(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return size >= sizeof MPI_RECORD_MAGIC &&
           memcmp(head, MPI_RECORD_MAGIC, sizeof MPI_RECORD_MAGIC) == 0;
}

/* The thread's lane. Beyond THREADS_MAX all are in the last one. */
static uint32_t find_mpi_lane(struct mpi_reading *r, uint32_t thread)
{
    struct graph *g = r->t->calls;
    char name[64];
    if (r->n && r->lanes[r->last].thread == thread)
        return r->lanes[r->last].node;
    for (r->last = 0; r->last < r->n; r->last++)
        if (r->lanes[r->last].thread == thread)
            return r->lanes[r->last].node;
    if (r->n == THREADS_MAX)
        return r->lanes[r->last = r->n - 1].node;
    snprintf(name, sizeof name, "thread %" PRIu32, thread);
    const uint32_t node = graph_add(g, NODE_THREAD, graph_intern(g, name), r->program,
                                    EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (node != GRAPH_NONE)
        graph_detail(g, node)->thread.id = thread;
    LIST_ADD(r->lanes, r->n, r->room, (struct lane){thread, node});
    return node;
}

static uint32_t add_mpi_span(struct mpi_reading *r, const struct mpi_record *c)
{
    struct graph *g = r->t->calls;
    const uint32_t node =
        graph_add(g, NODE_FUNCTION, graph_intern(g, calls[c->call].name),
                  find_mpi_lane(r, c->thread), EDGE_CONTAINS, c->begin, c->end - c->begin);
    if (node == GRAPH_NONE)
        return GRAPH_NONE;
    g->flags[node] |= NODE_COLLECTIVE;
    r->t->spans++;
    return node;
}

/* The messages that a call was about stand before it. */
static void give_node_to_parts(struct trace *t, const struct mpi_record *c, uint32_t node)
{
    for (size_t i = t->nmpi; i-- > 0;) {
        struct mpi_call *part = &t->mpi[i];
        if (part->node != GRAPH_NONE || part->begin != c->begin || part->call != c->call)
            return;
        part->node = node;
    }
}

static void add_mpi_record(struct mpi_reading *r, const struct mpi_record *c)
{
    const bool member = c->what & MPI_RECORD_MEMBER;
    uint32_t node = GRAPH_NONE;
    if (c->end < c->begin || c->end > INT64_MAX || c->call >= MPI_RECORD_CALLS ||
        (!member && c->call == MPI_RECORD_NONE) || (member && c->bytes > UINT32_MAX)) {
        r->t->dropped++;
        return;
    }
    if (c->what & MPI_RECORD_SPAN && !member) {
        node = add_mpi_span(r, c);
        r->t->dropped += node == GRAPH_NONE;
        give_node_to_parts(r->t, c, node);
    }
    if (member || c->what & ~MPI_RECORD_SPAN || node != GRAPH_NONE)
        trace_add_mpi(r->t, &(struct mpi_call){.begin = c->begin,
                                               .end = c->end,
                                               .order = c->order,
                                               .bytes = c->bytes,
                                               .communicator = c->communicator,
                                               .node = node,
                                               .peer = c->peer,
                                               .tag = c->tag,
                                               .what = member ? MPI_RECORD_MEMBER : c->what,
                                               .call = c->call,
                                               .kind = calls[c->call].kind});
}

/* Reads records until the end, or the first that was never written. */
static int read_mpi_records(struct mpi_reading *r, struct error *err)
{
    struct mpi_record *list = xcalloc(AT_A_TIME, sizeof *list);
    uint64_t at = MPI_RECORD_HEADER;
    bool more = true;
    int rc = 0;
    while (more && rc == 0) {
        const ssize_t got = pread(r->fd, list, AT_A_TIME * sizeof *list, (off_t)at);
        const size_t n = got > 0 ? (size_t)got / sizeof *list : 0;
        more = n == AT_A_TIME;
        for (size_t i = 0; i < n; i++) {
            if (list[i].what == 0) {
                more = false;
                break;
            }
            add_mpi_record(r, &list[i]);
        }
        at += n * sizeof *list;
        rc = trace_progress(r->t, r->path, at, r->size, err);
    }
    free(list);
    return rc;
}

static int read_mpi_header(struct mpi_reading *r, struct error *err)
{
    struct mpi_record_header *h = &r->head;
    const char *why = NULL;
    if (pread(r->fd, h, sizeof *h, 0) != (ssize_t)sizeof *h || r->size < MPI_RECORD_HEADER)
        why = "it ends within its header";
    else if (h->record_bytes != sizeof(struct mpi_record))
        why = "its records have another size: it is of another version of rooftop";
    else if (h->rank >= h->ranks)
        why = "its rank is not one of the job's";
    if (why)
        return error_set(err, ERROR_INPUT, EINVAL, "record again", r->path, "%s", why);
    h->host[sizeof h->host - 1] = h->clock[sizeof h->clock - 1] = '\0';
    h->library[sizeof h->library - 1] = h->program[sizeof h->program - 1] = '\0';
    return 0;
}

static void tell_mpi_rank(struct mpi_reading *r)
{
    struct graph *g = r->t->calls;
    const struct mpi_record_header *h = &r->head;
    trace_tell_clock(r->t, &(struct trace_clock){.host = graph_intern(g, h->host),
                                                 .rank = h->rank,
                                                 .name = graph_intern(g, h->clock),
                                                 .unix_ns = h->unix_ns,
                                                 .ranks = h->ranks});
    r->program =
        graph_add(g, NODE_PROGRAM, graph_intern(g, *h->program ? h->program : "MPI program"),
                  GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (r->program != GRAPH_NONE)
        graph_detail(g, r->program)->thread.id = (int64_t)h->pid;
    if (h->lost)
        trace_note(r->t,
                   "%" PRIu64 " calls of MPI are not in the file: it was as long as it may be, or "
                   "the disk was full",
                   h->lost);
    if (!h->finalized)
        trace_note(r->t, "the rank did not call MPI_Finalize: it was ended, or still runs");
}

static int read_mpi(const char *path, struct trace *t, struct error *err)
{
    struct mpi_reading r = {.t = t, .path = path, .program = GRAPH_NONE};
    r.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r.fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    const off_t size = lseek(r.fd, 0, SEEK_END);
    r.size = size > 0 ? (uint64_t)size : 0;
    int rc = read_mpi_header(&r, err);
    if (rc == 0) {
        tell_mpi_rank(&r);
        rc = read_mpi_records(&r, err);
    }
    close(r.fd);
    free(r.lanes);
    return rc;
}

const struct reader_ops reader_mpi = {
    .name = "mpi",
    .summary = "calls of MPI (mpi.calls)",
    .recognise = is_mpi_file,
    .read = read_mpi,
};
