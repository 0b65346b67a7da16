#include "engine/optimize/optimize_progress.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/optimize/optimize.h"
#include "engine/value/document.h"
#include "json/json.h"

#define SCHEMA "rooftop.optimize-progress/1"
enum { WORD = 64 };

static const struct doing_row {
    const char *name, *text;
} doings[] = {
#define DOING(id, name, text) {name, text},
#include "engine/optimize/optimize_doings.def"
#undef DOING
};

const char *optimize_doing_name(enum optimize_doing d)
{
    return doings[d].name;
}

const char *optimize_doing_text(enum optimize_doing d)
{
    return doings[d].text;
}

/* --- written --- */

static char *document_of(const struct optimize_progress *p)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "schema", SCHEMA);
    json_add_text(j, "doing", doings[p->doing].name);
    json_add_text(j, "step", optimize_step_name(p->step));
    cJSON_AddNumberToObject(j, "number", p->number);
    cJSON_AddNumberToObject(j, "base", p->base);
    json_add_text(j, "proposer", p->proposer);
    json_add_number(j, "estimate", p->factor.estimate);
    json_add_number(j, "low", p->factor.low);
    json_add_number(j, "high", p->factor.high);
    json_add_u64(j, "pairs", p->pairs);
    if (p->pairs)
        json_add_text(j, "metric", optimize_metric_name(p->modelled));
    else
        cJSON_AddNullToObject(j, "metric");
    json_add_number(j, "left_s", p->left_s);
    cJSON_AddNumberToObject(j, "iterations", p->iterations);
    cJSON_AddNumberToObject(j, "without_gain", p->without_gain);
    cJSON_AddNumberToObject(j, "tries", p->tries);
    char *text = json_document(j, false);
    cJSON_Delete(j);
    return text;
}

void optimize_progress_write(const char *folder, const struct optimize_progress *p)
{
    char path[OPTIMIZE_PATH], next[OPTIMIZE_PATH];
    snprintf(path, sizeof path, "%.400s/progress.json", folder);
    snprintf(next, sizeof next, "%.400s/progress.json.next", folder);
    const int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    char *text = document_of(p);
    const size_t n = text ? strlen(text) : 0;
    const bool whole = n > 0 && write(fd, text, n) == (ssize_t)n;
    close(fd);
    free(text);
    if (!whole || rename(next, path) != 0)
        unlink(next);
}

void optimize_progress_remove(const char *folder)
{
    char path[OPTIMIZE_PATH];
    snprintf(path, sizeof path, "%.400s/progress.json", folder);
    unlink(path);
}

/* --- read --- */

struct reading {
    struct json json;
    char schema[WORD], doing[WORD], step[WORD], metric[WORD];
};

static double read_progress_real(struct json *j, const char *what)
{
    if (json_type(j) == '0')
        return json_double(j, what);
    json_skip(j);
    return NAN;
}

static bool read_progress_number(struct json *j, const char *key, struct optimize_progress *p)
{
    const struct {
        const char *key;
        uint32_t *whole;
        double *real;
    } places[] = {
        {"number", &p->number, NULL},         {"base", &p->base, NULL},
        {"iterations", &p->iterations, NULL}, {"without_gain", &p->without_gain, NULL},
        {"tries", &p->tries, NULL},           {"left_s", NULL, &p->left_s},
        {"low", NULL, &p->factor.low},        {"estimate", NULL, &p->factor.estimate},
        {"high", NULL, &p->factor.high},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(key, places[i].key) != 0)
            continue;
        if (places[i].whole)
            *places[i].whole = json_u32(j, key);
        else
            *places[i].real = read_progress_real(j, key);
        return true;
    }
    return false;
}

static void read_progress_member(struct reading *r, const char *key, struct optimize_progress *p)
{
    struct json *j = &r->json;
    if (strcmp(key, "pairs") == 0)
        p->pairs = json_u64(j, key);
    else if (strcmp(key, "schema") == 0)
        json_copy(j, key, r->schema, sizeof r->schema);
    else if (strcmp(key, "doing") == 0)
        json_copy(j, key, r->doing, sizeof r->doing);
    else if (strcmp(key, "step") == 0)
        json_copy(j, key, r->step, sizeof r->step);
    else if (strcmp(key, "metric") == 0 && json_type(j) == '"')
        json_copy(j, key, r->metric, sizeof r->metric);
    else if (strcmp(key, "proposer") == 0)
        json_copy(j, key, p->proposer, sizeof p->proposer);
    else if (!read_progress_number(j, key, p))
        json_skip(j);
}

static bool take_words(const struct reading *r, struct optimize_progress *p)
{
    int doing = 0, step = 0;
    while (doing < OPTIMIZE_DOINGS && strcmp(doings[doing].name, r->doing) != 0)
        doing++;
    while (step < OPTIMIZE_STEPS &&
           strcmp(optimize_step_name((enum optimize_step)step), r->step) != 0)
        step++;
    if (strcmp(r->schema, SCHEMA) != 0 || doing == OPTIMIZE_DOINGS || step == OPTIMIZE_STEPS)
        return false;
    p->doing = (enum optimize_doing)doing;
    p->step = (enum optimize_step)step;
    p->modelled = strcmp(r->metric, optimize_metric_name(true)) == 0;
    return true;
}

int optimize_progress_parse(struct optimize_progress *out, const char *text, size_t n,
                            const char *path, struct error *err)
{
    struct reading r = {.schema = ""};
    char key[WORD];
    *out = (struct optimize_progress){.factor = {NAN, NAN, NAN}, .left_s = NAN};
    json_open(&r.json, path, text, n, err);
    if (json_object(&r.json))
        while (json_key(&r.json, key, sizeof key))
            read_progress_member(&r, key, out);
    json_end(&r.json);
    if (r.json.rc == 0 && !take_words(&r, out))
        json_fail(&r.json, 0, "it is no " SCHEMA);
    json_close(&r.json);
    return r.json.rc;
}
