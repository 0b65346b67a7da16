/*
 * librooftop: a program says where its bricks begin and end, and rooftop shows, while it runs, the
 * tree layer -> brick -> kernel with measured times.
 *
 *     #include <rooftop/brick.h>                      cc prog.c $(pkg-config --cflags --libs
 * rooftop)
 *
 *     rooftop_timer layer = rooftop_start(rooftop_layer(0));
 *     rooftop_timer t = rooftop_start(ROOFTOP_QKV_PROJECTION);
 *     qkv(x, y, n);
 *     rooftop_stop(t, n);
 *     rooftop_stop(layer, 0);
 *
 * C11 and C++11 from one header; usable from any thread, after fork, in libraries that do not know
 * of each other. Everything is kept in a file in shared memory (/dev/shm/rooftop-<pid>-….bricks):
 * exact sums of all calls by their place in the tree, and the last spans of every thread. Another
 * process reads them without stopping the program, and they survive its crash. Nothing here blocks:
 * what finds no room is dropped and counted. Times are nanoseconds of CLOCK_MONOTONIC.
 *
 * ROOFTOP_BRICKS=off in the environment turns recording off, ROOFTOP_BRICKS=/a/folder puts the file
 * there and leaves it there. ROOFTOP_BRICK_COUNTERS=cycles,instructions counts events in every
 * brick (docs/COUNTERS.md). Compiled with -DROOFTOP_DISABLE no call of this header does anything.
 */
#ifndef ROOFTOP_BRICK_H
#define ROOFTOP_BRICK_H

#include <stddef.h>
#include <stdint.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What can be started and stopped: a brick, a kernel, a scope, a transfer. The fifteen bricks of a
 * transformer have fixed ids. The functions below make all other ids and return the same id for the
 * same description.
 */
typedef uint32_t rooftop_id;
enum {
    ROOFTOP_RMS_NORM,
    ROOFTOP_LAYER_NORM,
    ROOFTOP_QKV_PROJECTION,
    ROOFTOP_ROPE_EMBEDDING,
    ROOFTOP_ATTENTION_SCORE,
    ROOFTOP_ATTENTION_SOFTMAX,
    ROOFTOP_ATTENTION_OUTPUT,
    ROOFTOP_OUTPUT_PROJECTION,
    ROOFTOP_GATE_PROJECTION,
    ROOFTOP_UP_PROJECTION,
    ROOFTOP_ACTIVATION,
    ROOFTOP_DOWN_PROJECTION,
    ROOFTOP_EMBEDDING,
    ROOFTOP_LM_HEAD,
    ROOFTOP_SAMPLING,
    ROOFTOP_BRICK_COUNT /* 15 */
};
enum rooftop_category {
    ROOFTOP_NORM,
    ROOFTOP_ATTENTION,
    ROOFTOP_FFN,
    ROOFTOP_OTHER,
    ROOFTOP_CATEGORIES
};

/*
 * When the time of a brick is taken, if a device (rooftop_set_device) does the work. Without a
 * device the first three are the same: a call has done its work when it returns.
 */
enum rooftop_sync {
    ROOFTOP_IMMEDIATE, /* waits for the device at every stop: exact for each brick, and slow */
    ROOFTOP_PER_LAYER, /* waits when a layer is stopped */
    ROOFTOP_DEFERRED,  /* waits at rooftop_finalize only; the default */
    ROOFTOP_NONE       /* records nothing; a start costs one branch */
};

enum rooftop_direction { ROOFTOP_HOST_TO_DEVICE, ROOFTOP_DEVICE_TO_HOST, ROOFTOP_DEVICE_TO_DEVICE };
enum rooftop_code { ROOFTOP_PTX, ROOFTOP_HSACO, ROOFTOP_SPIRV, ROOFTOP_HOST_CODE };

/*
 * The widest instruction set that this CPU and its operating system can run: what a program with an
 * implementation for each would choose. It is not recorded, and also works with -DROOFTOP_DISABLE.
 */
