/*
 * Parses the files of a thread trace, each from its text, and adds the contents to the trace. Each
 * function returns 0, or j->rc with the position of the error. Arrays may be null where the tool
 * had nothing to write.
 */
#ifndef ROOFTOP_BACKENDS_ATT_PARSE_H
#define ROOFTOP_BACKENDS_ATT_PARSE_H

#include "json/json.h"
#include "engine/att/att.h"

/* What exceeds these limits is left out, with a note. */
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

#endif
