#include "support/flight_dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { TEXTS = 512 };

struct writer {
    FILE *out;
    char *texts[TEXTS]; /* those that have a number */
    uint32_t numbers[TEXTS];
    uint32_t ntexts, next;
};

static void put_size(FILE *out, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(v >> (8 * i) & 0xff), out);
}

static void put_number(struct writer *w, int64_t v)
{
    if (v >= 0 && v <= UINT8_MAX) {
        fputc('K', w->out);
        put_size(w->out, (uint64_t)v, 1);
    } else if (v >= 0 && v <= UINT16_MAX) {
        fputc('M', w->out);
        put_size(w->out, (uint64_t)v, 2);
    } else if (v >= INT32_MIN && v <= INT32_MAX) {
        fputc('J', w->out);
        put_size(w->out, (uint64_t)v, 4);
    } else {
        fputs("\x8a\x08", w->out);
        put_size(w->out, (uint64_t)v, 8);
    }
}

/* Refers to a value, or gives the value on top the next number. */
static void put_memo(struct writer *w, bool get, uint32_t number)
{
    if (number <= UINT8_MAX) {
        fputc(get ? 'h' : 'q', w->out);
        put_size(w->out, number, 1);
    } else {
        fputc(get ? 'j' : 'r', w->out);
        put_size(w->out, number, 4);
    }
}

static void put_text(struct writer *w, const char *text)
{
    for (uint32_t i = 0; i < w->ntexts; i++)
        if (strcmp(w->texts[i], text) == 0) {
            put_memo(w, true, w->numbers[i]);
            return;
        }
    fputc('X', w->out);
    put_size(w->out, strlen(text), 4);
    fputs(text, w->out);
    assert_true(w->ntexts < TEXTS);
    w->texts[w->ntexts] = strdup(text);
    w->numbers[w->ntexts++] = w->next;
    put_memo(w, false, w->next++);
}

static void put_text_member(struct writer *w, const char *key, const char *text)
{
    put_text(w, key);
    put_text(w, text);
}

static void put_number_member(struct writer *w, const char *key, uint64_t v)
{
    put_text(w, key);
    put_number(w, (int64_t)v);
}

static void put_bool_member(struct writer *w, const char *key, bool v)
{
    put_text(w, key);
    fputc(v ? 0x88 : 0x89, w->out);
}

static void put_sizes(struct writer *w, const char *key, int64_t n)
{
    put_text(w, key);
    fputs("](", w->out);
    if (n >= 0) {
        fputs("](", w->out);
        put_number(w, n);
        fputc('e', w->out);
    }
    fputc('e', w->out);
}

static void put_types(struct writer *w, const char *key, const char *type, bool some)
{
    put_text(w, key);
    fputs("](", w->out);
    if (some)
        put_text(w, type);
    fputc('e', w->out);
}

/* The frames of a call: PyTorch's, the user's, and what called it. Equal ones are kept once. */
static void put_frames(struct writer *w, int line)
{
    static const char *const names[] = {"all_reduce", "backward", "main"},
                             *const files[] = {"/usr/lib/torch/distributed/distributed_c10d.py",
                                               "/home/user/train.py", "/home/user/train.py"};
    put_text(w, "frames");
    fputs("](", w->out);
    for (int i = 0; i < 3; i++) {
        fputs("}(", w->out);
        put_text_member(w, "name", names[i]);
        put_text_member(w, "filename", files[i]);
        put_number_member(w, "line", (uint64_t)line + 100 * (uint64_t)i);
        fputc('u', w->out);
    }
    fputc('e', w->out);
}

static void put_call(struct writer *w, const struct flight_call *c)
{
    char name[128];
    const bool ended = strcmp(c->state, "completed") == 0,
               begun = strcmp(c->state, "scheduled") != 0;
    snprintf(name, sizeof name, "nccl:%s", c->op);
    fputs("}(", w->out);
    put_frames(w, c->line);
    put_number_member(w, "record_id", c->record);
    put_number_member(w, "pg_id", 0);
    put_text(w, "process_group");
    put_text(w, c->group);
    put_text(w, c->description);
    fputc(0x86, w->out);
    put_number_member(w, "collective_seq_id", c->pair ? 0 : c->sequence);
    put_number_member(w, "p2p_seq_id", c->pair ? c->sequence : 0);
    put_number_member(w, "op_id", c->sequence);
    put_text_member(w, "profiling_name", name);
    put_number_member(w, "time_created_ns", c->created);
    put_sizes(w, "input_sizes", c->in);
    put_types(w, "input_dtypes", c->type, c->in >= 0);
    put_sizes(w, "output_sizes", c->out);
    put_types(w, "output_dtypes", c->type, c->out >= 0);
    put_text_member(w, "state", c->state);
    put_text(w, "time_discovered_started_ns");
    if (begun)
        put_number(w, (int64_t)c->created + 1);
    else
        fputc('N', w->out);
    put_text(w, "time_discovered_completed_ns");
    if (ended)
        put_number(w, (int64_t)c->created + 2);
    else
        fputc('N', w->out);
    put_bool_member(w, "retired", c->retired || ended);
    put_number_member(w, "timeout_ms", c->timeout_ms);
    put_bool_member(w, "is_p2p", c->pair);
    fputc('u', w->out);
}

