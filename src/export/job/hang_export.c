#include "export/job/hang_export.h"

#include <inttypes.h>
#include <math.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/job/hang_words.h"
#include "engine/value/document.h"

enum { ROWS = 16, STACK = 12, GROUP_CELLS = 20, CALL_CELLS = 26 };

static const struct hang_call *get_call_of(const struct hang *h, const struct hang_member *m,
                                           uint32_t call)
{
    return call == HANG_UNKNOWN ? NULL : &h->ranks[m->at].calls[call];
}

static uint64_t count_hang_calls(const struct hang *h)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < h->n; i++)
        n += h->ranks[i].ncalls;
    return n;
}

/* --- text --- */

static void print_scope(FILE *out, const struct hang *h)
{
    print_text(out, "%" PRIu32 " %s, %" PRIu64 " calls, %" PRIu32 " %s", h->n,
               plural(h->n, "dump", "dumps"), count_hang_calls(h), h->ngroups,
               plural(h->ngroups, "group", "groups"));
    if (h->missing)
        print_text(out, "; %" PRIu32 " %s left none", h->missing,
                   plural(h->missing, "rank has", "ranks have"));
    fputc('\n', out);
}

static void print_waiting_groups(FILE *out, const struct hang *h, bool ascii)
{
    const uint32_t shown = h->nwaiting < ROWS ? h->nwaiting : ROWS;
    if (shown)
        print_text(out, "\n  %-*s %-*s %6s %6s %6s %6s %7s %6s %9s\n", GROUP_CELLS,
                   "groups that wait", CALL_CELLS, "in", "ranks", "wait", "absent", "differ",
                   "no dump", "ended", "for");
    for (uint32_t i = 0; i < shown; i++) {
        const struct hang_group *g = &h->groups[h->order[i]];
        char call[96], time[VALUE_TEXT_MAX];
        print_line(call, sizeof call, "%.60s #%" PRIu64, h->signatures[g->signature].op,
                   g->sequence);
        print_text(out, "  %-*.*s %-*.*s %6" PRIu32 " %6" PRIu32, GROUP_CELLS, GROUP_CELLS,
                   g->label, CALL_CELLS, CALL_CELLS, call, g->nmembers, g->count[HANG_WAITS]);
        print_text(out, " %6" PRIu32 " %6" PRIu32 " %7" PRIu32 " %6" PRIu32 " %9s\n",
                   g->count[HANG_ABSENT], g->count[HANG_DIFFERS], g->count[HANG_NO_DUMP],
                   g->count[HANG_PASSED],
                   value_time(g->waited && !g->doubtful ? (double)g->waited : NAN, ascii, time));
    }
    if (h->nwaiting > shown)
        print_text(out, "  and %" PRIu32 " more\n", h->nwaiting - shown);
}

static void print_hang_member(FILE *out, const struct hang *h, const struct hang_member *m)
{
    char line[HANG_LINE];
    print_text(out, "  rank %-6" PRIu32 " %s\n", m->rank, hang_say_member(h, m, line));
}

/* Those who do not wait come first; of those who wait, some stand for all. */
static void print_hang_members(FILE *out, const struct hang *h, const struct hang_group *g)
{
    uint32_t shown = 0;
    print_text(out, "\n  ranks of group %s\n", g->label);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < g->nmembers && shown < ROWS; i++)
            if ((g->members[i].place == HANG_WAITS) == (pass == 1)) {
                print_hang_member(out, h, &g->members[i]);
                shown++;
            }
    if (g->nmembers > shown)
        print_text(out, "  and %" PRIu32 " more\n", g->nmembers - shown);
}

