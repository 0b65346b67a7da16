/*
 * The table of all system calls of x86-64 and arm64 (and the names of i386's and arm32's): one line
 * a call, in calls.def, with the type and name of each argument. Everything that knows about single
 * calls is made from it: decoding, fetching memory, classes for filters.
 */
#pragma once

#include "base/error.h"
#include "engine/syscalls/event.h"

/* Classes of calls for filters; strace's names with a % or without. */
enum syscall_class {
    SYSCALL_CLASS_FILE = 1 << 0,    /* takes a file name */
    SYSCALL_CLASS_DESC = 1 << 1,    /* takes or makes a descriptor */
    SYSCALL_CLASS_MEMORY = 1 << 2,  /* maps memory */
    SYSCALL_CLASS_PROCESS = 1 << 3, /* makes, ends or waits for processes */
    SYSCALL_CLASS_NETWORK = 1 << 4,
    SYSCALL_CLASS_SIGNAL = 1 << 5,
    SYSCALL_CLASS_IPC = 1 << 6,
    SYSCALL_CLASS_CREDS = 1 << 7,
    SYSCALL_CLASS_CLOCK = 1 << 8,
    SYSCALL_CLASS_STAT = 1 << 9, /* stat family */
    SYSCALL_CLASS_PURE = 1 << 10 /* takes no argument and always succeeds: getpid */
};

/* io_uring_setup, in every calling convention but SYSCALL_URING. Tracers see it whatever they were
 * asked for, because what a program does by io_uring are no calls. */
enum { SYSCALL_IO_URING_SETUP = 425 };

struct syscall_call; /* a line of calls.def; see calls_impl.h */

/* The name of a call; "syscall_0x1b5" for an unknown number, in a static buffer of this thread;
 * "(other numbers)" where abi is SYSCALL_ABIS (sums.h). */
const char *syscall_name(unsigned abi, uint32_t number);
/* Whether a table has the number: then its name is static, and may be kept. */
bool syscall_is_named(unsigned abi, uint32_t number);
/* The number of a call by its name in this abi, or -1. */
int syscall_number(unsigned abi, const char *name);
/* Number of arguments, or 6 for an unknown call. */
unsigned syscall_nargs(unsigned abi, uint32_t number);
/* The argument's name ("dirfd"), or NULL if the call has no such argument. */
const char *syscall_arg_name(unsigned abi, uint32_t number, unsigned arg);
unsigned syscall_classes(unsigned abi, uint32_t number); /* enum syscall_class, or-ed */
/* One more than the largest number that has a name in this abi. */
uint32_t syscall_numbers(unsigned abi);

/*
 * Which calls are wanted, from an expression as strace and renacer write it:
 * "openat,read", "trace=%file,!stat", "!/^futex/", "/stat/", "network", "all". Exclusion wins; an
 * expression of exclusions only means all others. A name is a call first, then a class: "stat" is
 * one call, "%stat" a class. "?name" is no error where no call has that name. ERROR_USAGE with the
 * position and the nearest name where a name is unknown.
 */
struct syscall_filter;
struct syscall_filter *syscall_filter_parse(const char *text, struct error *err);
/* f NULL: every call is wanted */
bool syscall_filter_wants(const struct syscall_filter *f, unsigned abi, uint32_t number);
void syscall_filter_free(struct syscall_filter *f);

/* "ENOENT", or NULL; and its text "No such file or directory". Number is positive. Errors that only
 * tracers see are known too: ERESTARTSYS. */
const char *syscall_errno_name(int number);
const char *syscall_errno_text(int number);
/* "SIGSEGV", "SIGRTMIN", "SIGRT_3" (in a static buffer of this thread); NULL for what is no signal.
 */
const char *syscall_signal_name(int number);
