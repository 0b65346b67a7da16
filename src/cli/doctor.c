#include "cli/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "backends/job/rank_collectives.h"
#include "backends/mpi/mpi_library.h"
#include "base/linkage.h"
#include "base/list.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/options/version.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "engine/live/ask.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/profiler/profiler.h"
#include "engine/syscalls/tracer.h"
#include "engine/value/document.h"
#include "export/delivery/http.h"
#include "tui/canvas/canvas.h"
#include "tui/term/term.h"

/* The word carries the meaning, so that neither glyph nor colour is needed to read it. */
static const struct state_look {
    const char *word, *glyph, *ascii, *sgr;
} state_look[] = {
    [PROBE_NO] = {"no", "✗", "-", "\033[31m"},
    [PROBE_PARTIAL] = {"partial", "◐", "~", "\033[33m"},
    [PROBE_YES] = {"yes", "✓", "+", "\033[32m"},
};

struct sink_state {
    struct doctor_report *report;
    const char *source;
};

static const char *copy_finding_text(struct doctor_report *r, const char *text)
{
    if (!text || !*text)
        return NULL;
    return arena_strdup(&r->arena, text);
}

static void collect_finding(void *ctx, const struct probe_finding *c)
{
    struct sink_state *s = ctx;
    struct doctor_report *r = s->report;
    LIST_ROOM(r->findings, r->n, r->cap);
    r->findings[r->n++] =
        (struct doctor_finding){.source = s->source,
                                .found = {.id = copy_finding_text(r, c->id),
                                          .label = copy_finding_text(r, c->label),
                                          .state = c->state,
                                          .why = copy_finding_text(r, c->why),
                                          .enable = copy_finding_text(r, c->enable)}};
}

void doctor_probe(struct doctor_report *r, const struct source_ops *const *sources)
{
    *r = (struct doctor_report){0};
    for (size_t i = 0; sources[i]; i++) {
        struct sink_state s = {.report = r, .source = sources[i]->name};
        if (sources[i]->probe)
            sources[i]->probe(collect_finding, &s);
    }
}

static void probe_profiler(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "profile"};
    profiler.probe(collect_finding, &s);
}

/* One row for each mechanism of rooftop trace. */
static void probe_tracers(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "trace"};
    for (size_t i = 0; tracers[i]; i++) {
        struct tracer_state state;
        char id[64], label[64];
        tracers[i]->probe(&state);
        snprintf(id, sizeof id, "trace.%s", tracers[i]->name);
        snprintf(label, sizeof label, "system calls by %s", tracers[i]->name);
        struct probe_finding c = {
            .id = id, .label = label, .state = PROBE_NO, .why = state.why, .enable = state.enable};
        if (state.works)
            c.state = state.enable[0] ? PROBE_PARTIAL : PROBE_YES;
        collect_finding(&s, &c);
    }
}

/* The parser that reads sources for rooftop optimize judge and rooftop optimize. */
static void probe_source_guards(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "judge"};
    for (size_t i = 0; source_guards[i]; i++) {
        struct error why = ERROR_INIT;
        char id[64], label[64];
        const bool there = source_guards[i]->available(&why);
        snprintf(id, sizeof id, "judge.%s", source_guards[i]->name);
        snprintf(label, sizeof label, "guard of sources: %s", source_guards[i]->name);
        const struct probe_finding c = {.id = id,
                                        .label = label,
                                        .state = there ? PROBE_YES : PROBE_NO,
                                        .why = there ? source_guards[i]->summary : why.why,
                                        .enable = why.help};
        collect_finding(&s, &c);
    }
}

static void probe_otlp(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "otlp"};
    struct error why = ERROR_INIT;
    char text[128] = "";
    const bool there = http_available(ENDPOINT_PROTOBUF, text, sizeof text, &why);
    const bool grpc = there && http_available(ENDPOINT_GRPC, NULL, 0, &why);
    struct probe_finding c = {.id = "otlp.send",
                              .label = "spans to a collector (--otlp)",
                              .state = PROBE_NO,
                              .why = there ? text : why.why,
                              .enable = grpc ? "" : why.help};
    if (there)
        c.state = grpc ? PROBE_YES : PROBE_PARTIAL;
    collect_finding(&s, &c);
}

