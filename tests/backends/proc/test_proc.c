/* The whole proc source with made-up trees of /proc and a clock that the test moves. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/live/source.h"
#include "support/procfs.h"
#include "support/test.h"

#define MS UINT64_C(1000000)

extern const struct source_ops source_proc;

static struct host *host;
static struct source *source;
static struct target target;
static uint64_t last_ns;

FIXTURE(setup)
{
    procfs_new();
    procfs_clock_ns = 1000 * 1000 * MS;
    env_set_clock(procfs_clock, NULL);
    target = (struct target){.kind = TARGET_HOST};
    last_ns = 0;
}

static void open_source(pid_t command)
{
    struct error err = ERROR_INIT;
    host = host_new();
    struct source_config config = {.target = &target, .host = host, .command_pid = command};
    assert_int_equal(source_proc.open(&source, &config, &err), 0);
}

FIXTURE(teardown)
{
    if (source)
        source_proc.close(source);
    host_unref(host);
    source = NULL;
    host = NULL;
    env_set_clock(NULL, NULL);
    procfs_free();
    snapshot_pool_drain();
}

/* Polls ms after the previous poll. */
static struct snapshot *poll_after(uint64_t ms)
{
    procfs_clock_ns += ms * MS;
    struct snapshot *s = snapshot_new(host);
    s->interval_s = last_ns ? (double)(procfs_clock_ns - last_ns) / 1e9 : 0;
    last_ns = procfs_clock_ns;
    source_proc.poll(source, s, procfs_clock_ns);
    return s;
}

static void close_to(struct value v, double want)
{
    assert_int_equal(v.validity, VALUE_OK);
    assert_true(v.v > want - 0.01 && v.v < want + 0.01);
}

/* --- machine --- */

TEST_WITH(shares_need_two_polls_and_add_up, setup, teardown)
{
    procfs_machine(8);
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->cpus[3].busy.validity, VALUE_PENDING);
    assert_int_equal(s->total.busy.validity, VALUE_PENDING);
    assert_int_equal(s->counters[0].delta.validity, VALUE_PENDING);
    snapshot_unref(s);
    procfs_stat(8, 130, 110, 850, 60, 12);
    s = poll_after(1000);
    close_to(s->cpus[3].busy, 40);
    close_to(s->cpus[3].user, 30);
    close_to(s->cpus[3].system, 10);
    close_to(s->cpus[3].iowait, 10);
    close_to(s->total.busy, 40);
    const struct counter *c = snapshot_counter(s, "system", "forks");
    assert_non_null(c);
    assert_string_equal(c->source, "proc");
    close_to(c->delta, 2);
    close_to(c->rate, 2);
    close_to(s->load1, 0.5);
    close_to(s->load5, 1.25);
    close_to(s->load15, 2);
    close_to(s->uptime_s, 1000);
    close_to(s->memory.used, 600 * 1024);
    close_to(s->memory.swap_used, 4 * 1024);
    assert_int_equal(s->pressure.cpu.validity, VALUE_MISSING);
    assert_string_equal(s->pressure.cpu.why, "no PSI in this kernel");
    assert_int_equal(s->cpus[0].hz.validity, VALUE_MISSING);
    snapshot_unref(s);
}

/* user nice system idle iowait irq softirq steal: each is a share of the whole; steal and iowait
 * do not count as busy. */
TEST_WITH(every_kind_of_time_is_a_part, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/proc/stat", "cpu 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\n");
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_write("/proc/stat", "cpu 10 5 20 25 15 4 6 15\ncpu0 10 5 20 25 15 4 6 15\n");
    struct snapshot *s = poll_after(1000);
    const struct cpu *all[] = {&s->total, &s->cpus[0]};
    for (int i = 0; i < 2; i++) {
        close_to(all[i]->user, 15); /* includes nice */
        close_to(all[i]->system, 20);
        close_to(all[i]->iowait, 15);
        close_to(all[i]->irq, 10); /* irq and softirq */
        close_to(all[i]->steal, 15);
        close_to(all[i]->busy, 45);
    }
    snapshot_unref(s);
}

