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
 * there and leaves it there. Compiled with -DROOFTOP_DISABLE no call of this header does anything.
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

/* What can be started and stopped: a brick, a kernel, a scope, a transfer. The fifteen bricks of a
 * transformer have fixed ids; all others are given out by the functions below, which return the
 * same id for the same description. */
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

/* When the time of a brick is taken, where a device (rooftop_set_device) does the work. Without a
 * device the first three are the same: a call that has returned has done its work. */
enum rooftop_sync {
    ROOFTOP_IMMEDIATE, /* waits for the device at every stop: the truth of each, and slow */
    ROOFTOP_PER_LAYER, /* waits once, when a layer is stopped */
    ROOFTOP_DEFERRED,  /* waits at rooftop_finalize only; the default */
    ROOFTOP_NONE       /* records nothing, costs a branch */
};

enum rooftop_direction { ROOFTOP_HOST_TO_DEVICE, ROOFTOP_DEVICE_TO_HOST, ROOFTOP_DEVICE_TO_DEVICE };
enum rooftop_code { ROOFTOP_PTX, ROOFTOP_HSACO, ROOFTOP_SPIRV, ROOFTOP_HOST_CODE };

/* The widest instructions this CPU and its system can run: what a program with an implementation
 * for each would choose. Not recorded, and there with -DROOFTOP_DISABLE too. */
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

/* A span that has begun. A value: copy it, keep it, stop it on another thread. */
typedef struct rooftop_timer {
    uint64_t start_ns;
    uint64_t span; /* its number, for rooftop_depends; 0 = nothing is recorded */
} rooftop_timer;

#ifndef ROOFTOP_DISABLE

/* Set while something is recorded. Read it, do not write it. */
extern int rooftop_on;

/* --- what is timed; names are copied. A full table gives the id of "(other)". --- */
rooftop_id rooftop_register(const char *name, enum rooftop_category category);
/* A brick by name: "RmsNorm", "Qkv", "SiLU"…; registers what it does not know, as OTHER. */
rooftop_id rooftop_brick(const char *name);
rooftop_id rooftop_layer(uint32_t index);
rooftop_id rooftop_function(const char *name, const char *file, uint32_t line);
/* grid and block: three numbers each, NULL = 1,1,1; hash: of its code, 0 unknown. */
rooftop_id rooftop_kernel(const char *name, uint64_t hash, const uint32_t grid[3],
                          const uint32_t block[3], uint32_t shared_bytes);
rooftop_id rooftop_transfer(enum rooftop_direction direction, const char *from, const char *to);
/* A scope for all that one implementation does: "avx2", "cuda:0". Its peaks are the roofs its
 * bricks are drawn under: FLOP/s and bytes/s, 0 unknown; say in how where they are from:
 * "measured at start", "data sheet". */
rooftop_id rooftop_backend(const char *name, double peak_flops, double peak_bytes, const char *how);
/* The same with how far its measurements lay apart, each as a share of its peak: 0.02 for 2 %, 0
 * not told. What stands above a roof with a large one is explained by it. */
rooftop_id rooftop_backend_measured(const char *name, double peak_flops, double peak_bytes,
                                    double flops_spread, double bytes_spread, const char *how);
/* A time that one call of it should not exceed; 0 = none. */
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
/* elements: what it worked on, for elements/s; 0 unknown. */
static inline void rooftop_stop(rooftop_timer timer, uint64_t elements)
{
    if (__builtin_expect(timer.span != 0, 0))
        rooftop_stop_span(timer, elements, 0, 0);
}
/* The same with the bytes it moved to and from memory and the floating point operations it did, as
 * its author counts them. They are shown as declared, never as measured. */
static inline void rooftop_stop_work(rooftop_timer timer, uint64_t elements, uint64_t bytes,
                                     uint64_t flops)
{
    if (__builtin_expect(timer.span != 0, 0))
        rooftop_stop_span(timer, elements, bytes, flops);
}
/* A span that was timed by somebody else, in nanoseconds of CLOCK_MONOTONIC, under what this thread
 * has open now. Returns its number. Of a kernel or transfer whose time nobody knows, start and end
 * are the same: it is counted, its time is n/a. */
uint64_t rooftop_span(rooftop_id id, uint64_t start_ns, uint64_t end_ns, uint64_t elements,
                      uint64_t bytes, uint64_t flops);
/* "after" could not begin before "before" had ended: timer.span of both, of any two threads. */
void rooftop_depends(uint64_t before, uint64_t after);
/* "waiting" could not end before "awaited" had ended: it waits for it, as the one who gives work to
 * other threads does. What it waited is then no work of its own on the critical path. */
void rooftop_joins(uint64_t awaited, uint64_t waiting);

/* --- an asynchronous task: every poll is a span; counts those that did not finish it --- */
typedef struct rooftop_task {
    rooftop_id id;
    uint64_t polls, yields, poll_ns;
} rooftop_task;
rooftop_task rooftop_task_new(const char *name);
rooftop_timer rooftop_poll_start(rooftop_task *task);
void rooftop_poll_stop(rooftop_task *task, rooftop_timer timer, int ready);

