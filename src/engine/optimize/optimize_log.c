#include "engine/optimize/optimize_log.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/list.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/text_file.h"

#define SCHEMA OPTIMIZE_SCHEMA
enum { LOG_MOST = 64 << 20, RECORDS_MOST = 1 << 16, WORD = 64 };

static const char *const outcomes[] = {
#define OUTCOME(id, name) name,
#include "engine/optimize/optimize_outcomes.def"
#undef OUTCOME
    NULL,
};
static const struct end_row {
    const char *name, *text;
} stops[] = {
    {"", "it has not ended"},
#define STOP(id, name, text) {name, text},
#include "engine/optimize/optimize_stops.def"
#undef STOP
};
const char *const optimize_steps[] = {"baseline", "candidate", "confirmation", NULL};
const char *const optimize_metrics[] = {"time", "modelled", NULL};

const char *optimize_outcome_name(enum optimize_outcome o)
{
    return outcomes[o];
}

const char *optimize_stop_name(enum optimize_stop e)
{
    return stops[e].name;
}

const char *optimize_stop_text(enum optimize_stop e)
{
    return stops[e].text;
}

const char *optimize_step_name(enum optimize_step s)
{
    return optimize_steps[s];
}

const struct interval *optimize_record_factor(const struct optimize_record *r)
{
    return isnan(r->confirmed.estimate) ? &r->warm : &r->confirmed;
}

#define TYPE struct optimize_begin
static const struct field begin_fields[] = {
    MEMBER(CHARS, TYPE, source, "source"),
    MEMBER(CHARS, TYPE, function, "function"),
    MEMBER(CHARS, TYPE, build, "build"),
    MEMBER(U64, TYPE, source_hash, "source_hash", .form = MEMBER_HASH),
    MEMBER(CHARS, TYPE, target, "target"),
    MEMBER(U64, TYPE, target_hash, "target_hash", .form = MEMBER_HASH),
    MEMBER(DOUBLE, TYPE, min_gain, "min_gain"),
};
#define BEGIN FIELDS(begin_fields, struct optimize_begin)
#undef TYPE

#define TYPE struct optimize_record
static const struct field record_fields[] = {
    MEMBER(U32, TYPE, number, "number"),
    MEMBER(U32, TYPE, base, "base"),
    MEMBER(U32, TYPE, against, "against"),
    MEMBER(CHARS, TYPE, proposer, "proposer"),
    MEMBER(CHARS, TYPE, note, "note"),
    MEMBER(INT, TYPE, outcome, "outcome", .form = MEMBER_WORD, .words = outcomes),
    MEMBER(CHARS, TYPE, guard, "guard"),
    MEMBER(CHARS, TYPE, evidence, "evidence"),
    MEMBER(U64, TYPE, hash, "hash", .form = MEMBER_HASH),
    MEMBER(U64, TYPE, object, "object", .form = MEMBER_HASH),
    MEMBER(DOUBLE, TYPE, warm, "warm", .form = MEMBER_LIST),
    MEMBER(DOUBLE, TYPE, cold, "cold", .form = MEMBER_LIST),
    MEMBER(DOUBLE, TYPE, confirmed, "confirmed", .form = MEMBER_LIST),
    MEMBER(DOUBLE, TYPE, baseline_ns, "baseline_ns"),
    MEMBER(DOUBLE, TYPE, candidate_ns, "candidate_ns"),
    MEMBER(U64, TYPE, pairs, "pairs"),
    MEMBER(BOOL, TYPE, modelled, "metric", .form = MEMBER_WORD, .words = optimize_metrics),
};
const struct fields optimize_candidate_record = RECORD(record_fields, struct optimize_record);
#define CANDIDATE optimize_candidate_record
#undef TYPE

/* --- written --- */

static cJSON *new_log_line(const char *kind)
{
    char time[40];
    cJSON *j = document_begin(SCHEMA);
    cJSON_AddStringToObject(j, "kind", kind);
    cJSON_AddStringToObject(j, "time", utc_text(env_wall_ns(), time));
    return j;
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
    record_add(j, BEGIN, b, NULL, NULL);
    return append_log_line(fd, j, err);
}

