#include "engine/session/session_impl.h"

#include <stdlib.h>
#include <string.h>

#define F(kind, type, member)                                                                      \
    {                                                                                              \
        FIELD_##kind, offsetof(type, member), 0                                                    \
    }
#define OPTIONAL(type, member)                                                                     \
    {                                                                                              \
        FIELD_TEXT, offsetof(type, member), 1                                                      \
    }
#define CHARS(type, member)                                                                        \
    {                                                                                              \
        FIELD_CHARS, offsetof(type, member), sizeof(((type *)0)->member)                           \
    }

/* --- the tables: add new rows at the end, and raise FRAME_VERSION --- */

static const struct field host_fields[] = {
    CHARS(struct host, hostname),
    CHARS(struct host, kernel),
    CHARS(struct host, os),
    CHARS(struct host, arch),
    CHARS(struct host, cpu_model),
    CHARS(struct host, hypervisor),
    CHARS(struct host, container),
    CHARS(struct host, pmu),
    CHARS(struct host, pmu_arch),
    F(INT, struct host, ncpus),
    F(INT, struct host, nsockets),
    F(INT, struct host, ncores),
    F(INT, struct host, nnodes),
    F(INT, struct host, paranoid),
    F(INT, struct host, nmi_watchdog),
    F(U64, struct host, mem_total),
};

static const struct field snapshot_fields[] = {
    F(U64, struct snapshot, seq),
    F(U64, struct snapshot, time_ns),
    F(U64, struct snapshot, wall_ns),
    F(DOUBLE, struct snapshot, interval_s),
    F(TEXT, struct snapshot, target),
    F(INT, struct snapshot, target_kind),
    F(BOOL, struct snapshot, target_gone),
    F(VALUE, struct snapshot, load1),
    F(VALUE, struct snapshot, load5),
    F(VALUE, struct snapshot, load15),
    F(VALUE, struct snapshot, uptime_s),
    F(VALUE, struct snapshot, memory.total),
    F(VALUE, struct snapshot, memory.used),
    F(VALUE, struct snapshot, memory.available),
    F(VALUE, struct snapshot, memory.cached),
    F(VALUE, struct snapshot, memory.buffers),
    F(VALUE, struct snapshot, memory.swap_total),
    F(VALUE, struct snapshot, memory.swap_used),
    F(VALUE, struct snapshot, pressure.cpu),
    F(VALUE, struct snapshot, pressure.memory),
    F(VALUE, struct snapshot, pressure.io),
    F(U64, struct snapshot, nthreads),
    F(U64, struct snapshot, nrunning),
    F(INT, struct snapshot, command.pid),
    F(BOOL, struct snapshot, command.running),
    F(INT, struct snapshot, command.wait_status),
    F(DOUBLE, struct snapshot, command.elapsed_s),
    F(U64, struct snapshot, command.output_total),
    F(U64, struct snapshot, command.output_dropped),
    F(BOOL, struct snapshot, sampling.on),
    F(DOUBLE, struct snapshot, sampling.hz),
    F(BYTE, struct snapshot, sampling.callgraph),
    F(U64, struct snapshot, own_cpu_ns),
    F(U64, struct snapshot, own_rss),
    F(U64, struct snapshot, late_samples),
    F(DOUBLE, struct snapshot, asked_interval_s),
    F(VALUE, struct snapshot, account.processes),
    F(VALUE, struct snapshot, account.ended),
    F(VALUE, struct snapshot, account.rest),
    F(U64, struct snapshot, account.nended),
    F(INT, struct snapshot, account.parent),
    F(BOOL, struct snapshot, command.usage.known),
    F(DOUBLE, struct snapshot, command.usage.user_s),
    F(DOUBLE, struct snapshot, command.usage.system_s),
    F(U64, struct snapshot, command.usage.max_rss),
    F(U64, struct snapshot, command.usage.max_rss_before),
    F(U64, struct snapshot, command.usage.voluntary),
    F(U64, struct snapshot, command.usage.forced),
    F(U64, struct snapshot, command.usage.minor_faults),
    F(U64, struct snapshot, command.usage.major_faults),
};

