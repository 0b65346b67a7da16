#include "export/lab/loop_export.h"

#include <inttypes.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "base/print.h"
#include "engine/ports/hot_loop.h"
#include "engine/ports/ports.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "export/brief.h"
#include "export/lab/ports_export.h"

static const struct code_loop *chosen_loop(const struct hot_loop *h)
{
    return &h->loops[h->chosen];
}

/* The counted IPC, or the reason that it is unknown; NULL if nothing was counted. */
static const struct metric *counted_ipc(const struct loop_report *r)
{
    return r->counted ? snapshot_metric(r->counted->snap, "ipc") : NULL;
}

const char *loop_bound_text(const struct mca_model *m, char out[LOOP_BOUND])
{
    switch (m->bound) {
    case MCA_BY_DEPENDENCIES:
        print_line(out, LOOP_BOUND,
                   "dependencies: an instruction waits for the result of the iteration before; "
                   "ports and dispatch alone would take %.2f cycles",
                   m->throughput);
        break;
    case MCA_BY_PORT:
        print_line(out, LOOP_BOUND, "port %s (pipe %c), busy for %.2f cycles of an iteration",
                   m->busiest < m->nports ? m->ports[m->busiest].name : "?",
                   m->busiest < m->nports ? m->ports[m->busiest].pipe : '?',
                   m->busiest < m->nports ? m->ports[m->busiest].cycles : 0);
        break;
    default:
        print_line(out, LOOP_BOUND, "dispatch: %.0f uops, %.0f in a cycle at most", m->uops,
                   m->width);
    }
    return out;
}

/* --- text --- */

static const char *why_no_samples(const struct hot_loop *h)
{
    if (!h->sampled)
        return "nothing ran: add -p PID or -- COMMAND";
    return h->no_samples ? h->no_samples : "none was taken while it ran";
}

static void write_where(FILE *out, const struct hot_loop *h)
{
    const struct code_loop *l = chosen_loop(h);
    print_text(out,
               "loop %zu of %zu in %s of %s: 0x%" PRIx64 " to 0x%" PRIx64
               ", %zu instructions, depth %u\n",
               h->chosen + 1, h->nloops, h->function, h->file, h->code->rows[l->first].address,
               h->code->rows[l->last].address, l->last - l->first + 1, l->depth);
    uint64_t all = h->samples + h->samples_outside;
    if (all)
        print_text(out, "samples    %" PRIu64 ": %.1f %% in this loop, %.1f %% in this function\n",
                   all, 100.0 * (double)l->samples / (double)all,
                   100.0 * (double)h->samples / (double)all);
    else
        print_text(out,
                   "samples    n/a: %s; chosen is the deepest loop, then the one with the widest "
                   "registers, then the longest\n",
                   why_no_samples(h));
    if (l->calls)
        print_text(out, "calls      %u in the loop: what they do is not in the model\n", l->calls);
    if (!l->innermost)
        print_text(out,
                   "inner      other loops are in it: the model counts each instruction once\n");
}

static void write_model(FILE *out, const struct hot_loop *h)
{
    const struct mca_model *m = &h->model;
    char bound[LOOP_BOUND];
    print_text(out, "model      %s, core %s, %u iterations\n", m->tool, m->cpu, m->iterations);
    print_text(out, "predicted  %.2f cycles an iteration, %.2f instructions a cycle, %.1f uops\n",
               m->cycles, m->ipc, m->uops);
    print_text(out, "bound by   %s\n", loop_bound_text(m, bound));
    print_text(out, "error      %s\n", mca_error);
    if (m->left_out + h->formless)
        print_text(out, "left out   %u instruction%s that %s does not know\n",
                   m->left_out + h->formless, m->left_out + h->formless == 1 ? "" : "s", m->tool);
    print_text(out, "\n%-5s %-20s %10s %10s\n", "PIPE", "PORT", "CYCLES", "BUSY");
    for (size_t i = 0; i < m->nports; i++)
        if (m->ports[i].cycles > 0)
            print_text(out, "%-5c %-20s %10.2f %8.1f %%\n", m->ports[i].pipe, m->ports[i].name,
                       m->ports[i].cycles, 100 * m->ports[i].cycles / m->cycles);
}

