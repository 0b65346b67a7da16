/* The reader of perf.data: samples in the order of time, with the functions of their addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "backends/perf_data/perf_file.h"
#include "backends/perf_data/perf_origin.h"
#include "backends/perf_data/record_order.h"
#include "backends/samples/samples.h"
#include "backends/unwind/cfi.h"
#include "backends/unwind/stack.h"
#include "base/list.h"
#include "base/memory.h"

enum {
    FRAMES_MOST = 4096,
    LOOK_EVERY = 64, /* records between two looks at the memory in use */
    ENDED_MOST = 1024
};

struct perf_reading {
    struct perf_file file;
    struct trace *trace;
    struct hot_profile *profile;
    size_t event; /* the one that is counted */
    struct record_order order;
    struct process_maps *maps;
    struct frame_names *names;
    struct names_origin origin;
    struct symtab table;
    pthread_mutex_t lock; /* of the table, as names_new wants it */
    struct cfi *cfi;
    bool unwinds; /* registers are those of this machine */
    struct stack_entry entries[STACK_MAX];
    struct unwound unwound[STACK_MAX];
    uint32_t frames[FRAMES_MOST]; /* symbols of the profile, the innermost first */
    uint32_t *known;              /* of each symbol of the table: that of the profile, + 1 */
    size_t nknown;
    pid_t ended[ENDED_MOST]; /* a ring: a process may live longer than its first thread */
    size_t nended;
    uint64_t seen, used;          /* records: of the file, and those that were parsed */
    uint64_t damaged, foreign;    /* foreign: samples of no event of the file */
    uint64_t lost, cut, nameless; /* cut: stacks that have more frames than are kept */
    struct samples_names missing; /* modules of nameless samples */
    bool called;                  /* a sample has callers, or a copy of the stack to find them */
    uint64_t share;               /* bytes that each of two parts of the reading may take */
    struct error *err;
};

/* --- one sample --- */

/* The symbol of the profile for one of the table. An address that nothing names is one function a
 * module, unless the file's unwind information tells where functions begin. */
static uint32_t find_profile_symbol(struct perf_reading *r, uint32_t symbol)
{
    if (symbol >= r->nknown) {
        const size_t cap = 2 * (size_t)symbol + 64;
        r->known = xrealloc(r->known, cap, sizeof *r->known);
        memset(r->known + r->nknown, 0, (cap - r->nknown) * sizeof *r->known);
        r->nknown = cap;
    }
    if (r->known[symbol])
        return r->known[symbol] - 1;
    struct hot_symbol s = r->table.symbols[symbol];
    if (s.where == HOT_UNKNOWN && s.size == 0)
        s.name = "[unknown]";
    const uint32_t own = hot_profile_symbol(r->profile, &s);
    r->known[symbol] = own + 1;
    return own;
}

/* Names the entries, the innermost first. Returns how many frames. */
static size_t name_perf_frames(struct perf_reading *r, const struct record *record, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const struct stack_entry *e = &r->entries[i];
        const struct names_query q = {.space = (enum names_space)e->space,
                                      .pid = record->pid,
                                      .address = e->address,
                                      .caller = e->caller,
                                      .now_ns = record->time};
        struct names_answer a;
        if (!names_resolve(r->names, &q, &a))
            break;
        if (used + a.n > FRAMES_MOST)
            break;
        for (size_t k = 0; k < a.n; k++)
            r->frames[used++] = find_profile_symbol(r, a.levels[k].symbol);
    }
    return used;
}

static void count_nameless(struct perf_reading *r, uint32_t symbol)
{
    const struct hot_symbol *s = &r->profile->symbols[symbol];
    if (s->where != HOT_UNKNOWN)
        return;
    r->nameless++;
    samples_name_add(&r->missing, s->module, strlen(s->module));
}

static void fold_perf_sample(struct perf_reading *r, const struct record *record)
{
    const struct perf_file_event *event = &r->file.events[r->event];
    int32_t node = -1;
    size_t n = stack_from_chain(record, r->entries);
    r->cut += record->sample.nchain > STACK_MAX;
    if (r->unwinds && event->regs == unwind_regs_mask())
        n = stack_unwind(&(struct unwinding){r->cfi, r->names, r->maps, record->pid, record->time},
                         record, r->entries, n, r->unwound);
    size_t used = name_perf_frames(r, record, n);
    if (used)
        count_nameless(r, r->frames[0]);
    while (used > 0)
        node = hot_profile_node(r->profile, node, r->frames[--used]);
    r->called |= record->sample.nchain > 0 || record->sample.nstack > 0;
    /* Each sample stands for as many events as its period: perf record changes it to take samples
     * at a steady rate. Without periods all are alike. */
    hot_profile_add(r->profile, node, record->sample.period ? record->sample.period : 1);
}

/* --- records in the order of time --- */