int optimize_log_record(int fd, const struct optimize_record *r, struct error *err)
{
    cJSON *j = new_log_line(optimize_steps[r->step]);
    record_add(j, CANDIDATE, r, NULL, NULL);
    return append_log_line(fd, j, err);
}

int optimize_log_end(int fd, enum optimize_stop stop, uint32_t winner, double factor,
                     struct error *err)
{
    cJSON *j = new_log_line("end");
    json_add_text(j, "reason", stops[stop].name);
    cJSON_AddNumberToObject(j, "winner", winner);
    json_add_number(j, "factor", factor);
    return append_log_line(fd, j, err);
}

/* --- read --- */

/* One line, whatever its kind. */
struct reading {
    char schema[WORD], kind[WORD], reason[WORD], time[40];
    struct optimize_begin begin;
    /* a log from before there were several bases does not say against what */
    struct optimize_record record;
    uint32_t winner;
    double factor;
};
static const struct field line_fields[] = {
    MEMBER(CHARS, struct reading, schema, "schema"),
    MEMBER(CHARS, struct reading, kind, "kind"),
    MEMBER(CHARS, struct reading, time, "time"),
    MEMBER(CHARS, struct reading, reason, "reason"),
    MEMBER(U32, struct reading, winner, "winner"),
    MEMBER(DOUBLE, struct reading, factor, "factor"),
};

/* Finds a word among n; n: it is none of them. */
static size_t find_log_word(const char *word, const char *const *list, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(list[i], word) != 0)
        i++;
    return i;
}

/* Adds what a line says; false: it says what no line may. */
static bool add_line(struct optimize_log *l, const struct reading *r)
{
    const size_t step = find_log_word(r->kind, optimize_steps, OPTIMIZE_STEPS);
    if (strcmp(r->schema, SCHEMA) != 0 || (!l->begun && strcmp(r->kind, "begin") != 0))
        return false;
    l->stop = OPTIMIZE_RUNS;
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
        for (int e = OPTIMIZE_RUNS + 1; e < OPTIMIZE_STOPS; e++)
            if (strcmp(stops[e].name, r->reason) == 0)
                l->stop = (enum optimize_stop)e;
        l->winner = r->winner;
        l->factor = r->factor;
        return l->stop != OPTIMIZE_RUNS;
    }
    if (step == OPTIMIZE_STEPS || r->record.outcome == OPTIMIZE_OUTCOMES || l->n == RECORDS_MOST)
        return false;
    LIST_ROOM(l->list, l->n, l->cap);
    l->list[l->n] = r->record;
    l->list[l->n].step = (enum optimize_step)step;
    if (r->record.against == UINT32_MAX)
        l->list[l->n].against = r->record.base;
    l->n++;
    return true;
}

int optimize_log_line(struct optimize_log *l, const char *text, size_t n, const char *path,
                      size_t number, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct reading r = {.factor = NAN};
    struct json j;
    char key[WORD], where[192];
    snprintf(where, sizeof where, "%.150s, line %zu", path, number);
    r.record.warm = r.record.cold = r.record.confirmed = none;
    r.record.baseline_ns = r.record.candidate_ns = NAN;
    r.record.against = UINT32_MAX;
    r.record.outcome = OPTIMIZE_OUTCOMES;
    json_open(&j, where, text, n, err);
    if (json_object(&j))
        while (json_key(&j, key, sizeof key))
            if (!record_read(&j, key, FIELDS(line_fields, struct reading), &r) &&
                !record_read(&j, key, BEGIN, &r.begin) &&
                !record_read(&j, key, CANDIDATE, &r.record))
                json_skip(&j);
    json_end(&j);
    if (j.rc == 0 && !add_line(l, &r))
        json_fail(&j, 0, "it is no line of a log of " SCHEMA);
    json_close(&j);
    return j.rc;
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
