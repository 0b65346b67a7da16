/* Control of processes and of the system: prctl, ptrace, seccomp, capabilities. Source: the headers
 * included. */
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/module.h>
#include <linux/personality.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/quota.h>
#include <linux/reboot.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant prctl_op[] = {C(PR_SET_PDEATHSIG),
                                           C(PR_GET_PDEATHSIG),
                                           C(PR_GET_DUMPABLE),
                                           C(PR_SET_DUMPABLE),
                                           C(PR_GET_UNALIGN),
                                           C(PR_SET_UNALIGN),
                                           C(PR_GET_KEEPCAPS),
                                           C(PR_SET_KEEPCAPS),
                                           C(PR_GET_FPEMU),
                                           C(PR_SET_FPEMU),
                                           C(PR_GET_FPEXC),
                                           C(PR_SET_FPEXC),
                                           C(PR_GET_TIMING),
                                           C(PR_SET_TIMING),
                                           C(PR_SET_NAME),
                                           C(PR_GET_NAME),
                                           C(PR_GET_ENDIAN),
                                           C(PR_SET_ENDIAN),
                                           C(PR_GET_SECCOMP),
                                           C(PR_SET_SECCOMP),
                                           C(PR_CAPBSET_READ),
                                           C(PR_CAPBSET_DROP),
                                           C(PR_GET_TSC),
                                           C(PR_SET_TSC),
                                           C(PR_GET_SECUREBITS),
                                           C(PR_SET_SECUREBITS),
                                           C(PR_SET_TIMERSLACK),
                                           C(PR_GET_TIMERSLACK),
                                           C(PR_TASK_PERF_EVENTS_DISABLE),
                                           C(PR_TASK_PERF_EVENTS_ENABLE),
                                           C(PR_MCE_KILL),
                                           C(PR_MCE_KILL_GET),
                                           C(PR_SET_MM),
                                           C(PR_SET_CHILD_SUBREAPER),
                                           C(PR_GET_CHILD_SUBREAPER),
                                           C(PR_SET_NO_NEW_PRIVS),
                                           C(PR_GET_NO_NEW_PRIVS),
                                           C(PR_GET_TID_ADDRESS),
                                           C(PR_SET_THP_DISABLE),
                                           C(PR_GET_THP_DISABLE),
                                           C(PR_MPX_ENABLE_MANAGEMENT),
                                           C(PR_MPX_DISABLE_MANAGEMENT),
                                           C(PR_SET_FP_MODE),
                                           C(PR_GET_FP_MODE),
                                           C(PR_CAP_AMBIENT),
                                           C(PR_SVE_SET_VL),
                                           C(PR_SVE_GET_VL),
                                           C(PR_GET_SPECULATION_CTRL),
                                           C(PR_SET_SPECULATION_CTRL),
                                           C(PR_PAC_RESET_KEYS),
                                           C(PR_SET_TAGGED_ADDR_CTRL),
                                           C(PR_GET_TAGGED_ADDR_CTRL),
                                           C(PR_SET_IO_FLUSHER),
                                           C(PR_GET_IO_FLUSHER),
                                           C(PR_SET_SYSCALL_USER_DISPATCH),
                                           C(PR_PAC_SET_ENABLED_KEYS),
                                           C(PR_PAC_GET_ENABLED_KEYS),
                                           C(PR_SCHED_CORE),
                                           C(PR_SME_SET_VL),
                                           C(PR_SME_GET_VL),
                                           {65, "PR_SET_MDWE"},
                                           {66, "PR_GET_MDWE"},
                                           C(PR_SET_VMA),
                                           C(PR_SET_PTRACER)};
CONSTANTS(prctl_op, "PR_???");
/* asm/prctl.h of x86 */
static const struct constant arch_prctl_op[] = {{0x1001, "ARCH_SET_GS"},
                                                {0x1002, "ARCH_SET_FS"},
                                                {0x1003, "ARCH_GET_FS"},
                                                {0x1004, "ARCH_GET_GS"},
                                                {0x1011, "ARCH_GET_CPUID"},
                                                {0x1012, "ARCH_SET_CPUID"},
                                                {0x1021, "ARCH_GET_XCOMP_SUPP"},
                                                {0x1022, "ARCH_GET_XCOMP_PERM"},
                                                {0x1023, "ARCH_REQ_XCOMP_PERM"},
                                                {0x1024, "ARCH_GET_XCOMP_GUEST_PERM"},
                                                {0x1025, "ARCH_REQ_XCOMP_GUEST_PERM"},
                                                {0x2001, "ARCH_MAP_VDSO_X32"},
                                                {0x2002, "ARCH_MAP_VDSO_32"},
                                                {0x2003, "ARCH_MAP_VDSO_64"}};
