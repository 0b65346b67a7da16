/*
 * Reads the lines of the Inspector plugin. Sources: NVIDIA/nccl,
 * ext-profiler/inspector/inspector.cc (inspectorCommInfoHeader, inspectorCompletedColl,
 * inspectorCompletedCollVerbose) and README.md, format v4.0; ROCm/rccl has the same plugin.
 *
 * And those of RCCL's accl-profiler. Source: ROCm/rocm-systems,
 * projects/rccl/plugins/profiler/accl, README.md and accl_profiler.cc (acclWriteRecord). They are
 * lines of the same shape with these differences: there is neither a communicator nor a host (both
 * are in the file's name) nor a time of day, times are in ticks of the GPU's clock of 100 MHz, and
 * a line with a summary is the last.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/trace/collective.h"
#include "engine/trace/trace_json.h"
#include "json/look.h"
#include "json/tokens.h"

enum { KEY = 48, TEXT = 128, COMMUNICATORS_MAX = 1 << 12 };
#define NS_IN_US   UINT64_C(1000)
#define NS_IN_TICK UINT64_C(10) /* of AMD's wall_clock64() */

/* A line. Numbers are 0 where the line does not say them. */
struct inspector_line {
    char communicator[TEXT], host[TEXT], op[TEXT];
    uint64_t rank, ranks, pid, number, bytes, ns, written_us;
    uint64_t begin; /* in us; of accl-profiler in ticks */
    uint64_t lost;  /* collectives that the plugin could not keep, of its summary */
    bool has_op, has_number;
    bool accl, summary; /* written by accl-profiler; its last line */
};

struct communicator {
    uint32_t name, lane; /* in the graph of calls */
};

struct inspector_reading {
    struct trace_json in;
    struct json_tokens json;
    struct trace *t;
    struct inspector_line line;
    struct communicator *communicators;
    uint32_t n, room, program;
    uint64_t lines, estimated;   /* estimated: lines without a begin */
    uint64_t end;                /* ns; of the last collective */
    struct inspector_line named; /* what the file's name says */
    uint64_t lost;               /* collectives that accl-profiler could not keep */
    bool accl, complete;         /* complete: its summary is there */
    uint64_t ranks, rank;        /* of its largest communicator */
    uint32_t host;
};

static bool is_inspector_file(const char *path, const unsigned char *head, size_t size)
{
    static const char performance[] = "\"coll_perf\"", number[] = "\"coll_sn\"";
    (void)path;
    return size && head[0] == '{' && memmem(head, size, performance, sizeof performance - 1) &&
           memmem(head, size, number, sizeof number - 1) &&
           json_look_member((const char *)head, size, "header", NULL) == JSON_LOOK_YES;
}

/* --- a line --- */

static void copy_inspector_text(const struct json_tokens *j, char out[TEXT])
{
    const size_t n = j->size < TEXT - 1 ? j->size : TEXT - 1;
    memcpy(out, j->text, n);
    out[n] = '\0';
}

static const struct {
    const char *key;
    size_t at;
} inspector_numbers[] = {
    {"rank", offsetof(struct inspector_line, rank)},
    {"n_ranks", offsetof(struct inspector_line, ranks)},
    {"pid", offsetof(struct inspector_line, pid)},
    {"coll_sn", offsetof(struct inspector_line, number)},
    {"coll_msg_size_bytes", offsetof(struct inspector_line, bytes)},
    {"dump_timestamp_us", offsetof(struct inspector_line, written_us)},
};

/* Keeps the first begin of a channel's kernel. */
static void keep_first_begin(struct inspector_line *l, uint64_t begin)
{
    if (begin && (l->begin == 0 || begin < l->begin))
        l->begin = begin;
}

static void take_inspector_number(struct inspector_line *l, const char *key, uint64_t v)
{
    for (size_t i = 0; i < sizeof inspector_numbers / sizeof *inspector_numbers; i++)
        if (strcmp(key, inspector_numbers[i].key) == 0)
            memcpy((char *)l + inspector_numbers[i].at, &v, sizeof v);
    l->has_number |= strcmp(key, "coll_sn") == 0;
    if (strcmp(key, "kernel_start_ts") == 0)
        keep_first_begin(l, v);
    const bool lost =
        strcmp(key, "dropped_collectives") == 0 || strcmp(key, "leaked_collectives") == 0;
    l->lost += lost ? v : 0;
    l->summary |= lost;
    l->accl |= strcmp(key, "enqueue_to_kernel_us") == 0;
}

