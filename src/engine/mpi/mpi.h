/*
 * The calls of an MPI job, of all its ranks. Times are ns; each rank's are of its host's clock
 * until mpi_align.
 *
 *     struct mpi_job m = {0};
 *     mpi_add(&m, ...); ...        all ranks, in any order
 *     mpi_match(&m); mpi_align(&m); mpi_find_waits(&m);
 *     mpi_free(&m);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

enum mpi_kind { MPI_OTHER, MPI_ALL, MPI_FROM_ROOT, MPI_TO_ROOT }; /* of collectives: mpi_record.h */
#define MPI_NOBODY UINT32_MAX

/* A call, or the part of one that is about one message. */
struct mpi_call {
    uint64_t begin, end;
    uint64_t order;        /* of a message: when it was begun; of a collective: its number */
    uint64_t bytes;        /* of a message or a rank's part; of a member: members */
    uint64_t communicator; /* 0 unknown */
    uint32_t rank;         /* index of the rank that called */
    uint32_t node;         /* the caller's number for it, as a node of a graph */
    int32_t peer, tag;     /* in the communicator; -1: none */
    uint8_t what;          /* enum mpi_record_what of format/mpi_record.h */
    uint8_t call;          /* enum mpi_record_call */
    uint8_t kind;          /* enum mpi_kind */
};

struct mpi_message {
    uint32_t send, receive; /* indices into calls */
};
/* A collective: its calls are members[from] to members[from + n - 1]; where these only began it, as
 * MPI_Ibarrier does, the calls that ended it are in `ends`. */
struct mpi_together {
    uint32_t from, n;
    uint32_t root;     /* the rank that is its root; MPI_NOBODY: it has none */
    uint32_t last;     /* the call that came last, of those that others wait for */
    bool decided;      /* the others came earlier by more than what is not known of the clocks */
    uint64_t skew;     /* the longest that a rank could wait for it */
    uint64_t transfer; /* the shortest time from the last arrival to an end */
};

/* The times from `at` on, on the clock's own, are moved forward besides, which wears off. */
struct mpi_forward {
    uint64_t at, ns;
};
/*
 * The clock of a host: its times t are t + offset + slope x (t - base) of the clock of rank 0.
 * What is known: no message was received before it was sent, and no collective ended before those
 * that it waits for had come. Of all lines that satisfy this, the one that is furthest from all
 * bounds is taken; the distance to the furthest other line in the time of the calls is the error.
 * Where no lines are found that satisfy all, what comes too early is moved forward: `shifts`.
 */
struct mpi_clock {
    char name[128];
    uint64_t unix_ns; /* time of day when it was 0; 0 unknown */
    uint64_t base;
    int64_t offset;
    double slope;
    uint64_t error_ns;          /* UINT64_MAX: nothing bounds it; then the times of day are used */
    uint32_t bounds;            /* number of messages and collectives that bound it */
    bool told;                  /* by bounds; false: by the time of day */
    struct mpi_forward *shifts; /* where it does not run evenly; by time */
    uint32_t nshifts, shifts_room;
    uint64_t shifted_ns; /* the most of them */
};
#define MPI_SLOPE_MOST 1e-3 /* clocks of computers differ by less than 0.1 % */

/* LATE_WINDOW: until another rank let it at its memory, or had done with its own. */
enum mpi_why { MPI_LATE_SENDER, MPI_LATE_RECEIVER, MPI_LATE_COLLECTIVE, MPI_LATE_WINDOW, MPI_WHYS };
/* A call that waited. Waits of one rank do not overlap: of threads that wait at the same time, the
 * later one's wait begins where the earlier one's ends. */
struct mpi_wait {
    uint32_t call;  /* index */
    uint32_t rank;  /* that waited */
    uint32_t for_;  /* the rank that it waited for */
    uint32_t cause; /* the rank that made that one late, often itself; MPI_NOBODY: too short */
    uint64_t begin, ns;
    uint8_t why; /* enum mpi_why */
};