static void print_stack(FILE *out, const struct hang *h, const struct hang_member *m,
                        const struct hang_call *c)
{
    const struct hang_stack *s = &h->stacks[c->stack];
    char line[HANG_LINE];
    print_text(out, "\n  where rank %" PRIu32 " called %s #%" PRIu64 "\n", m->rank,
               h->signatures[c->signature].op, c->sequence);
    for (uint32_t i = 0; i < s->n && i < STACK; i++)
        print_text(out, "    %s\n", hang_say_frame(&h->frames[s->frames[i]], line));
    if (s->n > STACK)
        print_text(out, "    and %" PRIu32 " more\n", s->n - STACK);
}

/* The stack of the first who waits, and of the first who does something else. */
static void print_stacks(FILE *out, const struct hang *h, const struct hang_group *g)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < g->nmembers; i++) {
            const struct hang_member *m = &g->members[i];
            const bool waits = m->place == HANG_WAITS;
            const struct hang_call *c = hang_member_call(h, m);
            if (waits != (pass == 0) || !c || c->stack == HANG_UNKNOWN)
                continue;
            print_stack(out, h, m, c);
            break;
        }
}

void hang_export_text(FILE *out, const struct hang *h, bool ascii)
{
    char line[HANG_LINE], evidence[HANG_EVIDENCE][HANG_LINE];
    print_text(out, "%s\n", hang_say_verdict(h, line, ascii));
    const int n = hang_say_evidence(h, evidence, ascii);
    for (int i = 0; i < n; i++)
        print_text(out, "  %s\n", evidence[i]);
    print_scope(out, h);
    print_waiting_groups(out, h, ascii);
    if (h->nwaiting) {
        print_hang_members(out, h, &h->groups[h->order[0]]);
        print_stacks(out, h, &h->groups[h->order[0]]);
    }
}

/* --- the short answer --- */

void hang_brief(struct brief *b, const struct hang *h, bool ascii)
{
    char line[HANG_LINE], evidence[HANG_EVIDENCE][HANG_LINE];
    brief_verdict(b, "%s", hang_say_verdict(h, line, ascii));
    const int n = hang_say_evidence(h, evidence, ascii);
    for (int i = 0; i < n; i++)
        brief_evidence(b, "%s", evidence[i]);
    for (uint32_t i = 0; i < h->nwaiting; i++) {
        const struct hang_group *g = &h->groups[h->order[i]];
        char what[HANG_LINE];
        print_line(what, sizeof what, "group %s", g->label);
        brief_row(b, what, "%s", hang_say_group(h, g, line));
    }
}

/* --- CSV: a row for each rank of each group --- */

static void csv_member(FILE *out, const struct hang *h, const struct hang_group *g,
                       const struct hang_member *m)
{
    const struct hang_call *c = get_call_of(h, m, m->last);
    const struct hang_frame *f = c ? hang_own_frame(h, c->stack) : NULL;
    const bool waits = g->sequence != HANG_NO_SEQUENCE;
    print_csv(out, "%s,%" PRIu32 ",%s", g->label, m->rank,
              waits ? hang_place_name((enum hang_place)m->place) : "");
    if (c)
        print_csv(out, ",%" PRIu64 ",%s,%s,%s", c->sequence, h->signatures[c->signature].op,
                  h->signatures[c->signature].inputs, hang_state_name((enum hang_state)c->state));
    else
        fputs(",,,,", out);
    if (f)
        print_csv(out, ",%s,%" PRIu32 ",%s\n", f->file, f->line, f->function);
    else
        fputs(",,,\n", out);
}

void hang_export_csv(FILE *out, const struct hang *h)
{
    fputs(
        "group,rank,place,last_sequence,last_operation,last_sizes,last_state,file,line,function\n",
        out);
    for (uint32_t i = 0; i < h->ngroups; i++) {
        const struct hang_group *g = &h->groups[h->order[i]];
        for (uint32_t k = 0; k < g->nmembers; k++)
            csv_member(out, h, g, &g->members[k]);
    }
}

/* --- JSON --- */

