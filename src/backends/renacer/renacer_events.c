/*
 * Makes events from JSON. Fields of renacer-json-v1: name, args (three in hexadecimal; the path of
 * openat is a text), result, duration_us. rooftop adds the others:
 * src/export/syscalls/syscalls_json.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/renacer/renacer_impl.h"
#include "backends/renacer/trace_file.h"
#include "base/arena.h"
#include "base/ascii.h"
#include "base/list.h"
#include "base/memory.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/log.h"
#include "engine/syscalls/memory.h"
#include "engine/trace/trace_json.h"
#include "json/look.h"

enum { NAME_MAX_BYTES = 64, TEXT_ADDRESS = 0x1000 };

/* A call or event while its fields are read. */
struct row {
    struct syscall_event e;
    struct syscall_pieces pieces;
    char name[NAME_MAX_BYTES], signal[NAME_MAX_BYTES];
    const struct syscall_stack *source;
    uint64_t duration_us;
    bool named, has_result, has_duration, has_begin, has_number;
};

struct reading {
    struct trace_json in;
    struct json_tokens json;
    struct row row;
    struct syscall_log *log;
    struct renacer_stacks stacks;
    struct syscall_trace_file *out;
    uint64_t clock_ns; /* time for calls without times */
    bool calls;        /* the list of calls was found */
    struct error *err;
};

/* --- memory --- */

static void piece_add(struct syscall_pieces *p, const struct syscall_piece *piece,
                      const char *bytes, size_t n)
{
    LIST_ROOM(p->list, p->n, p->cap);
    p->list[p->n] = *piece;
    p->list[p->n].offset = p->nbytes;
    p->list[p->n++].size = (uint32_t)n;
    LIST_FIT(p->bytes, p->nbytes + n, p->bytes_cap);
    if (n) /* else there may be no bytes yet */
        memcpy(p->bytes + p->nbytes, bytes, n);
    p->nbytes += (uint32_t)n;
}

/* Replaces "68690a" by its bytes. Returns their number. */
static size_t decode_hex(char *text, size_t n)
{
    size_t out = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        int high = ascii_hex(text[i]), low = ascii_hex(text[i + 1]);
        if (high < 0 || low < 0)
            break;
        text[out++] = (char)(high << 4 | low);
    }
    return out;
}

/* Reads {"address": "0x…", "hex": "…", "at_return": true, "cut": true}. */
static enum json_token read_piece(struct reading *r)
{
    struct json_tokens *j = &r->json;
    struct syscall_piece piece = {0};
    char *bytes = NULL;
    size_t n = 0;
    bool placed = false;
    enum json_token t;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        bool address = renacer_is(j, "address"), hex = renacer_is(j, "hex");
        bool at_return = renacer_is(j, "at_return"), cut = renacer_is(j, "cut");
        t = json_tokens_next(j);
        if (address)
            placed = renacer_number(j, t, &piece.address);
        else if (hex && t == JSON_STRING && !bytes) {
            bytes = xcalloc(j->size + 1, 1);
            memcpy(bytes, j->text, j->size);
            n = decode_hex(bytes, j->size);
        } else if (t == JSON_WORD && j->size == 4) {
            piece.at_return |= at_return;
            piece.cut |= cut;
        }
        t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    if (t == JSON_OBJECT_END && bytes && placed)
        piece_add(&r->row.pieces, &piece, bytes, n);
    free(bytes);
    return t;
}

/* --- lists --- */

