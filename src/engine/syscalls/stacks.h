/*
 * Call stacks of system calls, each kept once. Tracers find them at the entry of calls, readers in
 * files; calls refer to them. Used by one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function on a stack, or one inlined into the next. Texts are never NULL. */
struct syscall_frame {
    const char *function; /* "" unknown */
    const char *module;   /* path of the file with the code, "[vdso]", "[jit]", "[anon]" */
    const char *file;     /* source of the call, "" unknown */
    uint64_t address;     /* after the call, in the module; in memory if that is no file */
    uint64_t offset;      /* of address in the function; 0 if that is unknown or inlined */
    uint32_t id;          /* number from 0, in order of first appearance in a stack */
    int line;             /* 0 unknown */
    bool inlined;         /* inlined into the function of the next frame */
};

struct syscall_stack {
    uint32_t id; /* from 0, in order of first appearance */
    uint32_t n;
    bool cut;                                  /* there were more frames */
    const struct syscall_frame *const *frames; /* innermost first; equal ones are one pointer */
};

enum { SYSCALL_FRAMES_MAX = 512, SYSCALL_STACKS_BYTES = 64 << 20 };

struct syscall_stacks;
/* limit: approximate number of bytes. */
struct syscall_stacks *syscall_stacks_new(size_t limit);
/* Adds an owner. Only one thread adds stacks; others may read stacks that were handed to them. */
struct syscall_stacks *syscall_stacks_ref(struct syscall_stacks *s);
/* Ends an ownership; the last owner frees all stacks too. NULL allowed. */
void syscall_stacks_free(struct syscall_stacks *s);
/* The stack of these frames, innermost first; n is at most SYSCALL_FRAMES_MAX. Texts are copied.
 * NULL if n is 0, or if the stack is new and the limit is reached. */
const struct syscall_stack *syscall_stacks_add(struct syscall_stacks *s,
                                               const struct syscall_frame *frames, size_t n,
                                               bool cut);
/* The number of stacks that were refused at the limit. */
uint64_t syscall_stacks_refused(const struct syscall_stacks *s);

/* The frame that made the call: the innermost one with a known source outside the C library, the
 * loader and the language's libraries (Rust's std, Go's packages, C++'s headers). Else the same
 * with the language's libraries, else with all libraries; else the innermost named frame outside
 * the C library and the loader. NULL: there is none, or stack is NULL. */
const struct syscall_frame *syscall_stack_origin(const struct syscall_stack *stack);
/* The frame to which a list by function adds the call. As the origin, but a frame of the C library
 * or the loader only if there is no other one, even if only the name or address of that one is
 * known. */
const struct syscall_frame *syscall_stack_maker(const struct syscall_stack *stack);
/* Writes the function's name, or the address if it has none, into out. */
const char *syscall_frame_name(const struct syscall_frame *f, char *out, size_t size);
/* "save (prog.c:112)", "fsync (libc.so.6)", "commit, inlined (prog.c:80)": a line for people,
 * safe to print. Into out. */
void syscall_frame_line(const struct syscall_frame *f, char *out, size_t size);
/* The module without its folders. */
const char *syscall_frame_module(const struct syscall_frame *f);
