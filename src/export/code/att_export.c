/* A thread trace as JSON and CSV, for programs. */
#include "export/code/att_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/search.h"
#include "engine/att/att_fields.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"

enum { PARTS = 100 };

/* --- CSV --- */

void att_export_csv_head(FILE *out)
{
    const struct list_field *columns[FIELDS_MAX];
    list_fields_csv_head(out, columns, list_fields(att_fields, FIELD_CSV, columns));
    fputs("\r\n", out);
}

void att_export_csv(FILE *out, const struct att *a)
{
    const struct list_field *columns[FIELDS_MAX];
    int ncolumns = list_fields(att_fields, FIELD_CSV, columns);
    struct att_totals t;
    uint32_t n;
    uint32_t *hot = att_hottest(a, &n);
    att_totals(a, &t);
    for (uint32_t i = 0; i < n; i++) {
        list_fields_csv_row(out, columns, ncolumns, &(struct att_item){a, &t, &a->rows[hot[i]]});
        fputs("\r\n", out);
    }
    free(hot);
}

/* --- JSON --- */

static void put_json_text(FILE *out, const char *key, const char *value)
{
    if (key)
        print_json(out, ",\"%s\":", key);
    print_json_quoted(out, value);
}

static void put_att_count(FILE *out, const char *key, uint64_t v)
{
    print_json(out, ",\"%s\":%" PRIu64, key, v);
}

static void put_known_att_count(FILE *out, const char *key, uint32_t v)
{
    if (v == ATT_UNKNOWN)
        print_json(out, ",\"%s\":null", key);
    else
        put_att_count(out, key, v);
}

static void write_att_sum(FILE *out, const struct att_sum *s, uint64_t latency)
{
    put_att_count(out, "executed", s->executed);
    put_att_count(out, "hits", s->hits);
    put_att_count(out, "latency", s->latency);
    put_att_count(out, "stall", s->stall);
    put_att_count(out, "idle", s->idle);
    put_att_count(out, "issued", s->issued);
    put_att_count(out, "stalled", s->stalled);
    json_write_number(out, "latency_per_hit", att_share(s->latency, s->hits));
    json_write_number(out, "latency_share", att_share(s->latency, latency));
    json_write_number(out, "stall_share", att_share(s->stall, s->latency));
}

static void reason_list(FILE *out, const struct att *a, const uint64_t *v)
{
    bool first = true;
    fputs(",\"not_issued\":{", out);
    for (uint32_t i = 0; i < a->reasons_used; i++) {
        if (!v[i])
            continue;
        fputs(first ? "" : ",", out);
        if (*att_reason_name(i))
            print_json(out, "\"%s\":%" PRIu64, att_reason_name(i), v[i]);
        else
            fprintf(out, "\"reason %u\":%" PRIu64, i + 1, v[i]);
        first = false;
    }
    fputc('}', out);
}

static void wait_list(FILE *out, const struct att *a, const struct att_row *r)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, a->nwaits, a->waits[low].line < r->line);
    if (r->line == ATT_UNKNOWN || low == a->nwaits || a->waits[low].line != r->line)
        return;
    fputs(",\"waits_for\":[", out);
    for (uint32_t i = low, n = 0; i < a->nwaits && a->waits[i].line == r->line; i++) {
        uint32_t on = att_row_of_line(a, a->waits[i].on);
        if (on != ATT_UNKNOWN)
            print_json(out, "%s%" PRIu64, n++ ? "," : "", a->rows[on].vaddr);
    }
    fputc(']', out);
}

static void write_att_instruction(FILE *out, const struct list_members *members,
                                  const struct att *a, const struct att_totals *t,
                                  const struct att_row *r)
{
    fputc('{', out);
    list_fields_json_write(out, members, &(struct att_item){a, t, r}, 1, UINT8_MAX);
    if (r->reasons != ATT_UNKNOWN)
        reason_list(out, a, a->reasons[r->reasons]);
    wait_list(out, a, r);
    fputc('}', out);
}

static void write_att_instructions(FILE *out, const struct att *a, const struct att_totals *t)
{
    struct list_members members;
    uint32_t n;
    uint32_t *hot = att_hottest(a, &n);
    list_members(&members, att_fields);
    fputs(",\n\"instructions\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ",\n" : "\n", out);
        write_att_instruction(out, &members, a, t, &a->rows[hot[i]]);
    }
    fputs("\n]", out);
    free(hot);
}

static void write_att_blocks(FILE *out, const struct att *a, const struct att_totals *t)
{
    uint32_t n;
    struct att_block *b = att_blocks(a, &n);
    fputs(",\n\"blocks\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        const struct att_row *r = &a->rows[b[i].first];
        print_json(out, "%s\n{\"codeobj\":%" PRIu64 ",\"vaddr\":%" PRIu64, i ? "," : "", r->codeobj,
                   r->vaddr);
        put_att_count(out, "instructions", b[i].nrows);
        put_att_count(out, "entered", b[i].entered);
        write_att_sum(out, &b[i].sum, t->all.latency);
        fputc('}', out);
    }
    fputs("\n]", out);
    free(b);
}

static void write_att_totals(FILE *out, const struct att *a, const struct att_totals *t)
{
    bool first = true;
    fprintf(out, ",\n\"totals\":{\"instructions\":%u", t->all.rows);
    write_att_sum(out, &t->all, t->all.latency);
    if (a->reasons_used)
        reason_list(out, a, t->reasons);
    fputs("},\n\"categories\":[", out);
    for (int c = 0; c < ATT_CATEGORIES; c++) {
        if (!t->category[c].rows)
            continue;
        print_json(out, "%s\n{\"category\":\"%s\",\"instructions\":%u", first ? "" : ",",
                   att_category_name((enum att_category)c), t->category[c].rows);
        write_att_sum(out, &t->category[c], t->all.latency);
        fputc('}', out);
        first = false;
    }
    fputs("\n]", out);
}

