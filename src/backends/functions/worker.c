#include "backends/functions/sampler_impl.h"

#include <linux/perf_event.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "backends/unwind/cfi.h"
#include "backends/unwind/maps.h"
#include "backends/unwind/names.h"
#include "backends/unwind/stack.h"
#include "backends/unwind/unwind.h"
#include "base/arena.h"

enum {
    FRAMES_MAX = 2048,
    PIDS_MAX = 1 << 22, /* kernel.pid_max is never larger */
    LOOK_EVERY = 64,    /* number of samples, each of which adds at most some KB */
};

struct sampler_worker {
    struct worker_config config;
    uint8_t *wanted; /* one bit for each process; NULL: all */
    struct process_maps *maps;
    struct frame_names *names;
    struct cfi *cfi;
    struct stack_entry entries[STACK_MAX];
    struct unwound unwound[STACK_MAX];
    uint32_t frames[FRAMES_MAX]; /* filled from the end; the last is the innermost */
    unsigned looked;             /* samples since memory was looked at */
    bool table_full;             /* the table of symbols is dropped after this interval */

    pthread_mutex_t lock; /* protects all fields below */
    struct symtab table;
    struct fold fold, spare;
    uint64_t lost, throttled;
    uint32_t *local; /* for worker_swap: by symbol number, its index in a profile + 1 */
    size_t cap_local;
};

struct sampler_worker *worker_new(void)
{
    struct sampler_worker *w = xcalloc(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    w->maps = maps_new();
    w->cfi = cfi_new();
    w->names =
        names_new(&(struct names_shared){.table = &w->table, .lock = &w->lock, .maps = w->maps});
    return w;
}

void worker_free(struct sampler_worker *w)
{
    if (!w)
        return;
    names_free(w->names);
    cfi_free(w->cfi);
    maps_free(w->maps);
    symtab_free(&w->table);
    fold_free(&w->fold);
    fold_free(&w->spare);
    pthread_mutex_destroy(&w->lock);
    free(w->local);
    free(w->wanted);
    free(w);
}

static bool is_sampling_wanted(const struct sampler_worker *w, pid_t pid)
{
    return !w->wanted || (pid > 0 && pid < PIDS_MAX && w->wanted[pid / 8] >> pid % 8 & 1);
}

static void set_wanted(struct sampler_worker *w, pid_t pid, bool on)
{
    if (!w->wanted || pid <= 0 || pid >= PIDS_MAX)
        return;
    uint8_t bit = (uint8_t)(1u << pid % 8);
    w->wanted[pid / 8] = on ? w->wanted[pid / 8] | bit : w->wanted[pid / 8] & (uint8_t)~bit;
}

void worker_configure(struct sampler_worker *w, const struct worker_config *c)
{
    w->config = *c;
    if (!c->only)
        return;
    w->wanted = xcalloc(PIDS_MAX / 8, 1);
    for (size_t i = 0; i < c->nonly; i++)
        set_wanted(w, c->only[i], true);
    w->config.only = NULL; /* borrowed only during the call */
}

void worker_lost(struct sampler_worker *w, uint64_t n)
{
    pthread_mutex_lock(&w->lock);
    w->lost += n;
    pthread_mutex_unlock(&w->lock);
}

/* --- one sample --- */

/* A chain from frame pointers misses the caller of a function without a frame pointer, such as
 * functions that call nothing: the kernel finds the caller's caller instead. One step by call frame
 * information, from the registers, finds the missing caller. */
static size_t restore_caller(struct sampler_worker *w, const struct record *r, size_t n)
{
    size_t at = 0;
    while (at < n && w->entries[at].space != SPACE_USER)
        at++;
    if (at == n || w->entries[at].caller)
        return n;
    const struct unwinding u = {w->cfi, w->names, w->maps, r->pid, r->time};
    size_t found = unwind(&u, &r->sample, w->unwound, 2);
    uint64_t caller = w->unwound[1].address;
    bool there = at + 1 < n && w->entries[at + 1].address == caller;
    if (found < 2 || w->unwound[1].exact || w->unwound[0].address != w->entries[at].address ||
        there || n == STACK_MAX || !maps_find(w->maps, r->pid, caller - 1, false, r->time))
        return n;
    memmove(&w->entries[at + 2], &w->entries[at + 1], (n - at - 1) * sizeof *w->entries);
    w->entries[at + 1] = (struct stack_entry){caller, SPACE_USER, true};
    return n + 1;
}

/*
 * Names the entries, innermost first, at the end of frames. Returns how many frames. A chain from
 * frame pointers goes wrong in code without them: it ends at the first caller outside all mappings.
 */
static size_t name_frames(struct sampler_worker *w, const struct record *r, size_t n,
                          struct fold_place *place)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const struct stack_entry *e = &w->entries[i];
        struct names_query q = {.space = (enum names_space)e->space,
                                .pid = r->pid,
                                .address = e->address,
                                .caller = e->caller,
                                .now_ns = r->time};
        struct names_answer a;
        if (!names_resolve(w->names, &q, &a) || used + a.n > FRAMES_MAX)
            break;
        for (size_t k = 0; k < a.n; k++)
            w->frames[FRAMES_MAX - ++used] = a.levels[k].symbol;
        if (i == 0)
            *place = (struct fold_place){
                .address = a.address, .file = a.levels[0].file, .line = a.levels[0].line};
    }
    return used;
}

