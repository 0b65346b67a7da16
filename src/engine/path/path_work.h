/*
 * The graph of a critical path: activities that do not overlap within a lane, and what each of them
 * came after. It is made in four steps, a file each: activities from spans (path_activities.c),
 * causes (path_causes.c), hand-overs between threads that no profile records (path_hands.c), and
 * one order with the pauses between (path_order.c). Then path_schedule.c answers: when would each
 * activity run, what came last before it, how much later could it begin.
 *
 * Times are ns since the graph's first start. An activity takes about 50 bytes.
 */
#pragma once

#include "engine/path/critical_path.h"

enum {
    PATH_NEAR_NS = 3000,       /* clocks of a host and a device agree only within this time */
    PATH_CALL_NS = 1000,       /* the length of a waiting call that has nothing to wait for */
    PATH_LAUNCH_NS = 12000,    /* a launch takes 2 to 12 us on today's devices */
    PATH_SKEW_NS = 1000000,    /* a larger difference is no clock error: the launch is wrong */
    PATH_QUIET_NS = 5000,      /* a shorter pause of a thread needs no cause */
    PATH_PAUSE_NS = 20000,     /* a thread with nothing recorded for longer than this may wait */
    PATH_HAND_OVER_NS = 30000, /* a thread that was woken goes on within this time */
    PATH_JOIN_NS = 10000,      /* as above, after a thread that ended, without other evidence */
};

/* Flags of an activity. */
enum {
    ACTIVITY_GAP = 1,      /* no span was open: its node is the lane */
    ACTIVITY_ELASTIC = 2,  /* waiting whose end is explained: it takes as long as needed */
    ACTIVITY_WAIT = 4,     /* a wait for something that the profile does not name */
    ACTIVITY_CALL = 8,     /* a call of a runtime, with all inside it */
    ACTIVITY_DEVICE = 16,  /* work of a device */
    ACTIVITY_FIRST = 32,   /* the first of its lane */
    ACTIVITY_CONTEXT = 64, /* own time of a function of an interpreter, in no operation */
    ACTIVITY_MET = 128     /* the last member of a collective to begin */
};

/* Properties of a span's name: path_work.waits. */
enum { NAME_WAITS = 1, NAME_RUNTIME = 2, NAME_SLEEPS = 4 };

/* Why an activity came after another one. If several came last, the first one in this order counts.
 * The lane's activity before counts first for devices, last for threads. */
enum cause {
    CAUSE_EVENT,
    CAUSE_SYNC,
    CAUSE_HAND_OVER,
    CAUSE_INFERRED,
    CAUSE_SPAWN, /* the activity began while its parent went on */
    CAUSE_LAUNCH,
    CAUSE_LANE,
    CAUSE_MEETS /* no cause: both are members of one collective, whose last one holds all */
};

struct path_edge {
    uint32_t from, to;
    uint8_t kind; /* enum cause */
    bool back;    /* it delays the second part of `to`, if that is cut */
};

struct path_lane {
    uint32_t node;       /* of the graph */
    uint32_t from, to;   /* its activities */
    uint32_t rank;       /* number of its group of programs that launch each other's work */
    bool device, busy;   /* busy: it has operations, not only functions of an interpreter */
    bool launches, ends; /* ends: the path may end in this lane */
};

/* An activity is cut in two where what it waited for had ended. */
struct path_cut {
    uint32_t activity;
    int64_t at;
    bool elastic; /* the part before the cut takes as long as needed; else PATH_CALL_NS at most */
};

struct path_work {
    const struct graph *g;
    uint64_t base;  /* the graph's first start; times count from there */
    uint8_t *waits; /* of each name: NAME_... */

    struct path_lane *lanes;
    uint32_t nlanes, nranks;
    int64_t moved;     /* the largest shift of a device */
    uint32_t *lane_of; /* of each node: a lane, or GRAPH_NONE */
    uint32_t *act_of;  /* of each node: its first activity, or GRAPH_NONE */