enum rooftop_isa {
    ROOFTOP_SCALAR,
    ROOFTOP_SSE2,
    ROOFTOP_AVX,
    ROOFTOP_AVX2, /* with FMA */
    ROOFTOP_AVX512,
    ROOFTOP_NEON,
    ROOFTOP_SVE
};
static inline enum rooftop_isa rooftop_detect_backend(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return ROOFTOP_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return ROOFTOP_AVX2;
    if (__builtin_cpu_supports("avx"))
        return ROOFTOP_AVX;
    return __builtin_cpu_supports("sse2") ? ROOFTOP_SSE2 : ROOFTOP_SCALAR;
#elif defined(__aarch64__)
    return getauxval(AT_HWCAP) & (1ul << 22) /* HWCAP_SVE */ ? ROOFTOP_SVE : ROOFTOP_NEON;
#else
    return ROOFTOP_SCALAR;
#endif
}
static inline const char *rooftop_isa_name(enum rooftop_isa isa)
{
    static const char *const names[] = {"scalar", "sse2", "avx", "avx2", "avx512", "neon", "sve"};
    return (unsigned)isa < sizeof names / sizeof *names ? names[isa] : "";
}

/* A span that has begun. It is a plain value: copy it, store it, stop it on another thread. */
typedef struct rooftop_timer {
    uint64_t start_ns;
    uint64_t span; /* the span's number, for rooftop_depends; 0: not recorded */
} rooftop_timer;

#ifndef ROOFTOP_DISABLE

/* Not 0 while recording is on. Only read it. */
extern int rooftop_on;

/* --- what is timed. Names are copied. A full table returns the id of "(other)". --- */
rooftop_id rooftop_register(const char *name, enum rooftop_category category);
/*
 * Returns a brick by its name: "RmsNorm", "Qkv", "SiLU"… An unknown name is registered, in category
 * OTHER.
 */
rooftop_id rooftop_brick(const char *name);
rooftop_id rooftop_layer(uint32_t index);
rooftop_id rooftop_function(const char *name, const char *file, uint32_t line);
/* grid and block: three numbers each, NULL: 1,1,1; hash: of its code, 0: unknown. */
rooftop_id rooftop_kernel(const char *name, uint64_t hash, const uint32_t grid[3],
                          const uint32_t block[3], uint32_t shared_bytes);
rooftop_id rooftop_transfer(enum rooftop_direction direction, const char *from, const char *to);
/*
 * A scope for everything that one implementation does: "avx2", "cuda:0". Its peaks are the roofs
 * for its bricks, in FLOP/s and bytes/s; 0: unknown. `how` says where they come from: "measured at
 * start", "data sheet".
 */
rooftop_id rooftop_backend(const char *name, double peak_flops, double peak_bytes, const char *how);
/*
 * The same with the spread of the measurements, each as a fraction of its peak: 0.02 for 2 %, 0:
 * unknown. A large spread explains a brick above its roof.
 */
rooftop_id rooftop_backend_measured(const char *name, double peak_flops, double peak_bytes,
                                    double flops_spread, double bytes_spread, const char *how);
/* Sets the time that one call should not exceed; 0: none. */
void rooftop_budget(rooftop_id id, uint64_t nanoseconds);

/* --- timing --- */
rooftop_timer rooftop_start_span(rooftop_id id);
void rooftop_stop_span(rooftop_timer timer, uint64_t elements, uint64_t bytes, uint64_t flops);

static inline rooftop_timer rooftop_start(rooftop_id id)
{
    if (__builtin_expect(__atomic_load_n(&rooftop_on, __ATOMIC_RELAXED), 0))
        return rooftop_start_span(id);
    rooftop_timer none = {0, 0};
    return none;
}
/* elements: how many elements it processed, for elements/s; 0: unknown. */
static inline void rooftop_stop(rooftop_timer timer, uint64_t elements)
{
    if (__builtin_expect(timer.span != 0, 0))
        rooftop_stop_span(timer, elements, 0, 0);
}
/*
 * The same with the bytes that it moved to and from memory and its floating point operations, as
 * the author of the program counts them. They are shown as declared, never as measured.
 */
