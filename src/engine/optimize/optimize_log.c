#include "engine/optimize/optimize_log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/list.h"
#include "engine/value/document.h"
#include "engine/value/text_file.h"
#include "json/json.h"

#define SCHEMA OPTIMIZE_SCHEMA
enum { LOG_MOST = 64 << 20, RECORDS_MOST = 1 << 16, WORD = 64, HEX = 20 };

static const char *const outcomes[] = {
#define OUTCOME(id, name) name,
#include "engine/optimize/optimize_outcomes.def"
#undef OUTCOME
};
static const struct end_row {
    const char *name, *text;
} ends[] = {
    {"", "it has not ended"},
#define END(id, name, text) {name, text},
#include "engine/optimize/optimize_ends.def"
#undef END
};
static const char *const steps[] = {"baseline", "candidate", "confirmation"};
static const char *const metrics[] = {"time", "modelled"};

const char *optimize_outcome_name(enum optimize_outcome o)
{
    return outcomes[o];
}

const char *optimize_metric_name(bool modelled)
{
    return metrics[modelled];
}

const char *optimize_end_name(enum optimize_end e)
{
    return ends[e].name;
}

const char *optimize_end_text(enum optimize_end e)
{
    return ends[e].text;
}

const char *optimize_step_name(enum optimize_step s)
{
    return steps[s];
}

const struct interval *optimize_record_factor(const struct optimize_record *r)
{
    return isnan(r->confirmed.estimate) ? &r->warm : &r->confirmed;
}

/* --- written --- */

static cJSON *new_log_line(const char *kind)
{
    char time[40];
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "schema", SCHEMA);
    cJSON_AddStringToObject(j, "kind", kind);
    cJSON_AddStringToObject(j, "time", utc_text(env_wall_ns(), time));
    return j;
}

static void add_hash(cJSON *to, const char *key, uint64_t hash)
{
    char text[HEX];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    cJSON_AddStringToObject(to, key, text);
}

/* Writes the line and its end at once: another process sees all of it, or a part without an end. */
static int append_log_line(int fd, cJSON *j, struct error *err)
{
    char *text = json_document(j, false);
    int rc = text ? 0 : -ENOMEM;
    cJSON_Delete(j);
    if (text) {
        const size_t n = strlen(text);
        text[n] = '\n'; /* in place of the 0 */
        const ssize_t done = write(fd, text, n + 1);
        if (done != (ssize_t)n + 1)
            rc = done < 0 ? -errno : -ENOSPC;
        else if (fsync(fd) != 0)
            rc = -errno;
    }
    free(text);
    return rc == 0
               ? 0
               : error_set(err, ERROR_OUTPUT, -rc, NULL, "the log of the run", "%s", strerror(-rc));
}

int optimize_log_begin(int fd, const struct optimize_begin *b, struct error *err)
{
    cJSON *j = new_log_line("begin");
    json_add_text(j, "source", b->source);
    json_add_text(j, "function", b->function);
    json_add_text(j, "build", b->build);
    add_hash(j, "source_hash", b->source_hash);
    json_add_text(j, "target", b->target);
    add_hash(j, "target_hash", b->target_hash);
    json_add_number(j, "min_gain", b->min_gain);
    return append_log_line(fd, j, err);
}

static void add_interval(cJSON *to, const char *key, const struct interval *i)
{
    cJSON *a = cJSON_AddArrayToObject(to, key);
    const double all[] = {i->estimate, i->low, i->high};
    for (size_t k = 0; k < 3; k++)
        cJSON_AddItemToArray(a, isfinite(all[k]) ? cJSON_CreateNumber(all[k]) : cJSON_CreateNull());
}

int optimize_log_record(int fd, const struct optimize_record *r, struct error *err)
{
    cJSON *j = new_log_line(steps[r->step]);
    cJSON_AddNumberToObject(j, "number", r->number);
    cJSON_AddNumberToObject(j, "base", r->base);
    cJSON_AddNumberToObject(j, "against", r->against);
    json_add_text(j, "proposer", r->proposer);
    json_add_text(j, "note", r->note);
    json_add_text(j, "outcome", outcomes[r->outcome]);
    json_add_text(j, "guard", r->guard);
    json_add_text(j, "evidence", r->evidence);
    add_hash(j, "hash", r->hash);
    add_hash(j, "object", r->object);
    add_interval(j, "warm", &r->warm);
    add_interval(j, "cold", &r->cold);
    add_interval(j, "confirmed", &r->confirmed);
    json_add_number(j, "baseline_ns", r->baseline_ns);
    json_add_number(j, "candidate_ns", r->candidate_ns);
    json_add_u64(j, "pairs", r->pairs);
    json_add_text(j, "metric", optimize_metric_name(r->modelled));
    return append_log_line(fd, j, err);
}

