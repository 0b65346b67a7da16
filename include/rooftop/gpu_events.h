/*
 * What brick_cuda.h and brick_hip.h share; include one of those, not this. ROOFTOP_GPU_API(x) makes
 * a name of the runtime, ROOFTOP_GPU(x) one of ours. It has no include guard, because each of the
 * two includes it.
 *
 * A time stamp is an event of a pool, recorded on the stream. Events only tell the time between two
 * events, so one event, the anchor, is tied to CLOCK_MONOTONIC: the host's time half-way between
 * enqueueing it on an idle stream and seeing it done. The clocks drift apart and the runtime's
 * float of milliseconds loses precision, so a synchronize more than anchor_every_ns after the last
 * anchor makes a new one. Time stamps keep the anchor that they were recorded under; a time between
 * stamps of two anchors has the error of both anchors.
 */
typedef struct ROOFTOP_GPU(_slot) {
    ROOFTOP_GPU_API(Event_t) event;
    uint32_t next; /* in the free list; 0: none */
    uint32_t anchor;
} ROOFTOP_GPU(_slot);

typedef struct ROOFTOP_GPU() {
    ROOFTOP_GPU_API(Stream_t) stream;
    uint64_t anchor_every_ns;
    pthread_mutex_t lock;
    ROOFTOP_GPU(_slot) * slots; /* slot 0 is not used */
    uint32_t count, capacity, free;
    ROOFTOP_GPU_API(Event_t) anchors[2];
    uint64_t anchor_ns[2];
    uint32_t pending[2]; /* time stamps of each anchor that are not resolved yet */
    uint32_t current, have;
} ROOFTOP_GPU();

