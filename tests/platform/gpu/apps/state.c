// Kernels whose result depends on more than their arguments: on what was in memory before, on
// what pointers in memory point to, on module variables, on LDS of the packet's size.
#include "apps/app.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1024 };

static void run_increment(struct app *app)
{
    static uint32_t p[N];
    struct job job;
    fill(p, N, 1);
    void *d = gpu_upload(&app->gpu, p, sizeof p);
    job_increment(app, &job, d, N, 5);
    job_run(app, &job);
    gpu_download(p, d, sizeof p);
    expect_incremented(p, N, 1, 5, app->times);
    job_free(&job);
    gpu_free(d);
}

struct node { // as in memory.hip
    uint64_t next;
    float value;
};

// Lists that lead from one allocation into the next: app->count nodes, heads that point to each.
static void run_list(struct app *app)
{
    const unsigned n = app->count;
    struct node *nodes = calloc(n, sizeof *nodes);
    uint64_t *at = calloc(n, sizeof *at);
    float *got = calloc(n, sizeof *got);
    struct job job;
    CHECK(nodes && at && got, "no memory");
    for (unsigned i = 0; i < n; i++)
        at[i] = (uint64_t)(uintptr_t)gpu_allocate(&app->gpu, 4096);
    for (unsigned i = 0; i < n; i++) {
        nodes[i] = (struct node){.next = i + 1 < n ? at[i + 1] : 0, .value = (float)i};
        void *to;
        memcpy(&to, &at[i], sizeof to);
        HSA(hsa_memory_copy(to, &nodes[i], sizeof *nodes));
    }
    void *heads = gpu_upload(&app->gpu, at, n * sizeof *at),
         *out = gpu_allocate(&app->gpu, n * sizeof *got);
    job_load(app, &job, "memory", "pointer_chase");
    ARGUMENT(&job.arguments, void *, heads);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, (int)n);
    job_items(&job, n, 64);
    job_run(app, &job);
    gpu_download(got, out, n * sizeof *got);
    float wanted = 0;
    for (unsigned i = n; i-- > 0;) {
        wanted += (float)i;
        CHECK(got[i] == wanted, "list %u sums to %g, wanted %g", i, got[i], wanted);
    }
    job_free(&job);
    for (unsigned i = 0; i < n; i++) {
        void *node;
        memcpy(&node, &at[i], sizeof node);
        gpu_free(node);
    }
    gpu_free(heads), gpu_free(out);
    free(nodes), free(at), free(got);
}

static void run_variables(struct app *app)
{
    float table[64], got[N], wanted[N];
    uint32_t counter = 1000;
    struct job job;
    job_load(app, &job, "memory", "module_variable");
    for (int i = 0; i < 64; i++)
        table[i] = (float)i * 0.5f + 3;
    for (int i = 0; i < N; i++)
        wanted[i] = table[i & 63] + (float)i;
    void *where = gpu_variable(&app->gpu, &job.module, "module_counter");
    HSA(hsa_memory_copy(gpu_variable(&app->gpu, &job.module, "module_table"), table, sizeof table));
    HSA(hsa_memory_copy(where, &counter, sizeof counter));
    void *out = gpu_allocate(&app->gpu, sizeof got);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, 64);
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    gpu_download(&counter, where, sizeof counter);
    expect_equal(got, wanted, sizeof got, 4, "module_table");
    CHECK(counter == 1000 + 2 * app->times, "module_counter is %u", counter);
    job_free(&job);
    gpu_free(out);
}

static void run_dynamic_lds(struct app *app)
{
    enum { GROUP = 256 };
    static uint32_t in[N], wanted[N], got[N];
    struct job job;
    fill(in, N, 3);
    for (int i = 0; i < N; i++)
        wanted[i] = in[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    void *din = gpu_upload(&app->gpu, in, sizeof in), *out = gpu_allocate(&app->gpu, sizeof in);
    job_load(app, &job, "reduce", "reverse_group");
    ARGUMENT(&job.arguments, void *, din);
    ARGUMENT(&job.arguments, void *, out);
    job_items(&job, N, GROUP);
    job.dynamic_lds = GROUP * 4;
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "reverse_group");
    job_free(&job);
    gpu_free(din), gpu_free(out);
}

const struct work state_works[] = {
    {"increment", "x = 3 x + 5, in place", run_increment, OPENS},
    {"list", "pointers to pointers, -c nodes", run_list, OPENS},
    {"variables", "module variables, read and written", run_variables, OPENS},
    {"dynamic_lds", "LDS of the packet's size", run_dynamic_lds, OPENS},
    {NULL, NULL, NULL, OPENS},
};