/* Which mpicc job --mpi would build its library with. */
static void probe_mpi(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "mpi"};
    struct error why = ERROR_INIT;
    char mpicc[PATH_MAX], text[PATH_MAX + 64];
    const bool there = mpi_compiler_find("", mpicc, &why) == 0;
    snprintf(text, sizeof text, "its library is built by %s", there ? mpicc : "");
    collect_finding(&s, &(struct probe_finding){.id = "mpi.record",
                                                .label = "calls of MPI (job --mpi)",
                                                .state = there ? PROBE_YES : PROBE_NO,
                                                .why = there ? text : why.why,
                                                .enable = there ? "" : why.help});
}

/* Whether rooftop job can record calls of NCCL and RCCL. */
static void probe_collectives(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "nccl"};
    struct error why = ERROR_INIT;
    char plugin[PATH_MAX] = "";
    const bool there = rank_collectives_probe(plugin, &why);
    collect_finding(&s, &(struct probe_finding){.id = "nccl.record",
                                                .label = "calls of NCCL, RCCL (job)",
                                                .state = there ? PROBE_YES : PROBE_NO,
                                                .why = there ? plugin : why.why,
                                                .enable = there ? "" : why.help});
}

/* Whether libraries can be opened at all: an archive has a program that can, and one that starts
 * anywhere (src/alone). */
static void probe_linkage(struct doctor_report *r)
{
    struct sink_state s = {.report = r, .source = "rooftop"};
    const struct probe_finding c = {
        .id = "rooftop.libraries",
        .label = "libraries opened when needed",
        .state = LINKAGE_ALONE ? PROBE_NO : PROBE_YES,
        .why = linkage_reason("this rooftop is linked to this system's C library"),
        .enable = linkage_help("")};
    collect_finding(&s, &c);
}

void doctor_free(struct doctor_report *r)
{
    free(r->findings);
    arena_free(&r->arena);
    *r = (struct doctor_report){0};
}

static int widest_label(const struct doctor_report *r)
{
    int width = 0;
    for (size_t i = 0; i < r->n; i++) {
        const char *label = r->findings[i].found.label;
        int w = label ? text_width(label) : 0;
        width = w > width ? w : width;
    }
    return width;
}

char *doctor_text(const struct doctor_report *r, bool ascii, bool color)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return NULL;
    int width = widest_label(r);
    const char *source = NULL;
    for (size_t i = 0; i < r->n; i++) {
        const struct doctor_finding *d = &r->findings[i];
        const struct probe_finding *c = &d->found;
        const struct state_look *look = &state_look[c->state];
        const char *label = c->label ? c->label : "";
        if (!source || strcmp(source, d->source) != 0)
            print_text(f, i ? "\n%s\n" : "%s\n", d->source);
        source = d->source;
        fputs("  ", f);
        fputs(color ? look->sgr : "", f); /* raw: our own colours */
        print_text(f, "%s %-7s", ascii ? look->ascii : look->glyph, look->word);
        fputs(color ? "\033[0m" : "", f);
        print_text(f, "  %-*s  %s\n", width, label, c->why ? c->why : "");
        if (c->enable)
            print_text(f, "  %*s  %*s  enable: %s\n", 9, "", width, "", c->enable);
    }
    fclose(f);
    return text;
}

char *doctor_json(const struct doctor_report *r)
{
    cJSON *doc = document_begin("rooftop.doctor/1");
    cJSON_AddStringToObject(doc, "version", ROOFTOP_VERSION);
    cJSON *list = cJSON_AddArrayToObject(doc, "capabilities");
    for (size_t i = 0; i < r->n; i++) {
        const struct probe_finding *c = &r->findings[i].found;
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "source", r->findings[i].source);
        json_add_text(j, "id", c->id);
        json_add_text(j, "label", c->label);
        json_add_text(j, "state", state_look[c->state].word);
        json_add_text(j, "why", c->why);
        json_add_text(j, "enable", c->enable);
        cJSON_AddItemToArray(list, j);
    }
    char *text = json_document(doc, true);
    cJSON_Delete(doc);
    size_t len = strlen(text);
    text = xrealloc(text, len + 2, 1); /* cJSON uses malloc */
    memcpy(text + len, "\n", 2);
    return text;
}

