/*
 * A simulated GPU runtime with the few calls the device headers use, under both names. Its clock
 * moves only when fake_gpu_work says that something was enqueued; synchronize makes it done.
 */
#ifndef FAKE_GPU_RUNTIME_H
#define FAKE_GPU_RUNTIME_H

#include <stdint.h>
#include <stdlib.h>

struct fake_event {
    uint64_t at, number;
};
static struct {
    uint64_t now, enqueued, done; /* ns of work; stamps enqueued, and how many are done */
    int live, waits, fail_create;
} fake_gpu;

static inline void fake_gpu_work(uint64_t ns)
{
    fake_gpu.now += ns;
}

#define FAKE_GPU(api)                                                                              \
    typedef struct fake_event *api##Event_t;                                                       \
    typedef void *api##Stream_t;                                                                   \
    static inline int api##EventCreate(api##Event_t *e)                                            \
    {                                                                                              \
        if (fake_gpu.fail_create)                                                                  \
            return 2;                                                                              \
        *e = calloc(1, sizeof **e);                                                                \
        fake_gpu.live++;                                                                           \
        return *e ? 0 : 2;                                                                         \
    }                                                                                              \
    static inline int api##EventDestroy(api##Event_t e)                                            \
    {                                                                                              \
        free(e);                                                                                   \
        fake_gpu.live--;                                                                           \
        return 0;                                                                                  \
    }                                                                                              \
    static inline int api##EventRecord(api##Event_t e, api##Stream_t s)                            \
    {                                                                                              \
        (void)s;                                                                                   \
        e->at = fake_gpu.now;                                                                      \
        e->number = ++fake_gpu.enqueued;                                                           \
        return 0;                                                                                  \
    }                                                                                              \
    static inline int api##EventSynchronize(api##Event_t e)                                        \
    {                                                                                              \
        if (fake_gpu.done < e->number)                                                             \
            fake_gpu.done = e->number;                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    static inline int api##StreamSynchronize(api##Stream_t s)                                      \
    {                                                                                              \
        (void)s;                                                                                   \
        fake_gpu.waits++;                                                                          \
        fake_gpu.done = fake_gpu.enqueued;                                                         \
        return 0;                                                                                  \
    }                                                                                              \
    static inline int api##EventElapsedTime(float *ms, api##Event_t a, api##Event_t b)             \
    {                                                                                              \
        if (a->number > fake_gpu.done || b->number > fake_gpu.done)                                \
            return 600; /* not ready */                                                            \
        *ms = (float)((double)(int64_t)(b->at - a->at) / 1e6);                                     \
        return 0;                                                                                  \
    }

#define CUDART_VERSION 0
#define HIP_VERSION    0
FAKE_GPU(cuda)
FAKE_GPU(hip)

#endif
