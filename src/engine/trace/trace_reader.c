/* Finds the reader for a file or pipe. */
#include "engine/trace/trace_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/trace/trace_folder.h"
#include "engine/trace/trace_foreign.h"
#include "engine/trace/trace_look.h"
#include "engine/value/database.h"
#include "json/look.h"

/* Whether the file is a document that rooftop wrote (--format json): results, no trace. */
static const char unknown[] = "none of the formats that rooftop reads";

static bool is_own_document(const struct trace_look *l, char name[64])
{
    static const char start[] = "\"rooftop.";
    const char *text = (const char *)l->text;
    if (json_look_member(text, l->n, "schema", start + 1) != JSON_LOOK_YES)
        return false;
    const char *at = memmem(text, l->n, start, sizeof start - 1);
    const char *const end = text + l->n; /* the text has no 0 there */
    size_t n = 0;
    at = at ? at + 1 : end;
    while (at + n < end && at[n] != '"' && at[n] != '\n')
        n++;
    n = n < 63 ? n : 63;
    snprintf(name, 64, "%.*s", (int)n, at);
    return true;
}

static void list_known(char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "give it ");
    for (size_t i = 0; readers[i] && n < size; i++)
        if (*readers[i]->summary)
            n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", readers[i]->summary);
}

/* Says why no reader takes the file. */
static void refuse_looked(const struct trace_look *l, struct error *err)
{
    char known[512], name[64];
    const bool pipe = l->in->pipe, binary = memchr(l->text, '\0', l->n) != NULL;
    const struct trace_foreign *f = trace_foreign_of(l);
    list_known(known, sizeof known);
    if (f)
        error_set(err, ERROR_INPUT, EINVAL, f->help, l->path, "it is %s", f->what);
    else if (l->damaged)
        error_set(err, ERROR_INPUT, EINVAL, "check it with gzip -t", l->path,
                  "it is packed with gzip, and damaged");
    else if (pipe && l->n == 0)
        error_set(err, ERROR_INPUT, ENODATA, "did the program before it fail?", l->path,
                  "nothing came from it");
    else if (l->packed && binary)
        error_set(err, ERROR_INPUT, EINVAL,
                  pipe ? "unpack it before: zcat FILE.gz | rooftop report -"
                       : "unpack it first, with gunzip, and open that",
                  l->path,
                  "databases, sessions and perf.data are not read while they are packed with gzip");
    else if (pipe && binary)
        error_set(err, ERROR_INPUT, ESPIPE, "write it to a file first, and open that", l->path,
                  "from a pipe only traces in JSON (plain or gzip), CSV, stacks of samples, "
                  "databases, sessions and perf.data are read");
    else if (l->n == 0 && (!database_is_whole(l->path) || database_is_written(l->path)))
        error_set(err, ERROR_INPUT, EAGAIN, "open it when the program that writes it has ended",
                  l->path, "it is being written: nothing is in it yet");
    else if (l->n == 0)
        error_set(err, ERROR_INPUT, ENODATA, known, l->path, "it is empty");
    else if (l->n >= 15 && memcmp(l->text, "SQLite format 3", 15) == 0)
        error_set(err, ERROR_INPUT, EINVAL,
                  "rocprofv3 and Nsight Systems (nsys export) write such; of rocprof's results.db "
                  "open results.json beside it",
                  l->path, "it is an SQLite database in none of the formats that rooftop reads");
    else if (is_own_document(l, name))
        error_set(err, ERROR_INPUT, EINVAL,
                  "rooftop record keeps samples: sessions can be opened and compared", l->path,
                  "what rooftop printed (%s): results, one value each, without the samples behind "
                  "them",
                  name);
    else
        error_set(err, ERROR_INPUT, EINVAL, known, l->path, "%s", unknown);
}

bool trace_reader_knows_why(const struct error *err)
{
    return err->kind == ERROR_INPUT && strcmp(err->why, unknown) != 0;
}

/* Asks all readers. For pipes and packed files, only readers that stream count. */
static const struct reader_ops *ask_readers(const struct trace_look *l)
{
    const bool streams = l->packed || l->in->pipe;
    for (size_t i = 0; readers[i]; i++)
        if ((!streams || readers[i]->streams) &&
            readers[i]->recognise(streams ? NULL : l->path, l->text, l->n))
            return readers[i];
    return NULL;
}

const struct reader_ops *trace_reader_of(struct trace_stream *in, const char *path,
                                         struct error *err)
{
    struct trace_look l;
    const struct reader_ops *found = NULL;
    int rc = trace_look_open(&l, in, path, err), more = 1;
    while (rc == 0 && more > 0 && !(found = ask_readers(&l)))
        more = trace_look_needs_more(&l) ? trace_look_more(&l, err) : 0;
    if (rc == 0 && more == 0 && !found)
        refuse_looked(&l, err);
    trace_look_close(&l);
    return found;
}

const struct reader_ops *trace_reader(const char *path, struct error *err)
{
    struct trace_stream in = {.fd = -1};
    const struct reader_ops *r = trace_folder_reader(path);
    if (!r && trace_is_pipe(path))
        error_set(err, ERROR_INPUT, EINVAL, NULL, path, "%s", strerror(EINVAL));
    else if (!r)
        r = trace_reader_of(&in, path, err);
    trace_stream_close(&in);
    return r;
}