CONSTANTS(arch_prctl_op, "ARCH_???");
static const struct constant ptrace_op[] = {C(PTRACE_TRACEME),
                                            C(PTRACE_PEEKTEXT),
                                            C(PTRACE_PEEKDATA),
                                            {3, "PTRACE_PEEKUSER"},
                                            C(PTRACE_POKETEXT),
                                            C(PTRACE_POKEDATA),
                                            {6, "PTRACE_POKEUSER"},
                                            C(PTRACE_CONT),
                                            C(PTRACE_KILL),
                                            C(PTRACE_SINGLESTEP),
                                            {12, "PTRACE_GETREGS"},
                                            {13, "PTRACE_SETREGS"},
                                            {14, "PTRACE_GETFPREGS"},
                                            {15, "PTRACE_SETFPREGS"},
                                            C(PTRACE_ATTACH),
                                            C(PTRACE_DETACH),
                                            C(PTRACE_SYSCALL),
                                            C(PTRACE_SETOPTIONS),
                                            C(PTRACE_GETEVENTMSG),
                                            C(PTRACE_GETSIGINFO),
                                            C(PTRACE_SETSIGINFO),
                                            C(PTRACE_GETREGSET),
                                            C(PTRACE_SETREGSET),
                                            C(PTRACE_SEIZE),
                                            C(PTRACE_INTERRUPT),
                                            C(PTRACE_LISTEN),
                                            C(PTRACE_PEEKSIGINFO),
                                            C(PTRACE_GETSIGMASK),
                                            C(PTRACE_SETSIGMASK),
                                            C(PTRACE_SECCOMP_GET_FILTER),
                                            C(PTRACE_SECCOMP_GET_METADATA),
                                            C(PTRACE_GET_SYSCALL_INFO),
                                            C(PTRACE_GET_RSEQ_CONFIGURATION)};
CONSTANTS(ptrace_op, "PTRACE_???");
static const struct constant seccomp_op[] = {C(SECCOMP_SET_MODE_STRICT), C(SECCOMP_SET_MODE_FILTER),
                                             C(SECCOMP_GET_ACTION_AVAIL),
                                             C(SECCOMP_GET_NOTIF_SIZES)};
CONSTANTS(seccomp_op, "SECCOMP_SET_MODE_???");
static const struct constant seccomp_filter_flags[] = {
    C(SECCOMP_FILTER_FLAG_TSYNC),       C(SECCOMP_FILTER_FLAG_LOG),
    C(SECCOMP_FILTER_FLAG_SPEC_ALLOW),  C(SECCOMP_FILTER_FLAG_NEW_LISTENER),
    C(SECCOMP_FILTER_FLAG_TSYNC_ESRCH), C(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)};
CONSTANTS(seccomp_filter_flags, "SECCOMP_FILTER_FLAG_???");
static const struct constant seccomp_modes[] = {C(SECCOMP_MODE_DISABLED), C(SECCOMP_MODE_STRICT),
                                                C(SECCOMP_MODE_FILTER)};
CONSTANTS(seccomp_modes, "SECCOMP_MODE_???");
static const struct constant seccomp_actions[] = {
    C(SECCOMP_RET_KILL_PROCESS), C(SECCOMP_RET_KILL_THREAD), C(SECCOMP_RET_TRAP),
    C(SECCOMP_RET_ERRNO),        C(SECCOMP_RET_USER_NOTIF),  C(SECCOMP_RET_TRACE),
    C(SECCOMP_RET_LOG),          C(SECCOMP_RET_ALLOW)};
CONSTANTS(seccomp_actions, "SECCOMP_RET_???");
static const struct constant cap_versions[] = {
    C(_LINUX_CAPABILITY_VERSION_1), C(_LINUX_CAPABILITY_VERSION_2), C(_LINUX_CAPABILITY_VERSION_3)};
