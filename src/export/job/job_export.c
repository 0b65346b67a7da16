#include "export/job/job_export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/plural.h"
#include "base/print.h"
#include "base/text.h"
#include "engine/job/job_fields.h"
#include "engine/job/straggler_words.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "engine/value/stats.h"
#include "export/job/mpi_export.h"

enum { NAME_CELLS = 14, GROUP_CELLS = 22, LINE = JOB_LINE, GROUPS_OF_SIZES = 8 };

/* --- texts --- */

static double percent_of_rank(uint64_t part, uint64_t wall)
{
    return wall ? 100.0 * (double)part / (double)wall : 0;
}

/* ns that each other rank waited for this one, on average. */
static uint64_t count_wait_for(const struct job *j, const struct job_rank *r)
{
    return j->n > 1 ? r->caused / (j->n - 1) : 0;
}

static void say_ranks(const struct job *j, char out[LINE], bool ascii)
{
    char wall[VALUE_TEXT_MAX];
    size_t n = print_line(out, LINE, "%" PRIu32 " %s", j->n, plural(j->n, "rank", "ranks"));
    if (j->missing)
        n += print_line(out + n, LINE - n, " (%" PRIu32 " more of the job are not here)",
                        j->missing);
    print_line(out + n, LINE - n, ", %s", value_time((double)j->wall, ascii, wall));
}

static void say_efficiency(const struct job *j, char out[LINE])
{
    size_t n = 0;
    if (isnan(j->efficiency)) {
        print_line(out, LINE, "efficiency is not known: no computing was recorded");
        return;
    }
    if (j->missing)
        n = print_line(out, LINE, "of these ranks: ");
    print_line(out + n, LINE - n,
               "parallel efficiency %.1f %% = load balance %.1f %% x communication efficiency "
               "%.1f %%",
               100 * j->efficiency, 100 * j->balance, 100 * j->communication);
}

/* --- the table of ranks --- */

/* A column in percent of the rank's time; the number of collectives is plain. */
enum { COMPUTE, EXPOSED, HIDDEN, WAITED, CAUSED, COPYING, HOST_LATE, IDLE, LAST, COLUMNS };
static const struct {
    const char *head;
    int cells;
} columns[COLUMNS] = {
    [COMPUTE] = {"compute", 7}, [EXPOSED] = {"exposed", 7}, [HIDDEN] = {"hidden", 6},
    [WAITED] = {"waited", 6},   [CAUSED] = {"caused", 6},   [COPYING] = {"copies", 6},
    [HOST_LATE] = {"late", 5},  [IDLE] = {"idle", 5},       [LAST] = {"last", 6},
};

/* NaN: not known. */
static double get_cell(const struct job *j, const struct job_rank *r, int column)
{
    const struct device_use *u = &r->use;
    if ((column == WAITED || column == CAUSED) && !r->judged)
        return NAN;
    if (column == LAST && r->together == 0)
        return NAN;
    /* Files of collectives alone: what a rank does beside them is not recorded. */
    if (isnan(j->efficiency) && column != EXPOSED && column < LAST && column != WAITED &&
        column != CAUSED)
        return NAN;
    switch (column) {
    case COMPUTE:
        return percent_of_rank(u->compute, u->wall);
    case EXPOSED:
        return percent_of_rank(u->communication - u->both, u->wall);
    case HIDDEN:
        return percent_of_rank(u->both, u->wall);
    case WAITED:
        return percent_of_rank(r->waited, u->wall * r->devices);
    case CAUSED:
        return percent_of_rank(count_wait_for(j, r), j->wall);
    case COPYING:
        return percent_of_rank(u->copying, u->wall);
    case HOST_LATE:
        return percent_of_rank(u->late, u->wall);
    case IDLE:
        return percent_of_rank(u->idle, u->wall);
    default:
        return (double)r->last;
    }
}

static void print_cell(FILE *out, int column, double v)
{
    if (isnan(v))
        print_text(out, " %*s", columns[column].cells, "n/a");
    else
        print_text(out, " %*.*f", columns[column].cells, column == LAST ? 0 : 1, v);
}

static void print_rank_name(FILE *out, const char *name, int cells)
{
    if (text_width(name) > cells) {
        print_text(out, "  %s\n", name);
        name = "";
    }
    print_text(out, "  %s%*s", name, cells - text_width(name), "");
}

