/* Parses a file: makes the arguments, finds the first error, visits the declarations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/clang/clang_visit.h"
#include "base/arena.h"
#include "base/words.h"
#include "engine/reproduce/compile_commands.h"

enum { ARGUMENTS = 4096, SOURCE_MOST = 4 << 20 };

struct arguments {
    const char *list[ARGUMENTS];
    int n;
    bool full;          /* there were more arguments than fit */
    struct arena words; /* of the build command */
};

static void add_clang_argument(struct arguments *a, const char *word)
{
    a->full |= a->n == ARGUMENTS;
    if (!a->full)
        a->list[a->n++] = word;
}

static bool has_prefix(const char *word)
{
    static const char *const prefixes[] = {"-D", "-U", "-I", "-std=", "-f", "-m"};
    if (strcmp(word, "-flto") == 0 || strcmp(word, "-fsyntax-only") == 0)
        return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(word, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Adds the words of the build command that change the meaning of the text, unquoted as by a shell.
 */
static void add_from_build(struct arguments *a, const char *build)
{
    size_t n = 0;
    const char **words = shell_split(&a->words, build ? build : "", &n);
    for (size_t i = 0; i < n && !a->full; i++) {
        const bool pair = words_have("-D -U -I -isystem -include -iquote", words[i]);
        if (pair && i + 1 < n) {
            add_clang_argument(a, words[i++]);
            add_clang_argument(a, words[i]);
        } else if (!pair && has_prefix(words[i]))
            add_clang_argument(a, words[i]);
    }
}

static bool has_path_ending(const char *path, const char *endings)
{
    const char *dot = strrchr(path, '.');
    return dot && words_have(endings, dot);
}

/* Adds the language, for code of the device, where kernels have bodies. The source may include the
 * names of ROCm or CUDA itself, so their headers are not required. */
static void add_language(struct arguments *a, const struct clang_source *s, struct syntax_tree *out)
{
    const bool of_cuda = has_path_ending(s->path, ".cu .cuh"),
               hip = has_path_ending(s->path, ".hip") || (s->build && strstr(s->build, "hipcc")) ||
                     (of_cuda && s->amd),
               cuda = of_cuda && !hip;
    if (cuda || hip) {
        add_clang_argument(a, "-x");
        add_clang_argument(a, cuda ? "cuda" : "hip");
        add_clang_argument(a, "--cuda-device-only");
        add_clang_argument(a, cuda ? "-nocudainc" : "-nogpuinc");
        add_clang_argument(a, cuda ? "-nocudalib" : "-nogpulib");
        add_clang_argument(a, "-Wno-unknown-cuda-version");
        if (!cuda)
            add_clang_argument(a, "--offload-arch=gfx90a");
    } else if (has_path_ending(s->path, ".cc .cpp .cxx .C .c++ .cp")) {
        add_clang_argument(a, "-x");
        add_clang_argument(a, "c++");
    } else {
        add_clang_argument(a, "-x");
        add_clang_argument(a, "c");
        out->plain_c = true;
    }
    out->gpu = cuda || hip;
}

static int first_error(const struct libclang *c, void *unit, char why[CLANG_WHY])
{
    for (unsigned i = 0; i < c->getNumDiagnostics(unit); i++) {
        void *d = c->getDiagnostic(unit, i), *file = NULL;
        const int severity = c->getDiagnosticSeverity(d);
        unsigned line = 0, column = 0;
        if (severity >= CX_ERROR) {
            struct cx_string text = c->getDiagnosticSpelling(d);
            const char *words = c->getCString(text);
            const struct cx_location at = c->getDiagnosticLocation(d);
            c->getExpansionLocation(at, &file, &line, &column, NULL);
            struct cx_string name = c->getFileName(file);
            const char *path = c->Location_isFromMainFile(at) ? NULL : c->getCString(name);
            snprintf(why, CLANG_WHY, "%.100s%sline %u: %.110s", path ? path : "", path ? ", " : "",
                     line, words ? words : "");
            c->disposeString(name);
            c->disposeString(text);
        }
        c->disposeDiagnostic(d);
        if (severity >= CX_ERROR)
            return 1;
    }
    return 0;
}

int clang_parse_here(const struct clang_source *s, struct syntax_tree *out, char why[CLANG_WHY],
                     struct error *err)
{
    const struct libclang *c = libclang_open(err);
    struct arguments a = {.n = 0};
    void *unit = NULL;
    *out = (struct syntax_tree){.source = s->text, .n = s->n};
    if (!c)
        return -ENOSYS;
    if (s->n > SOURCE_MOST) {
        snprintf(why, CLANG_WHY, "it has more than %d MiB", SOURCE_MOST >> 20);
        return 1;
    }
    add_language(&a, s, out);
    add_from_build(&a, s->build);
    add_clang_argument(&a, "-Wno-everything");
    if (a.full) {
        snprintf(why, CLANG_WHY, "the build command has more than %d words for libclang",
                 ARGUMENTS);
        arena_free(&a.words);
        return 1;
    }
    struct cx_unsaved file = {.name = s->path, .contents = s->text, .length = s->n};
    void *index = c->createIndex(0, 0);
    const int code = c->parseTranslationUnit2(index, s->path, a.list, a.n, &file, 1, 0, &unit);
    int rc = 0;
    if (code != 0 || !unit) {
        snprintf(why, CLANG_WHY, code == 2 ? "libclang crashed" : "libclang gave up (%d)", code);
        rc = 1;
    }
    if (rc == 0)
        rc = first_error(c, unit, why);
    if (rc == 0 && !clang_visit(c, unit, s->path, out)) {
        snprintf(why, CLANG_WHY, "it is nested too deeply, or too long");
        rc = 1;
    }
    if (unit)
        c->disposeTranslationUnit(unit);
    c->disposeIndex(index);
    arena_free(&a.words);
    return rc;
}
