#include "support/mpi_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/mpi_record.h"
#include "support/test.h"

enum { MOST = 1 << 16, LATENCY = 4000, OWN = 300 };

static struct mpi_record *list[MPI_SCENE_RANKS];
static size_t n[MPI_SCENE_RANKS];
static double now[MPI_SCENE_RANKS]; /* true time */
static double wandered[MPI_SCENE_RANKS];
static uint64_t together; /* collectives of the world so far */
static uint32_t seed;

static double draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / (double)(1 << 24);
}

/* Networks are late by chance, never early. */
static double draw_latency(void)
{
    return LATENCY * (1 - 0.5 * log(1 - draw()));
}

static int host_of(const struct mpi_scene *s, int rank)
{
    return rank * s->hosts / s->ranks;
}

uint64_t mpi_scene_clock(const struct mpi_scene *s, int host, double at)
{
    const double uneven = host ? s->uneven * sin(at * 2 * M_PI / 2e7 + host) : 0;
    return (uint64_t)(int64_t)(1e14 + s->offset_of[host] + at * (1 + s->drift_of[host]) + uneven);
}

/* Adds a record of rank r; times are true ones. */
static void put(const struct mpi_scene *s, int r, struct mpi_record c, double begin, double end,
                double order)
{
    const int host = host_of(s, r);
    c.begin = mpi_scene_clock(s, host, begin);
    c.end = mpi_scene_clock(s, host, end);
    if (!(c.what & MPI_RECORD_TOGETHER))
        c.order = mpi_scene_clock(s, host, order);
    c.communicator = MPI_RECORD_WORLD;
    c.thread = 100 + (uint32_t)r;
    assert_true(n[r] < MOST);
    list[r][n[r]++] = c;
}

static void compute(const struct mpi_scene *s)
{
    for (int r = 0; r < s->ranks; r++) {
        if (s->wander > 0)
            wandered[r] = 0.8 * wandered[r] + 0.6 * s->wander * sqrt(12) * (draw() - 0.5);
        now[r] += s->compute * (r == s->slow ? s->slower : 1) * exp(wandered[r]) *
                  (1 + s->noise * (draw() - 0.5));
    }
}

static void wait_until(struct mpi_scene *s, int r, double until)
{
    if (until > now[r])
        s->waited[r] += until - now[r];
}

/* Each rank asks for a message of its left neighbour, sends one to its right one, and waits. The
 * tag and whether it asks for any make no difference. */
static void exchange(struct mpi_scene *s)
{
    double sent[MPI_SCENE_RANKS], got[MPI_SCENE_RANKS] = {0};
    const int tag = (int)(draw() * 3), first = s->one_way ? 1 : 0;
    for (int r = 0; r < s->ranks; r++)
        sent[r] = now[r] + OWN;
    for (int r = 0; r < s->ranks; r++) {
        const int left = (r + s->ranks - 1) % s->ranks, right = (r + 1) % s->ranks;
        const double asked = now[r], wait = now[r] + 2 * OWN;
        const double came = sent[left] + draw_latency();
        got[r] = (came > wait ? came : wait) + OWN;
        put(s, r,
            (struct mpi_record){.what = MPI_RECORD_SPAN, .call = MPI_RECORD_Irecv, .peer = -1},
            asked, asked + OWN / 2.0, asked);
        if (right >= first)
            put(s, r,
                (struct mpi_record){.what = MPI_RECORD_SPAN | MPI_RECORD_SENT,
                                    .call = MPI_RECORD_Isend,
                                    .peer = right,
                                    .tag = tag,
                                    .bytes = 1000 + s->messages + (uint64_t)right},
                sent[r], sent[r] + OWN / 2.0, sent[r]);
        if (r < first) {
            got[r] = wait;
            continue;
        }
        now[r] = wait;
        wait_until(s, r, sent[left]);
        put(s, r,
            (struct mpi_record){.what = MPI_RECORD_RECEIVED,
                                .call = MPI_RECORD_Waitall,
                                .peer = left,
                                .tag = tag,
                                .bytes = 1000 + s->messages + (uint64_t)r},
            wait, got[r], asked);
        put(s, r,
            (struct mpi_record){.what = MPI_RECORD_SPAN, .call = MPI_RECORD_Waitall, .peer = -1},
            wait, got[r], wait);
    }
    s->messages += (uint64_t)(s->ranks - first);
    memcpy(now, got, sizeof got);
}

