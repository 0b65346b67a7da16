/* perf.data: recordings made by hand, damaged ones, and those that perf makes here, which perf
 * report judges. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/child.h"
#include "engine/functions/functions.h"
#include "engine/functions/hot_profile.h"
#include "support/records.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"
#include "support/trace_text.h"

#define LONG_NS UINT64_C(60000000000)

/* What the records of support/records.h have; their registers are none. */
enum {
    FIELDS = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
             PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
             PERF_SAMPLE_STACK_USER,
    ROUND = 68,
    COMPRESSED = 81,
    COMPRESSED2 = 83
};

/* A recording that is being made. */
struct made {
    _Alignas(8) char bytes[16384];
    size_t n;
};

static void put(struct made *m, const void *p, size_t n)
{
    assert_true(m->n + n <= sizeof m->bytes);
    if (n)
        memcpy(m->bytes + m->n, p, n);
    m->n += n;
}

static void put_u64(struct made *m, uint64_t v)
{
    put(m, &v, sizeof v);
}

static struct perf_event_attr describe(uint64_t config, uint64_t sample_type)
{
    return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(struct perf_event_attr),
                                    .config = config,
                                    .sample_type = sample_type,
                                    .sample_id_all = 1};
}

/* A file with these events, each with the number 100 and so on, and the data. */
static void make_file(struct made *m, const struct perf_event_attr *events, size_t n,
                      const struct made *data)
{
    const uint64_t each = sizeof *events + 16, ids_at = 104, attrs_at = ids_at + 8 * n;
    m->n = 0;
    put(m, "PERFILE2", 8);
    put_u64(m, 104);
    put_u64(m, each);
    put_u64(m, attrs_at);
    put_u64(m, n * each);
    put_u64(m, attrs_at + n * each);
    put_u64(m, data->n);
    for (int i = 0; i < 6; i++) /* event types, features */
        put_u64(m, 0);
    for (size_t i = 0; i < n; i++)
        put_u64(m, 100 + i);
    for (size_t i = 0; i < n; i++) {
        put(m, &events[i], sizeof *events);
        put_u64(m, ids_at + 8 * i);
        put_u64(m, 8);
    }
    put(m, data->bytes, data->n);
}

static void make_one(struct made *m, const struct made *data)
{
    const struct perf_event_attr event = describe(PERF_COUNT_SW_CPU_CLOCK, FIELDS);
    make_file(m, &event, 1, data);
}

/* The same as perf record -o - writes it. */
static void make_pipe(struct made *m, const struct made *data)
{
    const struct perf_event_attr event = describe(PERF_COUNT_SW_CPU_CLOCK, FIELDS);
    const struct perf_event_header h = {.type = 64, .size = sizeof h + sizeof event + 8};
    m->n = 0;
    put(m, "PERFILE2", 8);
    put_u64(m, 16);
    put(m, &h, sizeof h);
    put(m, &event, sizeof event);
    put_u64(m, 100);
    put(m, data->bytes, data->n);
}

static void add_mark(struct made *m, uint32_t type, const void *body, size_t n)
{
    const struct perf_event_header h = {.type = type, .size = (uint16_t)(sizeof h + n)};
    put(m, &h, sizeof h);
    put(m, body, n);
}

static void add_sample(struct made *m, pid_t pid, uint64_t time, uint16_t mode, uint64_t ip,
                       const uint64_t *chain, size_t n)
{
    const struct record_ids ids = {.pid = pid, .tid = pid, .time = time};
    m->n += record_make_sample(m->bytes + m->n, ids, mode, ip, chain, n);
}

__attribute__((noinline)) int marked_leaf(int x)
{
    __asm__ volatile("");
    return x + 1;
}

__attribute__((noinline)) int marked_caller(int x)
{
    __asm__ volatile("");
    return marked_leaf(x) * 3;
}

