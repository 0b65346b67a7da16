#include "cli/job/hang_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    struct hang h;
    int rc = hang_files_open(&h, (const char *const *)o->operands, o->noperands, err);
    for (uint32_t i = 0; i < h.nnotes; i++)
        exit_note(h.notes[i]);
    if (rc == 0)
        rc = write_hang(&h, o, err);
    hang_free(&h);
    return rc;
}
