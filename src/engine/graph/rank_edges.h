/*
 * What the ranks of a job did together, as edges of the graph of calls. A reader that knows them
 * adds them, before graph_finish; trace_meet does it for collectives that files name. The critical
 * path (engine/path) then leads from rank to rank.
 *
 * Members are the spans that wait: kernels of a queue, or blocking calls of a thread. A span that
 * is communication has NODE_COLLECTIVE, too. Times of all ranks must be of one clock. An edge that
 * the times contradict takes no part.
 */
#pragma once

#include "engine/graph/graph.h"

/* The members of one collective: each could end only after the last of them had begun. Also for a
 * send and its receive where both wait for each other. false: the graph is full. */
static inline bool graph_meet(struct graph *g, const uint32_t *members, size_t n)
{
    bool room = true;
    for (size_t i = 1; i < n; i++)
        room &= graph_connect(g, members[i - 1], members[i], EDGE_MEETS);
    return room;
}

/* A message: the receive could end only after its send had begun. A send and a receive that do not
 * wait are of the call that does: the wait of the receive, the begin of the send. */
static inline bool graph_message(struct graph *g, uint32_t send, uint32_t receive)
{
    return graph_connect(g, send, receive, EDGE_MESSAGE);
}
