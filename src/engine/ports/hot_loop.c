#include "engine/ports/hot_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/objects.h"

enum { FUNCTIONS_MAX = 64 };

/* --- finding --- */

static void free_loop_code(struct hot_loop *h)
{
    disassembly_free(h->code);
    free(h->function); /* NOLINT(clang-analyzer-unix.Malloc): it is NULL after it was freed */
    free(h->loops);
    h->code = NULL;
    h->function = NULL;
    h->loops = NULL;
    h->nloops = h->chosen = 0;
}

static int read_function(struct hot_loop *h, const char *function, struct error *err)
{
    int rc = disassemble_function(h->path, NULL, 0, function, &h->code, err);
    if (rc == -ENOENT && err && err->kind == ERROR_INPUT)
        return error_set(err, ERROR_INPUT, ENOENT, "nm -C lists the functions of a file", h->file,
                         "no function in it is called %.100s", function);
    if (rc != 0)
        return rc;
    h->function = xstrdup(function);
    h->loops = xcalloc(LOOPS_MAX, sizeof *h->loops);
    h->nloops = loops_find(h->code, h->machine, h->loops);
    h->chosen = loops_hottest(h->loops, h->nloops);
    return 0;
}

static bool is_hotter_loop(const struct hot_loop *a, const struct hot_loop *b)
{
    struct code_loop both[2] = {b->loops[b->chosen], a->loops[a->chosen]};
    return loops_hottest(both, 2) == 1;
}

/* Lists at most FUNCTIONS_MAX + 1 functions of a file. The caller frees the names. */
static size_t list_functions(const char *path, char *names[FUNCTIONS_MAX + 1])
{
    struct elf_symbols t = {0};
    size_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        elf_symbols_add(&t, elf, SHT_SYMTAB);
    for (size_t i = 0; i < t.n && n <= FUNCTIONS_MAX; i++)
        if (t.rows[i].sized && *t.rows[i].name)
            names[n++] = xstrdup(t.rows[i].name);
    elf_symbols_free(&t);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return n;
}

/* Keeps the function with the hottest loop. */
static int read_hottest(struct hot_loop *h, struct error *err)
{
    char *names[FUNCTIONS_MAX + 1];
    size_t n = list_functions(h->path, names);
    for (size_t i = 0; i < n && n <= FUNCTIONS_MAX; i++) {
        struct hot_loop other = {.path = h->path, .machine = h->machine};
        bool better = read_function(&other, names[i], NULL) == 0 && other.chosen < other.nloops &&
                      (!h->code || is_hotter_loop(&other, h));
        if (better) {
            free_loop_code(h);
            h->code = other.code;
            h->function = other.function;
            h->loops = other.loops;
            h->nloops = other.nloops;
            h->chosen = other.chosen;
        } else {
            free_loop_code(&other);
        }
    }
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    if (n > FUNCTIONS_MAX)
        return error_set(err, ERROR_USAGE, EINVAL, "name one: FILE:FUNCTION", h->file,
                         "it has more than %d functions", FUNCTIONS_MAX);
    if (h->code)
        return 0;
    return error_set(err, ERROR_INPUT, ENOENT, NULL, h->file,
                     n ? "no function of it has a loop" : "it names no function");
}

static int need_loop(const struct hot_loop *h, struct error *err)
{
    if (h->chosen < h->nloops)
        return 0;
    return error_set(err, ERROR_INPUT, ENOENT,
                     "name the function that holds the loop: calls are not followed", h->function,
                     "there is no loop in it");
}