static const enum mpi_record_call apart_of[MPI_RECORD_CALLS] = {
    [MPI_RECORD_Allreduce] = MPI_RECORD_Iallreduce,
    [MPI_RECORD_Bcast] = MPI_RECORD_Ibcast,
    [MPI_RECORD_Reduce] = MPI_RECORD_Ireduce,
};

/* Begins a collective, and computes beside it. */
static void begin_meeting(struct mpi_scene *s, int r, enum mpi_record_call call, int root)
{
    put(s, r,
        (struct mpi_record){.what = MPI_RECORD_SPAN | MPI_RECORD_TOGETHER | MPI_RECORD_APART,
                            .call = (uint8_t)call,
                            .order = together,
                            .peer = root,
                            .bytes = 8},
        now[r], now[r] + OWN, 0);
    now[r] += OWN + s->beside * draw();
}

static void end_meeting(const struct mpi_scene *s, int r, double end)
{
    struct mpi_record c = {.what = MPI_RECORD_SPAN, .call = MPI_RECORD_Wait, .peer = -1};
    put(s, r, c, now[r], end, now[r]);
    c.what = MPI_RECORD_APART;
    put(s, r, c, now[r], end, now[r]);
    list[r][n[r] - 1].order = together;
}

/* call: who waits for whom. */
static void meet(struct mpi_scene *s, enum mpi_record_call call, int root)
{
    double last = 0, end[MPI_SCENE_RANKS] = {0}, root_at = root < 0 ? 0 : now[root];
    for (int r = 0; r < s->ranks; r++)
        last = now[r] > last ? now[r] : last;
    for (int r = 0; r < s->ranks; r++) {
        double until = root < 0 ? last : 0;
        if (call == MPI_RECORD_Bcast && r != root)
            until = root_at;
        if (call == MPI_RECORD_Reduce && r == root)
            until = last;
        if (s->beside > 0)
            begin_meeting(s, r, apart_of[call], root);
        wait_until(s, r, until);
        end[r] = until > 0 ? fmax(now[r], until) + draw_latency() : now[r] + OWN;
        if (s->beside > 0) {
            end_meeting(s, r, end[r]);
            continue;
        }
        put(s, r,
            (struct mpi_record){.what = MPI_RECORD_SPAN | MPI_RECORD_TOGETHER,
                                .call = (uint8_t)call,
                                .order = together,
                                .peer = root,
                                .bytes = 8},
            now[r], end[r], 0);
    }
    together++;
    s->collectives++;
    memcpy(now, end, sizeof end);
}

/* One rank sends and goes on when the receiver has asked for it, which may be late. */
static void send_to_late(struct mpi_scene *s, int from, int to)
{
    const double asked = now[to], sent = now[from];
    const double end = fmax(asked, sent) + draw_latency();
    wait_until(s, from, asked);
    wait_until(s, to, sent);
    put(s, from,
        (struct mpi_record){.what = MPI_RECORD_SPAN | MPI_RECORD_SENT,
                            .call = MPI_RECORD_Ssend,
                            .peer = to,
                            .tag = 77,
                            .bytes = 1000 + s->messages},
        sent, end + OWN, sent);
    put(s, to,
        (struct mpi_record){.what = MPI_RECORD_SPAN | MPI_RECORD_RECEIVED,
                            .call = MPI_RECORD_Recv,
                            .peer = from,
                            .tag = 77,
                            .bytes = 1000 + s->messages},
        asked, end, asked);
    now[from] = end + OWN;
    now[to] = end;
    s->messages++;
}

