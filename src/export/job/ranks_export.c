#include "export/job/ranks_export.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/plural.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/job/rank_fields.h"
#include "engine/statistics/ranks.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"

enum { RANK_CELLS = 16, CELL = 9, LINE = 240, RANKS_SHOWN = 64 };

/* The columns of the text. */
static const int columns[] = {RANK_FIELD_wall,     RANK_FIELD_user,   RANK_FIELD_system,
                              RANK_FIELD_computes, RANK_FIELD_waited, RANK_FIELD_idle,
                              RANK_FIELD_faults,   RANK_FIELD_memory};
enum { COLUMNS = sizeof columns / sizeof *columns };

const char *rank_number_text(const struct list_field *f, double v, bool ascii,
                             char out[VALUE_TEXT_MAX])
{
    if (f->unit == UNIT_SECONDS)
        return value_time(1e9 * v, ascii, out);
    return value_text(v, f->unit, ascii, out);
}

static void say_job(const struct job_folder *f, char line[LINE], bool ascii)
{
    char wall[VALUE_TEXT_MAX] = "";
    const struct rank_summary *s = &f->ranks[0].s;
    size_t n = print_line(line, LINE, "%u %s", f->n, plural(f->n, "rank", "ranks"));
    if (f->size > f->n)
        n += print_line(line + n, LINE - n, " of %u", f->size);
    if (*s->job)
        n += print_line(line + n, LINE - n, ", job %s%s%s", s->job, *s->step ? "." : "", s->step);
    if (*s->launcher)
        n += print_line(line + n, LINE - n, " (%s)", s->launcher);
    if (!isnan(f->wall))
        n += print_line(line + n, LINE - n, ", %s", value_time(1e9 * f->wall, ascii, wall));
    print_line(line + n, LINE - n, ": %s", s->command);
}

/* --- text --- */

static void print_rank_label(FILE *out, const char *name)
{
    if (text_width(name) > RANK_CELLS) {
        print_text(out, "  %s\n", name);
        name = "";
    }
    print_text(out, "  %s%*s", name, RANK_CELLS - text_width(name), "");
}

static void print_member(FILE *out, const struct job_member *m, bool ascii)
{
    char name[120], end[32];
    print_line(name, sizeof name, "%u%s%s", m->s.rank, *m->s.host ? ", " : "", m->s.host);
    print_rank_label(out, name);
    for (int c = 0; c < COLUMNS; c++) {
        char text[VALUE_TEXT_MAX];
        const struct list_field *f = &rank_fields[columns[c]];
        rank_number_text(f, list_field_raw(f, m), ascii, text);
        print_text(out, " %*s", CELL, text);
    }
    print_text(out, "  %s\n", job_member_end(m, end));
}

enum spread_row { LEAST, MEDIAN, MOST, WHO, SPREAD_ROWS };

/* Least, median, most of a column, and who has the most (NaN: nobody is known). */
static void find_spread(const struct job_folder *f, const struct list_field *field,
                        double out[SPREAD_ROWS])
{
    double *v = xcalloc(f->n + (size_t)1, sizeof *v);
    uint32_t n = 0;
    out[MOST] = out[WHO] = out[LEAST] = NAN;
    for (uint32_t i = 0; i < f->n; i++) {
        const double x = list_field_raw(field, &f->ranks[i]);
        if (isnan(x))
            continue;
        v[n++] = x;
        out[LEAST] = fmin(out[LEAST], x); /* NaN counts for none */
        if (!(x <= out[MOST])) {
            out[MOST] = x;
            out[WHO] = f->ranks[i].s.rank;
        }
    }
    out[MEDIAN] = median_of(v, n);
    free(v);
}

static void print_spreads(FILE *out, const struct job_folder *f, bool ascii)
{
    static const char *const names[SPREAD_ROWS] = {"least", "median", "most", "most: rank"};
    double v[COLUMNS][SPREAD_ROWS];
    for (int c = 0; c < COLUMNS; c++)
        find_spread(f, &rank_fields[columns[c]], v[c]);
    for (int row = 0; row < SPREAD_ROWS; row++) {
        print_rank_label(out, names[row]);
        for (int c = 0; c < COLUMNS; c++) {
            char text[VALUE_TEXT_MAX];
            rank_number_text(&rank_fields[columns[c]], v[c][row], ascii, text);
            if (row == WHO)
                snprintf(text, sizeof text, "%.0f", v[c][row]);
            if (row == WHO && isnan(v[c][row]))
                text[0] = '\0';
            print_text(out, " %*s", CELL, text);
        }
        fputc('\n', out);
    }
}

