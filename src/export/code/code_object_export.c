#include "export/code/code_object_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "engine/code/kernarg_types.h"
#include "engine/value/document.h"

static void put_code_text(FILE *out, const char *text)
{
    print_put(out, PRINT_TEXT, text);
}

/* Returns "6", or "n/a" if the compiler did not write the number. */
static const char *number_or_na(uint32_t v)
{
    static char texts[8][16];
    static unsigned next;
    char *out = texts[next++ % 8];
    if (v == CODE_UNKNOWN)
        return "n/a";
    snprintf(out, sizeof texts[0], "%" PRIu32, v);
    return out;
}

static void print_code_resources(FILE *out, const struct code_kernel *k)
{
    print_text(out, "  registers  VGPR %s, AGPR %s, SGPR %s; spilled VGPR %s, SGPR %s\n",
               number_or_na(k->vgprs), number_or_na(k->agprs), number_or_na(k->sgprs),
               number_or_na(k->vgpr_spills), number_or_na(k->sgpr_spills));
    print_text(out,
               "  memory     LDS %s bytes, private %s bytes%s; arguments %s bytes, aligned to %s\n",
               number_or_na(k->group_size), number_or_na(k->private_size),
               k->dynamic_stack ? " and a stack of unknown size" : "",
               number_or_na(k->kernarg_size), number_or_na(k->kernarg_align));
    print_text(out, "  waves      of %s; work-groups of %s at most",
               number_or_na(k->wavefront_size), number_or_na(k->max_flat_workgroup_size));
    if (k->required_workgroup_size[0] != CODE_UNKNOWN)
        print_text(out, ", of %s x %s x %s only", number_or_na(k->required_workgroup_size[0]),
                   number_or_na(k->required_workgroup_size[1]),
                   number_or_na(k->required_workgroup_size[2]));
    fputc('\n', out);
    if (!k->has_descriptor)
        fputs("  code       n/a: its descriptor is not in the file\n", out);
    else if (k->code_size)
        fprintf(out, "  code       at 0x%" PRIx64 ", %" PRIu64 " bytes\n", k->descriptor.entry,
                k->code_size);
    else
        fprintf(out, "  code       at 0x%" PRIx64 "\n", k->descriptor.entry);
}

void code_object_brief_kernel(struct brief *b, const struct code_kernel *k)
{
    const bool no_spills = (k->vgpr_spills == 0 || k->vgpr_spills == CODE_UNKNOWN) &&
                           (k->sgpr_spills == 0 || k->sgpr_spills == CODE_UNKNOWN);
    char spilled[64] = "";
    if (!no_spills)
        snprintf(spilled, sizeof spilled, "; spilled VGPR %s, SGPR %s",
                 number_or_na(k->vgpr_spills), number_or_na(k->sgpr_spills));
    brief_row(b, k->demangled, "VGPR %s, AGPR %s, SGPR %s, LDS %s bytes%s", number_or_na(k->vgprs),
              number_or_na(k->agprs), number_or_na(k->sgprs), number_or_na(k->group_size), spilled);
}

static void put_arg(FILE *out, const struct code_arg *a, const char *c_type)
{
    const struct code_arg_row *row = &code_arg_table[a->kind];
    bool space = *a->address_space && a->kind != CODE_ARG_GLOBAL_BUFFER;
    fprintf(out, "  %6u %5u  ", a->offset, a->size);
    put_code_text(out, a->kind_name);
    if (*c_type || *a->name || space || row->role != CODE_ROLE_PROGRAM)
        print_text(out, "%*s", text_width(a->kind_name) < 25 ? 26 - text_width(a->kind_name) : 1,
                   "");
    put_code_text(out, c_type);
    fputs(*c_type && *a->name ? " " : "", out);
    put_code_text(out, a->name);
    if (space) {
        fputs(*c_type || *a->name ? " in " : "in ", out);
        put_code_text(out, a->address_space);
    }
    print_text(out, "%s\n", row->role == CODE_ROLE_PROGRAM ? "" : row->what);
}

static void put_args(FILE *out, const struct code_kernel *k)
{
    struct arena arena = {0};
    const char **types = arena_alloc(&arena, (k->nexplicit + 1) * sizeof *types);
    kernarg_types(k, types, &arena);
    if (k->nargs)
        fputs("  offset  size  argument\n", out);
    for (uint32_t i = 0; i < k->nargs; i++)
        put_arg(out, &k->args[i], i < k->nexplicit ? types[i] : "");
    arena_free(&arena);
}

static void print_disassembly(FILE *out, const struct disassembly *d, const char *why)
{
    if (!d) {
        fputs("  instructions n/a: ", out);
        put_code_text(out, why);
        fputc('\n', out);
        return;
    }
    print_text(out, "  instructions (%s)\n", d->tool);
    for (size_t i = 0; i < d->n; i++) {
        const struct disassembly_row *r = &d->rows[i];
        bool moved = r->file && (i == 0 || d->rows[i - 1].line != r->line || !d->rows[i - 1].file ||
                                 strcmp(d->rows[i - 1].file, r->file) != 0);
        if (moved) {
            fputs("    ", out);
            put_code_text(out, r->file);
            fprintf(out, ":%d\n", r->line);
        }
        print_text(out, "  %8" PRIx64 "  %-26s  ", r->address, r->encoding ? r->encoding : "");
        put_code_text(out, r->text);
        fputc('\n', out);
    }
    if (d->cut)
        fputs("  there is more than is shown\n", out);
}

static void print_code_variables(FILE *out, const struct code_object *c)
{
    if (c->nvariables)
        fputs("\nvariables\n   address        size\n", out);
    for (uint32_t i = 0; i < c->nvariables; i++) {
        const struct code_variable *v = &c->variables[i];
        fprintf(out, "  %8" PRIx64 "  %10" PRIu64 "  ", v->address, v->size);
        put_code_text(out, v->name);
        print_text(out, "%s%s\n", v->writable ? "" : "  constant",
                   v->global ? "" : "  local: the runtime does not find it by name");
    }
}

void code_object_export_text(FILE *out, const struct code_listing *l)
{
    const struct code_object *c = l->object;
    put_code_text(out, c->name);
    print_text(out, "\n%s, code object version %u, %u kernel%s, %u variable%s\n", c->isa,
               c->version, c->nkernels, c->nkernels == 1 ? "" : "s", c->nvariables,
               c->nvariables == 1 ? "" : "s");
    for (uint32_t i = 0; i < c->nkernels; i++) {
        const struct code_kernel *k = &c->kernels[i];
        if (l->only && l->only != k)
            continue;
        fputc('\n', out);
        put_code_text(out, k->demangled);
        fputs("\n  symbol     ", out);
        put_code_text(out, k->symbol);
        fputc('\n', out);
        print_code_resources(out, k);
        put_args(out, k);
        if (l->code)
            print_disassembly(out, l->code[i], l->why[i]);
    }
    if (!l->only)
        print_code_variables(out, c);
}