static void add_perf_mapping(struct perf_reading *r, struct record *record)
{
    struct record_mapping *m = &record->mapping;
    const uint16_t mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    if (mode == PERF_RECORD_MISC_KERNEL)
        perf_origin_mapping(&r->origin, m, &r->file);
    /* Data is mapped too, where perf record was asked for it (--data). */
    if (mode != PERF_RECORD_MISC_USER || record->misc & PERF_RECORD_MISC_MMAP_DATA)
        return;
    const struct perf_file_id *id = m->build_id ? NULL : perf_file_id_of(&r->file, m->path);
    if (id) {
        m->build_id = id->id;
        m->nbuild_id = id->n;
    }
    maps_add(r->maps, record->pid, m);
}

/* Forgets the process that ended longest ago when one more has ended. */
static void end_perf_process(struct perf_reading *r, pid_t pid)
{
    pid_t *slot = &r->ended[r->nended++ % ENDED_MOST];
    if (*slot > 0)
        maps_exit(r->maps, *slot);
    *slot = pid;
}

static void begin_perf_process(struct perf_reading *r, pid_t pid, pid_t parent)
{
    for (size_t i = 0; i < ENDED_MOST; i++) /* its number is used again */
        if (r->ended[i] == pid)
            r->ended[i] = 0;
    maps_fork(r->maps, pid, parent);
}

static void take_perf_record(struct perf_reading *r, struct record *record)
{
    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        fold_perf_sample(r, record);
        break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        add_perf_mapping(r, record);
        break;
    case PERF_RECORD_FORK:
        if (record->pid != record->parent)
            begin_perf_process(r, record->pid, record->parent);
        break;
    case PERF_RECORD_EXIT:
        if (record->pid == record->tid)
            end_perf_process(r, record->pid);
        break;
    case PERF_RECORD_COMM:
        if (record->comm.exec)
            maps_exec(r->maps, record->pid);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        r->lost += record->lost;
        break;
    default:
        break;
    }
}

/* Names can be found again, so they are dropped; what was recorded cannot. */
static int look_at_memory(struct perf_reading *r)
{
    const size_t names = names_memory(r->names) + cfi_memory(r->cfi) + symtab_memory(&r->table);
    if (names >= r->share || symtab_memory(&r->table) >= SYMTAB_BYTES_MAX) {
        names_reset(r->names);
        cfi_reset(r->cfi);
        symtab_reset(&r->table);
        free(r->known);
        r->known = NULL;
        r->nknown = 0;
    }
    if (maps_memory(r->maps) + record_order_memory(&r->order) < r->share)
        return 0;
    return error_set(r->err, ERROR_INPUT, EFBIG, "--max-memory, or a shorter recording",
                     r->file.path, "its processes and records need more than %llu MB",
                     (unsigned long long)(r->share / 1000000));
}

static int use_perf_record(void *ctx, const void *bytes, size_t size)
{
    struct perf_reading *r = ctx;
    struct record record;
    const size_t event = perf_file_event_of(&r->file, bytes, size);
    if (record_parse(bytes, size, &r->file.events[event].format, &record) != 0)
        r->damaged++;
    else
        take_perf_record(r, &record);
    if (++r->used % LOOK_EVERY != 0)
        return 0;
    return r->profile->full ? -EFBIG : look_at_memory(r);
}

/* --- records in the order of the file --- */

static bool is_order_kept(uint32_t type)
{
    return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 ||
           type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_COMM ||
           type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES;
}

static int tell_perf_progress(struct perf_reading *r, uint64_t at)
{
    enum { EVERY = 4096 };
    return r->seen++ % EVERY ? 0 : trace_progress(r->trace, r->file.path, at, r->file.size, r->err);
}

/* The first walk: which events have samples. */
static int count_perf_record(void *ctx, const void *bytes, size_t size, uint64_t at)
{
    struct perf_reading *r = ctx;
    struct perf_event_header h;
    memcpy(&h, bytes, sizeof h);
    if (h.type == PERF_RECORD_SAMPLE) {
        const size_t event = perf_file_event_of(&r->file, bytes, size);
        if (event == SIZE_MAX)
            r->foreign++;
        else
            r->file.events[event].samples++;
    }
    return tell_perf_progress(r, at);
}

/* The second: records are put into the order of time. Those without a time are used at once. */
static int order_perf_record(void *ctx, const void *bytes, size_t size, uint64_t at)
{
    struct perf_reading *r = ctx;
    struct perf_event_header h;
    memcpy(&h, bytes, sizeof h);
    if (h.type == PERF_FILE_ROUND)
        return record_order_round(&r->order, use_perf_record, r);
    const size_t event = perf_file_event_of(&r->file, bytes, size);
    const int rc = tell_perf_progress(r, at);
    if (rc != 0 || !is_order_kept(h.type) || event == SIZE_MAX ||
        (h.type == PERF_RECORD_SAMPLE && event != r->event))
        return rc;
    const uint64_t time = record_time(bytes, size, &r->file.events[event].format);
    if (time == 0 || time == UINT64_MAX)
        return use_perf_record(r, bytes, size);
    record_order_add(&r->order, bytes, size, time);
    return r->order.n % LOOK_EVERY ? 0 : look_at_memory(r);
}

/* --- the file --- */

