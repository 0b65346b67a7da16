// Queues: a thread each. A doorbell is plain memory, so writes to it are not signalled: while any
// queue waits, one thread looks at what they wait for, the more rarely the longer nothing happened,
// so that idle queues cost nearly nothing.
#include "emu.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

enum { MOST_QUEUES = 128, SPINS = 50 };

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; // of the table, and of what queues wait for
static pthread_cond_t someone_waits = PTHREAD_COND_INITIALIZER;
static struct emu_queue queues[MOST_QUEUES];
static _Atomic uint64_t *doorbells;
static bool watching;

// Nanoseconds until the next look, by the time since something happened.
static long pause_after(uint64_t quiet)
{
    static const struct {
        uint64_t quiet;
        long pause;
    } steps[] = {{2000000, 20000}, {50000000, 100000}, {1000000000, 500000}};
    for (unsigned k = 0; k < sizeof steps / sizeof steps[0]; k++)
        if (quiet < steps[k].quiet)
            return steps[k].pause;
    return 8000000;
}

static void *watch(void *nothing)
{
    uint64_t last = emu_now();
    prctl(PR_SET_NAME, "emu-doorbells");
    prctl(PR_SET_TIMERSLACK, 1000);
    pthread_mutex_lock(&lock);
    for (;;) {
        unsigned waiting = 0;
        for (unsigned k = 0; k < MOST_QUEUES; k++) {
            struct emu_queue *q = &queues[k];
            if (!q->used || !q->ready || q->woken)
                continue;
            waiting++;
            if (q->ready(q, q->what)) {
                q->woken = true;
                last = emu_now();
                pthread_cond_signal(&q->wake);
            }
        }
        if (!waiting) {
            pthread_cond_wait(&someone_waits, &lock);
            last = emu_now();
            continue;
        }
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = pause_after(emu_now() - last)}, NULL);
        pthread_mutex_lock(&lock);
    }
    return nothing;
}

bool emu_wait(struct emu_queue *q, bool (*ready)(const struct emu_queue *, const void *),
              const void *what)
{
    for (unsigned spin = 0; spin < SPINS; spin++) {
        if (atomic_load(&q->stop))
            return false;
        if (ready(q, what))
            return true;
        sched_yield();
    }
    pthread_mutex_lock(&lock);
    q->ready = ready;
    q->what = what;
    q->woken = false;
    pthread_cond_signal(&someone_waits);
    while (!q->woken && !atomic_load(&q->stop))
        pthread_cond_wait(&q->wake, &lock);
    q->ready = NULL;
    pthread_mutex_unlock(&lock);
    return !atomic_load(&q->stop);
}

static bool never(const struct emu_queue *q, const void *what)
{
    (void)q, (void)what;
    return false;
}

void emu_wait_for_end(struct emu_queue *q)
{
    emu_wait(q, never, NULL);
}

// Under the lock.
static bool begin_watching(void)
{
    if (!doorbells) {
        void *page =
            mmap(NULL, 2 * EMU_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        doorbells = page == MAP_FAILED ? NULL : page;
    }
    if (doorbells && !watching) {
        pthread_t thread;
        watching = pthread_create(&thread, NULL, watch, NULL) == 0;
        if (watching)
            pthread_detach(thread);
    }
    return doorbells && watching;
}

static void connect_pointers(struct emu_queue *q, HSA_QUEUE_TYPE type, HsaQueueResource *resource)
{
    if (type == HSA_QUEUE_COMPUTE_AQL) {
        q->read_pointer = (_Atomic uint64_t *)resource->Queue_read_ptr_aql;
        q->error = (_Atomic int64_t *)resource->ErrorReason;
        atomic_store(q->doorbell, UINT64_MAX); // packet indices: nothing rung yet
        return;
    }
    q->sdma = true;
    q->read_pointer = (_Atomic uint64_t *)&q->own_pointers[0];
    resource->Queue_read_ptr_aql = &q->own_pointers[0];
    resource->Queue_write_ptr_aql = &q->own_pointers[1];
    atomic_store(q->doorbell, 0);
}

static HSAKMT_STATUS create(HSAuint32 node, HSA_QUEUE_TYPE type, void *ring, uint64_t size,
                            HsaQueueResource *resource)
{
    unsigned k = 0;
    while (k < MOST_QUEUES && queues[k].used)
        k++;
    if (k == MOST_QUEUES || !begin_watching())
        return HSAKMT_STATUS_OUT_OF_RESOURCES;
    struct emu_queue *q = &queues[k];
    memset(q, 0, sizeof *q);
    q->node = node;
    q->ring = ring;
    q->size = size;
    q->doorbell = &doorbells[(size_t)k * 8]; // 64 bytes each
    pthread_cond_init(&q->wake, NULL);
    connect_pointers(q, type, resource);
    q->used = pthread_create(&q->thread, NULL, q->sdma ? emu_sdma_run : emu_aql_run, q) == 0;
    resource->QueueId = k + 1;
    resource->Queue_DoorBell_aql = host_pointer((uintptr_t)q->doorbell);
    return q->used ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_OUT_OF_RESOURCES;
}

EXPORT HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32 percentage,
                                       HSA_QUEUE_PRIORITY priority, void *ring, HSAuint64 size,
                                       HsaEvent *event, HsaQueueResource *resource)
{
    (void)percentage, (void)priority, (void)event;
    if (!emu_is_gpu(node))
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!ring || size < 64 ||
        (type != HSA_QUEUE_COMPUTE_AQL && type != HSA_QUEUE_SDMA && type != HSA_QUEUE_SDMA_XGMI))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    static _Atomic uint64_t computes;
    if (type == HSA_QUEUE_COMPUTE_AQL && emu_is_nth(&emu_settings()->fail_queue, &computes))
        return HSAKMT_STATUS_OUT_OF_RESOURCES;
    pthread_mutex_lock(&lock);
    const HSAKMT_STATUS status = create(node, type, ring, size, resource);
    pthread_mutex_unlock(&lock);
    emu_log("queue of type %d, ring %p size %#lx: %d", type, ring, (unsigned long)size, status);
    return status;
}

EXPORT HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID id)
{
    if (!id || id > MOST_QUEUES || !queues[id - 1].used)
        return HSAKMT_STATUS_INVALID_HANDLE;
    struct emu_queue *q = &queues[id - 1];
    pthread_mutex_lock(&lock);
    atomic_store(&q->stop, true);
    pthread_cond_signal(&q->wake);
    pthread_mutex_unlock(&lock);
    pthread_join(q->thread, NULL);
    if (q->scratch) {
        emu_unmap((uint64_t)(uintptr_t)q->scratch, EMU_ALL_GPUS);
        munmap(q->scratch, q->scratch_size);
    }
    pthread_mutex_lock(&lock);
    pthread_cond_destroy(&q->wake);
    q->used = false;
    pthread_mutex_unlock(&lock);
    return HSAKMT_STATUS_SUCCESS;
}

unsigned emu_queues_left(FILE *to)
{
    unsigned n = 0;
    pthread_mutex_lock(&lock);
    for (unsigned k = 0; k < MOST_QUEUES; k++)
        if (queues[k].used) {
            fprintf(to, "%s queue %u\n", queues[k].sdma ? "copy" : "compute", k + 1);
            n++;
        }
    pthread_mutex_unlock(&lock);
    return n;
}