struct mpi_rank {
    uint32_t clock;
    uint32_t id;               /* the caller's number for it */
    uint64_t waited, caused;   /* ns that it waited; that others waited for it, in the end */
    uint64_t by[MPI_WHYS];     /* what it waited, by why */
    uint64_t together, last;   /* matched collectives; those at which it came last */
    uint64_t sent, received;   /* matched messages */
    uint64_t unsent, ungotten; /* sends, receives without a partner in the files */
};

struct mpi_job {
    struct mpi_call *calls; /* in the order in which they were added, until mpi_match */
    size_t n, room;
    struct mpi_rank *ranks;
    uint32_t nranks, ranks_room;
    struct mpi_clock *clocks; /* the first is that of the first rank */
    uint32_t nclocks, clocks_room;
    struct hash_table by_name; /* of the clocks */
    struct mpi_message *messages;
    size_t nmessages, messages_room;
    size_t epochs;            /* of the messages, those that calls of windows stand for */
    uint32_t *members, *ends; /* ends: as members; MPI_NOBODY: it is not known that it ended */
    struct mpi_together *together;
    size_t nmembers, ntogether, together_room;
    uint64_t unmatched; /* calls of collectives of which others' are missing */
    uint64_t backwards; /* messages and collectives that end before their cause, after mpi_align */
    struct mpi_wait *waits; /* by the time at which they end */
    size_t nwaits, waits_room;
    /* The waits in order of time, in so many stretches of as many waits; ns that others waited
     * because of rank r in stretch k: caused_in[r x stretches + k]. */
    uint32_t stretches; /* at most MPI_STRETCHES */
    uint64_t *caused_in;
};
enum { MPI_STRETCHES = 32 };

/* A wait is the fault of no rank if it is no longer than this and the errors of both clocks. */
enum { MPI_APART_NS = 3000 };

/* Adds a rank, with what names its clock. Returns its index. */
uint32_t mpi_add_rank(struct mpi_job *m, const char *clock, uint64_t unix_ns);
/* Adds a call of it; c->rank is the index. A job has at most UINT32_MAX calls: false beyond. */
bool mpi_add(struct mpi_job *m, const struct mpi_call *c);
/* Matches messages and collectives. */
void mpi_match(struct mpi_job *m);
/* Finds the clocks, and moves the times of all calls to the clock of the first rank. */
void mpi_align(struct mpi_job *m);
/* A time of a rank on that clock; for times of other records of the rank. */
uint64_t mpi_time(const struct mpi_job *m, uint32_t rank, uint64_t ns);
/* Finds who waited, and for whom. After mpi_align. */
void mpi_find_waits(struct mpi_job *m);
/* How far two ranks' times may be off against each other; UINT64_MAX unknown. */
uint64_t mpi_error(const struct mpi_job *m, uint32_t a, uint32_t b);
void mpi_free(struct mpi_job *m);

static inline bool mpi_is_root(const struct mpi_job *m, const struct mpi_together *t, uint32_t i)
{
    return m->calls[m->members[t->from + i]].rank == t->root;
}
/* Whether others wait for member i, and whether it waits for others. */
static inline bool mpi_gives(const struct mpi_job *m, const struct mpi_together *t, uint32_t i)
{
    const uint8_t kind = m->calls[m->members[t->from + i]].kind;
    return kind == MPI_ALL || (kind == MPI_FROM_ROOT && mpi_is_root(m, t, i)) ||
           (kind == MPI_TO_ROOT && !mpi_is_root(m, t, i));
}
static inline bool mpi_takes(const struct mpi_job *m, const struct mpi_together *t, uint32_t i)
{
    const uint8_t kind = m->calls[m->members[t->from + i]].kind;
    return m->ends[t->from + i] != MPI_NOBODY &&
           (kind == MPI_ALL || (kind == MPI_TO_ROOT && mpi_is_root(m, t, i)) ||
            (kind == MPI_FROM_ROOT && !mpi_is_root(m, t, i)));
}
