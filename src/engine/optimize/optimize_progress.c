#include "engine/optimize/optimize_progress.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/optimize/optimize.h"
#include "engine/value/document.h"
#include "engine/value/record.h"

#define SCHEMA "rooftop.optimize-progress/1"
enum { WORD = 64 };

const char *optimize_stage_text(enum optimize_stage d)
{
    static const char *const texts[] = {
#define STAGE(id, name, text) text,
#include "engine/optimize/optimize_stages.def"
#undef STAGE
    };
    return texts[d];
}

static const char *const stage_names[] = {
#define STAGE(id, name, text) name,
#include "engine/optimize/optimize_stages.def"
#undef STAGE
    NULL,
};

#define TYPE struct optimize_progress
static const struct field progress_fields[] = {
    MEMBER(INT, TYPE, stage, "doing", .form = MEMBER_WORD, .words = stage_names),
    MEMBER(INT, TYPE, step, "step", .form = MEMBER_WORD, .words = optimize_steps),
    MEMBER(U32, TYPE, number, "number"),
    MEMBER(U32, TYPE, base, "base"),
    MEMBER(CHARS, TYPE, proposer, "proposer"),
    MEMBER(DOUBLE, TYPE, factor.estimate, "estimate"),
    MEMBER(DOUBLE, TYPE, factor.low, "low"),
    MEMBER(DOUBLE, TYPE, factor.high, "high"),
    MEMBER(U64, TYPE, pairs, "pairs"),
    MEMBER(BOOL, TYPE, modelled, "metric", .form = MEMBER_WORD, .words = optimize_metrics),
    MEMBER(DOUBLE, TYPE, left_s, "left_s"),
    MEMBER(U32, TYPE, iterations, "iterations"),
    MEMBER(U32, TYPE, without_gain, "without_gain"),
    MEMBER(U32, TYPE, tries, "tries"),
};
#define PROGRESS FIELDS(progress_fields, TYPE)

/* --- written --- */

static char *document_of(const struct optimize_progress *p)
{
    cJSON *j = document_begin(SCHEMA);
    record_add(j, PROGRESS, p, NULL, "pairs");
    if (p->pairs)
        record_add(j, PROGRESS, p, "metric", "metric");
    else
        cJSON_AddNullToObject(j, "metric");
    record_add(j, PROGRESS, p, "left_s", NULL);
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

int optimize_progress_parse(struct optimize_progress *out, const char *text, size_t n,
                            const char *path, struct error *err)
{
    struct json j;
    char key[WORD], schema[WORD] = "";
    *out = (struct optimize_progress){
        .factor = {NAN, NAN, NAN}, .left_s = NAN, .stage = OPTIMIZE_STAGES, .step = OPTIMIZE_STEPS};
    json_open(&j, path, text, n, err);
    if (json_object(&j))
        while (json_key(&j, key, sizeof key)) {
            if (strcmp(key, "schema") == 0)
                json_copy(&j, key, schema, sizeof schema);
            else if (!record_read(&j, key, PROGRESS, out))
                json_skip(&j);
        }
    json_end(&j);
    if (j.rc == 0 && (strcmp(schema, SCHEMA) != 0 || out->stage == OPTIMIZE_STAGES ||
                      out->step == OPTIMIZE_STEPS))
        json_fail(&j, 0, "it is no " SCHEMA);
    json_close(&j);
    return j.rc;
}