/* This very program is what "ran": its own mapping, as perf records it. */
static void add_own_mapping(struct made *m, pid_t pid, uint64_t time)
{
    char line[4096], path[4096] = "";
    unsigned long from = 0, to = 0, offset = 0, inode = 0;
    const unsigned long code = (unsigned long)(uintptr_t)marked_leaf;
    FILE *f = fopen("/proc/self/maps", "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %*s %lx %*s %lu %4095s", &from, &to, &offset, &inode, path) ==
                5 &&
            code >= from && code < to)
            break;
    fclose(f);
    assert_true(code >= from && code < to);
    const struct record_ids ids = {.pid = pid, .tid = pid, .time = time};
    size_t n = record_make_mmap2(m->bytes + m->n, ids, from, to - from, offset, inode, path);
    ((struct perf_event_header *)(void *)(m->bytes + m->n))->misc = PERF_RECORD_MISC_USER;
    m->n += n;
}

static uint64_t inside(int (*function)(int))
{
    return (uint64_t)(uintptr_t)function + 1;
}

/* Two samples of a process, whose mapping is behind them in the file, but before them in time. */
static void add_recording(struct made *m)
{
    const uint64_t chain[] = {PERF_CONTEXT_USER, inside(marked_leaf), inside(marked_caller) + 1};
    add_sample(m, 7, 20, PERF_RECORD_MISC_USER, chain[1], chain, 3);
    add_sample(m, 7, 30, PERF_RECORD_MISC_USER, chain[2], NULL, 0);
    add_own_mapping(m, 7, 10);
    add_mark(m, ROUND, NULL, 0);
}

static void is_function(const struct trace *t, const char *name, uint64_t self, uint64_t total)
{
    struct function_row *rows;
    uint64_t own = 0, all = 0;
    assert_non_null(t->samples);
    const struct hot_stacks *p = &t->samples->stacks;
    const size_t n = functions_list(p, &rows);
    for (size_t i = 0; i < n; i++)
        if (strcmp(p->symbols[rows[i].symbol].name, name) == 0) {
            own += rows[i].self;
            all += rows[i].total;
        }
    free(rows);
    if (own != self || all != total)
        fail_msg("%s: %llu and %llu, not %llu and %llu", name, (unsigned long long)own,
                 (unsigned long long)all, (unsigned long long)self, (unsigned long long)total);
}

