#include "export/kernels/steps_export.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "engine/analysis/steps_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/kernels/kernels_export.h"
#include "export/left_out_json.h"

enum { NAME_CELLS = 22 };

const char *step_distance(const struct steps *s, const struct profile_step *r, char out[32])
{
    double d = s->done.median > 0 ? 100 * ((double)r->done / s->done.median - 1) : 0;
    snprintf(out, 32, "%+.1f %%", d);
    return out;
}

/* --- text --- */

static const char *const heads[PATH_PARTS] = {
    [PATH_COMPUTE] = "compute", [PATH_COPY] = "copy", [PATH_COMMUNICATION] = "commun.",
    [PATH_LATENCY] = "launch",  [PATH_HOST] = "host", [PATH_UNKNOWN] = "unrec.",
    [PATH_WAIT] = "wait",
};

static void print_head(FILE *out)
{
    print_text(out, "%-*s %10s %10s %10s ", NAME_CELLS, "% of the path", "begin", "length",
               "work ends");
    for (int i = 0; i < PATH_PARTS; i++)
        print_text(out, " %7s", heads[i]);
    print_text(out, " %8s\n", "kernels");
}

static void print_profile_step(FILE *out, const struct steps *s, const struct profile_step *r,
                               bool ascii)
{
    char begin[VALUE_TEXT_MAX], length[VALUE_TEXT_MAX], done[VALUE_TEXT_MAX], apart[32];
    const char *name = r->name;
    if (text_width(name) > NAME_CELLS) { /* a long name gets a line of its own, so that the numbers
                                            stay below their headings */
        print_text(out, "%s\n", name);
        name = "";
    }
    print_text(out, "%s%*s %10s %10s %10s ", name, NAME_CELLS - text_width(name), "",
               value_time((double)r->begin, ascii, begin),
               value_time((double)r->length, ascii, length),
               value_time((double)r->done, ascii, done));
    for (int i = 0; i < PATH_PARTS; i++)
        print_text(out, " %7.1f", (double)r->mix.share[i] * 100 / PATH_WHOLE);
    print_text(out, " %8" PRIu64, r->use.nkernels);
    if (r->kind != STEP_USUAL)
        print_text(out, "  %s %s", step_kind_name(r->kind), step_distance(s, r, apart));
    fputc('\n', out);
}

static void print_stats(FILE *out, const char *what, const struct stats *s, bool ascii)
{
    char mean[VALUE_TEXT_MAX], median[VALUE_TEXT_MAX], sd[VALUE_TEXT_MAX], min[VALUE_TEXT_MAX],
        max[VALUE_TEXT_MAX];
    print_text(out, "%s: mean %s, median %s, sd %s, %s to %s\n", what,
               value_time(s->mean, ascii, mean), value_time(s->median, ascii, median),
               value_time(s->n > 1 ? s->sd : NAN, ascii, sd), value_time(s->min, ascii, min),
               value_time(s->max, ascii, max));
}

void steps_export_text(FILE *out, const struct steps *s, bool ascii)
{
    if (s->n == 1)
        print_text(out, "one range '%s'", s->range);
    else
        print_text(out, "%" PRIu32 " ranges '%s'", s->n, s->range);
    if (s->nranks > 1)
        print_text(out, " of %" PRIu32 " ranks", s->nranks);
    fputs("\n\n", out);
    print_head(out);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->nranks > 1 && (i == 0 || strcmp(s->rows[i].rank, s->rows[i - 1].rank) != 0))
            print_text(out, "%s\n", s->rows[i].rank);
        print_profile_step(out, s, &s->rows[i], ascii);
    }
    fputc('\n', out);
    print_stats(out, "length", &s->length, ascii);
    print_stats(out, "until its last work ends", &s->done, ascii);
    if (s->slow + s->fast)
        print_text(out,
                   "unlike the others: %" PRIu32 " slow, %" PRIu32
                   " fast (more than %.1f deviations from the median, and 5 %%)\n",
                   s->slow, s->fast, STEPS_APART);
    if (s->early)
        print_text(out, "launched before the profile began, in no step: %" PRIu32 "\n", s->early);
}

/* --- the short answer --- */

