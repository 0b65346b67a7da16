/*
 * The rules. "Seed" is the description that rooftop began with, and the code of the tool it
 * describes; marks without another source are our choice, made so that the programs of
 * tests/engine/antipatterns that do it on purpose are found, and make, git, tar, python and gcc on
 * ordinary work are not.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/print.h"
#include "engine/antipatterns/antipatterns.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/roles.h"

/* A time as text, for one message. */
static const char *evident_time(uint64_t ns, char out[VALUE_TEXT_MAX])
{
    return value_time((double)ns, true, out);
}

static void write_about_process(struct antipattern_finding *out, const struct process_fact *p)
{
    out->pid = p->pid;
    snprintf(out->subject, sizeof out->subject, "%s", p->name);
}

static void about_object(const struct run_facts *f, struct antipattern_finding *out,
                         const struct use_fact *u)
{
    out->pid = f->processes[u->process].pid;
    snprintf(out->subject, sizeof out->subject, "%.150s",
             descriptors_at(f->descriptors, u->object)->name);
}

/* The descriptor's use with the largest of some number, or NULL. */
static const struct use_fact *find_most_used(const struct run_facts *f,
                                             uint64_t (*number)(const struct use_fact *))
{
    const struct use_fact *best = NULL;
    for (size_t i = 0; i < f->nuses; i++)
        if (number(&f->uses[i]) > (best ? number(best) : 0))
            best = &f->uses[i];
    return best;
}

static uint64_t own_ns(const struct process_fact *p)
{
    const uint64_t lived = p->end_ns - p->begin_ns, idle = p->child_ns + p->asleep_ns;
    return lived > idle ? lived - idle : 0;
}

static void god_process(const struct run_facts *f, struct antipattern_finding *out)
{
    uint64_t all = 0;
    const struct process_fact *largest = NULL;
    for (size_t i = 0; i < f->nprocesses; i++) {
        all += own_ns(&f->processes[i]);
        if (!largest || own_ns(&f->processes[i]) > own_ns(largest))
            largest = &f->processes[i];
    }
    if (f->nprocesses < 2 || all == 0)
        return;
    char own[VALUE_TEXT_MAX], sum[VALUE_TEXT_MAX];
    out->measure = (double)own_ns(largest) / (double)all;
    write_about_process(out, largest);
    print_line(out->evidence, sizeof out->evidence,
               "%s (pid %" PRId32 ") took %s of the %s in which %zu processes neither "
               "slept nor waited for their children",
               largest->name, largest->pid, evident_time(own_ns(largest), own),
               evident_time(all, sum), f->nprocesses);
}

static bool is_wait(const struct loop_fact *l)
{
    switch (syscall_duty(l->abi, l->number)->role) {
    case ROLE_POLL:
    case ROLE_SLEEP:
    case ROLE_YIELD:
    case ROLE_FUTEX:
    case ROLE_WAIT:
        return true;
    default:
        return false;
    }
}

enum { LOOP_BYTES = 512 }; /* a call: more is no small piece of work */
static void tight_loop(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct loop_fact *best = NULL;
    for (size_t i = 0; i < f->nloops; i++) {
        const struct loop_fact *l = &f->loops[i];
        if (is_wait(l) || (l->calls && l->bytes / l->calls > LOOP_BYTES))
            continue;
        if (!best || l->calls > best->calls)
            best = l;
    }
    if (!best)
        return;
    char time[VALUE_TEXT_MAX];
    out->measure = (double)best->calls;
    write_about_process(out, &f->processes[best->process]);
    print_line(out->evidence, sizeof out->evidence,
               "%s (pid %" PRId32 ") called %s %" PRIu64
               " times in a row%s%.150s, %.1f bytes a call, "
               "%s",
               out->subject, out->pid, syscall_name(best->abi, best->number), best->calls,
               best->object ? " on " : "", best->object ? best->object->name : "",
               best->calls ? (double)best->bytes / (double)best->calls : 0.0,
               evident_time(best->ns, time));
}