    uint32_t n; /* activities, by lane, then time */
    int64_t *t0, *t1;
    uint32_t *node;
    uint8_t *flags;

    struct path_edge *edges; /* freed and NULL once the order is known */
    size_t nedges, edges_cap;
    struct path_cut *cuts;
    size_t ncuts, cuts_cap;

    uint32_t *order; /* by begin: causes come before what they caused */
    uint32_t *first; /* of each activity, and one more: its causes in from, kind, pause */
    uint32_t *from;
    uint8_t *kind;
    int64_t *pause;   /* between the cause's end and the begin, in a schedule */
    int64_t usual;    /* between two works of a queue if the second one waited */
    uint32_t *why;    /* the last cause, as measured. 0: none; 1: its lane; 2 + index in from */
    uint32_t *peer;   /* ring of the members of a collective; GRAPH_NONE: none; may be NULL */
    int64_t *latency; /* of each rank: the length of a launch */
    uint32_t *ends;   /* the last activities of lanes where the path may end */
    uint32_t nends;
    int64_t begin, end; /* of the measured path */

    int64_t *n0, *n1;     /* the last schedule: new0 and new1, or the measured times */
    int64_t *new0, *new1; /* NULL: none was made; new0, too, if only ends were wanted */
    bool frames_only;     /* nothing is recorded but functions of an interpreter */
    bool surely; /* a schedule in which collectives with peers outside of the files keep their
                    length, because the part that they wait is unknown */
    bool no_memory;
};

/* Each returns false if memory ran out or the watch said stop. */
bool path_find_activities(struct path_work *w);
bool path_find_causes(struct path_work *w);
bool path_find_hands(struct path_work *w);
bool path_find_order(struct path_work *w);

/* Schedules all activities again, by the measured times if change is NULL. Returns the last end.
 * begins: n0 is wanted, too, else it is NULL. If memory ran out, w records it. */
int64_t path_schedule(struct path_work *w, const struct critical_change *change, bool begins);
/* Fills out with the path of the last schedule. */
bool path_walk(struct path_work *w, int64_t end, struct critical_path *out);
/* Fills tail: how much later each activity of the last schedule could begin. */
enum path_part path_part_of(const struct path_work *w, uint32_t a); /* the part of an activity */
void path_find_slack(struct path_work *w, int64_t end, int64_t *tail);

/* Allocates zeroed memory; a failure is recorded in w. */
void *path_take(struct path_work *w, size_t n, size_t size);
/* Gives *list room for n elements. */
bool path_grow(struct path_work *w, void **list, size_t n, size_t size);
bool path_add_edge(struct path_work *w, uint32_t from, uint32_t to, enum cause kind, bool back);
bool path_add_cut(struct path_work *w, uint32_t activity, int64_t at, bool elastic);
bool path_apply_cuts(struct path_work *w);
/* The activity of a lane that runs at a time, or else the last one before. */
uint32_t path_at(const struct path_work *w, uint32_t lane, int64_t at);

static inline bool path_is_timed(const struct graph *g, uint32_t v)
{
    return g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
}

static inline bool path_is_collective(const struct path_work *w, uint32_t a)
{
    return w->g->flags[w->node[a]] & NODE_COLLECTIVE;
}

static inline struct path_lane *path_lane_of(const struct path_work *w, uint32_t a)
{
    return &w->lanes[w->lane_of[w->node[a]]];
}

static inline int64_t path_start(const struct path_work *w, uint32_t v)
{
    return (int64_t)(w->g->start[v] - w->base);
}

static inline int64_t path_end(const struct path_work *w, uint32_t v)
{
    return path_start(w, v) + (int64_t)w->g->duration[v];
}

/* Whether a thread did nothing recorded, or waited in its own code. */
static inline bool path_is_quiet(const struct path_work *w, uint32_t a)
{
    return (w->flags[a] & ACTIVITY_GAP) ||
           (w->flags[a] & (ACTIVITY_WAIT | ACTIVITY_CALL)) == ACTIVITY_WAIT;
}
