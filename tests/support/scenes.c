#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "engine/live/metric.h"
#include "engine/live/target_sums.h"
#include "support/brick_scene.h"
#include "support/gpus_scene.h"
#include "support/hot_scene.h"

const char *const scene_names[] = {"zen4",  "vm",      "many",     "command", "ended", "hostile",
                                   "empty", "hot",     "nasty",    "bricks",  "procs", "gpus",
                                   "gpu1",  "gpuless", "emulated", NULL};

/* A wave between 0 and 1, computed without a library's rounding. */
static double wave(int tick, int phase)
{
    int t = (tick * 7 + phase * 13) % 40;
    return (t < 20 ? t : 40 - t) / 20.0;
}

static struct value when(int tick, double v, enum unit unit)
{
    return tick ? value_ok(v, unit) : value_pending(unit);
}

/* --- counters --- */

/* Events per second on one CPU; events that are not listed count a million. */
static const struct {
    const char *name;
    double per_s;
} rates[] = {
    {"cycles", 3.4e9},           {"instructions", 5.1e9},    {"ref-cycles", 2.8e9},
    {"branches", 9.2e8},         {"branch-misses", 1.1e7},   {"cpu-clock", 0.82},
    {"task-clock", 0.82},        {"page-faults", 1240},      {"minor-faults", 1235},
    {"major-faults", 5},         {"context-switches", 3310}, {"cpu-migrations", 12},
    {"alignment-faults", 0},     {"emulation-faults", 0},    {"tsc", 2.6e9},
    {"retired_ops", 6.2e9},      {"dispatched_ops", 6.6e9},  {"fe_no_ops", 3.1e9},
    {"be_stalls", 9.9e9},        {"fe_empty_cycles", 3e8},   {"resyncs", 2e5},
    {"not_complete", 1.4e9},     {"load_not_complete", 9e8}, {"ucode_ops", 3e7},
    {"flops", 1.9e10},           {"energy-pkg", 21},         {"stalled-frontend", 5e8},
    {"stalled-backend", 1.4e9},  {"l1d_accesses", 2.1e9},    {"l1d_fills", 6e7},
    {"dram_fills", 8e6},         {"fp_dispatched", 1.7e9},   {"int_dispatched", 4.9e9},
    {"loads_dispatched", 1.5e9}, {"stores_dispatched", 6e8}, {"load_queue_full", 4e8},
    {"fp_scheduler_full", 9e8},  {"op_cache_ops", 6e9},      {"decoder_ops", 6e8},
};

static double rate_of(const char *name)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(rates[i].name, name) == 0)
            return rates[i].per_s;
    return 1e6;
}

static void add_counter(struct snapshot *s, const struct event_def *e, int group, int tick,
                        const char *why, bool percpu)
{
    struct counter *c = snapshot_add_counter(s);
    int n = s->host->ncpus;
    double v = rate_of(e->name) * n * (0.6 + 0.4 * wave(tick, group + 3));
    *c = (struct counter){.name = e->name,
                          .spec = e->spec,
                          .desc = e->desc,
                          .source = "perf",
                          .set = e->set,
                          .group = why ? -1 : group};
    c->delta = why ? value_missing(why, UNIT_COUNT) : when(tick, v, UNIT_COUNT);
    c->rate = why ? value_missing(why, UNIT_COUNT_PER_S) : when(tick, v, UNIT_COUNT_PER_S);
    if (why || !tick)
        return;
    bool scaled = group > 1 && strcmp(e->set, "software") != 0;
    c->delta.running = c->rate.running = scaled ? 0.25f + 0.5f * (float)(group % 2) : 1;
    c->delta.flags = c->rate.flags =
        scaled ? VALUE_SCALED | (c->delta.running < 0.3f ? VALUE_LOW_CONFIDENCE : 0) : 0;
    c->raw = (uint64_t)(v * (double)c->delta.running);
    c->enabled_ns = 1000000000u;
    c->running_ns = (uint64_t)(1e9 * (double)c->delta.running);
    if (!percpu)
        return;
    c->percpu = snapshot_alloc(s, (size_t)n * sizeof *c->percpu);
    for (int i = 0; i < n; i++)
        c->percpu[i] = value_ok(v / n * (0.5 + wave(tick, i)), UNIT_COUNT);
}

