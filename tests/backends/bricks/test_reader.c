/* Reads the files that programs record, from another process: while they are written, torn,
 * wrapped around, after fork, after kill, damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"
#include "export/graph/graph_export.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/test.h"

/* Runs a function in a child that ends like a program, without the test's exit handlers. Returns
 * its PID. */
static pid_t child(void (*run)(void *), void *arg)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        run(arg);
        exit(0);
    }
    return pid;
}

static void wait_for(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void poll_it(struct brick_reader *r)
{
    struct error err = ERROR_INIT;
    char text[800];
    if (brick_reader_poll(r, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
}

/* A call whose time and work are known: 100 ns, 3 elements, 5 bytes, 7 FLOPs. */
static void known_span(rooftop_id id, uint64_t i)
{
    rooftop_span(id, 1000 + i * 200, 1100 + i * 200, 3, 5, 7);
}

static void assert_known(const struct brick_node *n, uint64_t count)
{
    assert_int_equal(n->count, count);
    assert_int_equal(n->total, 100 * count);
    assert_int_equal(n->min, 100);
    assert_int_equal(n->max, 100);
    assert_int_equal(n->elements, 3 * count);
    assert_int_equal(n->bytes, 5 * count);
    assert_int_equal(n->flops, 7 * count);
    assert_true(n->squares == 10000.0 * (double)count);
}

/* --- a whole program --- */

static void write_layers(void *arg)
{
    (void)arg;
    uint32_t grid[3] = {32, 1, 1}, block[3] = {256, 1, 1};
    rooftop_id kernel = rooftop_kernel("gemv", 0x7a3b, grid, block, 4096);
    for (uint32_t l = 0; l < 2; l++) {
        rooftop_timer layer = rooftop_start(rooftop_layer(l));
        rooftop_timer brick = rooftop_start(ROOFTOP_QKV_PROJECTION);
        known_span(kernel, l);
        rooftop_stop_work(brick, 4096, 100, 200);
        rooftop_stop(layer, 0);
    }
    rooftop_tokens(3);
}

TEST(a_program_is_read_after_its_end)
{
    pid_t pid = child(write_layers, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    assert_int_equal(brick_reader_header(r)->state, BRICK_ENDED);
    assert_int_equal(brick_reader_header(r)->tokens, 3);
    assert_known(brick_file_node(r, "Layer 0/QkvProjection/gemv"), 1);
    assert_int_equal(brick_file_node(r, "Layer 1/QkvProjection")->elements, 4096);
    const struct brick_node *layer = brick_file_node(r, "Layer 1"),
                            *brick = brick_file_node(r, "Layer 1/QkvProjection");
    assert_true(layer->total >= brick->total); /* every span's time is within its parent's */
    assert_int_equal(brick_reader_spans(r), 6);
    brick_reader_close(r);
}

static char *text_of(const struct graph *g, uint32_t root)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    graph_export_text(f, g, &(struct graph_export_options){.root = root});
    fclose(f);
    return text;
}

TEST(its_file_is_a_trace)
{
    char path[256];
    pid_t pid = child(write_layers, NULL);
    wait_for(pid);
    snprintf(path, sizeof path, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"), (int)pid);
    struct trace t = {0};
    const char *paths[] = {path};
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    assert_int_equal(t.spans, 6);
    assert_int_equal(t.lost, 0);
    assert_int_equal(t.sums->kind[0], NODE_PROGRAM);
    char *text = text_of(t.calls, t.calls->first_child[0]);
    assert_non_null(strstr(text, "├── Layer 0\n"));
    assert_non_null(strstr(text, "        └── gemv  grid 32, block 256, smem 4.00 KiB"));
    free(text);
    struct critical_path p;
    assert_int_equal(critical_path_find(t.calls, &p, NULL), 0);
    critical_path_free(&p);
    trace_free(&t);
}

enum { LONG = 1000000000 }; /* ns of a kernel: longer than the brick that launches it */

static void write_open_scopes(void *arg)
{
    (void)arg;
    uint32_t shape[3] = {1, 1, 1};
    rooftop_id kernel = rooftop_kernel("kernel", 1, shape, shape, 0);
    rooftop_timer brick = rooftop_start(rooftop_register("launches", ROOFTOP_OTHER));
    for (uint64_t i = 0; i < 1000; i++)
        rooftop_span(kernel, i * LONG, (i + 1) * LONG, 0, 0, 0);
    rooftop_stop(brick, 0);
    rooftop_start(rooftop_layer(0)); /* it never ends */
    rooftop_start(rooftop_layer(1));
    for (uint64_t i = 0; i < 2; i++)
        rooftop_span(kernel, i * LONG, (i + 1) * LONG, 0, 0, 0);
}

static uint32_t child_of(const struct graph *g, uint32_t parent, const char *name)
{
    for (uint32_t v = g->first_child[parent]; v != GRAPH_NONE; v = g->next_sibling[v])
        if (strcmp(graph_name(g, v), name) == 0)
            return v;
    fail_msg("no %s in %s", name, graph_name(g, parent));
    return GRAPH_NONE;
}

/* An open layer is as long as its finished parts. A finished brick keeps its own time, however
 * long the device worked for it. */
TEST(open_spans_are_as_long_as_their_finished_parts)
{
    pid_t pid = child(write_open_scopes, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    struct graph *g = graph_new();
    uint32_t root = brick_graph_sums(g, r, "program", pid);
    graph_finish(g);
    uint32_t brick = child_of(g, root, "launches"), layer = child_of(g, root, "Layer 0");
    assert_true(g->duration[brick] > 0 && g->duration[brick] < UINT64_C(1000) * LONG);
    assert_int_equal(g->duration[child_of(g, brick, "kernel")], UINT64_C(1000) * LONG);
    assert_int_equal(g->duration[layer], 2 * LONG);
    assert_int_equal(g->duration[child_of(g, layer, "Layer 1")], 2 * LONG);
    assert_int_equal(g->duration[root], g->duration[brick] + 2 * LONG);
    graph_unref(g);
    brick_reader_close(r);
}

/* --- live --- */

struct gate {
    int to_child[2], to_parent[2];
};

static void pass(int fd)
{
    assert_int_equal(write(fd, "", 1), 1);
}
static void wait_at(int fd)
{
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1);
}

static void write_in_steps(void *arg)
{
    struct gate *g = arg;
    rooftop_id id = rooftop_register("step", ROOFTOP_OTHER);
    for (uint64_t i = 0; i < 3; i++) {
        for (uint64_t k = 0; k < 10; k++)
            known_span(id, 10 * i + k);
        pass(g->to_parent[1]);
        wait_at(g->to_child[0]);
    }
}

TEST(a_running_program_is_followed)
{
    struct gate g;
    assert_int_equal(pipe(g.to_child) | pipe(g.to_parent), 0);
    pid_t pid = child(write_in_steps, &g);
    struct brick_reader *r = NULL;
    for (uint64_t i = 1; i <= 3; i++) {
        wait_at(g.to_parent[0]);
        if (!r)
            r = brick_file_open(pid);
        poll_it(r);
        assert_int_equal(brick_reader_header(r)->state, BRICK_RUNNING);
        assert_known(brick_file_node(r, "step"), 10 * i);
        assert_int_equal(brick_file_node(r, "step")->recent_count, 10);
        assert_int_equal(brick_file_node(r, "step")->histogram.total, 10 * i);
        pass(g.to_child[1]);
    }
    wait_for(pid);
    poll_it(r);
    assert_int_equal(brick_file_node(r, "step")->recent_count, 0);
    brick_reader_close(r);
}

/* Between two polls spans are read as they end: each is new once, and recent in the next poll. */
TEST(spans_are_followed_between_polls)
{
    struct gate g;
    struct brick_reader *r = NULL;
    size_t n, spans = 0;
    assert_int_equal(pipe(g.to_child) | pipe(g.to_parent), 0);
    pid_t pid = child(write_in_steps, &g);
    for (uint64_t i = 1; i <= 3; i++) {
        wait_at(g.to_parent[0]);
        if (!r)
            r = brick_file_open(pid);
        if (i < 3)
            assert_int_equal(brick_reader_follow(r, NULL), 0);
        else
            poll_it(r);
        const struct brick_event *e = brick_reader_new_events(r, &n);
        for (size_t k = 0; k < n; k++)
            if ((e[k].record.type & 15) == BRICK_SPAN)
                assert_int_equal(e[k].record.start, 1000 + spans++ * 200);
        assert_int_equal(spans, 10 * i);
        pass(g.to_child[1]);
    }
    assert_int_equal(brick_file_node(r, "step")->recent_count, 30);
    wait_for(pid);
    assert_int_equal(brick_reader_follow(r, NULL), 0);
    brick_reader_new_events(r, &n);
    assert_int_equal(n, 0);
    assert_int_equal(brick_file_node(r, "step")->recent_count, 0);
    brick_reader_close(r);
}

static void write_for_ever(void *arg)
{
    (void)arg;
    rooftop_id outer = rooftop_register("outer", ROOFTOP_OTHER),
               id = rooftop_register("torn", ROOFTOP_OTHER);
    for (uint64_t i = 0;; i++) {
        rooftop_timer t = rooftop_start(outer);
        known_span(id, i);
        rooftop_stop(t, 1);
    }
}

static void check_spans(const struct brick_reader *r)
{
    size_t n;
    const struct brick_event *e = brick_reader_events(r, &n);
    const struct brick_node *torn = brick_file_node(r, "torn");
    (void)torn;
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *s = &e[i].record;
        if ((s->type & 15) == BRICK_SPAN && s->flops == 7) {
            assert_int_equal(s->end - s->start, 100);
            assert_int_equal(s->elements, 3);
            assert_int_equal(s->bytes, 5);
        }
    }
}

/* Writers are killed at random instructions; sums that are read before and after are consistent. */
TEST(a_killed_writer_leaves_whole_sums)
{
    unsigned seed = 1;
    for (int round = 0; round < 40; round++) {
        pid_t pid = child(write_for_ever, NULL);
        char path[256];
        snprintf(path, sizeof path, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"), (int)pid);
        struct brick_reader *r = NULL;
        while (brick_reader_open(&r, path, NULL) != 0)
            usleep(200);
        const struct brick_node *n = NULL;
        for (int i = 0; i < 20 || !n || !n->count; i++) {
            poll_it(r);
            n = brick_file_node(r, "outer/torn");
            if (n && n->count)
                assert_known(n, n->count);
            check_spans(r);
        }
        usleep((useconds_t)(rand_r(&seed) % 2000));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        poll_it(r);
        poll_it(r);
        n = brick_file_node(r, "outer/torn");
        uint64_t outer = brick_file_node(r, "outer")->count;
        assert_known(n, n->count);
        assert_true(n->count == outer || n->count == outer + 1);
        assert_true(n->histogram.total - n->count <= 1);
        assert_int_equal(brick_reader_header(r)->state, BRICK_RUNNING);
        brick_reader_close(r);
        unlink(path);
    }
}

/* --- rings --- */

static void write_more_than_a_ring(void *arg)
{
    rooftop_id id = rooftop_register("wrap", ROOFTOP_OTHER);
    for (uint64_t i = 0; i < *(uint64_t *)arg; i++)
        known_span(id, i);
}

TEST(a_full_ring_keeps_the_newest_and_sums_keep_all)
{
    uint64_t n = 3 * BRICK_RING_LARGE + 17;
    pid_t pid = child(write_more_than_a_ring, &n);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    assert_known(brick_file_node(r, "wrap"), n);
    size_t events;
    const struct brick_event *e = brick_reader_events(r, &events);
    assert_int_equal(events, BRICK_RING_LARGE);
    /* 1 is for the begin of the thread */
    assert_int_equal(brick_reader_missed(r), n + 1 - BRICK_RING_LARGE);
    for (size_t i = 0; i < events; i++)
        assert_int_equal(e[i].record.start, 1000 + (n - events + i) * 200);
    brick_reader_close(r);
}

/* --- fork, threads --- */

static void fork_inside(void *arg)
{
    struct gate *g = arg;
    rooftop_id id = rooftop_register("before", ROOFTOP_OTHER);
    rooftop_timer open = rooftop_start(rooftop_layer(7));
    known_span(id, 0);
    pid_t pid = fork();
    if (pid == 0) {
        rooftop_stop(open, 0); /* the parent's span: the child must not record its end */
        known_span(id, 1);
        known_span(id, 2);
        char text[16];
        int n = snprintf(text, sizeof text, "%d", (int)getpid());
        exit(write(g->to_parent[1], text, (size_t)n) == n ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    rooftop_stop(open, 0);
    exit(status == 0 ? 0 : 1);
}

TEST(a_forked_child_has_a_file_of_its_own)
{
    struct gate g;
    char text[16] = "";
    assert_int_equal(pipe(g.to_parent), 0);
    pid_t pid = child(fork_inside, &g);
    wait_for(pid);
    assert_true(read(g.to_parent[0], text, sizeof text - 1) > 0);
    struct brick_reader *parent = brick_file_open(pid), *forked = brick_file_open(atoi(text));
    poll_it(parent);
    poll_it(forked);
    assert_known(brick_file_node(parent, "Layer 7/before"), 1);
    assert_int_equal(brick_file_node(parent, "Layer 7")->count, 1);
    assert_null(brick_file_node(forked, "Layer 7"));
    assert_known(brick_file_node(forked, "before"), 2);
    brick_reader_close(parent);
    brick_reader_close(forked);
}

enum { MANY_THREADS = 512, ROUNDS = 3 };

struct crowd {
    rooftop_id id;
    pthread_barrier_t all;
};

static void *one_of_many(void *arg)
{
    struct crowd *c = arg;
    pthread_barrier_wait(&c->all);
    for (uint64_t i = 0; i < 20; i++)
        known_span(c->id, i);
    pthread_barrier_wait(&c->all);
    return NULL;
}

static void start_many_threads(void *arg)
{
    (void)arg;
    struct crowd c = {.id = rooftop_register("crowd", ROOFTOP_OTHER)};
    pthread_t t[MANY_THREADS];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    pthread_barrier_init(&c.all, NULL, MANY_THREADS);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MANY_THREADS; i++)
            if (pthread_create(&t[i], &small, one_of_many, &c) != 0)
                exit(1);
        for (int i = 0; i < MANY_THREADS; i++)
            pthread_join(t[i], NULL);
    }
}

/* A thread that ends leaves its region to the next one, so the file of a program with many threads
 * does not grow. */
TEST(five_hundred_threads_lose_nothing)
{
    pid_t pid = child(start_many_threads, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    const struct brick_header *h = brick_reader_header(r);
    assert_int_equal(h->dropped_threads + h->dropped_nodes + h->dropped_names, 0);
    assert_known(brick_file_node(r, "crowd"), MANY_THREADS * 20 * ROUNDS);
    uint32_t threads;
    brick_reader_threads(r, &threads);
    assert_int_equal(threads, MANY_THREADS);
    brick_reader_close(r);
}

/* One thread runs 5 slices of a kernel at two places, another thread runs 3. */
static void *three_slices(void *kernel)
{
    for (uint64_t i = 0; i < 3; i++)
        known_span(*(rooftop_id *)kernel, i);
    return NULL;
}

static void write_slices(void *arg)
{
    (void)arg;
    pthread_t thread;
    uint32_t shape[3] = {2, 1, 1};
    rooftop_id kernel = rooftop_kernel("slices", 1, shape, shape, 0);
    for (uint32_t l = 0; l < 2; l++) {
        rooftop_timer layer = rooftop_start(rooftop_layer(l));
        for (uint64_t i = 0; i < 2 + l; i++)
            known_span(kernel, i);
        rooftop_stop(layer, 0);
    }
    pthread_create(&thread, NULL, three_slices, &kernel);
    pthread_join(thread, NULL);
}

TEST(the_busiest_thread_is_the_same_at_all_places)
{
    pid_t pid = child(write_slices, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    assert_int_equal(brick_file_node(r, "Layer 0/slices")->busiest, 200);
    assert_int_equal(brick_file_node(r, "Layer 1/slices")->busiest, 300);
    assert_int_equal(brick_file_node(r, "slices")->busiest, 0);
    assert_int_equal(brick_file_node(r, "slices")->total, 300);
    brick_reader_close(r);
}

static void write_too_many_names(void *arg)
{
    (void)arg;
    char name[32];
    for (int i = 0; i < BRICK_DESCS + 100; i++) {
        snprintf(name, sizeof name, "name %d", i);
        rooftop_span(rooftop_register(name, ROOFTOP_OTHER), 1000, 1100, 3, 5, 7);
    }
}

TEST(names_that_do_not_fit_are_counted)
{
    pid_t pid = child(write_too_many_names, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    assert_true(brick_reader_header(r)->dropped_names >= 100);
    const struct brick_node *other = brick_file_node(r, "(other)");
    assert_known(other, brick_reader_header(r)->dropped_names);
    assert_int_equal(brick_reader_spans(r), BRICK_DESCS + 100);
    brick_reader_close(r);
}

static void write_in_little_room(void *arg)
{
    (void)arg;
    setenv("ROOFTOP_BRICKS_MIB", "2", 1);
    for (uint32_t i = 0; i < 3000; i++)
        known_span(rooftop_layer(i), i);
}

TEST(a_full_file_drops_and_counts)
{
    pid_t pid = child(write_in_little_room, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    uint64_t dropped = brick_reader_header(r)->dropped_nodes;
    assert_true(dropped > 0);
    assert_int_equal(brick_reader_spans(r) + dropped, 3000);
    brick_reader_close(r);
}

static void register_code(void *arg)
{
    (void)arg;
    const char *ptx = ".version 8.0\n.entry gemm_tiled {}";
    rooftop_code(ROOFTOP_PTX, "gemm_tiled", "src/gemm.ptx", ptx, strlen(ptx));
}

TEST(kernels_have_their_code)
{
    pid_t pid = child(register_code, NULL);
    wait_for(pid);
    struct brick_reader *r = brick_file_open(pid);
    poll_it(r);
    size_t size;
    uint32_t kind;
    const char *path;
    char *code = brick_reader_code(r, UINT64_C(0x3d6ad7f40bcca138), &size, &kind, &path);
    assert_non_null(code);
    assert_string_equal(code, ".version 8.0\n.entry gemm_tiled {}");
    assert_string_equal(path, "src/gemm.ptx");
    assert_int_equal(kind, ROOFTOP_PTX);
    free(code);
    assert_null(brick_reader_code(r, 1, &size, &kind, &path));
    brick_reader_close(r);
}

/* --- damage --- */

TEST(damaged_files_are_refused_or_read)
{
    pid_t pid = child(write_layers, NULL);
    wait_for(pid);
    char path[256], copy[280];
    static char bytes[1 << 20];
    snprintf(path, sizeof path, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"), (int)pid);
    snprintf(copy, sizeof copy, "%s/damaged", getenv("ROOFTOP_BRICKS"));
    int from = open(path, O_RDONLY);
    ssize_t n = read(from, bytes, sizeof bytes);
    close(from);
    assert_int_equal(n, sizeof bytes);
    int fd = open(copy, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    size_t tables = sizeof(struct brick_header);
    for (size_t i = 0; i < tables; i++) {
        char flipped = (char)~bytes[i];
        assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
        struct brick_reader *r;
        struct error err = ERROR_INIT;
        if (brick_reader_open(&r, copy, &err) == 0) {
            brick_reader_poll(r, &err);
            brick_reader_close(r);
        } else {
            assert_true(*err.what && *err.why);
        }
        assert_int_equal(pwrite(fd, &bytes[i], 1, (off_t)i), 1);
    }
    assert_int_equal(ftruncate(fd, 1000), 0);
    struct brick_reader *r;
    assert_int_not_equal(brick_reader_open(&r, copy, NULL), 0);
    close(fd);
}

BRICK_FOLDER_MAIN
