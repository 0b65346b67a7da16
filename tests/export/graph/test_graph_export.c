/* The graph as documents: the tree compared literally, the others through parsers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "engine/functions/hot_profile.h"
#include "export/graph/graph_export.h"
#include "export/path/path_export.h"
#include "support/skip.h"
#include "support/test.h"
#include "support/trace_text.h"

#define NO GRAPH_UNKNOWN

static uint32_t add(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                    uint64_t start, uint64_t ns)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, start, ns);
}

static uint32_t kernel(struct graph *g, const char *name, uint32_t parent, const uint32_t *grid,
                       const uint32_t *block, uint32_t shared)
{
    uint32_t n = add(g, NODE_KERNEL, name, parent, NO, NO);
    struct graph_detail *d = graph_detail(g, n);
    memcpy(d->kernel.grid, grid, sizeof d->kernel.grid);
    memcpy(d->kernel.block, block, sizeof d->kernel.block);
    d->kernel.shared_bytes = shared;
    return n;
}

static uint32_t brick(struct graph *g, const char *name, uint32_t parent, uint64_t ns)
{
    uint32_t n = add(g, NODE_BRICK, name, parent, NO, ns);
    graph_detail(g, n)->brick.elements = 4096;
    return n;
}

static char *as_under(const struct graph *g, const char *format, bool ascii, uint32_t root)
{
    char *text = NULL;
    size_t size = 0;
    struct graph_export_options o = {.ascii = ascii, .root = root};
    FILE *f = open_memstream(&text, &size);
    struct error err = ERROR_INIT;
    assert_int_equal(graph_export_write(graph_export_find(format), f, g, &o, &err), 0);
    fclose(f);
    return text;
}

static char *as(const struct graph *g, const char *format, bool ascii)
{
    return as_under(g, format, ascii, GRAPH_NONE);
}

static void is(const struct graph *g, const char *format, bool ascii, const char *expected)
{
    char *text = as(g, format, ascii);
    assert_string_equal(text, expected);
    free(text);
}

TEST(f127_the_tree_to_the_letter)
{
    struct graph *g = graph_new();
    graph_finish(g);
    is(g, "text", false, "(empty graph)\n");
    uint32_t layer = add(g, NODE_LAYER, "Layer 0", GRAPH_NONE, NO, NO);
    uint32_t qkv = brick(g, "QkvProjection", layer, 200000);
    kernel(g, "batched_gemv", qkv, (uint32_t[]){32, 1, 1}, (uint32_t[]){256, 1, 1}, 4096);
    graph_finish(g);
    is(g, "text", false,
       "Layer 0\n"
       "└── QkvProjection  200 us (4096 elem)\n"
       "    └── batched_gemv  grid 32, block 256, smem 4.00 KiB\n");
    graph_unref(g);
}

static struct graph *everything(void)
{
    struct graph *g = graph_new();
    uint32_t layer = add(g, NODE_LAYER, "Layer 0", GRAPH_NONE, NO, NO);
    uint32_t norm = brick(g, "RmsNorm", layer, 50000);
    kernel(g, "rmsnorm_kernel", norm, (uint32_t[]){16, 1, 1}, (uint32_t[]){256, 1, 1}, 1024);
    uint32_t gate = brick(g, "Gate", layer, 12340);
    kernel(g, "gemm", gate, (uint32_t[]){8, 4, 1}, (uint32_t[]){16, 16, 2}, 0);
    uint32_t f = add(g, NODE_FUNCTION, "forward", GRAPH_NONE, NO, 1000);
    graph_detail(g, f)->function.file = graph_intern(g, "model.c");
    graph_detail(g, f)->function.line = 42;
    uint32_t t = add(g, NODE_TRANSFER, "H2D", f, NO, 4500), src = graph_intern(g, "src");
    uint32_t dst = graph_intern(g, "dst");
    struct graph_detail *d = graph_detail(g, t);
    d->transfer.bytes = 123;
    d->transfer.from = src;
    d->transfer.to = dst;
    uint32_t task = add(g, NODE_TASK, "load", f, NO, NO);
    d = graph_detail(g, task);
    d->task.polls = 4;
    d->task.yields = 3;
    d->task.poll_ns = 2500;
    graph_finish(g);
    return g;
}

/* A profile of the tree, read again, has as much time as the nodes have of their own. */
TEST(stacks_have_the_time_of_the_tree)
{
    static const char *const formats[] = {"speedscope", "pprof"};
    struct graph *g = everything();
    uint64_t own = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        own += graph_self(g, i);
    assert_true(own > 0);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct error err = ERROR_INIT;
        struct graph_export_options o = {.root = GRAPH_NONE};
        struct trace t;
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        assert_int_equal(graph_export_write(graph_export_find(formats[i]), f, g, &o, &err), 0);
        fclose(f);
        assert_int_equal(trace_text_open(&t, text, size, false, &err), 0);
        assert_int_equal(t.samples->stacks.samples, own);
        assert_int_equal(t.samples->stacks.weight, HOT_CPU_TIME);
        trace_free(&t);
        free(text);
    }
    graph_unref(g);
}

