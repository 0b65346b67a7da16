/*
 * The table of all system calls of x86-64 and arm64 (and the names of i386's and arm32's):
 * calls.def has a line for each call, with the type and name of each argument. Everything that
 * knows about single calls comes from it: decoding, fetching memory, classes for filters.
 */
#pragma once

#include "base/error.h"
#include "engine/syscalls/event.h"

/* Classes of calls for filters; the names of strace, with or without %. */
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

/* The number of io_uring_setup in every ABI but SYSCALL_URING. Tracers always trace it, because
 * operations of io_uring are no calls and would go unnoticed. */
enum { SYSCALL_IO_URING_SETUP = 425 };

struct syscall_call; /* a line of calls.def; see calls_impl.h */

/* The name of a call; "syscall_0x1b5" for an unknown number, in a static buffer of this thread;
 * "(other numbers)" if abi is SYSCALL_ABIS (sums.h). */
const char *syscall_name(unsigned abi, uint32_t number);
/* Whether the number has a name: then the text of syscall_name is static and may be kept. */
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

/* Which calls are wanted. The expression has the form of strace and renacer: "openat,read",
 * "trace=%file,!stat", "!/^futex/", "/stat/", "network", "all". An exclusion wins; an expression
 * with nothing but exclusions means all other calls. A name is a call first, then a class: "stat"
 * is one call, "%stat" a class. "?name" is no error if no call has that name. ERROR_USAGE, with the
 * position and the nearest name, if a name is unknown. */
struct syscall_filter;
struct syscall_filter *syscall_filter_parse(const char *text, struct error *err);
/* f NULL: every call is wanted */
bool syscall_filter_wants(const struct syscall_filter *f, unsigned abi, uint32_t number);
void syscall_filter_free(struct syscall_filter *f);

/* The name of a positive error number, "ENOENT", or NULL; and its text, "No such file or
 * directory". Includes errors that only tracers see, such as ERESTARTSYS. */
const char *syscall_errno_name(int number);
const char *syscall_errno_text(int number);
/* "SIGSEGV", "SIGRTMIN", "SIGRT_3" (in a static buffer of this thread); NULL: no such signal. */
const char *syscall_signal_name(int number);
