/* Fills the summary of a rank while `rooftop job` records it. */
#pragma once

#include "engine/job/rank_summary.h"
#include "engine/live/snapshot.h"

struct rank_watch;

/*
 * Fills what is known before the program starts: its command, file and build id, the host, the
 * begin, the CPUs and devices. s is borrowed and must outlive the watch. Free it with
 * rank_watch_free.
 */
struct rank_watch *rank_watch_new(struct rank_summary *s, char *const *argv);
/* Adds a sample, and what /proc says of the watched processes now. */
void rank_watch_see(struct rank_watch *w, const struct snapshot *s);
void rank_watch_free(struct rank_watch *w);
