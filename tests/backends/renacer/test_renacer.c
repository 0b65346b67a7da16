/* Saved traces: renacer's published files, clean and behind a program's output, and damaged ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/renacer/trace_file.h"
#include "engine/facts/descriptors.h"
#include "engine/graph/graph_clocks.h"
#include "engine/path/critical_path.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/stacks.h"
#include "engine/trace/trace.h"
#include "support/test.h"

#define FILES "tests/data/renacer/"

/* Bytes written to each descriptor, and numbers of calls. */
struct counted {
    uint64_t calls, opens, written[8];
    bool path_seen;
};

static void count_event(void *ctx, const struct syscall_event *e)
{
    struct counted *c = ctx;
    const char *name = syscall_name(e->abi, e->number);
    if (e->kind != SYSCALL_CALL)
        return;
    c->calls++;
    if (strcmp(name, "write") == 0 && e->result > 0 && e->args[0] < 8)
        c->written[e->args[0]] += (uint64_t)e->result;
    if (strcmp(name, "openat") == 0) {
        char path[256];
        struct descriptors *none = descriptors_new();
        c->opens++;
        if (descriptors_path(none, e, 0, 1, path, sizeof path))
            c->path_seen |= strcmp(path, "/etc/ld.so.cache") == 0;
        descriptors_free(none);
    }
}