TEST_WITH(counters_that_step_back_are_no_time, setup, teardown)
{
    procfs_machine(2);
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_stat(2, 150, 100, 850, 20, 5); /* iowait and forks went backwards */
    struct snapshot *s = poll_after(1000);
    close_to(s->cpus[0].busy, 50);
    close_to(s->cpus[0].iowait, 0);
    close_to(snapshot_counter(s, "system", "forks")->delta, 0);
    snapshot_unref(s);
    s = poll_after(1); /* less than a tick of the kernel has passed */
    assert_int_equal(s->total.busy.validity, VALUE_PENDING);
    snapshot_unref(s);
}

TEST_WITH(cpu_that_goes_offline_keeps_its_row, setup, teardown)
{
    procfs_machine(4);
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_stat(3, 150, 100, 850, 50, 10);
    struct snapshot *s = poll_after(1000);
    assert_int_equal(host->ncpus, 4);
    assert_int_equal(s->cpus[3].id, 3);
    assert_int_equal(s->cpus[3].busy.validity, VALUE_MISSING);
    assert_string_equal(s->cpus[3].busy.why, "offline");
    close_to(s->cpus[2].busy, 50);
    snapshot_unref(s);
    procfs_stat(4, 160, 100, 900, 50, 10);
    s = poll_after(1000);
    /* the CPU is online again; its first sample has no rate */
    assert_int_equal(s->cpus[3].busy.validity, VALUE_PENDING);
    snapshot_unref(s);
}

TEST_WITH(topology_of_512_cpus, setup, teardown)
{
    procfs_machine(512);
    open_source(0);
    assert_int_equal(host->ncpus, 512);
    assert_int_equal(host->nsockets, 2);
    assert_int_equal(host->ncores, 256);
    assert_int_equal(host->nnodes, 2);
    snapshot_unref(poll_after(0));
    procfs_stat(512, 200, 100, 800, 50, 10);
    struct snapshot *s = poll_after(1000);
    close_to(s->cpus[511].busy, 100);
    close_to(s->total.busy, 100);
    assert_int_equal(s->cpus[511].package, 1);
    assert_int_equal(s->cpus[511].core, 255);
    assert_int_equal(s->cpus[511].node, 1);
    assert_int_equal(s->cpus[511].llc, 63);
    assert_int_equal(s->cpus[9].llc, 1);
    snapshot_unref(s);
}

TEST_WITH(chosen_cpus_alone_make_the_total, setup, teardown)
{
    bool chosen[TARGET_MAX_CPUS] = {false};
    chosen[1] = chosen[3] = true;
    procfs_machine(4);
    target.cpus = chosen;
    open_source(0);
    assert_int_equal(host->ncpus, 2);
    snapshot_unref(poll_after(0));
    procfs_write("/proc/stat", "cpu  900 0 400 3200 200 0 0 0\ncpu0 500 0 100 800 50 0 0 0\n"
                               "cpu1 150 0 100 850 50 0 0 0\ncpu2 150 0 100 800 50 0 0 0\n"
                               "cpu3 100 0 100 900 50 0 0 0\n");
    struct snapshot *s = poll_after(1000);
    assert_int_equal(s->cpus[1].id, 3);
    close_to(s->cpus[0].busy, 50);
    close_to(s->total.busy, 25); /* CPU 0, which is busy, is not in the target's CPUs */
    snapshot_unref(s);
}

/* The kernel rounds its sum and each CPU to ticks, each alone: here it counts 7 busy ticks for all,
 * and 3 for each of two. */
TEST_WITH(the_total_is_that_of_the_cpus_which_are_shown, setup, teardown)
{
    procfs_machine(2);
    open_source(0);
    procfs_write("/proc/stat", "cpu  200 0 0 200 0 0 0 0\ncpu0 100 0 0 100 0 0 0 0\n"
                               "cpu1 100 0 0 100 0 0 0 0\n");
    snapshot_unref(poll_after(0));
    procfs_write("/proc/stat", "cpu  207 0 0 393 0 0 0 0\ncpu0 103 0 0 197 0 0 0 0\n"
                               "cpu1 103 0 0 197 0 0 0 0\n");
    struct snapshot *s = poll_after(1000);
    close_to(s->cpus[0].busy, 3);
    close_to(s->cpus[1].busy, 3);
    close_to(s->total.busy, 3);
    snapshot_unref(s);
}

TEST_WITH(kinds_of_a_hybrid, setup, teardown)
{
    procfs_machine(4);
    procfs_write("/sys/devices/cpu_core/cpus", "0-1\n");
    procfs_write("/sys/devices/cpu_atom/cpus", "2-3\n");
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->cpus[1].kind, 'P');
    assert_int_equal(s->cpus[2].kind, 'E');
    snapshot_unref(s);
}

