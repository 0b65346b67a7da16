#include "cli/job/hang_ranks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/flight/flight.h"
#include "base/plural.h"
#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/trace_input.h"
#include "engine/trace/trace_folder.h"
#include "engine/trace/trace_stream.h"
#include "export/job/hang_export.h"

bool hang_ranks_are(const struct options *o)
{
    struct error ignored = ERROR_INIT;
    struct trace_places places = {.n = 0};
    const char *path = o->noperands ? o->operands[0] : "-";
    if (strcmp(path, "-") == 0 || trace_is_pipe(path))
        return false;
    if (!trace_folder_is(path))
        return trace_reader(path, &ignored) == &reader_flight;
    const bool found =
        trace_folder_list(&places, path, &ignored) == 0 && places.reader == &reader_flight;
    trace_places_free(&places);
    return found;
}

static void tell_dump_left_out(const struct error *why)
{
    char line[1200], text[1024];
    snprintf(line, sizeof line, "left out: %s", error_format(why, text, sizeof text));
    exit_note(line);
}

/* Adds the dumps of a folder. One that cannot be read is told and left out, as long as another one
 * can be read. */
static int add_dumps(struct flight *f, struct hang *h, const struct trace_places *places,
                     struct error *err)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < places->n; i++) {
        struct error why = ERROR_INIT;
        const int rc = flight_add(f, h, places->paths[i], &why);
        if (rc == 0)
            continue;
        *err = why;
        if (rc == -ECANCELED || ++bad == places->n)
            return rc;
        h->left_out++;
        tell_dump_left_out(&why);
    }
    return 0;
}

static int add_dump_operand(struct flight *f, struct hang *h, const char *path, struct error *err)
{
    struct trace_places places = {.n = 0};
    char line[1200];
    if (!trace_folder_is(path))
        return flight_add(f, h, path, err);
    int rc = trace_folder_list(&places, path, err);
    if (rc == 0 && places.reader != &reader_flight)
        rc = error_set(err, ERROR_INPUT, EINVAL, "name profiles and dumps in commands of their own",
                       path, "it has profiles, and the files before have dumps of a hang");
    if (rc == 0 && places.left_out) {
        snprintf(line, sizeof line,
                 "%.400s: %" PRIu32 " %s are no dumps of the flight recorder: left out", path,
                 places.left_out, plural(places.left_out, "file", "files"));
        exit_note(line);
    }
    if (rc == 0)
        rc = add_dumps(f, h, &places, err);
    trace_places_free(&places);
    return rc;
}

static void write_hang_brief(FILE *out, const struct hang *h, const struct options *o)
{
    static const char *const next[] = {"rooftop report ranks", NULL};
    struct brief b = {.command = o->words};
    hang_brief(&b, h, trace_ascii(o));
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

static int write_hang(const struct hang *h, const struct options *o, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    if (options_brief(o))
        write_hang_brief(f, h, o);
    else if (strcmp(format, "json") == 0)
        hang_export_json(f, h);
    else if (strcmp(format, "csv") == 0)
        hang_export_csv(f, h);
    else
        hang_export_text(f, h, trace_ascii(o));
    fclose(f);
    const int rc = output_document(o->output, STDOUT_FILENO, text, size, err);
    free(text);
    return rc;
}

int hang_ranks_write(const struct options *o, struct error *err)
{
    struct hang h = {.n = 0};
    struct flight *f = flight_new();
    int rc = 0;
    for (size_t i = 0; i < o->noperands && rc == 0; i++)
        rc = add_dump_operand(f, &h, o->operands[i], err);
    flight_free(f);
    if (rc == 0)
        rc = hang_finish(&h, err);
    if (rc == 0)
        rc = write_hang(&h, o, err);
    hang_free(&h);
    return rc;
}
