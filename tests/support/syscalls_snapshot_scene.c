#include "support/syscalls_snapshot_scene.h"

#include <stdio.h>

#include "engine/syscalls/snapshot/calls_profile.h"
#include "support/syscall_scene.h"

static void add(void *ctx, const struct syscall_event *e)
{
    syscalls_gather_add(ctx, e);
}

/* Reads a file byte by byte; looks for what is not there. */
static void round_of_reader(struct syscall_scene *s, int round)
{
    s->pid = s->tid = 201;
    s->call_ns = 4000;
    scene_path(s, "openat", -2, 1, "/usr/lib/none.so");
    for (int i = 0; i < 300; i++)
        scene_call(s, "read", 1, 4, 0, 1, 0);
    s->call_ns = 2500000;
    scene_call(s, "fsync", 0, 5, 0, 0, 0);
    s->call_ns = 9000;
    scene_bytes(s, "write", 6, 5, round % 2 ? "\033[31m\n" : "hello\n");
}

static void round_of_server(struct syscall_scene *s, int round)
{
    s->pid = s->tid = 202;
    s->call_ns = 800000 + 10000 * (uint64_t)round;
    scene_call(s, "recvfrom", 512, 7, 0, 4096, 0);
    s->call_ns = 30000;
    scene_call(s, "sendto", 65536, 7, 0, 65536, 0);
    s->call_ns = 40000000;
    scene_call(s, "poll", round % 3 == 0, 0, 1, 100, 0);
}

struct syscalls_snapshot *syscalls_snapshot_scene(enum syscalls_state state, int rounds)
{
    struct syscalls_gather *g = syscalls_gather_new(&syscalls_limits_live);
    struct syscall_scene s = {.pid = 200,
                              .tid = 200,
                              .now_ns = 1000000000,
                              .call_ns = 5000,
                              .sink = {.event = add, .ctx = g}};
    scene_exec(&s, "/bin/sh");
    scene_path(&s, "openat", 3, 1, "/etc/ld.so.cache");
    scene_call(&s, "close", 0, 3, 0, 0, 0);
    scene_call(&s, "getppid", 100, 0, 0, 0, 0);
    scene_start(&s, 201, "/usr/bin/reader");
    scene_path(&s, "openat", 4, 1, "/etc/services");
    scene_path(&s, "openat", 5, 1, "/var/log/bad\033[2Jname.log");
    s.pid = s.tid = 200;
    scene_start(&s, 202, "/usr/sbin/server");
    scene_call(&s, "socket", 7, 2, 1, 0, 0);
    for (int i = 0; i < rounds; i++) {
        round_of_reader(&s, i);
        round_of_server(&s, i);
    }
    struct syscalls_snapshot *p = syscalls_gather_snapshot(g, 0);
    syscalls_gather_free(g);
    p->state = state;
    if (state != SYSCALLS_SAVED) {
        snprintf(p->by, sizeof p->by, "ptrace");
        snprintf(p->summary, sizeof p->summary, "stops the program at each call; needs no rights");
    }
    if (state == SYSCALLS_TRACING)
        p->tracer_cpu = 0.25;
    if (state == SYSCALLS_FAILED)
        snprintf(p->why, sizeof p->why, "trace process 200: gdb traces it already; end it first");
    return p;
}

struct syscalls_snapshot *syscalls_stacks_scene(void)
{
    static const struct syscall_frame f[] = {
        {.function = "write", .module = "/lib/libc.so.6", .file = ""},
        {.function = "save\033[7m", .module = "/bin/prog", .file = "/src/a.c", .line = 7},
        {.function = "run", .module = "/bin/prog", .file = "/src/a.c", .line = 9},
        {.function = "main", .module = "/bin/prog", .file = "/src/a.c", .line = 11},
        {.function = "load", .module = "/bin/prog", .file = "/src/b.c", .line = 70}};
    const struct syscall_frame *const far[] = {&f[0], &f[1], &f[2], &f[3]}, *const near[] = {&f[0],
                                                                                             &f[4]};
    const struct syscall_stack stacks[] = {{.id = 0, .n = 4, .frames = far},
                                           {.id = 1, .n = 2, .frames = near}};
    struct syscalls_gather *g = syscalls_gather_new(&syscalls_limits_saved);
    for (unsigned i = 0; i < 40; i++) {
        const bool load = i % 4 == 3;
        syscalls_gather_add(g, &(struct syscall_event){.kind = SYSCALL_CALL,
                                                       .abi = SYSCALL_X86_64,
                                                       .pid = 1,
                                                       .tid = 1,
                                                       .number = i % 2 ? 1 : 74, /* write, fsync */
                                                       .begin_ns = 1000 * i + 1,
                                                       .end_ns = 1000 * i + (load ? 401 : 101),
                                                       .stack = &stacks[load]});
    }
    struct syscalls_snapshot *p = syscalls_gather_snapshot(g, 0);
    syscalls_gather_free(g);
    p->state = SYSCALLS_SAVED;
    calls_profile_add(p);
    return p;
}