static void read_made(struct trace *t, const struct made *m)
{
    struct error err = ERROR_INIT;
    char why[800];
    if (trace_text_open(t, m->bytes, m->n, false, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
}

static void is_recording(const struct made *m)
{
    struct trace t;
    read_made(&t, m);
    assert_int_equal(t.samples->stacks.samples, 2);
    assert_string_equal(t.samples->stacks.event, "cpu-clock");
    is_function(&t, "marked_leaf", 1, 1);
    is_function(&t, "marked_caller", 1, 2);
    trace_free(&t);
}

TEST(samples_find_their_functions)
{
    struct made data = {.n = 0}, m;
    add_recording(&data);
    make_one(&m, &data);
    is_recording(&m);
    make_pipe(&m, &data);
    is_recording(&m);
}

/* Two packed pieces of one zstd stream; the second begins inside a record. */
TEST(packed_records_are_read)
{
    static const uint32_t kinds[] = {COMPRESSED, COMPRESSED2};
    for (size_t k = 0; k < 2; k++) {
        struct made data = {.n = 0}, packed = {.n = 0}, m;
        add_recording(&data);
        ZSTD_CStream *z = ZSTD_createCStream();
        for (int piece = 0; piece < 2; piece++) {
            char body[4096] = "";
            const size_t half = data.n / 2 + 3, head = k ? 8 : 0;
            ZSTD_inBuffer in = {data.bytes + (piece ? half : 0), piece ? data.n - half : half, 0};
            ZSTD_outBuffer out = {body + head, sizeof body - head, 0};
            assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
            const uint64_t told = out.pos;
            if (k)
                memcpy(body, &told, sizeof told);
            add_mark(&packed, kinds[k], body, k ? 8 + ((out.pos + 7) & ~(size_t)7) : out.pos);
        }
        ZSTD_freeCStream(z);
        make_one(&m, &packed);
        is_recording(&m);
    }
}

/* Events have numbers, which samples begin with: those of one event are counted. */
TEST(samples_of_one_event_are_counted)
{
    enum {
        NUMBERED = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME
    };
    const struct perf_event_attr events[] = {describe(PERF_COUNT_SW_CPU_CLOCK, NUMBERED),
                                             describe(PERF_COUNT_SW_PAGE_FAULTS, NUMBERED)};
    struct made data = {.n = 0}, m;
    for (uint64_t i = 0; i < 5; i++) {
        const uint64_t body[] = {i < 3 ? 101 : 100, 0x1000, (UINT64_C(9) << 32) + 9, 10 + i};
        add_mark(&data, PERF_RECORD_SAMPLE, body, sizeof body);
    }
    make_file(&m, events, 2, &data);
    struct error err = ERROR_INIT;
    struct trace t;
    read_made(&t, &m);
    assert_string_equal(t.samples->stacks.event, "cpu-clock");
    assert_int_equal(t.samples->stacks.samples, 2);
    assert_int_equal(t.samples->left_out, 3);
    is_function(&t, "[unknown]", 2, 2);
    trace_free(&t);
    char path[64];
    const char *const paths[] = {path};
    trace_text_file(path, m.bytes, m.n, false);
    t = (struct trace){.wanted_value = "page-faults"};
    assert_int_equal(trace_open(&t, paths, 1, &err), 0);
    assert_int_equal(t.samples->stacks.samples, 3);
    trace_free(&t);
    t = (struct trace){.wanted_value = "cycles"};
    assert_true(trace_open(&t, paths, 1, &err) < 0);
    assert_non_null(strstr(err.why, "cpu-clock, page-faults"));
    trace_free(&t);
    remove(path);
}

/* A recording without call graphs: a sample in each of two functions, with these periods. */
static void read_periods(struct trace *t, uint64_t leaf, uint64_t caller)
{
    const struct perf_event_attr event =
        describe(PERF_COUNT_SW_PAGE_FAULTS, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                                PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
    const uint64_t task = (UINT64_C(7) << 32) + 7,
                   samples[2][5] = {{inside(marked_leaf), task, 20, 0, leaf},
                                    {inside(marked_caller), task, 30, 0, caller}};
    struct made data = {.n = 0}, m;
    add_own_mapping(&data, 7, 10);
    for (size_t i = 0; i < 2; i++) {
        add_mark(&data, PERF_RECORD_SAMPLE, samples[i], sizeof samples[i]);
        struct perf_event_header h;
        char *at = data.bytes + data.n - sizeof samples[i] - sizeof h;
        memcpy(&h, at, sizeof h);
        h.misc = PERF_RECORD_MISC_USER;
        memcpy(at, &h, sizeof h);
    }
    make_file(&m, &event, 1, &data);
    read_made(t, &m);
}

static bool has_note(const struct trace *t, const char *text)
{
    for (uint32_t i = 0; i < t->nnotes; i++)
        if (strstr(t->notes[i], text))
            return true;
    return false;
}

TEST(samples_weigh_as_much_as_their_periods)
{
    struct trace t;
    read_periods(&t, 96, 4);
    assert_int_equal(t.samples->stacks.weight, HOT_EVENTS);
    assert_int_equal(t.samples->stacks.samples, 100);
    assert_int_equal(t.samples->taken, 2);
    is_function(&t, "marked_leaf", 96, 96);
    is_function(&t, "marked_caller", 4, 4);
    trace_free(&t);
    read_periods(&t, 250000, 250000); /* they are alike: counted */
    assert_int_equal(t.samples->stacks.weight, HOT_SAMPLES);
    assert_int_equal(t.samples->stacks.samples, 2);
    is_function(&t, "marked_leaf", 1, 1);
    trace_free(&t);
    read_periods(&t, 0, 3); /* no sample is lost */
    is_function(&t, "marked_leaf", 1, 1);
    trace_free(&t);
}

TEST(a_recording_without_call_graphs_says_so)
{
    struct made data = {.n = 0}, m;
    struct trace t;
    read_periods(&t, 1, 1);
    assert_true(has_note(&t, "perf record -g"));
    assert_int_equal(t.samples->stacks.callgraph, CALLGRAPH_NONE);
    trace_free(&t);
    add_recording(&data);
    make_one(&m, &data);
    read_made(&t, &m);
    assert_false(has_note(&t, "perf record -g"));
    trace_free(&t);
}

/* A program that was built again since has other addresses: its names would be wrong. */
TEST(a_program_that_has_changed_gives_no_names)
{
    struct made data = {.n = 0}, m;
    add_recording(&data);
    /* the inode stands behind pid, tid, start, length, offset, major, minor */
    const size_t sizes[] = {((struct perf_event_header *)(void *)data.bytes)->size,
                            sizeof(struct perf_event_header)};
    const struct perf_event_header *second = (void *)(data.bytes + sizes[0]);
    char *inode = data.bytes + sizes[0] + second->size + sizes[1] + 8 + 24 + 8;
    inode[0] ^= 1;
    make_one(&m, &data);
    struct trace t;
    read_made(&t, &m);
    is_function(&t, "[unknown]", 2, 2);
    bool told = false;
    for (uint32_t i = 0; i < t.nnotes; i++)
        told |= strstr(t.notes[i], "2 of 2 samples have no name") != NULL;
    assert_true(told);
    trace_free(&t);
}

/* A recording that was killed: no size of the data, and the last record is cut. */
TEST(a_recording_that_was_killed_is_read_with_a_note)
{
    struct made data = {.n = 0}, m;
    add_recording(&data);
    make_one(&m, &data);
    memset(m.bytes + 48, 0, 8);
    put(&m, "\11\0\0\0\0\0\100\0part", 12);
    is_recording(&m);
    struct trace t;
    read_made(&t, &m);
    bool told = false;
    for (uint32_t i = 0; i < t.nnotes; i++)
        told |= strstr(t.notes[i], "did not end as it should") != NULL;
    assert_true(told);
    trace_free(&t);
}

static bool count_progress(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    enum { HEADER = 104 };
    (void)path;
    *(unsigned *)ctx += total > 0 && done > HEADER && done < total;
    return true;
}

/* Both walks over the file can be watched, and given up, whatever the number of its records is. */
TEST(records_without_times_are_read_with_progress)
{
    enum { RECORDS = 3 * 4096 + 1, TOLD_A_WALK = 3 };
    static struct {
        struct perf_event_header head;
        uint64_t ip;
        int32_t pid, tid;
    } list[RECORDS];
    const struct perf_event_attr event =
        describe(PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    const struct made none = {.n = 0};
    const uint64_t size = sizeof list;
    unsigned told = 0;
    struct trace t = {.watch = count_progress, .watch_ctx = &told};
    struct error err = ERROR_INIT;
    struct made m;
    char path[64];
    const char *paths[] = {path};
    for (size_t i = 0; i < RECORDS; i++) {
        list[i].head = (struct perf_event_header){PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                                                  (uint16_t)sizeof *list};
        list[i].ip = inside(marked_leaf);
        list[i].pid = list[i].tid = 7;
    }
    make_file(&m, &event, 1, &none);
    memcpy(m.bytes + 48, &size, sizeof size);
    char *text = malloc(m.n + sizeof list);
    assert_non_null(text);
    memcpy(text, m.bytes, m.n);
    memcpy(text + m.n, list, sizeof list);
    trace_text_file(path, text, m.n + sizeof list, false);
    free(text);
    assert_int_equal(trace_open(&t, paths, 1, &err), 0);
    unlink(path);
    assert_int_equal(t.samples->stacks.samples, RECORDS);
    assert_true(told >= 2 * TOLD_A_WALK);
    trace_free(&t);
}

static void is_refused(const struct made *m, const char *why)
{
    struct error err = ERROR_INIT;
    struct trace t;
    assert_true(trace_text_open(&t, m->bytes, m->n, false, &err) < 0);
    if (!strstr(err.why, why))
        fail_msg("'%s', not '%s'", err.why, why);
    trace_free(&t);
}

TEST(damage_is_refused_with_its_place)
{
    static const struct {
        size_t at;
        uint64_t value;
        const char *why;
    } list[] = {
        {8, 40, "byte 8: its header"},
        {16, 8, "byte 16: the descriptions"},
        {24, UINT64_C(1) << 40, "more follows than the file has"},
        {32, 0, "it has no events"},
        {48, 4, "longer than what is left"},
        {104 + 8 + sizeof(struct perf_event_attr), UINT64_MAX, "lie outside the file"},
        {104 + 8 + sizeof(struct perf_event_attr) + 8, UINT64_C(1) << 60, "lie outside the file"},
        {104 + 8 + sizeof(struct perf_event_attr) + 16, 9, "shorter than its own head"},
    };
    struct made data = {.n = 0}, m;
    add_recording(&data);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        make_one(&m, &data);
        memcpy(m.bytes + list[i].at, &list[i].value, 8);
        is_refused(&m, list[i].why);
    }
    make_one(&m, &data);
    memcpy(m.bytes, "2ELIFREP", 8);
    is_refused(&m, "the other byte order");
    struct made packed = {.n = 0};
    add_mark(&packed, COMPRESSED, "no zstd.", 8);
    make_one(&m, &packed);
    is_refused(&m, "Unknown frame descriptor");
}

/* A file may be as large as it says without having the bytes: what is taken from it stays bounded.
 */
TEST_WITH(holes_of_a_file_take_no_memory, temp_folder_make, temp_folder_remove)
{
    const uint64_t holes = UINT64_C(1) << 40;
    struct made data = {.n = 0}, m;
    struct error err = ERROR_INIT;
    struct trace t = {.nfiles = 0};
    char path[300];
    const char *list = path;
    add_recording(&data);
    make_one(&m, &data);
    memcpy(m.bytes + 104 + 8 + sizeof(struct perf_event_attr) + 8, &holes, 8);
    snprintf(path, sizeof path, "%s/perf.data", temp_folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(m.bytes, 1, m.n, f), m.n);
    assert_int_equal(fclose(f), 0);
    if (truncate(path, (off_t)(2 * holes)) != 0)
        skip_because("no file of 2 TiB here");
    assert_true(trace_open(&t, &list, 1, &err) < 0);
    assert_non_null(strstr(err.why, "more numbers than any machine gives"));
    trace_free(&t);
}

/* perf record --threads: the file of the folder that has no samples says where they are. */
TEST(a_recording_with_threads_is_refused)
{
    struct made data = {.n = 0}, m;
    add_own_mapping(&data, 7, 10);
    make_one(&m, &data);
    m.bytes[72 + 24 / 8] |= 1; /* the feature DIR_FORMAT, of which the version is said */
    put_u64(&m, 104);
    put_u64(&m, 8);
    is_refused(&m, "--threads");
}

/* Every beginning of a recording is read or refused, and so is one with any byte changed. */
TEST(no_byte_matters_too_much)
{
    struct made data = {.n = 0}, whole, m;
    add_recording(&data);
    make_one(&whole, &data);
    for (size_t i = 0; i < 2 * whole.n; i++) {
        struct error err = ERROR_INIT;
        struct trace t;
        m = whole;
        if (i < whole.n)
            m.n = i;
        else
            m.bytes[i - whole.n] ^= 0x7f;
        if (trace_text_open(&t, m.bytes, m.n, false, &err) == 0)
            assert_non_null(t.samples);
        trace_free(&t);
    }
}

/* --- perf itself is the judge --- */

/* The samples of the functions themselves, without those inlined into them, by name. */
static uint64_t count_self(const struct hot_stacks *p, const char *name)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->nnodes; i++) {
        size_t at = i;
        while (p->symbols[p->nodes[at].symbol].inlined && p->nodes[at].parent >= 0)
            at = (size_t)p->nodes[at].parent;
        if (strcmp(p->symbols[p->nodes[at].symbol].name, name) == 0)
            sum += p->nodes[i].self;
    }
    return sum;
}

/* A line "  12|  2004008|[.] name" of perf report. Returns what is counted: samples, or events. */
static uint64_t compare_row(const struct trace *t, char *line)
{
    static const char *const ours[] = {"spin_hot", "spin_deep", "main"};
    char *name = strchr(line, ']');
    const char *period = strchr(line, '|');
    const bool events = period && t->samples->stacks.weight == HOT_EVENTS;
    const uint64_t n = strtoull(events ? period + 1 : line, NULL, 10);
    if (!name || n == 0)
        return n;
    name += 2;
    for (size_t last = strlen(name); last > 0 && name[last - 1] == ' '; last--)
        name[last - 1] = '\0';
    /* Other names have aliases, of which perf takes another one. */
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i]) == 0 && count_self(&t->samples->stacks, name) != n)
            fail_msg("%s: perf report says %llu", name, (unsigned long long)n);
    return n;
}

