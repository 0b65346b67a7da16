/* Long work is given up: it ends soon, wherever it is, and leaks nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/watch.h"
#include "engine/analysis/analysis.h"
#include "support/patience.h"
#include "support/sanitized.h"
#include "support/test.h"

enum { STOPS = SANITIZED ? 8 : 50 };
enum { CALLS = 60000, SOON = 24 /* SOON: checks by other threads and on the way out */ };

static char path[] = "/tmp/rooftop-given-up-XXXXXX";

/* A thread that launches kernels in two streams and waits for them now and then. */
FIXTURE_STATUS(set_up)
{
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        return -1;
    fputs("{\"traceEvents\":[\n", f);
    for (int i = 0; i < CALLS; i++) {
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":1,"
                "\"ts\":%d,\"dur\":4,\"args\":{\"correlation\":%d}},\n",
                i % 50 == 49 ? "cudaDeviceSynchronize" : "cudaLaunchKernel", 10 * i, i);
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":%d,"
                "\"ts\":%d,\"dur\":6,\"args\":{\"correlation\":%d,\"device\":0,\"stream\":%d}}%s\n",
                i % 7, 7 + i % 2, 10 * i + 3, i, 7 + i % 2, i + 1 < CALLS ? "," : "");
    }
    fputs("]}\n", f);
    return fclose(f);
}

FIXTURE_STATUS(tear_down)
{
    return unlink(path);
}

/* Opens the file and builds what views need. */
static int open_all(struct patience *p, struct error *err)
{
    const struct watch w = {patience_lasts, p}, *before = watch_set(&w);
    const char *const paths[] = {path};
    struct analysis a = {.roofs = NULL};
    int rc = analysis_open(&a, paths, 1, err);
    if (rc == 0 && analysis_timeline(&a))
        rc = watch_check(path, err);
    watch_set(before);
    analysis_close(&a);
    return rc;
}

TEST(opening_ends_wherever_it_is_given_up)
{
    struct patience whole = {0};
    struct error err = ERROR_INIT;
    assert_int_equal(open_all(&whole, &err), 0);
    assert_true(whole.looks > 60);
    unsigned step = whole.looks / STOPS + 1;
    for (unsigned at = 1; at + SOON < whole.looks; at += step) {
        struct patience p = {.most = at};
        err = (struct error)ERROR_INIT;
        int rc = open_all(&p, &err);
        if (rc != -ECANCELED)
            fail_msg("given up at look %u of %u: %d, %s", at, whole.looks, rc, err.why);
        assert_int_equal(err.code, ECANCELED);
        if (p.looks > at + SOON)
            fail_msg("given up at look %u, and asked %u times more", at, p.looks - at);
    }
}

/* --- each stage checks regularly --- */

static unsigned looks_of(int (*work)(const struct analysis *a), const struct analysis *a)
{
    struct patience p = {0};
    const struct watch w = {patience_lasts, &p}, *before = watch_set(&w);
    assert_int_equal(work(a), 0);
    watch_set(before);
    return p.looks;
}

static int find_path(const struct analysis *a)
{
    struct critical_path p;
    int rc = critical_path_find(a->trace.calls, &p, NULL);
    critical_path_free(&p);
    return rc;
}

static int ask_what_if(const struct analysis *a)
{
    struct what_if_change c = {.by = WHAT_IF_NAME, .speed = 2, .text = "k3"};
    struct what_if w;
    int rc = what_if_find(a->trace.calls, &a->path, &c, 1, &w, NULL);
    what_if_free(&w);
    return rc;
}

static int make_kernels(const struct analysis *a)
{
    struct kernels k;
    kernels_make(&k, &a->trace, &a->path, NULL);
    kernels_free(&k);
    return 0;
}

static int build_timeline(const struct analysis *a)
{
    struct timeline t;
    int rc = timeline_build(&t, a->trace.calls, &a->path, NULL);
    timeline_free(&t);
    return rc;
}

TEST(long_work_checks_regularly)
{
    static const struct {
        const char *name;
        int (*work)(const struct analysis *a);
        unsigned passes; /* over all nodes; each checks every WATCH_STEPS nodes */
    } works[] = {{"the critical path", find_path, 2},
                 {"what-if", ask_what_if, 2},
                 {"the table of kernels", make_kernels, 1},
                 {"the timeline", build_timeline, 1}};
    const char *const paths[] = {path};
    struct analysis a = {.roofs = NULL};
    struct error err = ERROR_INIT;
    assert_int_equal(analysis_open(&a, paths, 1, &err), 0);
    unsigned steps = a.trace.calls->nnodes / WATCH_STEPS;
    assert_true(steps >= 7);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        unsigned n = looks_of(works[i].work, &a);
        if (n < works[i].passes * steps)
            fail_msg("%s asks %u times in %u nodes", works[i].name, n, a.trace.calls->nnodes);
    }
    analysis_close(&a);
}

TEST(a_what_if_that_is_given_up_says_so)
{
    const char *const paths[] = {path};
    struct analysis a = {.roofs = NULL};
    struct error err = ERROR_INIT;
    assert_int_equal(analysis_open(&a, paths, 1, &err), 0);
    struct patience p = {.most = 5};
    const struct watch w = {patience_lasts, &p}, *before = watch_set(&w);
    struct what_if_change c = {.by = WHAT_IF_NAME, .speed = 2, .text = "k3"};
    struct what_if out;
    assert_int_equal(what_if_find(a.trace.calls, &a.path, &c, 1, &out, &err), -ECANCELED);
    watch_set(before);
    assert_int_equal(err.code, ECANCELED);
    assert_true(p.looks < 5 + SOON);
    what_if_free(&out);
    analysis_close(&a);
}

/* --- threads --- */

static void *whose_watch(void *out)
{
    *(const struct watch **)out = watch_get();
    return NULL;
}

TEST(threads_that_are_joined_inherit_it)
{
    struct patience p = {0};
    const struct watch w = {patience_lasts, &p}, *seen = NULL, *before = watch_set(&w);
    pthread_t t;
    assert_int_equal(thread_start(&t, whose_watch, &seen), 0);
    pthread_join(t, NULL);
    watch_set(before);
    assert_ptr_equal(seen, &w);
    assert_int_equal(thread_start(&t, whose_watch, &seen), 0);
    pthread_join(t, NULL);
    assert_null(seen);
}

TEST_MAIN(set_up, tear_down)
