#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/trace_input.h"

/* A code object that a file contains, and the file. */
struct code_kept {
    struct trace_code_row row;
    const char *file;
};
struct kernel_listing {
    struct code_kept *list;
    size_t n;
    const struct graph *sums;
    const char *text; /* the requested code, if it is text; else NULL */
    bool json;
};

/* --- the code objects that the files contain --- */

static int add_code_file(struct kernel_listing *l, const char *path, struct error *err)
{
    struct trace_code_row *rows;
    uint32_t n;
    int rc = trace_codes(&rows, &n, path, err);
    if (rc != 0)
        return rc;
    l->list = xrealloc(l->list, l->n + n + 1, sizeof *l->list);
    for (uint32_t i = 0; i < n; i++)
        l->list[l->n++] = (struct code_kept){rows[i], path};
    free(rows);
    return 0;
}

static int collect_code(struct kernel_listing *l, const struct trace_input *in,
                        const struct options *o, struct error *err)
{
    size_t n = o->noperands ? o->noperands : in->npaths;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add_code_file(l, o->noperands ? o->operands[i] : in->paths[i], err);
    return rc;
}

static int parse_hash(const char *text, uint64_t *out, struct error *err)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 16);
    if (errno || end == text || *end || strchr(text, '-') || strchr(text, '+'))
        return error_set(err, ERROR_USAGE, EINVAL, "give a hash as rooftop gpu code FILE lists it",
                         "--hash", "'%s' is no hexadecimal number of at most 64 bits", text);
    return 0;
}

/* Leaves only the code objects with this hash. */
static int choose_code(struct kernel_listing *l, uint64_t hash, struct error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].row.hash == hash)
            l->list[n++] = l->list[i];
    l->n = n;
    return n ? 0
             : error_set(err, ERROR_INPUT, ENOENT, "rooftop gpu code FILE lists what there is",
                         "--hash", "no code with the hash %016" PRIx64 " is there", hash);
}

/* --- writing --- */

/* Calls `see` with the name of each kernel that was launched from the code object. */
static void each_kernel(const struct kernel_listing *l, uint64_t hash,
                        void (*see)(FILE *out, const char *name, bool first), FILE *out)
{
    const struct graph *g = l->sums;
    bool *seen = xcalloc(g->nnames + 1u, sizeof *seen), first = true;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (g->kind[i] != NODE_KERNEL || g->detail[i] == GRAPH_NONE || seen[g->name[i]] ||
            g->details[g->detail[i]].kernel.hash != hash)
            continue;
        seen[g->name[i]] = true;
        see(out, graph_name(g, i), first);
        first = false;
    }
    free(seen);
}

static void text_name(FILE *out, const char *name, bool first)
{
    print_text(out, "%s%s", first ? "" : ", ", name);
}

static void json_name(FILE *out, const char *name, bool first)
{
    fputs(first ? "" : ",", out);
    print_json_quoted(out, name);
}

static void write_table(FILE *out, const struct kernel_listing *l)
{
    print_text(out, "%-16s  %-9s %9s  %-24s %-24s %s\n", "HASH", "KIND", "BYTES", "NAME", "FROM",
               "KERNELS");
    for (size_t i = 0; i < l->n; i++) {
        const struct trace_code_row *r = &l->list[i].row;
        print_text(out, "%016" PRIx64 "  %-9s ", r->hash, r->kind);
        if (r->size)
            fprintf(out, "%9zu", r->size);
        else
            print_text(out, "%9s", "n/a");
        print_text(out, "  %-24s %-24s ", *r->name ? r->name : "-", *r->path ? r->path : "-");
        each_kernel(l, r->hash, text_name, out);
        fputc('\n', out);
    }
    if (l->n == 0)
        fputs("there is no code in it: a program adds its code with rooftop_code\n", out);
}