void loop_brief(struct brief *b, const struct loop_report *r)
{
    const struct hot_loop *h = r->loop;
    const struct mca_model *m = &h->model;
    const struct code_loop *l = chosen_loop(h);
    char bound[LOOP_BOUND];
    if (h->modelled)
        brief_verdict(b, "bound by %s", loop_bound_text(m, bound));
    else
        brief_verdict(b, "no model: %s", h->no_model.why);
    brief_evidence(b, "loop %zu of %zu in %.80s of %.80s, %zu instructions", h->chosen + 1,
                   h->nloops, h->function, h->file, l->last - l->first + 1);
    if (h->modelled)
        brief_evidence(b, "predicted %.2f cycles an iteration, %.2f instructions a cycle, by %s",
                       m->cycles, m->ipc, m->tool);
    struct brief_top top = {.n = 0};
    for (size_t i = 0; h->modelled && i < m->nports; i++)
        if (m->ports[i].cycles > 0)
            brief_top_add(&top, i, m->ports[i].cycles);
    for (size_t i = 0; i < top.n; i++) {
        const size_t port = top.index[i];
        brief_row(b, m->ports[port].name, "%.1f %% busy, %.2f cycles; pipe %c",
                  100 * m->ports[port].cycles / m->cycles, m->ports[port].cycles,
                  m->ports[port].pipe);
    }
    b->left_out += top.left_out;
}

/* The model's numbers for a row; NULL if it has none. Call it for the rows in order; *at is 0
 * before the first. */
static const struct mca_line *find_mca_line(const struct hot_loop *h, size_t row, size_t *at)
{
    while (*at < h->nlines && h->row_of[*at] < row)
        ++*at;
    bool known = *at < h->nlines && h->row_of[*at] == row && h->lines[*at].known;
    return known ? &h->lines[*at] : NULL;
}

static void write_loop_code(FILE *out, const struct hot_loop *h)
{
    const struct code_loop *l = chosen_loop(h);
    size_t at = 0;
    print_text(out, "\n%-18s %8s %8s  %s\n", "ADDRESS", "LATENCY", "EVERY", "INSTRUCTION");
    for (size_t r = l->first; r <= l->last; r++) {
        const struct mca_line *line = find_mca_line(h, r, &at);
        print_text(out, "0x%-16" PRIx64, h->code->rows[r].address);
        if (line)
            print_text(out, " %8.0f %8.2f", line->latency, line->between);
        else
            print_text(out, " %8s %8s", "n/a", "n/a");
        print_text(out, "  %s\n", h->code->rows[r].text);
    }
}

static void write_counted_ipc(FILE *out, const struct loop_report *r)
{
    const struct metric *ipc = counted_ipc(r);
    const struct mca_model *m = &r->loop->model;
    fputc('\n', out);
    if (ipc && ipc->value.validity == VALUE_OK && r->loop->modelled)
        print_text(out,
                   "counted: %.2f instructions a cycle in all that ran; the model says %.2f for "
                   "the loop, %+.0f %%\n",
                   ipc->value.v, m->ipc, 100 * (m->ipc / ipc->value.v - 1));
    else if (ipc)
        print_text(out, "counted: instructions a cycle n/a: %s\n", value_why(&ipc->value));
    ports_export_text(out, r->counted);
}

void loop_export_text(FILE *out, const void *what)
{
    const struct loop_report *r = what;
    write_where(out, r->loop);
    if (r->loop->modelled)
        write_model(out, r->loop);
    else
        print_text(out, "model      n/a: %s: %s%s%s\n", r->loop->no_model.what,
                   r->loop->no_model.why, *r->loop->no_model.help ? "; " : "",
                   r->loop->no_model.help);
    write_loop_code(out, r->loop);
    if (r->counted)
        write_counted_ipc(out, r);
}

/* --- documents --- */

static void add_hex(cJSON *to, const char *key, uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    json_add_text(to, key, text);
}

static const char *const bounds[] = {"dependencies", "port", "dispatch", NULL};

#define TYPE struct mca_port
static const struct fields port_record =
    RECORD_OF(NAMED(CHARS, name, "port"), NAMED(BYTE, pipe, "pipe", .form = MEMBER_LETTER),
              ROW(DOUBLE, cycles));
#undef TYPE