size_t worker_memory(struct sampler_worker *w)
{
    pthread_mutex_lock(&w->lock);
    const size_t shared = symtab_memory(&w->table) + fold_memory(&w->fold) +
                          fold_memory(&w->spare) + w->cap_local * sizeof *w->local;
    pthread_mutex_unlock(&w->lock);
    return shared + names_memory(w->names) + cfi_memory(w->cfi) + maps_memory(w->maps);
}

/* Whether nothing refers to the table of symbols, between two intervals; then it is emptied. */
static bool drop_table(struct sampler_worker *w)
{
    pthread_mutex_lock(&w->lock);
    bool empty = w->fold.samples == 0;
    if (empty)
        symtab_reset(&w->table);
    pthread_mutex_unlock(&w->lock);
    return empty;
}

/* Drops everything that can be found again when it is too much. */
static void drop_full_tables(struct sampler_worker *w)
{
    bool full = false;
    if (++w->looked >= LOOK_EVERY) {
        w->looked = 0;
        full = worker_memory(w) >= WORKER_BYTES_MAX;
        w->table_full = w->table_full || full || symtab_memory(&w->table) >= SYMTAB_BYTES_MAX;
    }
    /* answers refer to the table's numbers and texts, so they are dropped with it */
    if (w->table_full && drop_table(w)) {
        w->table_full = false;
        full = true;
    }
    if (!full)
        return;
    maps_reset(w->maps);
    names_reset(w->names);
    cfi_reset(w->cfi);
    malloc_trim(0); /* else new data takes other pages */
}

static void fold_sample(struct sampler_worker *w, const struct record *r)
{
    struct fold_place place = {.file = ""};
    if ((r->pid <= 0 && !w->config.keep_idle) || !is_sampling_wanted(w, r->pid))
        return;
    drop_full_tables(w);
    size_t n = stack_from_chain(r, w->entries);
    if (w->config.callgraph == CALLGRAPH_DWARF)
        n = stack_unwind(&(struct unwinding){w->cfi, w->names, w->maps, r->pid, r->time}, r,
                         w->entries, n, w->unwound);
    else if (w->config.callgraph == CALLGRAPH_FP)
        n = restore_caller(w, r, n);
    size_t used = name_frames(w, r, n, &place);
    if (used == 0)
        return;
    pthread_mutex_lock(&w->lock);
    fold_add(&w->fold, w->frames + FRAMES_MAX - used, used, &place);
    pthread_mutex_unlock(&w->lock);
}

/* --- records --- */

static void take_throttle(struct sampler_worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->throttled++;
    pthread_mutex_unlock(&w->lock);
}