static void add_events(struct snapshot *s, const struct event_def *e, int tick, const char *why,
                       const char *only_missing_set)
{
    const char *set = "";
    int group = -1;
    for (; e->name; e++) {
        if (strcmp(e->set, set) != 0) {
            set = e->set;
            group++;
        }
        bool gone = only_missing_set && strstr(only_missing_set, e->set);
        add_counter(s, e, group, tick,
                    why    ? why
                    : gone ? "this machine has no such PMU"
                           : NULL,
                    s->host->ncpus <= 8);
    }
}

/* What -e branch-misses,minor-faults adds. */
static void add_asked(struct snapshot *s, int tick)
{
    static const struct event_def asked[] = {
        {"user", "branch-misses", "branch-misses", "asked for with -e", ""},
        {"user", "minor-faults", "minor-faults", "asked for with -e", ""},
    };
    for (int i = 0; i < 2; i++) {
        add_counter(s, &asked[i], i, tick, NULL, false);
        s->counters[s->ncounters - 1].user = true;
    }
}

static void add_metrics(struct snapshot *s, const char *arch)
{
    struct metric_set *set;
    struct error err = ERROR_INIT;
    if (metric_compile(&set, arch, NULL, &err) != 0) {
        fprintf(stderr, "scene: %s: %s\n", err.what, err.why);
        abort();
    }
    metric_evaluate(set, s);
    metric_free(set);
}

/* --- the machine --- */

static struct host *make_host(const char *name)
{
    struct host *h = host_new();
    bool zen = strcmp(name, "zen4") == 0, many = strcmp(name, "many") == 0;
    h->ncpus = zen ? 8 : many ? 512 : strcmp(name, "empty") == 0 ? 0 : 2;
    snprintf(h->hostname, sizeof h->hostname, "%s", zen ? "forge" : many ? "mi300-07" : "vm");
    snprintf(h->cpu_model, sizeof h->cpu_model, "%s",
             zen    ? "AMD Ryzen 9 8945HS"
             : many ? "AMD EPYC 9754 128-Core"
                    : "AMD EPYC");
    snprintf(h->kernel, sizeof h->kernel, "Linux 6.12.0");
    snprintf(h->hypervisor, sizeof h->hypervisor, "%s", zen || many ? "" : "KVM");
    snprintf(h->pmu, sizeof h->pmu, "%s", zen ? "AMD Zen 4, 6 counters" : "none (virtual machine)");
    snprintf(h->pmu_arch, sizeof h->pmu_arch, "%s", zen ? "zen4" : "none");
    h->mem_total = 64ull << 30;
    h->paranoid = 2;
    return h;
}

static void fill_cpus(struct snapshot *s, int tick)
{
    double sum = 0;
    int n = s->host->ncpus;
    for (int i = 0; i < n; i++) {
        struct cpu *c = &s->cpus[i];
        double busy = 100 * wave(tick, i * 3) * (i % 5 == 0 ? 1 : 0.4);
        c->id = i;
        c->llc = i / 8;
        c->busy = n > 8 && i == 77 ? value_missing("offline", UNIT_PERCENT)
                                   : when(tick, busy, UNIT_PERCENT);
        sum += busy;
    }
    s->total.busy = n ? when(tick, sum / n, UNIT_PERCENT)
                      : value_missing("/proc/stat cannot be read", UNIT_PERCENT);
}

static void fill_memory(struct snapshot *s, int tick)
{
    double total = 64.0 * (1u << 30);
    s->memory.total = value_ok(total, UNIT_BYTES);
    s->memory.used = value_ok(total * (0.3 + 0.1 * wave(tick, 5)), UNIT_BYTES);
    s->memory.available = value_ok(total - s->memory.used.v, UNIT_BYTES);
    s->memory.cached = value_ok(total * 0.17, UNIT_BYTES);
    s->memory.buffers = value_ok(total * 0.01, UNIT_BYTES);
    s->memory.swap_total = s->memory.swap_used = value_ok(0, UNIT_BYTES);
    s->load1 = value_ok(3.21, UNIT_NONE);
    s->load5 = value_ok(2.5, UNIT_NONE);
    s->load15 = value_ok(1.07, UNIT_NONE);
    s->uptime_s = value_ok(3 * 86400 + 4 * 3600 + 5 * 60, UNIT_SECONDS);
}

