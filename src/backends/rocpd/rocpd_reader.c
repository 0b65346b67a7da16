/*
 * Reads rocpd databases as traces: finds a file's sets of tables and checks that they can be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "backends/rocpd/rocpd_impl.h"
#include "base/arena.h"
#include "base/list.h"

enum { SETS_MAX = 65536, LOOK = 1 << 20 };

static const char help[] = "profile again with rocprofv3, or copy the file again";
/* rocmProfileData calls its tables rocpd_op, rocpd_api, … too: rpd_tracer of
 * ROCm/rocmProfileData */
static const char of_rpd[] =
    "of rocmProfileData: python3 rpd2tracing.py FILE trace.json, and open trace.json";

static const char metadata[] = "rocpd_metadata";
static const char *const data_tables[] = {"rocpd_kernel_dispatch", "rocpd_region",
                                          "rocpd_memory_copy"};
enum { DATA_TABLES = sizeof data_tables / sizeof *data_tables };

static bool has_data(const struct rocpd_tables *t, const char *suffix)
{
    for (int i = 0; i < DATA_TABLES; i++)
        if (rocpd_has(t, data_tables[i], suffix))
            return true;
    return false;
}

/* Suffixes of the sets: the text after "rocpd_metadata" in table names or, without metadata, after
 * the name of a table with spans; "" if tables have no suffix. */
struct sets {
    const char **suffix;
    uint32_t n, cap;
};

static void add_table_set(struct sets *s, const char *suffix)
{
    if (s->n == SETS_MAX)
        return;
    LIST_ADD(s->suffix, s->n, s->cap, suffix);
}

/* The text after a kind of table's name; NULL: the table is of another kind. */
static const char *suffix_of(const char *table, const char *kind)
{
    size_t n = strlen(kind);
    return strncasecmp(table, kind, n) == 0 ? table + n : NULL;
}

/* Whether a known set has this suffix: through its metadata, or an earlier kind of table. */
static bool is_known_set(const struct rocpd_tables *t, const char *suffix, int kind)
{
    if (rocpd_has(t, metadata, suffix))
        return true;
    for (int k = 0; k < kind; k++)
        if (rocpd_has(t, data_tables[k], suffix))
            return true;
    return false;
}

static void find_sets(const struct rocpd_tables *t, struct sets *s)
{
    const char *suffix;
    for (uint32_t i = 0; i < t->n; i++)
        if ((suffix = suffix_of(t->names[i], metadata)) != NULL)
            add_table_set(s, suffix);
    for (uint32_t i = 0; i < t->n; i++)
        for (int k = 0; k < DATA_TABLES; k++)
            if ((suffix = suffix_of(t->names[i], data_tables[k])) != NULL &&
                !is_known_set(t, suffix, k))
                add_table_set(s, suffix);
}

/* Whether a file was meant to be rocpd, so that a damaged one is refused as such. */
static bool mentions_rocpd(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *bytes = xcalloc(1, LOOK);
    ssize_t n = fd >= 0 ? read(fd, bytes, LOOK) : -1;
    bool found = n > 0 && memmem(bytes, (size_t)n, "rocpd_", 6);
    free(bytes);
    if (fd >= 0)
        close(fd);
    return found;
}

static bool is_rocpd(const char *path, const unsigned char *head, size_t size)
{
    struct sqlite_file f = {0};
    struct rocpd_tables tables = {0};
    struct sets sets = {0};
    if (!sqlite_file_is(head, size))
        return false;
    bool readable =
        sqlite_file_open(&f, path, NULL, NULL) == 0 && rocpd_tables_read(&tables, &f) == 0;
    find_sets(&tables, &sets);
    bool found = readable ? sets.n > 0 : mentions_rocpd(path);
    sqlite_file_close(&f);
    rocpd_tables_free(&tables);
    free(sets.suffix);
    return found;
}

/* Refuses variants of the format that store data where plain SQL does not see it. */
static int metadata_row(void *ctx, const struct rocpd_select *s)
{
    char **guid = ctx;
    const char *tag = rocpd_text(s, 0), *value = rocpd_text(s, 1);
    if (tag && strcmp(tag, "compression") == 0)
        return error_set(s->file->err, ERROR_UNSUPPORTED, ENOTSUP,
                         "convert it to an uncompressed rocpd database", s->file->path,
                         "its columns are compressed (%s), which is not read",
                         value ? value : "unknown method");
    if (!*guid && tag && value && strcmp(tag, "guid") == 0)
        *guid = xstrdup(value);
    return 0;
}

