/* Finds the file that a captured kernel is compiled from, and the command that compiles it. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/code/code_object.h"
#include "engine/reproduce/reproduce.h"
#include "symbols/source/source_files.h"

enum { MISSING_TOLD = 4, CANDIDATES_TOLD = 6 };

struct source_finding {
    struct reproduction *r;
    const struct reproduce_request *q;
    struct code_object *code;
    const struct code_kernel *kernel;
    struct source_files lines;
};

/* --- by name, in Triton's cache, in line tables --- */

static int find_by_name(struct source_finding *f, struct error *err)
{
    char *real = realpath(f->q->source, NULL);
    const int code = errno;
    const bool taken = real && source_tree_add(&f->r->tree, real);
    f->r->main = real ? arena_strdup(&f->r->arena, real) : NULL;
    free(real);
    if (taken)
        return 0;
    return error_set(err, ERROR_INPUT, real ? EINVAL : code, NULL, f->q->source, "%s",
                     real ? "it is no source file that could be copied" : strerror(code));
}

static bool by_triton(struct source_finding *f)
{
    struct reproduction *r = f->r;
    if (!triton_cache_find(&r->triton, r->capture->code, r->capture->code_bytes, &r->arena))
        return false;
    r->main = r->triton.assembly;
    for (size_t i = 0; i < r->triton.npython; i++)
        if (!source_tree_add(&r->tree, r->triton.python[i]))
            reproduce_note(r, "%s, which Triton's cache names, is not here", r->triton.python[i]);
    if (!r->triton.assembly)
        reproduce_note(r, "Triton's cache has no assembly of it: the Makefile cannot build it");
    return true;
}

/* The compilation unit that contains the kernel's code; if it is not known, the only unit. */
static const struct source_unit *own_unit(const struct source_finding *f)
{
    if (f->lines.own)
        return f->lines.own;
    return f->lines.n == 1 ? f->lines.units : NULL;
}

/* Makes a relative name (-ffile-prefix-map) absolute, from rooftop's working directory. */
static const char *from_here(struct source_finding *f, const char *name)
{
    char here[PATH_MAX];
    return path_plain(&f->r->arena, getcwd(here, sizeof here) ? here : "", name);
}

static bool by_lines(struct source_finding *f)
{
    const struct source_unit *u = own_unit(f);
    const char *path = u ? from_here(f, u->name) : NULL;
    if (!path || !source_tree_add(&f->r->tree, path))
        return false;
    f->r->main = path;
    return true;
}

/* --- by the files of a compile_commands.json --- */

/* The bare name of the kernel: "add" of "void ns::add<float>(float*)". */
static const char *bare_name_of_kernel(struct source_finding *f)
{
    const char *name = f->r->capture->demangled_name;
    const size_t whole = strcspn(name, "(<");
    size_t begin = whole;
    while (begin > 0 && name[begin - 1] != ' ' && name[begin - 1] != ':')
        begin--;
    return arena_strndup(&f->r->arena, name + begin, whole - begin);
}

static bool is_identifier_char(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a line contains the name as a word, followed by an opening parenthesis. */
static bool calls_it(const char *line, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = line; (p = strstr(p, name)); p += n)
        if ((p == line || !is_identifier_char(p[-1])) && p[n + strspn(p + n, " \t")] == '(')
            return true;
    return false;
}

/* Returns 2 if the file seems to define a kernel of this name (after __global__), 1 if the name
 * only appears, 0 if it does not. */
static int find_kernel_mention(const char *path, const char *name)
{
    char *line = NULL;
    size_t cap = 0;
    int found = 0, kernel_before = 0;
    FILE *f = source_tree_takes(path) ? fopen(path, "re") : NULL;
    while (f && found < 2 && getline(&line, &cap, f) > 0) {
        kernel_before = strstr(line, "__global__") ? 3 : kernel_before - 1;
        if (calls_it(line, name))
            found = kernel_before > 0 ? 2 : 1;
    }
    free(line);
    if (f)
        fclose(f);
    return found;
}

static int by_commands(struct source_finding *f, struct error *err)
{
    const char *name = bare_name_of_kernel(f), *best = NULL;
    int score = 0;
    size_t equals = 0;
    for (size_t i = 0; i < f->r->commands->n; i++) {
        const char *file = f->r->commands->all[i].file;
        const int here = best && strcmp(best, file) == 0 ? 0 : find_kernel_mention(file, name);
        if (here > score)
            equals = 0;
        if (here < score || here == 0)
            continue;
        score = here;
        best = equals++ == 0 ? file : best;
    }
    if (best && equals == 1 && source_tree_add(&f->r->tree, best)) {
        f->r->main = best;
        reproduce_note(
            f->r, "the code object has no line tables: %s was found by the kernel's name", best);
        return 0;
    }
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, "name it: --source FILE", name,
                     "no line tables, and %zu files of %.80s have that name%s%.80s", equals,
                     f->q->compile_commands, best ? ", the first is " : "", best ? best : "");
}