static inline uint64_t ROOFTOP_GPU(_now)(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ties an anchor to the host's clock. The stream must be idle. The last of several tries counts. */
static inline int ROOFTOP_GPU(_anchor)(ROOFTOP_GPU() * g, uint32_t k, int tries)
{
    for (int i = 0; i < tries; i++) {
        uint64_t before = ROOFTOP_GPU(_now)();
        int rc = (int)ROOFTOP_GPU_API(EventRecord)(g->anchors[k], g->stream);
        if (rc == 0)
            rc = (int)ROOFTOP_GPU_API(EventSynchronize)(g->anchors[k]);
        if (rc != 0)
            return rc;
        g->anchor_ns[k] = before + (ROOFTOP_GPU(_now)() - before) / 2;
    }
    return 0;
}

static inline int ROOFTOP_GPU(_synchronize)(void *context)
{
    ROOFTOP_GPU() *g = (ROOFTOP_GPU() *)context;
    int rc = (int)ROOFTOP_GPU_API(StreamSynchronize)(g->stream);
    pthread_mutex_lock(&g->lock);
    uint32_t other = 1 - g->current;
    /* The other anchor can be reused once no stamp is pending against it. */
    if (rc == 0 && g->pending[other] == 0 &&
        ROOFTOP_GPU(_now)() - g->anchor_ns[g->current] >= g->anchor_every_ns) {
        rc = ROOFTOP_GPU(_anchor)(g, other, 1);
        if (rc == 0)
            g->current = other;
    }
    pthread_mutex_unlock(&g->lock);
    return rc;
}

/* Takes a free slot; 0: no memory, or no event. */
static inline uint32_t ROOFTOP_GPU(_take)(ROOFTOP_GPU() * g)
{
    uint32_t k = g->free;
    if (k) {
        g->free = g->slots[k].next;
        return k;
    }
    if (g->count >= g->capacity) {
        uint32_t more = g->capacity ? g->capacity * 2 : 256;
        void *slots = more <= (1u << 20) ? realloc(g->slots, more * sizeof *g->slots) : NULL;
        if (!slots)
            return 0;
        g->slots = (ROOFTOP_GPU(_slot) *)slots;
        g->capacity = more;
    }
    if ((int)ROOFTOP_GPU_API(EventCreate)(&g->slots[g->count].event) != 0)
        return 0;
    return g->count++;
}

static inline void ROOFTOP_GPU(_give)(ROOFTOP_GPU() * g, uint32_t k)
{
    g->slots[k].next = g->free;
    g->free = k;
}

static inline int ROOFTOP_GPU(_record)(void *context, uint32_t *event)
{
    ROOFTOP_GPU() *g = (ROOFTOP_GPU() *)context;
    pthread_mutex_lock(&g->lock);
    uint32_t k = ROOFTOP_GPU(_take)(g);
    int rc = k ? (int)ROOFTOP_GPU_API(EventRecord)(g->slots[k].event, g->stream) : -1;
    if (rc == 0) {
        g->slots[k].anchor = g->current;
        g->pending[g->current]++;
        *event = k;
    } else if (k) {
        ROOFTOP_GPU(_give)(g, k);
    }
    pthread_mutex_unlock(&g->lock);
    return rc;
}

static inline int ROOFTOP_GPU(_resolve)(void *context, uint32_t event, uint64_t *ns)
{
    ROOFTOP_GPU() *g = (ROOFTOP_GPU() *)context;
    float ms = 0;
    int rc = -1;
    pthread_mutex_lock(&g->lock);
    if (event != 0 && event < g->count) {
        uint32_t a = g->slots[event].anchor;
        rc = (int)ROOFTOP_GPU_API(EventElapsedTime)(&ms, g->anchors[a], g->slots[event].event);
        if (rc == 0)
            *ns = g->anchor_ns[a] + (uint64_t)(ms > 0 ? (double)ms * 1e6 : 0);
        g->pending[a]--;
        ROOFTOP_GPU(_give)(g, event);
    }
    pthread_mutex_unlock(&g->lock);
    return rc;
}

/*
 * Finalizes what this thread has pending and removes the device. No other thread may be recording.
 * What other threads have pending is lost, unless they call rooftop_finalize first.
 */
static inline void ROOFTOP_GPU(_close)(ROOFTOP_GPU() * g)
{
    rooftop_finalize(0);
    rooftop_set_device(NULL);
    for (uint32_t i = 1; i < g->count; i++)
        (void)ROOFTOP_GPU_API(EventDestroy)(g->slots[i].event);
    for (uint32_t i = 0; i < g->have; i++)
        (void)ROOFTOP_GPU_API(EventDestroy)(g->anchors[i]);
    free(g->slots);
    g->slots = NULL;
    g->have = g->count = g->capacity = g->free = 0;
    pthread_mutex_destroy(&g->lock);
}

/*
 * From now on events on this stream time bricks, layers, kernels and transfers, so their work must
 * be enqueued there. g must stay at its address until it is closed. Returns 0, or the runtime's
 * error; then nothing is changed.
 */
static inline int ROOFTOP_GPU(_open)(ROOFTOP_GPU() * g, ROOFTOP_GPU_API(Stream_t) stream)
{
    memset(g, 0, sizeof *g);
    g->stream = stream;
    g->anchor_every_ns = 1000000000u;
    g->count = 1;
    pthread_mutex_init(&g->lock, NULL);
    int rc = 0;
    while (rc == 0 && g->have < 2) {
        rc = (int)ROOFTOP_GPU_API(EventCreate)(&g->anchors[g->have]);
        g->have += rc == 0;
    }
    if (rc == 0)
        rc = (int)ROOFTOP_GPU_API(StreamSynchronize)(stream);
    if (rc == 0)
        rc = ROOFTOP_GPU(_anchor)(g, 0, 3); /* the first try wakes the device up */
    if (rc != 0) {
        ROOFTOP_GPU(_close)(g);
        return rc;
    }
    rooftop_device device = {g, ROOFTOP_GPU(_synchronize), ROOFTOP_GPU(_record),
                             ROOFTOP_GPU(_resolve)};
    rooftop_set_device(&device);
    return 0;
}