static void take_inspector_value(struct inspector_reading *r, const char *key, enum json_token t)
{
    struct inspector_line *l = &r->line;
    int64_t v = 0;
    const bool time = strcmp(key, "coll_exec_time_us") == 0;
    if (t == JSON_NUMBER && json_scaled(r->json.text, r->json.size, time ? 3 : 0, &v) && v >= 0) {
        if (time)
            l->ns = (uint64_t)v;
        else
            take_inspector_number(l, key, (uint64_t)v);
    }
    if (t != JSON_STRING)
        return;
    if (strcmp(key, "id") == 0)
        copy_inspector_text(&r->json, l->communicator);
    else if (strcmp(key, "hostname") == 0)
        copy_inspector_text(&r->json, l->host);
    else if (strcmp(key, "coll") == 0)
        copy_inspector_text(&r->json, l->op);
    l->has_op |= strcmp(key, "coll") == 0;
}

/* Reads an object or array, after its begin, with all in it; keys are different in all parts. The
 * reader of tokens limits the depth. */
static enum json_token read_inspector_part(struct inspector_reading *r)
{
    char key[KEY] = "";
    for (;;) {
        enum json_token t = json_tokens_next(&r->json);
        if (t == JSON_KEY) {
            const size_t n = r->json.size < KEY - 1 ? r->json.size : KEY - 1;
            memcpy(key, r->json.text, n);
            key[n] = '\0';
            continue;
        }
        if (t == JSON_OBJECT_END || t == JSON_ARRAY_END || json_token_broken(t))
            return t;
        if (t == JSON_OBJECT || t == JSON_ARRAY)
            t = read_inspector_part(r);
        else
            take_inspector_value(r, key, t);
        if (json_token_broken(t))
            return t;
    }
}

/* --- the graph --- */