TEST_WITH(frequency_where_cpufreq_tells_it, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2500000\n");
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_true(s->cpus[0].hz.v == 2.5e9);
    assert_int_equal(s->cpus[1].hz.validity, VALUE_MISSING);
    assert_true(s->total.hz.v == 2.5e9);
    snapshot_unref(s);
}

TEST_WITH(host_from_its_files, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/proc/sys/kernel/hostname", "node17\n");
    procfs_write("/proc/sys/kernel/osrelease", "6.1.0-test\n");
    procfs_write("/proc/sys/kernel/arch", "x86_64\n");
    procfs_write("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Test OS 12\"\n");
    procfs_write("/proc/cpuinfo", "processor : 0\nmodel name\t: Test CPU @ 3 GHz\n"
                                  "flags : fpu hypervisor sse\n\nprocessor : 1\n");
    procfs_write("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    procfs_write("/proc/1/cgroup", "0::/kubepods/burstable/pod1\n");
    procfs_write("/proc/sys/kernel/perf_event_paranoid", "4\n");
    procfs_write("/proc/sys/kernel/nmi_watchdog", "1\n");
    open_source(0);
    assert_string_equal(host->hostname, "node17");
    assert_string_equal(host->kernel, "Linux 6.1.0-test");
    assert_string_equal(host->os, "Test OS 12");
    assert_string_equal(host->cpu_model, "Test CPU @ 3 GHz");
    assert_string_equal(host->hypervisor, "QEMU");
    assert_string_equal(host->container, "kubernetes");
    assert_int_equal(host->paranoid, 4);
    assert_int_equal(host->nmi_watchdog, 1);
    assert_int_equal(host->mem_total, 1000 * 1024);
}

TEST_WITH(who_says_nothing_of_cores_has_one_for_each_cpu, setup, teardown)
{
    procfs_machine(4);
    for (int c = 0; c < 4; c++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology", c);
        procfs_remove(path);
    }
    open_source(0);
    assert_int_equal(host->ncpus, 4);
    assert_int_equal(host->ncores, 4);
    assert_int_equal(host->nsockets, 1);
    assert_int_equal(host->nnodes, 2);
}

/* Which hypervisor the machine runs on, if the CPU does not say: from recorded names of the
 * board. */
TEST_WITH(hypervisors_by_what_the_board_is_called, setup, teardown)
{
    static const struct {
        const char *flags, *product, *vendor, *want;
    } rows[] = {
        {"fpu hypervisor sse", "KVM Virtual Machine", "x", "KVM"},
        {"fpu hypervisor sse", "Standard PC", "QEMU", "QEMU"},
        {"fpu hypervisor sse", "", "Xen", "Xen"}, /* an empty name */
        {"fpu hypervisor sse", "Virtual Machine", "Microsoft Corporation", "Hyper-V"},
        {"fpu hypervisor sse", "Board 7", "Somebody", "unknown hypervisor"},
        {"fpu sse", "Google Compute Engine", "Google", ""}, /* a bare-metal machine */
    };
    procfs_machine(2);
    procfs_write("/proc/sys/kernel/arch", "x86_64\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        procfs_write("/proc/cpuinfo", "processor : 0\nmodel name : x\nflags : %s\n", rows[i].flags);
        procfs_write("/sys/class/dmi/id/product_name", "%s\n", rows[i].product);
        procfs_write("/sys/class/dmi/id/sys_vendor", "%s\n", rows[i].vendor);
        open_source(0);
        if (strcmp(host->hypervisor, rows[i].want) != 0)
            fail_msg("%s by %s, %s: '%s', not '%s'", rows[i].product, rows[i].vendor, rows[i].flags,
                     host->hypervisor, rows[i].want);
        source_proc.close(source);
        host_unref(host);
        source = NULL;
        host = NULL;
    }
}

/* Environment variables describe the machine that reads, not the recorded one. */
TEST_WITH(a_recorded_machine_is_in_its_own_container, setup, teardown)
{
    procfs_machine(2);
    env_put("container", "oci");
    open_source(0);
    env_put("container", NULL);
    assert_string_equal(host->container, "");
}

TEST_WITH(arm_processor_by_its_part_number, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/proc/sys/kernel/arch", "aarch64\n");
    procfs_write("/proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd4f\n\n");
    open_source(0);
    assert_string_equal(host->cpu_model, "Arm Neoverse V2");
    assert_string_equal(host->hypervisor, "");
}

TEST_WITH(empty_machine_has_reasons_not_zeros, setup, teardown)
{
    open_source(0);
    snapshot_unref(poll_after(0));
    struct snapshot *s = poll_after(1000);
    assert_int_equal(host->ncpus, 1);
    assert_int_equal(s->cpus[0].busy.validity, VALUE_MISSING);
    assert_int_equal(s->total.busy.validity, VALUE_MISSING);
    assert_int_equal(s->load1.validity, VALUE_MISSING);
    assert_int_equal(s->memory.total.validity, VALUE_MISSING);
    assert_int_equal(snapshot_counter(s, "system", "disk-read")->delta.validity, VALUE_MISSING);
    assert_int_equal(s->nprocs, 0);
    assert_int_equal(s->nnotices, 1);
    snapshot_unref(s);
}

TEST_WITH(traffic_of_real_devices_only, setup, teardown)
{
    static const char *const fmt =
        "h\nh\n lo: 9%d 0 0 0 0 0 0 0 9 0\n eth0: 1%d 0 0 0 0 0 0 0 500 0\n"
        " br0: 5%d 0 0 0 0 0 0 0 500 0\n";
    procfs_machine(2);
    procfs_write("/sys/class/net/eth0/device", "x");
    procfs_write("/proc/net/dev", fmt, 0, 0, 0);
    procfs_write("/proc/diskstats", "8 0 sda 1 0 100 0 1 0 100 0\n8 1 sda1 1 0 100 0 1 0 100 0\n");
    procfs_write("/sys/block/sda/device", "x");
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_write("/proc/net/dev", fmt, 9, 8, 9);
    procfs_write("/proc/diskstats", "8 0 sda 1 0 104 0 1 0 100 0\n8 1 sda1 1 0 104 0 1 0 100 0\n");
    struct snapshot *s = poll_after(2000);
    close_to(snapshot_counter(s, "system", "network-receive")->delta, 8);
    close_to(snapshot_counter(s, "system", "network-receive")->rate, 4);
    close_to(snapshot_counter(s, "system", "network-transmit")->delta, 0);
    close_to(snapshot_counter(s, "system", "disk-read")->delta, 2048);
    snapshot_unref(s);
}

/* --- CPU time by process --- */

static void process_of(pid_t pid, pid_t ppid, uint64_t ticks, uint64_t waited)
{
    procfs_process(&(struct procfs_process){
        .pid = pid, .ppid = ppid, .comm = "w", .utime = ticks, .waited = waited, .start = 500});
}

static double user_and_system(const struct snapshot *s)
{
    return (s->total.user.v + s->total.system.v) * s->host->ncpus;
}

static double accounted(const struct snapshot *s)
{
    return s->account.processes.v + s->account.ended.v + s->account.rest.v;
}

/* 100 ticks a second on each CPU; a make that waits for compilers which start and end between
 * polls. */
TEST_WITH(ended_processes_are_accounted_for, setup, teardown)
{
    procfs_machine(2);
    procfs_stat(2, 100, 100, 800, 50, 10);
    process_of(1, 0, 50, 5000);
    process_of(20, 1, 10, 300);
    process_of(30, 1, 400, 0);
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->account.ended.validity, VALUE_PENDING);
    snapshot_unref(s);
    procfs_stat(2, 160, 110, 830, 50, 40); /* 120 user and 20 system ticks on both CPUs */
    process_of(20, 1, 15, 370);            /* 5 ticks of its own, 70 of its children */
    process_of(30, 1, 460, 0);             /* 60 */
    s = poll_after(1000);
    close_to(s->account.processes, 65);
    close_to(s->account.ended, 70);
    close_to(s->account.rest, 5);
    assert_int_equal(s->account.parent, 20);
    assert_int_equal(s->account.nended, 0); /* none of them was ever listed */
    close_to(snapshot_counter(s, "system", "cpu-ended")->delta, 70);
    close_to(snapshot_counter(s, "system", "cpu-unattributed")->delta, 5);
    assert_float_equal(accounted(s), user_and_system(s), 1e-9);
    snapshot_unref(s);
}

