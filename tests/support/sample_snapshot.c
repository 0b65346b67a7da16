#include "sample_snapshot.h"

#include <stdio.h>
#include <string.h>

#include "engine/live/metric.h"

static const struct metric_def ipc = {.id = "ipc",
                                      .label = "IPC",
                                      .set = "core",
                                      .formula = "instructions / cycles",
                                      .unit = UNIT_PER_CYCLE,
                                      .group = METRIC_PIPELINE,
                                      .cpus = "any",
                                      .what = "instructions retired in a cycle",
                                      .reference = "definition"};
static const struct metric_def power = {.id = "watts",
                                        .label = "power",
                                        .set = "rapl",
                                        .formula = "energy / interval",
                                        .unit = UNIT_WATT,
                                        .group = METRIC_POWER,
                                        .cpus = "any"};

static struct value scaled(double v, enum unit unit, float running)
{
    struct value x = value_ok(v, unit);
    x.running = running;
    x.flags = VALUE_SCALED | VALUE_LOW_CONFIDENCE;
    return x;
}

static void add_counters(struct snapshot *s)
{
    struct counter *c = snapshot_add_counter(s);
    *c = (struct counter){.name = "cycles",
                          .spec = "type=0 config=0",
                          .desc = "core clock, \"unhalted\"",
                          .source = "perf",
                          .set = "core",
                          .group = 0,
                          .delta = value_ok(3.1e9 + 0.1, UNIT_COUNT),
                          .rate = value_ok(3.1e9, UNIT_COUNT_PER_S),
                          .raw = UINT64_MAX,
                          .enabled_ns = 2000000000u,
                          .running_ns = 2000000000u};
    c->percpu = snapshot_alloc(s, 2 * sizeof *c->percpu);
    c->percpu[0] = value_ok(3e9, UNIT_COUNT);
    c->percpu[1] = value_missing("CPU 1 is offline", UNIT_COUNT);
    c = snapshot_add_counter(s);
    *c = (struct counter){.name = "instructions",
                          .source = "perf",
                          .set = "core",
                          .group = 0,
                          .user = true,
                          .delta = scaled(4.65e9, UNIT_COUNT, 0.25f),
                          .rate = scaled(4.65e9, UNIT_COUNT_PER_S, 0.25f),
                          .raw = 1162500000};
    c = snapshot_add_counter(s);
    *c = (struct counter){.name = "temperature",
                          .source = "msr",
                          .set = "msr",
                          .group = -1,
                          .gauge = true,
                          .delta =
                              value_missing("EACCES, \"msr\" needs CAP_SYS_RAWIO", UNIT_CELSIUS),
                          .rate = value_missing("EACCES", UNIT_CELSIUS)};
}

static void add_processes(struct snapshot *s)
{
    s->nprocs = 3;
    s->procs = snapshot_alloc(s, s->nprocs * sizeof *s->procs);
    s->procs[0] = (struct proc){.pid = 1,
                                .user = "root",
                                .comm = "init",
                                .cmdline = "/sbin/init",
                                .state = 'S',
                                .threads = 1,
                                .cpu_percent = value_ok(0.5, UNIT_PERCENT),
                                .cpu_seconds = 12.25,
                                .rss = 4096,
                                .virt = 8192};
    /* a name chosen to break a reader: bad UTF-8, quote, comma, newline, escape */
    s->procs[1] = (struct proc){.pid = 4242,
                                .ppid = 1,
                                .uid = 4294967294u,
                                .user = "nobody",
                                .comm = "a\xff\"b,c\n\033[",
                                .cmdline = "x\xc0\xaf \xed\xa0\x80 \xf5\x80 caf\xc3\xa9 \xe2\x82",
                                .state = 'R',
                                .watched = true,
                                .threads = 3,
                                .nice = -5,
                                .cpu = 1,
                                .cpu_percent = value_pending(UNIT_PERCENT)};
    s->procs[2] = (struct proc){.pid = 4300,
                                .comm = "",
                                .state = 'I',
                                .kernel_thread = true,
                                .cpu = -1,
                                .cpu_percent = value_missing("gone", UNIT_PERCENT)};
}

static void add_threads_and_devices(struct snapshot *s)
{
    static const struct io_device io[] = {
        {IO_NETWORK,
         "eth0",
         true,
         {.v = 1.5e6, .running = 1, .unit = UNIT_BYTES_PER_S, .validity = VALUE_OK},
         {.why = "a counter of the device stepped back", .unit = UNIT_BYTES_PER_S}},
        {IO_DISK,
         "=nvme0n1\033[",
         false,
         {.v = 0, .running = 1, .unit = UNIT_BYTES_PER_S, .validity = VALUE_OK},
         {.v = 4096, .running = 1, .unit = UNIT_BYTES_PER_S, .validity = VALUE_OK}},
    };
    s->nio = 2;
    s->io = snapshot_alloc(s, sizeof io);
    memcpy(s->io, io, sizeof io);
    s->nthread_rows = 2;
    s->threads = snapshot_alloc(s, 2 * sizeof *s->threads);
    s->threads[0] = (struct proc_thread){.tid = 4242,
                                         .pid = 4242,
                                         .name = "a\xff\"b,c",
                                         .state = 'R',
                                         .nice = -5,
                                         .cpu = 1,
                                         .cpu_percent = value_ok(75.5, UNIT_PERCENT),
                                         .cpu_seconds = 3.5};
    s->threads[1] = (struct proc_thread){.tid = 4250,
                                         .pid = 4242,
                                         .name = "worker 2",
                                         .state = 'S',
                                         .cpu = -1,
                                         .cpu_percent = value_pending(UNIT_PERCENT)};
    s->account = (struct cpu_account){.processes = value_ok(61.5, UNIT_PERCENT),
                                      .ended = value_ok(37.25, UNIT_PERCENT),
                                      .rest = value_ok(1.25, UNIT_PERCENT),
                                      .nended = 12,
                                      .parent = 4242};
}

