/* Each rule finds its pattern in a run that has it, and none finds anything in ordinary runs. */
#include <errno.h>
#include <string.h>

#include "engine/antipatterns/antipatterns.h"
#include "support/syscall_scene.h"
#include "support/test.h"

/* The finding of a scene with the highest confidence; frees the scene. */
static struct antipattern_finding surest(struct syscall_scene *s)
{
    struct antipattern_finding all[32];
    run_facts_finish(s->facts);
    size_t n = antipattern_all(s->facts, 0.5, all);
    run_facts_free(s->facts);
    return n ? all[0] : (struct antipattern_finding){0};
}

static void expect(struct syscall_scene *s, const char *id, const char *evidence)
{
    struct antipattern_finding found = surest(s);
    if (!found.rule) {
        fail_msg("%s was not found", id);
        return;
    }
    assert_string_equal(found.rule->id, id);
    assert_true(found.confidence >= 0.5 && found.confidence <= 1);
    if (!strstr(found.evidence, evidence))
        fail_msg("\"%s\" is not in \"%s\"", evidence, found.evidence);
}

static void repeat(struct syscall_scene *s, int n, const char *name, int64_t result, uint64_t fd,
                   uint64_t size)
{
    for (int i = 0; i < n; i++)
        scene_call(s, name, result, fd, 0, size, 0);
}

TEST(test_small_io)
{
    struct syscall_scene s = scene_begin();
    scene_exec(&s, "/usr/bin/copier");
    scene_path(&s, "openat", 3, 1, "/tmp/in");
    repeat(&s, 900, "read", 1, 3, 1);
    expect(&s, "one_byte_reads", "900 of 900 reads from /tmp/in");

    s = scene_begin();
    scene_path(&s, "openat", 3, 1, "/tmp/out");
    for (int i = 0; i < 900; i++) {
        scene_call(&s, "write", 8, 3, 0, 8, 0);
        scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    }
    expect(&s, "unbuffered_writes", "900 of 900 writes to /tmp/out");

    s = scene_begin();
    scene_exec(&s, "/usr/bin/looper");
    scene_path(&s, "openat", 3, 1, "/tmp/in");
    repeat(&s, 50000, "read", 100, 3, 100);
    expect(&s, "tight_loop", "looper (pid 100) called read 50000 times in a row on /tmp/in");
}

TEST(test_large_io_is_fine)
{
    struct syscall_scene s = scene_begin();
    scene_path(&s, "openat", 3, 1, "/tmp/in");
    scene_path(&s, "openat", 4, 1, "/tmp/out");
    repeat(&s, 5000, "read", 65536, 3, 65536);
    repeat(&s, 5000, "write", 65536, 4, 65536);
    assert_null(surest(&s).rule);
}

TEST(test_processes)
{
    struct syscall_scene s = scene_begin();
    for (int i = 0; i < 400; i++) {
        scene_start(&s, 200 + i, "true");
        scene_exit(&s, 0, 0);
        s.pid = s.tid = 100;
        scene_call(&s, "wait4", 200 + i, 0, 0, 0, 0);
    }
    expect(&s, "fork_storm", "400 processes were started, 400 of them within one second");

    s = scene_begin();
    scene_exec(&s, "/bin/master");
    scene_start(&s, 200, "worker");
    s.now_ns += 1000000;
    scene_exit(&s, 0, 0);
    s.pid = s.tid = 100;
    s.now_ns += 50000000;
    scene_exit(&s, 0, 0);
    expect(&s, "god_process", "master (pid 100)");
}

TEST(test_a_parent_that_waits_is_no_god)
{
    struct syscall_scene s = scene_begin();
    for (int i = 0; i < 4; i++) {
        scene_start(&s, 200 + i, "cc1");
        s.now_ns += 10000000;
        scene_exit(&s, 0, 0);
        s.pid = s.tid = 100;
        s.now_ns -= 10000000;
        s.call_ns = 10000000;
        scene_call(&s, "wait4", 200 + i, 0, 0, 0, 0);
        s.call_ns = 1000;
    }
    assert_null(surest(&s).rule);
}

/* A shell that sleeps beside a process that computes does not take the time of both. */
TEST(test_sleep_is_no_work)
{
    static const char *const calls[] = {"nanosleep", "clock_nanosleep", "poll", "pause"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct syscall_scene s = scene_begin();
        scene_exec(&s, "/bin/sleeper");
        for (int k = 0; k < 4; k++) {
            scene_start(&s, 200 + k, "worker");
            s.now_ns += 10000000;
            scene_exit(&s, 0, 0);
            s.pid = s.tid = 100;
            s.now_ns -= 10000000;
        }
        s.call_ns = 900000000;
        scene_call(&s, calls[i], 0, 0, 0, 0, 0);
        scene_exit(&s, 0, 0);
        assert_null(surest(&s).rule);
    }
}

