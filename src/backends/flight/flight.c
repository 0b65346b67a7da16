#include "backends/flight/flight.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/flight/dump.h"
#include "engine/job/hang_files.h"
#include "engine/value/text_file.h"
#include "json/look.h"

struct flight {
    struct plain data;
};

struct flight *flight_new(void)
{
    return xcalloc(1, sizeof(struct flight));
}

void flight_free(struct flight *f)
{
    if (f)
        plain_free(&f->data);
    free(f);
}

/* --- which files are dumps --- */

/* A pickle of protocol 2 and later begins with the byte 0x80 and the protocol. Those before have no
 * mark, and PyTorch never wrote them. */
static bool begins_pickle(const unsigned char *head, size_t size)
{
    return size > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
}

static bool is_flight_json(const char *text, size_t n)
{
    static const char entry[] = "\"collective_seq_id\"", config[] = "\"pg_config\"";
    if (json_look_member(text, n, "traceEvents", NULL) == JSON_LOOK_YES)
        return false;
    return json_look_member(text, n, "pg_config", NULL) == JSON_LOOK_YES ||
           (json_look_member(text, n, "entries", NULL) == JSON_LOOK_YES &&
            (memmem(text, n, entry, sizeof entry - 1) ||
             memmem(text, n, config, sizeof config - 1)));
}

static bool is_flight_dump(const char *path, const unsigned char *head, size_t size)
{
    static const char config[] = "pg_config", entries[] = "entries";
    (void)path;
    if (begins_pickle(head, size))
        return memmem(head, size, config, sizeof config - 1) ||
               memmem(head, size, entries, sizeof entries - 1);
    return size && head[0] == '{' && is_flight_json((const char *)head, size);
}

/* --- the rank --- */

/* Reads the number at the end of a file's name, before an extension: nccl_trace_rank_3,
 * rank_3.json. */
static uint32_t read_rank_of_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t end = strlen(name);
    if (dot && dot > name && isalpha((unsigned char)dot[1]))
        end = (size_t)(dot - name);
    size_t begin = end;
    while (begin > 0 && isdigit((unsigned char)name[begin - 1]))
        begin--;
    if (begin == end || end - begin > 7)
        return HANG_UNKNOWN;
    const unsigned long rank = strtoul(name + begin, NULL, 10);
    return rank < HANG_RANKS_MOST ? (uint32_t)rank : HANG_UNKNOWN;
}

int flight_add_text(struct flight *f, struct hang *h, const char *path, const char *text, size_t n,
                    uint64_t written, struct error *err)
{
    const uint32_t rank = read_rank_of_name(path);
    const bool json = n && (text[0] == '{' || isspace((unsigned char)text[0]));
    if (rank == HANG_UNKNOWN)
        return error_set(err, ERROR_INPUT, EINVAL, "name it as PyTorch does: nccl_trace_rank_3",
                         path, "its name does not end with the number of its rank");
    const int rc = json ? plain_read_json(&f->data, path, text, n, err)
                        : plain_read_pickle(&f->data, path, text, n, err);
    return rc == 0 ? dump_add(h, &f->data.root, rank, written, path, err) : rc;
}

int flight_add(struct flight *f, struct hang *h, const char *path, struct error *err)
{
    char *text = NULL;
    size_t n = 0;
    struct stat st;
    uint64_t written = 0;
    if (stat(path, &st) == 0 && st.st_mtim.tv_sec > 0)
        written = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
    int rc = text_file_read_most(&text, &n, path, PLAIN_BYTES_MAX, err);
    if (rc == 0)
        rc = flight_add_text(f, h, path, text, n, written, err);
    free(text);
    return rc;
}

/* A dump has no spans: the ranks of a job are read together, by report ranks. */
static int read_flight(const char *path, struct trace *t, struct error *err)
{
    (void)t;
    return error_set(err, ERROR_INPUT, ENOTSUP, "rooftop report ranks FOLDER tells who hangs", path,
                     "it is a dump of PyTorch's flight recorder, which has no times of work");
}

static void *begin_flight(void)
{
    return flight_new();
}

static int add_flight(void *memory, struct hang *h, const char *path, struct error *err)
{
    return flight_add(memory, h, path, err);
}

static void end_flight(void *memory)
{
    flight_free(memory);
}

const struct hang_reader hang_reader = {
    .files = &reader_flight, .begin = begin_flight, .add = add_flight, .end = end_flight};

const struct reader_ops reader_flight = {
    .name = "flight",
    .summary = "",
    .recognise = is_flight_dump,
    .read = read_flight,
};
