/* The tables of a snapshot: add new rows at the end, and raise FRAME_VERSION. */
#include "engine/live/snapshot_fields.h"

#include "engine/live/snapshot.h"

_Static_assert(sizeof(enum notice_level) == sizeof(int32_t), "coded as FIELD_INT");
_Static_assert(sizeof(enum io_kind) == sizeof(int32_t), "coded as FIELD_INT");
_Static_assert(sizeof(enum target_kind) == sizeof(int32_t), "coded as FIELD_INT");

#define TYPE                 struct host
#define ROW(kind, member)    MEMBER(kind, TYPE, member, #member)
#define NAMED(kind, ...)     MEMBER(kind, TYPE, __VA_ARGS__)
#define KNOWN_ID(member)     MEMBER(INT, TYPE, member, #member, .form = MEMBER_KNOWN, .none = -1)
#define HIDDEN(kind, member) KEPT(kind, TYPE, member)

static const struct field host_fields[] = {
    ROW(CHARS, hostname),
    ROW(CHARS, kernel),
    ROW(CHARS, os),
    ROW(CHARS, arch),
    ROW(CHARS, cpu_model),
    NAMED(CHARS, hypervisor, "hypervisor", .form = MEMBER_KNOWN),
    NAMED(CHARS, container, "container", .form = MEMBER_KNOWN),
    ROW(CHARS, pmu),
    ROW(CHARS, pmu_arch),
    NAMED(INT, ncpus, "cpus", .form = MEMBER_COUNT),
    NAMED(INT, nsockets, "sockets", .form = MEMBER_COUNT),
    NAMED(INT, ncores, "cores", .form = MEMBER_COUNT),
    NAMED(INT, nnodes, "nodes", .form = MEMBER_COUNT),
    NAMED(INT, paranoid, "perf_event_paranoid", .form = MEMBER_KNOWN, .none = -100),
    NAMED(INT, nmi_watchdog, "nmi_watchdog", .form = MEMBER_BOOL),
    NAMED(U64, mem_total, "memory", .form = MEMBER_VALUE, .unit = UNIT_BYTES,
          .why = "/proc/meminfo cannot be read"),
};
const struct fields host_record = RECORD(host_fields, TYPE);
#undef TYPE

static const char *const target_kinds[] = {"host", "command", "pids", "cgroup", NULL};

#define TYPE struct snapshot
static const struct field snapshot_fields[] = {
    ROW(U64, seq),
    HIDDEN(U64, time_ns),
    HIDDEN(U64, wall_ns),
    HIDDEN(DOUBLE, interval_s),
    NAMED(TEXT, target, "target.text", .json = 6),
    NAMED(INT, target_kind, "target.kind", .json = 5, .form = MEMBER_WORD, .words = target_kinds),
    NAMED(BOOL, target_gone, "target.gone"),
    NAMED(VALUE, load1, "load.1"),
    NAMED(VALUE, load5, "load.5"),
    NAMED(VALUE, load15, "load.15"),
    NAMED(VALUE, uptime_s, "uptime"),
    ROW(VALUE, memory.total),
    ROW(VALUE, memory.used),
    ROW(VALUE, memory.available),
    ROW(VALUE, memory.cached),
    ROW(VALUE, memory.buffers),
    ROW(VALUE, memory.swap_total),
    ROW(VALUE, memory.swap_used),
    ROW(VALUE, pressure.cpu),
    ROW(VALUE, pressure.memory),
    ROW(VALUE, pressure.io),
    HIDDEN(U64, nthreads),
    HIDDEN(U64, nrunning),
    NAMED(INT, command.pid, "pid"),
    NAMED(BOOL, command.running, "running"),
    HIDDEN(INT, command.wait_status),
    NAMED(DOUBLE, command.elapsed_s, "elapsed", .form = MEMBER_VALUE, .unit = UNIT_SECONDS),
    NAMED(U64, command.output_total, "bytes"),
    NAMED(U64, command.output_dropped, "bytes_dropped"),
    HIDDEN(BOOL, sampling.on),
    HIDDEN(DOUBLE, sampling.hz),
    HIDDEN(BYTE, sampling.callgraph),
    HIDDEN(U64, own_cpu_ns),
    NAMED(U64, own_rss, "rss", .form = MEMBER_VALUE, .unit = UNIT_BYTES,
          .why = "/proc/self/statm cannot be read"),
    ROW(U64, late_samples),
    HIDDEN(DOUBLE, asked_interval_s),
    NAMED(VALUE, account.processes, "cpu_account.processes"),
    NAMED(VALUE, account.ended, "cpu_account.ended"),
    NAMED(VALUE, account.rest, "cpu_account.rest"),
    NAMED(U64, account.nended, "cpu_account.processes_ended"),
    NAMED(INT, account.parent, "cpu_account.parent", .form = MEMBER_KNOWN),
    HIDDEN(BOOL, command.usage.known),
    HIDDEN(DOUBLE, command.usage.user_s),
    HIDDEN(DOUBLE, command.usage.system_s),
    HIDDEN(U64, command.usage.max_rss),
    HIDDEN(U64, command.usage.max_rss_before),
    HIDDEN(U64, command.usage.voluntary),
    HIDDEN(U64, command.usage.forced),
    HIDDEN(U64, command.usage.minor_faults),
    HIDDEN(U64, command.usage.major_faults),
    NAMED(U64, use.processes, "target.processes"),
    NAMED(U64, use.threads, "target.threads"),
    NAMED(VALUE, use.cpu, "target.cpu"),
    NAMED(VALUE, use.others, "target.others"),
    NAMED(VALUE, use.memory, "target.memory"),
    NAMED(VALUE, use.memory_slope, "target.memory_slope"),
    NAMED(VALUE, use.memory_peak, "target.memory_peak"),
    NAMED(VALUE, use.fault_rate, "target.fault_rate"),
    NAMED(VALUE, use.major_fault_rate, "target.major_fault_rate"),
    NAMED(VALUE, use.cpu_time, "target.cpu_time"),
    NAMED(VALUE, use.faults, "target.faults"),
    NAMED(VALUE, use.major_faults, "target.major_faults"),
    NAMED(VALUE, use.elapsed, "target.elapsed"),
};
const struct fields snapshot_record = RECORD(snapshot_fields, TYPE);
#undef TYPE