TEST(the_tree_knows_every_kind)
{
    struct graph *g = everything();
    is(g, "text", false,
       "Execution Graph\n"
       "├── Layer 0\n"
       "│   ├── RmsNorm  50.0 us (4096 elem)\n"
       "│   │   └── rmsnorm_kernel  grid 16, block 256, smem 1.00 KiB\n"
       "│   └── Gate  12.3 us (4096 elem)\n"
       "│       └── gemm  grid (8, 4), block (16, 16, 2), smem 0 B\n"
       "└── forward (model.c:42)\n"
       "    ├── H2D: src → dst  123 B  4.50 us\n"
       "    └── load  polls:4 yields:3 2.50 us (25 % eff)\n");
    is(g, "text", true,
       "Execution Graph\n"
       "|-- Layer 0\n"
       "|   |-- RmsNorm  50.0 us (4096 elem)\n"
       "|   |   `-- rmsnorm_kernel  grid 16, block 256, smem 1.00 KiB\n"
       "|   `-- Gate  12.3 us (4096 elem)\n"
       "|       `-- gemm  grid (8, 4), block (16, 16, 2), smem 0 B\n"
       "`-- forward (model.c:42)\n"
       "    |-- H2D: src -> dst  123 B  4.50 us\n"
       "    `-- load  polls:4 yields:3 2.50 us (25 % eff)\n");
    graph_unref(g);
}

TEST(sums_show_their_mean_and_their_calls)
{
    struct graph *g = graph_new();
    uint32_t n = add(g, NODE_BRICK, "RmsNorm", GRAPH_NONE, NO, 30000);
    *graph_work(g, n) = (struct graph_work){.count = 3, .total = 30000, .histogram = GRAPH_NONE};
    graph_extra(g, n)->elements = 300;
    graph_finish(g);
    is(g, "text", false, "RmsNorm  10.0 us (100 elem) ×3\n");
    graph_unref(g);
}

/* Names with quotes, backslashes, separators, an escape sequence, and bytes that are not UTF-8. */
static struct graph *hostile(void)
{
    struct graph *g = graph_new();
    uint32_t p = add(g, NODE_PROGRAM, "a\"b\\<&>", GRAPH_NONE, 1000, 9000);
    graph_detail(g, p)->thread.id = 77;
    uint32_t t = add(g, NODE_THREAD, "main\n", p, 1000, 9000);
    graph_detail(g, t)->thread.id = 78;
    uint32_t a = add(g, NODE_BRICK, "x;\033[31m\n\xff", t, 1000, 4000);
    uint32_t b = add(g, NODE_BRICK, "{y}|\\N", t, 6000, 3000);
    uint32_t u = add(g, NODE_BRICK, "unknown", t, 6000, NO);
    graph_connect(g, a, b, EDGE_DEPENDS);
    graph_connect(g, u, b, EDGE_DEPENDS);
    graph_finish(g);
    return g;
}

