/* A critical path as JSON: schema "rooftop.path/1". */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/trace/trace_align.h"
#include "engine/value/document.h"
#include "engine/value/list_field_document.h"
#include "export/left_out_json.h"
#include "export/path/path_export_impl.h"

static void write_json_mix(FILE *out, const struct path_mix *m)
{
    for (int i = 0; i < PATH_PARTS; i++)
        print_json(out, "%s\"%s\":{\"ns\":%" PRIu64 ",\"share\":%u.%06u}", i ? "," : "",
                   path_part_name((enum path_part)i), m->ns[i], m->share[i] / PATH_WHOLE,
                   m->share[i] % PATH_WHOLE);
}

static void write_json_shares(FILE *out, const struct path_document *d)
{
    const struct path_shares *s = d->shares;
    fputs(",\"shares\":{", out);
    write_json_mix(out, &s->all);
    fprintf(out,
            "},\"host_beside_devices_ns\":%" PRIu64 ",\"devices_moved_ns\":%" PRIu64
            ",\"inferred\":%u,\"devices\":[",
            d->path->host_busy, d->path->moved, s->inferred);
    for (uint32_t i = 0; i < s->ndevices; i++) {
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        print_json_quoted(out, s->devices[i].name);
        fprintf(out, ",\"ns\":%" PRIu64 ",\"shares\":{", s->devices[i].mix.total);
        write_json_mix(out, &s->devices[i].mix);
        fputs("}}", out);
    }
    fputs("\n]", out);
}

static void write_json_kind(FILE *out, uint8_t kind, const char *name)
{
    print_json(out, "\"kind\":\"%s\",\"name\":", node_kind_name(kind));
    print_json_quoted(out, name);
}

static void write_json_names(FILE *out, const struct path_document *d, const struct path_shares *s)
{
    fputs(",\"names\":[", out);
    for (uint32_t i = 0; i < s->nnames; i++) {
        const struct path_name *n = &s->names[i];
        fputs(i ? ",\n{" : "\n{", out);
        write_json_kind(out, n->kind, graph_text(d->trace->calls, n->name));
        print_json(out,
                   ",\"part\":\"%s\",\"length_ns\":%" PRIu64 ",\"criticality\":%.9f,\"steps\":%u"
                   ",\"inferred\":%u,\"calls\":%u,\"total_ns\":%" PRIu64,
                   path_part_name((enum path_part)n->part), n->ns, n->weight, n->steps, n->inferred,
                   n->calls, n->total);
        for (uint32_t k = 0; s == d->shares && k < d->nbest; k++)
            if (d->best[k].row == i)
                fprintf(out, ",\"gain_2x_ns\":%" PRIu64, d->best[k].gain);
        fputc('}', out);
    }
    fputs("\n]", out);
}

static void write_json_steps(FILE *out, const struct trace *t, const struct critical_path *p)
{
    struct list_members members;
    list_members(&members, path_step_fields);
    bool *seen = xcalloc(t->calls->nnodes + (size_t)1, sizeof *seen);
    fputs(",\"steps\":[", out);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct path_step step = path_step_at(t, p, i, seen);
        fputs(i ? ",\n{" : "\n{", out);
        list_fields_json_write(out, &members, &step, 1, UINT8_MAX);
        fputc('}', out);
    }
    fputs("\n]", out);
    free(seen);
}

static void write_json_path_calls(FILE *out, const struct graph *g, const struct critical_path *p)
{
    struct call_count all;
    struct call_part *parts;
    if (!g->syscalls)
        return;
    const uint32_t n = path_syscalls(g, p, &all, &parts);
    fprintf(out,
            ",\"syscalls\":{\"syscalls\":%" PRIu64 ",\"syscall_errors\":%" PRIu64
            ",\"syscalls_ns\":%" PRIu64 ",\"read_bytes\":%" PRIu64 ",\"written_bytes\":%" PRIu64
            ",\"calls\":[",
            all.calls, all.errors, all.ns, all.read, all.written);
    for (uint32_t i = 0; i < n; i++)
        print_json(out,
                   "%s\n{\"name\":\"%s\",\"syscalls\":%" PRIu64 ",\"syscalls_ns\":%" PRIu64 "}",
                   i ? "," : "", parts[i].name, parts[i].own.calls, parts[i].own.ns);
    fputs("\n]}", out);
    free(parts);
}