CONSTANTS(cap_versions, "_LINUX_CAPABILITY_VERSION_???");
/* By the number of the capability. */
static const struct constant capabilities[] = {C(CAP_CHOWN),
                                               C(CAP_DAC_OVERRIDE),
                                               C(CAP_DAC_READ_SEARCH),
                                               C(CAP_FOWNER),
                                               C(CAP_FSETID),
                                               C(CAP_KILL),
                                               C(CAP_SETGID),
                                               C(CAP_SETUID),
                                               C(CAP_SETPCAP),
                                               C(CAP_LINUX_IMMUTABLE),
                                               C(CAP_NET_BIND_SERVICE),
                                               C(CAP_NET_BROADCAST),
                                               C(CAP_NET_ADMIN),
                                               C(CAP_NET_RAW),
                                               C(CAP_IPC_LOCK),
                                               C(CAP_IPC_OWNER),
                                               C(CAP_SYS_MODULE),
                                               C(CAP_SYS_RAWIO),
                                               C(CAP_SYS_CHROOT),
                                               C(CAP_SYS_PTRACE),
                                               C(CAP_SYS_PACCT),
                                               C(CAP_SYS_ADMIN),
                                               C(CAP_SYS_BOOT),
                                               C(CAP_SYS_NICE),
                                               C(CAP_SYS_RESOURCE),
                                               C(CAP_SYS_TIME),
                                               C(CAP_SYS_TTY_CONFIG),
                                               C(CAP_MKNOD),
                                               C(CAP_LEASE),
                                               C(CAP_AUDIT_WRITE),
                                               C(CAP_AUDIT_CONTROL),
                                               C(CAP_SETFCAP),
                                               C(CAP_MAC_OVERRIDE),
                                               C(CAP_MAC_ADMIN),
                                               C(CAP_SYSLOG),
                                               C(CAP_WAKE_ALARM),
                                               C(CAP_BLOCK_SUSPEND),
                                               C(CAP_AUDIT_READ),
                                               C(CAP_PERFMON),
                                               C(CAP_BPF),
                                               C(CAP_CHECKPOINT_RESTORE)};
CONSTANTS(capabilities, "CAP_???");
static const struct constant securebits[] = {
    {1 << SECURE_NOROOT, "SECBIT_NOROOT"},
    {1 << SECURE_NOROOT_LOCKED, "SECBIT_NOROOT_LOCKED"},
    {1 << SECURE_NO_SETUID_FIXUP, "SECBIT_NO_SETUID_FIXUP"},
    {1 << SECURE_NO_SETUID_FIXUP_LOCKED, "SECBIT_NO_SETUID_FIXUP_LOCKED"},
    {1 << SECURE_KEEP_CAPS, "SECBIT_KEEP_CAPS"},
    {1 << SECURE_KEEP_CAPS_LOCKED, "SECBIT_KEEP_CAPS_LOCKED"},
    {1 << SECURE_NO_CAP_AMBIENT_RAISE, "SECBIT_NO_CAP_AMBIENT_RAISE"},
    {1 << SECURE_NO_CAP_AMBIENT_RAISE_LOCKED, "SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED"}};
CONSTANTS(securebits, "SECBIT_???");
static const struct constant cap_ambient[] = {C(PR_CAP_AMBIENT_IS_SET), C(PR_CAP_AMBIENT_RAISE),
                                              C(PR_CAP_AMBIENT_LOWER), C(PR_CAP_AMBIENT_CLEAR_ALL)};
CONSTANTS(cap_ambient, "PR_CAP_AMBIENT_???");
static const struct constant dumpable[] = {
    {0, "SUID_DUMP_DISABLE"}, {1, "SUID_DUMP_USER"}, {2, "SUID_DUMP_ROOT"}};
CONSTANTS(dumpable, "SUID_DUMP_???");
static const struct constant personalities[] = {C(PER_LINUX), C(PER_LINUX32), C(PER_BSD),
                                                C(PER_UW7)};
CONSTANTS(personalities, "PER_???");
static const struct constant personality_flags[] = {
    C(UNAME26),          C(ADDR_NO_RANDOMIZE),  C(FDPIC_FUNCPTRS),
    C(MMAP_PAGE_ZERO),   C(ADDR_COMPAT_LAYOUT), C(READ_IMPLIES_EXEC),
    C(ADDR_LIMIT_32BIT), C(SHORT_INODE),        C(WHOLE_SECONDS),
    C(STICKY_TIMEOUTS),  C(ADDR_LIMIT_3GB)};
