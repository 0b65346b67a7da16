/* One run as a golden trace, and the files of golden traces. */
#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/renacer/trace_file.h"
#include "base/env.h"
#include "base/owner.h"
#include "cli/options/exit.h"
#include "cli/run/nearby.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/tee.h"
#include "cli/run/traced.h"
#include "cli/golden/golden_impl.h"
#include "engine/facts/facts.h"
#include "export/syscalls/syscalls_export.h"

/* Everything that gets the events of a run. */
struct golden_sinks {
    struct golden_builder *builder;
    struct run_facts *facts;
    struct syscalls_export table;
};

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct golden_sinks *s = ctx;
    golden_builder_add(s->builder, e);
    run_facts_add(s->facts, e);
    syscalls_export_event(&s->table, e);
}

/* Computes the digest of a file as it is after the run. */
static bool digest_of(const char *path, char sha256[65])
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && SHA256File(path, sha256) != NULL;
}

/* Names the folders that differ between users and machines, so that the trace is the same
 * everywhere. */
static void name_places(struct golden_builder *b)
{
    char *folder = getcwd(NULL, 0);
    golden_builder_place(b, folder, "$PWD");
    golden_builder_place(b, env_get("HOME"), "$HOME");
    free(folder);
}

static int run_it(struct golden_sinks *s, const struct options *o, const char *path,
                  char *const *argv, uint64_t *wall_ns, struct tracer_result *result,
                  struct error *err)
{
    struct syscall_sink sink = {.event = on_event, .ctx = s};
    if (argv) {
        struct traced_run traced;
        struct tee_stream streams[TEE_STREAMS];
        const int before = output_part_begin(o->output);
        struct tee *tee = tee_start(err);
        int rc = tee ? run_traced(argv, o->by, TRACED_STRINGS, &sink, &traced, err) : -EIO;
        if (tee)
            tee_end(tee, streams);
        progress_note_erase();
        output_part_end(before);
        if (!tee)
            return rc;
        golden_builder_stream(s->builder, "stdout", streams[0].bytes, streams[0].sha256);
        golden_builder_stream(s->builder, "stderr", streams[1].bytes, streams[1].sha256);
        golden_builder_contents(s->builder, digest_of);
        name_places(s->builder);
        *wall_ns = traced.wall_ns;
        *result = traced.result;
        return rc;
    }
    struct syscall_trace_file file;
    int rc = syscall_trace_read(path, NULL, &sink, &file, err);
    if (rc != 0)
        nearby_help(err, nearby_file);
    result->lost = file.lost;
    return rc;
}

static void keep_command(struct golden *g, char *const *argv)
{
    size_t n = 0;
    while (argv && argv[n])
        n++;
    g->command = xcalloc(n + 1, sizeof *g->command);
    for (size_t i = 0; i < n; i++)
        g->command[i] = xstrdup(argv[i]);
}

int golden_run_make(struct golden_run *out, const struct options *o, const char *path,
                    char *const *argv, enum golden_level level,
                    const struct golden_redactions *redactions, struct error *err)
{
    struct golden_sinks s = {.builder = golden_builder_new(level, redactions),
                             .facts = run_facts_new()};
    const struct syscalls_export_options how = {.counts = true, .command = argv ? argv[0] : path};
    struct tracer_result result = {0};
    uint64_t wall_ns = 0;
    size_t size = 0;
    *out = (struct golden_run){0};
    FILE *table = open_memstream(&out->summary, &size);
    if (!table)
        abort();
    syscalls_export_begin(&s.table, table, syscall_format_find("text"), &how);
    int rc = run_it(&s, o, path, argv, &wall_ns, &result, err);
    syscalls_export_end(&s.table, &(struct syscalls_export_end){.result = &result});
    fclose(table);
    if (result.lost)
        golden_builder_add(s.builder,
                           &(struct syscall_event){.kind = SYSCALL_LOST, .args = {result.lost}});
    struct error unused = ERROR_INIT;
    if (rc == 0)
        rc = traced_check(argv ? argv[0] : path, "it is not golden, and nothing is stored", err);
    int built = golden_builder_end(s.builder, &out->trace, rc ? &unused : err);
    if (rc == 0)
        rc = built;
    run_facts_finish(s.facts);
    if (rc == 0) {
        keep_command(&out->trace, argv);
        golden_describe(&out->trace, s.facts, wall_ns);
    }
    if (rc == 0 && s.facts->rings)
        exit_note("io_uring was used: its operations are not part of the trace");
    run_facts_free(s.facts);
    return rc;
}

void golden_run_free(struct golden_run *r)
{
    golden_free(&r->trace);
    free(r->summary);
    *r = (struct golden_run){0};
}

void golden_path(const struct golden_options *own, const char *name, const char *ending,
                 char out[4096])
{
    snprintf(out, 4096, "%.3800s/%.120s%.32s", own->folder ? own->folder : GOLDEN_FOLDER, name,
             ending);
}

int golden_trusted(const struct golden_options *own, const char *path, struct error *err)
{
    struct stat state;
    const char *why =
        !own->folder && stat(path, &state) == 0 ? owner_refuses(&state, geteuid()) : NULL;
    return why ? error_set(err, ERROR_INPUT, EPERM,
                           "it says which commands are run: name its folder with --folder if you "
                           "trust it",
                           path, "%s", why)
               : 0;
}

/* Writes ANALYSIS.md from all golden traces of the folder. */
static void write_analysis(FILE *out, const void *what)
{
    const struct golden_options *own = what;
    size_t n = 0, read = 0;
    char **names = golden_names(own->folder ? own->folder : GOLDEN_FOLDER, &n);
    struct golden *all = xcalloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        char path[4096];
        golden_path(own, names[i], ".json", path);
        read += golden_read(&all[read], path, NULL) == 0;
        free(names[i]);
    }
    golden_write_page(out, all, read);
    for (size_t i = 0; i < read; i++)
        golden_free(&all[i]);
    free(all);
    free(names);
}

int golden_save(const struct golden_options *own, const struct golden *g, const char *summary,
                struct error *err)
{
    char path[4096];
    const char *folder = own->folder ? own->folder : GOLDEN_FOLDER;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(err, ERROR_OUTPUT, errno, NULL, folder, "%s", strerror(errno));
    golden_path(own, g->name, ".json", path);
    int rc = output_made(path, golden_write, g, err);
    if (rc == 0 && summary) {
        golden_path(own, g->name, "_summary.txt", path);
        rc = output_file(path, summary, strlen(summary), err);
    }
    golden_path(own, GOLDEN_ANALYSIS, "", path);
    return rc ? rc : output_made(path, write_analysis, own, err);
}