static void add_left_out(cJSON *to, const char *name, const void *loop)
{
    const struct hot_loop *h = loop;
    json_add_number(to, name, h->model.left_out + h->formless);
}

#define TYPE struct hot_loop
const struct fields loop_model_record = RECORD_OF(
    NAMED(CHARS, model.tool, "tool"), NAMED(CHARS, model.cpu, "core"), FIXED("error", mca_error),
    NAMED(U32, model.iterations, "iterations"), NAMED(DOUBLE, model.cycles, "cycles_per_iteration"),
    NAMED(DOUBLE, model.ipc, "instructions_per_cycle"),
    NAMED(DOUBLE, model.uops, "uops_per_iteration"), NAMED(DOUBLE, model.width, "dispatch_width"),
    NAMED(DOUBLE, model.throughput, "cycles_without_dependencies"),
    NAMED(INT, model.bound, "bound_by", .form = MEMBER_WORD, .words = bounds),
    ADDED(U32, add_left_out, "instructions_left_out"),
    ARRAY(model.ports, model.nports, "ports", &port_record));
#undef TYPE

#define TYPE struct error
const struct fields loop_error_record =
    RECORD_OF(ROW(CHARS, what), ROW(CHARS, why), ROW(CHARS, help));
#undef TYPE

static cJSON *json_code(const struct hot_loop *h)
{
    const struct code_loop *l = chosen_loop(h);
    cJSON *code = cJSON_CreateArray();
    size_t at = 0;
    for (size_t r = l->first; r <= l->last; r++) {
        const struct mca_line *line = find_mca_line(h, r, &at);
        cJSON *i = cJSON_CreateObject();
        add_hex(i, "address", h->code->rows[r].address);
        json_add_text(i, "instruction", h->code->rows[r].text);
        json_add_number(i, "latency", line && h->modelled ? line->latency : (double)NAN);
        json_add_number(i, "cycles_between", line && h->modelled ? line->between : (double)NAN);
        cJSON_AddItemToArray(code, i);
    }
    return code;
}

void loop_export_json(FILE *out, const void *what)
{
    const struct loop_report *r = what;
    const struct hot_loop *h = r->loop;
    const struct code_loop *l = chosen_loop(h);
    cJSON *doc = document_begin("rooftop.loop/1");
    json_add_text(doc, "file", h->file);
    json_add_text(doc, "function", h->function);
    json_add_number(doc, "loop", (double)h->chosen + 1);
    json_add_number(doc, "loops", (double)h->nloops);
    add_hex(doc, "from", h->code->rows[l->first].address);
    add_hex(doc, "to", h->code->rows[l->last].address);
    json_add_number(doc, "depth", l->depth);
    json_add_number(doc, "calls", l->calls);
    cJSON_AddBoolToObject(doc, "innermost", l->innermost);
    if (h->sampled) {
        json_add_u64(doc, "samples", h->samples + h->samples_outside);
        json_add_u64(doc, "samples_in_function", h->samples);
        json_add_u64(doc, "samples_in_loop", l->samples);
    }
    cJSON_AddItemToObject(doc, "model",
                          h->modelled ? record_object(loop_model_record, h) : cJSON_CreateNull());
    if (!h->modelled)
        cJSON_AddItemToObject(doc, "no_model", record_object(loop_error_record, &h->no_model));
    cJSON_AddItemToObject(doc, "code", json_code(h));
    if (r->counted) {
        const struct metric *ipc = counted_ipc(r);
        if (ipc)
            json_add_value(doc, "counted_instructions_per_cycle", &ipc->value);
        cJSON_AddItemToObject(doc, "counted", ports_export_object(r->counted));
    }
    document_end(out, doc);
}

void loop_export_csv(FILE *out, const void *what)
{
    const struct hot_loop *h = ((const struct loop_report *)what)->loop;
    fputs("kind,name,pipe,cycles\n", out);
    if (!h->modelled)
        return;
    print_csv(out, "loop,%s,,%.6g\n", h->function, h->model.cycles);
    for (size_t i = 0; i < h->model.nports; i++)
        print_csv(out, "port,%s,%c,%.6g\n", h->model.ports[i].name, h->model.ports[i].pipe,
                  h->model.ports[i].cycles);
}
