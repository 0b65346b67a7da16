/*
 * What a whole recorded session says, found in one pass over its frames: how busy the machine and
 * the watched processes were, how memory changed, who used the CPUs, and where frames are missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/live/snapshot.h"
#include "engine/session/recording.h"

/* A number over the frames that have it. */
struct session_number {
    uint64_t n;
    double mean, peak, first, last;
    uint64_t peak_ns;       /* engine time of the peak */
    double first_s, over_s; /* the time of the first, and from it to the last */
    double slope;           /* a second, by least squares; NaN with less than 3 frames */
    double fit;             /* the correlation with time, -1..1; NaN where nothing changed */
};

enum { SESSION_BUSIEST = 3, SESSION_NOTICES = 4 };
struct session_busy { /* a process, by the CPU time that it used during the session */
    char name[64];
    int pid;
    double cpu_s;
};

struct session_facts {
    struct host host; /* a copy; not a reference */
    const char *target;
    enum target_kind target_kind;
    uint64_t frames, first_ns, last_ns; /* engine times of the first and the last frame */
    uint64_t wall_ns;                   /* of the first, since the epoch */
    double interval_s;                  /* as it was asked for, in the last frame */
    uint64_t gap_ns, gap_at_ns;         /* the longest time between two frames, and its begin */
    struct session_number cpu, memory;  /* of the host: %, bytes */
    struct session_number own_cpu, own_memory; /* of the watched processes: % of a CPU, bytes */
    double moved[2]; /* bytes in both directions, by enum io_kind; NaN: never measured */
    struct session_busy busiest[SESSION_BUSIEST];
    size_t nbusiest;
    struct command_state command;         /* as in the last frame; its output is not kept */
    uint64_t late;                        /* ticks that came late */
    uint64_t samples;                     /* call stacks */
    bool bricks;                          /* some frames have them */
    size_t gpus;                          /* most of them in a frame */
    const char *notices[SESSION_NOTICES]; /* warnings, each once */
    size_t nnotices;
    const char *note; /* what the file has lost; NULL: nothing */
    struct arena texts;
};

/* Reads all frames. Returns 0, or -errno with err. Free *out in either case. */
int session_facts_find(struct session_facts *out, struct recording *r, struct error *err);
void session_facts_free(struct session_facts *f);
