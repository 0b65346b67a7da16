/* Results of replays, stored in a database (engine/value/state_db.h). */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "engine/replay/replay_key.h"
#include "engine/replay/replay_run.h"
#include "engine/value/list_field.h"

enum { REPLAY_STORE_SCHEMA = 1, REPLAY_STORE_KEPT = 500 /* results kept for each capture */ };

struct replay_store;
/* Opens dir/replays.db; arguments and result as for state_db_open(). */
int replay_store_open(struct replay_store **out, const char *dir, bool readonly, char *note,
                      size_t size, struct error *err);
void replay_store_close(struct replay_store *h); /* NULL allowed */

/* A stored result. The list's arena owns texts and samples. */
struct replay_past {
    uint64_t time_ns; /* when it ended, ns since the epoch */
    enum replay_job job;
    const char *code;  /* hash of the code object that ran */
    const char *hsaco; /* path as the user gave it; "" = the captured one */
    const char *mode, *agent;
    struct replay_timing timing;
    struct stats stats; /* of its samples; n 0: no samples were stored */
    int verify;         /* enum replay_equality */
    bool emulated;
    double restore_rate; /* bytes/s; 0 = unknown */
};
struct replay_pasts {
    struct arena arena;
    struct replay_past *rows; /* newest first */
    size_t n;
};
/* The results of a kernel in a capture, with any code object; at most `most`. */
int replay_store_results(struct replay_store *h, const struct replay_key *key, size_t most,
                         struct replay_pasts *out, struct error *err);
void replay_pasts_free(struct replay_pasts *p);
/* One of its times, given in microseconds. */
struct value replay_past_time(const struct replay_past *p, double us);
extern const struct list_field replay_past_fields[]; /* rows: struct replay_past */

/* Stores a result; one with variants is stored once for each variant. */
int replay_store_add(struct replay_store *h, const struct replay_key *key, enum replay_job job,
                     const struct replay_result *r, const char *hsaco, uint64_t time_ns,
                     struct error *err);

/* Remembers folders in which captures were found: absolute paths, the latest first. */
int replay_store_remember(struct replay_store *h, const char *folder, uint64_t time_ns,
                          struct error *err);
size_t replay_store_folders(struct replay_store *h, struct arena *arena, const char **out,
                            size_t most);

/*
 * How much longer b takes than a, over their iterations (engine/value/stats.h). NULL, or why the
 * two cannot be compared: an emulated one and a real one never are.
 */
struct replay_difference_of {
    double percent, low,
        high; /* in % of a's mean; low > high: too few iterations for an interval */
    double p; /* p value of "there is no difference"; 1 = nothing can be said */
};
const char *replay_past_compare(const struct replay_past *a, const struct replay_past *b,
                                struct replay_difference_of *out);