int optimize_log_end(int fd, enum optimize_end end, uint32_t winner, double factor,
                     struct error *err)
{
    cJSON *j = new_log_line("end");
    json_add_text(j, "reason", ends[end].name);
    cJSON_AddNumberToObject(j, "winner", winner);
    json_add_number(j, "factor", factor);
    return append_log_line(fd, j, err);
}

/* --- read --- */

/* One line, whatever its kind. */
struct reading {
    struct json json;
    char schema[WORD], kind[WORD], reason[WORD], outcome[WORD], metric[WORD], time[40];
    struct optimize_begin begin;
    struct optimize_record record;
    uint32_t against; /* a log from before there were several bases does not say it */
    uint32_t winner;
    double factor;
};

/* Finds a word among n; n: it is none of them. */
static size_t find_log_word(const char *word, const char *const *list, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(list[i], word) != 0)
        i++;
    return i;
}

static double read_log_number(struct json *j, const char *what)
{
    if (json_type(j) == '0')
        return json_double(j, what);
    json_skip(j);
    return NAN;
}

static struct interval read_interval(struct json *j, const char *what)
{
    double all[3] = {NAN, NAN, NAN};
    if (json_array(j))
        for (size_t i = 0; json_item(j); i++) {
            const double v = read_log_number(j, what);
            if (i < 3)
                all[i] = v;
        }
    return (struct interval){.estimate = all[0], .low = all[1], .high = all[2]};
}

static uint64_t read_hash(struct json *j, const char *what)
{
    char text[HEX];
    json_copy(j, what, text, sizeof text);
    return strtoull(text, NULL, 16);
}

static void read_log_text(struct reading *r, const char *key)
{
    const struct place {
        const char *key;
        char *at;
        size_t size;
    } places[] = {
        {"schema", r->schema, sizeof r->schema},
        {"kind", r->kind, sizeof r->kind},
        {"reason", r->reason, sizeof r->reason},
        {"outcome", r->outcome, sizeof r->outcome},
        {"metric", r->metric, sizeof r->metric},
        {"time", r->time, sizeof r->time},
        {"source", r->begin.source, sizeof r->begin.source},
        {"function", r->begin.function, sizeof r->begin.function},
        {"target", r->begin.target, sizeof r->begin.target},
        {"build", r->begin.build, sizeof r->begin.build},
        {"proposer", r->record.proposer, sizeof r->record.proposer},
        {"note", r->record.note, sizeof r->record.note},
        {"guard", r->record.guard, sizeof r->record.guard},
        {"evidence", r->record.evidence, sizeof r->record.evidence},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(key, places[i].key) == 0) {
            json_copy(&r->json, key, places[i].at, places[i].size);
            return;
        }
    json_skip(&r->json);
}

static void read_log_member(struct reading *r, const char *key)
{
    struct json *j = &r->json;
    struct optimize_record *c = &r->record;
    if (strcmp(key, "number") == 0)
        c->number = json_u32(j, key);
    else if (strcmp(key, "base") == 0)
        c->base = json_u32(j, key);
    else if (strcmp(key, "against") == 0)
        r->against = json_u32(j, key);
    else if (strcmp(key, "winner") == 0)
        r->winner = json_u32(j, key);
    else if (strcmp(key, "pairs") == 0)
        c->pairs = json_u64(j, key);
    else if (strcmp(key, "hash") == 0)
        c->hash = read_hash(j, key);
    else if (strcmp(key, "object") == 0)
        c->object = read_hash(j, key);
    else if (strcmp(key, "source_hash") == 0)
        r->begin.source_hash = read_hash(j, key);
    else if (strcmp(key, "target_hash") == 0)
        r->begin.target_hash = read_hash(j, key);
    else if (strcmp(key, "min_gain") == 0)
        r->begin.min_gain = read_log_number(j, key);
    else if (strcmp(key, "factor") == 0)
        r->factor = read_log_number(j, key);
    else if (strcmp(key, "baseline_ns") == 0)
        c->baseline_ns = read_log_number(j, key);
    else if (strcmp(key, "candidate_ns") == 0)
        c->candidate_ns = read_log_number(j, key);
    else if (strcmp(key, "warm") == 0)
        c->warm = read_interval(j, key);
    else if (strcmp(key, "cold") == 0)
        c->cold = read_interval(j, key);
    else if (strcmp(key, "confirmed") == 0)
        c->confirmed = read_interval(j, key);
    else
        read_log_text(r, key);
}