static bool is_elf(const char *path)
{
    char magic[SELFMAG] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is = fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG;
    if (fd >= 0)
        close(fd);
    return is && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

int hot_loop_find(struct hot_loop *h, const char *path, const char *function, struct error *err)
{
    *h = (struct hot_loop){.path = xstrdup(path), .file = xstrdup(path)};
    if (access(path, R_OK) != 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    h->machine = code_machine_of(path);
    if (h->machine == MACHINE_OTHER && !is_elf(path))
        return error_set(err, ERROR_INPUT, ENOEXEC, NULL, path, "it is no ELF file");
    if (h->machine == MACHINE_OTHER)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, NULL, path,
                         "it is no ELF file for x86-64 or arm64");
    int rc = function ? read_function(h, function, err) : read_hottest(h, err);
    return rc == 0 ? need_loop(h, err) : rc;
}

int hot_loop_of_process(struct hot_loop *h, pid_t pid, const char *function, struct error *err)
{
    *h = (struct hot_loop){0};
    struct objects *o = xcalloc(1, sizeof *o);
    int rc = objects_of_process(o, pid, err);
    bool found = false;
    for (size_t i = 0; rc == 0 && i < o->n && !found; i++) {
        h->machine = code_machine_of(o->list[i].path);
        *h = (struct hot_loop){.machine = h->machine,
                               .path = xstrdup(o->list[i].path),
                               .file = xstrdup(o->list[i].name)};
        found = h->machine != MACHINE_OTHER && read_function(h, function, err) == 0;
        if (!found)
            hot_loop_free(h);
    }
    objects_free(o);
    free(o);
    if (rc != 0)
        return rc;
    if (!found)
        return error_set(err, ERROR_INPUT, ENOENT,
                         "rooftop --functions -p PID names those that run", function,
                         "no file that process %ld runs has this function", (long)pid);
    return need_loop(h, err);
}

/* --- weighing --- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev);
}

void hot_loop_weigh(struct hot_loop *h, const struct hot_stacks *stacks)
{
    uint64_t from = h->code->rows[0].address, to = h->code->rows[h->code->n - 1].address;
    h->sampled = true;
    bool runs = stacks && stacks->event && *stacks->event; /* true: `why` is about another event */
    h->no_samples = stacks && !runs ? stacks->why : NULL;
    for (size_t i = 0; stacks && i < stacks->nplaces; i++) {
        const struct hot_place *p = &stacks->places[i];
        const char *path = stacks->symbols[p->symbol].path;
        bool inside = p->address >= from && p->address <= to && is_same_file(path, h->path);
        *(inside ? &h->samples : &h->samples_outside) += p->samples;
        if (inside)
            loops_weigh(h->loops, h->nloops, h->code, p->address, p->samples);
    }
    h->chosen = loops_hottest(h->loops, h->nloops);
}

/* --- modelling --- */

/* Makes a line for each instruction of the loop. The caller frees the texts. */
static char *collect_lines(struct hot_loop *h)
{
    const struct code_loop *loop = &h->loops[h->chosen];
    size_t rows = loop->last - loop->first + 1;
    char(*texts)[LOOP_LINE_MAX] = xcalloc(rows, sizeof *texts);
    h->lines = xcalloc(rows, sizeof *h->lines);
    h->row_of = xcalloc(rows, sizeof *h->row_of);
    for (size_t r = loop->first; r <= loop->last; r++) {
        if (!loop_line(h->code->rows[r].text, h->machine, texts[h->nlines])) {
            h->formless++;
            continue;
        }
        h->row_of[h->nlines] = r;
        h->lines[h->nlines].text = texts[h->nlines];
        h->nlines++;
    }
    return *texts;
}

int hot_loop_model(struct hot_loop *h, long number, const char *cpu, struct error *err)
{
    if (number < 0 || (size_t)number > h->nloops)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--loop", "%s has %zu loop%s", h->function,
                         h->nloops, h->nloops == 1 ? "" : "s");
    if (number > 0)
        h->chosen = (size_t)number - 1;
    char *texts = collect_lines(h);
    h->no_model = (struct error)ERROR_INIT;
    if (h->nlines > MCA_LINES_MAX)
        error_set(&h->no_model, ERROR_UNSUPPORTED, E2BIG, NULL, "llvm-mca",
                  "the loop has %zu instructions, more than the %d that are modelled", h->nlines,
                  MCA_LINES_MAX);
    else if (h->nlines == 0)
        error_set(&h->no_model, ERROR_INPUT, EINVAL, NULL, "llvm-mca",
                  "no line of the loop is an instruction that can be modelled");
    else
        h->modelled = mca_run(h->lines, h->nlines, h->machine, cpu, &h->model, &h->no_model) == 0;
    for (size_t i = 0; i < h->nlines; i++)
        h->lines[i].text = NULL;
    free(texts);
    return !h->modelled && h->no_model.kind == ERROR_USAGE ? (*err = h->no_model, -EINVAL) : 0;
}

void hot_loop_free(struct hot_loop *h)
{
    free_loop_code(h);
    free(h->path);
    free(h->file);
    free(h->lines);
    free(h->row_of);
    *h = (struct hot_loop){0};
}
