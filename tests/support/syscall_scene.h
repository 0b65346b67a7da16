/* Events of system calls made by hand, for tests of what is computed from them. */
#pragma once

#include "engine/facts/facts.h"

/* What the next call has besides its arguments. Zeroed at first. */
struct syscall_scene {
    struct run_facts *facts; /* gets the events; NULL: the sink does */
    struct syscall_sink sink;
    int32_t pid, tid;
    uint64_t now_ns;  /* of the next event */
    uint64_t call_ns; /* that each call takes */
};

struct syscall_scene scene_begin(void); /* one process, 100; facts are the caller's to free */
/* A call by its x86-64 name. */
void scene_call(struct syscall_scene *s, const char *name, int64_t result, uint64_t a, uint64_t b,
                uint64_t c, uint64_t d);
/* An operation of io_uring, as long as a call, after which the next event begins when it began. */
void scene_operation(struct syscall_scene *s, uint32_t opcode, int64_t result);
/* A call whose argument `arg` is this path. */
void scene_path(struct syscall_scene *s, const char *name, int64_t result, unsigned arg,
                const char *path);
/* The same with four arguments, of which `arg` is replaced by the path. */
void scene_path_args(struct syscall_scene *s, const char *name, int64_t result, unsigned arg,
                     const char *path, const uint64_t args[4]);
/* A write of these bytes: write, pwrite64, sendto. */
void scene_bytes(struct syscall_scene *s, const char *name, int64_t result, int fd,
                 const char *bytes);
/* A process that the current one starts, and that runs `program` from then on. */
void scene_start(struct syscall_scene *s, int32_t pid, const char *program);
void scene_thread(struct syscall_scene *s, int32_t tid);
void scene_exec(struct syscall_scene *s, const char *program);
/* status: as wait(2) gives it; resident: peak in bytes. */
void scene_exit(struct syscall_scene *s, int status, uint64_t resident);
