// More than one queue, thread, or packet at once.
#include "apps/app.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { N = 256, MOST = 64, BARRIER = 1 << HSA_PACKET_HEADER_BARRIER };

// A queue with a buffer that `increment` works on, and the arguments for it.
struct lane {
    struct app *app;
    struct job *job;
    hsa_queue_t *queue;
    hsa_signal_t done;
    void *arguments, *buffer;
    uint32_t seed;
    unsigned launched;
};

static void lane_open(struct app *app, struct lane *l, struct job *job, uint32_t seed)
{
    static uint32_t p[N];
    *l = (struct lane){.app = app, .job = job, .seed = seed};
    fill(p, N, seed);
    l->buffer = gpu_upload(&app->gpu, p, sizeof p);
    HSA(hsa_queue_create(app->gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
                         UINT32_MAX, &l->queue));
    HSA(hsa_signal_create(0, 0, NULL, &l->done));
    HSA(hsa_amd_memory_pool_allocate(app->gpu.kernarg, ARGUMENTS_SIZE, 0, &l->arguments));
    HSA(hsa_amd_agents_allow_access(1, &app->gpu.agent, NULL, l->arguments));
    struct arguments a = {0};
    ARGUMENT(&a, void *, l->buffer);
    ARGUMENT(&a, uint32_t, N);
    ARGUMENT(&a, uint32_t, 7);
    gpu_put_arguments(l->arguments, &a, job->grid, job->group);
}

static hsa_kernel_dispatch_packet_t lane_packet(const struct lane *l, hsa_signal_t done)
{
    hsa_kernel_dispatch_packet_t p =
        gpu_packet(&l->job->kernel, l->arguments, l->job->grid, l->job->group, 0, done);
    p.header |= BARRIER; // one after the other: they work in place
    return p;
}

// Submits n launches; the last one signals its completion.
static void lane_submit(struct lane *l, unsigned n)
{
    hsa_signal_store_relaxed(l->done, 1);
    for (unsigned k = 0; k < n; k++) {
        const hsa_kernel_dispatch_packet_t p =
            lane_packet(l, k + 1 == n ? l->done : (hsa_signal_t){0});
        while (hsa_queue_load_write_index_relaxed(l->queue) -
                   hsa_queue_load_read_index_scacquire(l->queue) >=
               l->queue->size)
            ;
        gpu_submit(l->queue, &p);
    }
    l->launched += n;
}

static void lane_wait(struct lane *l)
{
    struct gpu g = l->app->gpu;
    g.done = l->done;
    CHECK(gpu_wait(&g, APP_SECONDS), "queue %u does not get done", l->seed);
}

static void lane_close(struct lane *l)
{
    uint32_t p[N];
    gpu_download(p, l->buffer, sizeof p);
    expect_incremented(p, N, l->seed, 7, l->launched);
    HSA(hsa_queue_destroy(l->queue));
    HSA(hsa_signal_destroy(l->done));
    HSA(hsa_amd_memory_pool_free(l->arguments));
    gpu_free(l->buffer);
}

static unsigned lanes_open(struct app *app, struct lane *lanes, struct job *job)
{
    const unsigned n = app->count < MOST ? app->count : MOST;
    job_increment(app, job, NULL, N, 7);
    for (unsigned k = 0; k < n; k++)
        lane_open(app, &lanes[k], job, k + 1);
    return n;
}

static void run_queues(struct app *app)
{
    struct lane lanes[MOST];
    struct job job;
    const unsigned n = lanes_open(app, lanes, &job);
    for (unsigned k = 0; k < n; k++)
        lane_submit(&lanes[k], app->times);
    for (unsigned k = 0; k < n; k++)
        lane_wait(&lanes[k]);
    for (unsigned k = 0; k < n; k++)
        lane_close(&lanes[k]);
    job_free(&job);
}

static void *work_in_thread(void *lane)
{
    struct lane *l = lane;
    for (unsigned k = 0; k < l->app->times; k++) {
        lane_submit(l, 1);
        lane_wait(l);
    }
    return NULL;
}

static void run_threads(struct app *app)
{
    struct lane lanes[MOST];
    pthread_t threads[MOST];
    struct job job;
    const unsigned n = lanes_open(app, lanes, &job);
    for (unsigned k = 0; k < n; k++)
        CHECK(pthread_create(&threads[k], NULL, work_in_thread, &lanes[k]) == 0, "no thread");
    for (unsigned k = 0; k < n; k++)
        CHECK(pthread_join(threads[k], NULL) == 0, "a thread is lost");
    for (unsigned k = 0; k < n; k++)
        lane_close(&lanes[k]);
    job_free(&job);
}

// All threads submit to the first lane's queue.
static void run_shared_queue(struct app *app)
{
    struct lane lanes[MOST];
    pthread_t threads[MOST];
    struct job job;
    const unsigned n = lanes_open(app, lanes, &job);
    hsa_queue_t *const own[MOST] = {lanes[0].queue};
    for (unsigned k = 1; k < n; k++) {
        memcpy((void *)&own[k], &lanes[k].queue, sizeof own[k]);
        lanes[k].queue = lanes[0].queue;
    }
    for (unsigned k = 0; k < n; k++)
        CHECK(pthread_create(&threads[k], NULL, work_in_thread, &lanes[k]) == 0, "no thread");
    for (unsigned k = 0; k < n; k++)
        CHECK(pthread_join(threads[k], NULL) == 0, "a thread is lost");
    for (unsigned k = 0; k < n; k++) {
        lanes[k].queue = own[k];
        lane_close(&lanes[k]);
    }
    job_free(&job);
}