static const struct field cpu_fields[] = {
    F(INT, struct cpu, id),       F(INT, struct cpu, package), F(INT, struct cpu, core),
    F(INT, struct cpu, node),     F(INT, struct cpu, llc),     F(BYTE, struct cpu, kind),
    F(VALUE, struct cpu, busy),   F(VALUE, struct cpu, user),  F(VALUE, struct cpu, system),
    F(VALUE, struct cpu, iowait), F(VALUE, struct cpu, irq),   F(VALUE, struct cpu, steal),
    F(VALUE, struct cpu, hz),
};

static const struct field proc_fields[] = {
    F(INT, struct proc, pid),
    F(VALUE, struct proc, cpu_percent),
    F(DOUBLE, struct proc, cpu_seconds),
    F(U64, struct proc, rss),
    F(BYTE, struct proc, state),
    F(INT, struct proc, cpu),
    F(INT, struct proc, threads),
    F(U64, struct proc, virt),
    F(INT, struct proc, ppid),
    F(INT, struct proc, uid),
    F(TEXT, struct proc, user),
    F(TEXT, struct proc, comm),
    F(TEXT, struct proc, cmdline),
    F(BOOL, struct proc, kernel_thread),
    F(BOOL, struct proc, watched),
    F(INT, struct proc, nice),
    F(U64, struct proc, start_ticks),
};

static const struct field thread_fields[] = {
    F(INT, struct proc_thread, tid),           F(INT, struct proc_thread, pid),
    F(TEXT, struct proc_thread, name),         F(BYTE, struct proc_thread, state),
    F(INT, struct proc_thread, nice),          F(INT, struct proc_thread, cpu),
    F(VALUE, struct proc_thread, cpu_percent), F(DOUBLE, struct proc_thread, cpu_seconds),
};

static const struct field io_fields[] = {
    F(INT, struct io_device, kind),     F(TEXT, struct io_device, name),
    F(BOOL, struct io_device, counted), F(VALUE, struct io_device, in),
    F(VALUE, struct io_device, out),
};

static const struct field counter_fields[] = {
    F(VALUE, struct counter, delta),    F(VALUE, struct counter, rate),
    F(U64, struct counter, raw),        F(U64, struct counter, enabled_ns),
    F(U64, struct counter, running_ns), F(PERCPU, struct counter, percpu),
    F(TEXT, struct counter, name),      F(TEXT, struct counter, spec),
    F(TEXT, struct counter, desc),      F(TEXT, struct counter, source),
    F(TEXT, struct counter, set),       F(INT, struct counter, group),
    F(BOOL, struct counter, gauge),     F(BOOL, struct counter, user),
};

static const struct field metric_fields[] = {
    F(VALUE, struct metric, value),
    F(PERCPU, struct metric, percpu),
    F(DEF, struct metric, def),
};

static const struct field notice_fields[] = {
    F(INT, struct notice, level),
    F(TEXT, struct notice, id),
    F(TEXT, struct notice, text),
    OPTIONAL(struct notice, help),
};

static const struct field cost_fields[] = {
    F(TEXT, struct source_cost, name),
    F(U64, struct source_cost, poll_ns),
};

#define HOST     FIELDS(host_fields, struct host)
#define SNAPSHOT FIELDS(snapshot_fields, struct snapshot)
#define CPU      FIELDS(cpu_fields, struct cpu)
#define PROC     FIELDS(proc_fields, struct proc)
#define COUNTER  FIELDS(counter_fields, struct counter)
#define METRIC   FIELDS(metric_fields, struct metric)
#define NOTICE   FIELDS(notice_fields, struct notice)
#define COST     FIELDS(cost_fields, struct source_cost)
#define THREAD   FIELDS(thread_fields, struct proc_thread)
#define IO       FIELDS(io_fields, struct io_device)

_Static_assert(sizeof(enum notice_level) == sizeof(int32_t), "coded as FIELD_INT");
_Static_assert(sizeof(enum io_kind) == sizeof(int32_t), "coded as FIELD_INT");
_Static_assert(sizeof(enum target_kind) == sizeof(int32_t), "coded as FIELD_INT");

static const struct snapshot nothing = {.target = ""};

/* --- the machine --- */

void frame_write_host(struct bytes *b, const struct host *h)
{
    static const struct host none;
    struct dictionary *text = dictionary_new();
    struct coder c = {.out = b, .text = text};
    fields_code(&c, HOST, (void *)(h ? h : &none), &none);
    dictionary_free(text);
}

