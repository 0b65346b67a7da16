/*
 * The constructor, which runs before those of all other libraries (-z initfirst). If it lacks
 * anything, it leaves the program unchanged, and rooftop goes on with ptrace.
 */
#include <asm/unistd.h>
#include <linux/shm.h>

#include "recorder/recorder.h"

struct syscall_control *recorder_control;
static struct syscall_plan plan;

static long parse_descriptor(const char *text)
{
    long n = 0;
    for (; *text >= '0' && *text <= '9' && n < INT32_MAX; text++)
        n = 10 * n + *text - '0';
    return *text ? -1 : n;
}

/* Attaches a segment of shared memory, or returns NULL. */
static void *attach_segment(long id, long flags)
{
    const long at = id < 0 ? -1 : CALL3(__NR_shmat, id, 0, flags);
    return call_failed(at) ? NULL : (void *)at;
}

static bool attach_all(const char *identifier)
{
    struct syscall_control *c = attach_segment(parse_descriptor(identifier), 0);
    if (!c)
        return false;
    if (c->magic == SYSCALL_RING_MAGIC && c->version == SYSCALL_RING_VERSION &&
        (patch_sites = attach_segment(c->sites_id, SHM_RDONLY))) {
        recorder_control = c;
        return true;
    }
    CALL1(__NR_shmdt, c);
    return false;
}

static void detach_all(struct syscall_ring *r)
{
    if (r && r->number != UINT32_MAX)
        ring_drop(r);
    CALL1(__NR_shmdt, patch_sites);
    CALL1(__NR_shmdt, recorder_control);
}

/* Says hello: the tracer fills the plan and detaches, and all later calls are recorded. What can
 * wait comes after it, because the tracer stops each earlier call twice. */
static bool say_hello(struct syscall_ring *r)
{
    ring_claim(r);
    if (!masks_arm())
        return false;
    CALL3(SYSCALL_RING_HELLO, &plan, r->number, sizeof plan);
    if (!plan.ready) {
        masks_disarm();
        return false;
    }
    ring_enter(r);
    masks_start(r);
    return true;
}

/* glibc's dynamic linker passes these arguments; another may not. */
static bool from_linker(int argc, char **argv, char **environment)
{
    return argc > 0 && argc < 1 << 24 && argv && environment == argv + argc + 1;
}

__attribute__((constructor, used)) static void start(int argc, char **argv, char **environment)
{
    const char *identifier =
        from_linker(argc, argv, environment) ? program_clean(environment) : NULL;
    if (!identifier || !attach_all(identifier))
        return;
    before_start();
    struct syscall_ring *r = ring_take(0, 0);
    if (r)
        plain_start(r, (uint64_t)argv);
    if (!r || r->number == UINT32_MAX || !say_hello(r)) {
        detach_all(r);
        return;
    }
    for (uint32_t i = 0; i < plan.nparts; i++)
        patch_part(&plan.parts[i]);
}