static void run(struct mpi_scene *s)
{
    for (int k = 0; k < s->steps; k++) {
        compute(s);
        exchange(s);
        const int which = (int)(draw() * 5);
        if (s->one_way || which == 0)
            continue;
        if (which == 1)
            meet(s, MPI_RECORD_Allreduce, -1);
        else if (which == 2)
            meet(s, MPI_RECORD_Bcast, (int)(draw() * s->ranks));
        else if (which == 3)
            meet(s, MPI_RECORD_Reduce, (int)(draw() * s->ranks));
        else
            send_to_late(s, (int)(draw() * s->ranks) / 2 * 2 % s->ranks,
                         ((int)(draw() * s->ranks) / 2 * 2 + 1) % s->ranks);
    }
}

static void path_of(const struct mpi_scene *s, int r, char out[128])
{
    snprintf(out, 128, "%s/rank-%05d.calls", s->folder, r);
}

static void write_file(const struct mpi_scene *s, int r)
{
    static char head[MPI_RECORD_HEADER];
    struct mpi_record_header h = {.magic = MPI_RECORD_MAGIC,
                                  .record_bytes = sizeof(struct mpi_record),
                                  .finalized = r != s->cut,
                                  .rank = (uint32_t)r,
                                  .ranks = (uint32_t)s->ranks,
                                  .pid = 100 + (uint64_t)r,
                                  .unix_ns = 1700000000000000000u};
    char path[128];
    const int host = host_of(s, r);
    snprintf(h.host, sizeof h.host, "node%d", host);
    snprintf(h.clock, sizeof h.clock, "boot%d", host);
    snprintf(h.program, sizeof h.program, "solver");
    h.unix_ns -= (uint64_t)(int64_t)s->offset_of[host];
    memcpy(head, &h, sizeof h);
    path_of(s, r, path);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(head, sizeof head, 1, f);
    fwrite(list[r], sizeof **list, r == s->cut ? n[r] / 2 : n[r], f);
    assert_int_equal(fclose(f), 0);
}

void mpi_scene_open(struct mpi_scene *s, struct job *j)
{
    struct error err = ERROR_INIT;
    char path[128];
    seed = s->seed * 2654435761u + 1;
    together = s->messages = s->collectives = 0;
    memset(s->waited, 0, sizeof s->waited);
    for (int h = 0; h < s->hosts; h++) {
        s->offset_of[h] = round(s->offset * (2 * draw() - 1));
        s->drift_of[h] = h ? s->drift * (2 * draw() - 1) : 0; /* the true time runs as the first */
    }
    snprintf(s->folder, sizeof s->folder, "/tmp/mpi-scene-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    for (int r = 0; r < s->ranks; r++) {
        list[r] = calloc(MOST, sizeof **list);
        n[r] = 0;
        now[r] = 1e6 * draw();
        wandered[r] = 0;
        put(s, r,
            (struct mpi_record){.what = MPI_RECORD_MEMBER, .peer = r, .bytes = (uint64_t)s->ranks},
            0, 0, 0);
    }
    run(s);
    *j = (struct job){.n = 0};
    for (int r = 0; r < s->ranks; r++) {
        struct trace t = {.nfiles = 0};
        write_file(s, r);
        free(list[r]);
        path_of(s, r, path);
        const char *one = path;
        assert_int_equal(trace_open(&t, &one, 1, &err), 0);
        assert_int_equal(job_add(j, &t, path, &err), 0);
        trace_free(&t);
    }
    assert_int_equal(job_finish(j, &err), 0);
}

void mpi_scene_close(struct mpi_scene *s, struct job *j)
{
    char path[128];
    for (int r = 0; r < s->ranks; r++) {
        path_of(s, r, path);
        unlink(path);
    }
    rmdir(s->folder);
    job_free(j);
}