/* What lacks comes first, and of that what a command would enable. */
static int write_doctor_brief(const struct doctor_report *r, const struct options *o,
                              struct error *err)
{
    struct brief b = {.command = o->words};
    struct brief_top top = {.n = 0};
    size_t states[PROBE_YES + 1] = {0};
    for (size_t i = 0; i < r->n; i++) {
        const struct probe_finding *c = &r->findings[i].found;
        states[c->state]++;
        if (c->state != PROBE_YES)
            brief_top_add(&top, i, c->enable ? 2 - (double)c->state : -(double)c->state);
    }
    brief_verdict(&b, "%zu of %zu can be measured here, %zu in part, %zu not", states[PROBE_YES],
                  r->n, states[PROBE_PARTIAL], states[PROBE_NO]);
    for (size_t i = 0; i < top.n; i++) {
        const struct probe_finding *c = &r->findings[top.index[i]].found;
        brief_row(&b, c->label ? c->label : c->id, "%s: %.80s%s%s", state_look[c->state].word,
                  c->why ? c->why : "", c->enable ? "; enable: " : "", c->enable ? c->enable : "");
    }
    b.left_out = top.left_out;
    brief_next(&b, "rooftop doctor", NULL, 0);
    brief_next(&b, "rooftop doctor events", NULL, 0);
    return brief_output(&b, o, err);
}

/* Three states need no more than eight colours, so the depth does not matter. */
static bool wants_color(const struct options *o)
{
    if (strcmp(o->color, "auto") == 0 && (o->output || !isatty(STDOUT_FILENO)))
        return false;
    return term_depth(o->color) != DEPTH_NONE;
}

/* Answers a rooftop that started this process to ask a source (engine/live/ask.h). Frees nothing:
 * that could hang too. */
static int answer_question(const struct options *o, struct error *err)
{
    const struct source_ops *source = NULL;
    for (size_t i = 0; o->noperands == 1 && backends[i]; i++)
        if (backends[i]->ask && strcmp(backends[i]->name, o->operands[0]) == 0)
            source = backends[i];
    if (!source)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--in-process",
                         "name one source that is asked in a process of its own");
    size_t n;
    const int fd = output_own_stdout();
    const void *bytes = source->ask(&n);
    _exit(ask_reply(fd, bytes, n) == 0 ? EXIT_DONE : EXIT_OUTPUT);
}

static int doctor_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct doctor_report report;
    bool json = o->format && strcmp(o->format, "json") == 0;
    if (o->in_process) {
        answer_question(o, &err);
        return exit_report(&err);
    }
    if (o->noperands > 0) {
        error_set(&err, ERROR_USAGE, EINVAL, command_doctor.usage, "doctor", "cannot use '%s'",
                  o->operands[0]);
        return exit_report(&err);
    }
    doctor_probe(&report, backends);
    probe_profiler(&report);
    probe_tracers(&report);
    probe_source_guards(&report);
    probe_otlp(&report);
    probe_mpi(&report);
    probe_collectives(&report);
    probe_linkage(&report);
    bool ascii = o->ascii || (!o->utf8 && !term_utf8());
    char *text = NULL;
    int rc = o->brief ? write_doctor_brief(&report, o, &err) : 0;
    if (!o->brief) {
        text = json ? doctor_json(&report) : doctor_text(&report, ascii, wants_color(o));
        rc = output_file(o->output, text, strlen(text), &err);
    }
    free(text);
    doctor_free(&report);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_IN_PROCESS, TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),     TAKES(OUTPUT),
    TAKES(COLOR),     TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what can be measured here, why not, and what would enable it",
    .usage = "rooftop doctor [--brief] [--format text|json] [-o FILE]",
    .run = doctor_run,
    .options = options,
    .examples = EXAMPLES({"rooftop doctor", "what can be measured here"},
                         {"rooftop doctor --format json -o host.json", "the same as a document"}),
};