static inline void rooftop_stop_work(rooftop_timer timer, uint64_t elements, uint64_t bytes,
                                     uint64_t flops)
{
    if (__builtin_expect(timer.span != 0, 0))
        rooftop_stop_span(timer, elements, bytes, flops);
}
/*
 * Records a span that was timed elsewhere, in nanoseconds of CLOCK_MONOTONIC, inside this thread's
 * open span. Returns its number, 0 where it was not recorded. For a kernel or transfer whose time
 * is unknown, pass equal start and end: it is counted, and its time is n/a.
 */
uint64_t rooftop_span(rooftop_id id, uint64_t start_ns, uint64_t end_ns, uint64_t elements,
                      uint64_t bytes, uint64_t flops);
/*
 * Records that "after" could not begin before "before" ended. Both are timer.span of any two
 * threads.
 */
void rooftop_depends(uint64_t before, uint64_t after);
/*
 * Records that "waiting" could not end before "awaited" ended, as for a thread that gives work to
 * other threads and waits. The time that it waited is then not its own work on the critical path.
 */
void rooftop_joins(uint64_t awaited, uint64_t waiting);

/*
 * --- an asynchronous task: each poll is a span; yields counts the polls that did not finish it ---
 */
typedef struct rooftop_task {
    rooftop_id id;
    uint64_t polls, yields, poll_ns;
} rooftop_task;
rooftop_task rooftop_task_new(const char *name);
rooftop_timer rooftop_poll_start(rooftop_task *task);
void rooftop_poll_stop(rooftop_task *task, rooftop_timer timer, int ready);

/* --- on and off --- */
/*
 * Recording is on from the start, unless ROOFTOP_BRICKS=off; these functions turn it off and on.
 * Spans that begin while it is off are not recorded. The mode of rooftop_set_sync does not change,
 * and ROOFTOP_NONE records nothing even if enabled.
 */
void rooftop_enable(void);
void rooftop_disable(void);
int rooftop_enabled(void); /* 1: recording is on now */

/* --- deferred measurement --- */
void rooftop_set_sync(enum rooftop_sync mode);
enum rooftop_sync rooftop_get_sync(void);

/*
 * A device that runs the work that the program enqueues. Each function may be NULL. They are called
 * on the thread that starts, stops or finalizes. A result other than 0 is an error, and errors are
 * counted.
 */
typedef struct rooftop_device {
    void *context;
    /* Waits until all enqueued work is done. */
    int (*synchronize)(void *context);
    /* Enqueues a time stamp and sets *event (not 0) to identify it. */
    int (*record)(void *context, uint32_t *event);
    /*
     * Called after synchronize: writes when the event happened, in nanoseconds of CLOCK_MONOTONIC,
     * and frees it.
     */
    int (*resolve)(void *context, uint32_t event, uint64_t *ns);
} rooftop_device;
/*
 * Sets the device (the struct is copied); NULL removes it. With record and resolve a brick's time
 * is the device's, else the host's, and rooftop shows which.
 */
void rooftop_set_device(const rooftop_device *device);

/*
 * Nanoseconds since the epoch: the first use, or the last rooftop_reset_epoch. It never decreases.
 */
uint64_t rooftop_elapsed_ns(void);
void rooftop_reset_epoch(void);
/*
 * Adds a measurement with its own start and end, in rooftop_elapsed_ns; rooftop_finalize records
 * it. end_ns 0: it ends where this thread's next one begins, or at the end given to finalize. Spans
 * of one queue then never overlap, and their sum is never more than the time that passed.
 */
