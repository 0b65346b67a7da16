#include "support/syscall_scene.h"

#include <stdlib.h>
#include <string.h>

#include "engine/syscalls/calls.h"

struct syscall_scene scene_begin(void)
{
    return (struct syscall_scene){
        .facts = run_facts_new(), .pid = 100, .tid = 100, .now_ns = 1000000000, .call_ns = 1000};
}

static void give(struct syscall_scene *s, struct syscall_event *e)
{
    e->pid = s->pid;
    e->tid = s->tid;
    e->begin_ns = s->now_ns;
    e->end_ns = e->kind == SYSCALL_CALL ? s->now_ns + s->call_ns : s->now_ns;
    s->now_ns = e->end_ns;
    if (s->facts)
        run_facts_add(s->facts, e);
    else
        s->sink.event(s->sink.ctx, e);
}

static uint32_t number_of(const char *name)
{
    int number = syscall_number(SYSCALL_X86_64, name);
    if (number < 0)
        abort();
    return (uint32_t)number;
}

void scene_call(struct syscall_scene *s, const char *name, int64_t result, uint64_t a, uint64_t b,
                uint64_t c, uint64_t d)
{
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .abi = SYSCALL_X86_64,
                              .number = number_of(name),
                              .args = {a, b, c, d},
                              .result = result};
    give(s, &e);
}

void scene_operation(struct syscall_scene *s, uint32_t opcode, int64_t result)
{
    const uint64_t now = s->now_ns;
    struct syscall_event e = {
        .kind = SYSCALL_CALL, .abi = SYSCALL_URING, .number = opcode, .result = result};
    give(s, &e);
    s->now_ns = now;
}

void scene_bytes(struct syscall_scene *s, const char *name, int64_t result, int fd,
                 const char *bytes)
{
    struct syscall_piece piece = {.address = 0x2000, .size = (uint32_t)strlen(bytes)};
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .abi = SYSCALL_X86_64,
                              .number = number_of(name),
                              .args = {(uint64_t)fd, piece.address, piece.size},
                              .result = result,
                              .pieces = &piece,
                              .npieces = 1,
                              .bytes = (const uint8_t *)bytes,
                              .nbytes = piece.size};
    give(s, &e);
}

void scene_path(struct syscall_scene *s, const char *name, int64_t result, unsigned arg,
                const char *path)
{
    const uint64_t args[4] = {(uint64_t)(int64_t)-100}; /* AT_FDCWD */
    scene_path_args(s, name, result, arg, path, args);
}

void scene_path_args(struct syscall_scene *s, const char *name, int64_t result, unsigned arg,
                     const char *path, const uint64_t args[4])
{
    struct syscall_piece piece = {.address = 0x1000, .size = (uint32_t)strlen(path) + 1};
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .abi = SYSCALL_X86_64,
                              .number = number_of(name),
                              .result = result,
                              .pieces = &piece,
                              .npieces = 1,
                              .bytes = (const uint8_t *)path,
                              .nbytes = piece.size};
    memcpy(e.args, args, 4 * sizeof *args);
    e.args[arg] = piece.address;
    give(s, &e);
}

static void named(struct syscall_scene *s, struct syscall_event e, const char *name)
{
    e.bytes = (const uint8_t *)name;
    e.nbytes = (uint32_t)strlen(name) + 1;
    give(s, &e);
}

void scene_start(struct syscall_scene *s, int32_t pid, const char *program)
{
    int32_t parent = s->tid;
    s->pid = s->tid = pid;
    named(s, (struct syscall_event){.kind = SYSCALL_START, .parent = parent}, program);
}

void scene_thread(struct syscall_scene *s, int32_t tid)
{
    struct syscall_event e = {.kind = SYSCALL_START, .parent = s->tid};
    s->tid = tid;
    give(s, &e);
}

void scene_exec(struct syscall_scene *s, const char *program)
{
    named(s, (struct syscall_event){.kind = SYSCALL_EXEC}, program);
}

void scene_exit(struct syscall_scene *s, int status, uint64_t resident)
{
    struct syscall_event e = {.kind = SYSCALL_EXIT, .args = {resident}, .result = status};
    give(s, &e);
}
