/* The whole proc source over trees of the tests' own, with a clock that is moved by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "engine/source.h"
#include "../../support/procfs.h"

#define MS UINT64_C(1000000)

extern const struct source_ops source_proc;

static struct host *host;
static struct source *source;
static struct target target;
static uint64_t last_ns;

static int setup(void **state)
{
    (void)state;
    procfs_new();
    procfs_clock_ns = 1000 * 1000 * MS;
    env_set_clock(procfs_clock, NULL);
    target = (struct target){.kind = TARGET_HOST};
    last_ns = 0;
    return 0;
}

static void open_source(pid_t command)
{
    struct error err = ERROR_INIT;
    host = host_new();
    struct source_config config = {.target = &target, .host = host, .command_pid = command};
    assert_int_equal(source_proc.open(&source, &config, &err), 0);
}

static int teardown(void **state)
{
    (void)state;
    if (source)
        source_proc.close(source);
    host_unref(host);
    source = NULL;
    host = NULL;
    env_set_clock(NULL, NULL);
    procfs_free();
    snapshot_pool_drain();
    return 0;
}

/* One tick, ms after the one before. */
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

static void shares_need_two_polls_and_add_up(void **state)
{
    (void)state;
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
    close_to(s->load5, 1.25);
    close_to(s->uptime_s, 1000);
    close_to(s->memory.used, 600 * 1024);
    close_to(s->memory.swap_used, 4 * 1024);
    assert_int_equal(s->pressure.cpu.validity, VALUE_MISSING);
    assert_string_equal(s->pressure.cpu.why, "no PSI in this kernel");
    assert_int_equal(s->cpus[0].hz.validity, VALUE_MISSING);
    snapshot_unref(s);
}

static void counters_that_step_back_are_no_time(void **state)
{
    (void)state;
    procfs_machine(2);
    open_source(0);
    snapshot_unref(poll_after(0));
    procfs_stat(2, 150, 100, 850, 20, 5); /* iowait and forks less than before */
    struct snapshot *s = poll_after(1000);
    close_to(s->cpus[0].busy, 50);
    close_to(s->cpus[0].iowait, 0);
    close_to(snapshot_counter(s, "system", "forks")->delta, 0);
    snapshot_unref(s);
    s = poll_after(1); /* no tick of the kernel passed */
    assert_int_equal(s->total.busy.validity, VALUE_PENDING);
    snapshot_unref(s);
}

static void cpu_that_goes_offline_keeps_its_row(void **state)
{
    (void)state;
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
    assert_int_equal(s->cpus[3].busy.validity, VALUE_PENDING); /* back, once */
    snapshot_unref(s);
}

static void topology_of_512_cpus(void **state)
{
    (void)state;
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

static void chosen_cpus_alone_make_the_total(void **state)
{
    (void)state;
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
    close_to(s->total.busy, 25); /* CPU 0, all busy, is not ours to show */
    snapshot_unref(s);
}

static void kinds_of_a_hybrid(void **state)
{
    (void)state;
    procfs_machine(4);
    procfs_write("/sys/devices/cpu_core/cpus", "0-1\n");
    procfs_write("/sys/devices/cpu_atom/cpus", "2-3\n");
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_int_equal(s->cpus[1].kind, 'P');
    assert_int_equal(s->cpus[2].kind, 'E');
    snapshot_unref(s);
}

static void frequency_where_cpufreq_tells_it(void **state)
{
    (void)state;
    procfs_machine(2);
    procfs_write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2500000\n");
    open_source(0);
    struct snapshot *s = poll_after(0);
    assert_true(s->cpus[0].hz.v == 2.5e9);
    assert_int_equal(s->cpus[1].hz.validity, VALUE_MISSING);
    assert_true(s->total.hz.v == 2.5e9);
    snapshot_unref(s);
}

static void host_from_its_files(void **state)
{
    (void)state;
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

static void arm_processor_by_its_part_number(void **state)
{
    (void)state;
    procfs_machine(2);
    procfs_write("/proc/sys/kernel/arch", "aarch64\n");
    procfs_write("/proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd4f\n\n");
    open_source(0);
    assert_string_equal(host->cpu_model, "Arm Neoverse V2");
    assert_string_equal(host->hypervisor, "");
}

static void empty_machine_has_reasons_not_zeros(void **state)
{
    (void)state;
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

static void traffic_of_real_devices_only(void **state)
{
    (void)state;
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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(shares_need_two_polls_and_add_up),    T(counters_that_step_back_are_no_time),
        T(cpu_that_goes_offline_keeps_its_row), T(topology_of_512_cpus),
        T(chosen_cpus_alone_make_the_total),    T(kinds_of_a_hybrid),
        T(frequency_where_cpufreq_tells_it),    T(host_from_its_files),
        T(arm_processor_by_its_part_number),    T(empty_machine_has_reasons_not_zeros),
        T(traffic_of_real_devices_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
