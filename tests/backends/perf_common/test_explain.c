#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/perf_common/explain.h"
#include "support/test.h"

static struct explanation x;

static void ask(const struct perf_context *c, int err, enum target_kind kind,
                enum explain_event event)
{
    explain(c, &(struct explain_query){.err = err, .kind = kind, .event = event, .owner = c->uid},
            &x);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' lacks '%s'", text, part);
}

TEST(paranoid_levels_name_their_remedy)
{
    const struct {
        int level, set;
        enum target_kind kind;
        enum explain_event event;
        const char *why, *help;
    } rows[] = {
        {2, 1, TARGET_COMMAND, EXPLAIN_SOFTWARE, "is 2", "setcap cap_perfmon"},
        {2, 0, TARGET_HOST, EXPLAIN_HARDWARE, "CAP_PERFMON", "setcap"},
        {1, 0, TARGET_CGROUP, EXPLAIN_SOFTWARE, "whole CPUs", "setcap"},
        {0, -1, TARGET_HOST, EXPLAIN_TRACEPOINT, "tracepoints", "setcap"},
        {3, 0, TARGET_HOST, EXPLAIN_HARDWARE, "Debian", "sudo"},
        {4, 1, TARGET_COMMAND, EXPLAIN_HARDWARE, "Ubuntu", "sudo"},
        {1, 0, TARGET_PIDS, EXPLAIN_UNCORE, "is 1", "setcap"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct perf_context c = {.paranoid = rows[i].level, .uid = 1000};
        char set[64];
        ask(&c, EACCES, rows[i].kind, rows[i].event);
        assert_int_equal(x.kind, ERROR_PERMISSION);
        has(x.why, rows[i].why);
        has(x.help, rows[i].help);
        snprintf(set, sizeof set, "kernel.perf_event_paranoid=%d`", rows[i].set);
        if (rows[i].set >= 0)
            has(x.help, set);
        else /* the right to see all tracepoints is not recommended to everyone */
            assert_null(strstr(x.help, "sysctl"));
        /* at the levels 3 and 4 of Debian and Ubuntu no capability helps */
        if (rows[i].level >= 3)
            assert_null(strstr(x.help, "setcap"));
    }
}

TEST(perfmon_is_not_enough_at_level_three)
{
    struct perf_context c = {.paranoid = 3, .cap_perfmon = true};
    assert_false(perf_context_privileged(&c));
    ask(&c, EACCES, TARGET_HOST, EXPLAIN_HARDWARE);
    has(x.why, "CAP_SYS_ADMIN");
    c.paranoid = 2;
    assert_true(perf_context_privileged(&c));
}

TEST(containers_are_told_from_levels)
{
    struct perf_context c = {.paranoid = 2, .uid = 1000, .container = "docker", .seccomp = true};
    ask(&c, EPERM, TARGET_COMMAND, EXPLAIN_SOFTWARE);
    has(x.why, "seccomp");
    has(x.help, "docker run --cap-add PERFMON");
    strcpy(c.container, "podman");
    ask(&c, EPERM, TARGET_COMMAND, EXPLAIN_SOFTWARE);
    has(x.help, "podman run");
    /* EACCES comes from the level, which only the host can change */
    ask(&c, EACCES, TARGET_COMMAND, EXPLAIN_SOFTWARE);
    has(x.why, "is 2");
    has(x.help, "on the host");
}

TEST(lockdown_and_security_modules)
{
    struct perf_context c = {.paranoid = -1, .lockdown = "confidentiality"};
    ask(&c, EPERM, TARGET_HOST, EXPLAIN_TRACEPOINT);
    has(x.why, "lockdown (confidentiality)");
    struct perf_context root = {.paranoid = -1, .cap_sys_admin = true};
    ask(&root, EACCES, TARGET_HOST, EXPLAIN_HARDWARE);
    has(x.why, "security module");
}

TEST(processes_of_others)
{
    struct perf_context c = {.paranoid = 1, .uid = 1000};
    explain(&c,
            &(struct explain_query){
                .err = EACCES, .kind = TARGET_PIDS, .event = EXPLAIN_SOFTWARE, .owner = 0},
            &x);
    has(x.why, "user 0");
    has(x.help, "as that user, or with sudo");
    assert_null(strstr(x.help, "setcap")); /* would let every user look into all processes */
}

TEST(machines_without_a_pmu)
{
    struct perf_context vm = {.hypervisor = "KVM"}, bare = {0}, pmu = {.core_pmu = true};
    ask(&vm, ENOENT, TARGET_HOST, EXPLAIN_HARDWARE);
    has(x.why, "virtual machine");
    has(x.help, "pmu=on");
    ask(&bare, ENOENT, TARGET_HOST, EXPLAIN_HARDWARE);
    has(x.help, "dmesg");
    ask(&pmu, ENOENT, TARGET_HOST, EXPLAIN_HARDWARE);
    has(x.why, "does not have this event");
    ask(&vm, ENOENT, TARGET_HOST, EXPLAIN_TRACEPOINT);
    has(x.why, "tracepoint");
}

TEST(descriptors_within_the_hard_limit)
{
    struct perf_context c = {.files_soft = 1024, .files_hard = 4096};
    struct explain_query q = {.err = EMFILE, .kind = TARGET_PIDS, .files = 3000};
    explain(&c, &q, &x);
    has(x.help, "ulimit -n 3000");
    has(x.why, "1024");
    q.files = 60000;
    explain(&c, &q, &x);
    has(x.help, "prlimit --nofile=60000:60000");
}

TEST(every_errno_has_a_reason_and_fits)
{
    struct perf_context c = {.paranoid = 2, .uid = 1000};
    const int errs[] = {E2BIG,
                        EACCES,
                        EBADF,
                        EBUSY,
                        EFAULT,
                        EINTR,
                        EINVAL,
                        EMFILE,
                        ENODEV,
                        ENOENT,
                        ENOSPC,
                        ENOSYS,
                        EOPNOTSUPP,
                        EOVERFLOW,
                        EPERM,
                        ESRCH,
                        ENXIO,
                        ENFILE,
                        ENOMEM,
                        EAGAIN,
                        EIO,
                        9999,
                        EXPLAIN_STOLEN,
                        EXPLAIN_TOO_BIG,
                        EXPLAIN_OFFLINE,
                        EXPLAIN_SYSTEM_WIDE,
                        EXPLAIN_KERNEL_ONLY};
    for (size_t i = 0; i < sizeof errs / sizeof *errs; i++) {
        for (int k = TARGET_HOST; k <= TARGET_CGROUP; k++) {
            for (int e = EXPLAIN_HARDWARE; e <= EXPLAIN_UNCORE; e++) {
                ask(&c, errs[i], (enum target_kind)k, (enum explain_event)e);
                assert_true(strlen(x.why) > 10 && strlen(x.why) < sizeof x.why - 1);
                assert_true(strlen(x.help) < sizeof x.help - 1);
                assert_int_not_equal(x.kind, ERROR_NONE);
            }
        }
    }
    ask(&c, EINVAL, TARGET_PIDS, EXPLAIN_UNCORE);
    has(x.why, "whole machine");
    ask(&c, EXPLAIN_STOLEN, TARGET_HOST, EXPLAIN_HARDWARE);
    has(x.help, "nmi_watchdog=0");
}