bool frame_same_host(const struct host *a, const struct host *b)
{
    return fields_same(&(struct coder){0}, HOST, a, b);
}

struct host *frame_read_host(struct byte_reader *r)
{
    static const struct host none;
    struct dictionary *text = dictionary_new();
    struct coder c = {.in = r, .text = text};
    struct host *h = host_new();
    fields_code(&c, HOST, h, &none);
    dictionary_free(text);
    if (r->bad || h->ncpus < 0 || h->ncpus > TARGET_MAX_CPUS) {
        r->bad = true;
        host_unref(h);
        return NULL;
    }
    return h;
}

/* --- writing --- */

struct frame_writer {
    struct dictionary *text, *defs, *proc_text, *gpu_text, *roofs_text;
    struct hot_coder *stacks;
    struct bricks_coder *bricks;
    const struct snapshot *prev, *bricks_of; /* bricks_of: the last snapshot that had bricks */
    struct bytes part;
};

struct frame_writer *frame_writer_new(void)
{
    struct frame_writer *w = xcalloc(1, sizeof *w);
    w->text = dictionary_new();
    w->defs = dictionary_new();
    w->proc_text = dictionary_new();
    w->gpu_text = dictionary_new();
    w->roofs_text = dictionary_new();
    w->stacks = hot_coder_new();
    w->bricks = bricks_coder_new();
    return w;
}

void frame_writer_free(struct frame_writer *w)
{
    if (!w)
        return;
    dictionary_free(w->text);
    dictionary_free(w->defs);
    dictionary_free(w->proc_text);
    dictionary_free(w->gpu_text);
    dictionary_free(w->roofs_text);
    hot_coder_free(w->stacks);
    bricks_coder_free(w->bricks);
    snapshot_unref(w->bricks_of);
    snapshot_unref(w->prev);
    free(w->part.p);
    free(w);
}

/* Writes only the part of the command's output that is new since the previous frame. */
static void write_output(struct bytes *b, const struct command_state *now,
                         const struct command_state *prev)
{
    uint64_t fresh = now->output_total - prev->output_total;
    size_t kept = now->output_len - (size_t)fresh;
    bool moved = prev->output && now->output && fresh <= now->output_len &&
                 kept <= prev->output_len &&
                 memcmp(now->output, prev->output + prev->output_len - kept, kept) == 0;
    kept = moved ? kept : 0;
    bytes_put_byte(b, now->output != NULL);
    if (!now->output)
        return;
    bytes_put_u64(b, kept);
    bytes_put_u64(b, now->output_len - kept);
    bytes_put(b, now->output + kept, now->output_len - kept);
}

static void write_frame_numbers(struct frame_writer *w, const struct snapshot *s,
                                const struct snapshot *p)
{
    size_t ncpus = s->host ? (size_t)s->host->ncpus : 0;
    size_t nprev = p->host ? (size_t)p->host->ncpus : 0;
    struct coder c = {.out = &w->part, .text = w->text, .defs = w->defs, .ncpus = ncpus};
    fields_code(&c, SNAPSHOT, (void *)s, p);
    fields_code(&c, CPU, (void *)&s->total, &p->total);
    fields_write_rows(&c, CPU, false, s->cpus, ncpus, p->cpus, nprev);
    fields_write_rows(&c, COUNTER, false, s->counters, s->ncounters, p->counters, p->ncounters);
    fields_write_rows(&c, METRIC, false, s->metrics, s->nmetrics, p->metrics, p->nmetrics);
    fields_write_rows(&c, NOTICE, false, s->notices, s->nnotices, p->notices, p->nnotices);
    fields_write_rows(&c, COST, false, s->costs, s->ncosts, p->costs, p->ncosts);
    write_output(&w->part, &s->command, &p->command);
    fields_write_rows(&c, IO, false, s->io, s->nio, p->io, p->nio);
}

static void end_part(struct frame_writer *w, struct bytes *b)
{
    bytes_put_u64(b, w->part.n);
    bytes_put(b, w->part.p, w->part.n);
    w->part.n = 0;
}

