/* What each device did for each rank; compared with counts made microsecond by microsecond from
 * the events that the test wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/kernels/device_use_export.h"
#include "support/trace_text.h"
#include "support/test.h"

enum { US = 1000, RANKS = 2, DEVICES = 2, STREAMS = 2, EVENTS = 40, SLOTS = 4096 };
enum { COMPUTE = 1, COMMUNICATION = 2, COPY = 4 };

static struct trace t;
static char paths[RANKS][64];

/* What a device does in each microsecond, and when the work that begins there was launched. */
struct device {
    uint8_t does[SLOTS];
    /* 1 + launch time of the first work that begins here; UINT64_MAX: unknown */
    uint64_t begins[SLOTS];
    uint64_t kernels, copies, communications, bytes;
};
static struct device devices[RANKS][DEVICES];
static uint64_t first, last; /* of all devices */

FIXTURE(tear_down)
{
    if (t.calls)
        trace_free(&t);
    for (int i = 0; i < RANKS; i++)
        if (paths[i][0])
            unlink(paths[i]);
    memset(paths, 0, sizeof paths);
}

static uint32_t next(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

static void remember(struct device *d, uint64_t from, uint64_t to, uint64_t launch, int what)
{
    for (uint64_t i = from; i < to; i++)
        d->does[i] |= (uint8_t)what;
    if (!d->begins[from] || launch + 1 < d->begins[from])
        d->begins[from] = launch == UINT64_MAX ? UINT64_MAX : launch + 1;
    *(what == COPY ? &d->copies : &d->kernels) += 1;
    d->communications += what == COMMUNICATION;
    d->bytes += what == COPY ? 100 : 0;
    first = from < first ? from : first;
    last = to > last ? to : last;
}

/* Writes work that follows the earlier work of its stream, and the call that launched it. */
static void write_event(FILE *f, int rank, int dev, int i, uint64_t *host, uint64_t *stream,
                        uint32_t *seed)
{
    static const char *const names[] = {"gemm", "ncclDevKernel_SendRecv(x)", "Memcpy HtoD"};
    int kind = (int)next(seed, 3), s = (int)next(seed, STREAMS);
    uint64_t call = *host + next(seed, 12), begin, end;
    bool told = next(seed, 6) != 0;
    *host = call + 1 + next(seed, 5);
    begin = (*host > stream[s] ? *host : stream[s]) + next(seed, 6);
    end = begin + 1 + next(seed, 15);
    stream[s] = end;
    /* if two begin at the same time, it is arbitrary which of them ends the pause */
    if (end >= SLOTS || devices[rank][dev].begins[begin])
        return;
    fprintf(
        f,
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%d,"
        "\"tid\":1,\"ts\":%llu,\"dur\":1,\"args\":{\"correlation\":%d}},"
        "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%llu,"
        "\"dur\":%llu,\"args\":{\"device\":%d,\"stream\":%d,\"correlation\":%d,\"bytes\":100}},",
        100 + rank, (unsigned long long)call, i, kind == 2 ? "gpu_memcpy" : "kernel", names[kind],
        dev, 7 + s, (unsigned long long)begin, (unsigned long long)(end - begin), dev, 7 + s,
        told ? i : 100000 + i);
    remember(&devices[rank][dev], begin, end, told ? call : UINT64_MAX, 1 << kind);
}

static void write_rank(int rank, uint32_t seed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    uint64_t host = next(&seed, 50), stream[DEVICES][STREAMS] = {{0}};
    fprintf(f,
            "{\"baseTimeNanoseconds\":1700000000000000000,\"distributedInfo\":{\"rank\":%d},"
            "\"deviceProperties\":[{\"id\":0,\"name\":\"A\",\"totalGlobalMem\":1000},{\"id\":1,"
            "\"name\":\"A\",\"totalGlobalMem\":1000}],\"traceEvents\":[",
            rank);
    for (int i = 1; i <= EVENTS; i++) {
        int dev = i <= DEVICES ? i - 1 : (int)next(&seed, DEVICES);
        write_event(f, rank, dev, i, &host, stream[dev], &seed);
    }
    fputs("{\"ph\":\"M\"}]}", f);
    fclose(f);
    trace_text_file(paths[rank], text, size, false);
    free(text);
}

static void open_ranks(uint32_t seed)
{
    const char *list[RANKS] = {paths[0], paths[1]};
    struct error err = ERROR_INIT;
    memset(devices, 0, sizeof devices);
    first = UINT64_MAX;
    last = 0;
    for (int i = 0; i < RANKS; i++)
        write_rank(i, seed + (uint32_t)i * 7919);
    t = (struct trace){0};
    if (trace_open(&t, list, RANKS, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

/* Computes the same, slot by slot. */
static void expect(struct device_use *e, const struct device *d)
{
    uint64_t idle = 0, until = first;
    for (uint64_t i = first; i < last; i++) {
        int what = d->does[i];
        if (d->begins[i] && i > until) {
            uint64_t all = i - until, call = d->begins[i] - 1;
            uint64_t late = call <= until ? 0 : call > i ? all : call - until;
            uint64_t launching = 0; /* for 20 us after the call began; calls are shorter */
            for (uint64_t k = until + late; k < i; k++)
                launching += k < call + 20;
            e->unknown += d->begins[i] == UINT64_MAX ? all : 0;
            e->late += d->begins[i] == UINT64_MAX ? 0 : late;
            e->launching += d->begins[i] == UINT64_MAX ? 0 : launching;
            e->waiting += d->begins[i] == UINT64_MAX ? 0 : all - late - launching;
        }
        until = what ? i + 1 : until;
        e->wall++;
        e->busy += what != 0;
        e->kernels += (what & (COMPUTE | COMMUNICATION)) != 0;
        e->compute += (what & COMPUTE) != 0;
        e->communication += (what & COMMUNICATION) != 0;
        e->both += (what & COMPUTE) && (what & COMMUNICATION);
        e->copying += (what & COPY) != 0;
        idle += what == 0;
    }
    e->idle = idle;
    e->drained = last - until;
    e->nkernels = d->kernels;
    e->ncopies = d->copies;
    e->ncommunications = d->communications;
    e->bytes[0] = d->bytes;
}

#define SAME(what) (r->what == (scale)*e.what)
static void is(const struct device_use *r, const struct device *d, uint32_t seed)
{
    struct device_use e = {.wall = 0};
    uint64_t scale = US;
    expect(&e, d);
    bool same = SAME(wall) && SAME(busy) && SAME(kernels) && SAME(compute) && SAME(communication) &&
                SAME(both) && SAME(copying) && SAME(idle) && SAME(late) && SAME(launching) &&
                SAME(waiting) && SAME(unknown) && SAME(drained);
    scale = 1;
    same = same && SAME(nkernels) && SAME(ncopies) && SAME(ncommunications) && SAME(bytes[0]);
    if (!same)
        fail_msg("seed %u, %s, %s: wall %llu busy %llu idle %llu late %llu launching %llu unknown "
                 "%llu drained %llu, expected us %llu %llu %llu %llu %llu %llu %llu",
                 seed, r->rank, r->device, (unsigned long long)r->wall, (unsigned long long)r->busy,
                 (unsigned long long)r->idle, (unsigned long long)r->late,
                 (unsigned long long)r->launching, (unsigned long long)r->unknown,
                 (unsigned long long)r->drained, (unsigned long long)e.wall,
                 (unsigned long long)e.busy, (unsigned long long)e.idle, (unsigned long long)e.late,
                 (unsigned long long)e.launching, (unsigned long long)e.unknown,
                 (unsigned long long)e.drained);
}

TEST_WITH(every_device_is_what_a_loop_counts, NULL, tear_down)
{
    for (uint32_t seed = 1; seed <= 50; seed++) {
        struct device_uses u;
        tear_down(NULL);
        open_ranks(seed);
        device_uses_find(&u, &t);
        assert_int_equal(u.nranks, RANKS);
        assert_int_equal(u.n, RANKS * (1 + DEVICES));
        for (uint32_t i = 0; i < u.n; i++) {
            int rank = (int)i / (1 + DEVICES), dev = (int)i % (1 + DEVICES) - 1;
            char name[64];
            snprintf(name, sizeof name, "rank %d", rank);
            assert_string_equal(u.rows[i].rank, name);
            name[0] = '\0';
            if (dev >= 0)
                snprintf(name, sizeof name, "GPU %d", dev);
            assert_string_equal(u.rows[i].device, name);
            assert_int_equal(u.rows[i].wall, u.rows[i].busy + u.rows[i].idle);
            if (dev >= 0)
                is(&u.rows[i], &devices[rank][dev], seed);
        }
        device_uses_free(&u);
    }
}

/* The devices of a rank share a row before their own: the time in which none of them worked. */
TEST_WITH(the_row_of_a_rank_is_the_union_of_its_devices, NULL, tear_down)
{
    struct device_uses u;
    struct device both = {.kernels = 0};
    open_ranks(3);
    device_uses_find(&u, &t);
    for (int i = 0; i < SLOTS; i++)
        both.does[i] = devices[0][0].does[i] | devices[0][1].does[i];
    struct device_use e = {.wall = 0};
    expect(&e, &both);
    assert_int_equal(u.rows[0].busy, e.busy * US);
    assert_int_equal(u.rows[0].idle, e.idle * US);
    assert_int_equal(u.rows[0].compute, e.compute * US);
    assert_int_equal(u.rows[0].nkernels, devices[0][0].kernels + devices[0][1].kernels);
    device_uses_free(&u);
}

#define KERNEL(name, dev, ts, dur)                                                                 \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":" #dev                         \
    ",\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{\"device\":" #dev ",\"stream\":7}},"

/* One process uses two GPUs, one of which waits: the row of both together hides that. */
TEST_WITH(the_idle_device_is_named, NULL, tear_down)
{
    struct device_uses u;
    char lines[DEVICE_USE_LINES][256];
    trace_text_read(&t, "{\"traceEvents\":[" KERNEL("a", 0, 0, 100) KERNEL("a", 1, 90, 10) "{}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.ndevices, 2);
    assert_true(u.idlest != TRACE_UNKNOWN);
    assert_string_equal(u.rows[u.idlest].device, "GPU 1");
    assert_int_equal(u.rows[u.idlest].idle, 90 * US);
    assert_true(device_uses_say(&u, lines) >= 1);
    device_uses_free(&u);
}

/* Copies whose bytes are not recorded are counted apart: they are not of 0 bytes. */
TEST_WITH(copies_without_bytes_are_counted, NULL, tear_down)
{
#define COPY(ts, more)                                                                             \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy "                                      \
    "HtoD\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":1,\"args\":{\"device\":0,\"stream\":7" more \
    "}},"
    struct device_uses u;
    trace_text_read(&t, "{\"traceEvents\":[" COPY(1, "") COPY(3, ",\"bytes\":100")
                            COPY(5, ",\"bytes\":0") COPY(7, ",\"bytes\":\"many\"") "{}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.rows[0].ncopies, 4);
    assert_int_equal(u.rows[0].nunsized, 2);
    assert_int_equal(u.rows[0].bytes[0], 100);
    device_uses_free(&u);
}

#define XLA(pid, name)                                                                             \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" #pid ",\"args\":{\"name\":\"" name "\"}},"
#define LANE(pid, tid, name)                                                                       \
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" #pid ",\"tid\":" #tid                        \
    ",\"args\":{\"name\":\"" name "\"}},"
#define OP(name, pid, tid, ts, dur)                                                                \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts            \
    ",\"dur\":" #dur ",\"args\":{}},"

/* XLA: a stream of copies is of its device, and all devices are of the only host, although no
 * launch is known. */
TEST_WITH(streams_of_copies_are_no_devices, NULL, tear_down)
{
    struct device_uses u;
    trace_text_read(&t,
                    "{\"traceEvents\":[" XLA(1, "/device:GPU:0") XLA(2, "/device:GPU:1")
                        XLA(701, "/host:CPU") LANE(1, 13, "Stream #13(Compute)")
                            LANE(1, 14, "Stream #14(MemcpyH2D)") LANE(2, 13, "Stream #13(Compute)")
                                LANE(701, 5, "python") OP("PjitFunction(f)", 701, 5, 0, 30)
                                    OP("fusion", 1, 13, 40, 100) OP("MemcpyH2D", 1, 14, 10, 20)
                                        OP("fusion", 2, 13, 40, 60) "{}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.nranks, 1);
    assert_int_equal(u.ndevices, 2);
    assert_int_equal(u.n, 3); /* the first row is of both */
    assert_string_equal(u.rows[1].device, "GPU 0");
    assert_int_equal(u.rows[1].copying, 20 * US);
    assert_int_equal(u.rows[1].compute, 100 * US);
    assert_string_equal(u.rows[2].device, "GPU 1");
    assert_string_equal(u.rows[2].rank, "");
    device_uses_free(&u);
}

/* rocprof: the copies of all devices are in a process of their own, and name their device. */
TEST_WITH(copies_name_their_device, NULL, tear_down)
{
    struct device_uses u;
#define NS(pid, begin, end)                                                                        \
    "{\"ph\":\"X\",\"pid\":" #pid ",\"tid\":0,\"ts\":1,\"dur\":1,\"name\":\"x\",\"args\":{"        \
    "\"dev-id\":\"4\",\"BeginNs\":\"" #begin "\",\"EndNs\":\"" #end "\"}},"
    trace_text_read(&t, "{\"traceEvents\":[" XLA(1, "COPY") XLA(10, "GPU4") NS(1, 1100, 1400)
                            NS(10, 1500, 1800) "{}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.ndevices, 1);
    assert_int_equal(u.n, 1);
    assert_string_equal(u.rows[0].device, "GPU 4");
    assert_int_equal(u.rows[0].copying, 300);
    assert_int_equal(u.rows[0].compute, 300);
    device_uses_free(&u);
}

TEST_WITH(a_tpu_is_called_so, NULL, tear_down)
{
    struct device_uses u;
    trace_text_read(&t, "{\"traceEvents\":[" XLA(3, "/device:TPU:0") LANE(3, 3, "XLA Ops")
                            OP("fusion.1", 3, 3, 10, 200) "{}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.n, 1);
    assert_string_equal(u.rows[0].device, "TPU 0");
    device_uses_free(&u);
}

/* Streams of a GPU belong to the program that launches on any of them. */
TEST_WITH(a_stream_without_launches_is_of_the_same_rank, NULL, tear_down)
{
    struct device_uses u;
    trace_text_read(
        &t,
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
        "\"pid\":5,\"tid\":5,\"ts\":0,\"dur\":1,\"args\":{\"correlation\":1}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":10,"
        "\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":0,\"tid\":9,\"ts\":20,\"dur\":10,"
        "\"args\":{\"device\":0,\"stream\":9}}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.n, 1);
    assert_int_equal(u.rows[0].busy, 20 * US);
    assert_string_equal(u.rows[0].rank, "");
    device_uses_free(&u);
}

TEST_WITH(the_slowest_rank_is_named, NULL, tear_down)
{
    const char *list[] = {paths[0], paths[1]};
    const char *texts[] = {
        "{\"distributedInfo\":{\"rank\":0},\"baseTimeNanoseconds\":5,\"traceEvents\":[" KERNEL(
            "gemm", 0, 0, 40) KERNEL("ncclDevKernel_AllReduce_Sum", 0, 40, 60) "{}]}",
        "{\"distributedInfo\":{\"rank\":1},\"baseTimeNanoseconds\":5,\"traceEvents\":[" KERNEL(
            "gemm", 0, 0, 80) KERNEL("ncclDevKernel_AllReduce_Sum", 0, 80, 20) "{}]}"};
    struct device_uses u;
    struct error err = ERROR_INIT;
    char lines[DEVICE_USE_LINES][256];
    for (int i = 0; i < 2; i++)
        trace_text_file(paths[i], texts[i], strlen(texts[i]), false);
    assert_int_equal(trace_open(&t, list, 2, &err), 0);
    device_uses_find(&u, &t);
    assert_int_equal(u.n, 2);
    assert_string_equal(u.rows[u.slowest].rank, "rank 1");
    assert_float_equal(u.imbalance, 80.0 / 60 - 1, 1e-9);
    assert_int_equal(u.rows[0].communication, 60 * US);
    assert_int_equal(device_uses_say(&u, lines), 2); /* neither is ever idle */
    assert_non_null(strstr(lines[0], "rank 1 computes longest: 33.3 % longer than the mean of the "
                                     "ranks; it communicates least"));
    assert_string_equal(lines[1], "rank 1, GPU 0 comes last most often: to 1 of 1 collectives; the "
                                  "others wait 40.0 us for it");
    device_uses_free(&u);
}

/* Each device comes last once: naming one of them as the last most often would be wrong. */
TEST_WITH(a_tie_is_said, NULL, tear_down)
{
    struct device_uses u;
    char lines[DEVICE_USE_LINES][256], *last = NULL;
    trace_text_read(&t, "{\"traceEvents\":[" KERNEL("ncclDevKernel_AllReduce_Sum", 0, 0, 60)
                            KERNEL("ncclDevKernel_AllReduce_Sum", 1, 40, 20)
                                KERNEL("ncclDevKernel_AllReduce_Sum", 0, 130, 30)
                                    KERNEL("ncclDevKernel_AllReduce_Sum", 1, 100, 60) "{}]}");
    device_uses_find(&u, &t);
    for (int i = device_uses_say(&u, lines); i-- > 0 && !last;)
        last = strstr(lines[i], "come") ? lines[i] : NULL;
    assert_non_null(last);
    assert_string_equal(last,
                        "GPU 1 and GPU 0 come last equally often: each to 1 of 2 collectives; "
                        "the others wait 40.0 us for the first");
    device_uses_free(&u);
}

#define MEMORY(type, device, allocated, reserved)                                                  \
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,"       \
    "\"ts\":1,"                                                                                    \
    "\"args\":{\"Device Type\":" #type ",\"Device Id\":" #device ",\"Bytes\":1,"                   \
    "\"Total Allocated\":" #allocated ",\"Total Reserved\":" #reserved "}},"

/* The peak of a device is the highest value in its own events. Two files may have devices with the
 * same number, and memory of the host does not count. */
TEST_WITH(the_peak_of_allocations_is_of_each_device, NULL, tear_down)
{
    const char *list[] = {paths[0], paths[1]};
    const char *texts[] = {
        "{\"distributedInfo\":{\"rank\":0},\"baseTimeNanoseconds\":5,\"traceEvents\":[" KERNEL(
            "gemm", 0, 0, 40) KERNEL("gemm", 1, 0, 10) MEMORY(1, 0, 300, 1000)
            MEMORY(1, 0, 700, 900) MEMORY(1, 0, 200, 900) MEMORY(1, 1, 50, 60)
                MEMORY(0, 0, 5000, 0) "{}]}",
        "{\"distributedInfo\":{\"rank\":1},\"baseTimeNanoseconds\":5,\"traceEvents\":[" KERNEL(
            "gemm", 0, 0, 80) KERNEL("gemm", 1, 0, 80) MEMORY(1, 0, 8000000000, 9000000000) "{}]}"};
    static const uint64_t expected[][2] = {{GRAPH_UNKNOWN, GRAPH_UNKNOWN}, /* of both devices */
                                           {700, 1000},
                                           {50, 60},
                                           {GRAPH_UNKNOWN, GRAPH_UNKNOWN},
                                           {8000000000, 9000000000},
                                           {GRAPH_UNKNOWN, GRAPH_UNKNOWN}};
    struct device_uses u;
    struct error err = ERROR_INIT;
    char text[128];
    for (int i = 0; i < 2; i++)
        trace_text_file(paths[i], texts[i], strlen(texts[i]), false);
    assert_int_equal(trace_open(&t, list, 2, &err), 0);
    device_uses_find(&u, &t);
    assert_int_equal(u.n, 6);
    for (uint32_t i = 0; i < u.n; i++) {
        assert_int_equal(u.rows[i].allocated, expected[i][0]);
        assert_int_equal(u.rows[i].reserved, expected[i][1]);
    }
    assert_string_equal(device_use_memory_text(&u.rows[1], true, text, sizeof text),
                        "at most 700 B allocated, 1000 B reserved");
    assert_string_equal(device_use_memory_text(&u.rows[3], true, text, sizeof text), "");
    device_uses_free(&u);
}

/* Processes of one program with a GPU each are ranks; their numbers tell them apart. */
TEST_WITH(processes_of_one_name_are_ranks, NULL, tear_down)
{
#define PROCESS(pid, dev, n, length)                                                               \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" #pid ",\"args\":{\"name\":\"python3\"}},"   \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":" #pid           \
    ",\"tid\":1,\"ts\":0,\"dur\":1,\"args\":{\"correlation\":" #n "}},"                            \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":" #dev ",\"tid\":7,\"ts\":10,"     \
    "\"dur\":" #length ",\"args\":{\"device\":" #dev ",\"stream\":7,\"correlation\":" #n "}},"
    struct device_uses u;
    trace_text_read(&t,
                    "{\"traceEvents\":[" PROCESS(4711, 0, 1, 40) PROCESS(4712, 1, 2, 80) "{}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.n, 2);
    assert_string_equal(u.rows[0].rank, "python3 4711");
    assert_string_equal(u.rows[1].rank, "python3 4712");
    assert_int_equal(u.slowest, 1);
    assert_float_equal(u.imbalance, 80.0 / 60 - 1, 1e-9);
    device_uses_free(&u);
}

TEST_WITH(without_devices_there_is_nothing, NULL, tear_down)
{
    struct device_uses u;
    trace_text_read(&t, "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":"
                        "0,\"dur\":5}]}");
    device_uses_find(&u, &t);
    assert_int_equal(u.n, 0);
    assert_int_equal(u.slowest, TRACE_UNKNOWN);
    device_uses_free(&u);
}
