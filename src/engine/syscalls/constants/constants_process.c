/* Processes. Source: the headers included, or named above a table. */
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <linux/ioprio.h>
#include <linux/kcmp.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <linux/pidfd.h>
#include <linux/rseq.h>
#include <linux/sched.h>

#include "engine/syscalls/constants/constants.h"

#define CLONE_FLAGS                                                                                \
    C(CLONE_VM), C(CLONE_FS), C(CLONE_FILES), C(CLONE_SIGHAND), C(CLONE_PIDFD), C(CLONE_PTRACE),   \
        C(CLONE_VFORK), C(CLONE_PARENT), C(CLONE_THREAD), C(CLONE_NEWNS), C(CLONE_SYSVSEM),        \
        C(CLONE_SETTLS), C(CLONE_PARENT_SETTID), C(CLONE_CHILD_CLEARTID), C(CLONE_DETACHED),       \
        C(CLONE_UNTRACED), C(CLONE_CHILD_SETTID), C(CLONE_NEWCGROUP), C(CLONE_NEWUTS),             \
        C(CLONE_NEWIPC), C(CLONE_NEWUSER), C(CLONE_NEWPID), C(CLONE_NEWNET), C(CLONE_IO)

static const struct constant clone_flags[] = {CLONE_FLAGS};
CONSTANTS(clone_flags, "CLONE_???");
static const struct constant clone3_flags[] = {CLONE_FLAGS, C(CLONE_CLEAR_SIGHAND),
                                               C(CLONE_INTO_CGROUP), C(CLONE_NEWTIME)};
CONSTANTS(clone3_flags, "CLONE_???");
static const struct constant namespace_flags[] = {
    C(CLONE_NEWTIME), C(CLONE_VM),      C(CLONE_FS),      C(CLONE_FILES),     C(CLONE_SIGHAND),
    C(CLONE_THREAD),  C(CLONE_NEWNS),   C(CLONE_SYSVSEM), C(CLONE_NEWCGROUP), C(CLONE_NEWUTS),
    C(CLONE_NEWIPC),  C(CLONE_NEWUSER), C(CLONE_NEWPID),  C(CLONE_NEWNET)};
CONSTANTS(namespace_flags, "CLONE_???");
static const struct constant wait_options[] = {C(WNOHANG),
                                               C(WEXITED),
                                               C(WSTOPPED),
                                               C(WCONTINUED),
                                               C(WNOWAIT),
                                               {0x20000000, "__WNOTHREAD"},
                                               {0x40000000, "__WALL"},
                                               {0x80000000, "__WCLONE"}};
CONSTANTS(wait_options, "W???");
static const struct constant waitid_which[] = {
    {0, "P_ALL"}, {1, "P_PID"}, {2, "P_PGID"}, {3, "P_PIDFD"}};
CONSTANTS(waitid_which, "P_???");
static const struct constant pidfd_flags[] = {C(PIDFD_NONBLOCK)};
CONSTANTS(pidfd_flags, "PIDFD_???");
static const struct constant rlimit_resource[] = {
    C(RLIMIT_CPU),      C(RLIMIT_FSIZE), C(RLIMIT_DATA),       C(RLIMIT_STACK),
    C(RLIMIT_CORE),     C(RLIMIT_RSS),   C(RLIMIT_NPROC),      C(RLIMIT_NOFILE),
    C(RLIMIT_MEMLOCK),  C(RLIMIT_AS),    {10, "RLIMIT_LOCKS"}, C(RLIMIT_SIGPENDING),
    C(RLIMIT_MSGQUEUE), C(RLIMIT_NICE),  C(RLIMIT_RTPRIO),     C(RLIMIT_RTTIME)};
CONSTANTS(rlimit_resource, "RLIMIT_???");
static const struct constant rusage_who[] = {C(RUSAGE_SELF),
                                             {(uint32_t)-1, "RUSAGE_CHILDREN"},
                                             {(uint32_t)-2, "RUSAGE_BOTH"},
                                             C(RUSAGE_THREAD)};
CONSTANTS(rusage_who, "RUSAGE_???");
static const struct constant priority_which[] = {C(PRIO_PROCESS), C(PRIO_PGRP), C(PRIO_USER)};
CONSTANTS(priority_which, "PRIO_???");
static const struct constant sched_policy[] = {
    {0, "SCHED_OTHER"}, {1, "SCHED_FIFO"}, {2, "SCHED_RR"},       {3, "SCHED_BATCH"},
    {4, "SCHED_ISO"},   {5, "SCHED_IDLE"}, {6, "SCHED_DEADLINE"}, {7, "SCHED_EXT"}};
CONSTANTS(sched_policy, "SCHED_???");
static const struct constant sched_flags[] = {
    {1, "SCHED_FLAG_RESET_ON_FORK"},  {2, "SCHED_FLAG_RECLAIM"},
    {4, "SCHED_FLAG_DL_OVERRUN"},     {8, "SCHED_FLAG_KEEP_POLICY"},
    {16, "SCHED_FLAG_KEEP_PARAMS"},   {32, "SCHED_FLAG_UTIL_CLAMP_MIN"},
    {64, "SCHED_FLAG_UTIL_CLAMP_MAX"}};
CONSTANTS(sched_flags, "SCHED_FLAG_???");
static const struct constant kcmp_type[] = {C(KCMP_FILE),    C(KCMP_VM),       C(KCMP_FILES),
                                            C(KCMP_FS),      C(KCMP_SIGHAND),  C(KCMP_IO),
                                            C(KCMP_SYSVSEM), C(KCMP_EPOLL_TFD)};
CONSTANTS(kcmp_type, "KCMP_???");
static const struct constant ioprio_which[] = {C(IOPRIO_WHO_PROCESS), C(IOPRIO_WHO_PGRP),
                                               C(IOPRIO_WHO_USER)};
CONSTANTS(ioprio_which, "IOPRIO_WHO_???");
static const struct constant membarrier_cmd[] = {
    C(MEMBARRIER_CMD_QUERY),
    C(MEMBARRIER_CMD_GLOBAL),
    C(MEMBARRIER_CMD_GLOBAL_EXPEDITED),
    C(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED),
    C(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
    C(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
    C(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE),
    C(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE),
    C(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ),
    C(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ),
    {512, "MEMBARRIER_CMD_GET_REGISTRATIONS"}};
CONSTANTS(membarrier_cmd, "MEMBARRIER_CMD_???");
static const struct constant membarrier_flags[] = {C(MEMBARRIER_CMD_FLAG_CPU)};
CONSTANTS(membarrier_flags, "MEMBARRIER_CMD_FLAG_???");
static const struct constant rseq_flags[] = {C(RSEQ_FLAG_UNREGISTER)};
CONSTANTS(rseq_flags, "RSEQ_FLAG_???");
static const struct constant perf_flags[] = {C(PERF_FLAG_FD_NO_GROUP), C(PERF_FLAG_FD_OUTPUT),
                                             C(PERF_FLAG_PID_CGROUP), C(PERF_FLAG_FD_CLOEXEC)};
CONSTANTS(perf_flags, "PERF_FLAG_???");
static const struct constant perf_types[] = {C(PERF_TYPE_HARDWARE),   C(PERF_TYPE_SOFTWARE),
                                             C(PERF_TYPE_TRACEPOINT), C(PERF_TYPE_HW_CACHE),
                                             C(PERF_TYPE_RAW),        C(PERF_TYPE_BREAKPOINT)};
CONSTANTS(perf_types, "PERF_TYPE_???");
