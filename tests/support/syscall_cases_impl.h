/* What the files of cases share. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/syscall_cases.h"

/* The call itself, not what the C library makes of it. */
#define S(name, ...) result(syscall(SYS_##name, __VA_ARGS__))
#define S0(name)     result(syscall(SYS_##name))
#define CWD          (-100)
#define BAD          ((void *)0x10)
#define FILE_A       "a.txt"
#define NO_FILE      "/no/such/file"

/* Nobody needs to look at it. */
static inline int result(long value)
{
    return (int)value;
}

/* When SIGCHLD comes is chance: it waits until the case is over. */
static inline void hold_sigchld(int how)
{
    unsigned long set = 1UL << (SIGCHLD - 1);
    S(rt_sigprocmask, how, &set, NULL, 8);
}