TEST(no_name_reaches_the_terminal)
{
    struct graph *g = hostile();
    char *text = as(g, "text", false);
    assert_null(strchr(text, '\033'));
    free(text);
    text = as(g, "folded", false);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "x:\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd"));
    free(text);
    graph_unref(g);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static char *drawn(const char *dot)
{
    char path[] = "/tmp/rooftop-dot-XXXXXX", command[128], *svg = NULL;
    size_t size = 0;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, dot, strlen(dot)), (ssize_t)strlen(dot));
    close(fd);
    snprintf(command, sizeof command, "dot -Tsvg %s 2>&1", path);
    FILE *in = popen(command, "r"), *out = open_memstream(&svg, &size);
    for (int c; (c = fgetc(in)) != EOF;)
        fputc(c, out);
    fclose(out);
    assert_int_equal(pclose(in), 0);
    unlink(path);
    return svg;
}

TEST(graphviz_draws_it)
{
    if (system("command -v dot >/dev/null 2>&1") != 0)
        skip_because("no dot here");
    struct graph *graphs[] = {everything(), hostile()};
    static const size_t edges[] = {6, 6};
    for (int i = 0; i < 2; i++) {
        char *dot = as(graphs[i], "dot", false), *svg = drawn(dot);
        assert_int_equal(count(svg, "class=\"node\""), graphs[i]->nnodes);
        assert_int_equal(count(svg, "class=\"edge\""), edges[i]);
        assert_int_equal(count(svg, "Warning") + count(svg, "Error"), 0);
        free(dot);
        free(svg);
        graph_unref(graphs[i]);
    }
}

static cJSON *parsed(const struct graph *g, const char *format)
{
    char *text = as(g, format, false);
    cJSON *j = cJSON_Parse(text);
    assert_non_null(j);
    free(text);
    return j;
}

static double of(const cJSON *e, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(e, key);
    assert_true(cJSON_IsNumber(v));
    return v->valuedouble;
}

TEST(a_chrome_trace_has_what_its_readers_need)
{
    struct graph *g = hostile();
    cJSON *j = parsed(g, "chrome"), *e;
    int spans = 0, begins = 0, ends = 0, process = 0, thread = 0;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(j, "traceEvents"))
    {
        const char *ph = cJSON_GetStringValue(cJSON_GetObjectItem(e, "ph"));
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(e, "name"));
        assert_true(ph && name);
        process += strcmp(name, "process_name") == 0 && of(e, "pid") == 77;
        thread += strcmp(name, "thread_name") == 0 && of(e, "tid") == 78;
        if (*ph == 'M')
            continue;
        assert_true(of(e, "pid") == 77 && of(e, "tid") == 78);
        assert_true(of(e, "ts") >= 0 && of(e, "ts") <= 9);
        if (*ph == 'X')
            assert_true(of(e, "dur") == (spans++ ? 3 : 4));
        begins += *ph == 's';
        ends += *ph == 'f';
    }
    assert_true(process == 1 && thread == 1 && spans == 2);
    assert_true(begins == 1 && ends == 1); /* a span without a known end has none */
    cJSON_Delete(j);
    graph_unref(g);
}

/* Times of a device are marked in each format that can show it; times of the host are not. */
TEST(times_of_a_device_are_marked)
{
    struct graph *g = graph_new();
    add(g, NODE_KERNEL, "host", GRAPH_NONE, 1000, 1000);
    uint32_t k = add(g, NODE_KERNEL, "device", GRAPH_NONE, 3000, 1000);
    g->flags[k] |= NODE_DEVICE_TIME;
    graph_finish(g);
    static const char *const formats[] = {"json", "chrome"};
    for (size_t i = 0; i < 2; i++) {
        char *text = as(g, formats[i], false), *first = strstr(text, "\"clock\":\"device\"");
        cJSON *j = cJSON_Parse(text);
        assert_non_null(j);
        assert_non_null(first);
        assert_true(first > strstr(text, "\"name\":\"device\""));
        assert_null(strstr(first + 1, "\"clock\""));
        cJSON_Delete(j);
        free(text);
    }
    graph_unref(g);
}

