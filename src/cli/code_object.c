#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/nearby.h"
#include "cli/run/output.h"
#include "export/code/code_object_export.h"

/* --- instructions --- */

struct listed_code { /* one disassembly for each kernel */
    struct disassembly **code;
    const char **why;
    struct arena texts;
};

static void disassemble_kernel(struct listed_code *all, const struct code_object *c, uint32_t i,
                               struct error *err)
{
    const struct code_kernel *k = &c->kernels[i];
    char why[1024];
    int rc;
    if (k->has_descriptor && k->code_size)
        rc = disassemble_bytes(c->name, c->elf, c->elf_size, k->descriptor.entry, k->code_size,
                               &all->code[i], err);
    else
        rc = disassemble_function(c->name, c->elf, c->elf_size, k->name, &all->code[i], err);
    if (rc != 0)
        all->why[i] = arena_strdup(&all->texts, error_format(err, why, sizeof why));
}

static void free_instructions(struct listed_code *all, uint32_t n)
{
    for (uint32_t i = 0; all->code && i < n; i++)
        disassembly_free(all->code[i]);
    free(all->code);
    free(all->why);
    arena_free(&all->texts);
}

/* --- the command --- */

static int find_object_kernel(const struct code_object *c, const char *name,
                              const struct code_kernel **only, struct error *err)
{
    *only = name ? code_object_kernel(c, name) : NULL;
    if (!name || *only)
        return 0;
    return error_set(err, ERROR_USAGE, ENOENT, "see the list without --kernel", c->name,
                     "no kernel, or more than one, is called %.100s", name);
}

static void write_object_text(FILE *out, const void *listing)
{
    code_object_export_text(out, listing);
}

static void write_object_json(FILE *out, const void *listing)
{
    code_object_export_json(out, listing);
}

/* How much a kernel's registers matter: those that it keeps in memory first, then their number. */
static double weigh_registers(const struct code_kernel *k, bool spills)
{
    const double vgprs = k->vgprs == CODE_UNKNOWN ? 0 : (double)k->vgprs;
    return spills ? 1e6 + vgprs : vgprs;
}

/* Kernels that keep registers in memory come first, then those with the most registers. */
static int write_object_brief(const struct options *o, const struct code_object *c,
                              const struct code_kernel *only, struct error *err)
{
    static const char *const next[] = {"rooftop gpu code object",
                                       "rooftop gpu code object --disassemble", NULL};
    struct brief b = {.command = o->words};
    struct brief_top top = {.n = 0};
    size_t spilling = 0;
    for (uint32_t i = 0; i < c->nkernels; i++) {
        const struct code_kernel *k = &c->kernels[i];
        const bool spills = (k->vgpr_spills != CODE_UNKNOWN && k->vgpr_spills) ||
                            (k->sgpr_spills != CODE_UNKNOWN && k->sgpr_spills);
        spilling += spills;
        if (!only || only == k)
            brief_top_add(&top, i, weigh_registers(k, spills));
    }
    brief_verdict(&b, "%u kernel%s for %s, %zu of them keep registers in memory", c->nkernels,
                  c->nkernels == 1 ? "" : "s", c->isa, spilling);
    brief_evidence(&b, "code object version %u, %u variable%s, %zu bytes", c->version,
                   c->nvariables, c->nvariables == 1 ? "" : "s", c->elf_size);
    for (size_t i = 0; i < top.n; i++)
        code_object_brief_kernel(&b, &c->kernels[top.index[i]]);
    b.left_out = top.left_out;
    brief_next_about(&b, o, next);
    return brief_output(&b, o, err);
}

struct object_options {
    const char *kernel, *gpu; /* NULL: all kernels; the first GPU of a bundle */
    bool disassemble;
};

static int print_code_object(const struct options *o, const struct code_object *c,
                             struct error *err)
{
    const struct object_options *own = o->own;
    struct code_listing l = {.object = c};
    struct listed_code all = {0};
    struct error each = ERROR_INIT;
    const bool json = o->format && strcmp(o->format, "json") == 0;
    int rc = find_object_kernel(c, own->kernel, &l.only, err);
    if (rc == 0 && own->disassemble) {
        all.code = xcalloc(c->nkernels + 1, sizeof *all.code);
        all.why = xcalloc(c->nkernels + 1, sizeof *all.why);
        for (uint32_t i = 0; i < c->nkernels; i++)
            if (!l.only || l.only == &c->kernels[i])
                disassemble_kernel(&all, c, i, &each);
        l.code = all.code;
        l.why = all.why;
    }
    if (rc == 0 && o->brief)
        rc = write_object_brief(o, c, l.only, err);
    else if (rc == 0)
        rc = output_made(o->output, json ? write_object_json : write_object_text, &l, err);
    free_instructions(&all, c->nkernels);
    return rc;
}

static int code_object_run(struct options *o)
{
    const struct object_options *own = o->own;
    struct error err = ERROR_INIT;
    struct code_object *c = NULL;
    int rc = 0;
    if (o->noperands != 1)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop gpu code object FILE", "gpu code object",
                       "one file is needed, %zu given", o->noperands);
    if (rc == 0)
        rc = code_object_open(&c, o->operands[0], own->gpu, &err);
    if (rc != 0)
        nearby_help(&err, nearby_file);
    if (rc == 0)
        rc = print_code_object(o, c, &err);
    code_object_free(c);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    OWN(.name = "kernel", OWN_AT(object_options, kernel), .type = OPTION_STRING, .arg = "NAME",
        .help = "only the kernel of this name, mangled or not, or its symbol"),
    OWN(.name = "gpu", OWN_AT(object_options, gpu), .type = OPTION_STRING, .arg = "ARCH",
        .help = "which object of a bundle, as in gfx942:sramecc+:xnack-"),
    OWN(.name = "disassemble", OWN_AT(object_options, disassemble), .type = OPTION_FLAG,
        .help = "the instructions too, through llvm-objdump"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_code_object = {
    .name = "code-object",
    .summary = "the kernels of a code object of a GPU (.hsaco): registers, arguments, instructions",
    .usage =
        "rooftop gpu code object [--brief] [--kernel NAME] [--gpu ARCH] [--disassemble] [--format "
        "text|json] FILE",
    .run = code_object_run,
    .files = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop gpu code object kernel.hsaco", "registers and arguments of its kernels"},
                 {"rooftop gpu code object --kernel reduce_sum --disassemble kernel.hsaco",
                  "the instructions of one"}),
};