static void write_code_brief(FILE *out, const struct kernel_listing *l, const struct options *o)
{
    static const char *const next[] = {"rooftop gpu code", NULL};
    struct brief b = {.command = o->words};
    struct brief_top top = {.n = 0};
    size_t whole = 0, missing = 0;
    for (size_t i = 0; i < l->n; i++) {
        whole += l->list[i].row.size;
        missing += l->list[i].row.size == 0;
        brief_top_add(&top, i, (double)l->list[i].row.size);
    }
    brief_verdict(&b, "%zu code object%s, %zu bytes", l->n, l->n == 1 ? "" : "s", whole);
    if (missing)
        brief_evidence(&b, "of %zu only where the code came from is recorded, not its bytes",
                       missing);
    if (l->n == 0)
        brief_evidence(&b, "a program adds its code with rooftop_code");
    for (size_t i = 0; i < top.n; i++) {
        const struct trace_code_row *r = &l->list[top.index[i]].row;
        char hash[24];
        snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
        brief_row(&b, hash, "%s, %zu bytes%s%.80s", r->kind, r->size, *r->name ? ", " : "",
                  r->name);
    }
    b.left_out += top.left_out;
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

static void write_code_json(FILE *out, const struct kernel_listing *l)
{
    fputs("{\"schema\":\"rooftop.code/1\",\"codes\":[", out);
    for (size_t i = 0; i < l->n; i++) {
        const struct trace_code_row *r = &l->list[i].row;
        print_json(out, "%s\n{\"hash\":\"%016" PRIx64 "\",\"kind\":\"%s\",\"name\":", i ? "," : "",
                   r->hash, r->kind);
        print_json_quoted(out, r->name);
        fputs(",\"path\":", out);
        print_json_quoted(out, r->path);
        r->size ? fprintf(out, ",\"bytes\":%zu", r->size) : fputs(",\"bytes\":null", out);
        fputs(",\"file\":", out);
        print_json_quoted(out, l->list[i].file);
        fputs(",\"kernels\":[", out);
        each_kernel(l, r->hash, json_name, out);
        fputc(']', out);
        if (l->text) {
            fputs(",\"text\":", out);
            print_json_quoted(out, l->text);
        }
        fputc('}', out);
    }
    fputs("\n]}\n", out);
}

static bool is_code_text(const struct trace_code *c)
{
    return memchr(c->bytes, '\0', c->size) == NULL;
}

/* Writes one code object: its bytes to a file, or its text for people. */
static int write_code_object(FILE *out, struct kernel_listing *l, const struct options *o,
                             struct error *err)
{
    struct trace_code code = {.kind = ""};
    const struct code_kept *k = l->list;
    if (!k)
        return 0;
    for (size_t i = 1; i < l->n && k->row.size == 0; i++)
        k = &l->list[i];
    int rc = trace_code(&code, k->file, k->row.hash, err);
    bool text = rc == 0 && code.size && is_code_text(&code);
    if (rc == 0 && l->json) {
        l->text = text ? code.bytes : NULL;
        write_code_json(out, l);
    } else if (rc == 0 && code.size == 0) {
        rc = error_set(err, ERROR_INPUT, ENOENT,
                       "the program recorded only where the code came from", k->file,
                       "the bytes of %016" PRIx64 " (%s) are not in it", k->row.hash, code.path);
    } else if (rc == 0 && o->output) {
        fwrite(code.bytes, 1, code.size, out); /* raw: the user asked for this file's exact bytes */
    } else if (rc == 0 && !text) {
        rc = error_set(err, ERROR_USAGE, EINVAL, "-o FILE writes it", "--hash",
                       "the code is binary (%zu bytes of %s), not text", code.size, code.kind);
    } else if (rc == 0) {
        print_lines(out, code.bytes);
        if (code.bytes[code.size - 1] != '\n')
            fputc('\n', out);
    }
    trace_code_free(&code);
    return rc;
}

struct code_options {
    const char *hash; /* NULL: all code is listed */
};

static int write_listing(FILE *out, const struct trace_input *in, const struct options *o,
                         struct error *err)
{
    const struct code_options *own = o->own;
    struct kernel_listing l = {.sums = in->trace.sums,
                               .json = o->format && strcmp(o->format, "json") == 0};
    uint64_t hash = 0;
    int rc = 0;
    if (own->hash)
        rc = parse_hash(own->hash, &hash, err);
    if (rc == 0)
        rc = collect_code(&l, in, o, err);
    if (rc == 0 && own->hash)
        rc = choose_code(&l, hash, err);
    if (rc == 0 && own->hash && !o->brief)
        rc = write_code_object(out, &l, o, err);
    else if (rc == 0 && o->brief)
        write_code_brief(out, &l, o);
    else if (rc == 0)
        l.json ? write_code_json(out, &l) : write_table(out, &l);
    free(l.list);
    return rc;
}

static int code_run(struct options *o)
{
    return trace_command(o, write_listing);
}

static const struct command_option options[] = {
    OWN(.name = "hash", OWN_AT(code_options, hash), .type = OPTION_STRING, .arg = "HASH",
        .help = "print only the code with this hash, a hexadecimal number; with -o FILE its "
                "bytes are written as they are"),
    TAKES(PID),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_code = {
    .name = "code",
    .summary = "the PTX, HSACO or SPIR-V that instrumented programs keep of their kernels, by hash",
    .usage =
        "rooftop gpu code [--brief] [--hash HASH] [--format text|json] [-o FILE] FILE... | -p PID",
    .run = code_run,
    .files = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop gpu code -p 4711", "the code that a running program keeps"},
        {"rooftop gpu code --hash 5f1c -o gemm.hsaco run.brick", "one of them, as a file"}),
    .exits = EXITS({.code = EXIT_TARGET}, {.code = EXIT_PERMISSION}),
};