static uint32_t find_communicator(struct inspector_reading *r)
{
    struct graph *g = r->t->calls;
    const uint32_t name = graph_intern(g, r->line.communicator);
    char text[2 * TEXT];
    for (uint32_t i = r->n; i-- > 0;)
        if (r->communicators[i].name == name)
            return r->communicators[i].lane;
    if (r->program == GRAPH_NONE) {
        snprintf(text, sizeof text, "%s, process %" PRIu64, r->line.host, r->line.pid);
        r->program = graph_add(g, NODE_PROGRAM, graph_intern(g, text), GRAPH_NONE, EDGE_CONTAINS,
                               GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    }
    snprintf(text, sizeof text, "communicator %s", r->line.communicator);
    const uint32_t lane = graph_add(g, NODE_QUEUE, graph_intern(g, text), r->program, EDGE_LAUNCHES,
                                    GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (r->n < COMMUNICATORS_MAX)
        LIST_ADD(r->communicators, r->n, r->room, (struct communicator){name, lane});
    return lane;
}

/* The larger of a rank's input and output: the plugin writes the smaller one of those that gather
 * or scatter (inspectorComputeCollBw multiplies it by the ranks). */
static uint64_t find_message_bytes(const struct inspector_line *l, enum collective_op op)
{
    const bool part = op == COLLECTIVE_ALL_GATHER || op == COLLECTIVE_REDUCE_SCATTER;
    const uint64_t times = part ? l->ranks : 1;
    return l->bytes && times < UINT64_MAX / l->bytes ? l->bytes * times : 0;
}

/* Whether the line is of a collective, with times that fit into the graph. */
static bool is_whole_line(const struct inspector_line *l)
{
    const uint64_t most = INT64_MAX / NS_IN_US;
    return l->has_op && l->has_number && (l->accl || l->written_us) && l->ns && l->ns < most &&
           l->written_us < most && l->begin < most - l->ns / NS_IN_US - 1;
}

/* When it began, ns. What has no time stands behind the one before it. */
static uint64_t find_begin(struct inspector_reading *r)
{
    const struct inspector_line *l = &r->line;
    r->estimated += l->begin == 0;
    if (l->begin)
        return l->begin * (l->accl ? NS_IN_TICK : NS_IN_US);
    if (l->accl)
        return r->end;
    return l->written_us * NS_IN_US > l->ns ? l->written_us * NS_IN_US - l->ns : 0;
}

static void add_inspector_line(struct inspector_reading *r)
{
    const struct inspector_line *l = &r->line;
    struct graph *g = r->t->calls;
    char name[TEXT + 8];
    if (!is_whole_line(l) || r->end > INT64_MAX - l->ns) {
        r->t->dropped++;
        return;
    }
    const enum collective_op op = collective_op_named(l->op);
    const uint64_t begin = find_begin(r);
    const uint32_t lane = find_communicator(r);
    snprintf(name, sizeof name, "nccl:%s", l->op);
    const uint32_t node =
        graph_add(g, NODE_KERNEL, graph_intern(g, name), lane, EDGE_CONTAINS, begin, l->ns);
    if (node == GRAPH_NONE) {
        r->t->dropped++;
        return;
    }
    r->t->spans++;
    r->end = begin + l->ns;
    g->flags[node] |= NODE_COLLECTIVE;
    const bool known = l->ranks && l->ranks < TRACE_UNKNOWN;
    trace_add_collective(r->t, &(struct trace_collective){
                                   .node = node,
                                   .ranks = known ? (uint32_t)l->ranks : TRACE_UNKNOWN,
                                   .group = graph_intern(g, l->communicator),
                                   .bytes = find_message_bytes(l, op),
                                   .sequence = l->number,
                                   .op = (uint8_t)op,
                               });
    if (l->ranks > r->ranks && l->rank < l->ranks && known) {
        r->ranks = l->ranks;
        r->rank = l->rank;
    }
    if (*l->host)
        r->host = graph_intern(g, l->host);
}

/* --- the file --- */

/* accl_profiler_rank3_node1_pid17_0x5f.jsonl: the communicator and the host, which no line has. */
static void read_accl_name(struct inspector_line *l, const char *path)
{
    static const char begin[] = "accl_profiler_rank";
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *hash = strrchr(name, '_');
    if (strncmp(name, begin, sizeof begin - 1) != 0 || !hash)
        return;
    snprintf(l->communicator, TEXT, "%.*s", (int)strcspn(hash + 1, "."), hash + 1);
    const char *host = strchr(name + sizeof begin - 1, '_');
    const char *pid = strstr(name, "_pid");
    for (const char *p = pid; p; p = strstr(p + 1, "_pid"))
        pid = p;
    if (!host || !pid || pid <= host)
        return;
    snprintf(l->host, TEXT, "%.*s", (int)(pid - host - 1), host + 1);
    l->pid = strtoull(pid + strlen("_pid"), NULL, 10);
}

static void take_inspector_line(struct inspector_reading *r)
{
    struct inspector_line *l = &r->line;
    if (l->summary && !l->has_op) {
        r->complete = true;
        r->lost += l->lost;
        return;
    }
    if (l->accl) {
        r->accl = true;
        memcpy(l->communicator, r->named.communicator, TEXT);
        memcpy(l->host, r->named.host, TEXT);
        l->pid = r->named.pid;
    }
    add_inspector_line(r);
}

/* Reads one line after the other. The last one of a process that was killed may be cut. */
static int read_inspector_lines(struct inspector_reading *r, struct error *err)
{
    for (;;) {
        r->line = (struct inspector_line){.rank = 0};
        json_tokens_open(&r->json, &r->in.text);
        enum json_token t = json_tokens_next(&r->json);
        const bool object = t == JSON_OBJECT;
        if (object)
            t = read_inspector_part(r);
        const int rc = t == JSON_BAD ? json_tokens_error(&r->json, err) : 0;
        json_tokens_close(&r->json);
        if (rc != 0 || r->in.text.rc != 0)
            return rc != 0 ? rc : r->in.text.rc;
        if (!object && t != JSON_CUT && t != JSON_END)
            return error_set(err, ERROR_INPUT, EINVAL, NULL, r->in.text.path,
                             "its line %" PRIu64 " is no object", r->lines + 1);
        if (!object)
            return 0;
        if (t == JSON_CUT) {
            trace_note(r->t, "its last line ends in the middle: the process was ended");
            return 0;
        }
        r->lines++;
        take_inspector_line(r);
    }
}

static void tell_inspector_clock(struct inspector_reading *r)
{
    trace_tell_clock(r->t, &(struct trace_clock){
                               .host = r->host,
                               .rank = r->ranks ? (uint32_t)r->rank : GRAPH_NONE,
                               .name = GRAPH_NONE,
                               .unix_ns = r->accl ? GRAPH_UNKNOWN : 0,
                               .ranks = (uint32_t)r->ranks,
                           });
    if (r->accl && !r->complete)
        trace_note(r->t, "it has no summary at its end: the process was ended, and the last "
                         "collectives may be missing");
    if (r->lost)
        trace_note(r->t, "the plugin could not keep %" PRIu64 " collectives: they are missing",
                   r->lost);
    if (r->accl && r->estimated)
        trace_note(r->t,
                   "of %" PRIu64 " collectives no time is known: each is drawn behind the "
                   "one before it",
                   r->estimated);
    else if (r->estimated)
        trace_note(r->t,
                   "%" PRIu64 " collectives are drawn where they were written, at most the dump "
                   "interval late: NCCL_INSPECTOR_DUMP_VERBOSE=1 writes when they began",
                   r->estimated);
}

static int read_inspector(const char *path, struct trace *t, struct error *err)
{
    struct inspector_reading *r = xcalloc(1, sizeof *r);
    r->t = t;
    r->program = r->host = GRAPH_NONE;
    read_accl_name(&r->named, path);
    int rc = trace_json_open(&r->in, path, t, err);
    if (rc == 0)
        rc = read_inspector_lines(r, err);
    trace_json_close(&r->in);
    if (rc == 0)
        tell_inspector_clock(r);
    free(r->communicators);
    free(r);
    return rc;
}

const struct reader_ops reader_inspector = {
    .name = "inspector",
    .summary = "",
    .recognise = is_inspector_file,
    .read = read_inspector,
    .ranks = true,
    .streams = true,
};