static void print_spread(FILE *out, const struct job *j)
{
    static const char *const names[] = {"least", "median", "most"};
    struct stats s[COLUMNS];
    double *values = xcalloc(j->n + (size_t)1, sizeof *values);
    for (int c = 0; c < COLUMNS; c++) {
        for (uint32_t i = 0; i < j->n; i++)
            values[i] = get_cell(j, &j->ranks[i], c);
        s[c] = stats_of(values, j->n);
    }
    free(values);
    for (int row = 0; row < 3; row++) {
        print_rank_name(out, names[row], NAME_CELLS);
        for (int c = 0; c < COLUMNS; c++) {
            const double of[] = {s[c].min, s[c].median, s[c].max};
            print_cell(out, c, s[c].n ? of[row] : NAN);
        }
        fputc('\n', out);
    }
}

static void print_rank(FILE *out, const struct job *j, const struct job_rank *r)
{
    char name[200];
    print_line(name, sizeof name, "%s%s%s", r->name, *r->host ? ", " : "", r->host);
    print_rank_name(out, name, NAME_CELLS);
    for (int c = 0; c < COLUMNS; c++)
        print_cell(out, c, get_cell(j, r, c));
    fputc('\n', out);
}

static void print_ranks(FILE *out, const struct job *j)
{
    print_text(out, "\n  %-*s", NAME_CELLS, "% of its time");
    for (int c = 0; c < COLUMNS; c++)
        print_text(out, " %*s", columns[c].cells, columns[c].head);
    fputc('\n', out);
    for (uint32_t i = 0; i < j->n; i++)
        print_rank(out, j, &j->ranks[i]);
    if (j->n > 2)
        print_spread(out, j);
    print_text(
        out,
        "  exposed, hidden: communication without and with computing beside it; waited: of it,\n"
        "  for others at collectives; caused: what each other rank waited for this one; late: of\n"
        "  the idle time, until its host launched; last: collectives at which it came last\n");
}

/* --- the table of collectives --- */

static void name_group(const struct job_group *g, char out[160])
{
    if (g->group)
        print_line(out, 160, "%s, group %s", collective_name(g->op), g->group);
    else
        print_line(out, 160, "%s", collective_name(g->op));
}

static void print_group(FILE *out, const struct job *j, const struct job_group *g, bool ascii)
{
    char name[160], skew[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX], transfer[VALUE_TEXT_MAX],
        bus[VALUE_TEXT_MAX];
    const struct value rate = value_ok(g->bus, UNIT_BYTES_PER_S);
    const double n = g->together ? (double)g->together : NAN;
    name_group(g, name);
    print_rank_name(out, name, GROUP_CELLS);
    print_text(out, " %7" PRIu64 " %10s %10s %10s %11s", g->together,
               value_time((double)g->skew / n, ascii, skew),
               value_time(g->together ? (double)g->skew_most : NAN, ascii, most),
               value_time((double)g->transfer / n, ascii, transfer),
               isnan(g->bus) ? "" : value_format(&rate, ascii, bus));
    if (g->latest != TRACE_UNKNOWN)
        print_text(out, "  %s, %" PRIu64 " %s", j->ranks[g->latest].name, g->latest_times,
                   plural(g->latest_times, "time", "times"));
    if (g->unmatched)
        print_text(out, "  (%" PRIu64 " calls without a match)", g->unmatched);
    fputc('\n', out);
}

static void print_groups(FILE *out, const struct job *j, bool ascii)
{
    if (j->ngroups == 0)
        return;
    print_text(out, "\n  %-*s %7s %10s %10s %10s %11s  %s\n", GROUP_CELLS, "collectives", "calls",
               "mean skew", "most skew", "transfer", "bus", "last most often");
    for (uint32_t i = 0; i < j->ngroups; i++)
        print_group(out, j, &j->groups[i], ascii);
}

/* A bandwidth and, where the link is known, what share of it that is. */
static void print_rate(FILE *out, const struct job *j, double v, bool ascii)
{
    char text[VALUE_TEXT_MAX];
    const struct value rate = value_ok(v, UNIT_BYTES_PER_S);
    print_text(out, " %11s", value_format(&rate, ascii, text));
    if (j->link > 0)
        print_text(out, " %6.1f %%", 100 * v / j->link);
}