static void add_traffic(struct snapshot *s, const char *name, double v, int tick)
{
    struct counter *c = snapshot_add_counter(s);
    *c = (struct counter){.name = name,
                          .spec = "/proc",
                          .desc = "Bytes that went through devices.",
                          .source = "proc",
                          .set = "system",
                          .group = -1,
                          .delta = when(tick, v, UNIT_BYTES),
                          .rate = when(tick, v, UNIT_BYTES_PER_S),
                          .raw = tick ? (uint64_t)v : 0};
}

/* Fills in devices; the sums contain only the devices that count. */
static void fill_io(struct snapshot *s, int tick)
{
    double in = 1.25e6 * wave(tick, 4), out = 3e4, read = 5e6 * wave(tick, 9), wrote = 81920;
    const struct io_device made[] = {
        {IO_NETWORK, "lo", false, when(tick, 2048, UNIT_BYTES_PER_S),
         when(tick, 2048, UNIT_BYTES_PER_S)},
        {IO_NETWORK, "eth0", true, when(tick, in, UNIT_BYTES_PER_S),
         when(tick, out, UNIT_BYTES_PER_S)},
        {IO_DISK, "nvme0n1", true, when(tick, read, UNIT_BYTES_PER_S),
         when(tick, wrote, UNIT_BYTES_PER_S)},
        {IO_DISK, "sda", true, when(tick, 0, UNIT_BYTES_PER_S),
         tick ? value_missing("a counter of the device stepped back", UNIT_BYTES_PER_S)
              : value_pending(UNIT_BYTES_PER_S)},
        {IO_DISK, "dm-0", false, when(tick, read, UNIT_BYTES_PER_S),
         when(tick, wrote, UNIT_BYTES_PER_S)},
    };
    s->nio = sizeof made / sizeof *made;
    s->io = snapshot_alloc(s, sizeof made);
    memcpy(s->io, made, sizeof made);
    add_traffic(s, "network-receive", in, tick);
    add_traffic(s, "network-transmit", out, tick);
    add_traffic(s, "disk-read", read, tick);
    add_traffic(s, "disk-write", wrote, tick);
}

/* A build on a machine that swaps: a tree of processes, some with threads; compilers that start
 * and end between two samples take most of the time. */
static void make_processes(struct snapshot *s, int tick)
{
    static const struct {
        pid_t pid, ppid;
        const char *comm, *cmdline;
        int threads, nice;
        double cpu, seconds;
        bool kernel;
    } made[] = {
        {1, 0, "systemd", "/sbin/init splash", 1, 0, 0, 12.5, false},
        {2, 0, "kthreadd", "[kthreadd]", 1, 0, 0, 0.1, true},
        {17, 2, "ksoftirqd/0", "[ksoftirqd/0]", 1, 0, 0.5, 30, true},
        {300, 1, "sshd", "sshd: /usr/sbin/sshd -D", 1, 0, 0, 1, false},
        {410, 300, "sshd", "sshd: someone@pts/0", 1, 0, 0.1, 2, false},
        {411, 410, "bash", "-bash", 1, 0, 0, 3, false},
        {500, 411, "make", "make -j8", 1, 5, 2.5, 4, false},
        {510, 500, "sh", "/bin/sh -c cc -O2 -c gemm.c", 1, 5, 0, 0, false},
        {511, 510, "cc1", "cc1 -O2 gemm.c", 1, 5, 41.5, 3.25, false},
        {520, 411, "vim", "vim src/kernel.c", 1, 0, 0.3, 7, false},
        {900, 1, "server", "/opt/server --workers 3", 4, 0, 75.5, 5400, false},
    };
    static const struct proc_thread threads[] = {
        {900, 900, "server", 'S', 0, 0, {.unit = UNIT_PERCENT}, 10},
        {901, 900, "worker/0", 'R', 0, 1, {.unit = UNIT_PERCENT}, 3000},
        {902, 900, "worker/1", 'S', 0, 0, {.unit = UNIT_PERCENT}, 2380},
        {903, 900, "log", 'S', 0, 1, {.unit = UNIT_PERCENT}, 10},
    };
    static const double shares[] = {0.5, 60, 15, 0};
    s->nprocs = sizeof made / sizeof *made;
    s->nthreads = 14;
    for (size_t i = 0; i < s->nprocs; i++) {
        s->procs[i].pid = made[i].pid;
        s->procs[i].ppid = made[i].ppid;
        s->procs[i].comm = made[i].comm;
        s->procs[i].cmdline = made[i].cmdline;
        s->procs[i].threads = made[i].threads;
        s->procs[i].nice = made[i].nice;
        s->procs[i].kernel_thread = made[i].kernel;
        s->procs[i].state = made[i].cpu > 1 ? 'R' : 'S';
        s->procs[i].cpu_percent = when(tick, made[i].cpu, UNIT_PERCENT);
        s->procs[i].cpu_seconds = made[i].seconds;
        s->procs[i].start_ticks = (uint64_t)made[i].pid;
    }
    s->nthread_rows = sizeof threads / sizeof *threads;
    s->threads = snapshot_alloc(s, sizeof threads);
    memcpy(s->threads, threads, sizeof threads);
    for (size_t i = 0; i < s->nthread_rows; i++)
        s->threads[i].cpu_percent = when(tick, shares[i], UNIT_PERCENT);
    s->account = (struct cpu_account){.processes = when(tick, 120.4, UNIT_PERCENT),
                                      .ended = when(tick, 37, UNIT_PERCENT),
                                      .rest = when(tick, 1.5, UNIT_PERCENT),
                                      .nended = 3,
                                      .parent = 500};
    s->memory.swap_total = value_ok(4.0 * (1u << 30), UNIT_BYTES);
    s->memory.swap_used = value_ok(1.2 * (1u << 30), UNIT_BYTES);
    s->pressure = (struct pressure){value_ok(18, UNIT_PERCENT), value_ok(0.25, UNIT_PERCENT),
                                    value_ok(3, UNIT_PERCENT)};
}

