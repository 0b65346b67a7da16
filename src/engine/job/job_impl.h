/* What the files of this room share. */
#pragma once

#include "base/hash_table.h"
#include "engine/job/job.h"
#include "engine/mpi/mpi.h"
#include "engine/trace/meetings.h"

/* A collective that is known of all its ranks: its message, and what each link carried. */
struct job_transfer {
    uint64_t bytes;
    double bus; /* bytes/s */
};

struct job_private {
    struct collective_call *calls;
    size_t ncalls, calls_room;
    uint32_t ranks_room, groups_room;
    struct hash_table by_name; /* of the groups */
    uint32_t *mpi_ranks;       /* of each rank of mpi, its number in the order of adding */
    uint32_t mpi_room;
};

/* collectives.c. Adds a call of a group, whose name is copied; ranks: of the group. */
void job_add_call(struct job *j, enum collective_op op, const char *group, uint32_t ranks,
                  struct collective_call call);
/* Adds those of a profile; ranks has the number in j->ranks of each row of u. */
void job_add_calls(struct job *j, const struct trace *t, const struct device_uses *u,
                   const uint32_t *ranks);
/* Matches the calls of all ranks and fills the groups, and what ranks waited and caused. place: the
 * index in j->ranks of each profile in the order in which they were added. */
void job_match(struct job *j, const uint32_t *place);
/* collective_sizes.c. Fills the group's sizes; sorts the list. */
void job_sum_up_sizes(struct job_group *g, struct job_transfer *list, size_t n);
/* Finds the group, or adds it. */
uint32_t job_find_group(struct job *j, enum collective_op op, const char *name, uint32_t ranks);
/* Sorts the groups: most time waited first. */
void job_sort_groups(struct job *j);
/* job_mpi.c. Adds the calls of the rank that was added last, and its row. */
void job_add_mpi(struct job *j, const struct trace *t);
/* Like job_match, of the calls of MPI. */
void job_match_mpi(struct job *j, const uint32_t *place);
/* straggler.c */
void job_judge(struct job *j, const uint32_t *place);