/* Time that a process was shown with is not counted again when its parent gets the total after its
 * end. */
TEST_WITH(what_an_ended_process_was_shown_with_is_not_counted_twice, setup, teardown)
{
    procfs_machine(2);
    procfs_stat(2, 100, 100, 800, 50, 10);
    process_of(20, 1, 10, 0);
    process_of(21, 20, 7000, 900); /* it and its children used 79 s */
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_stat(2, 150, 100, 850, 50, 10);
    process_of(21, 20, 7100, 900);
    struct snapshot *s = poll_after(1000);
    close_to(s->account.processes, 100);
    close_to(s->account.ended, 0);
    snapshot_unref(s);
    /* 60 ticks: 55 of process 21 before it ended, 5 of its parent */
    procfs_stat(2, 180, 100, 920, 50, 10);
    procfs_remove("/proc/21");
    process_of(20, 1, 15, 7100 + 900 + 55);
    s = poll_after(1000);
    close_to(s->account.processes, 5);
    close_to(s->account.ended, 55);
    close_to(s->account.rest, 0);
    assert_int_equal(s->account.nended, 1);
    assert_int_equal(s->account.parent, 20);
    assert_float_equal(accounted(s), user_and_system(s), 1e-9);
    snapshot_unref(s);
}

/* When a child ends, its sleeping parent is read at once, however long it has slept. */
TEST_WITH(sleeping_parent_is_asked_at_once, setup, teardown)
{
    procfs_machine(2);
    procfs_stat(2, 100, 100, 800, 50, 10);
    process_of(20, 1, 10, 0);
    process_of(21, 20, 100, 0);
    open_source(0);
    for (int i = 0; i < 14; i++) /* nothing happens: both are now read every fourth second */
        snapshot_unref(poll_after(1000));
    procfs_stat(2, 102, 100, 898, 50, 11); /* 4 ticks are too few to make all processes be read */
    procfs_remove("/proc/21");
    process_of(20, 1, 10, 103);
    struct snapshot *s = poll_after(1000);
    close_to(s->account.ended, 3);
    close_to(s->account.rest, 1);
    snapshot_unref(s);
}