static uint64_t one_byte_reads_of(const struct use_fact *u)
{
    return u->one_byte_reads;
}
static void one_byte_reads(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct use_fact *u = find_most_used(f, one_byte_reads_of);
    if (!u)
        return;
    out->measure = (double)u->one_byte_reads;
    about_object(f, out, u);
    print_line(out->evidence, sizeof out->evidence,
               "%" PRIu64 " of %" PRIu64 " reads from %s moved one byte", u->one_byte_reads,
               u->reads, out->subject);
}

static uint64_t small_writes_of(const struct use_fact *u)
{
    return u->small_writes * 10 >= u->writes * 9 ? u->small_writes : 0;
}
static void unbuffered_writes(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct use_fact *u = find_most_used(f, small_writes_of);
    if (!u)
        return;
    out->measure = (double)u->small_writes;
    about_object(f, out, u);
    print_line(out->evidence, sizeof out->evidence,
               "%" PRIu64 " of %" PRIu64 " writes to %s were of %d bytes or less (%" PRIu64
               " bytes in all)",
               u->small_writes, u->writes, out->subject, FACTS_SMALL, u->write_bytes);
}

static void fork_storm(const struct run_facts *f, struct antipattern_finding *out)
{
    out->measure = (double)f->start_burst;
    print_line(out->evidence, sizeof out->evidence,
               "%" PRIu64 " processes were started, %" PRIu64 " of them within one second",
               f->started, f->start_burst);
}

static void stat_storm(const struct run_facts *f, struct antipattern_finding *out)
{
    out->measure = (double)f->stats;
    print_line(out->evidence, sizeof out->evidence,
               "%" PRIu64 " of %" PRIu64 " calls only ask about files; %" PRIu64 " of them failed",
               f->stats, f->calls, f->stats_failed);
}

static uint64_t opens_of(const struct use_fact *u)
{
    return u->opens;
}
static void find_reopening(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct use_fact *u = find_most_used(f, opens_of);
    if (!u)
        return;
    out->measure = (double)u->opens;
    about_object(f, out, u);
    print_line(out->evidence, sizeof out->evidence,
               "%s (pid %" PRId32 ") opened %s %" PRIu64 " times", f->processes[u->process].name,
               out->pid, out->subject, u->opens);
}

static void busy_poll(const struct run_facts *f, struct antipattern_finding *out)
{
    out->measure = (double)(f->polls_empty + f->yields);
    char polls[80] = "", yields[80] = "";
    if (f->polls_empty)
        snprintf(polls, sizeof polls, "%" PRIu64 " call%s returned at once with nothing to do",
                 f->polls_empty, f->polls_empty == 1 ? "" : "s");
    if (f->yields)
        snprintf(yields, sizeof yields, "%ssched_yield was called %" PRIu64 " time%s",
                 *polls ? ", and " : "", f->yields, f->yields == 1 ? "" : "s");
    print_line(out->evidence, sizeof out->evidence, "%s%s", polls, yields);
}

static void lock_convoy(const struct run_facts *f, struct antipattern_finding *out)
{
    if (f->futex_threads < 3)
        return;
    char time[VALUE_TEXT_MAX];
    out->measure = (double)f->futex_short;
    print_line(out->evidence, sizeof out->evidence,
               "%" PRIu64 " threads waited %" PRIu64 " times for locks, %" PRIu64
               " times under 100 us each; %s in all",
               f->futex_threads, f->futex_waits, f->futex_short, evident_time(f->futex_ns, time));
}

static uint64_t syncs_of(const struct use_fact *u)
{
    return u->syncs;
}
static void sync_loop(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct use_fact *u = find_most_used(f, syncs_of);
    if (!u)
        return;
    out->measure = (double)u->syncs;
    about_object(f, out, u);
    print_line(out->evidence, sizeof out->evidence,
               "%s was forced to the disk %" PRIu64 " times, after %" PRIu64 " writes",
               out->subject, u->syncs, u->writes);
}