void frame_write(struct frame_writer *w, struct bytes *b, const struct snapshot *s)
{
    const struct snapshot *p = w->prev ? w->prev : &nothing;
    write_frame_numbers(w, s, p);
    end_part(w, b);
    struct coder c = {.out = &w->part, .text = w->proc_text};
    fields_write_rows(&c, PROC, true, s->procs, s->nprocs, p->procs, p->nprocs);
    fields_write_rows(&c, THREAD, true, s->threads, s->nthread_rows, p->threads, p->nthread_rows);
    end_part(w, b);
    if (s->stacks)
        hot_write(w->stacks, &w->part, s->stacks);
    end_part(w, b);
    if (s->bricks) {
        bricks_write(w->bricks, &w->part, s->bricks);
        snapshot_unref(w->bricks_of);
        w->bricks_of = snapshot_ref(s);
    }
    end_part(w, b);
    c.text = w->gpu_text;
    if (s->gpus)
        frame_write_gpus(&c, s->gpus, p->gpus);
    end_part(w, b);
    c.text = w->roofs_text;
    if (s->roofs)
        frame_write_roofs(&c, s->roofs, p->roofs);
    end_part(w, b);
    snapshot_unref(w->prev);
    w->prev = snapshot_ref(s);
}

/* --- reading --- */

struct frame_reader {
    int refs;
    unsigned parts;
    uint8_t version; /* of the frames that are read */
    struct host *host;
    struct dictionary *text, *defs, *proc_text, *gpu_text, *roofs_text;
    struct hot_coder *stacks;
    struct bricks_coder *bricks;
    const struct metric_def **def;
    size_t ndef;
    struct arena keep;
    /* The previous snapshot. It holds a reference to its reader, so this reader must release it
     * before itself. */
    const struct snapshot *prev, *bricks_of; /* bricks_of: the last snapshot that had bricks */
};

struct frame_reader *frame_reader_new(struct host *host, unsigned parts, uint8_t version)
{
    struct frame_reader *r = xcalloc(1, sizeof *r);
    r->refs = 1;
    r->parts = parts;
    r->version = version;
    r->host = host_ref(host);
    r->text = dictionary_new();
    r->defs = dictionary_new();
    r->proc_text = dictionary_new();
    r->gpu_text = dictionary_new();
    r->roofs_text = dictionary_new();
    r->stacks = hot_coder_new();
    r->bricks = bricks_coder_new();
    return r;
}

