#include "backends/optimize/question.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/optimize/diff.h"
#include "engine/value/document.h"

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

static void add_harness(cJSON *to, const struct harness *h)
{
    if (!h) {
        cJSON_AddNullToObject(to, "harness");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(to, "harness");
    json_add_number(j, "relative", h->relative);
    json_add_number(j, "absolute", h->absolute);
    json_add_text(j, "returns", judge_types[h->result].name);
    cJSON *list = cJSON_AddArrayToObject(j, "arguments");
    for (size_t i = 0; i < h->n; i++)
        add_question_argument(list, &h->arguments[i]);
}

/* Work-items in each direction. */
static void add_question_block(cJSON *to, const uint32_t *block)
{
    cJSON *list = block ? cJSON_AddArrayToObject(to, "block") : cJSON_AddNullToObject(to, "block");
    for (int i = 0; block && i < 3; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(block[i]));
}

static void add_profile(cJSON *to, const struct proposal_profile *p)
{
    if (!p) {
        cJSON_AddNullToObject(to, "profile");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(to, "profile");
    json_add_text(j, "kernel", p->kernel);
    json_add_number(j, "path_share", p->path_share);
    json_add_number(j, "roof_share", p->roof_share);
    json_add_text(j, "bottleneck", p->bottleneck);
    json_add_text(j, "evidence", p->evidence);
}

static void add_past(cJSON *to, const struct proposal_request *r)
{
    cJSON *list = cJSON_AddArrayToObject(to, "history");
    for (size_t i = r->npast > QUESTION_PAST ? r->npast - QUESTION_PAST : 0; i < r->npast; i++) {
        const struct proposal_past *p = &r->past[i];
        cJSON *j = cJSON_CreateObject();
        cJSON_AddNumberToObject(j, "number", p->number);
        json_add_text(j, "proposer", p->proposer);
        json_add_text(j, "verdict", p->verdict);
        json_add_text(j, "guard", p->guard);
        json_add_text(j, "evidence", p->evidence);
        json_add_number(j, "factor", p->factor);
        json_add_text(j, "note", p->note);
        cJSON_AddItemToArray(list, j);
    }
}

static void add_repair(cJSON *to, const struct proposal_request *r)
{
    if (!r->broken) {
        cJSON_AddNullToObject(to, "repair");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(to, "repair");
    json_add_text(j, "source", r->broken);
    json_add_text(j, "messages", r->messages);
}

char *question_document(const struct proposal_request *r)
{
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", "rooftop.proposal/1");
    cJSON_AddNumberToObject(doc, "number", r->number);
    json_add_text(doc, "rules", rules);
    json_add_text(doc, "path", r->path);
    json_add_text(doc, "function", r->function);
    json_add_text(doc, "build", r->build);
    json_add_number(doc, "min_gain", r->min_gain);
    json_add_text(doc, "source", r->text);
    cJSON_AddNumberToObject(doc, "base", r->base);
    add_harness(doc, r->harness);
    add_question_block(doc, r->block);
    add_profile(doc, r->profile);
    add_past(doc, r);
    add_repair(doc, r);
    char *text = json_document(doc, true);
    cJSON_Delete(doc);
    return text;
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