TEST(test_waiting)
{
    struct syscall_scene s = scene_begin();
    repeat(&s, 20000, "sched_yield", 0, 0, 0);
    expect(&s, "busy_poll", "sched_yield was called 20000 times");

    s = scene_begin();
    for (int thread = 0; thread < 4; thread++) {
        scene_thread(&s, 101 + thread);
        for (int i = 0; i < 2000; i++)
            scene_call(&s, "futex", 0, 0x1000, 128, 2, 0);
    }
    expect(&s, "lock_convoy", "4 threads waited 8000 times");

    s = scene_begin();
    scene_exec(&s, "/usr/bin/gui");
    scene_thread(&s, 101);
    s.tid = 100;
    s.call_ns = 2000000000;
    scene_call(&s, "fsync", 0, 3, 0, 0, 0);
    expect(&s, "main_thread_blocked", "gui (pid 100) was in fsync for 2.00 s");
}

TEST(test_files)
{
    struct syscall_scene s = scene_begin();
    for (int i = 0; i < 9000; i++)
        scene_path(&s, i % 2 ? "newfstatat" : "access", -ENOENT, 1, "/usr/lib/x");
    expect(&s, "stat_storm", "9000 of 9000 calls only ask about files; 9000 of them failed");

    s = scene_begin();
    scene_exec(&s, "/usr/bin/app");
    for (int i = 0; i < 600; i++) {
        scene_path(&s, "openat", 3, 1, "/etc/app.conf");
        scene_call(&s, "close", 0, 3, 0, 0, 0);
    }
    expect(&s, "reopening", "app (pid 100) opened /etc/app.conf 600 times");

    s = scene_begin();
    scene_path(&s, "openat", 3, 1, "/var/log/x");
    for (int i = 0; i < 600; i++) {
        scene_call(&s, "write", 4096, 3, 0, 4096, 0);
        scene_call(&s, "fdatasync", 0, 3, 0, 0, 0);
    }
    expect(&s, "sync_loop", "/var/log/x was forced to the disk 600 times, after 600 writes");

    s = scene_begin();
    scene_exec(&s, "/usr/bin/leaky");
    for (int i = 0; i < 500; i++)
        scene_call(&s, "epoll_create1", 3 + i, 0, 0, 0, 0);
    expect(&s, "descriptor_leak", "leaky (pid 100) ended with 503 descriptors open");
}

TEST(test_sockets_and_devices)
{
    struct syscall_scene s = scene_begin();
    scene_call(&s, "socket", 3, 2, 1, 0, 0);
    for (int i = 0; i < 1000; i++) {
        scene_call(&s, "sendto", 100, 3, 0, 100, 0);
        scene_call(&s, "recvfrom", 20, 3, 0, 4096, 0);
    }
    expect(&s, "chatty_socket", "socket 1 changed 1999 times between sending and receiving");

    s = scene_begin();
    scene_path(&s, "openat", 3, 1, "/dev/nvidia0");
    s.call_ns = 9000000;
    scene_call(&s, "ioctl", 0, 3, 0, 0, 0);
    s.now_ns += 1000000;
    scene_exit(&s, 0, 0);
    expect(&s, "pcie", "GPU transfers: 9.00 ms (90 % of total time)");
}

TEST(test_transfers_of_a_profile)
{
    struct antipattern_finding found;
    antipattern_transfers(&(struct transfer_facts){45000000, 5000000, true}, &found);
    assert_true(found.confidence > 0.85 && found.confidence < 0.95);
    assert_non_null(strstr(found.evidence,
                           "GPU transfers: 45.0 ms (90 % of total time); Compute time: "
                           "5.00 ms (10 % of total time)"));
    antipattern_transfers(&(struct transfer_facts){4, 6, false}, &found);
    assert_true(found.confidence == 0);
    /* as the label of the profile says, also near the marks */
    antipattern_transfers(&(struct transfer_facts){4, 6, true}, &found);
    assert_true(found.confidence >= ANTIPATTERN_THRESHOLD);
    antipattern_transfers(&(struct transfer_facts){9, 1, false}, &found);
    assert_true(found.confidence < ANTIPATTERN_THRESHOLD);
}

TEST(test_names)
{
    assert_ptr_equal(antipattern_find("PCIeBottleneck"), antipattern_find("pcie"));
    assert_ptr_equal(antipattern_find("PcieBottleneck"), antipattern_find("pcie"));
    assert_ptr_equal(antipattern_find("GodProcess"), antipattern_find("god-process"));
    assert_ptr_equal(antipattern_find("TightLoop"), antipattern_find("tight_loop"));
    assert_null(antipattern_find("tight"));
    assert_null(antipattern_find(""));
}
