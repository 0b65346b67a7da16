/* Finds the reader for a file or pipe. */
#include "engine/trace/trace_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/trace/trace_folder.h"
#include "engine/trace/trace_look.h"
#include "engine/value/database.h"
#include "json/look.h"

/*
 * What is not read, and the command that makes a readable file of it. Sources of the first bytes:
 * APPNOTE.TXT 4.3.7 (zip), RFC 8878 3.1.1 (zstd), xz-file-format.txt 2.1.1.1, bzip2's and 7-Zip's
 * format descriptions, POSIX pax (ustar), the first bytes of reports of Nsight Compute and of
 * Nsight Systems 2023.3 and 2023.4. Field 1 of a protobuf begins with 0x0a: the name tells which
 * (perfetto.dev/docs, "Converting"; openxla.org/xprof).
 */
static const struct foreign {
    const char *magic;
    size_t at, n;
    const char *what, *help, *ending; /* ending: of the name; NULL: any */
} foreign[] = {
#define FOREIGN(magic, at, what, help)                                                             \
    {                                                                                              \
        magic, at, sizeof(magic) - 1, what, help, NULL                                             \
    }
#define PERFETTO                                                                                   \
    "a protobuf of Perfetto", "convert it: traceconv json FILE trace.json, and open trace.json"
    {"\n", 0, 1, PERFETTO, ".pftrace"},
    {"\n", 0, 1, PERFETTO, ".perfetto-trace"},
    {"\n", 0, 1, "a protobuf of XLA's profiler",
     "open the .trace.json.gz beside it, or what xprof exports of it (trace_viewer)", ".xplane.pb"},
#undef PERFETTO
    FOREIGN("PK\003\004", 0, "a zip archive",
            "unzip it and open what it holds, or: unzip -p FILE | rooftop tree /dev/stdin"),
    FOREIGN("\x28\xb5\x2f\xfd", 0, "packed with zstd",
            "unpack it: zstd -d FILE, or: zstd -dc FILE | rooftop tree /dev/stdin"),
    FOREIGN("\xfd"
            "7zXZ",
            0, "packed with xz",
            "unpack it: xz -dk FILE, or: xz -dc FILE | rooftop tree /dev/stdin"),
    FOREIGN("BZh", 0, "packed with bzip2",
            "unpack it: bzip2 -dk FILE, or: bzip2 -dc FILE | rooftop tree /dev/stdin"),
    FOREIGN("7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", "unpack it, and open what it holds"),
    FOREIGN("ustar", 257, "a tar archive", "unpack it: tar -xf FILE, and open what it holds"),
    FOREIGN("NVR\0", 0, "a report of Nsight Compute",
            "export it: ncu --import FILE --csv, or profile with nsys for a timeline"),
    FOREIGN("NVIDIA Tegra Profiler Report", 0, "a report of Nsight Systems",
            "export it: nsys export --type sqlite FILE, and open the .sqlite file"),
    FOREIGN("roof", 68, "a session of rooftop record", /* engine/session/session.h */
            "rooftop FILE shows it, rooftop compare A B compares two"),
#undef FOREIGN
};

static const struct foreign *find_foreign(const struct trace_look *l)
{
    for (const struct foreign *f = foreign; f < foreign + sizeof foreign / sizeof *foreign; f++) {
        const size_t n = strlen(l->path), m = f->ending ? strlen(f->ending) : 0;
        if (l->n >= f->at + f->n && memcmp(l->text + f->at, f->magic, f->n) == 0 && n >= m &&
            memcmp(l->path + n - m, f->ending ? f->ending : "", m) == 0)
            return f;
    }
    return NULL;
}

/* Whether it is a document that rooftop wrote (--format json): it holds results, no trace. */
static bool is_own_document(const struct trace_look *l, char name[64])
{
    static const char start[] = "\"rooftop.";
    const char *text = (const char *)l->text;
    if (json_look_member(text, l->n, "schema", start + 1) != JSON_LOOK_YES)
        return false;
    const char *at = memmem(text, l->n, start, sizeof start - 1);
    snprintf(name, 64, "%.*s", at ? (int)strcspn(at + 1, "\"\n") : 0, at ? at + 1 : "");
    return true;
}

static void list_known(char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "give it ");
    for (size_t i = 0; readers[i] && n < size; i++)
        if (*readers[i]->summary)
            n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", readers[i]->summary);
}

/* Says why no reader takes it. */
static void refuse_looked(const struct trace_look *l, struct error *err)
{
    char known[512], name[64];
    const bool pipe = l->in->pipe, binary = memchr(l->text, '\0', l->n) != NULL;
    const struct foreign *f = find_foreign(l);
    list_known(known, sizeof known);
    if (f)
        error_set(err, ERROR_INPUT, EINVAL, f->help, l->path, "it is %s", f->what);
    else if (l->damaged)
        error_set(err, ERROR_INPUT, EINVAL, "check it with gzip -t", l->path,
                  "it is packed with gzip, and damaged");
    else if (pipe && (binary || l->n == 0))
        error_set(err, ERROR_INPUT, ESPIPE, "write it to a file first, and open that", l->path,
                  "from a pipe only traces in JSON (plain or gzip) and CSV are read");
    else if (l->packed && binary)
        error_set(err, ERROR_INPUT, EINVAL, "unpack it first, with gunzip, and open that", l->path,
                  "of what is packed with gzip only traces in JSON and CSV are read");
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
        error_set(err, ERROR_INPUT, EINVAL, known, l->path,
                  "none of the formats that rooftop reads");
}

/* Asks all readers. What can be read only once or must be unpacked is for those that stream. */
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
        more = trace_look_is_json(&l) ? trace_look_more(&l, err) : 0;
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