static void add_profile(struct snapshot *s)
{
    static const struct hot_symbol symbols[] = {
        {.name = "main",
         .module = "a.out",
         .path = "/tmp/a.out",
         .file = "a.c",
         .line = 3,
         .address = 0x1139,
         .size = 20,
         .where = HOT_USER},
        {.name = "std::vector<a, \"b\">::at(int)\xff", /* a hostile file name */
         .module = "a.out",
         .path = "/tmp/a.out",
         .file = "",
         .where = HOT_USER,
         .inlined = true},
        {.name = "0xffffffff81000000",
         .module = "[kernel]",
         .path = "",
         .file = "",
         .where = HOT_UNKNOWN}};
    static const struct hot_node nodes[] = {{-1, 0, 1}, {0, 1, 6}, {1, 2, 1}};
    static const struct hot_place places[] = {
        {0, 1, 0x1140, "a.c", 4}, {1, 6, 0x1144, "", 0}, {2, 1, 0xffffffff81000000, "", 0}};
    static const struct hot_stacks p = {.event = "cpu-clock",
                                        .why = "no PMU (virtual machine)",
                                        .callgraph = CALLGRAPH_DWARF,
                                        .hz = 997,
                                        .samples = 8,
                                        .lost = 2,
                                        .seconds = 1.5,
                                        .symbols = symbols,
                                        .nsymbols = 3,
                                        .nodes = nodes,
                                        .nnodes = 3,
                                        .places = places,
                                        .nplaces = 3};
    s->sampling = (struct sampling){.on = true, .hz = 997, .callgraph = CALLGRAPH_DWARF};
    s->stacks = &p;
}

static struct snapshot *new_snapshot(uint64_t seq)
{
    struct host *h = host_new();
    h->ncpus = 2;
    snprintf(h->hostname, sizeof h->hostname, "fixture");
    snprintf(h->pmu_arch, sizeof h->pmu_arch, "none");
    h->paranoid = seq > 1 ? 2 : -100;
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    s->seq = seq;
    s->wall_ns = 1763683349000000007u; /* 2025-11-21T00:02:29.000000007Z */
    s->target = snapshot_strdup(s, "./a.out -n \"3\"");
    s->cpus[0].id = 0;
    s->cpus[1].id = 3; /* CPUs 1 and 2 are offline */
    s->cpus[1].package = s->cpus[1].core = s->cpus[1].node = s->cpus[1].llc = -1;
    s->cpus[1].kind = 'E';
    s->total.id = -1;
    return s;
}

struct snapshot *sample_snapshot(void)
{
    struct snapshot *s = new_snapshot(2);
    s->interval_s = 1.5;
    s->target_kind = TARGET_COMMAND;
    s->cpus[0].busy = s->total.busy = value_ok(0.1 + 0.2, UNIT_PERCENT);
    s->load1 = value_ok(0.25, UNIT_NONE);
    s->memory.total = value_ok(16.0 * (1u << 30), UNIT_BYTES);
    add_counters(s);
    add_processes(s);
    add_threads_and_devices(s);
    add_profile(s);
    s->nmetrics = 2;
    s->metrics = snapshot_alloc(s, 2 * sizeof *s->metrics);
    s->metrics[0] = (struct metric){.def = &ipc, .value = scaled(1.5, UNIT_PER_CYCLE, 0.25f)};
    s->metrics[0].value.flags |= VALUE_CROSS_GROUP;
    s->metrics[1] = (struct metric){.def = &power, .value = value_missing("no RAPL", UNIT_WATT)};
    snapshot_add_notice(s, NOTICE_WARN, "perf.paranoid", "level 2", "sysctl kernel.perf=1");
    s->command = (struct command_state){.pid = 4242,
                                        .wait_status = 9, /* killed by SIGKILL */
                                        .elapsed_s = 1.4,
                                        .output = "ok\n\xfe\n",
                                        .output_len = 5,
                                        .output_total = 5};
    s->own_cpu_ns = 1200000;
    s->own_rss = 3u << 20;
    return s;
}

struct snapshot *sample_first_snapshot(void)
{
    struct snapshot *s = new_snapshot(1);
    s->total.busy = value_pending(UNIT_PERCENT);
    return s;
}