static void write_att_waves(FILE *out, const struct att *a)
{
    struct att_ipc ipc;
    bool first = true;
    att_ipc(a, &ipc);
    fprintf(out, ",\n\"waves\":{\"traced\":%u,\"read\":%u", a->nwaves, a->waves_read);
    put_att_count(out, "instructions", ipc.instructions);
    put_att_count(out, "wave_cycles", ipc.wave_cycles);
    put_att_count(out, "cu_cycles", ipc.cu_cycles);
    put_att_count(out, "cus", ipc.cus);
    json_write_number(out, "ipc_per_wave", ipc.per_wave);
    json_write_number(out, "ipc_per_cu", ipc.per_cu);
    fputs(",\"categories\":[", out);
    for (int c = 0; c < ATT_CATEGORIES; c++)
        if (ipc.category[c].hits) {
            print_json(out, "%s{\"category\":\"%s\"", first ? "" : ",",
                       att_category_name((enum att_category)c));
            put_att_count(out, "issued", ipc.category[c].hits);
            put_att_count(out, "latency", ipc.category[c].latency);
            put_att_count(out, "stall", ipc.category[c].stall);
            fputc('}', out);
            first = false;
        }
    fputs("]}", out);
}

static void put_parts(FILE *out, const double *v, size_t stride)
{
    char n[32];
    for (size_t i = 0; i < PARTS; i++)
        print_json(out, "%s%s", i ? "," : "[", number_text(v[i * stride], n));
    fputc(']', out);
}

static void write_att_states(FILE *out, const struct att *a)
{
    static const char *const from_names[] = {"", "waves", "wstates"};
    static double part[PARTS][ATT_STATES];
    uint64_t cycles[ATT_STATES];
    int64_t from, to;
    enum att_states_from source = att_states_sum(a, cycles);
    if (source == ATT_STATES_NONE || !att_span(a, &from, &to)) {
        fputs(",\n\"states\":null", out);
        return;
    }
    att_states_bins(a, from, to, PARTS, part);
    print_json(out, ",\n\"states\":{\"from\":\"%s\",\"begin\":%" PRId64 ",\"end\":%" PRId64,
               from_names[source], from, to);
    for (int pass = 0; pass < 2; pass++) {
        fputs(pass ? ",\"waves\":{" : ",\"cycles\":{", out);
        for (int s = 0; s < ATT_STATES; s++) {
            print_json(out, "%s\"%s\":", s ? "," : "", att_state_name((enum att_state)s));
            if (pass)
                put_parts(out, &part[0][s], ATT_STATES);
            else
                fprintf(out, "%" PRIu64, cycles[s]);
        }
        fputc('}', out);
    }
    fputc('}', out);
}

static void write_att_occupancy(FILE *out, const struct att *a)
{
    static double part[PARTS];
    uint32_t n;
    int64_t from, to;
    struct att_occupancy *o = att_occupancy(a, &n);
    bool span = att_span(a, &from, &to);
    fputs(",\n\"occupancy\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        print_json(out, "%s\n{\"se\":%u,\"first\":%" PRId64 ",\"last\":%" PRId64, i ? "," : "",
                   o[i].se, o[i].first, o[i].last);
        json_write_number(out, "mean", o[i].mean);
        put_att_count(out, "peak", o[i].peak);
        put_att_count(out, "begun", o[i].begun);
        put_att_count(out, "ended", o[i].ended);
        put_att_count(out, "before", o[i].before);
        put_att_count(out, "cus", o[i].cus);
        put_att_count(out, "simds", o[i].simds);
        if (span) {
            att_occupancy_bins(a, o[i].se, from, to, PARTS, part);
            fputs(",\"waves\":", out);
            put_parts(out, part, 1);
        }
        fputc('}', out);
    }
    fputs("\n]", out);
    free(o);
}

static void write_att_counters(FILE *out, const struct att *a)
{
    fputs(",\n\"counters\":[", out);
    for (uint32_t i = 0; i < a->ncounters; i++) {
        struct att_counter c;
        att_counter(a, i, &c);
        print_json(out, "%s\n{\"name\":", i ? "," : "");
        put_json_text(out, NULL, a->counters[i]);
        put_att_count(out, "samples", c.samples);
        json_write_number(out, "mean", c.mean);
        json_write_number(out, "max", c.max);
        fputc('}', out);
    }
    fputs("\n],\n\"notes\":[", out);
    for (uint32_t i = 0; i < a->nnotes; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_json_text(out, NULL, a->notes[i]);
    }
    fputs("\n]", out);
}

void att_export_json(FILE *out, const struct att *a)
{
    struct att_totals t;
    att_totals(a, &t);
    fputs("{\"name\":", out);
    put_json_text(out, NULL, a->name);
    put_known_att_count(out, "agent", a->agent);
    put_known_att_count(out, "dispatch", a->dispatch);
    put_json_text(out, "kernel", att_kernel_name(a));
    put_known_att_count(out, "gfx", a->gfx);
    put_json_text(out, "gfxv", a->gfxv);
    if (att_latency_end(a))
        put_json_text(out, "latency_ends_with", att_latency_end(a));
    else
        fputs(",\"latency_ends_with\":null", out);
    json_write_number(out, "clock_hz", att_clock_hz(a));
    write_att_totals(out, a, &t);
    write_att_instructions(out, a, &t);
    write_att_blocks(out, a, &t);
    write_att_waves(out, a);
    write_att_states(out, a);
    write_att_occupancy(out, a);
    write_att_counters(out, a);
    fputc('}', out);
}
