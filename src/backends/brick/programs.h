/*
 * The instrumented programs of a target: found by their files in shared memory, kept after their
 * end.
 */
#ifndef ROOFTOP_BACKENDS_BRICK_PROGRAMS_H
#define ROOFTOP_BACKENDS_BRICK_PROGRAMS_H

#include "backends/brick/reader.h"
#include "engine/bricks/bricks.h"
#include "engine/live/target.h"

enum { PROGRAMS_MAX = 64 };

struct program {
    struct brick_reader *reader;
    char name[80], path[320];
    pid_t pid;     /* as we see it */
    uint8_t state; /* enum program_state */
    bool damaged;  /* its file cannot be read any more: shown as it was */
    uint64_t dev, ino;
    uint64_t tokens; /* at the poll before */
};
struct programs {
    struct program *list;
    size_t n;
    size_t left_out;   /* programs beyond PROGRAMS_MAX */
    size_t refused;    /* files at the last search that do not belong to who they speak for */
    char refusal[160]; /* the first of them, a sentence */
};

/* folder: the private folder that a command started by rooftop writes to, or NULL for the shared
 * one, where a file is believed only if it belongs to the user of the process that it names
 * (base/owner.h). */
void programs_find(struct programs *p, const struct target *t, const char *folder);
/* One file, whatever wrote it. */
int programs_add_file(struct programs *p, const char *path, struct error *err);
/* Reads all that is new. */
void programs_poll(struct programs *p);
void programs_close(struct programs *p);

#endif