/* Adds what a line says; false: it says what no line may. */
static bool add_line(struct optimize_log *l, const struct reading *r)
{
    const size_t step = find_log_word(r->kind, steps, OPTIMIZE_STEPS);
    if (strcmp(r->schema, SCHEMA) != 0 || (!l->begun && strcmp(r->kind, "begin") != 0))
        return false;
    l->end = OPTIMIZE_RUNS;
    l->winner = 0;
    memcpy(l->latest, r->time, sizeof r->time);
    if (strcmp(r->kind, "begin") == 0) {
        const bool first = !l->begun;
        memcpy(l->began, r->time, sizeof r->time);
        l->begin = r->begin;
        l->begun = true;
        return first;
    }
    if (strcmp(r->kind, "end") == 0) {
        for (int e = OPTIMIZE_RUNS + 1; e < OPTIMIZE_ENDS; e++)
            if (strcmp(ends[e].name, r->reason) == 0)
                l->end = (enum optimize_end)e;
        l->winner = r->winner;
        l->factor = r->factor;
        return l->end != OPTIMIZE_RUNS;
    }
    const size_t outcome = find_log_word(r->outcome, outcomes, OPTIMIZE_OUTCOMES);
    if (step == OPTIMIZE_STEPS || outcome == OPTIMIZE_OUTCOMES || l->n == RECORDS_MOST)
        return false;
    LIST_ROOM(l->list, l->n, l->cap);
    l->list[l->n] = r->record;
    l->list[l->n].step = (enum optimize_step)step;
    l->list[l->n].against = r->against == UINT32_MAX ? r->record.base : r->against;
    l->list[l->n].modelled = strcmp(r->metric, optimize_metric_name(true)) == 0;
    l->list[l->n++].outcome = (enum optimize_outcome)outcome;
    return true;
}

int optimize_log_line(struct optimize_log *l, const char *text, size_t n, const char *path,
                      size_t number, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct reading r = {.factor = NAN, .against = UINT32_MAX};
    char key[WORD], where[192];
    snprintf(where, sizeof where, "%.150s, line %zu", path, number);
    r.record.warm = r.record.cold = r.record.confirmed = none;
    r.record.baseline_ns = r.record.candidate_ns = NAN;
    json_open(&r.json, where, text, n, err);
    if (json_object(&r.json))
        while (json_key(&r.json, key, sizeof key))
            read_log_member(&r, key);
    json_end(&r.json);
    if (r.json.rc == 0 && !add_line(l, &r))
        json_fail(&r.json, 0, "it is no line of a log of " SCHEMA);
    json_close(&r.json);
    return r.json.rc;
}

int optimize_log_parse(struct optimize_log *out, const char *text, size_t n, const char *path,
                       struct error *err)
{
    *out = (struct optimize_log){.factor = NAN};
    int rc = 0;
    for (size_t number = 1; rc == 0 && out->whole < n; number++) {
        const char *at = text + out->whole, *end = memchr(at, '\n', n - out->whole);
        if (!end) {
            out->partial = n - out->whole;
            break;
        }
        rc = optimize_log_line(out, at, (size_t)(end - at), path, number, err);
        out->whole += (size_t)(end - at) + 1;
    }
    return rc;
}

int optimize_log_read(struct optimize_log *out, const char *path, struct error *err)
{
    char *text = NULL;
    size_t n = 0;
    *out = (struct optimize_log){.factor = NAN};
    int rc = text_file_read_most(&text, &n, path, LOG_MOST, err);
    if (rc == 0)
        rc = optimize_log_parse(out, text, n, path, err);
    free(text);
    return rc;
}

void optimize_log_free(struct optimize_log *l)
{
    free(l->list);
    *l = (struct optimize_log){.factor = NAN};
}