static void fill_procs(struct snapshot *s, int tick, size_t n)
{
    static const char *const commands[] = {
        "/usr/bin/gemm --m 4096 --n 4096 --k 4096 --iterations 100",
        "python3 train.py",
        "/usr/lib/systemd/systemd --user",
        "sshd: someone@pts/0",
        "-bash",
        "vim src/kernel.c"};
    s->procs = snapshot_alloc(s, n * sizeof *s->procs);
    s->nprocs = n;
    s->nthreads = n * 2;
    s->nrunning = 2;
    for (size_t i = 0; i < n; i++) {
        bool kernel = i % 3 == 2;
        struct proc *p = &s->procs[i];
        *p = (struct proc){.pid = (pid_t)(i * 37 + 1),
                           .ppid = 1,
                           .uid = i % 2 ? 1000 : 0,
                           .user = i % 2 ? "someone" : "root",
                           .state = i < 2    ? 'R'
                                    : kernel ? 'I'
                                             : 'S',
                           .kernel_thread = kernel,
                           .threads = i == 0 ? 16 : 1,
                           .nice = kernel ? -20 : 0};
        p->comm = kernel ? "kworker/0:1" : "gemm";
        p->cmdline = kernel ? "[kworker/0:1-events]" : commands[i % 6];
        p->cpu_percent = when(tick, i == 0 ? 742.5 : i == 1 ? 99.3 : i < 5 ? 0.7 : 0, UNIT_PERCENT);
        p->cpu_seconds = i == 0 ? 93784.5 : i == 1 ? 4000 : (double)i * 1.5;
        p->rss = kernel ? 0 : (uint64_t)(i + 1) * 7654321;
        p->virt = p->rss * 4;
        p->start_ticks = i;
    }
}

static void make_hostile(struct snapshot *s)
{
    static char longest[4097];
    static const char *const names[] = {"a\033[31mred\033[0m",
                                        "tab\there\nline",
                                        "\xff\xfe bad bytes",
                                        "wide 漢字漢字漢字 name",
                                        "e\xcc\x81 combining",
                                        ") (",
                                        "%s%n%d",
                                        "\xe2\x80\xae right to left",
                                        ""};
    memset(longest, 'x', sizeof longest - 1);
    for (size_t i = 0; i < s->nprocs && i < sizeof names / sizeof *names; i++) {
        s->procs[i].cmdline = s->procs[i].comm = names[i];
        s->procs[i].user = names[(i + 3) % 8];
    }
    s->procs[9].cmdline = longest;
    s->procs[9].threads = 2000000000;
    s->procs[9].cpu_seconds = 1e12;
    s->procs[9].rss = UINT64_MAX;
    s->target = longest;
}

