// Events: what the runtime waits for when it does not poll. Each has an age, so that a wait does
// not miss one.
#include "emu.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_EVENTS = 4096 };

struct event {
    HsaEvent public; // first: the runtime has pointers to it
    bool set, manual, destroyed;
    uint64_t age;
    unsigned waiters;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static struct event *events[MOST_EVENTS]; // by id; 0 is none
static uint64_t *mailboxes;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
    void *page = mmap(NULL, MOST_EVENTS * sizeof *mailboxes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mailboxes = page == MAP_FAILED ? NULL : page;
    if (mailboxes) // copy engines write there
        emu_map((uint64_t)(uintptr_t)page, MOST_EVENTS * sizeof *mailboxes, page,
                PROT_READ | PROT_WRITE, EMU_ALL_GPUS);
}

EXPORT HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *descriptor, bool manual, bool is_set,
                                       HsaEvent **event)
{
    pthread_once(&once, prepare);
    struct event *e = calloc(1, sizeof *e);
    if (!e || !mailboxes) {
        free(e);
        return HSAKMT_STATUS_NO_MEMORY;
    }
    pthread_mutex_lock(&lock);
    uint32_t id = 1;
    while (id < MOST_EVENTS && events[id])
        id++;
    if (id < MOST_EVENTS) {
        e->public.EventId = id;
        e->public.EventData.EventType = descriptor->EventType;
        e->public.EventData.HWData2 = (uint64_t)(uintptr_t)&mailboxes[id];
        e->public.EventData.HWData3 = id;
        e->public.EventData.EventData.SyncVar = descriptor->SyncVar;
        e->manual = manual;
        e->set = is_set;
        e->age = 1;
        events[id] = e;
        *event = &e->public;
    }
    pthread_mutex_unlock(&lock);
    if (id < MOST_EVENTS)
        return HSAKMT_STATUS_SUCCESS;
    free(e);
    return HSAKMT_STATUS_NO_MEMORY;
}

// As in the kernel: wakes all current waiters; an event that resets itself stays set only if there
// are none.
static void set_locked(struct event *e)
{
    e->set = e->manual || !e->waiters;
    e->age++;
    pthread_cond_broadcast(&changed);
}

EXPORT HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *event)
{
    if (!event || !event->EventId || event->EventId >= MOST_EVENTS)
        return HSAKMT_STATUS_INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    struct event *e = events[event->EventId];
    events[event->EventId] = NULL;
    if (e && e->waiters) { // the last of them frees it
        e->destroyed = true;
        set_locked(e);
    } else
        free(e);
    pthread_mutex_unlock(&lock);
    return HSAKMT_STATUS_SUCCESS;
}

void emu_event_set(uint32_t id)
{
    pthread_mutex_lock(&lock);
    if (id && id < MOST_EVENTS && events[id])
        set_locked(events[id]);
    pthread_mutex_unlock(&lock);
}

EXPORT HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *event)
{
    if (!event)
        return HSAKMT_STATUS_INVALID_HANDLE;
    emu_event_set(event->EventId);
    return HSAKMT_STATUS_SUCCESS;
}

void emu_memory_fault(uint64_t address, bool write)
{
    pthread_mutex_lock(&lock);
    for (unsigned k = 1; k < MOST_EVENTS; k++) {
        struct event *e = events[k];
        if (!e || e->public.EventData.EventType != HSA_EVENTTYPE_MEMORY)
            continue;
        HsaMemoryAccessFault *fault = &e->public.EventData.EventData.MemoryAccessFault;
        memset(fault, 0, sizeof *fault);
        fault->NodeId = emu_running_on();
        fault->VirtualAddress = address / EMU_PAGE * EMU_PAGE;
        fault->Failure.NotPresent = 1;
        fault->Failure.ReadOnly = write;
        fault->Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
        set_locked(e);
    }
    pthread_mutex_unlock(&lock);
}

// How many of the events have happened: they are set, or their age is above that which the caller,
// or this wait, has seen.
static HSAuint32 happened(HsaEvent **list, HSAuint32 count, const uint64_t *ages,
                          const uint64_t *began)
{
    HSAuint32 n = 0;
    for (HSAuint32 k = 0; k < count; k++) {
        const struct event *e = (const struct event *)list[k];
        n += e->set || e->age != began[k] || (ages && ages[k] && ages[k] != e->age);
    }
    return n;
}

static struct timespec deadline_in(HSAuint32 milliseconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += milliseconds / 1000;
    t.tv_nsec += milliseconds % 1000 * 1000000L;
    if (t.tv_nsec >= 1000000000L) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000L;
    }
    return t;
}

// Under the lock: until enough of the events have happened.
static HSAKMT_STATUS sleep_on(HsaEvent **list, HSAuint32 count, bool all, HSAuint32 milliseconds,
                              const uint64_t *ages, const uint64_t *began)
{
    const bool for_ever = milliseconds >= 0xfffffffe;
    const struct timespec deadline = deadline_in(for_ever ? 0 : milliseconds);
    for (;;) {
        const HSAuint32 n = happened(list, count, ages, began);
        if (n == count || (n && !all))
            return HSAKMT_STATUS_SUCCESS;
        if (for_ever)
            pthread_cond_wait(&changed, &lock);
        else if (pthread_cond_timedwait(&changed, &lock, &deadline))
            return HSAKMT_STATUS_WAIT_TIMEOUT;
    }
}

static HSAKMT_STATUS wait_for(HsaEvent **list, HSAuint32 count, bool all, HSAuint32 milliseconds,
                              uint64_t *ages)
{
    uint64_t few[64] = {0}, *began = count <= 64 ? few : calloc(count, sizeof *began);
    if (!began)
        return HSAKMT_STATUS_NO_MEMORY;
    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
    for (HSAuint32 k = 0; k < count; k++) {
        struct event *e = (struct event *)list[k];
        began[k] = e->age;
        e->waiters++;
    }
    const HSAKMT_STATUS status = sleep_on(list, count, all, milliseconds, ages, began);
    for (HSAuint32 k = 0; k < count; k++) {
        struct event *e = (struct event *)list[k];
        if (status == HSAKMT_STATUS_SUCCESS && !e->manual)
            e->set = false;
        if (ages && ages[k])
            ages[k] = e->age;
        if (--e->waiters == 0 && e->destroyed)
            free(e);
    }
    pthread_mutex_unlock(&lock);
    if (began != few)
        free(began);
    return status;
}

EXPORT HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *list[], HSAuint32 count, bool all,
                                                HSAuint32 milliseconds)
{
    return wait_for(list, count, all, milliseconds, NULL);
}
EXPORT HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
    return wait_for(&event, 1, true, milliseconds, NULL);
}
#if EMU_HAS_VMEM
EXPORT HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent *list[], HSAuint32 count, bool all,
                                                    HSAuint32 milliseconds, uint64_t *ages)
{
    return wait_for(list, count, all, milliseconds, ages);
}
EXPORT HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent *event, HSAuint32 milliseconds, uint64_t *age)
{
    return wait_for(&event, 1, true, milliseconds, age);
}
#endif