/* The event that the user wants, else the first that has samples. */
static int choose_perf_event(struct perf_reading *r, struct samples_names *names)
{
    const char *wanted = r->trace->wanted_value;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < r->file.nevents; i++) {
        const struct perf_file_event *e = &r->file.events[i];
        if (e->samples == 0)
            continue;
        samples_name_add(names, e->name, strlen(e->name));
        if (found == SIZE_MAX && (!wanted || samples_name_is(e->name, strlen(e->name), wanted)))
            found = i;
    }
    if (found == SIZE_MAX && wanted && *names->text)
        return samples_refuse_value(r->file.path, names, wanted, r->err);
    r->event = found == SIZE_MAX ? 0 : found;
    for (size_t i = 0; i < r->file.nevents; i++)
        r->profile->left_out += i == r->event ? 0 : r->file.events[i].samples;
    return 0;
}

static int read_perf_records(struct perf_reading *r)
{
    struct samples_names names = {""};
    int rc = perf_file_walk(&r->file, count_perf_record, r);
    if (rc == 0 && r->file.nevents == 0)
        rc = perf_file_refuse(&r->file, r->file.data_at, "it describes no event");
    if (rc == 0)
        rc = choose_perf_event(r, &names);
    if (rc != 0)
        return rc;
    perf_origin_read(&r->origin, &r->file);
    const char *event = r->file.events[r->event].name;
    r->profile->stacks.event = hot_profile_text(r->profile, event, strlen(event));
    rc = perf_file_walk(&r->file, order_perf_record, r);
    if (rc == 0)
        rc = record_order_end(&r->order, use_perf_record, r);
    if (rc == 0 && r->profile->left_out)
        trace_note(r->trace, "its events are %s; --value NAME shows the samples of another",
                   names.text);
    return rc == -EFBIG && r->profile->full ? 0 : rc; /* hot_profile_end says it */
}

static void note_perf_reading(struct perf_reading *r)
{
    const struct perf_file_event *event = &r->file.events[r->event];
    const uint64_t bad = r->damaged + r->foreign;
    struct trace *t = r->trace;
    if (!r->called && r->profile->taken) {
        r->profile->stacks.callgraph = CALLGRAPH_NONE; /* also if there are inlined functions */
        trace_note(t, SAMPLES_WITHOUT_CALLS);
    }
    if (r->file.cut)
        trace_note(t, "perf record did not end as it should: the end of the file is missing, and "
                      "with it the names of events and of changed programs");
    if (bad)
        trace_note(t, "%llu records are damaged or of no event of the file, and left out",
                   (unsigned long long)bad);
    if (r->lost)
        trace_note(t, "perf record lost %llu records (its buffers were full)",
                   (unsigned long long)r->lost);
    if (r->cut)
        trace_note(t, "%llu stacks have more than %d frames: their outermost callers are left out",
                   (unsigned long long)r->cut, STACK_MAX);
    if (event->format.sample_type & PERF_SAMPLE_STACK_USER &&
        !(r->unwinds && event->regs == unwind_regs_mask()))
        trace_note(t, "copies of stacks (--call-graph dwarf) of another kind of processor are not "
                      "unwound: samples have no callers");
    if (r->nameless)
        trace_note(t,
                   "%llu of %llu samples have no name: what they ran in (%s) has no symbols, is "
                   "not on this machine, or has changed since",
                   (unsigned long long)r->nameless, (unsigned long long)r->profile->taken,
                   *r->missing.text ? r->missing.text : "unknown code");
}

static bool is_arch_of_host(const char *arch)
{
    struct utsname name;
    return !*arch || (uname(&name) == 0 && strcmp(arch, name.machine) == 0);
}

static void free_perf_reading(struct perf_reading *r)
{
    perf_file_close(&r->file);
    record_order_free(&r->order);
    names_free(r->names);
    maps_free(r->maps);
    cfi_free(r->cfi);
    symtab_free(&r->table);
    pthread_mutex_destroy(&r->lock);
    free(r->known);
    free(r);
}

static int read_perf_data(const char *path, struct trace *t, struct error *err)
{
    enum { SHARE = 4 };
    struct perf_reading *r = xcalloc(1, sizeof *r);
    struct hot_profile *p = r->profile = hot_profile_new();
    p->stacks.weight = HOT_EVENTS;
    r->trace = t;
    r->err = err;
    r->share = memory_limit() / SHARE;
    r->maps = maps_new_recorded();
    r->cfi = cfi_new();
    pthread_mutex_init(&r->lock, NULL);
    r->names = names_new(&(struct names_shared){
        .table = &r->table, .lock = &r->lock, .maps = r->maps, .recorded = &r->origin});
    int rc = perf_file_open(&r->file, path, err);
    r->unwinds = rc == 0 && is_arch_of_host(r->file.arch);
    if (rc == 0)
        rc = read_perf_records(r);
    if (rc == 0)
        note_perf_reading(r);
    free_perf_reading(r);
    return samples_finish(p, rc, path, t, err);
}

static bool is_perf_data(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return size >= 8 && (memcmp(head, "PERFILE2", 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0);
}

const struct reader_ops reader_perf_data = {
    .name = "perf.data",
    .summary = "perf, pprof, speedscope",
    .samples = true,
    .recognise = is_perf_data,
    .read = read_perf_data,
};