static void print_sizes_of_group(FILE *out, const struct job *j, const struct job_group *g,
                                 bool ascii)
{
    char name[160], least[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX];
    name_group(g, name);
    print_text(out, "  %s\n", name);
    for (uint32_t i = 0; i < g->nsizes; i++) {
        const struct job_size *s = &g->sizes[i];
        const struct value from = value_ok((double)s->least, UNIT_BYTES),
                           to = value_ok((double)s->most, UNIT_BYTES);
        print_line(name, sizeof name, "  %s", value_format(&from, ascii, least));
        if (s->most != s->least)
            print_line(name, sizeof name, "  %s to %s", least, value_format(&to, ascii, most));
        print_rank_name(out, name, GROUP_CELLS);
        print_text(out, " %7" PRIu64, s->n);
        print_rate(out, j, s->median, ascii);
        print_rate(out, j, s->best, ascii);
        fputc('\n', out);
    }
}

static void print_sizes(FILE *out, const struct job *j, bool ascii)
{
    const char *const of = j->link > 0 ? " of link" : "";
    char link[VALUE_TEXT_MAX];
    const struct value rate = value_ok(j->link, UNIT_BYTES_PER_S);
    uint32_t groups = 0;
    for (uint32_t i = 0; i < j->ngroups; i++) {
        const struct job_group *g = &j->groups[i];
        if (g->nsizes && groups == 0)
            print_text(out, "\n  %-*s %7s %11s%s %11s%s\n", GROUP_CELLS, "bus by message", "calls",
                       "median", of, "best", of);
        groups += g->nsizes > 0;
        if (g->nsizes && groups <= GROUPS_OF_SIZES)
            print_sizes_of_group(out, j, g, ascii);
    }
    if (groups > GROUPS_OF_SIZES)
        print_text(out, "  %" PRIu32 " more groups: --format json\n", groups - GROUPS_OF_SIZES);
    if (groups && j->link > 0)
        print_text(out, "  of link: of the %s that --link says; not measured\n",
                   value_format(&rate, ascii, link));
}

static void print_job_verdict(FILE *out, const struct job *j, bool ascii)
{
    char lines[JOB_VERDICT_LINES][JOB_LINE];
    for (int i = 0, n = job_say_verdict(j, lines, ascii); i < n; i++)
        print_text(out, "%s%s\n", i ? "  " : "", lines[i]);
}

void job_export_text(FILE *out, const struct job *j, bool judged, bool ascii)
{
    char line[LINE];
    say_ranks(j, line, ascii);
    print_text(out, "%s\n", line);
    if (!judged)
        print_job_verdict(out, j, ascii);
    say_efficiency(j, line);
    print_text(out, "%s\n", line);
    mpi_export_text(out, j, ascii);
    print_ranks(out, j);
    print_groups(out, j, ascii);
    print_sizes(out, j, ascii);
}

/* --- the short answer --- */

static void brief_rank(struct brief *b, const struct job *j, const struct job_rank *r, bool ascii)
{
    char waited[VALUE_TEXT_MAX], caused[VALUE_TEXT_MAX], arrivals[BRIEF_MEASURE] = "";
    if (r->judged)
        print_line(arrivals, sizeof arrivals,
                   "; waited %s, last at %" PRIu64 ", each other waited %s for it",
                   value_time((double)r->waited, ascii, waited), r->last,
                   value_time((double)count_wait_for(j, r), ascii, caused));
    if (isnan(j->efficiency))
        brief_row(b, r->name, "communicates %.1f %%%s", get_cell(j, r, EXPOSED), arrivals);
    else
        brief_row(b, r->name, "computes %.1f %%, idle %.1f %% (%.1f %% until its host launched)%s",
                  get_cell(j, r, COMPUTE), get_cell(j, r, IDLE), get_cell(j, r, HOST_LATE),
                  arrivals);
}

static void brief_job_verdict(struct brief *b, const struct job *j, bool ascii)
{
    char lines[JOB_VERDICT_LINES][JOB_LINE];
    const int n = job_say_verdict(j, lines, ascii);
    brief_verdict(b, "%s", lines[0]);
    for (int i = 1; i < n; i++)
        brief_evidence(b, "%s", lines[i]);
}