/* The ranks of a group as Python prints a list. The last long one is kept: many ranks write it. */
static const char *rank_list(const struct flight_group *g)
{
    enum { SIZE = 16384, LONG = 64 };
    static char kept[2][SIZE];
    static struct flight_group of = {.n = 0};
    char *out = kept[g->n >= LONG];
    size_t n = 1;
    if (g->n >= LONG && of.from == g->from && of.n == g->n && of.step == g->step)
        return out;
    strcpy(out, "[");
    for (uint32_t i = 0; i < g->n && n < SIZE; i++)
        n +=
            (size_t)snprintf(out + n, SIZE - n, "%s%" PRIu32, i ? ", " : "", g->from + i * g->step);
    assert_true(n + 1 < SIZE);
    strcpy(out + n, "]");
    if (g->n >= LONG)
        of = *g;
    return out;
}

void flight_dump_pickle(FILE *out, const struct flight_group *groups, size_t ngroups,
                        const struct flight_call *calls, size_t n)
{
    struct writer w = {.out = out};
    fputs("\x80\x02}(", out);
    put_text_member(&w, "version", "2.10");
    put_text(&w, "pg_config");
    fputs("}(", out);
    for (size_t i = 0; i < ngroups; i++) {
        put_text(&w, groups[i].name);
        fputs("}(", out);
        put_text_member(&w, "name", groups[i].name);
        put_text_member(&w, "desc", groups[i].description);
        put_text_member(&w, "ranks", rank_list(&groups[i]));
        fputc('u', out);
    }
    fputc('u', out);
    put_text_member(&w, "nccl_version", "2.27.5");
    put_text(&w, "entries");
    fputs("](", out);
    for (size_t i = 0; i < n; i++)
        put_call(&w, &calls[i]);
    fputs("eu.", out);
    for (uint32_t i = 0; i < w.ntexts; i++)
        free(w.texts[i]);
}

static void write_json_call(FILE *out, const struct flight_call *c)
{
    const bool ended = strcmp(c->state, "completed") == 0,
               begun = strcmp(c->state, "scheduled") != 0;
    char in[40] = "", sizes[40] = "", types[40] = "";
    if (c->in >= 0)
        snprintf(in, sizeof in, "[%" PRId64 "]", c->in);
    if (c->out >= 0)
        snprintf(sizes, sizeof sizes, "[%" PRId64 "]", c->out);
    if (c->in >= 0)
        snprintf(types, sizeof types, "\"%s\"", c->type);
    fprintf(out,
            "{\"collective_seq_id\":%" PRIu64 ",\"input_dtypes\":[%s],\"input_sizes\":[%s],"
            "\"is_p2p\":%s,\"op_id\":%" PRIu64 ",\"output_dtypes\":[%s],\"output_sizes\":[%s],",
            c->pair ? 0 : c->sequence, types, in, c->pair ? "true" : "false", c->sequence, types,
            sizes);
    fprintf(out,
            "\"p2p_seq_id\":%" PRIu64 ",\"pg_id\":0,\"process_group\":[\"%s\",\"%s\"],"
            "\"profiling_name\":\"nccl:%s\",\"record_id\":%u,\"retired\":%s,\"state\":\"%s\",",
            c->pair ? c->sequence : 0, c->group, c->description, c->op, c->record,
            c->retired || ended ? "true" : "false", c->state);
    fprintf(out,
            "\"time_created_ns\":%" PRIu64 ",\"time_discovered_completed_ns\":%" PRIu64
            ",\"time_discovered_started_ns\":%" PRIu64 ",\"timeout_ms\":%u}",
            c->created, ended ? c->created + 2 : 0, begun ? c->created + 1 : 0, c->timeout_ms);
}

void flight_dump_json(FILE *out, const struct flight_group *groups, size_t ngroups,
                      const struct flight_call *calls, size_t n)
{
    fputs("{\"entries\":[", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        write_json_call(out, &calls[i]);
    }
    fputs("],\"pg_config\":{", out);
    for (size_t i = 0; i < ngroups; i++) {
        fprintf(out, "%s\"%s\":{\"desc\":\"%s\",\"name\":\"%s\",\"ranks\":\"%s\"}", i ? "," : "",
                groups[i].name, groups[i].description, groups[i].name, rank_list(&groups[i]));
    }
    fputs("},\"pg_status\":{},\"version\":\"2.10\"}", out);
}