CONSTANTS(personality_flags, "PER_???");
static const struct constant bpf_cmd[] = {
    C(BPF_MAP_CREATE),        C(BPF_MAP_LOOKUP_ELEM),
    C(BPF_MAP_UPDATE_ELEM),   C(BPF_MAP_DELETE_ELEM),
    C(BPF_MAP_GET_NEXT_KEY),  C(BPF_PROG_LOAD),
    C(BPF_OBJ_PIN),           C(BPF_OBJ_GET),
    C(BPF_PROG_ATTACH),       C(BPF_PROG_DETACH),
    C(BPF_PROG_TEST_RUN),     C(BPF_PROG_GET_NEXT_ID),
    C(BPF_MAP_GET_NEXT_ID),   C(BPF_PROG_GET_FD_BY_ID),
    C(BPF_MAP_GET_FD_BY_ID),  C(BPF_OBJ_GET_INFO_BY_FD),
    C(BPF_PROG_QUERY),        C(BPF_RAW_TRACEPOINT_OPEN),
    C(BPF_BTF_LOAD),          C(BPF_BTF_GET_FD_BY_ID),
    C(BPF_TASK_FD_QUERY),     C(BPF_MAP_LOOKUP_AND_DELETE_ELEM),
    C(BPF_MAP_FREEZE),        C(BPF_BTF_GET_NEXT_ID),
    C(BPF_MAP_LOOKUP_BATCH),  C(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
    C(BPF_MAP_UPDATE_BATCH),  C(BPF_MAP_DELETE_BATCH),
    C(BPF_LINK_CREATE),       C(BPF_LINK_UPDATE),
    C(BPF_LINK_GET_FD_BY_ID), C(BPF_LINK_GET_NEXT_ID),
    C(BPF_ENABLE_STATS),      C(BPF_ITER_CREATE),
    C(BPF_LINK_DETACH),       C(BPF_PROG_BIND_MAP)};
CONSTANTS(bpf_cmd, "BPF_???");
static const struct constant keyctl_op[] = {C(KEYCTL_GET_KEYRING_ID),
                                            C(KEYCTL_JOIN_SESSION_KEYRING),
                                            C(KEYCTL_UPDATE),
                                            C(KEYCTL_REVOKE),
                                            C(KEYCTL_CHOWN),
                                            C(KEYCTL_SETPERM),
                                            C(KEYCTL_DESCRIBE),
                                            C(KEYCTL_CLEAR),
                                            C(KEYCTL_LINK),
                                            C(KEYCTL_UNLINK),
                                            C(KEYCTL_SEARCH),
                                            C(KEYCTL_READ),
                                            C(KEYCTL_INSTANTIATE),
                                            C(KEYCTL_NEGATE),
                                            C(KEYCTL_SET_REQKEY_KEYRING),
                                            C(KEYCTL_SET_TIMEOUT),
                                            C(KEYCTL_ASSUME_AUTHORITY),
                                            C(KEYCTL_GET_SECURITY),
                                            C(KEYCTL_SESSION_TO_PARENT),
                                            C(KEYCTL_REJECT),
                                            C(KEYCTL_INSTANTIATE_IOV),
                                            C(KEYCTL_INVALIDATE),
                                            C(KEYCTL_GET_PERSISTENT),
                                            C(KEYCTL_DH_COMPUTE),
                                            C(KEYCTL_RESTRICT_KEYRING),
                                            C(KEYCTL_MOVE),
                                            C(KEYCTL_CAPABILITIES),
                                            C(KEYCTL_WATCH_KEY)};
CONSTANTS(keyctl_op, "KEYCTL_???");
static const struct constant keyrings[] = {
    {(uint32_t)-1, "KEY_SPEC_THREAD_KEYRING"},       {(uint32_t)-2, "KEY_SPEC_PROCESS_KEYRING"},
    {(uint32_t)-3, "KEY_SPEC_SESSION_KEYRING"},      {(uint32_t)-4, "KEY_SPEC_USER_KEYRING"},
    {(uint32_t)-5, "KEY_SPEC_USER_SESSION_KEYRING"}, {(uint32_t)-6, "KEY_SPEC_GROUP_KEYRING"},
    {(uint32_t)-7, "KEY_SPEC_REQKEY_AUTH_KEY"},      {(uint32_t)-8, "KEY_SPEC_REQUESTOR_KEYRING"}};
CONSTANTS(keyrings, "KEY_SPEC_???");
static const struct constant landlock_flags[] = {C(LANDLOCK_CREATE_RULESET_VERSION)};
CONSTANTS(landlock_flags, "LANDLOCK_CREATE_RULESET_???");
static const struct constant landlock_rule_type[] = {C(LANDLOCK_RULE_PATH_BENEATH)};
CONSTANTS(landlock_rule_type, "LANDLOCK_RULE_???");
static const struct constant landlock_access[] = {
    C(LANDLOCK_ACCESS_FS_EXECUTE),    C(LANDLOCK_ACCESS_FS_WRITE_FILE),
    C(LANDLOCK_ACCESS_FS_READ_FILE),  C(LANDLOCK_ACCESS_FS_READ_DIR),
    C(LANDLOCK_ACCESS_FS_REMOVE_DIR), C(LANDLOCK_ACCESS_FS_REMOVE_FILE),
    C(LANDLOCK_ACCESS_FS_MAKE_CHAR),  C(LANDLOCK_ACCESS_FS_MAKE_DIR),
    C(LANDLOCK_ACCESS_FS_MAKE_REG),   C(LANDLOCK_ACCESS_FS_MAKE_SOCK),
    C(LANDLOCK_ACCESS_FS_MAKE_FIFO),  C(LANDLOCK_ACCESS_FS_MAKE_BLOCK),
    C(LANDLOCK_ACCESS_FS_MAKE_SYM),   C(LANDLOCK_ACCESS_FS_REFER)};
CONSTANTS(landlock_access, "LANDLOCK_ACCESS_FS_???");
/* include/linux/swap.h of the kernel, and sys/swap.h. The lower bits are the priority. */
static const struct constant swapon_flags[] = {{0x8000, "SWAP_FLAG_PREFER"},
                                               {0x10000, "SWAP_FLAG_DISCARD"}};
CONSTANTS(swapon_flags, "SWAP_FLAG_???");
static const struct constant delete_module_flags[] = {{01000, "O_TRUNC"}, {04000, "O_NONBLOCK"}};
CONSTANTS(delete_module_flags, "O_???");
static const struct constant finit_module_flags[] = {C(MODULE_INIT_IGNORE_MODVERSIONS),
                                                     C(MODULE_INIT_IGNORE_VERMAGIC),
                                                     C(MODULE_INIT_COMPRESSED_FILE)};
CONSTANTS(finit_module_flags, "MODULE_INIT_???");
/* The manual page syslog(2). */
static const struct constant syslog_type[] = {
    {0, "SYSLOG_ACTION_CLOSE"},         {1, "SYSLOG_ACTION_OPEN"},
    {2, "SYSLOG_ACTION_READ"},          {3, "SYSLOG_ACTION_READ_ALL"},
    {4, "SYSLOG_ACTION_READ_CLEAR"},    {5, "SYSLOG_ACTION_CLEAR"},
    {6, "SYSLOG_ACTION_CONSOLE_OFF"},   {7, "SYSLOG_ACTION_CONSOLE_ON"},
    {8, "SYSLOG_ACTION_CONSOLE_LEVEL"}, {9, "SYSLOG_ACTION_SIZE_UNREAD"},
    {10, "SYSLOG_ACTION_SIZE_BUFFER"}};
CONSTANTS(syslog_type, "SYSLOG_ACTION_???");
static const struct constant reboot_magic[] = {C(LINUX_REBOOT_MAGIC1), C(LINUX_REBOOT_MAGIC2),
                                               C(LINUX_REBOOT_MAGIC2A), C(LINUX_REBOOT_MAGIC2B),
                                               C(LINUX_REBOOT_MAGIC2C)};
CONSTANTS(reboot_magic, "LINUX_REBOOT_MAGIC_???");
static const struct constant reboot_op[] = {
    C(LINUX_REBOOT_CMD_RESTART),    C(LINUX_REBOOT_CMD_HALT),      C(LINUX_REBOOT_CMD_CAD_ON),
    C(LINUX_REBOOT_CMD_CAD_OFF),    C(LINUX_REBOOT_CMD_POWER_OFF), C(LINUX_REBOOT_CMD_RESTART2),
    C(LINUX_REBOOT_CMD_SW_SUSPEND), C(LINUX_REBOOT_CMD_KEXEC)};
CONSTANTS(reboot_op, "LINUX_REBOOT_CMD_???");
static const struct constant quota_commands[] = {C(Q_SYNC),     C(Q_QUOTAON),  C(Q_QUOTAOFF),
                                                 C(Q_GETFMT),   C(Q_GETINFO),  C(Q_SETINFO),
                                                 C(Q_GETQUOTA), C(Q_SETQUOTA), C(Q_GETNEXTQUOTA)};
CONSTANTS(quota_commands, "Q_???");
static const struct constant quota_types[] = {C(USRQUOTA), C(GRPQUOTA), C(PRJQUOTA)};
CONSTANTS(quota_types, "???QUOTA");
