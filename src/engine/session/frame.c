#include "engine/session/session_impl.h"

#include <stdlib.h>
#include <string.h>

#include "engine/live/snapshot_fields.h"
#include "engine/live/target_sums.h"

static const struct snapshot nothing = {.target = ""};

/* The dictionaries of texts; each part of a frame has its own, so that a reader can skip parts. */
enum { TEXT_NUMBERS, TEXT_DEFS, TEXT_PROCS, TEXT_GPUS, TEXT_ROOFS, TEXTS };

static void make_frame_texts(struct dictionary *text[TEXTS])
{
    for (int i = 0; i < TEXTS; i++)
        text[i] = dictionary_new();
}

static void free_frame_texts(struct dictionary *text[TEXTS])
{
    for (int i = 0; i < TEXTS; i++)
        dictionary_free(text[i]);
}

/* --- the machine --- */

void frame_write_host(struct bytes *b, const struct host *h)
{
    static const struct host none;
    struct dictionary *text = dictionary_new();
    struct coder c = {.out = b, .text = text};
    fields_code(&c, host_record, (void *)(h ? h : &none), &none);
    dictionary_free(text);
}

bool frame_same_host(const struct host *a, const struct host *b)
{
    return fields_same(&(struct coder){0}, host_record, a, b);
}

struct host *frame_read_host(struct byte_reader *r)
{
    static const struct host none;
    struct dictionary *text = dictionary_new();
    struct coder c = {.in = r, .text = text};
    struct host *h = host_new();
    fields_code(&c, host_record, h, &none);
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
    struct dictionary *text[TEXTS];
    struct hot_coder *stacks;
    struct bricks_coder *bricks;
    const struct snapshot *prev, *bricks_of; /* bricks_of: the last snapshot that had bricks */
    struct bytes part;
};

struct frame_writer *frame_writer_new(void)
{
    struct frame_writer *w = xcalloc(1, sizeof *w);
    make_frame_texts(w->text);
    w->stacks = hot_coder_new();
    w->bricks = bricks_coder_new();
    return w;
}

void frame_writer_free(struct frame_writer *w)
{
    if (!w)
        return;
    free_frame_texts(w->text);
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
    struct coder c = {
        .out = &w->part, .text = w->text[TEXT_NUMBERS], .defs = w->text[TEXT_DEFS], .ncpus = ncpus};
    fields_code(&c, snapshot_record, (void *)s, p);
    fields_code(&c, cpu_record, (void *)&s->total, &p->total);
    fields_write_rows(&c, cpu_record, false, s->cpus, ncpus, p->cpus, nprev);
    fields_write_rows(&c, counter_record, false, s->counters, s->ncounters, p->counters,
                      p->ncounters);
    fields_write_rows(&c, metric_record, false, s->metrics, s->nmetrics, p->metrics, p->nmetrics);
    fields_write_rows(&c, notice_record, false, s->notices, s->nnotices, p->notices, p->nnotices);
    fields_write_rows(&c, cost_record, false, s->costs, s->ncosts, p->costs, p->ncosts);
    write_output(&w->part, &s->command, &p->command);
    fields_write_rows(&c, io_record, false, s->io, s->nio, p->io, p->nio);
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
    struct coder c = {.out = &w->part, .text = w->text[TEXT_PROCS]};
    fields_write_rows(&c, proc_record, true, s->procs, s->nprocs, p->procs, p->nprocs);
    fields_write_rows(&c, thread_record, true, s->threads, s->nthread_rows, p->threads,
                      p->nthread_rows);
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
    c.text = w->text[TEXT_GPUS];
    if (s->gpus)
        frame_write_gpus(&c, s->gpus, p->gpus);
    end_part(w, b);
    c.text = w->text[TEXT_ROOFS];
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
    struct dictionary *text[TEXTS];
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
    make_frame_texts(r->text);
    r->stacks = hot_coder_new();
    r->bricks = bricks_coder_new();
    return r;
}

static void reader_release(void *owner)
{
    struct frame_reader *r = owner;
    if (__atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    free_frame_texts(r->text);
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
                      .text = r->text[TEXT_NUMBERS],
                      .defs = r->text[TEXT_DEFS],
                      .def = r->def,
                      .ndef = r->ndef,
                      .keep = &r->keep,
                      .s = s,
                      .ncpus = ncpus};
    struct snapshot top;
    fields_code(&c, snapshot_record, &top, p);
    /* copies only the fields in the table: the others of `top` still belong to the previous
     * snapshot */
    fields_copy(snapshot_record, s, &top);
    if (r->version < 9)
        target_use_missing(&s->use, "recorded by a rooftop that did not measure it");
    fields_code(&c, cpu_record, &s->total, &p->total);
    s->cpus = fields_read_rows(&c, cpu_record, false, &n, p->cpus, nprev);
    if (n != ncpus)
        in->bad = true;
    s->counters =
        fields_read_rows(&c, counter_record, false, &s->ncounters, p->counters, p->ncounters);
    s->metrics = fields_read_rows(&c, metric_record, false, &s->nmetrics, p->metrics, p->nmetrics);
    s->notices = fields_read_rows(&c, notice_record, false, &s->nnotices, p->notices, p->nnotices);
    s->costs = fields_read_rows(&c, cost_record, false, &s->ncosts, p->costs, p->ncosts);
    read_command_output(s, in, &p->command);
    if (r->version >= 4) /* version 3 had no devices and no threads */
        s->io = fields_read_rows(&c, io_record, false, &s->nio, p->io, p->nio);
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
        struct coder c = {.in = &procs, .text = r->text[TEXT_PROCS], .s = s};
        s->procs = fields_read_rows(&c, proc_record, true, &s->nprocs, p->procs, p->nprocs);
        if (r->version >= 4)
            s->threads = fields_read_rows(&c, thread_record, true, &s->nthread_rows, p->threads,
                                          p->nthread_rows);
    }
    if ((r->parts & RECORDING_PROFILE) && profile.p < profile.end)
        s->stacks = hot_read(r->stacks, &profile, s);
    if (roofs.p < roofs.end) {
        struct coder c = {.in = &roofs, .text = r->text[TEXT_ROOFS], .s = s};
        s->roofs = frame_read_roofs(&c, p->roofs);
    }
    if ((r->parts & RECORDING_BRICKS) && bricks.p < bricks.end)
        s->bricks = bricks_read(r->bricks, &bricks, s);
    if (gpus.p < gpus.end) {
        struct coder c = {.in = &gpus, .text = r->text[TEXT_GPUS], .s = s};
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
