#include "cli/job/hang_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/trace_input.h"
#include "engine/job/hang_files.h"
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
        return trace_reader(path, &ignored) == hang_reader.files;
    const bool found =
        trace_folder_list(&places, path, &ignored) == 0 && places.reader == hang_reader.files;
    trace_places_free(&places);
    return found;
}

static void write_hang_brief(FILE *out, const struct hang *h, const struct options *o)
{
    static const char *const next[] = {"rooftop", "rooftop report ranks", NULL};
    struct brief b = {.command = o->words};
    hang_brief(&b, h, trace_ascii(o));
    brief_next_about(&b, o, o->noperands == 1 ? next : next + 1);
    brief_write(out, &b, o->format);
}

struct hang_document {
    const struct hang *hang;
    const struct options *o;
};

static void write_hang(FILE *f, const void *what)
{
    const struct hang_document *d = what;
    const char *format = d->o->format ? d->o->format : "text";
    if (options_brief(d->o))
        write_hang_brief(f, d->hang, d->o);
    else if (strcmp(format, "json") == 0)
        hang_export_json(f, d->hang);
    else if (strcmp(format, "csv") == 0)
        hang_export_csv(f, d->hang);
    else
        hang_export_text(f, d->hang, trace_ascii(d->o));
}

int hang_ranks_write(const struct options *o, struct error *err)
{
    struct hang h;
    int rc = hang_files_open(&h, (const char *const *)o->operands, o->noperands, err);
    for (uint32_t i = 0; i < h.nnotes; i++)
        exit_note(h.notes[i]);
    if (rc == 0)
        rc = output_made(o->output, write_hang, &(struct hang_document){&h, o}, err);
    hang_free(&h);
    return rc;
}
