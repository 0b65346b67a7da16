/* What the files of backends/att share among themselves. */
#pragma once

#include "engine/att/att.h"
#include "json/json.h"

/* Parses the files of a thread trace, each from its text, and adds the contents to the trace. Each
 * function returns 0, or j->rc with the position of the error. Arrays may be null if the tool had
 * nothing to write. */

/* Rows, events and waves beyond these limits are left out, with a note. */
enum { ATT_ROWS_MAX = 1 << 20, ATT_EVENTS_MAX = 1 << 22, ATT_WAVES_MAX = 1 << 20 };

int att_parse_code(struct att *a, struct json *j); /* code.json, rows of 10 or 14 columns */
/* generation, counters, waves that are not read yet */
int att_parse_filenames(struct att *a, struct json *j);
int att_parse_wave(struct att *a, struct json *j, uint32_t wave); /* the details of a wave */
int att_parse_occupancy(struct att *a, struct json *j);
int att_parse_levels(struct att *a, struct json *j, uint8_t state); /* wstatesN.json */
int att_parse_counters(struct att *a, struct json *j, uint32_t se); /* seN_perfcounter.json */
int att_parse_clocks(struct att *a, struct json *j);                /* realtime.json */

/* A source file that was kept: its path for the compiler, and the file in the folder. */
struct att_kept {
    const char *path, *file;
};
int att_parse_snapshots(struct att *a, struct json *j, struct att_kept **out, uint32_t *n);

/* stats_NAME.csv, with or without ServiceType, Issued, Stalled. */
int att_parse_stats(struct att *a, const char *file, const char *text, size_t size,
                    struct error *err);

/* Finds the folders with traces, and reads the files of one. */
struct att_text {
    char *text; /* NUL-terminated */
    size_t size;
    char *path; /* for messages */
};

/* Reads a regular file of at most `most` bytes. Returns 0, -ENOENT if it does not exist, or another
 * error if it is too large or cannot be read; err is filled. Call att_text_free after success. */
int att_text_read(struct att_text *out, const char *dir, const char *name, uint64_t most,
                  struct error *err);
void att_text_free(struct att_text *t);

/* The names in a folder, sorted; at most some 10^5. */
struct att_names {
    char **list;
    uint32_t n;
};
int att_names_read(struct att_names *out, const char *dir, struct error *err);
void att_names_free(struct att_names *n);

/* Adds the lines of the source files in the folder to the rows. */
void att_read_source(struct att *a, const char *dir, const struct att_kept *kept, uint32_t n);

int att_folder_list(struct att_places *out, const char *path, struct error *err);
