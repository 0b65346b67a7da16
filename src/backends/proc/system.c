#include "backends/proc/proc_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "base/arena.h"

enum { TEXT_MIN = 16 * 1024, TEXT_MAX = 4 * 1024 * 1024, PSI_NS = 1000000000 };

/* The previous value of an event that is counted since boot. */
struct running_count {
    uint64_t before;
    bool have;
};

struct system {
    const struct topology *topo;
    bool all_cpus;
    char *text; /* contents of /proc/stat; grows as needed */
    size_t text_size;
    struct kept_file stat, loadavg, uptime, meminfo, psi[3];
    int *position; /* CPU number -> row */
    int npositions;
    struct cpu_ticks *now, *before, total_before;
    bool *seen, *seen_before, have_total_before;
    struct running_count interrupts, context_switches, forks;
    struct value pressure[3];
    uint64_t pressure_ns;
    struct frequency *frequency;
    struct io *io;
};

struct system *system_open(const struct topology *topo, bool all_cpus)
{
    struct system *s = xcalloc(1, sizeof *s);
    size_t n = (size_t)topo->ncpus;
    s->topo = topo;
    s->all_cpus = all_cpus;
    s->text_size = TEXT_MIN;
    s->text = xcalloc(s->text_size, 1);
    s->npositions = topo->cpus[n - 1].id + 1;
    s->position = xcalloc((size_t)s->npositions, sizeof *s->position);
    memset(s->position, 0xff, (size_t)s->npositions * sizeof *s->position);
    for (size_t i = 0; i < n; i++)
        s->position[topo->cpus[i].id] = (int)i;
    s->now = xcalloc(n, sizeof *s->now);
    s->before = xcalloc(n, sizeof *s->before);
    s->seen = xcalloc(n, sizeof *s->seen);
    s->seen_before = xcalloc(n, sizeof *s->seen_before);
    s->frequency = frequency_open(topo);
    s->io = io_open();
    return s;
}

void system_close(struct system *s)
{
    kept_close(&s->stat);
    kept_close(&s->loadavg);
    kept_close(&s->uptime);
    kept_close(&s->meminfo);
    for (int i = 0; i < 3; i++)
        kept_close(&s->psi[i]);
    frequency_close(s->frequency);
    io_close(s->io);
    free(s->text);
    free(s->position);
    free(s->now);
    free(s->before);
    free(s->seen);
    free(s->seen_before);
    free(s);
}

/* --- CPU shares --- */