/* If a parent ignores SIGCHLD, the kernel adds its child's time to no process. The time is soon
 * dropped. */
TEST_WITH(child_that_nobody_waited_for, setup, teardown)
{
    procfs_machine(2);
    procfs_stat(2, 100, 100, 800, 50, 10);
    process_of(20, 1, 10, 0);
    process_of(21, 20, 7000, 0);
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_stat(2, 150, 100, 850, 50, 10);
    procfs_remove("/proc/21");
    struct snapshot *s = poll_after(1000);
    close_to(s->account.ended, 0);
    close_to(s->account.rest, 100);
    snapshot_unref(s);
    for (int i = 0; i < 14; i++)
        snapshot_unref(poll_after(1000));
    procfs_stat(2, 180, 100, 920, 50, 10);
    process_of(20, 1, 10, 60);
    s = poll_after(1000);
    close_to(s->account.ended, 60);
    snapshot_unref(s);
}

/* The time of ended processes is limited by what the machine did: children that were reaped by an
 * unlisted process must not give a spike. */
TEST_WITH(ended_is_never_more_than_the_machine_did, setup, teardown)
{
    procfs_machine(2);
    procfs_stat(2, 100, 100, 800, 50, 10);
    process_of(20, 1, 10, 0);
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_stat(2, 110, 100, 890, 50, 10);
    process_of(20, 1, 10, 360000);
    struct snapshot *s = poll_after(1000);
    close_to(s->account.ended, 20);
    close_to(s->account.rest, 0);
    snapshot_unref(s);
}

/* Pressure has the kernel's value, its source and an explanation. */
TEST_WITH(pressure_is_a_gauge_with_its_source, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/proc/pressure/cpu", "some avg10=18.25 avg60=1.00 avg300=0.10 total=5\n");
    procfs_write("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
                                      "full avg10=9.00 avg60=0.00 avg300=0.00 total=5\n");
    open_source(0);
    struct snapshot *s = poll_after(0);
    const struct counter *cpu = snapshot_counter(s, "system", "cpu-pressure");
    assert_non_null(cpu);
    close_to(cpu->delta, 18.25);
    close_to(s->pressure.cpu, 18.25);
    assert_true(cpu->gauge);
    assert_non_null(strstr(cpu->desc, "Documentation/accounting/psi.rst"));
    close_to(snapshot_counter(s, "system", "io-pressure")->delta, 0);
    assert_string_equal(snapshot_counter(s, "system", "memory-pressure")->delta.why,
                        "no PSI in this kernel");
    snapshot_unref(s);
}