static void make_target_use(struct snapshot *s, int tick, bool ended)
{
    const double mib = 1 << 20;
    struct target_use *u = &s->use;
    target_use_missing(u, "none of its processes runs");
    if (!ended) {
        u->processes = 2;
        u->threads = 17;
        u->cpu = when(tick, 743.2, UNIT_PERCENT);
        u->others = when(tick, 12, UNIT_PERCENT);
        u->memory = value_ok((251 + 50 * tick) * mib, UNIT_BYTES);
        u->memory_slope = when(tick, 50 * mib, UNIT_BYTES_PER_S);
        u->fault_rate = when(tick, 12800, UNIT_COUNT_PER_S);
        u->major_fault_rate = when(tick, 0, UNIT_COUNT_PER_S);
    }
    u->memory_peak = value_ok((251 + 50 * tick) * mib, UNIT_BYTES);
    u->cpu_time = value_ok(7.4 * tick, UNIT_SECONDS);
    u->faults = value_ok(12800.0 * tick, UNIT_COUNT);
    u->major_faults = value_ok(2, UNIT_COUNT);
    u->elapsed = value_ok(tick + 0.5, UNIT_SECONDS);
    if (ended)
        s->command.usage = (struct command_usage){.known = true,
                                                  .user_s = 7 * tick,
                                                  .system_s = 0.4 * tick,
                                                  .max_rss = 301 << 20,
                                                  .max_rss_before = 4 << 20,
                                                  .voluntary = 120,
                                                  .forced = 33,
                                                  .minor_faults = 12798 * (uint64_t)tick,
                                                  .major_faults = 2};
}

static void make_command(struct snapshot *s, int tick, bool ended)
{
    s->target_kind = TARGET_COMMAND;
    s->target = "./gemm --m 4096";
    s->target_gone = ended;
    s->procs[0].watched = s->procs[3].watched = !ended;
    s->command = (struct command_state){
        .pid = 1,
        .running = !ended,
        .wait_status = ended ? 3 << 8 : 0,
        .elapsed_s = tick + 0.5,
        .output =
            "warming up\n\033[32mpass 1\033[0m  812.4 GFLOP/s\npass 2\t815.0 GFLOP/s\nworking"};
    s->command.output_len = strlen(s->command.output);
    s->command.output_total = s->command.output_len;
    make_target_use(s, tick, ended);
}

static void make_profile(struct snapshot *s, int tick, bool hostile)
{
    s->sampling = (struct sampling){.on = true, .hz = 997, .callgraph = CALLGRAPH_FP};
    if (tick)
        s->stacks = scene_stacks(&s->arena, tick, hostile);
}

struct snapshot *scene(const char *name, int tick)
{
    struct host *h = make_host(name);
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    s->seq = (uint64_t)tick + 1;
    s->time_ns = (uint64_t)(tick + 100) * 1000000000u;
    s->wall_ns = 1763683349000000007u + (uint64_t)tick * 1000000000u;
    s->interval_s = tick ? 1 : 0;
    s->target = "this host";
    fill_cpus(s, tick);
    if (strcmp(name, "empty") == 0) {
        add_metrics(s, "none");
        snapshot_add_notice(s, NOTICE_ERROR, "proc.missing", "/proc cannot be listed: no processes",
                            "mount -t proc proc /proc");
        return s;
    }
    fill_memory(s, tick);
    fill_procs(s, tick, strcmp(name, "many") == 0 ? 400 : 40);
    bool zen = strcmp(name, "zen4") == 0;
    add_events(s, catalog_common, tick, NULL, zen ? "dram l3 " : "dram rapl l3 msr");
    if (zen)
        add_events(s, arch_find("zen4")->events, tick, NULL, NULL);
    else
        snapshot_add_notice(s, NOTICE_INFO, "perf.pmu",
                            "no PMU: this virtual machine is given none by its host",
                            "QEMU/KVM: -cpu host,pmu=on");
    if (strncmp(name, "asked", 5) == 0)
        add_asked(s, tick);
    add_metrics(s, zen ? "zen4" : "none");
    fill_io(s, tick);
    if (strcmp(name, "hostile") == 0)
        make_hostile(s);
    if (strcmp(name, "procs") == 0)
        make_processes(s, tick);
    if (strstr(name, "command") || strcmp(name, "ended") == 0)
        make_command(s, tick, strcmp(name, "ended") == 0);
    if (strcmp(name, "hot") == 0 || strcmp(name, "nasty") == 0)
        make_profile(s, tick, strcmp(name, "nasty") == 0);
    if (strcmp(name, "bricks") == 0)
        brick_scene(s, tick);
    gpus_scene(s, name, tick);
    s->own_cpu_ns = tick ? 1200000 : 0;
    s->own_rss = 4u << 20;
    return s;
}
