#include "export/job/job_changes_export.h"

#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/value/document.h"
#include "export/job/ranks_export.h"

enum { LINE = 240 };

static double change_percent(const struct job_change *c)
{
    return c->before > 0 ? 100 * c->change / c->before : NAN;
}

static void say_changes(const struct job_changes_shown *s, char line[LINE])
{
    const struct job_change *wall = &s->changes->list[0];
    const char *longer = wall->change > 0 ? "longer" : "shorter";
    if (wall->n == 0)
        print_line(line, LINE, "how long the ranks ran is not recorded in both runs");
    else if (wall->changed && wall->n == 1)
        print_line(line, LINE, "the rank runs %.1f %% %s; of one rank no spread is known",
                   fabs(change_percent(wall)), longer);
    else if (wall->changed)
        print_line(line, LINE, "the ranks run %.1f %% %s: more than the spread between them",
                   fabs(change_percent(wall)), longer);
    else if (wall->n == 1)
        print_line(line, LINE, "the rank runs as long as before, within 1 %%");
    else
        print_line(line, LINE, "the ranks run as long as before, within the spread between them");
}

/* What stands in the way of comparing; "": nothing. */
static void say_unlike(const struct job_changes *c, char line[LINE])
{
    size_t n = 0;
    *line = '\0';
    if (c->alone[0])
        n += print_line(line + n, LINE - n, "%u %s only before; ", c->alone[0],
                        plural(c->alone[0], "rank is there", "ranks are there"));
    if (c->alone[1])
        n += print_line(line + n, LINE - n, "%u %s only after; ", c->alone[1],
                        plural(c->alone[1], "rank is there", "ranks are there"));
    if (c->moved)
        n += print_line(line + n, LINE - n, "%u %s ran on another host; ", c->moved,
                        plural(c->moved, "rank", "ranks"));
    if (c->other_program)
        n += print_line(line + n, LINE - n, "%u %s ran another build or command; ",
                        c->other_program, plural(c->other_program, "rank", "ranks"));
    if (n > 2)
        line[n - 2] = '\0';
}

static void say_change(const struct job_change *c, bool ascii, char line[LINE])
{
    char before[VALUE_TEXT_MAX], after[VALUE_TEXT_MAX], spread[VALUE_TEXT_MAX], by[VALUE_TEXT_MAX];
    const double percent = change_percent(c);
    char share[32] = "";
    if (!isnan(percent))
        snprintf(share, sizeof share, "%+.1f %%", percent);
    size_t n = print_line(line, LINE, "%10s %10s %9s  spread %9s  %s",
                          rank_number_text(c->field, c->before, ascii, before),
                          rank_number_text(c->field, c->after, ascii, after), share,
                          rank_number_text(c->field, c->spread, ascii, spread),
                          c->changed ? "changed" : "as before");
    if (c->apart != JOB_NONE)
        print_line(line + n, LINE - n, "; rank %u alone: %s%s", c->apart,
                   c->apart_by > 0 ? "+" : "", rank_number_text(c->field, c->apart_by, ascii, by));
}

void job_changes_text(FILE *out, const struct job_changes_shown *s)
{
    char line[LINE];
    print_text(out, "%u %s of %s and %s, matched by %s\n", s->changes->matched,
               plural(s->changes->matched, "rank", "ranks"), s->before, s->after,
               plural(s->changes->matched, "its number", "their numbers"));
    say_changes(s, line);
    print_text(out, "%s\n", line);
    say_unlike(s->changes, line);
    if (*line)
        print_text(out, "note: %s\n", line);
    print_text(out, "\n  %-10s %10s %10s %9s\n", "median", "before", "after", "change");
    for (int i = 0; i < JOB_CHANGES; i++) {
        const struct job_change *c = &s->changes->list[i];
        say_change(c, s->ascii, line);
        if (c->n)
            print_text(out, "  %-10s %s\n", c->field->name, line);
    }
    print_text(out, "  changed: the median of the ranks' differences is more than twice the "
                    "spread of the ranks\n  of a run, and 1 %%; alone: the change of that rank is "
                    "far from that of the others\n");
}

void job_changes_brief(struct brief *b, const struct job_changes_shown *s)
{
    char line[LINE];
    say_changes(s, line);
    brief_verdict(b, "%s", line);
    say_unlike(s->changes, line);
    if (*line)
        brief_evidence(b, "%s", line);
    for (int i = 0; i < JOB_CHANGES; i++) {
        const struct job_change *c = &s->changes->list[i];
        if (!c->n || (!c->changed && c->apart == JOB_NONE))
            continue;
        say_change(c, s->ascii, line);
        brief_row(b, c->field->name, "%s", line + strspn(line, " "));
    }
}

void job_changes_json(FILE *out, const struct job_changes_shown *s)
{
    cJSON *doc = document_begin("rooftop.job_changes/1");
    json_add_text(doc, "before", s->before);
    json_add_text(doc, "after", s->after);
    json_add_u64(doc, "ranks", s->changes->matched);
    json_add_u64(doc, "only_before", s->changes->alone[0]);
    json_add_u64(doc, "only_after", s->changes->alone[1]);
    json_add_u64(doc, "other_host", s->changes->moved);
    json_add_u64(doc, "other_program", s->changes->other_program);
    cJSON *list = cJSON_AddArrayToObject(doc, "numbers");
    for (int i = 0; i < JOB_CHANGES; i++) {
        const struct job_change *c = &s->changes->list[i];
        cJSON *o = cJSON_CreateObject();
        json_add_text(o, "name", c->field->csv.name ? c->field->csv.name : c->field->name);
        json_add_u64(o, "ranks", c->n);
        json_add_number(o, "before", c->before);
        json_add_number(o, "after", c->after);
        json_add_number(o, "change", c->change);
        json_add_number(o, "spread", c->spread);
        cJSON_AddBoolToObject(o, "changed", c->changed);
        json_add_number(o, "apart_rank", c->apart == JOB_NONE ? NAN : c->apart);
        json_add_number(o, "apart_change", c->apart == JOB_NONE ? NAN : c->apart_by);
        cJSON_AddItemToArray(list, o);
    }
    document_end(out, doc);
}

void job_changes_csv(FILE *out, const struct job_changes_shown *s)
{
    fputs("name,ranks,before,after,change,spread,changed\n", out);
    for (int i = 0; i < JOB_CHANGES; i++) {
        const struct job_change *c = &s->changes->list[i];
        print_csv(out, "%s,%u", c->field->csv.name ? c->field->csv.name : c->field->name, c->n);
        csv_write_number(out, c->before);
        csv_write_number(out, c->after);
        csv_write_number(out, c->change);
        csv_write_number(out, c->spread);
        fputs(c->changed ? ",1\n" : ",0\n", out);
    }
}