static void main_thread_blocked(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct process_fact *worst = NULL;
    for (size_t i = 0; i < f->nprocesses; i++) {
        const struct process_fact *p = &f->processes[i];
        if (p->threads > 1 && p->longest_ns > (worst ? worst->longest_ns : 0))
            worst = p;
    }
    if (!worst)
        return;
    char time[VALUE_TEXT_MAX];
    out->measure = (double)worst->longest_ns / 1e9;
    write_about_process(out, worst);
    print_line(out->evidence, sizeof out->evidence,
               "the first of %" PRIu64 " threads of %s (pid %" PRId32 ") was in %s for %s",
               worst->threads, worst->name, worst->pid,
               syscall_name(worst->longest_abi, worst->longest_number),
               evident_time(worst->longest_ns, time));
}

enum { CHATTY_BYTES = 256 }; /* of a message, on average */
static void chatty_socket(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct use_fact *best = NULL;
    for (size_t i = 0; i < f->nuses; i++) {
        const struct use_fact *u = &f->uses[i];
        uint64_t messages = u->reads + u->writes;
        if (descriptors_at(f->descriptors, u->object)->kind != DESCRIPTOR_SOCKET || messages == 0 ||
            (u->read_bytes + u->write_bytes) / messages > CHATTY_BYTES)
            continue;
        if (u->turns > (best ? best->turns : 0))
            best = u;
    }
    if (!best)
        return;
    out->measure = (double)best->turns;
    about_object(f, out, best);
    print_line(out->evidence, sizeof out->evidence,
               "%s changed %" PRIu64 " times between sending and receiving; %" PRIu64
               " messages of %.0f bytes on average",
               out->subject, best->turns, best->reads + best->writes,
               (double)(best->read_bytes + best->write_bytes) /
                   (double)(best->reads + best->writes));
}

static void descriptor_leak(const struct run_facts *f, struct antipattern_finding *out)
{
    const struct process_fact *worst = NULL;
    for (size_t i = 0; i < f->nprocesses; i++) {
        const struct process_fact *p = &f->processes[i];
        if (p->open_last * 10 >= p->open_peak * 9 && p->open_last > (worst ? worst->open_last : 0))
            worst = p;
    }
    if (!worst)
        return;
    out->measure = worst->open_last;
    write_about_process(out, worst);
    print_line(out->evidence, sizeof out->evidence,
               "%s (pid %" PRId32 ") ended with %" PRIu32 " descriptors open, of %" PRIu32
               " at most at once",
               worst->name, worst->pid, worst->open_last, worst->open_peak);
}

static void find_transfer_share(struct antipattern_finding *out, uint64_t transfer_ns,
                                uint64_t compute_ns, const char *how)
{
    double all = (double)transfer_ns + (double)compute_ns;
    if (transfer_ns == 0 || all <= 0)
        return;
    char moved[VALUE_TEXT_MAX], computed[VALUE_TEXT_MAX];
    out->measure = (double)transfer_ns / all;
    print_line(
        out->evidence, sizeof out->evidence,
        "GPU transfers: %s (%.0f %% of total time); Compute time: %s (%.0f %% of total time); %s",
        evident_time(transfer_ns, moved), 100 * out->measure, evident_time(compute_ns, computed),
        100 * (1 - out->measure), how);
}

static void find_pcie_transfers(const struct run_facts *f, struct antipattern_finding *out)
{
    uint64_t all = f->end_ns - f->begin_ns;
    find_transfer_share(out, f->device_ns, all > f->device_ns ? all - f->device_ns : 0,
                        "transfers are the calls on the GPU driver's device nodes");
}

