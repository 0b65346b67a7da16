/* What the files of this room share. */
#pragma once

#include "base/hash_table.h"
#include "engine/job/job.h"

/* A call of a collective in one rank. A job may have 10^8: 48 bytes each. */
struct job_call {
    uint64_t sequence;     /* of the group, or the number of the call in its rank and group */
    uint64_t duration;     /* ns */
    uint64_t bytes;        /* 0 unknown */
    uint32_t group;        /* index into job.groups */
    uint32_t rank;         /* number of the profile, in the order in which they were added */
    uint32_t order;        /* among all calls, by rank and time */
    float late;            /* ns by which it came after the mean of the others; NaN: not matched */
    uint32_t again : 31;   /* of several calls with this sequence in the rank: 0, 1, ... */
    uint32_t numbered : 1; /* the file says the sequence */
};

struct job_private {
    struct job_call *calls;
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
/* straggler.c */
void job_judge(struct job *j, const uint32_t *place);
