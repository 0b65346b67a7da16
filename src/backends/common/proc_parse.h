/*
 * Parses the texts of /proc into structures. Pure functions over a buffer that need not end in a
 * NUL. No input makes them read outside it, and numbers too large for their type saturate.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- /proc/PID/stat --- */

enum { COMM_SIZE = 64 }; /* the kernel gives work queue threads up to 63 bytes, others 15 */
struct pid_stat {
    pid_t pid, ppid, pgrp, session;
    char comm[COMM_SIZE]; /* any bytes except NUL */
    char state;
    bool kernel_thread;
    int nice, threads, cpu;
    uint64_t ticks;       /* utime + stime, USER_HZ */
    uint64_t child_ticks; /* the same for its children that ended and that it waited for */
    uint64_t minor_faults, major_faults; /* of pages: without, with reading from a disk */
    uint64_t child_minor_faults, child_major_faults; /* of the same children */
    uint64_t start_ticks;                            /* since boot, USER_HZ */
    uint64_t virt;                                   /* bytes */
    uint64_t rss_pages;
};
/* Returns 0, or -EINVAL if the line is not from /proc/PID/stat. */
int parse_pid_stat(const char *buf, size_t n, struct pid_stat *out);

/* --- /proc/stat --- */

/* In USER_HZ since boot; guest time is already included in user and nice. */
struct cpu_ticks {
    uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};
struct sys_stat {
    struct cpu_ticks total; /* of the line "cpu" */
    uint64_t interrupts, context_switches, forks, running;
    bool have_total, have_interrupts, have_context_switches, have_forks;
    /* set by the caller: */
    const int *position; /* CPU number -> row, -1: not wanted; npositions entries */
    int npositions;
    struct cpu_ticks *cpu; /* one for each row */
    bool *seen;            /* set for the rows that were found */
};
void parse_sys_stat(const char *buf, size_t n, struct sys_stat *out);

/* --- lines "Name:   123 kB" of /proc/meminfo; the results are in bytes --- */

struct mem_info {
    uint64_t total, available, free, cached, buffers, swap_total, swap_free;
    bool have_total, have_available, have_cached, have_buffers, have_swap;
};
void parse_meminfo(const char *buf, size_t n, struct mem_info *out);

/* --- other files --- */

/* Parses up to max decimal numbers at the start ("0.42 1.00 17"). Returns how many. */
int parse_decimals(const char *buf, size_t n, double *out, int max);
/* Parses avg10 of the "some" line of a pressure file. Returns 0 or -EINVAL. */
int parse_pressure(const char *buf, size_t n, double *avg10);

/* One line of /proc/net/dev or /proc/diskstats. */
struct io_line {
    char name[32];
    uint64_t in, out; /* bytes received and sent, or read and written */
};
/* Parse the next line that has an interface (or disk) and advance *at; false at the end. */
bool parse_net_line(const char *buf, size_t n, size_t *at, struct io_line *out);
bool parse_disk_line(const char *buf, size_t n, size_t *at, struct io_line *out);