// All packets are written before the doorbell rings, once.
static void run_batch(struct app *app)
{
    struct lane l;
    struct job job;
    const unsigned n = app->times < 64 ? app->times : 64;
    job_increment(app, &job, NULL, N, 7);
    lane_open(app, &l, &job, 1);
    hsa_signal_store_relaxed(l.done, 1);
    const uint64_t first = hsa_queue_add_write_index_screlease(l.queue, n);
    for (unsigned k = n; k-- > 0;) { // the first last: nothing begins before all are there
        const hsa_kernel_dispatch_packet_t p =
            lane_packet(&l, k + 1 == n ? l.done : (hsa_signal_t){0});
        gpu_write(l.queue, first + k, &p);
    }
    hsa_signal_store_screlease(l.queue->doorbell_signal, (hsa_signal_value_t)(first + n - 1));
    l.launched = n;
    lane_wait(&l);
    lane_close(&l);
    job_free(&job);
}

static void *open_soon(void *gate)
{
    usleep(100000);
    hsa_signal_store_screlease(*(const hsa_signal_t *)gate, 0);
    return NULL;
}

// Each launch waits, by a barrier packet, for the one on the other queue; both work on the buffer
// of the first. The chain begins when a gate opens: by another thread, or when all is submitted.
static void chain(struct app *app, bool by_thread)
{
    struct lane lanes[2];
    struct job job;
    pthread_t thread;
    hsa_signal_t gate, done[MOST] = {{0}};
    const unsigned n = app->times < MOST / 2 ? 2 * app->times : MOST;
    job_increment(app, &job, NULL, N, 7);
    lane_open(app, &lanes[0], &job, 1);
    lane_open(app, &lanes[1], &job, 2);
    HSA(hsa_signal_create(1, 0, NULL, &gate));
    CHECK(!by_thread || pthread_create(&thread, NULL, open_soon, &gate) == 0, "no thread");
    for (unsigned k = 0; k < n; k++) {
        const hsa_barrier_and_packet_t wait = {.header = HSA_PACKET_TYPE_BARRIER_AND | BARRIER,
                                               .dep_signal = {gate, k ? done[k - 1] : gate}};
        HSA(hsa_signal_create(1, 0, NULL, &done[k]));
        gpu_submit(lanes[k % 2].queue, &wait);
        hsa_kernel_dispatch_packet_t p = lane_packet(&lanes[k % 2], done[k]);
        p.kernarg_address = lanes[0].arguments;
        gpu_submit(lanes[k % 2].queue, &p);
    }
    lanes[0].launched = n;
    if (by_thread)
        CHECK(pthread_join(thread, NULL) == 0, "a thread is lost");
    else
        hsa_signal_store_screlease(gate, 0);
    struct gpu g = app->gpu;
    g.done = done[n - 1];
    CHECK(gpu_wait(&g, APP_SECONDS), "the chain does not end");
    lane_close(&lanes[0]);
    lane_close(&lanes[1]);
    for (unsigned k = 0; k < n; k++)
        HSA(hsa_signal_destroy(done[k]));
    HSA(hsa_signal_destroy(gate));
    job_free(&job);
}

static void run_barriers(struct app *app)
{
    chain(app, true);
}

static void run_late_gate(struct app *app)
{
    chain(app, false);
}

// Queues come and go while others run.
static void *come_and_go(void *data)
{
    struct app *app = data;
    for (unsigned k = 0; k < app->count; k++) {
        struct lane l;
        struct job job;
        job_increment(app, &job, NULL, N, 7);
        lane_open(app, &l, &job, 100 + k);
        lane_submit(&l, 1);
        lane_wait(&l);
        lane_close(&l);
        job_free(&job);
    }
    return NULL;
}

static void run_destroy(struct app *app)
{
    struct lane l;
    struct job job;
    pthread_t thread;
    job_increment(app, &job, NULL, N, 7);
    lane_open(app, &l, &job, 1);
    CHECK(pthread_create(&thread, NULL, come_and_go, app) == 0, "no thread");
    work_in_thread(&l);
    CHECK(pthread_join(thread, NULL) == 0, "a thread is lost");
    lane_close(&l);
    job_free(&job);
}

const struct work queue_works[] = {
    {"queues", "-c queues at once", run_queues, OPENS},
    {"threads", "-c threads with a queue each", run_threads, OPENS},
    {"shared_queue", "-c threads on one queue", run_shared_queue, OPENS},
    {"batch", "-n packets and one doorbell", run_batch, OPENS},
    {"barriers", "barrier packets between two queues", run_barriers, OPENS},
    {"late_gate", "the same, and nothing begins before all is submitted", run_late_gate, OPENS},
    {"destroy", "-c queues come and go while one runs", run_destroy, OPENS},
    {NULL, NULL, NULL, OPENS},
};