static const char program[] =
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "__attribute__((noinline)) unsigned spin_hot(unsigned x)\n"
    "{ for (int i = 0; i < 2000; i++) x = x * 1664525u + 1013904223u; return x; }\n"
    "__attribute__((noinline)) unsigned spin_deep(int n, unsigned x)\n"
    "{ return n ? spin_deep(n - 1, x) + 1 : spin_hot(x); }\n"
    "int main(void) { unsigned s = 0;\n"
    "for (int i = 0; i < 30000; i++) s += spin_deep(4, (unsigned)i);\n"
    "char *m = malloc(1 << 22); memset(m, 1, 1 << 22); return (s + m[5]) == 1; }\n";

static void compare_with_report(const char *path, const char *event)
{
    char perf[4096], *out = NULL;
    assert_non_null(child_find("perf", perf, sizeof perf));
    char *const report[] = {
        perf,          "report", "-f",   "-i",      (char *)path, "--no-children",
        "--no-inline", "-g",     "none", "--stdio", "-F",         "sample,period,sym",
        "-t",          "|",      NULL};
    assert_int_equal(child_run(report, LONG_NS, 1 << 24, &out), 0);
    struct error err = ERROR_INIT;
    struct trace t = {.wanted_value = event};
    char why[800];
    if (trace_open(&t, &path, 1, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
    uint64_t sum = 0;
    bool counted = !event;
    for (char *save = NULL, *line = strtok_r(out, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (event && strncmp(line, "# Samples:", 10) == 0)
            counted = strstr(line, event) != NULL;
        sum += *line == '#' || !counted ? 0 : compare_row(&t, line);
    }
    assert_true(sum > 0);
    assert_int_equal(t.samples->stacks.samples, sum);
    free(out);
    trace_free(&t);
}

TEST_WITH(perf_report_says_the_same, temp_folder_make, temp_folder_remove)
{
    static const struct {
        const char *options, *event;
    } list[] = {
        {"-e cpu-clock -F 999", NULL},
        {"-e cpu-clock -F 999 -g", NULL},
        {"-e cpu-clock -F 499 --call-graph dwarf,4096", NULL},
        {"-e cpu-clock,page-faults -F 999 -g", "cpu-clock"},
        {"-e cpu-clock,page-faults -F 3999 -g", "page-faults"},
        {"-e page-faults -c 1", NULL},
        {"-e cpu-clock -F 999 -g -d --sample-cpu --data --switch-events", NULL},
        {"-e cpu-clock -F 999 --per-thread --buildid-mmap", NULL},
        {"-e cpu-clock -F 999 -g -z", NULL},
    };
    char perf[4096], command[8192], path[128];
    if (!child_find("perf", perf, sizeof perf))
        skip_because("perf.data is not compared: perf is not installed (apt install linux-perf)");
    temp_folder_put("spin.c", program);
    assert_int_equal(system("cd $D && cc -O1 -g -fno-omit-frame-pointer -o spin spin.c"), 0);
    snprintf(path, sizeof path, "%s/perf.data", temp_folder);
    if (system("perf record -q -e cpu-clock -F 99 -o $D/perf.data true 2>/dev/null") != 0)
        skip_because("perf.data is not compared: perf record may not sample here "
                     "(kernel.perf_event_paranoid)");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        snprintf(command, sizeof command, "perf record -q %s -o $D/perf.data $D/spin 2>/dev/null",
                 list[i].options);
        if (system(command) != 0) /* an older perf does not know the option */
            continue;
        compare_with_report(path, list[i].event);
    }
    assert_int_equal(
        system("perf record -q -e cpu-clock -g -o - $D/spin 2>/dev/null >$D/perf.data"), 0);
    compare_with_report(path, NULL);
}
