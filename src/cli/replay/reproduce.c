#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/shell_word.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/nearby.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"
#include "engine/reproduce/reproduce.h"
#include "engine/value/document.h"
#include "engine/value/value.h"

struct reproduce_options {
    const char *source, *compile_commands; /* NULL: not given */
};

static int check_reproduce_options(const struct options *o, struct error *err)
{
    static const char help[] = "rooftop gpu reproduce --capture-dir DIR -o FOLDER";
    char near[320];
    if (!o->replay.capture_dir)
        return error_set(err, ERROR_USAGE, EINVAL, nearby_captures(help, near, sizeof near),
                         "--capture-dir", "which capture?");
    if (!o->output || !*o->output)
        return error_set(err, ERROR_USAGE, EINVAL, help, "-o", "which folder is to be made?");
    if (o->noperands)
        return error_set(err, ERROR_USAGE, EINVAL, help, o->operands[0],
                         "reproduce takes no word there");
    return 0;
}

static void put_reproduction_text(FILE *out, const struct reproduction *r)
{
    const struct value bytes = value_ok((double)r->capture_bytes, UNIT_BYTES);
    char size[VALUE_TEXT_MAX];
    print_text(out, "%s: %s, for %s\n", r->folder, r->capture->demangled_name, r->target);
    if (r->main)
        print_text(out, "source: %s", r->main);
    print_text(out, "%s%zu file%s, captured data %s\n", r->main ? "; " : "source: ", r->tree.n,
               r->tree.n == 1 ? "" : "s", value_format(&bytes, 1, size));
    char script[PATH_MAX];
    snprintf(script, sizeof script, "%.4000s/replay.sh", r->folder);
    char *folder = shell_path(r->folder), *replay = shell_path(script);
    print_text(out, "make -C %s builds it, %s builds, replays and verifies it\n", folder, replay);
    free(folder);
    free(replay);
}

static void write_reproduction_brief(FILE *out, const struct reproduction *r,
                                     const struct options *o)
{
    struct brief b = {.command = o->words};
    const struct value bytes = value_ok((double)r->capture_bytes, UNIT_BYTES);
    char size[VALUE_TEXT_MAX], script[PATH_MAX];
    brief_verdict(&b, "%.80s builds and replays %.100s alone", r->folder,
                  r->capture->demangled_name);
    brief_evidence(&b, "for %s; captured data %s", r->target, value_format(&bytes, 1, size));
    for (size_t i = 0; i < r->nnotes; i++)
        brief_evidence(&b, "%s", r->notes[i]);
    if (r->main)
        brief_row(&b, "source", "%s", r->main);
    brief_row(&b, "files", "%zu", r->tree.n);
    snprintf(script, sizeof script, "%.4000s/replay.sh", r->folder);
    brief_next(&b, "make -C", &r->folder, 1);
    brief_next(&b, "sh", (const char *[]){script}, 1);
    brief_write(out, &b, o->format);
}

static int tell_reproduction(const struct options *o, const struct reproduction *r,
                             struct error *err)
{
    const bool json = o->format && strcmp(o->format, "json") == 0;
    char *text = NULL;
    size_t n = 0;
    if (o->brief) {
        FILE *out = open_memstream(&text, &n);
        write_reproduction_brief(out, r, o);
        fclose(out);
    } else if (json) {
        cJSON *j = reproduce_json(r);
        FILE *out = open_memstream(&text, &n);
        json_write(out, j, true);
        putc('\n', out);
        fclose(out);
        cJSON_Delete(j);
    } else {
        FILE *out = open_memstream(&text, &n);
        put_reproduction_text(out, r);
        fclose(out);
    }
    for (size_t i = 0; !o->brief && i < r->nnotes; i++)
        exit_note(r->notes[i]);
    const int rc = output_file(NULL, text, n, err);
    free(text);
    return rc;
}

/* --- interrupted by a signal, the unfinished folder is removed --- */

static void show_bytes(struct progress_note *note, const char *doing, uint64_t bytes)
{
    char line[100], size[VALUE_TEXT_MAX];
    if (!progress_note_due(note))
        return;
    const struct value v = value_ok((double)bytes, UNIT_BYTES);
    print_line(line, sizeof line, "%s: %s", doing, value_format(&v, true, size));
    progress_note_show(note, line);
}

static void show_checked_bytes(void *note, uint64_t bytes)
{
    show_bytes(note, "checking the captured data, then they are copied", bytes);
}

static void show_copied_bytes(void *note, uint64_t bytes)
{
    show_bytes(note, "copying the captured data and the sources", bytes);
}

static int make_reproduction_folder(struct reproduction *r, const struct reproduce_request *q,
                                    struct error *err)
{
    const struct watch w = {signals_none, NULL};
    struct progress_note note;
    signals_catch(true);
    const struct watch *before = watch_set(&w);
    progress_note_begin(&note);
    struct reproduce_request shown = *q;
    shown.checked = show_checked_bytes;
    shown.copied = show_copied_bytes;
    shown.ctx = &note;
    const int rc = reproduce(r, &shown, err);
    progress_note_end(&note);
    watch_set(before);
    return rc;
}

static int reproduce_run(struct options *o)
{
    const struct reproduce_options *own = o->own;
    struct error err = ERROR_INIT;
    struct reproduction r = {.nnotes = 0};
    const struct reproduce_request q = {.capture_dir = o->replay.capture_dir,
                                        .folder = o->output,
                                        .compile_commands = own->compile_commands,
                                        .source = own->source};
    int rc = check_reproduce_options(o, &err);
    if (rc == 0)
        rc = make_reproduction_folder(&r, &q, &err);
    if (rc == 0)
        rc = tell_reproduction(o, &r, &err);
    reproduce_free(&r);
    if (rc != 0 && signals_caught)
        return exit_by_signal(signals_caught);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES(CAPTURE_DIR),
    TAKES_AS(OUTPUT, .arg = "FOLDER", .help = "the folder to be made"),
    OWN(.name = "source", OWN_AT(reproduce_options, source), .type = OPTION_STRING, .arg = "FILE",
        .help = "the file that the kernel is compiled from, where the code object does not tell"),
    OWN(.name = "compile-commands", OWN_AT(reproduce_options, compile_commands),
        .type = OPTION_STRING, .arg = "FILE",
        .help = "the compile_commands.json of the project that the kernel is from: how files are "
                "compiled"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES_GENERAL,
};

const struct command command_reproduce = {
    .name = "reproduce",
    .summary =
        "make a folder of a capture: the source of its kernel, to be edited, built and replayed",
    .usage =
        "rooftop gpu reproduce [--brief] --capture-dir DIR -o FOLDER [--compile-commands FILE] "
        "[--source FILE]",
    .run = reproduce_run,
    .options = options,
    .examples = EXAMPLES({"rooftop gpu reproduce --capture-dir DIR -o gemm --source k.hip",
                          "a folder that builds and replays the kernel alone"}),
    .exits =
        EXITS({.code = EXIT_INPUT, .text = "the capture or a named file is damaged or missing"},
              {.code = EXIT_UNSUPPORTED,
               .text = "the source file of the kernel could not be "
                       "found"}),
};