#define TYPE struct cpu
static const struct field cpu_fields[] = {
    NAMED(INT, id, "id", .form = MEMBER_COUNT),
    KNOWN_ID(package),
    KNOWN_ID(core),
    KNOWN_ID(node),
    KNOWN_ID(llc),
    NAMED(BYTE, kind, "kind", .form = MEMBER_LETTER),
    ROW(VALUE, busy),
    ROW(VALUE, user),
    ROW(VALUE, system),
    ROW(VALUE, iowait),
    ROW(VALUE, irq),
    ROW(VALUE, steal),
    NAMED(VALUE, hz, "frequency"),
};
const struct fields cpu_record = RECORD(cpu_fields, TYPE);
#undef TYPE

static const struct field proc_fields[] = {
#define LIST_ROW  struct proc
#define LIST_FILE "engine/live/procs_fields.def"
#include "engine/value/list_field_kept.h"
};
const struct fields proc_record = RECORD(proc_fields, struct proc);

static const struct field thread_fields[] = {
#define LIST_ROW  struct proc_thread
#define LIST_FILE "engine/live/threads_fields.def"
#include "engine/value/list_field_kept.h"
};
const struct fields thread_record = RECORD(thread_fields, struct proc_thread);

static const char *const io_kinds[] = {"network", "disk", NULL};

#define TYPE struct io_device
static const struct field io_fields[] = {
    NAMED(INT, kind, "kind", .form = MEMBER_WORD, .words = io_kinds),
    ROW(TEXT, name),
    ROW(BOOL, counted),
    ROW(VALUE, in),
    ROW(VALUE, out),
};
const struct fields io_record = RECORD(io_fields, TYPE);
#undef TYPE

#define TYPE struct counter
static const struct field counter_fields[] = {
    NAMED(VALUE, delta, "delta", .json = 20),
    NAMED(VALUE, rate, "rate", .json = 21),
    NAMED(U64, raw, "raw.count", .json = 22),
    NAMED(U64, enabled_ns, "raw.enabled_ns", .json = 23),
    NAMED(U64, running_ns, "raw.running_ns", .json = 24),
    NAMED(PERCPU, percpu, "per_cpu", .json = 25),
    NAMED(TEXT, name, "name", .json = 1),
    NAMED(TEXT, spec, "spec", .json = 3),
    NAMED(TEXT, desc, "description", .json = 4),
    NAMED(TEXT, source, "source", .json = 5),
    NAMED(TEXT, set, "set", .json = 2),
    KNOWN_ID(group),
    ROW(BOOL, gauge),
    ROW(BOOL, user),
};
const struct fields counter_record = RECORD(counter_fields, TYPE);
#undef TYPE

#define TYPE struct metric
static const struct field metric_fields[] = {
    NAMED(VALUE, value, "result"),
    NAMED(PERCPU, percpu, "per_cpu"),
    HIDDEN(DEF, def),
};
const struct fields metric_record = RECORD(metric_fields, TYPE);
#undef TYPE

static const char *const notice_levels[] = {"info", "warning", "error", NULL};

#define TYPE struct notice
static const struct field notice_fields[] = {
    NAMED(INT, level, "level", .form = MEMBER_WORD, .words = notice_levels),
    ROW(TEXT, id),
    ROW(TEXT, text),
    ROW(MAYBE, help),
};
const struct fields notice_record = RECORD(notice_fields, TYPE);
#undef TYPE

#define TYPE struct source_cost
static const struct field cost_fields[] = {
    ROW(TEXT, name),
    NAMED(U64, poll_ns, "poll", .form = MEMBER_SECONDS),
};
const struct fields cost_record = RECORD(cost_fields, TYPE);
#undef TYPE