static struct counted read_file(const char *path)
{
    struct counted c = {0};
    struct syscall_trace_file file;
    struct syscall_sink sink = {.event = count_event, .ctx = &c};
    struct error err = ERROR_INIT;
    char message[800];
    if (syscall_trace_read(path, NULL, &sink, &file, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    assert_int_equal(file.calls, c.calls);
    assert_int_equal(file.exit_code, 0);
    return c;
}

/* Numbers of calls and bytes as Python's JSON reader finds them in these files. */
TEST(test_published_files)
{
    static const struct {
        const char *path;
        uint64_t calls, out, file;
    } files[] = {
        {FILES "trivial_cli_rust.json", 65, 19, 0},
        {FILES "rust/trivial_cli.json", 65, 20, 0},
        {FILES "rust/git_clone.json", 65, 36, 0},
        {FILES "rust/flag_parser.json", 69, 79, 0},
        {FILES "rust/complex_cli.json", 69, 82, 0},
        {FILES "rust/positional_args.json", 66, 51, 0},
        {FILES "rust/config_manager.json", 128, 34, 132},
        {FILES "python/trivial_cli.json.gz", 1220, 20, 0},
        {FILES "python/git_clone.json.gz", 1266, 36, 0},
        {FILES "python/flag_parser.json.gz", 1223, 79, 0},
        {FILES "python/complex_cli.json.gz", 1223, 72, 0},
        {FILES "python/positional_args.json.gz", 1222, 51, 0},
        {FILES "python/config_manager.json.gz", 1500, 34, 190},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct counted c = read_file(files[i].path);
        if (c.calls != files[i].calls || c.written[1] != files[i].out ||
            c.written[3] != files[i].file)
            fail_msg("%s: %llu calls, %llu and %llu bytes", files[i].path,
                     (unsigned long long)c.calls, (unsigned long long)c.written[1],
                     (unsigned long long)c.written[3]);
        assert_true(c.opens > 0 && c.path_seen);
    }
}

static const char *made_file(const char *text, size_t n)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/rooftop-renacer-%d.json", (int)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
    return path;
}

static void refuse(const char *text, size_t n, const char *message)
{
    struct counted c = {0};
    struct syscall_trace_file file;
    struct syscall_sink sink = {.event = count_event, .ctx = &c};
    struct error err = ERROR_INIT;
    char all[800];
    const char *path = made_file(text, n);
    int rc = syscall_trace_read(path, NULL, &sink, &file, &err);
    unlink(path);
    if (rc == 0)
        fail_msg("accepted: %.*s", (int)n, text);
    assert_int_equal(err.kind, ERROR_INPUT);
    error_format(&err, all, sizeof all);
    if (!strstr(all, message))
        fail_msg("\"%s\" is not in \"%s\"", message, all);
}

TEST(test_what_is_no_trace)
{
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", "it has no trace"},
        {"Backend: AVX2\n", ":2:1: it has no trace: only the output of a program"},
        {"x\n{\n  \"version\": \"1\",\n  \"syscalls\": [", "ends in the middle"},
        {"{\n  \"version\": \"1\",\n  \"syscalls\": [{]", ":3:17"},
        {"{\n  \"version\": \"1\"\n}", "no list of system calls"},
        {"{\"version\": \"1\", \"syscalls\": 5}", "no list of system calls"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        refuse(files[i].text, strlen(files[i].text), files[i].message);
}

TEST(test_a_published_file_of_output_only)
{
    char text[256];
    FILE *f = fopen(FILES "backend_detection_source.json", "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    refuse(text, n, "it has no trace");
}

/* No part of a file is taken for the whole. */
TEST(test_cut_files)
{
    static char text[16384];
    FILE *f = fopen(FILES "rust/trivial_cli.json", "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    while (n && text[n - 1] != '}')
        n--;
    for (size_t cut = 0; cut < n; cut += 97)
        refuse(text, cut, "rooftop-renacer");
}

/* rooftop's own fields: times, processes in between, memory. */
static void keep_event(void *ctx, const struct syscall_event *e)
{
    struct syscall_event *kept = ctx;
    for (int i = 0; i < 4; i++)
        if (kept[i].begin_ns == 0) {
            kept[i] = *e;
            kept[i].pieces = NULL;
            if (e->kind == SYSCALL_CALL && e->npieces) {
                size_t n;
                const uint8_t *bytes = syscall_kept(e, 0x7f00, false, &n, NULL);
                assert_non_null(bytes);
                assert_int_equal(n, 2);
                assert_memory_equal(bytes, "hi", 2);
            }
            if (e->kind == SYSCALL_EXEC)
                assert_memory_equal(e->bytes, "/bin/x\0-a\0", 10);
            return;
        }
}

TEST(test_own_fields)
{
    static const char text[] =
        "{\"version\": \"1\", \"format\": \"renacer-json-v1\", \"syscalls\": [\n"
        "{\"name\": \"write\", \"args\": [\"0x1\", \"0x7f00\", \"0x2\"], \"result\": 2, \"pid\": "
        "7, "
        "\"tid\": 8, \"begin_ns\": 50, \"end_ns\": 60, \"abi\": \"arm64\", \"decoded\": [\"1\"], "
        "\"memory\": [{\"address\": \"0x6f00\", \"hex\": \"\"}, "
        "{\"address\": \"0x7f00 no\", \"hex\": \"6e6f\"}, "
        "{\"address\": \"0x7f00\", \"hex\": \"6869\"}]}],\n"
        "\"events\": [{\"event\": \"start\", \"pid\": 7, \"tid\": 7, \"ns\": 10, \"parent\": 3},\n"
        "{\"event\": \"exec\", \"pid\": 7, \"tid\": 7, \"ns\": 20, \"texts\": [\"/bin/x\", "
        "\"-a\"]},"
        "{\"event\": \"exit\", \"pid\": 7, \"tid\": 7, \"ns\": 70, \"result\": 256}],\n"
        "\"summary\": {\"exit_code\": 1, \"lost\": 3}}";
    struct syscall_event kept[5] = {0};
    struct syscall_trace_file file;
    struct syscall_sink sink = {.event = keep_event, .ctx = kept};
    const char *path = made_file(text, sizeof text - 1);
    assert_int_equal(syscall_trace_read(path, NULL, &sink, &file, NULL), 0);
    unlink(path);
    assert_int_equal(kept[0].kind, SYSCALL_START);
    assert_int_equal(kept[0].parent, 3);
    assert_int_equal(kept[1].kind, SYSCALL_EXEC);
    assert_int_equal(kept[2].kind, SYSCALL_CALL);
    assert_int_equal(kept[2].abi, SYSCALL_ARM64);
    assert_int_equal(kept[2].number, 64);
    assert_true(kept[2].pid == 7 && kept[2].tid == 8 && kept[2].end_ns == 60);
    assert_int_equal(kept[3].kind, SYSCALL_EXIT);
    assert_int_equal(kept[3].result, 256);
    assert_int_equal(file.lost, 3);
    assert_int_equal(file.exit_code, 1);
}

/* Stacks stand behind the calls that refer to them; what is wrong with them costs no call. */
static const char stacks_text[] =
    "{\"version\": \"1\", \"format\": \"renacer-json-v1\", \"syscalls\": [\n"
    "{\"name\": \"read\", \"args\": [], \"result\": 1, \"begin_ns\": 10, \"end_ns\": 20, "
    "\"stack\": 5, \"source\": {\"file\": \"no.c\", \"line\": 1}},\n"
    "{\"name\": \"read\", \"args\": [], \"result\": 1, \"begin_ns\": 30, \"end_ns\": 40, "
    "\"source\": {\"file\": \"a.c\", \"line\": 12, \"function\": \"load\"}},\n"
    "{\"name\": \"read\", \"args\": [], \"result\": 1, \"begin_ns\": 50, \"end_ns\": 60, "
    "\"stack\": 6},\n"
    "{\"name\": \"read\", \"args\": [], \"result\": 1, \"begin_ns\": 70, \"end_ns\": 80, "
    "\"stack\": 99999999999}],\n"
    "\"frames\": [{\"function\": \"in\", \"module\": \"/x/prog\", \"address\": \"0x10\", "
    "\"file\": \"b.c\", \"line\": 3, \"inlined\": true}, {\"function\": \"main\", \"module\": "
    "\"/x/prog\", \"offset\": \"0x4\"}, 7],\n"
    "\"stacks\": [{\"id\": 5, \"frames\": [0, 1, 2, 3, -1, \"x\", []], \"cut\": true}, {\"id\": "
    "5, \"frames\": [1]}, {\"id\": \"6x\", \"frames\": [1]}, {\"id\": 77, \"frames\": [1]}, "
    "{\"frames\": [1]}, 8]}";

static void look_at_stack(void *ctx, const struct syscall_event *e)
{
    int *seen = ctx;
    const struct syscall_stack *s = e->stack;
    if (e->begin_ns == 10) {
        assert_int_equal(s->n, 3);
        assert_true(s->cut);
        assert_string_equal(s->frames[0]->function, "in");
        assert_true(s->frames[0]->inlined && s->frames[0]->address == 0x10);
        assert_string_equal(syscall_frame_module(s->frames[0]), "prog");
        assert_int_equal(s->frames[1]->offset, 4);
        assert_string_equal(s->frames[2]->function, "");
        assert_int_equal(syscall_stack_origin(s)->line, 3);
    } else if (e->begin_ns == 30) {
        assert_int_equal(s->n, 1);
        assert_string_equal(s->frames[0]->file, "a.c");
        assert_string_equal(s->frames[0]->function, "load");
        assert_int_equal(s->frames[0]->line, 12);
    } else
        assert_null(s);
    ++*seen;
}

TEST(test_stacks)
{
    int seen = 0;
    struct syscall_trace_file file;
    struct syscall_sink sink = {.event = look_at_stack, .ctx = &seen};
    const char *path = made_file(stacks_text, sizeof stacks_text - 1), *paths[] = {path};
    assert_int_equal(syscall_trace_read(path, NULL, &sink, &file, NULL), 0);
    assert_int_equal(seen, 4);
    struct trace t = {0};
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    unlink(path);
    bool placed = false;
    for (uint32_t v = 0; v < t.calls->nnodes; v++)
        if (t.calls->kind[v] == NODE_FUNCTION && t.calls->start[v] == 30) {
            const struct graph_detail *d = graph_detail(t.calls, v);
            assert_string_equal(graph_text(t.calls, d->function.file), "a.c");
            assert_string_equal(graph_text(t.calls, d->function.callers - 1), "load");
            assert_string_equal(graph_name(t.sums, t.sums->parent[t.place[v]]), "load");
            placed = true;
        }
    assert_true(placed);
    trace_free(&t);
}

TEST(test_as_a_graph)
{
    const char *paths[] = {FILES "python/trivial_cli.json.gz"};
    struct trace t = {0};
    struct error err = ERROR_INIT;
    char message[800];
    if (trace_open(&t, paths, 1, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    assert_int_equal(t.spans, 1220);
    uint32_t calls = 0, lanes = 0;
    for (uint32_t i = 0; i < t.calls->nnodes; i++) {
        calls += t.calls->kind[i] == NODE_FUNCTION;
        lanes += t.calls->kind[i] == NODE_THREAD;
    }
    assert_int_equal(calls, 1220);
    assert_int_equal(lanes, 1);
    trace_free(&t);
}

/* Operations of io_uring overlap the calls of their thread: they have a lane of their own. */
TEST(test_operations_have_a_lane)
{
    static const char text[] =
        "{\"version\": \"1\", \"format\": \"renacer-json-v1\", \"syscalls\": [\n"
        "{\"name\": \"read\", \"args\": [], \"result\": 1, \"pid\": 7, \"tid\": 7, "
        "\"begin_ns\": 10, \"end_ns\": 20},\n"
        "{\"name\": \"io_uring:read\", \"abi\": \"io_uring\", \"args\": [], \"result\": 1, "
        "\"pid\": 7, \"tid\": 7, \"begin_ns\": 15, \"end_ns\": 90},\n"
        "{\"name\": \"io_uring:fsync\", \"abi\": \"io_uring\", \"args\": [], \"result\": -5, "
        "\"pid\": 7, \"tid\": 8, \"begin_ns\": 16, \"end_ns\": 70},\n"
        "{\"name\": \"write\", \"args\": [], \"result\": 1, \"pid\": 7, \"tid\": 7, "
        "\"begin_ns\": 30, \"end_ns\": 40}]}";
    const char *paths[] = {made_file(text, sizeof text - 1)};
    struct trace t = {0};
    struct error err = ERROR_INIT;
    assert_int_equal(trace_open(&t, paths, 1, &err), 0);
    unlink(paths[0]);
    const struct graph *g = t.calls;
    uint32_t beside = 0, inside = 0;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (strncmp(graph_name(g, v), "io_uring:", 9) == 0) {
            assert_int_equal(g->kind[g->parent[v]], NODE_QUEUE);
            assert_string_equal(graph_name(g, g->parent[v]), "io_uring");
            assert_int_equal(!!(g->flags[v] & NODE_FAILED), graph_name(g, v)[9] == 'f');
            beside++;
        } else if (g->kind[v] == NODE_FUNCTION) {
            assert_int_equal(g->kind[g->parent[v]], NODE_THREAD);
            inside++;
        }
        if (g->kind[v] == NODE_THREAD) /* the operations began and ended beside it */
            assert_int_equal(g->start[v] + g->duration[v], 40);
    }
    assert_int_equal(beside, 2);
    assert_int_equal(inside, 2);
    assert_int_equal(t.spans, 4);
    trace_free(&t);
}

/* The longest chain goes from a parent into its child and back: the child sleeps while it waits. */
TEST(test_path_goes_through_children)
{
    static const char text[] =
        "{\"version\": \"1\", \"format\": \"renacer-json-v1\", \"syscalls\": [\n"
        "{\"name\": \"fork\", \"args\": [], \"result\": 8, \"pid\": 7, \"tid\": 7, "
        "\"begin_ns\": 100, \"end_ns\": 200},\n"
        "{\"name\": \"nanosleep\", \"args\": [], \"result\": 0, \"pid\": 8, \"tid\": 8, "
        "\"begin_ns\": 300, \"end_ns\": 9000},\n"
        "{\"name\": \"wait4\", \"args\": [\"0x8\"], \"result\": 8, \"pid\": 7, \"tid\": 7, "
        "\"begin_ns\": 400, \"end_ns\": 9500},\n"
        "{\"name\": \"exit_group\", \"args\": [], \"unfinished\": true, \"result\": 0, "
        "\"pid\": 7, \"tid\": 7, \"begin_ns\": 9600, \"end_ns\": 9700}]}";
    const char *path = made_file(text, sizeof text - 1), *paths[] = {path};
    struct trace t = {0};
    struct critical_path p;
    uint32_t found = 0;
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    unlink(path);
    assert_int_equal(critical_path_find(t.calls, &p, NULL), 0);
    for (uint32_t i = 0; i < p.nsteps; i++) {
        const char *name = graph_name(t.calls, p.steps[i].node);
        found |= strcmp(name, "fork") == 0 ? 1U : 0U;
        found |= strcmp(name, "nanosleep") == 0 ? 2U : 0U;
    }
    assert_int_equal(found, 3);
    long ids = 0; /* processes and threads are told by their ids */
    for (uint32_t i = 0; i < t.calls->nnodes; i++)
        if (t.calls->kind[i] == NODE_PROGRAM || t.calls->kind[i] == NODE_THREAD)
            ids = ids * 10 + (long)graph_detail(t.calls, i)->thread.id;
    assert_int_equal(ids, 7788);
    critical_path_free(&p);
    trace_free(&t);
}

/* The edges of a graph between two calls that are told by their begins. */
static uint32_t edges_between(const struct graph *g, uint64_t from, uint64_t to)
{
    uint32_t kinds = 0;
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->kind[g->edge_from[e]] == NODE_FUNCTION && g->start[g->edge_from[e]] == from &&
            g->start[g->edge_to[e]] == to)
            kinds |= 1U << g->edge_kind[e];
    return kinds;
}

#define A_CALL(name, args, result, task, begin, end)                                               \
    ",\n{\"name\": \"" name "\", \"args\": [" args "], \"result\": " result ", \"pid\": " task     \
    ", \"tid\": " task ", \"begin_ns\": " begin ", \"end_ns\": " end "}"

static struct graph_clock clock_at(const struct graph *g, uint64_t begin)
{
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->kind[i] == NODE_FUNCTION && g->start[i] == begin)
            return graph_clock_of(g, i);
    fail_msg("no call begins at %llu", (unsigned long long)begin);
    return (struct graph_clock){0};
}

/* What happened before has a smaller clock: the fork before what the child does, a write before the
 * return of its read, which began long before. */
static void check_clocks(const struct graph *g)
{
    assert_true(clock_at(g, 100).entry > 0);
    assert_true(clock_at(g, 160).entry < clock_at(g, 300).entry);
    assert_true(clock_at(g, 300).returned < clock_at(g, 9100).entry);
    assert_true(clock_at(g, 9100).entry < clock_at(g, 400).returned);
    assert_true(clock_at(g, 400).entry < clock_at(g, 9100).entry);
}

/* A child writes to a pipe twice, late; its parent reads. Of the second write the parent sees the
 * end before it returns: then what came before that write is named. */
TEST(test_path_goes_through_pipes)
{
    static const char text[] =
        "{\"version\": \"1\", \"format\": \"renacer-json-v1\", \"syscalls\": [\n"
        "{\"name\": \"pipe2\", \"args\": [\"0x100\", \"0x0\"], \"result\": 0, \"pid\": 7, \"tid\": "
        "7, "
        "\"begin_ns\": 100, \"end_ns\": 150, \"memory\": [{\"address\": \"0x100\", "
        "\"at_return\": true, \"hex\": \"0300000004000000\"}]}"
        /* clang-format off */
        A_CALL("fork", "", "8", "7", "160", "200")
        A_CALL("nanosleep", "", "0", "8", "300", "9000")
        A_CALL("write", "\"0x4\", \"0x0\", \"0x5\"", "5", "8", "9100", "9200")
        A_CALL("read", "\"0x3\", \"0x0\", \"0x5\"", "5", "7", "400", "9300")
        A_CALL("write", "\"0x4\", \"0x0\", \"0x5\"", "5", "8", "9400", "9900")
        A_CALL("read", "\"0x3\", \"0x0\", \"0x5\"", "5", "7", "9350", "9800") "]}";
    /* clang-format on */
    const char *path = made_file(text, sizeof text - 1), *paths[] = {path};
    struct trace t = {0};
    struct critical_path p;
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    unlink(path);
    assert_int_equal(edges_between(t.calls, 160, 300), 1U << EDGE_LAUNCHES);
    assert_int_equal(edges_between(t.calls, 9100, 400), 1U << EDGE_JOINS);
    assert_int_equal(edges_between(t.calls, 9400, 9350), 0);
    assert_int_equal(edges_between(t.calls, 9100, 9350), 1U << EDGE_JOINS);
    assert_int_equal(critical_path_find(t.calls, &p, NULL), 0);
    bool slept = false;
    for (uint32_t i = 0; i < p.nsteps; i++)
        slept |= strcmp(graph_name(t.calls, p.steps[i].node), "nanosleep") == 0;
    assert_true(slept);
    check_clocks(t.calls);
    critical_path_free(&p);
    trace_free(&t);
}

#define AN_EVENT(kind, task, ns, more)                                                             \
    ",\n{\"event\": \"" kind "\", \"pid\": " task ", \"tid\": " task ", \"ns\": " ns more "}"

/* Two children have the same number, one after the other. */
TEST(test_a_number_that_comes_again)
{
    static const char text[] =
        "{\"version\": \"1\", \"format\": \"renacer-json-v1\", \"syscalls\": [\n"
        "{\"name\": \"getpid\", \"args\": [], \"result\": 7, \"pid\": 7, \"tid\": 7, "
        "\"begin_ns\": 50, \"end_ns\": 60}"
        /* clang-format off */
        A_CALL("fork", "", "8", "7", "100", "200")
        A_CALL("getpid", "", "8", "8", "300", "400")
        A_CALL("wait4", "\"0x8\"", "8", "7", "400", "600")
        A_CALL("fork", "", "8", "7", "1000", "1100")
        A_CALL("getuid", "", "0", "8", "1300", "1400")
        A_CALL("wait4", "\"0x8\"", "8", "7", "1300", "1600")
        "], \"events\": [\n{\"event\": \"start\", \"pid\": 7, \"tid\": 7, \"ns\": 10}"
        AN_EVENT("start", "8", "150", ", \"parent\": 7, \"texts\": [\"one\"]")
        AN_EVENT("exit", "8", "500", ", \"result\": 0")
        AN_EVENT("start", "8", "1050", ", \"parent\": 7, \"texts\": [\"two\"]")
        AN_EVENT("exit", "8", "1500", ", \"result\": 0") "]}";
    /* clang-format on */
    const char *path = made_file(text, sizeof text - 1), *paths[] = {path};
    struct trace t = {0};
    assert_int_equal(trace_open(&t, paths, 1, NULL), 0);
    unlink(path);
    uint64_t found = 0;
    for (uint32_t i = 0; i < t.calls->nnodes; i++) {
        if (t.calls->kind[i] != NODE_PROGRAM || graph_detail(t.calls, i)->thread.id != 8)
            continue;
        const bool one = strcmp(graph_name(t.calls, i), "one") == 0;
        assert_int_equal(t.calls->start[i], one ? 150 : 1050);
        assert_int_equal(t.calls->duration[i], one ? 350 : 450);
        found += one ? 1 : 100;
    }
    assert_int_equal(found, 101);
    assert_int_equal(t.syscalls->nprocesses, 3);
    trace_free(&t);
}