/* --- on and off --- */
/* Recording is on from the start, unless ROOFTOP_BRICKS=off; these turn it off and on again. What
 * is begun while it is off is not recorded; the mode of rooftop_set_sync stays as it was, and
 * ROOFTOP_NONE records nothing whatever is enabled. */
void rooftop_enable(void);
void rooftop_disable(void);
int rooftop_enabled(void); /* whether anything is recorded now */

/* --- deferred measurement --- */
void rooftop_set_sync(enum rooftop_sync mode);
enum rooftop_sync rooftop_get_sync(void);

/* A device that runs what the program only enqueues. Each may be NULL. All are called on the thread
 * that starts, stops or finalizes; a result other than 0 is a failure and is counted. */
typedef struct rooftop_device {
    void *context;
    /* Waits until everything enqueued is done. */
    int (*synchronize)(void *context);
    /* Enqueues a time stamp; *event (not 0) names it. */
    int (*record)(void *context, uint32_t *event);
    /* After synchronize: when the event happened, in nanoseconds of CLOCK_MONOTONIC; frees it. */
    int (*resolve)(void *context, uint32_t event, uint64_t *ns);
} rooftop_device;
/* Copied. NULL takes it away. With record and resolve a brick's time is the device's, else the
 * host's, and rooftop says which. */
void rooftop_set_device(const rooftop_device *device);

/* Nanoseconds since the epoch: the first use, or the last rooftop_reset_epoch. Never runs back. */
uint64_t rooftop_elapsed_ns(void);
void rooftop_reset_epoch(void);
/* A measurement with its own start and end, both of rooftop_elapsed_ns, applied by
 * rooftop_finalize. end_ns 0: until the start of the next one of this thread, or the end given to
 * finalize: spans of one queue never overlap, and their sum is never more than the time that
 * passed. */
void rooftop_record_deferred(rooftop_id id, uint64_t start_ns, uint64_t end_ns, uint64_t elements);
/* Waits for the device once and applies all that this thread has pending. end_ns: 0 = now. Returns
 * how many were applied. */
size_t rooftop_finalize(uint64_t end_ns);
size_t rooftop_pending(void);

/* --- what else is known --- */
/* Tokens produced, for tokens/s. */
void rooftop_tokens(uint64_t n);
/* FNV-1a, 64 bits. */
uint64_t rooftop_hash(const void *data, size_t size);
/* The text or binary a kernel was made from, kept by its hash (the return value) and shown beside
 * it. path: where it is from, NULL unknown. data NULL: only the path is kept, under hash of the
 * name. Up to 4 MiB each. */
uint64_t rooftop_code(enum rooftop_code kind, const char *name, const char *path, const void *data,
                      size_t size);

/* What rooftop_code kept under a hash. Texts and data stay where they are until the process ends.
 */
typedef struct rooftop_code_entry {
    uint64_t hash;
    enum rooftop_code kind;
    const char *name, *path; /* "" unknown */
    const void *data;        /* NULL: only the path was told, or there was no room */
    size_t size;
} rooftop_code_entry;
/* 1: found and filled in; 0: nothing has this hash. */
int rooftop_code_find(uint64_t hash, rooftop_code_entry *entry);

/* --- looking at oneself --- */
typedef struct rooftop_stats {
    uint64_t count, total_ns, min_ns, max_ns, elements, bytes, flops;
} rooftop_stats;
/* Sums of all threads, of one id wherever it is in the tree. */
rooftop_stats rooftop_stats_of(rooftop_id id);
/* Sums all bricks of a category. Time is counted once: the time of a brick inside another is left
 * out of the outer one, so that the categories add up to rooftop_total_ns. */
rooftop_stats rooftop_category_stats(enum rooftop_category category);
/* What all bricks took, of all threads; a brick inside of another is in that one's time. */
uint64_t rooftop_total_ns(void);
/* Its share of a time, in percent: rooftop_percentage(&stats, rooftop_total_ns()). NaN of no time.
 */
double rooftop_percentage(const rooftop_stats *stats, uint64_t total_ns);
/* A summary for people: backends with their roofs, bricks and kernels by time, categories. As
 * snprintf: returns how many bytes it has without the NUL, writes no more than size with one. */
size_t rooftop_report(char *out, size_t size);

enum rooftop_category rooftop_category_of(rooftop_id id);
const char *rooftop_name(rooftop_id id);
/* Where the file is, "" while there is none; why there is none, "" when all is well. */
const char *rooftop_path(void);
const char *rooftop_error(void);
uint64_t rooftop_dropped(void); /* spans and descriptions that found no room */

#else /* ROOFTOP_DISABLE: the same names, and nothing behind them */
#include <rooftop/brick_disabled.h>
#endif

#ifdef __cplusplus
} /* extern "C" */

namespace rooftop
{
/* Times the block it stands in:  rooftop::guard g(ROOFTOP_RMS_NORM, n); */
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