static void print_members(FILE *out, const struct job_folder *f, bool ascii)
{
    static const char *const heads[COLUMNS] = {"wall",     "user", "system", "computes",
                                               "cpu wait", "idle", "faults", "memory"};
    print_text(out, "\n  %-*s", RANK_CELLS, "rank, host");
    for (int c = 0; c < COLUMNS; c++)
        print_text(out, " %*s", CELL, heads[c]);
    print_text(out, "  end\n");
    for (uint32_t i = 0; i < f->n && i < RANKS_SHOWN; i++)
        print_member(out, &f->ranks[i], ascii);
    if (f->n > RANKS_SHOWN)
        print_text(out, "  ... %u more; --format csv has all of them\n", f->n - RANKS_SHOWN);
    if (f->n > 1)
        print_spreads(out, f, ascii);
    print_text(out, "  computes: of user and system, what is no communication, as call stacks "
                    "tell; cpu wait: its\n  threads waited for a CPU, all together; idle: of the "
                    "wall time, what is neither CPU time\n  nor that: it waited for other ranks, "
                    "files, devices\n");
}

void ranks_export_text(FILE *out, const struct job_folder *f, bool ascii)
{
    char line[LINE];
    say_job(f, line, ascii);
    print_text(out, "%s\n", line);
    if (*f->slow.said)
        print_text(out, "%s\n", f->slow.said);
    if (*f->slow.why)
        print_text(out, "  %s\n", f->slow.why);
    if (*job_folder_failure(f))
        print_text(out, "%s\n", job_folder_failure(f));
    for (uint32_t i = 0; i < f->nnotes; i++)
        print_text(out, "note: %s\n", f->notes[i]);
    print_members(out, f, ascii);
}

/* --- the short answer --- */

void ranks_brief(struct brief *b, const struct job_folder *f, bool ascii)
{
    struct brief_top top = {.n = 0};
    char line[LINE], wall[VALUE_TEXT_MAX], ready[VALUE_TEXT_MAX], end[32];
    say_job(f, line, ascii);
    brief_verdict(b, "%s", *f->slow.said ? f->slow.said : line);
    if (*f->slow.why)
        brief_evidence(b, "%s", f->slow.why);
    brief_evidence(b, "%s", line);
    if (*job_folder_failure(f))
        brief_evidence(b, "%s", job_folder_failure(f));
    for (uint32_t i = 0; i < f->nnotes && i < 4; i++)
        brief_evidence(b, "%s", f->notes[i]);
    for (uint32_t i = 0; i < f->n; i++)
        brief_top_add(&top, i, isnan(f->ranks[i].s.ready) ? 0 : f->ranks[i].s.ready);
    for (size_t i = 0; i < top.n; i++) {
        const struct job_member *m = &f->ranks[top.index[i]];
        char name[32];
        snprintf(name, sizeof name, "rank %u", m->s.rank);
        brief_row(b, name, "ran %s, waited %s for a CPU, end: %s",
                  value_time(1e9 * m->s.wall, ascii, wall),
                  value_time(1e9 * m->s.ready, ascii, ready), job_member_end(m, end));
    }
    b->left_out += top.left_out;
}

/* --- documents --- */

static void json_slow(cJSON *doc, const struct job_folder *f)
{
    const struct job_slow *s = &f->slow;
    cJSON *o = cJSON_AddObjectToObject(doc, "slow");
    const bool one = s->rank != JOB_NONE;
    json_add_number(o, "rank", one ? f->ranks[s->rank].s.rank : NAN);
    json_add_text(o, "said", *s->said ? s->said : NULL);
    json_add_text(o, "cause", one ? slow_cause_name(s->cause) : NULL);
    json_add_text(o, "why", *s->why ? s->why : NULL);
    json_add_number(o, "behind_s", one ? s->behind : NAN);
    json_add_number(o, "spread_s", one ? s->spread : NAN);
}

void ranks_export_json(FILE *out, const struct job_folder *f)
{
    cJSON *doc = document_begin("rooftop.ranks/1");
    json_add_number(doc, "wall_s", f->wall);
    json_add_number(doc, "job_ranks", f->size ? f->size : NAN);
    json_add_u64(doc, "missing_ranks", f->missing);
    json_add_u64(doc, "failed_ranks", f->failed);
    json_add_u64(doc, "unfinished_ranks", f->unfinished);
    json_slow(doc, f);
    cJSON *list = cJSON_AddArrayToObject(doc, "notes");
    for (uint32_t i = 0; i < f->nnotes; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(f->notes[i]));
    list = cJSON_AddArrayToObject(doc, "ranks");
    for (uint32_t i = 0; i < f->n; i++) {
        cJSON *o = cJSON_CreateObject();
        list_fields_json(o, rank_fields, &f->ranks[i], 1, UINT8_MAX);
        cJSON_AddItemToArray(list, o);
    }
    document_end(out, doc);
}

void ranks_export_csv(FILE *out, const struct job_folder *f)
{
    list_fields_csv(out, rank_fields, "\n", f->ranks, f->n, sizeof *f->ranks);
}