void worker_record(struct sampler_worker *w, const void *data, size_t size)
{
    struct record r;
    const struct worker_config *c = &w->config;
    const struct record_format format = {.sample_type = tap_sample_type(c->callgraph, c->nregs > 0),
                                         .nregs = c->nregs};
    if (record_parse(data, size, &format, &r) < 0) {
        worker_lost(w, 1);
        return;
    }
    switch (r.type) {
    case PERF_RECORD_SAMPLE:
        fold_sample(w, &r);
        break;
    case PERF_RECORD_MMAP2:
        if ((r.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
            maps_add(w->maps, r.pid, &r.mapping);
        break;
    case PERF_RECORD_FORK:
        if (r.pid != r.parent)
            set_wanted(w, r.pid, is_sampling_wanted(w, r.parent));
        maps_fork(w->maps, r.pid, r.parent);
        break;
    case PERF_RECORD_EXIT:
        if (r.pid == r.tid)
            maps_exit(w->maps, r.pid);
        break;
    case PERF_RECORD_COMM:
        if (r.comm.exec)
            maps_exec(w->maps, r.pid);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        worker_lost(w, r.lost);
        break;
    case PERF_RECORD_THROTTLE:
        take_throttle(w);
        break;
    default:
        break;
    }
}

/* --- the profile --- */

/* Gives a symbol an index in the profile's own list, in order of appearance. */
static uint32_t local_number(struct sampler_worker *w, uint32_t symbol, uint32_t *list, size_t *n)
{
    if (!w->local[symbol]) {
        list[*n] = symbol;
        w->local[symbol] = (uint32_t)++ * n;
    }
    return w->local[symbol] - 1;
}

/* Copies of the table's strings. Equal texts are one pointer there, so recently copied ones
 * (module, path, source file) are not copied again. */
struct copies {
    struct {
        const char *text, *copy;
    } recent[256];
};

static const char *copy_snapshot_text(struct copies *c, struct snapshot *out, const char *text)
{
    size_t at = (uintptr_t)text / 16 % (sizeof c->recent / sizeof *c->recent);
    if (!text || !*text)
        return "";
    if (c->recent[at].text != text) {
        c->recent[at].text = text;
        c->recent[at].copy = snapshot_strdup(out, text);
    }
    return c->recent[at].copy;
}

static void copy_symbols(struct sampler_worker *w, struct snapshot *out, struct hot_stacks *p,
                         struct copies *c, const uint32_t *list, size_t n)
{
    struct hot_symbol *symbols = snapshot_alloc(out, n * sizeof *symbols);
    for (size_t i = 0; i < n; i++) {
        const struct hot_symbol *from = &w->table.symbols[list[i]];
        symbols[i] = *from;
        symbols[i].name = copy_snapshot_text(c, out, from->name);
        symbols[i].file = copy_snapshot_text(c, out, from->file);
        symbols[i].module = copy_snapshot_text(c, out, from->module);
        symbols[i].path = copy_snapshot_text(c, out, from->path);
        w->local[list[i]] = 0;
    }
    p->symbols = symbols;
    p->nsymbols = n;
}

static void copy_fold(struct sampler_worker *w, struct snapshot *out, struct hot_stacks *p,
                      const struct fold *f)
{
    struct hot_node *nodes = snapshot_alloc(out, f->nnodes * sizeof *nodes);
    struct hot_place *places = snapshot_alloc(out, f->nplaces * sizeof *places);
    uint32_t *list = xcalloc(f->nnodes + f->nplaces, sizeof *list);
    struct copies copies = {0};
    size_t n = 0;
    if (w->table.n > w->cap_local) {
        free(w->local);
        w->cap_local = w->table.cap;
        w->local = xcalloc(w->cap_local, sizeof *w->local);
    }
    for (size_t i = 0; i < f->nnodes; i++) {
        nodes[i] = f->nodes[i];
        nodes[i].symbol = local_number(w, f->nodes[i].symbol, list, &n);
    }
    for (size_t i = 0; i < f->nplaces; i++) {
        places[i] = f->places[i];
        places[i].symbol = local_number(w, f->places[i].symbol, list, &n);
        places[i].file = copy_snapshot_text(&copies, out, f->places[i].file);
    }
    copy_symbols(w, out, p, &copies, list, n);
    free(list);
    p->nodes = nodes;
    p->nnodes = f->nnodes;
    p->places = places;
    p->nplaces = f->nplaces;
    p->samples = f->samples;
}

void worker_swap(struct sampler_worker *w, struct snapshot *out, struct hot_stacks *p)
{
    pthread_mutex_lock(&w->lock);
    struct fold full = w->fold;
    w->fold = w->spare;
    w->spare = full;
    p->lost = w->lost;
    p->throttled = w->throttled;
    w->lost = w->throttled = 0;
    copy_fold(w, out, p, &w->spare);
    pthread_mutex_unlock(&w->lock);
    fold_reset(&w->spare); /* only this thread uses the spare */
}