/* Kernel counters may go backwards (iowait does): that counts as no time, not as a huge one. */
static uint64_t ticks_between(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static struct cpu_ticks subtract_cpu_ticks(const struct cpu_ticks *a, const struct cpu_ticks *b)
{
    return (struct cpu_ticks){
        ticks_between(a->user, b->user),       ticks_between(a->nice, b->nice),
        ticks_between(a->system, b->system),   ticks_between(a->idle, b->idle),
        ticks_between(a->iowait, b->iowait),   ticks_between(a->irq, b->irq),
        ticks_between(a->softirq, b->softirq), ticks_between(a->steal, b->steal)};
}

static void add_ticks(struct cpu_ticks *sum, const struct cpu_ticks *t)
{
    sum->user += t->user;
    sum->nice += t->nice;
    sum->system += t->system;
    sum->idle += t->idle;
    sum->iowait += t->iowait;
    sum->irq += t->irq;
    sum->softirq += t->softirq;
    sum->steal += t->steal;
}

static void all_values(struct cpu *c, struct value v)
{
    c->busy = c->user = c->system = c->iowait = c->irq = c->steal = v;
}

static void set_cpu_shares(struct cpu *c, const struct cpu_ticks *d)
{
    double all = (double)(d->user + d->nice + d->system + d->idle + d->iowait + d->irq +
                          d->softirq + d->steal);
    if (all <= 0) { /* two polls within one clock tick of the kernel */
        all_values(c, value_pending(UNIT_PERCENT));
        return;
    }
    double scale = 100 / all, user = (double)(d->user + d->nice) * scale;
    double irq = (double)(d->irq + d->softirq) * scale, system = (double)d->system * scale;
    c->user = value_ok(user, UNIT_PERCENT);
    c->system = value_ok(system, UNIT_PERCENT);
    c->irq = value_ok(irq, UNIT_PERCENT);
    c->iowait = value_ok((double)d->iowait * scale, UNIT_PERCENT);
    c->steal = value_ok((double)d->steal * scale, UNIT_PERCENT);
    c->busy = value_ok(user + system + irq, UNIT_PERCENT);
}

static void fill_system_cpus(struct system *s, struct snapshot *out, const char *missing)
{
    for (int i = 0; i < s->topo->ncpus; i++) {
        struct cpu *c = &out->cpus[i];
        *c = s->topo->cpus[i];
        if (missing || !s->seen[i]) {
            all_values(c, value_missing(missing ? missing : "offline", UNIT_PERCENT));
        } else if (!s->seen_before[i]) {
            all_values(c, value_pending(UNIT_PERCENT));
        } else {
            struct cpu_ticks d = subtract_cpu_ticks(&s->now[i], &s->before[i]);
            set_cpu_shares(c, &d);
        }
    }
}

static void fill_total(struct system *s, struct snapshot *out, const struct sys_stat *st,
                       struct system_tick *tick)
{
    struct cpu *c = &out->total;
    struct cpu_ticks sum = {0}, d;
    *c = (struct cpu){.id = -1, .package = -1, .core = -1, .node = -1, .llc = -1};
    if (!st->have_total) {
        all_values(c, value_missing("/proc/stat could not be read", UNIT_PERCENT));
        return;
    }
    if (!s->have_total_before) {
        all_values(c, value_pending(UNIT_PERCENT));
        return;
    }
    d = subtract_cpu_ticks(&st->total, &s->total_before);
    tick->have_busy = true;
    tick->busy_ticks = d.user + d.nice + d.system;
    bool whole = true;
    for (int i = 0; i < s->topo->ncpus; i++) {
        if (s->seen[i] && s->seen_before[i]) {
            struct cpu_ticks one = subtract_cpu_ticks(&s->now[i], &s->before[i]);
            add_ticks(&sum, &one);
        } else {
            whole = false;
        }
    }
    /* The kernel rounds its sum and each CPU to ticks, each alone, so that its sum can lie above
     * all CPUs: the total is that of the CPUs which are shown. */
    set_cpu_shares(c, s->all_cpus && !whole ? &d : &sum);
}

/* Reads all of /proc/stat; its length grows with CPUs and interrupts. Returns bytes or -errno. */
static ssize_t read_stat(struct system *s)
{
    for (;;) {
        ssize_t n = kept_read(&s->stat, "/proc/stat", s->text, s->text_size);
        if (n < 0 || (size_t)n < s->text_size || s->text_size >= TEXT_MAX)
            return n;
        s->text_size *= 2;
        s->text = xrealloc(s->text, s->text_size, 1);
    }
}

/* --- counters --- */

static void count_running(struct snapshot *out, struct running_count *r, bool have, uint64_t now,
                          const char *name, const char *spec, const char *desc)
{
    struct counter *c = snapshot_add_counter(out);
    c->name = name;
    c->spec = spec;
    c->desc = desc;
    c->source = "proc";
    c->set = "system";
    double seconds = out->interval_s;
    if (!have) {
        c->delta = value_missing("not in this kernel's /proc/stat", UNIT_COUNT);
        c->rate = value_missing(c->delta.why, UNIT_COUNT_PER_S);
    } else if (!r->have || seconds <= 0) {
        c->delta = value_pending(UNIT_COUNT);
        c->rate = value_pending(UNIT_COUNT_PER_S);
    } else {
        c->raw = ticks_between(now, r->before);
        c->enabled_ns = c->running_ns = (uint64_t)(seconds * 1e9);
        c->delta = value_ok((double)c->raw, UNIT_COUNT);
        c->rate = value_ok((double)c->raw / seconds, UNIT_COUNT_PER_S);
    }
    *r = (struct running_count){.before = now, .have = have};
}

static void fill_stat(struct system *s, struct snapshot *out, struct system_tick *tick)
{
    struct sys_stat st = {
        .position = s->position, .npositions = s->npositions, .cpu = s->now, .seen = s->seen};
    memset(s->seen, 0, (size_t)s->topo->ncpus * sizeof *s->seen);
    ssize_t n = read_stat(s);
    if (n > 0)
        parse_sys_stat(s->text, (size_t)n, &st);
    fill_system_cpus(s, out, n > 0 ? NULL : "/proc/stat could not be read");
    fill_total(s, out, &st, tick);
    count_running(out, &s->context_switches, st.have_context_switches, st.context_switches,
                  "context-switches", "/proc/stat ctxt", "Context switches on all CPUs.");
    count_running(out, &s->interrupts, st.have_interrupts, st.interrupts, "interrupts",
                  "/proc/stat intr", "Interrupts serviced on all CPUs.");
    count_running(out, &s->forks, st.have_forks, st.forks, "forks", "/proc/stat processes",
                  "Processes and threads started.");
    tick->have_forks = st.have_forks;
    tick->forks = st.forks;
    out->nrunning = (size_t)st.running;
    s->total_before = st.total;
    s->have_total_before = st.have_total;
    struct cpu_ticks *t = s->before;
    s->before = s->now;
    s->now = t;
    bool *seen = s->seen_before;
    s->seen_before = s->seen;
    s->seen = seen;
}

/* --- load, memory, pressure --- */

static void fill_load(struct system *s, struct snapshot *out, struct system_tick *tick)
{
    char text[128];
    double v[3];
    struct value *load[3] = {&out->load1, &out->load5, &out->load15};
    ssize_t n = kept_read(&s->loadavg, "/proc/loadavg", text, sizeof text);
    int found = n > 0 ? parse_decimals(text, (size_t)n, v, 3) : 0;
    for (int i = 0; i < 3; i++)
        *load[i] = i < found ? value_ok(v[i], UNIT_NONE)
                             : value_missing("/proc/loadavg could not be read", UNIT_NONE);
    n = kept_read(&s->uptime, "/proc/uptime", text, sizeof text);
    found = n > 0 ? parse_decimals(text, (size_t)n, v, 1) : 0;
    out->uptime_s = found ? value_ok(v[0], UNIT_SECONDS)
                          : value_missing("/proc/uptime could not be read", UNIT_SECONDS);
    tick->uptime_s = found ? v[0] : 0;
}

static struct value meminfo_value(bool have, uint64_t v)
{
    return have ? value_ok((double)v, UNIT_BYTES)
                : value_missing("not in this kernel's /proc/meminfo", UNIT_BYTES);
}

static void fill_memory(struct system *s, struct snapshot *out)
{
    char text[4096];
    struct mem_info m = {0};
    ssize_t n = kept_read(&s->meminfo, "/proc/meminfo", text, sizeof text);
    if (n > 0)
        parse_meminfo(text, (size_t)n, &m);
    out->memory = (struct memory){
        .total = meminfo_value(m.have_total, m.total),
        .available = meminfo_value(m.have_available, m.available),
        .used =
            meminfo_value(m.have_total && m.have_available, ticks_between(m.total, m.available)),
        .cached = meminfo_value(m.have_cached, m.cached),
        .buffers = meminfo_value(m.have_buffers, m.buffers),
        .swap_total = meminfo_value(m.have_swap, m.swap_total),
        .swap_used = meminfo_value(m.have_swap, ticks_between(m.swap_total, m.swap_free)),
    };
}

static const char *why_no_pressure(ssize_t n)
{
    if (n == -ENOENT)
        return file_proc_mounted() ? "no PSI in this kernel" : "/proc is not mounted";
    if (n == -EOPNOTSUPP)
        return "PSI is off: boot with psi=1";
    return n == -EACCES || n == -EPERM ? "/proc/pressure may not be read"
                                       : "/proc/pressure could not be read";
}

static struct value read_pressure(struct kept_file *f, const char *path)
{
    char text[256];
    double avg;
    ssize_t n = kept_read(f, path, text, sizeof text);
    if (n > 0 && parse_pressure(text, (size_t)n, &avg) == 0)
        return value_ok(avg, UNIT_PERCENT);
    return value_missing(why_no_pressure(n), UNIT_PERCENT);
}

/* Three of the PSI files: the resource waited for, and the text for people. */
static const struct {
    const char *path, *name, *desc;
} psi[3] = {
    {"/proc/pressure/cpu", "cpu-pressure",
     "Waiting for a CPU: share of the last 10 s in which some task could have run and had none "
     "(PSI, some avg10; kernel Documentation/accounting/psi.rst)."},
    {"/proc/pressure/memory", "memory-pressure",
     "Waiting for memory: share of the last 10 s in which some task did, for reclaim, swap or "
     "pages "
     "read again (PSI, some avg10; kernel Documentation/accounting/psi.rst)."},
    {"/proc/pressure/io", "io-pressure",
     "Waiting for a disk: share of the last 10 s in which some task did (PSI, some avg10; kernel "
     "Documentation/accounting/psi.rst)."},
};

/* Fills pressure. The kernel averages over 10 s and updates the number every 2 s. */
static void fill_pressure(struct system *s, struct snapshot *out, uint64_t now_ns)
{
    bool due = !s->pressure_ns || now_ns - s->pressure_ns >= PSI_NS;
    for (int i = 0; i < 3; i++) {
        if (due)
            s->pressure[i] = read_pressure(&s->psi[i], psi[i].path);
        struct counter *c = snapshot_add_counter(out);
        *c = (struct counter){.name = psi[i].name,
                              .spec = psi[i].path,
                              .desc = psi[i].desc,
                              .source = "proc",
                              .set = "system",
                              .group = -1,
                              .gauge = true,
                              .delta = s->pressure[i],
                              .rate = s->pressure[i]};
    }
    if (due)
        s->pressure_ns = now_ns;
    out->pressure = (struct pressure){s->pressure[0], s->pressure[1], s->pressure[2]};
}

void system_poll(struct system *s, struct snapshot *out, uint64_t now_ns, struct system_tick *tick)
{
    *tick = (struct system_tick){0};
    fill_stat(s, out, tick);
    frequency_fill(s->frequency, out, now_ns);
    fill_load(s, out, tick);
    fill_memory(s, out);
    fill_pressure(s, out, now_ns);
    io_fill(s->io, out);
}
