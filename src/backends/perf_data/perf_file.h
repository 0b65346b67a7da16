/*
 * The layout of perf.data: header, events, features, and the walk over its records. All numbers
 * are in the byte order of the machine that recorded; files of the other order are refused. Source:
 * linux, tools/perf/Documentation/perf.data-file-format.txt and linux/perf_event.h; what these
 * leave out (numbers of record types, COMPRESSED, EVENT_UPDATE) is in tools/lib/perf/include/perf/
 * event.h.
 *
 * Every offset and size is checked against the file.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/perf_common/perf_record.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_table.h"
#include "base/ids.h"

/* Records that perf itself adds to those of the kernel. */
enum perf_file_record {
    PERF_FILE_ATTR = 64,
    PERF_FILE_TRACING_DATA = 66,
    PERF_FILE_BUILD_ID = 67,
    PERF_FILE_ROUND = 68, /* FINISHED_ROUND: see record_order.h */
    PERF_FILE_AUXTRACE = 71,
    PERF_FILE_EVENT_UPDATE = 78,
    PERF_FILE_FEATURE = 80,
    PERF_FILE_COMPRESSED = 81,
    PERF_FILE_COMPRESSED2 = 83,
};

struct perf_file_event {
    const char *name; /* "cycles:u"; of the arena */
    struct record_format format;
    uint64_t regs; /* mask of the registers of the user that are dumped */
    uint64_t samples;
};

struct perf_file_id {
    const char *path; /* as in the maps of processes */
    uint8_t id[20];
    uint8_t n;
};

struct perf_file {
    int fd;
    const char *path; /* borrowed */
    struct error *err;
    uint64_t size, data_at, data_end;
    bool described; /* events and features are known: perf record -o - makes records of them */
    bool open_end;  /* the data goes to the file's end, where a record may be cut */
    bool cut;       /* perf record did not end as it should */
    bool in_folder; /* the samples are in other files beside it: perf record --threads */
    struct perf_file_event *events;
    size_t nevents, events_cap;
    uint64_t ids_left;   /* how many more numbers of events the file may have */
    struct ids event_of; /* of the kernel's number of an event */
    struct perf_file_id *ids;
    size_t nids, ids_cap;
    struct hash_table id_of_path;
    const char *host, *release, *arch; /* uname; "" unknown */
    struct arena arena;
};

/* Opens the file and reads what is not a record. path and err are borrowed. 0 or -errno with err;
 * close it in either case. */
int perf_file_open(struct perf_file *f, const char *path, struct error *err);
void perf_file_close(struct perf_file *f);
int perf_file_refuse(const struct perf_file *f, uint64_t at, const char *why);

/* Calls sink with each record, 8-byte aligned, in the order of the file, until it does not return
 * 0; packed ones are unpacked. `at` is the place in the file. The first walk reads what of a pipe's
 * records describes the file, before sink sees it. Returns what sink returned, or -errno with err.
 */
typedef int (*perf_file_sink)(void *ctx, const void *record, size_t size, uint64_t at);
int perf_file_walk(struct perf_file *f, perf_file_sink sink, void *ctx);

/* The index of the event of a record of the kernel; the first for records without a number.
 * SIZE_MAX: a sample of no event that the file has. */
size_t perf_file_event_of(const struct perf_file *f, const void *record, size_t size);
/* The build id of a path, or NULL. */
const struct perf_file_id *perf_file_id_of(const struct perf_file *f, const char *path);

/* Used by perf_file_walk: a record of a pipe that describes the file. */
int perf_file_describe(struct perf_file *f, const void *record, size_t size, uint64_t at);
