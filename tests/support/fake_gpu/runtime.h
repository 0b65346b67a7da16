/*
 * A simulated GPU runtime with the few calls the device headers use, under both names. Its clock
 * moves only when fake_gpu_work says that something was enqueued; synchronize makes it done.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FAKE_EVENTS = 1 << 16 };
struct fake_event {
    uint64_t at, number;
    int used;
};
static struct {
    uint64_t now, enqueued, done; /* ns of work; stamps enqueued, and how many are done */
    int live, waits, fail_create;
    struct fake_event events[FAKE_EVENTS];
} fake_gpu;

static inline struct fake_event *fake_gpu_event(void)
{
    for (int i = 0; i < FAKE_EVENTS && !fake_gpu.fail_create; i++)
        if (!fake_gpu.events[i].used) {
            fake_gpu.events[i] = (struct fake_event){.used = 1};
            fake_gpu.live++;
            return &fake_gpu.events[i];
        }
    return NULL;
}

static inline void fake_gpu_work(uint64_t ns)
{
    fake_gpu.now += ns;
}

#define FAKE_GPU(api)                                                                              \
    typedef struct fake_event *api##Event_t;                                                       \
    typedef void *api##Stream_t;                                                                   \
    static inline int api##EventCreate(api##Event_t *e)                                            \
    {                                                                                              \
        *e = fake_gpu_event();                                                                     \
        return *e ? 0 : 2;                                                                         \
    }                                                                                              \
    static inline int api##EventDestroy(api##Event_t e)                                            \
    {                                                                                              \
        e->used = 0;                                                                               \
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
