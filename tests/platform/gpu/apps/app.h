// What the ordinary GPU programs share that captures are tested with. One program with a
// kind of work each; every kind computes the same each time, checks its own result and says what it
// did. They run on hardware as on the emulated GPU.
#pragma once

#include "support/gpu.h"

struct app {
    struct gpu gpu;
    int level;      // -O of the kernels
    unsigned times; // how often the kernel is launched
    unsigned count; // number of queues, threads, regions or children, depending on the kind
    unsigned mib;   // memory of kinds that test sizes
    // Touched and given back before those launch: the system then has so much memory that its host
    // knows, where a virtual machine's first touch of a page takes longer than copying to it.
    unsigned warm_mib;
};

enum opening { OPENS, OPENS_ITSELF, NEVER_CLOSES };
struct work {
    const char *name, *what;
    void (*run)(struct app *app);
    enum opening opening; // whether main() opens and closes the GPU
};
// Each ends with a row without a name.
extern const struct work kernel_works[], state_works[], queue_works[], memory_works[],
    process_works[], submit_works[];

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            gpu_fail(__FILE__, __LINE__, __VA_ARGS__);                                             \
    } while (0)
enum { APP_SECONDS = 60 }; // longest wait for a dispatch

// A kernel with its arguments; argument() adds to them.
struct job {
    struct module module;
    struct kernel kernel;
    struct arguments arguments;
    struct extent3 grid, group;
    uint32_t dynamic_lds;
};
void job_load(struct app *app, struct job *job, const char *file, const char *kernel);
void job_items(struct job *job, uint32_t items, uint32_t group); // one dimension
void job_run(struct app *app, struct job *job);                  // app->times times, and waits
void job_free(struct job *job);

// n numbers, and what `increment` (x * 3 + by) makes of them in `times` launches.
void fill(uint32_t *to, size_t n, uint32_t seed);
void expect_incremented(const uint32_t *got, size_t n, uint32_t seed, uint32_t by, unsigned times);
// The arguments of `increment`, one dimension of n.
void job_increment(struct app *app, struct job *job, void *device, uint32_t n, uint32_t by);
void expect_equal(const void *got, const void *wanted, size_t size, size_t element,
                  const char *what);
void *host_memory(struct app *app, size_t size); // fine-grained, the GPU may use it
