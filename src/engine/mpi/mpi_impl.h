/* What the files of this folder share: waits and clocks. */
#pragma once

#include "engine/mpi/mpi.h"

/* mpi_wait.c. Adds what a call waited for another rank, from and until a time; nothing outside of
 * the call. */
void mpi_add_wait(struct mpi_job *m, uint32_t call, uint32_t other, uint64_t from, uint64_t until,
                  enum mpi_why why);
/* mpi_lock.c */
void mpi_find_waits_for_locks(struct mpi_job *m);

/* A part in a message or collective that several clocks have in common. What takes ends after all
 * that give have begun. */
struct mpi_part {
    uint32_t clock;
    bool gives, takes;
    size_t group; /* the number of that message or collective: its parts follow, by clock */
    uint64_t begin, end;
};

/* The clock must be moved by at least, or at most, y at its time x. */
struct mpi_bound {
    double x, y;
};

struct mpi_bounds {
    struct mpi_bound *low, *high;
    size_t nlow, nhigh, low_room, high_room;
    uint64_t x0; /* x and y are distances from these */
    int64_t y0;
};

void mpi_add_bound(struct mpi_bounds *b, bool low, uint64_t x, int64_t to);
/* Keeps the bounds that a line can touch, by x. */
void mpi_keep_hulls(struct mpi_bounds *b);
void mpi_free_bounds(struct mpi_bounds *b);
/* A line of this slope may pass x0 at this height, at least or at most. */
double mpi_find_lowest(const struct mpi_bounds *b, double slope);
double mpi_find_highest(const struct mpi_bounds *b, double slope);
/* The slope of the line furthest from all bounds; where no slope is better than none, none. */
double mpi_find_slope(const struct mpi_bounds *b);
/* How far other lines between the bounds are from this one, in ns, from one time to another. */
double mpi_find_error(const struct mpi_bounds *b, double slope, double height,
                      const double ends[2]);

/* A time of this clock on that of rank 0. */
int64_t mpi_move(const struct mpi_clock *c, uint64_t ns);
/* Moves what takes behind all that give, and what comes after it on its clock. */
void mpi_shift(struct mpi_job *m, const struct mpi_part *list, size_t n, size_t groups);