static int nothing_tells(const struct source_finding *f, struct error *err)
{
    const struct source_unit *u = own_unit(f);
    if (u)
        return error_set(err, ERROR_INPUT, ENOENT, "name it: --source FILE", u->name,
                         "the captured code object is compiled from it, and it is not here");
    return error_set(err, ERROR_UNSUPPORTED, ENOENT,
                     "name it: --source FILE; or compile with -gline-tables-only, which changes no "
                     "code, and capture again",
                     f->r->capture->demangled_name,
                     f->lines.n ? "none of the %zu files of its line tables has the kernel"
                                : "the captured code object has no line tables (%zu units)",
                     f->lines.n);
}

static int find_main(struct source_finding *f, struct error *err)
{
    f->r->by = REPRODUCE_NAMED;
    if (f->q->source)
        return find_by_name(f, err);
    f->r->by = REPRODUCE_TRITON;
    if (by_triton(f))
        return 0;
    f->r->by = REPRODUCE_LINES;
    if (by_lines(f))
        return 0;
    f->r->by = REPRODUCE_COMMANDS;
    return f->r->commands && !own_unit(f) ? by_commands(f, err) : nothing_tells(f, err);
}

/* --- how it is compiled, and which other files belong to it --- */

/* The command line that clang's option -grecord-command-line puts behind the compiler's name in
 * the debug information. */
static const struct compile_command *read_recorded_command(struct source_finding *f)
{
    const struct source_unit *u = own_unit(f);
    const bool own = u && f->r->main && strcmp(from_here(f, u->name), f->r->main) == 0;
    const char *p = own ? strstr(u->producer, " /") : NULL;
    struct compile_command *c = arena_alloc(&f->r->arena, sizeof *c);
    if (!p)
        return NULL;
    *c = (struct compile_command){.directory = u->directory, .file = u->name};
    c->argv = shell_split(&f->r->arena, p + 1, &c->argc);
    return c->argc > 1 ? c : NULL;
}

static void find_build(struct source_finding *f)
{
    struct reproduction *r = f->r;
    const struct compile_command *c =
        f->r->commands && r->main ? compile_commands_find(f->r->commands, r->main) : NULL;
    if (f->r->commands && !c)
        reproduce_note(r, "%s has no command for %s", f->q->compile_commands, r->main);
    if (!c)
        c = read_recorded_command(f);
    device_build_of(&r->build, c, &r->arena);
    if (!c)
        reproduce_note(r, "no command is known that compiles it: -O3 is assumed, and flags.txt may "
                          "lack definitions and folders (--compile-commands FILE)");
}

/* Adds the files of the line tables; notes those that do not exist here. The toolchain's files are
 * left out. */
static void add_line_table_files(struct source_finding *f)
{
    size_t missing = 0;
    for (size_t i = 0; i < f->lines.n; i++)
        for (size_t k = 0; k < f->lines.units[i].nfiles; k++) {
            const char *file = from_here(f, f->lines.units[i].files[k]);
            if (source_tree_add(&f->r->tree, file) || access(file, F_OK) == 0)
                continue;
            if (missing++ < MISSING_TOLD)
                reproduce_note(f->r, "%s, which the line tables name, is not here", file);
        }
    if (missing > MISSING_TOLD)
        reproduce_note(f->r, "and %zu more files that the line tables name are not here",
                       missing - MISSING_TOLD);
}

static int find_kernel_sources(struct source_finding *f, struct error *err)
{
    struct reproduction *r = f->r;
    int rc = find_main(f, err);
    if (rc != 0)
        return rc;
    const char *behind = strstr(f->code->isa, "--");
    r->target = arena_strdup(&r->arena, behind ? behind + 2 : r->capture->agent_name);
    if (!r->triton.name) {
        find_build(f);
        add_line_table_files(f);
        source_tree_close(&r->tree, &r->build);
    }
    source_tree_root(&r->tree);
    return 0;
}

int reproduce_find(struct reproduction *r, const struct reproduce_request *q, struct error *err)
{
    struct source_finding f = {.r = r, .q = q};
    const struct capture *c = r->capture;
    int rc = code_object_read(&f.code, c->code, c->code_bytes, "kernel.hsaco",
                              *c->isa_name ? c->isa_name : NULL, err);
    if (rc == 0 && q->compile_commands)
        rc = compile_commands_read(&r->commands, q->compile_commands, err);
    if (rc == 0) {
        f.kernel = code_object_kernel(f.code, c->mangled_name);
        source_files_read(&f.lines, f.code->elf, f.code->elf_size,
                          f.kernel && f.kernel->has_descriptor ? f.kernel->descriptor.entry : 0);
        rc = find_kernel_sources(&f, err);
        source_files_free(&f.lines);
    }
    if (f.code)
        code_object_free(f.code);
    return rc;
}