/* What differs comes first, what took long next. */
static double weigh_step(const struct steps *s, const struct profile_step *r)
{
    const double apart = fabs((double)r->done - s->done.median);
    return r->kind == STEP_USUAL ? (double)r->done / (s->done.max + 1) : 1 + apart;
}

static void brief_step_row(struct brief *b, const struct steps *s, const struct profile_step *r,
                           bool ascii)
{
    char done[VALUE_TEXT_MAX], apart[32], name[160];
    int most = 0;
    for (int i = 1; i < PATH_PARTS; i++)
        if (r->mix.share[i] > r->mix.share[most])
            most = i;
    print_line(name, sizeof name, "%s@%" PRIu32 "%s%s", r->name, r->number,
               s->nranks > 1 ? " of " : "", s->nranks > 1 ? r->rank : "");
    brief_row(b, name, "%s until its last work ends, %s%s%s; %.1f %% of its path: %s",
              value_time((double)r->done, ascii, done), step_distance(s, r, apart),
              r->kind == STEP_USUAL ? "" : ", ", step_kind_name(r->kind),
              (double)r->mix.share[most] * 100 / PATH_WHOLE, path_part_label((enum path_part)most));
}

void steps_brief(struct brief *b, const struct steps *s, bool ascii)
{
    struct brief_top top = {.n = 0};
    char median[VALUE_TEXT_MAX], min[VALUE_TEXT_MAX], max[VALUE_TEXT_MAX];
    for (uint32_t i = 0; i < s->n; i++)
        brief_top_add(&top, i, weigh_step(s, &s->rows[i]));
    brief_verdict(
        b, "%" PRIu32 " range%s '%.80s': %s each in the median, %" PRIu32 " slow, %" PRIu32 " fast",
        s->n, s->n == 1 ? "" : "s", s->range, value_time(s->done.median, ascii, median), s->slow,
        s->fast);
    brief_evidence(b, "from %s to %s until the last work of each ends",
                   value_time(s->done.min, ascii, min), value_time(s->done.max, ascii, max));
    brief_evidence(b, "rule: %.1f deviations from the median, and 5 %%", STEPS_APART);
    for (size_t i = 0; i < top.n; i++)
        brief_step_row(b, s, &s->rows[top.index[i]], ascii);
    b->left_out += top.left_out;
}

/* --- documents --- */

static void json_stats(cJSON *to, const char *key, const struct stats *s)
{
    cJSON *j = cJSON_AddObjectToObject(to, key);
    json_add_number(j, "mean", s->mean);
    json_add_number(j, "sd", s->n > 1 ? s->sd : NAN);
    json_add_number(j, "median", s->median);
    json_add_number(j, "min", s->min);
    json_add_number(j, "max", s->max);
}

static cJSON *json_step(const struct profile_step *r)
{
    cJSON *j = cJSON_CreateObject();
    list_fields_json(j, steps_fields, r, 1, STEPS_PATH_FROM - 1);
    list_fields_json(cJSON_AddObjectToObject(j, "path"), steps_fields, r, STEPS_PATH_FROM,
                     STEPS_PATH_UNTIL);
    list_fields_json(j, steps_fields, r, STEPS_PATH_UNTIL + 1, UINT8_MAX);
    return j;
}

void steps_export_json(FILE *out, const struct trace *t, const struct steps *s)
{
    cJSON *doc = document_begin("rooftop.steps/1");
    left_out_json_add(doc, t);
    json_add_text(doc, "range", s->range);
    cJSON_AddNumberToObject(doc, "ranks", s->nranks);
    cJSON_AddNumberToObject(doc, "launched_before", s->early);
    json_stats(doc, "length_ns", &s->length);
    json_stats(doc, "done_ns", &s->done);
    cJSON *list = cJSON_AddArrayToObject(doc, "steps");
    for (uint32_t i = 0; i < s->n; i++)
        cJSON_AddItemToArray(list, json_step(&s->rows[i]));
    document_end(out, doc);
}

void steps_export_csv(FILE *out, const struct steps *s)
{
    list_fields_csv(out, steps_fields, "\n", s->rows, s->n, sizeof *s->rows);
}