/* --- devices --- */

static const struct io_device *device(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->nio; i++)
        if (strcmp(s->io[i].name, name) == 0)
            return &s->io[i];
    return NULL;
}

static void net_dev(unsigned long eth0_in, unsigned long eth0_out, unsigned long eth1_in)
{
    procfs_write("/proc/net/dev",
                 "h\nh\n lo: 7 0 0 0 0 0 0 0 7 0\n eth0: %lu 0 0 0 0 0 0 0 %lu 0\n"
                 " eth1: %lu 0 0 0 0 0 0 0 4 0\n",
                 eth0_in, eth0_out, eth1_in);
}

TEST_WITH(each_device_has_rates_of_its_own, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/sys/class/net/eth0/device", "x");
    procfs_write("/proc/diskstats", "8 0 sda 1 0 100 0 1 0 100 0\n");
    net_dev(1000, 500, 10);
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(device(s, "eth0")->in.validity, VALUE_PENDING);
    snapshot_unref(s);
    net_dev(5000, 700, 50);
    procfs_write("/proc/diskstats", "8 0 sda 1 0 104 0 1 0 101 0\n");
    s = poll_after(2000);
    assert_int_equal(s->nio, 4);
    close_to(device(s, "eth0")->in, 2000);
    close_to(device(s, "eth0")->out, 100);
    close_to(device(s, "eth1")->in, 20);
    close_to(device(s, "sda")->in, 1024);
    close_to(device(s, "sda")->out, 256);
    assert_int_equal(device(s, "sda")->kind, IO_DISK);
    assert_int_equal(device(s, "eth1")->kind, IO_NETWORK);
    assert_true(device(s, "eth0")->counted);
    assert_false(device(s, "eth1")->counted); /* virtual, while another device has hardware */
    assert_int_equal(device(s, "eth0")->in.unit, UNIT_BYTES_PER_S);
    snapshot_unref(s);
}

TEST_WITH(counter_that_stepped_back_is_no_rate, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/proc/diskstats", "8 0 sda 1 0 100 0 1 0 100 0\n");
    net_dev(1000, 500, 10);
    open_source(0);
    snapshot_unref(poll_after(0));
    net_dev(900, 600, 30);
    struct snapshot *s = poll_after(1000);
    assert_int_equal(device(s, "eth0")->in.validity, VALUE_MISSING);
    assert_string_equal(device(s, "eth0")->in.why, "a counter of the device stepped back");
    close_to(device(s, "eth0")->out, 100);
    close_to(device(s, "eth1")->in, 20);
    assert_int_equal(snapshot_counter(s, "system", "network-receive")->rate.validity,
                     VALUE_MISSING);
    close_to(snapshot_counter(s, "system", "network-transmit")->rate, 100);
    snapshot_unref(s);
    net_dev(950, 600, 30); /* from here on it counts as usual */
    s = poll_after(1000);
    close_to(device(s, "eth0")->in, 50);
    close_to(snapshot_counter(s, "system", "network-receive")->delta, 50);
    snapshot_unref(s);
}

/* What a device moved before it was known does not belong to this interval; a name that returns is
 * a new device. */
TEST_WITH(device_that_comes_and_goes, setup, teardown)
{
    procfs_machine(2);
    procfs_write("/proc/diskstats", "8 0 sda 1 0 100 0 1 0 100 0\n");
    procfs_write("/proc/net/dev", "h\nh\n eth0: 10 0 0 0 0 0 0 0 10 0\n");
    open_source(0);
    snapshot_unref(poll_after(0));
    net_dev(20, 20, 5000000);
    struct snapshot *s = poll_after(1000);
    assert_int_equal(device(s, "eth1")->in.validity, VALUE_PENDING);
    close_to(snapshot_counter(s, "system", "network-receive")->delta, 10);
    snapshot_unref(s);
    procfs_write("/proc/net/dev", "h\nh\n eth0: 30 0 0 0 0 0 0 0 20 0\n");
    s = poll_after(1000);
    assert_null(device(s, "eth1"));
    snapshot_unref(s);
    net_dev(40, 20, 9000000);
    s = poll_after(1000);
    assert_int_equal(device(s, "eth1")->in.validity, VALUE_PENDING);
    close_to(snapshot_counter(s, "system", "network-receive")->delta, 10);
    snapshot_unref(s);
}