static void print_files(FILE *out, const struct path_document *d)
{
    const struct trace *t = d->trace;
    fputs(",\"files\":[", out);
    for (uint32_t i = 0; i < t->nfiles; i++) {
        const struct trace_file *f = &t->files[i];
        fputs(i ? ",\n{\"path\":" : "\n{\"path\":", out);
        print_json_quoted(out, f->path);
        fputs(",\"host\":", out);
        if (f->clock.host == GRAPH_NONE)
            fputs("null", out);
        else
            print_json_quoted(out, graph_text(t->calls, f->clock.host));
        f->clock.rank == GRAPH_NONE ? fputs(",\"rank\":null", out)
                                    : fprintf(out, ",\"rank\":%u", f->clock.rank);
        print_json(out, ",\"offset_ns\":%" PRId64 ",\"aligned_by\":\"%s\",\"collectives\":%u",
                   f->offset_ns, trace_how_name((enum trace_how)f->how), f->matched);
        f->uncertainty_ns == GRAPH_UNKNOWN
            ? fputs(",\"uncertainty_ns\":null}", out)
            : fprintf(out, ",\"uncertainty_ns\":%" PRIu64 "}", f->uncertainty_ns);
    }
    fputs("\n]", out);
}

static void write_json_what_if(FILE *out, const struct path_document *d)
{
    const struct what_if *w = d->what_if;
    fputs(",\"what_if\":{\"changes\":", out);
    print_json_quoted(out, d->asked ? d->asked : "");
    fprintf(out, ",\"changed\":%u,\"length_ns\":%" PRIu64 ",\"gain_ns\":%" PRId64, w->changed,
            w->after, (int64_t)(w->before - w->after));
    write_json_names(out, d, &w->shares);
    write_json_steps(out, d->trace, &w->path);
    fputc('}', out);
}

void path_export_json(FILE *out, const struct path_document *d)
{
    const struct graph *g = d->trace->calls;
    struct path_slack *s;
    uint32_t n = path_most_slack(g, d->path, &s);
    fprintf(out,
            "{\"schema\":\"rooftop.path/1\",\"length_ns\":%" PRIu64 ",\"critical_path_ns\":%" PRIu64
            ",\"wall_ns\":%" PRIu64 ",\"nodes\":%u",
            d->path->length, d->path->length, d->shares->wall, path_count_nodes(g, d->path));
    left_out_json_write(out, d->trace);
    print_files(out, d);
    write_path_ranks(out, d);
    write_json_shares(out, d);
    write_json_names(out, d, d->shares);
    if (d->what_if)
        write_json_what_if(out, d);
    write_json_path_calls(out, g, d->path);
    write_json_steps(out, d->trace, d->path);
    fputs(",\"slack\":[", out);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ",\n{" : "\n{", out);
        fprintf(out, "\"node\":%u,", s[i].node);
        write_json_kind(out, g->kind[s[i].node], graph_name(g, s[i].node));
        fprintf(out, ",\"slack_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 "}", s[i].ns,
                g->duration[s[i].node]);
    }
    fputs("\n],\"beside\":[", out);
    free(s);
    struct path_beside *lanes;
    n = path_lanes_beside(g, d->path, &lanes);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ",\n{" : "\n{", out);
        fprintf(out, "\"node\":%u,", lanes[i].lane);
        write_json_kind(out, g->kind[lanes[i].lane], graph_name(g, lanes[i].lane));
        print_json(out, ",\"program\":\"%s\"", graph_name(g, graph_root(g, lanes[i].lane)));
        fprintf(out, ",\"spans\":%u,\"duration_ns\":%" PRIu64 "}", lanes[i].spans,
                lanes[i].to - lanes[i].from);
    }
    fputs("\n]}\n", out);
    free(lanes);
}
