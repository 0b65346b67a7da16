#include "apps/app.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gpu_fail(const char *file, int line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "app: %s:%d: ", file, line);
    vfprintf(stderr, format, list); // NOLINT(clang-analyzer-valist.Uninitialized)
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

void job_load(struct app *app, struct job *job, const char *file, const char *kernel)
{
    memset(job, 0, sizeof *job);
    gpu_load(&app->gpu, &job->module, file, app->level);
    job->kernel = gpu_kernel(&app->gpu, &job->module, kernel);
}

void job_items(struct job *job, uint32_t items, uint32_t group)
{
    job->group = (struct extent3){group, 1, 1};
    job->grid = (struct extent3){(items + group - 1) / group * group, 1, 1};
}

// Until it completes, or never will.
static bool ends(const struct app *app)
{
    for (unsigned k = 0; k < 10 * APP_SECONDS; k++)
        if (gpu_wait(&app->gpu, 0.1))
            return true;
        else if (app->gpu.queue_error || app->gpu.fault_address)
            return false;
    return false;
}

void job_run(struct app *app, struct job *job)
{
    for (unsigned k = 0; k < app->times; k++) {
        gpu_run(&app->gpu, &job->kernel, &job->arguments, job->grid, job->group, job->dynamic_lds,
                0);
        CHECK(ends(app), "launch %u does not complete; queue error %#x, memory fault at %#lx", k,
              (unsigned)app->gpu.queue_error, (unsigned long)app->gpu.fault_address);
    }
}

void job_free(struct job *job)
{
    gpu_unload(&job->module);
}

void fill(uint32_t *to, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint32_t)(i + seed) * 2654435761u >> 7;
}

void expect_incremented(const uint32_t *got, size_t n, uint32_t seed, uint32_t by, unsigned times)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t wanted = (uint32_t)(i + seed) * 2654435761u >> 7;
        for (unsigned k = 0; k < times; k++)
            wanted = wanted * 3 + by;
        CHECK(got[i] == wanted, "element %zu is %u, wanted %u", i, got[i], wanted);
    }
}

void job_increment(struct app *app, struct job *job, void *device, uint32_t n, uint32_t by)
{
    job_load(app, job, "vector", "increment");
    ARGUMENT(&job->arguments, void *, device);
    ARGUMENT(&job->arguments, uint32_t, n);
    ARGUMENT(&job->arguments, uint32_t, by);
    job_items(job, n, 64);
}

void expect_equal(const void *got, const void *wanted, size_t size, size_t element,
                  const char *what)
{
    for (size_t i = 0; i < size; i += element)
        CHECK(memcmp((const char *)got + i, (const char *)wanted + i, element) == 0,
              "%s: element %zu differs", what, i / element);
}

void *host_memory(struct app *app, size_t size)
{
    void *memory = NULL;
    HSA(hsa_amd_memory_pool_allocate(app->gpu.host, size, 0, &memory));
    HSA(hsa_amd_agents_allow_access(1, &app->gpu.agent, NULL, memory));
    return memory;
}

static const struct work *const WORKS[] = {kernel_works, state_works,   queue_works,
                                           memory_works, process_works, submit_works};
enum { TABLES = sizeof WORKS / sizeof *WORKS };

static const struct work *find(const char *name)
{
    for (unsigned t = 0; t < TABLES; t++)
        for (const struct work *w = WORKS[t]; w->name; w++)
            if (strcmp(w->name, name) == 0)
                return w;
    return NULL;
}

static int usage(void)
{
    fprintf(stderr, "app KIND [-O 1|2|3] [-n TIMES] [-c COUNT] [-m MIB] [-w MIB] [-u 1]\n");
    for (unsigned t = 0; t < TABLES; t++)
        for (const struct work *w = WORKS[t]; w->name; w++)
            fprintf(stderr, "  %-14s %s\n", w->name, w->what);
    return 2;
}

static bool option(struct app *app, const char *name, const char *value)
{
    const int n = value ? atoi(value) : 0; // NOLINT(cert-err34-c): 0 is refused
    if (n < 1)
        return false;
    if (strcmp(name, "-O") == 0 && n <= 3)
        app->level = n;
    else if (strcmp(name, "-n") == 0)
        app->times = (unsigned)n;
    else if (strcmp(name, "-c") == 0)
        app->count = (unsigned)n;
    else if (strcmp(name, "-m") == 0)
        app->mib = (unsigned)n;
    else if (strcmp(name, "-u") == 0)
        app->gpu.unhandled = true;
    else if (strcmp(name, "-w") == 0)
        app->warm_mib = (unsigned)n;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct app app = {.level = 2, .times = 1, .count = 3, .mib = 8};
    const struct work *work = argc > 1 ? find(argv[1]) : NULL;
    if (!work)
        return usage();
    for (int k = 2; k < argc; k += 2)
        if (!option(&app, argv[k], argv[k + 1]))
            return usage();
    if (work->opening != OPENS_ITSELF)
        gpu_open(&app.gpu);
    work->run(&app);
    printf("app: %s: right after %u launches at -O%d\n", work->name, app.times, app.level);
    fflush(stdout);
    if (work->opening == OPENS)
        gpu_close(&app.gpu);
    return 0;
}