void rooftop_record_deferred(rooftop_id id, uint64_t start_ns, uint64_t end_ns, uint64_t elements);
/*
 * Waits once for the device and records all pending measurements of this thread. end_ns: 0: now.
 * Returns how many were recorded.
 */
size_t rooftop_finalize(uint64_t end_ns);
size_t rooftop_pending(void);

/* --- more facts about the program --- */
/* Adds produced tokens, for tokens/s. */
void rooftop_tokens(uint64_t n);
/* Computes FNV-1a, 64 bits. */
uint64_t rooftop_hash(const void *data, size_t size);
/*
 * Keeps the source or binary that a kernel was made from, up to 4 MiB, to show it with the kernel.
 * Returns its hash. path: where it is from, NULL: unknown. data NULL: only the path is kept, under
 * the hash of the name.
 */
uint64_t rooftop_code(enum rooftop_code kind, const char *name, const char *path, const void *data,
                      size_t size);

/* What rooftop_code kept under a hash. Texts and data stay valid until the process ends. */
typedef struct rooftop_code_entry {
    uint64_t hash;
    enum rooftop_code kind;
    const char *name, *path; /* "": unknown */
    const void *data;        /* NULL: only the path is known, or there was no space */
    size_t size;
} rooftop_code_entry;
/* Returns 1 and fills *entry, or 0 where nothing has this hash. */
int rooftop_code_find(uint64_t hash, rooftop_code_entry *entry);

/* --- reading the program's own measurements --- */
typedef struct rooftop_stats {
    uint64_t count, total_ns, min_ns, max_ns, elements, bytes, flops;
} rooftop_stats;
/* The sums of one id over all threads and all places in the tree. */
rooftop_stats rooftop_stats_of(rooftop_id id);
/*
 * The sums of all bricks of a category. Time is counted once: the time of a brick inside another is
 * subtracted from the outer one, so that the categories add up to rooftop_total_ns.
 */
rooftop_stats rooftop_category_stats(enum rooftop_category category);
/* The time of all bricks of all threads; a brick inside another is part of that one's time. */
uint64_t rooftop_total_ns(void);
/*
 * A time's share of another, in percent: rooftop_percentage(&stats, rooftop_total_ns()). NaN where
 * total_ns is 0.
 */
double rooftop_percentage(const rooftop_stats *stats, uint64_t total_ns);
/*
 * Writes a summary for people: backends with their roofs, bricks and kernels by time, categories.
 * Like snprintf: returns the bytes of the whole text without the NUL, and writes at most size
 * bytes, including a NUL.
 */
size_t rooftop_report(char *out, size_t size);

enum rooftop_category rooftop_category_of(rooftop_id id);
const char *rooftop_name(rooftop_id id);
/*
 * The path of the file, "" while there is none; and why there is none, "" where there was no error.
 */
const char *rooftop_path(void);
const char *rooftop_error(void);
uint64_t rooftop_dropped(void); /* spans and descriptions that did not fit */

#else /* ROOFTOP_DISABLE: the same names, which do nothing */
#include <rooftop/brick_disabled.h>
#endif

#ifdef __cplusplus
} /* extern "C" */

namespace rooftop
{
/* Times the block that it is declared in:  rooftop::guard g(ROOFTOP_RMS_NORM, n); */
class guard
{
  public:
    explicit guard(rooftop_id id, uint64_t elements = 0)
        : timer_(rooftop_start(id)), elements_(elements)
    {
    }
    guard(const guard &) = delete;
    guard &operator=(const guard &) = delete;
    ~guard()
    {
        rooftop_stop_work(timer_, elements_, bytes_, flops_);
    }
    void work(uint64_t elements, uint64_t bytes, uint64_t flops)
    {
        elements_ = elements;
        bytes_ = bytes;
        flops_ = flops;
    }
    uint64_t span() const
    {
        return timer_.span;
    }

  private:
    rooftop_timer timer_;
    uint64_t elements_, bytes_ = 0, flops_ = 0;
};
} // namespace rooftop
#endif
#endif