void job_brief(struct brief *b, const struct job *j, bool judged, bool ascii)
{
    struct brief_top top = {.n = 0};
    char line[LINE];
    if (!judged)
        brief_job_verdict(b, j, ascii);
    say_ranks(j, line, ascii);
    brief_evidence(b, "%s", line);
    say_efficiency(j, line);
    brief_evidence(b, "%s", line);
    if (j->mpi) {
        mpi_export_say(j, line, sizeof line, ascii);
        brief_evidence(b, "%s", line);
    }
    for (uint32_t i = 0; i < j->n; i++)
        brief_top_add(&top, i, (double)j->ranks[i].caused);
    for (size_t i = 0; i < top.n; i++)
        brief_rank(b, j, &j->ranks[top.index[i]], ascii);
    b->left_out += top.left_out;
}

/* --- documents --- */

static void json_sizes(cJSON *group, const struct job_group *g)
{
    cJSON *list = cJSON_AddArrayToObject(group, "sizes");
    for (uint32_t i = 0; i < g->nsizes; i++) {
        const struct job_size *s = &g->sizes[i];
        cJSON *o = cJSON_CreateObject();
        json_add_u64(o, "least_bytes", s->least);
        json_add_u64(o, "most_bytes", s->most);
        json_add_u64(o, "calls", s->n);
        json_add_number(o, "median_bus_bytes_per_s", s->median);
        json_add_number(o, "best_bus_bytes_per_s", s->best);
        cJSON_AddItemToArray(list, o);
    }
}

static cJSON *json_group(const struct job *j, const struct job_group *g)
{
    cJSON *o = cJSON_CreateObject();
    json_add_text(o, "operation", collective_name(g->op));
    json_add_text(o, "group", g->group);
    json_add_number(o, "ranks", g->ranks == TRACE_UNKNOWN ? NAN : g->ranks);
    json_add_u64(o, "members", g->members);
    json_add_u64(o, "together", g->together);
    json_add_u64(o, "undecided", g->undecided);
    json_add_u64(o, "unmatched", g->unmatched);
    json_add_u64(o, "skew_ns", g->skew);
    json_add_u64(o, "longest_skew_ns", g->skew_most);
    json_add_u64(o, "transfer_ns", g->transfer);
    json_add_number(o, "bus_bytes_per_s", g->bus);
    json_add_text(o, "last_most_often",
                  g->latest == TRACE_UNKNOWN ? NULL : j->ranks[g->latest].name);
    json_add_u64(o, "last_times", g->latest_times);
    json_sizes(o, g);
    return o;
}

static void json_straggler(cJSON *doc, const struct job *j)
{
    const struct job_straggler *s = &j->straggler;
    cJSON *o = cJSON_AddObjectToObject(doc, "straggler");
    const bool one = s->rank != TRACE_UNKNOWN;
    json_add_text(o, "rank", one ? j->ranks[s->rank].name : NULL);
    json_add_text(o, "why_not", j->why_not);
    json_add_text(o, "most_waited_for", s->most == TRACE_UNKNOWN ? NULL : j->ranks[s->most].name);
    json_add_u64(o, "waited_ns", s->lost);
    json_add_number(o, "waited_share", s->share);
    json_add_number(o, "chance", s->chance);
    json_add_text(o, "cause", one && s->cause ? job_cause_name(s->cause) : NULL);
    json_add_u64(o, "cause_excess_ns", s->excess);
}

void job_export_json(FILE *out, const struct job *j)
{
    cJSON *doc = document_begin("rooftop.job/1");
    json_add_u64(doc, "wall_ns", j->wall);
    json_add_u64(doc, "missing_ranks", j->missing);
    json_add_number(doc, "parallel_efficiency", j->efficiency);
    json_add_number(doc, "load_balance", j->balance);
    json_add_number(doc, "communication_efficiency", j->communication);
    json_add_number(doc, "link_bytes_per_s", j->link > 0 ? j->link : NAN);
    json_straggler(doc, j);
    cJSON *list = cJSON_AddArrayToObject(doc, "ranks");
    for (uint32_t i = 0; i < j->n; i++) {
        cJSON *o = cJSON_CreateObject();
        list_fields_json(o, job_fields, &j->ranks[i], 1, UINT8_MAX);
        cJSON_AddItemToArray(list, o);
    }
    list = cJSON_AddArrayToObject(doc, "collectives");
    for (uint32_t i = 0; i < j->ngroups; i++)
        cJSON_AddItemToArray(list, json_group(j, &j->groups[i]));
    mpi_export_json(doc, j);
    document_end(out, doc);
}

void job_export_csv(FILE *out, const struct job *j)
{
    list_fields_csv(out, job_fields, "\n", j->ranks, j->n, sizeof *j->ranks);
}