TEST(sums_are_laid_out_inside_their_parent)
{
    struct graph *g = graph_new();
    uint32_t a = add(g, NODE_BRICK, "a", GRAPH_NONE, NO, 9000);
    add(g, NODE_BRICK, "b", a, NO, 4000);
    add(g, NODE_BRICK, "c", a, NO, 3000);
    graph_finish(g);
    cJSON *j = parsed(g, "chrome"), *e;
    static const double ts[] = {0, 0, 4};
    int i = 0;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(j, "traceEvents"))
    {
        if (*cJSON_GetStringValue(cJSON_GetObjectItem(e, "ph")) != 'X')
            continue;
        assert_in_range(i, 0, 2);
        if (i < 3)
            assert_true(of(e, "ts") == ts[i]);
        i++;
    }
    assert_int_equal(i, 3);
    cJSON_Delete(j);
    is(g, "folded", false, "a 2000\na;b 4000\na;c 3000\n");
    graph_unref(g);
}

TEST(json_names_every_node)
{
    struct graph *g = everything();
    cJSON *j = parsed(g, "json");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(j, "schema")), "rooftop.tree/2");
    const cJSON *nodes = cJSON_GetObjectItem(j, "nodes");
    assert_int_equal(cJSON_GetArraySize(nodes), g->nnodes);
    const cJSON *k = cJSON_GetArrayItem(nodes, 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(k, "kind")), "kernel");
    assert_int_equal(of(k, "parent"), 1);
    assert_int_equal(of(k, "shared_bytes"), 1024);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(k, "duration_ns")));
    cJSON_Delete(j);
    graph_unref(g);
    g = hostile();
    cJSON_Delete(parsed(g, "json"));
    graph_unref(g);
}

TEST(csv_has_a_row_a_node_and_a_part_can_be_written)
{
    struct graph *g = everything();
    char *text = as(g, "csv", false);
    assert_int_equal(count(text, "\r\n"), g->nnodes + 1);
    assert_non_null(strstr(text, "\r\n1,0,1,brick,Other,\"RmsNorm\",,50000,"));
    free(text);
    text = as_under(g, "text", false, 1);
    assert_string_equal(text, "rmsnorm_kernel  grid 16, block 256, smem 1.00 KiB\n");
    free(text);
    graph_unref(g);
}

TEST(svg_has_a_box_a_node_and_no_raw_names)
{
    struct graph *g = hostile();
    char *text = as(g, "svg", false);
    assert_int_equal(count(text, "<rect"), 5); /* the background, and four spans of known length */
    assert_non_null(strstr(text, "a&quot;b\\&lt;&amp;"));
    assert_null(strchr(text, '\033'));
    free(text);
    graph_unref(g);
}

static uint32_t transfer(struct graph *g, uint64_t start, uint32_t direction, const char *from,
                         const char *to, uint64_t bytes)
{
    uint32_t n = add(g, NODE_TRANSFER, direction ? "D2H" : "H2D", GRAPH_NONE, start, 5);
    uint32_t a = graph_intern(g, from), b = graph_intern(g, to);
    struct graph_detail *d = graph_detail(g, n);
    d->transfer.direction = direction;
    d->transfer.from = a;
    d->transfer.to = b;
    d->transfer.bytes = bytes;
    return n;
}

TEST(ping_pong_is_down_and_up_again_next_in_time)
{
    struct graph *g = graph_new();
    struct ping_pong found[4];
    uint32_t back = transfer(g, 20, 1, "gpu", "x", 64); /* later, although its number is lower */
    uint32_t down = transfer(g, 10, 0, "x", "gpu", 64);
    transfer(g, 10, 0, "y", "gpu", 64);
    transfer(g, 20, 1, "gpu", "y", 32); /* a different number of bytes */
    transfer(g, 10, 0, "z", "gpu", 64);
    transfer(g, 20, 0, "z", "gpu", 64);  /* sent again: the transfer back undoes this one */
    transfer(g, 30, 1, "gpu1", "z", 64); /* from another memory */
    graph_finish(g);
    assert_int_equal(graph_ping_pong(g, found, 4), 1);
    assert_true(found[0].first == down && found[0].second == back);
    graph_unref(g);
}
