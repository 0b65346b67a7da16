// What the process itself does: loads code from a file, has children, ends without a shutdown.
#include "apps/app.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 512 };

static void increment_once(struct app *app, struct job *job, uint32_t seed)
{
    static uint32_t p[N];
    fill(p, N, seed);
    void *d = gpu_upload(&app->gpu, p, sizeof p);
    ARGUMENT(&job->arguments, void *, d);
    ARGUMENT(&job->arguments, uint32_t, N);
    ARGUMENT(&job->arguments, uint32_t, 5);
    job_items(job, N, 64);
    job_run(app, job);
    gpu_download(p, d, sizeof p);
    expect_incremented(p, N, seed, 5, app->times);
    gpu_free(d);
}

static void run_from_file(struct app *app)
{
    struct job job = {0};
    char path[1024];
    hsa_code_object_reader_t reader;
    gpu_code_path(&app->gpu, path, sizeof path, "vector", app->level);
    FILE *f = fopen(path, "rbe");
    CHECK(f, "cannot open %s", path);
    HSA(hsa_code_object_reader_create_from_file(fileno(f), &reader));
    gpu_load_reader(&app->gpu, &job.module, reader);
    fclose(f);
    job.kernel = gpu_kernel(&app->gpu, &job.module, "increment");
    increment_once(app, &job, 1);
    job_free(&job);
}

// Children that use the GPU, each by itself, before the parent and at the same time.
static void run_fork(struct app *app)
{
    pid_t children[64];
    const unsigned n = app->count < 64 ? app->count : 64;
    for (unsigned k = 0; k <= n; k++) {
        if (k < n && (children[k] = fork()) != 0) {
            CHECK(children[k] > 0, "no child");
            continue;
        }
        struct job job;
        gpu_open(&app->gpu);
        job_load(app, &job, "vector", "increment");
        increment_once(app, &job, k + 1);
        job_free(&job);
        gpu_close(&app->gpu);
        if (k < n)
            exit(0);
    }
    for (unsigned k = 0; k < n; k++) {
        int status;
        CHECK(waitpid(children[k], &status, 0) == children[k] && status == 0,
              "child %u ended with %#x", k, (unsigned)status);
    }
}

static void run_no_shutdown(struct app *app)
{
    struct job job;
    job_load(app, &job, "vector", "increment");
    increment_once(app, &job, 1);
}

// The runtime is opened, shut down, and opened again.
static void run_twice(struct app *app)
{
    for (unsigned k = 0; k < 2; k++) {
        struct job job;
        gpu_open(&app->gpu);
        job_load(app, &job, "vector", "increment");
        increment_once(app, &job, k);
        job_free(&job);
        gpu_close(&app->gpu);
    }
}

const struct work process_works[] = {
    {"from_file", "code from a file", run_from_file, OPENS},
    {"fork", "-c children that use the GPU too", run_fork, OPENS_ITSELF},
    {"no_shutdown", "ends without shutting down", run_no_shutdown, NEVER_CLOSES},
    {"twice", "shuts down and opens again", run_twice, OPENS_ITSELF},
    {NULL, NULL, NULL, OPENS},
};
