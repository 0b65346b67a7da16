#include "backends/optimize/question.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/optimize/diff.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"

static const char rules[] =
    "Answer with the whole new text of the source, or with a unified diff against it whose hunks "
    "fit exactly; with nothing if there is no more to try. Only the body of the function may "
    "change; its answers stay within the tolerance for any inputs. What keeps state between calls, "
    "looks at the time, makes system calls or leaves its arrays is refused.";

static void add_question_argument(cJSON *to, const struct judge_argument *a)
{
    static const char *const directions[] = {
        [JUDGE_IN] = "in", [JUDGE_OUT] = "out", [JUDGE_INOUT] = "inout"};
    char type[32];
    cJSON *j = cJSON_CreateObject();
    snprintf(type, sizeof type, "%s%s", judge_types[a->type].name, a->array ? "*" : "");
    json_add_text(j, "name", a->name);
    json_add_text(j, "type", type);
    if (a->array) {
        json_add_u64(j, "length", a->length);
        json_add_text(j, "direction", directions[a->direction]);
    } else {
        json_add_number(j, "value", a->value);
    }
    cJSON_AddItemToArray(to, j);
}

static void add_harness(cJSON *to, const char *name, const void *request)
{
    const struct harness *h = ((const struct proposal_request *)request)->harness;
    cJSON *j = h ? cJSON_AddObjectToObject(to, name) : cJSON_AddNullToObject(to, name);
    if (!h)
        return;
    json_add_number(j, "relative", h->relative);
    json_add_number(j, "absolute", h->absolute);
    json_add_text(j, "returns", judge_types[h->result].name);
    cJSON *list = cJSON_AddArrayToObject(j, "arguments");
    for (size_t i = 0; i < h->n; i++)
        add_question_argument(list, &h->arguments[i]);
}

/* Work-items in each direction. */
static void add_question_block(cJSON *to, const char *name, const void *request)
{
    json_add_three(to, name, ((const struct proposal_request *)request)->block);
}

#define TYPE struct proposal_past
static const struct fields past_record =
    RECORD_OF(ROW(U32, number), ROW(CHARS, proposer), ROW(CHARS, verdict), ROW(CHARS, guard),
              ROW(CHARS, evidence), ROW(DOUBLE, factor), ROW(CHARS, note));
#undef TYPE

static void add_past(cJSON *to, const char *name, const void *request)
{
    const struct proposal_request *r = request;
    const size_t n = r->npast > QUESTION_PAST ? QUESTION_PAST : r->npast;
    record_add_rows(to, name, past_record, r->past + (r->npast - n), n);
}

static void add_repair(cJSON *to, const char *name, const void *request)
{
    const struct proposal_request *r = request;
    cJSON *j = r->broken ? cJSON_AddObjectToObject(to, name) : cJSON_AddNullToObject(to, name);
    if (!r->broken)
        return;
    json_add_text(j, "source", r->broken);
    json_add_text(j, "messages", r->messages);
}

#define TYPE struct proposal_profile
static const struct fields profile_record =
    RECORD_OF(ROW(CHARS, kernel), ROW(DOUBLE, path_share), ROW(DOUBLE, roof_share),
              ROW(CHARS, bottleneck), ROW(CHARS, evidence));
#undef TYPE

#define TYPE struct proposal_request
const struct fields question_record = RECORD_OF(
    ROW(U32, number), FIXED("rules", rules), ROW(TEXT, path), ROW(TEXT, function), ROW(TEXT, build),
    ROW(DOUBLE, min_gain), NAMED(TEXT, text, "source"), ROW(U32, base),
    ADDED(TO, add_harness, "harness"), ADDED(NUMBERS, add_question_block, "block"),
    NAMED(TO, profile, "profile", .record = &profile_record),
    ADDED(ROWS, add_past, "history", .record = &past_record), ADDED(TO, add_repair, "repair"));
#undef TYPE

char *question_document(const struct proposal_request *r)
{
    return record_document("rooftop.proposal/1", question_record, r);
}

void question_answer(struct proposal_answer *out, char *text, size_t n)
{
    size_t at = 0;
    while (at < n && isspace((unsigned char)text[at]))
        at++;
    out->kind = PROPOSAL_NONE;
    if (at < n)
        out->kind = diff_is(text, n) ? PROPOSAL_DIFF : PROPOSAL_FILE;
    out->text = text;
    out->n = n;
    if (out->kind == PROPOSAL_NONE) {
        free(text);
        out->text = NULL;
        out->n = 0;
    }
}

int question_keep(const struct proposal_request *r, const char *name, const char *text, size_t n,
                  struct error *err)
{
    char path[600];
    snprintf(path, sizeof path, "%.500s/%.60s", r->folder, name);
    FILE *f = fopen(path, "wbe");
    const bool put = f && fwrite(text, 1, n, f) == n; /* raw: the unchanged question or answer */
    if (f && fclose(f) == 0 && put)
        return 0;
    return error_set(err, ERROR_OUTPUT, errno, NULL, path, "%s", strerror(errno));
}