/* Reads a list of numbers. Texts among the arguments are paths that renacer decoded. */
static enum json_token read_renacer_args(struct reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t;
    for (unsigned i = 0; (t = json_tokens_next(j)) != JSON_ARRAY_END; i++) {
        uint64_t value;
        if (i < 6 && renacer_number(j, t, &value))
            r->row.e.args[i] = value;
        else if (i < 6 && t == JSON_STRING) {
            char path[4200];
            renacer_text(j, path, sizeof path);
            size_t n = strlen(path);
            bool quoted = n >= 2 && path[0] == '"' && path[n - 1] == '"';
            path[quoted ? n - 1 : n] = 0;
            struct syscall_piece piece = {.address = TEXT_ADDRESS * (uint64_t)(i + 1)};
            r->row.e.args[i] = piece.address;
            piece_add(&r->row.pieces, &piece, path + quoted, strlen(path + quoted) + 1);
        }
        t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

/* Reads texts of an event, each ended by NUL. They are the event's only bytes. */
static enum json_token read_renacer_texts(struct reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t;
    while ((t = json_tokens_next(j)) != JSON_ARRAY_END) {
        if (t == JSON_STRING) {
            struct syscall_piece none = {0};
            piece_add(&r->row.pieces, &none, j->text, j->size);
            piece_add(&r->row.pieces, &none, "", 1);
        }
        t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

static enum json_token read_renacer_memory(struct reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t;
    while ((t = json_tokens_next(j)) != JSON_ARRAY_END) {
        t = t == JSON_OBJECT ? read_piece(r) : json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

/* --- a row --- */

static const char *const abi_names[SYSCALL_ABIS] = {"x86-64", "i386",  "x32",
                                                    "arm64",  "arm32", "io_uring"};
static const char *const kind_names[SYSCALL_KINDS] = {
    [SYSCALL_START] = "start",   [SYSCALL_EXEC] = "exec", [SYSCALL_EXIT] = "exit",
    [SYSCALL_SIGNAL] = "signal", [SYSCALL_STOP] = "stop", [SYSCALL_LOST] = "lost"};
static const struct {
    const char *name;
    uint8_t flag;
} flag_names[] = {{"unfinished", SYSCALL_UNFINISHED},
                  {"restarts", SYSCALL_RESTARTS},
                  {"no_times", SYSCALL_NO_TIMES},
                  {"no_entry", SYSCALL_NO_ENTRY},
                  {"no_result", SYSCALL_NO_RESULT}};

static void take_renacer_word(struct row *row, const struct json_tokens *j, const char *key)
{
    if (strcmp(key, "abi") == 0) {
        for (unsigned i = 0; i < SYSCALL_ABIS; i++)
            if (renacer_is(j, abi_names[i]))
                row->e.abi = (uint8_t)i;
    } else if (strcmp(key, "event") == 0) {
        for (unsigned i = 0; i < SYSCALL_KINDS; i++)
            if (kind_names[i] && renacer_is(j, kind_names[i]))
                row->e.kind = (uint8_t)i;
    } else if (strcmp(key, "name") == 0) {
        renacer_text(j, row->name, sizeof row->name);
        row->named = true;
    }
}

static void take_renacer_number(struct row *row, const char *key, uint64_t v)
{
    if (strcmp(key, "result") == 0) {
        row->e.result = (int64_t)v;
        row->has_result = true;
    } else if (strcmp(key, "duration_us") == 0) {
        row->duration_us = v < UINT64_MAX / 4000 ? v : 0;
        row->has_duration = true;
    } else if (strcmp(key, "pid") == 0)
        row->e.pid = (int32_t)v;
    else if (strcmp(key, "tid") == 0)
        row->e.tid = (int32_t)v;
    else if (strcmp(key, "parent") == 0)
        row->e.parent = (int32_t)v;
    else if (strcmp(key, "begin_ns") == 0) {
        row->e.begin_ns = v;
        row->has_begin = true;
    } else if (strcmp(key, "end_ns") == 0 || strcmp(key, "ns") == 0)
        row->e.end_ns = v;
    else if (strcmp(key, "number") == 0) {
        row->e.number = (uint32_t)v;
        row->has_number = true;
    }
}

static enum json_token read_renacer_field(struct reading *r, const char *key, enum json_token t)
{
    struct row *row = &r->row;
    uint64_t v;
    if (t == JSON_ARRAY && strcmp(key, "args") == 0)
        return read_renacer_args(r);
    if (t == JSON_ARRAY && strcmp(key, "memory") == 0)
        return read_renacer_memory(r);
    if (t == JSON_OBJECT && strcmp(key, "source") == 0)
        return renacer_read_source(&r->stacks, &r->json, &row->source);
    if (t == JSON_ARRAY && strcmp(key, "texts") == 0)
        return read_renacer_texts(r);
    if (t == JSON_NUMBER && strcmp(key, "stack") == 0 && renacer_number(&r->json, t, &v))
        row->e.stack = renacer_stack_of(&r->stacks, v);
    else if (t == JSON_NUMBER && renacer_number(&r->json, t, &v))
        take_renacer_number(row, key, v);
    else if (t == JSON_STRING)
        take_renacer_word(row, &r->json, key);
    else if (t == JSON_WORD && renacer_is(&r->json, "true"))
        for (size_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
            if (strcmp(key, flag_names[i].name) == 0)
                row->e.flags |= flag_names[i].flag;
    return json_tokens_skip(&r->json, t);
}

static void row_clear(struct row *row)
{
    struct syscall_pieces kept = row->pieces;
    kept.n = kept.nbytes = 0;
    *row = (struct row){.pieces = kept};
}

/* Finds the number of a name in the call's own ABI, or in that of any machine. */
static void find_number(struct row *row)
{
    int number = syscall_number(row->e.abi, row->name);
    for (unsigned abi = 0; number < 0 && abi < SYSCALL_ABIS; abi++) {
        number = syscall_number(abi, row->name);
        if (number >= 0)
            row->e.abi = (uint8_t)abi;
    }
    if (number >= 0)
        row->e.number = (uint32_t)number;
    else if (!row->has_number)
        row->e.number = UINT32_MAX; /* "unknown": renacer does not know all calls */
}

static void place_in_time(struct reading *r, struct row *row)
{
    if (row->has_begin) {
        if (row->e.end_ns < row->e.begin_ns)
            row->e.end_ns = row->e.begin_ns;
        return;
    }
    if (!row->has_duration)
        row->e.flags |= SYSCALL_NO_TIMES;
    row->e.begin_ns = r->clock_ns;
    r->clock_ns += row->has_duration ? row->duration_us * 1000 + 1 : 1;
    row->e.end_ns = row->has_duration ? row->e.begin_ns + row->duration_us * 1000 : r->clock_ns;
}

static void keep_row(struct reading *r)
{
    struct row *row = &r->row;
    struct syscall_event *e = &row->e;
    if (e->kind == SYSCALL_CALL) {
        find_number(row);
        place_in_time(r, row);
        r->out->calls++;
    } else {
        e->begin_ns = e->end_ns;
        r->out->has_processes = true;
    }
    if (e->pid <= 0)
        e->pid = 1; /* renacer has no pid */
    if (e->tid <= 0)
        e->tid = e->pid;
    if (!r->out->has_processes && row->has_begin)
        r->out->has_processes = true;
    e->way = SYSCALL_BY_FILE;
    syscall_pieces_lend(&row->pieces, e);
    if (e->kind != SYSCALL_CALL) { /* texts, not memory */
        e->npieces = 0;
        e->pieces = NULL;
    }
    if (!e->stack)
        e->stack = row->source;
    syscall_log_add(r->log, e);
}

static enum json_token read_renacer_row(struct reading *r, enum syscall_event_kind kind)
{
    char key[NAME_MAX_BYTES];
    enum json_token t;
    row_clear(&r->row);
    r->row.e.kind = (uint8_t)kind;
    while ((t = json_tokens_next(&r->json)) == JSON_KEY) {
        renacer_text(&r->json, key, sizeof key);
        t = read_renacer_field(r, key, json_tokens_next(&r->json));
        if (json_token_broken(t))
            return t;
    }
    if (t == JSON_OBJECT_END && (r->row.e.kind != SYSCALL_CALL || r->row.named))
        keep_row(r);
    return t;
}

/* Reads the list of calls, or of other events, which need a known word in "event". */
static enum json_token read_renacer_rows(struct reading *r, bool calls)
{
    const enum syscall_event_kind kind = calls ? SYSCALL_CALL : SYSCALL_ENTRY;
    enum json_token t;
    while ((t = json_tokens_next(&r->json)) != JSON_ARRAY_END) {
        t = t == JSON_OBJECT ? read_renacer_row(r, kind) : json_tokens_skip(&r->json, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

static enum json_token read_summary(struct reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        bool code = renacer_is(j, "exit_code"), lost = renacer_is(j, "lost");
        uint64_t v;
        t = json_tokens_next(j);
        if (code && renacer_number(j, t, &v))
            r->out->exit_code = (int)v;
        if (lost && renacer_number(j, t, &v))
            r->out->lost = v;
        t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

static enum json_token read_renacer_document(struct reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        bool calls = renacer_is(j, "syscalls"), events = renacer_is(j, "events");
        bool summary = renacer_is(j, "summary"), frames = renacer_is(j, "frames");
        bool stacks = renacer_is(j, "stacks");
        t = json_tokens_next(j);
        if ((calls || events) && t == JSON_ARRAY) {
            r->calls |= calls;
            t = read_renacer_rows(r, calls);
        } else if (frames && t == JSON_ARRAY)
            t = renacer_read_frames(&r->stacks, j);
        else if (stacks && t == JSON_ARRAY)
            t = renacer_read_stacks(&r->stacks, j);
        else if (summary && t == JSON_OBJECT)
            t = read_summary(r);
        else
            t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

/* Whether a trace begins here. A damaged one is recognised by the part before the damage. */
static bool trace_begins(const char *text, size_t n)
{
    return json_look_member(text, n, "format", SYSCALL_TRACE_FORMAT) != JSON_LOOK_NO ||
           json_look_member(text, n, "version", NULL) == JSON_LOOK_YES ||
           json_look_member(text, n, "syscalls", NULL) == JSON_LOOK_YES;
}

/* Moves to the `{` that begins the trace, at the start of a line. The text before it is output of
 * the program. If the buffer ends within a possible begin, takes that for the trace. false: there
 * is none. */
static bool find_start(struct json_input *in)
{
    bool line_start = true;
    while (in->p < in->end || json_input_more(in)) {
        if (line_start && *in->p == '{' && trace_begins(in->p, (size_t)(in->end - in->p)))
            return true;
        line_start = *in->p == '\n';
        in->p++;
    }
    return false;
}

static int refuse_trace(struct reading *r, const char *why, const char *help)
{
    uint64_t line, column;
    char what[192];
    json_input_position(&r->in.text, &line, &column);
    snprintf(what, sizeof what, "%.140s:%" PRIu64 ":%" PRIu64, r->in.text.path, line, column);
    return error_set(r->err, ERROR_INPUT, EINVAL, help, what, "%s", why);
}

static int read_renacer_trace(struct reading *r)
{
    if (!find_start(&r->in.text))
        return r->in.text.rc
                   ? r->in.text.rc
                   : refuse_trace(
                         r, "it has no trace: only the output of a program, or nothing",
                         "capture it again; rooftop trace -o FILE keeps the trace apart from "
                         "the program's output");
    json_tokens_open(&r->json, &r->in.text);
    enum json_token t =
        json_tokens_next(&r->json) == JSON_OBJECT ? read_renacer_document(r) : JSON_BAD;
    int rc = 0;
    if (r->in.text.rc != 0)
        rc = r->in.text.rc;
    else if (t == JSON_BAD)
        rc = json_tokens_error(&r->json, r->err);
    else if (t == JSON_CUT || t == JSON_END)
        rc = refuse_trace(r, "the trace ends in the middle",
                          "capture it again, or copy the whole file");
    else if (!r->calls)
        rc = refuse_trace(r, "it has no list of system calls",
                          "trace without -c, which keeps counts only");
    json_tokens_close(&r->json);
    return rc;
}

int syscall_trace_read(const char *path, struct trace *t, const struct syscall_sink *sink,
                       struct syscall_trace_file *out, struct error *err)
{
    struct trace none = {0};
    struct reading *r = xcalloc(1, sizeof *r);
    *out = (struct syscall_trace_file){.exit_code = -1};
    r->out = out;
    r->err = err;
    r->clock_ns = 1;
    r->log = syscall_log_new(memory_limit());
    int rc = trace_json_open(&r->in, path, t ? t : &none, err);
    if (rc == 0)
        rc = read_renacer_trace(r);
    trace_json_close(&r->in);
    out->lost += syscall_log_lost(r->log);
    syscall_log_sort(r->log);
    if (rc == 0)
        syscall_log_give(r->log, sink);
    syscall_log_free(r->log);
    renacer_stacks_free(&r->stacks);
    syscall_pieces_free(&r->row.pieces);
    free(r);
    return rc;
}
