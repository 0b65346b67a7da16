/* The last steps of a timeline: nests the calls, and links them to what they launched. */
#pragma once

#include "backends/rocm/timeline.h"

/* Makes the nodes of all regions, each below the innermost region that encloses it. */
void rocm_nest(struct rocm_timeline *l);
/* Adds an edge to each launch from the innermost call of its program with the same correlation. */
void rocm_link(struct rocm_timeline *l);
/* Adds an edge from each work to the next of its stream, if that ran on another queue or engine. */
void rocm_order_streams(struct rocm_timeline *l);
