/*
 * The instrumented programs of a target: found by their files in shared memory, and kept after they
 * end.
 */
#ifndef ROOFTOP_BACKENDS_BRICK_PROGRAMS_H
#define ROOFTOP_BACKENDS_BRICK_PROGRAMS_H

#include "backends/brick/reader.h"
#include "base/ids.h"
#include "engine/bricks/bricks.h"
#include "engine/live/target.h"

enum { PROGRAMS_MAX = 64 };

struct watched_program {
    struct brick_reader *reader;
    char name[80], path[320];
    uint32_t number;        /* in the order of discovery, from 0; no other program gets it */
    pid_t pid;              /* as we see it */
    uint8_t state;          /* enum program_state */
    bool damaged;           /* its file cannot be read any more: shown as it last was */
    uint64_t dev, ino, key; /* key: what its file is known by after it was closed */
    uint64_t tokens;        /* at the previous poll */
    /* for stream.h */
    bool told;       /* it was told of before */
    uint64_t missed; /* of its reader, when it was told last */
};
struct programs {
    struct watched_program *list;
    size_t n;
    uint32_t opened;      /* programs that were ever in the list */
    struct ids forgotten; /* files of those that are not in it any more */
    size_t left_out;      /* programs that exceed PROGRAMS_MAX */
    size_t refused;       /* files in the last search whose owner may not speak for the process */
    char refusal[160];    /* the first of them, a sentence */
};

/*
 * Searches for files of the target's processes. folder: the private folder of a command that
 * rooftop started, or NULL for the shared one. There a file is believed only if it belongs to the
 * user of the process that it names (base/owner.h).
 */
void programs_find(struct programs *p, const struct target *t, const char *folder);
/* Adds one file, whatever program wrote it. Returns 0 or -errno with err. */
int programs_add_file(struct programs *p, const char *path, struct error *err);
/* Reads everything new. */
void programs_poll(struct programs *p);
/* The same between two polls: recent counts of the next poll contain what is read now. */
void programs_follow(struct programs *p);
void programs_close(struct programs *p);

#endif
