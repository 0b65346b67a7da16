/*
 * rooftop under seccomp filters such as those of containers: each refuses some calls that rooftop
 * makes. It ends by itself, without a signal, and says what it lacks.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { CALLS = 4 };

/* What the filters of docker, podman and systemd units refuse, alone and together. 0: no more. */
static const int sets[][CALLS] = {
    {SYS_ptrace},
    {SYS_bpf},
    {SYS_perf_event_open},
    {SYS_ptrace, SYS_bpf, SYS_perf_event_open},
    {SYS_process_vm_readv, SYS_process_vm_writev},
    {SYS_pidfd_open, SYS_pidfd_send_signal},
    {SYS_shmget, SYS_shmat},
    {SYS_seccomp},
    {SYS_kcmp, SYS_userfaultfd},
    {SYS_sched_setscheduler, SYS_setpriority, SYS_sched_setaffinity},
    {SYS_memfd_create, SYS_eventfd2},
    {SYS_statx, SYS_close_range},
    {SYS_getrandom},
};

static void refuse(const int set[CALLS], int code)
{
    struct sock_filter list[2 * CALLS + 2];
    unsigned short n = 0;
    list[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS && set[i]; i++) {
        list[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)set[i], 0, 1);
        list[n++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)code);
    }
    list[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {n, list};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

static int run_filtered(const int set[CALLS], int code, const char *line)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("out", "w", stdout) || !freopen("err", "w", stderr))
            _exit(76);
        refuse(set, code);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(75);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST_WITH(what_is_refused_is_said, temp_folder_make, temp_folder_remove)
{
    static const char *const lines[] = {
        "exec $BIN trace -f -- sh -c true", "exec $BIN trace -c -- true",
        "exec $BIN trace --inject -f -- sh -c true", "exec $BIN --headless --for 0.1 -- true",
        "exec $BIN doctor"};
    if (!program_rooftop())
        skip(); /* it has said why */
    char *bin = realpath(program_rooftop(), NULL);
    assert_non_null(bin);
    setenv("BIN", bin, 1);
    free(bin);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    assert_int_equal(chdir(temp_folder), 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
            const int code = (i + k) % 2 ? EPERM : ENOSYS;
            char said[512] = "";
            const int status = run_filtered(sets[i], code, lines[k]);
            if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
                skip_because("a seccomp filter cannot be set here");
            FILE *f = fopen("err", "r");
            assert_non_null(f);
            said[fread(said, 1, sizeof said - 1, f)] = '\0';
            fclose(f);
            const int rc = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            if (rc != 0 && rc != 4 && rc != 5 && rc != 6) /* target gone, no right, not here */
                fail_msg("set %zu, %s: status %#x, '%s'", i, lines[k], (unsigned)status, said);
            if (rc != 0 && k < 4 && !strstr(said, "rooftop: "))
                fail_msg("set %zu, %s: %d without a reason: '%s'", i, lines[k], rc, said);
        }
}

int main(void)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the search for leaks needs ptrace */
    return tests_run(NULL, NULL);
}