static void json_call(cJSON *to, const char *key, const struct hang *h, const struct hang_call *c)
{
    if (!c) {
        cJSON_AddNullToObject(to, key);
        return;
    }
    cJSON *o = cJSON_AddObjectToObject(to, key);
    const struct hang_signature *s = &h->signatures[c->signature];
    const struct hang_frame *f = hang_own_frame(h, c->stack);
    json_add_text(o, "group", h->groups[c->group].label);
    json_add_u64(o, "sequence", c->sequence);
    json_add_text(o, "operation", s->op);
    json_add_text(o, "input_sizes", s->inputs);
    json_add_text(o, "output_sizes", s->outputs);
    json_add_text(o, "input_types", s->input_types);
    json_add_text(o, "output_types", s->output_types);
    json_add_text(o, "state", hang_state_name((enum hang_state)c->state));
    json_add_text(o, "file", f ? f->file : NULL);
    json_add_number(o, "line", f ? f->line : NAN);
    json_add_text(o, "function", f ? f->function : NULL);
}

static cJSON *json_member_of_group(const struct hang *h, const struct hang_group *g,
                                   const struct hang_member *m)
{
    cJSON *o = cJSON_CreateObject();
    const bool waits = g->sequence != HANG_NO_SEQUENCE;
    json_add_u64(o, "rank", m->rank);
    json_add_text(o, "place", waits ? hang_place_name((enum hang_place)m->place) : NULL);
    json_call(o, "call", h, get_call_of(h, m, m->call));
    json_call(o, "last", h, get_call_of(h, m, m->last));
    json_call(o, "waits_elsewhere", h, get_call_of(h, m, m->elsewhere));
    return o;
}

static cJSON *json_group_of_hang(const struct hang *h, const struct hang_group *g)
{
    cJSON *o = cJSON_CreateObject();
    const bool waits = g->sequence != HANG_NO_SEQUENCE;
    json_add_text(o, "group", g->label);
    json_add_text(o, "name", g->name);
    json_add_text(o, "description", g->description);
    cJSON_AddBoolToObject(o, "waits", waits);
    json_add_number(o, "sequence", waits ? (double)g->sequence : NAN);
    json_add_text(o, "operation", waits ? h->signatures[g->signature].op : NULL);
    json_add_text(o, "difference", hang_difference_name(g->difference));
    cJSON_AddBoolToObject(o, "tied", g->tied);
    json_add_u64(o, "waited_ns", g->waited);
    json_add_u64(o, "timeout_ms", g->timeout_ms);
    cJSON_AddBoolToObject(o, "timed_out", g->timed_out);
    cJSON_AddBoolToObject(o, "timed_out_by_file_times_only", g->doubtful);
    cJSON_AddBoolToObject(o, "cause", g->root);
    cJSON *list = cJSON_AddArrayToObject(o, "ranks");
    for (uint32_t i = 0; i < g->nmembers; i++)
        cJSON_AddItemToArray(list, json_member_of_group(h, g, &g->members[i]));
    return o;
}

void hang_export_json(FILE *out, const struct hang *h)
{
    char line[HANG_LINE], evidence[HANG_EVIDENCE][HANG_LINE];
    cJSON *doc = document_begin("rooftop.hang/1");
    json_add_text(doc, "verdict", hang_verdict_name(h->verdict));
    json_add_text(doc, "answer", hang_say_verdict(h, line, true));
    cJSON *list = cJSON_AddArrayToObject(doc, "evidence");
    const int n = hang_say_evidence(h, evidence, true);
    for (int i = 0; i < n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(evidence[i]));
    json_add_u64(doc, "dumps", h->n);
    json_add_u64(doc, "missing_dumps", h->missing);
    json_add_u64(doc, "unreadable_dumps", h->left_out);
    list = cJSON_AddArrayToObject(doc, "groups");
    for (uint32_t i = 0; i < h->ngroups; i++)
        cJSON_AddItemToArray(list, json_group_of_hang(h, &h->groups[h->order[i]]));
    document_end(out, doc);
}