static void reader_release(void *owner)
{
    struct frame_reader *r = owner;
    if (__atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    dictionary_free(r->text);
    dictionary_free(r->defs);
    dictionary_free(r->proc_text);
    dictionary_free(r->gpu_text);
    dictionary_free(r->roofs_text);
    hot_coder_free(r->stacks);
    bricks_coder_free(r->bricks);
    free(r->def);
    arena_free(&r->keep);
    host_unref(r->host);
    free(r);
}

void frame_reader_unref(struct frame_reader *r)
{
    if (!r)
        return;
    snapshot_unref(r->prev); /* snapshot and reader hold each other: releasing the snapshot here
                                ends the cycle */
    snapshot_unref(r->bricks_of);
    r->prev = r->bricks_of = NULL;
    reader_release(r);
}

static void read_command_output(struct snapshot *s, struct byte_reader *in,
                                const struct command_state *prev)
{
    if (!bytes_get_byte(in))
        return;
    size_t kept = (size_t)bytes_get_u64(in), fresh = (size_t)bytes_get_u64(in);
    const uint8_t *p = bytes_get(in, fresh);
    if (!p || kept > prev->output_len) {
        in->bad = true;
        return;
    }
    char *out = snapshot_alloc(s, kept + fresh + 1);
    if (kept)
        memcpy(out, prev->output + prev->output_len - kept, kept);
    memcpy(out + kept, p, fresh);
    s->command.output = out;
    s->command.output_len = kept + fresh;
}

static void read_snapshot_numbers(struct frame_reader *r, struct byte_reader *in,
                                  struct snapshot *s, const struct snapshot *p)
{
    size_t n, ncpus = (size_t)r->host->ncpus, nprev = r->prev ? ncpus : 0;
    struct coder c = {.in = in,
                      .text = r->text,
                      .defs = r->defs,
                      .def = r->def,
                      .ndef = r->ndef,
                      .keep = &r->keep,
                      .s = s,
                      .ncpus = ncpus};
    struct snapshot top;
    fields_code(&c, SNAPSHOT, &top, p);
    /* copies only the fields in the table: the others of `top` still belong to the previous
     * snapshot */
    fields_copy(SNAPSHOT, s, &top);
    fields_code(&c, CPU, &s->total, &p->total);
    s->cpus = fields_read_rows(&c, CPU, false, &n, p->cpus, nprev);
    if (n != ncpus)
        in->bad = true;
    s->counters = fields_read_rows(&c, COUNTER, false, &s->ncounters, p->counters, p->ncounters);
    s->metrics = fields_read_rows(&c, METRIC, false, &s->nmetrics, p->metrics, p->nmetrics);
    s->notices = fields_read_rows(&c, NOTICE, false, &s->nnotices, p->notices, p->nnotices);
    s->costs = fields_read_rows(&c, COST, false, &s->ncosts, p->costs, p->ncosts);
    read_command_output(s, in, &p->command);
    if (r->version >= 4) /* version 3 had no devices and no threads */
        s->io = fields_read_rows(&c, IO, false, &s->nio, p->io, p->nio);
    for (size_t i = 0; i < s->nio; i++)
        if ((unsigned)s->io[i].kind > IO_DISK)
            in->bad = true;
    for (size_t i = 0; i < s->nnotices; i++)
        if ((unsigned)s->notices[i].level > NOTICE_ERROR)
            in->bad = true;
    if ((unsigned)s->target_kind > TARGET_CGROUP)
        in->bad = true;
    r->def = c.def;
    r->ndef = c.ndef;
}

/* Returns the next part of the frame; a part that is not wanted is skipped. */
static struct byte_reader next_part(struct byte_reader *in)
{
    size_t n = (size_t)bytes_get_u64(in);
    const uint8_t *p = bytes_get(in, n);
    return p ? (struct byte_reader){p, p + n, false} : (struct byte_reader){NULL, NULL, true};
}

const struct snapshot *frame_read(struct frame_reader *r, struct byte_reader *in)
{
    struct byte_reader numbers = next_part(in), procs = next_part(in), profile = next_part(in);
    struct byte_reader bricks = {NULL, NULL, false}, gpus = {NULL, NULL, false},
                       roofs = {NULL, NULL, false};
    if (r->version >= 2) /* version 1 had no bricks */
        bricks = next_part(in);
    if (r->version >= 3) /* version 2 had no GPUs */
        gpus = next_part(in);
    if (r->version >= 8) /* version 7 had roofs only beside bricks */
        roofs = next_part(in);
    if (in->bad)
        return NULL;
    const struct snapshot *p = r->prev ? r->prev : &nothing;
    struct snapshot *s = snapshot_new(r->host);
    __atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED);
    s->owner = r;
    s->owner_unref = reader_release;
    read_snapshot_numbers(r, &numbers, s, p);
    if (r->parts & RECORDING_PROCS) {
        struct coder c = {.in = &procs, .text = r->proc_text, .s = s};
        s->procs = fields_read_rows(&c, PROC, true, &s->nprocs, p->procs, p->nprocs);
        if (r->version >= 4)
            s->threads =
                fields_read_rows(&c, THREAD, true, &s->nthread_rows, p->threads, p->nthread_rows);
    }
    if ((r->parts & RECORDING_PROFILE) && profile.p < profile.end)
        s->stacks = hot_read(r->stacks, &profile, s);
    if (roofs.p < roofs.end) {
        struct coder c = {.in = &roofs, .text = r->roofs_text, .s = s};
        s->roofs = frame_read_roofs(&c, p->roofs);
    }
    if ((r->parts & RECORDING_BRICKS) && bricks.p < bricks.end)
        s->bricks = bricks_read(r->bricks, &bricks, s);
    if (gpus.p < gpus.end) {
        struct coder c = {.in = &gpus, .text = r->gpu_text, .s = s};
        s->gpus = frame_read_gpus(&c, p->gpus);
    }
    if (numbers.bad || procs.bad || profile.bad || bricks.bad || gpus.bad || roofs.bad) {
        in->bad = true;
        snapshot_unref(s);
        return NULL;
    }
    if (s->bricks) {
        snapshot_unref(r->bricks_of);
        r->bricks_of = snapshot_ref(s);
    }
    snapshot_unref(r->prev);
    r->prev = snapshot_ref(s);
    return s;
}
