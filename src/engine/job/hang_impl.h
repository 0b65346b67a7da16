/* What hang.c and hang_judge.c share. */
#pragma once

#include "engine/job/hang.h"

struct hang_private {
    struct arena texts;
    struct hash_table texts_known, groups, signatures, frames, stacks;
    const char **all_texts;
    uint64_t *keys; /* of each signature: equal if the calls can be the same collective */
    uint32_t ntexts, texts_room, keys_room;
    uint32_t ranks_room, groups_room, signatures_room, frames_room, stacks_room;
};

/* hang_judge.c */
void hang_judge(struct hang *h);
/* hang_cause.c. The groups' members have their places. */
void hang_find_cause(struct hang *h);
