/* What the files of this room share. */
#pragma once

#include "base/hash_table.h"
#include "engine/job/job.h"
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
};

/* collectives.c. Adds those of a profile; ranks has the number in j->ranks of each row of u. */
void job_add_calls(struct job *j, const struct trace *t, const struct device_uses *u,
                   const uint32_t *ranks);
/* Matches the calls of all ranks and fills the groups, and what ranks waited and caused. place: the
 * index in j->ranks of each profile in the order in which they were added. */
void job_match(struct job *j, const uint32_t *place);
/* collective_sizes.c. Fills the group's sizes; sorts the list. */
void job_sum_up_sizes(struct job_group *g, struct job_transfer *list, size_t n);
/* straggler.c */
void job_judge(struct job *j, const uint32_t *place);
