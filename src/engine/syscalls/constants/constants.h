/* Names of flags and constants. The values come from the kernel's and the C library's headers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct constant {
    uint64_t value;
    const char *name;
};

struct constants {
    const struct constant *list;
    size_t n;
    const char *unknown; /* text for all other values: "O_???" */
};

/* The name of a value, or NULL. */
const char *constant_name(const struct constants *table, uint64_t value);

/* A row, and the end of a table: `static const struct constant NAME[]` becomes constants_NAME. */
#define C(constant)                                                                                \
    {                                                                                              \
        (uint64_t)(constant), #constant                                                            \
    }
#define CONSTANTS(name, unknown)                                                                   \
    const struct constants constants_##name = {(name), sizeof(name) / sizeof *(name), (unknown)}

/* Tables of argument types are declared by types.def; these are the others. */
#define TYPE(name, when, size, writer)
#define FLAGS(name)   extern const struct constants constants_##name;
#define FLAGS64(name) extern const struct constants constants_##name;
#define ENUM(name)    extern const struct constants constants_##name;
#include "engine/syscalls/types.def"
#undef TYPE
#undef FLAGS
#undef FLAGS64
#undef ENUM

extern const struct constants constants_seccomp_filter_flags;
extern const struct constants constants_seccomp_modes;
extern const struct constants constants_seccomp_actions;
extern const struct constants constants_cap_versions;
extern const struct constants constants_capabilities;
extern const struct constants constants_securebits;
extern const struct constants constants_cap_ambient;
extern const struct constants constants_dumpable;
extern const struct constants constants_personalities;
extern const struct constants constants_personality_flags;
extern const struct constants constants_keyrings;
extern const struct constants constants_landlock_access;
extern const struct constants constants_quota_commands;
extern const struct constants constants_quota_types;
extern const struct constants constants_file_types;
extern const struct constants constants_resolve_flags;
extern const struct constants constants_statfs_types;
extern const struct constants constants_statfs_flags;
extern const struct constants constants_io_uring_setup_flags;
extern const struct constants constants_io_uring_features;
extern const struct constants constants_io_uring_sqe_flags;
extern const struct constants constants_ipc_flags;
extern const struct constants constants_shmget_flags;
extern const struct constants constants_sem_flags;
extern const struct constants constants_prot;
extern const struct constants constants_prot_arm;
extern const struct constants constants_mmap_types;
extern const struct constants constants_mmap_flags;
extern const struct constants constants_syslog_type;
extern const struct constants constants_statx_flags;
extern const struct constants constants_statx_syncs;
extern const struct constants constants_ioctl_requests;
extern const struct constants constants_drm_requests;
extern const struct constants constants_amdgpu_requests;
extern const struct constants constants_nvidia_requests;
extern const struct constants constants_kfd_requests;
extern const struct constants constants_open_flags_x86;
extern const struct constants constants_open_flags_arm;
extern const struct constants constants_open_modes;
extern const struct constants constants_fd_flags;
extern const struct constants constants_lock_types;
extern const struct constants constants_seals;
extern const struct constants constants_notify_events;
extern const struct constants constants_clone_flags;
extern const struct constants constants_clone3_flags;
extern const struct constants constants_waitid_which;
extern const struct constants constants_sched_flags;
extern const struct constants constants_perf_types;
extern const struct constants constants_sa_flags;
extern const struct constants constants_ss_flags;
extern const struct constants constants_sigev_notify;
extern const struct constants constants_si_codes;
extern const struct constants constants_si_codes_segv;
extern const struct constants constants_si_codes_chld;
extern const struct constants constants_si_codes_fpe;
extern const struct constants constants_si_codes_ill;
extern const struct constants constants_si_codes_bus;
extern const struct constants constants_si_codes_trap;
extern const struct constants constants_si_codes_sys;
extern const struct constants constants_si_codes_poll;
extern const struct constants constants_socket_types;
extern const struct constants constants_ip_protocols;
extern const struct constants constants_netlink_families;
extern const struct constants constants_packet_protocols;
extern const struct constants constants_cmsg_types;
extern const struct constants constants_sockopts_socket;
extern const struct constants constants_sockopts_ip;
extern const struct constants constants_sockopts_ipv6;
extern const struct constants constants_sockopts_tcp;
extern const struct constants constants_sockopts_udp;
extern const struct constants constants_sockopts_netlink;
extern const struct constants constants_sockopts_packet;
extern const struct constants constants_stx_attributes;
extern const struct constants constants_clockids;
extern const struct constants constants_futex_ops;
extern const struct constants constants_futex_wake_ops;
extern const struct constants constants_futex_wake_cmps;
extern const struct constants constants_futex_waiter_flags;
extern const struct constants constants_poll_events;
extern const struct constants constants_epoll_events;