static int read_rocpd_metadata(struct rocpd *r)
{
    static const struct rocpd_columns columns = {"rocpd_metadata", {"tag", "value"}, 0};
    char *guid = NULL;
    int rc = rocpd_select(&r->file, &r->tables, r->suffix, &columns, false, metadata_row, &guid);
    if (rc == 0 && rocpd_rows(&r->file, &r->tables, "rocpd_info_blob_schema", r->suffix))
        rc = error_set(r->file.err, ERROR_UNSUPPORTED, ENOTSUP,
                       "export it again with rows in place of blobs", r->file.path,
                       "it keeps records as blobs (rocpd_info_blob_schema), which are not read");
    const char *own = guid ? guid : "";
    r->own_guid = rc == 0 ? rocpd_guid_of(r, own) : 0;
    free(guid);
    return rc;
}

static int read_table_set(struct rocpd *r, const char *suffix)
{
    r->suffix = suffix;
    int rc = read_rocpd_metadata(r);
    if (rc == 0)
        rc = rocpd_read_names(r);
    if (rc == 0)
        rc = rocpd_read_agents(r);
    if (rc == 0)
        rc = rocpd_read_spans(r);
    rocpd_forget_set(r);
    return rc;
}

/* --- the amount of data --- */

static const char *const span_tables[] = {"rocpd_kernel_dispatch", "rocpd_region",
                                          "rocpd_memory_copy"};
enum { SPAN_TABLES = sizeof span_tables / sizeof *span_tables };

static int length_row(void *lengths, const struct rocpd_select *s)
{
    int64_t start = rocpd_int(s, 0), end = rocpd_int(s, 1);
    if (start >= 0 && end >= start)
        trace_lengths_add(lengths, (uint64_t)(end - start));
    return 0;
}

/* If not all spans can be kept, reads all lengths first, so that the longest are kept. */
static int find_rocpd_cut(struct rocpd *r, const struct sets *sets)
{
    struct trace_lengths lengths = {.n = 0};
    int rc = 0;
    if (r->t->expected <= trace_file_memory_left(r->t))
        return 0;
    r->file.total += r->t->expected;
    for (uint32_t i = 0; rc == 0 && i < sets->n; i++)
        for (int k = 0; rc == 0 && k < SPAN_TABLES; k++) {
            const struct rocpd_columns columns = {span_tables[k], {"start", "end"}, 3};
            rc = rocpd_select(&r->file, &r->tables, sets->suffix[i], &columns, false, length_row,
                              &lengths);
        }
    r->line.cut = trace_cut_for(r->t, &lengths);
    return rc;
}

static void count_set_rows(struct rocpd *r, const char *suffix)
{
    for (int k = 0; k < SPAN_TABLES; k++)
        r->t->expected += rocpd_rows(&r->file, &r->tables, span_tables[k], suffix);
    r->file.total += rocpd_rows(&r->file, &r->tables, "rocpd_pmc_event", suffix);
}

static int read_table_sets(struct rocpd *r, struct error *err)
{
    struct sets sets = {0};
    bool data = false;
    int rc = rocpd_tables_read(&r->tables, &r->file);
    find_sets(&r->tables, &sets);
    for (uint32_t i = 0; rc == 0 && i < sets.n; i++) {
        data |= has_data(&r->tables, sets.suffix[i]);
        count_set_rows(r, sets.suffix[i]);
    }
    r->file.total += r->t->expected;
    if (rc == 0)
        rc = sqlite_file_progress(&r->file); /* reports the total before the work begins */
    if (rc == 0)
        rc = find_rocpd_cut(r, &sets);
    if (rc == 0 && !data)
        rc = error_set(err, ERROR_INPUT, ENODATA,
                       rocpd_has(&r->tables, "rocpd_op", "") ? of_rpd : help, r->file.path,
                       "it has no table of dispatches, regions or copies");
    for (uint32_t i = 0; rc == 0 && i < sets.n; i++)
        rc = read_table_set(r, sets.suffix[i]);
    free(sets.suffix);
    return rc;
}

static int read_rocpd(const char *path, struct trace *t, struct error *err)
{
    struct rocpd r = {.file = {.help = help}, .t = t};
    rocm_timeline_init(&r.line, t);
    int rc = sqlite_file_open(&r.file, path, t, err);
    if (rc == 0)
        rc = read_table_sets(&r, err);
    if (rc == 0)
        rc = r.file.given_up; /* between two statements */
    if (rc == 0)
        rocm_timeline_finish(&r.line);
    sqlite_file_close(&r.file);
    rocpd_tables_free(&r.tables);
    rocm_timeline_free(&r.line);
    free(r.guids);
    free(r.processes);
    free(r.threads);
    free(r.symbols);
    free(r.tracks);
    return rc;
}

const struct reader_ops reader_rocpd = {
    .name = "rocpd",
    .summary = "rocpd databases (.db)",
    .recognise = is_rocpd,
    .read = read_rocpd,
};