const struct antipattern_rule antipattern_table[] = {
    {"god_process", "GodProcess", "God process", "share of the running time of all processes",
     UNIT_NONE, false, true, 0.5, 1, "split its work between processes, or run it as one process",
     "seed: above 80 % of the time in one process of at least two", god_process},
    {"tight_loop", "TightLoop", "Tight loop of small calls", "equal calls in a row", UNIT_COUNT,
     true, false, 1000, 100000,
     "do more work with each call: larger buffers, readv and writev, io_uring",
     "seed: above 1,000 equal calls in a row; above 100,000 critical", tight_loop},
    {"one_byte_reads", "", "Reads of one byte", "reads of one byte from one descriptor", UNIT_COUNT,
     true, false, 100, 10000, "read into a buffer and take the bytes from there", "our choice",
     one_byte_reads},
    {"unbuffered_writes", "", "Writes without buffer", "small writes to one descriptor", UNIT_COUNT,
     true, false, 200, 20000, "collect the output in a buffer, or use writev", "our choice",
     unbuffered_writes},
    {"fork_storm", "", "Storm of new processes", "processes started within one second", UNIT_COUNT,
     true, true, 100, 1000, "start one process that does the work of many, or keep workers running",
     "our choice", fork_storm},
    {"stat_storm", "", "Storm of questions about files", "calls that only ask about files",
     UNIT_COUNT, true, false, 5000, 500000, "keep the answers; shorten search paths", "our choice",
     stat_storm},
    {"reopening", "", "Opens the same file again and again", "opens of one path by one process",
     UNIT_COUNT, true, false, 50, 5000, "keep the file open, or its contents", "our choice",
     find_reopening},
    {"busy_poll", "", "Busy waiting", "calls that returned at once with nothing", UNIT_COUNT, true,
     true, 1000, 100000, "wait in poll or epoll_wait with a time limit; use a condition variable",
     "our choice", busy_poll},
    {"lock_convoy", "", "Lock convoy", "short waits for locks", UNIT_COUNT, true, true, 1000,
     100000, "hold the lock for less, split it, or give each thread its own data", "our choice",
     lock_convoy},
    {"sync_loop", "", "Forces data to the disk in a loop", "fsync or fdatasync of one file",
     UNIT_COUNT, true, false, 50, 5000, "sync once after several writes (a transaction, a batch)",
     "our choice", sync_loop},
    {"main_thread_blocked", "BlockingMainThread", "Main thread blocked",
     "longest call of the first thread", UNIT_SECONDS, true, true, 0.1, 10,
     "do this call on another thread, or without waiting", "seed: a call of 100 ms or more",
     main_thread_blocked},
    {"chatty_socket", "", "Chatty socket", "changes between sending and receiving", UNIT_COUNT,
     true, false, 200, 20000, "send several requests before waiting for an answer", "our choice",
     chatty_socket},
    {"descriptor_leak", "", "Descriptors are not closed", "descriptors open at the end", UNIT_COUNT,
     true, false, 100, 1000, "close what is no longer used; 1,024 is the usual limit of a process",
     "getrlimit(2): RLIMIT_NOFILE", descriptor_leak},
    {"pcie", "PCIeBottleneck PcieBottleneck", "PCIe Bottleneck", "share of the time in transfers",
     UNIT_NONE, false, true, 0.5, 1, "Batch operations, keep data on GPU",
     "seed: transfers of more than half of the compute time", find_pcie_transfers},
};
const size_t antipattern_count = sizeof antipattern_table / sizeof *antipattern_table;

bool antipattern_of_transfers(const struct antipattern_rule *rule)
{
    return rule->look == find_pcie_transfers;
}

void antipattern_transfers(const struct transfer_facts *t, struct antipattern_finding *out)
{
    const struct antipattern_rule *rule = antipattern_find("pcie");
    *out = (struct antipattern_finding){.rule = rule};
    find_transfer_share(out, t->transfer_ns, t->compute_ns,
                        "transfers are the copies while no kernel ran");
    out->confidence = antipattern_confidence(rule, out->measure);
    if (t->copy_bound && out->confidence < ANTIPATTERN_THRESHOLD)
        out->confidence = ANTIPATTERN_THRESHOLD;
    if (!t->copy_bound && out->confidence >= ANTIPATTERN_THRESHOLD)
        out->confidence = ANTIPATTERN_THRESHOLD - 0.01;
}
