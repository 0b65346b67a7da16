/* The answer about a hang in sentences, for all who show it. Texts are safe to print. */
#pragma once

#include "engine/job/hang.h"

enum { HANG_LINE = 240, HANG_EVIDENCE = 4 };

/* The answer in a sentence. Returns out. */
const char *hang_say_verdict(const struct hang *h, char out[HANG_LINE], bool ascii);
/* What it rests on, one line each. Returns their number. */
int hang_say_evidence(const struct hang *h, char out[HANG_EVIDENCE][HANG_LINE], bool ascii);
/* What a group that waits is in, and how many of its ranks are elsewhere. Returns out. */
const char *hang_say_group(const struct hang *h, const struct hang_group *g, char out[HANG_LINE]);
/* What a member is in, or did last in the group, and where it waits instead. Returns out. */
const char *hang_say_member(const struct hang *h, const struct hang_member *m, char out[HANG_LINE]);
/* A frame of a stack: "backward  /home/u/train.py:88". Returns out. */
const char *hang_say_frame(const struct hang_frame *f, char out[HANG_LINE]);
/* The first rank that the answer names; HANG_UNKNOWN: it names none. */
uint32_t hang_named_rank(const struct hang *h);
