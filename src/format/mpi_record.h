/*
 * The file in which a rank of an MPI program records its calls: a header, then records of one size
 * until the file's end or the first that is all zeros. It is written through a shared mapping, so
 * that what a killed rank had recorded is there. All numbers have the byte order of the machine.
 *
 * src/mpi/record.c writes it. The site's own mpicc compiles that with this header and nothing else
 * of rooftop.
 */
#pragma once

#include <stdint.h>

#define MPI_RECORD_FILE  "mpi.calls" /* in the rank's folder */
#define MPI_RECORD_MAGIC "rooftop-mpi/1\n"
/* Files do not grow beyond this; further calls are counted, not kept. */
#define MPI_RECORD_BYTES_MAX (UINT64_C(512) << 20)

/*
 * What a call does, for the analysis: MPI_CALL(name, kind). The number of a row is in files: new
 * rows go to the end.
 *   SEND, RECEIVE    a message, at the time of the call
 *   START            begins a message that another call ends
 *   COMPLETE         ends messages, each with a record of its own (MPI_RECORD_PART)
 *   ALL              no rank can leave it, or end it, before all have come
 *   FROM_ROOT        none but the root can leave it before the root has come
 *   TO_ROOT          the root cannot leave it before all have come
 *   OTHER            a call
 */
#define MPI_CALLS(MPI_CALL)                                                                        \
    MPI_CALL(Init, OTHER)                                                                          \
    MPI_CALL(Finalize, OTHER)                                                                      \
    MPI_CALL(Abort, OTHER)                                                                         \
    MPI_CALL(Send, SEND)                                                                           \
    MPI_CALL(Ssend, SEND)                                                                          \
    MPI_CALL(Bsend, SEND)                                                                          \
    MPI_CALL(Rsend, SEND)                                                                          \
    MPI_CALL(Recv, RECEIVE)                                                                        \
    MPI_CALL(Mrecv, RECEIVE)                                                                       \
    MPI_CALL(Sendrecv, SEND)                                                                       \
    MPI_CALL(Sendrecv_replace, SEND)                                                               \
    MPI_CALL(Isend, START)                                                                         \
    MPI_CALL(Issend, START)                                                                        \
    MPI_CALL(Ibsend, START)                                                                        \
    MPI_CALL(Irsend, START)                                                                        \
    MPI_CALL(Irecv, START)                                                                         \
    MPI_CALL(Imrecv, START)                                                                        \
    MPI_CALL(Start, START)                                                                         \
    MPI_CALL(Startall, START)                                                                      \
    MPI_CALL(Wait, COMPLETE)                                                                       \
    MPI_CALL(Waitall, COMPLETE)                                                                    \
    MPI_CALL(Waitany, COMPLETE)                                                                    \
    MPI_CALL(Waitsome, COMPLETE)                                                                   \
    MPI_CALL(Test, COMPLETE)                                                                       \
    MPI_CALL(Testall, COMPLETE)                                                                    \
    MPI_CALL(Testany, COMPLETE)                                                                    \
    MPI_CALL(Testsome, COMPLETE)                                                                   \
    MPI_CALL(Probe, OTHER)                                                                         \
    MPI_CALL(Mprobe, OTHER)                                                                        \
    MPI_CALL(Barrier, ALL)                                                                         \
    MPI_CALL(Bcast, FROM_ROOT)                                                                     \
    MPI_CALL(Reduce, TO_ROOT)                                                                      \
    MPI_CALL(Allreduce, ALL)                                                                       \
    MPI_CALL(Reduce_scatter, ALL)                                                                  \
    MPI_CALL(Reduce_scatter_block, ALL)                                                            \
    MPI_CALL(Gather, TO_ROOT)                                                                      \
    MPI_CALL(Gatherv, TO_ROOT)                                                                     \
    MPI_CALL(Scatter, FROM_ROOT)                                                                   \
    MPI_CALL(Scatterv, FROM_ROOT)                                                                  \
    MPI_CALL(Allgather, ALL)                                                                       \
    MPI_CALL(Allgatherv, ALL)                                                                      \
    MPI_CALL(Alltoall, ALL)                                                                        \
    MPI_CALL(Alltoallv, ALL)                                                                       \
    MPI_CALL(Alltoallw, ALL)                                                                       \
    MPI_CALL(Scan, OTHER)                                                                          \
    MPI_CALL(Exscan, OTHER)                                                                        \
    MPI_CALL(Comm_dup, ALL)                                                                        \
    MPI_CALL(Comm_split, ALL)                                                                      \
    MPI_CALL(Comm_split_type, ALL)                                                                 \
    MPI_CALL(Comm_create, ALL)                                                                     \
    MPI_CALL(Comm_create_group, OTHER)                                                             \
    MPI_CALL(Cart_create, ALL)                                                                     \
    MPI_CALL(Cart_sub, ALL)                                                                        \
    MPI_CALL(Graph_create, ALL)                                                                    \
    MPI_CALL(Dist_graph_create, ALL)                                                               \
    MPI_CALL(Dist_graph_create_adjacent, ALL)                                                      \
    MPI_CALL(Intercomm_merge, OTHER)                                                               \
    MPI_CALL(Comm_free, OTHER)                                                                     \
    MPI_CALL(Ibarrier, ALL)                                                                        \
    MPI_CALL(Ibcast, FROM_ROOT)                                                                    \
    MPI_CALL(Ireduce, TO_ROOT)                                                                     \
    MPI_CALL(Iallreduce, ALL)                                                                      \
    MPI_CALL(Ireduce_scatter, ALL)                                                                 \
    MPI_CALL(Ireduce_scatter_block, ALL)                                                           \
    MPI_CALL(Igather, TO_ROOT)                                                                     \
    MPI_CALL(Igatherv, TO_ROOT)                                                                    \
    MPI_CALL(Iscatter, FROM_ROOT)                                                                  \
    MPI_CALL(Iscatterv, FROM_ROOT)                                                                 \
    MPI_CALL(Iallgather, ALL)                                                                      \
    MPI_CALL(Iallgatherv, ALL)                                                                     \
    MPI_CALL(Ialltoall, ALL)                                                                       \
    MPI_CALL(Ialltoallv, ALL)                                                                      \
    MPI_CALL(Ialltoallw, ALL)                                                                      \
    MPI_CALL(Iscan, OTHER)                                                                         \
    MPI_CALL(Iexscan, OTHER)                                                                       \
    MPI_CALL(Put, OTHER)                                                                           \
    MPI_CALL(Get, OTHER)                                                                           \
    MPI_CALL(Accumulate, OTHER)                                                                    \
    MPI_CALL(Get_accumulate, OTHER)                                                                \
    MPI_CALL(Fetch_and_op, OTHER)                                                                  \
    MPI_CALL(Compare_and_swap, OTHER)                                                              \
    MPI_CALL(Rput, OTHER)                                                                          \
    MPI_CALL(Rget, OTHER)                                                                          \
    MPI_CALL(Raccumulate, OTHER)                                                                   \
    MPI_CALL(Rget_accumulate, OTHER)                                                               \
    MPI_CALL(Win_create, OTHER)                                                                    \
    MPI_CALL(Win_free, OTHER)                                                                      \
    MPI_CALL(Win_fence, ALL)                                                                       \
    MPI_CALL(Win_post, OTHER)                                                                      \
    MPI_CALL(Win_start, OTHER)                                                                     \
    MPI_CALL(Win_complete, OTHER)                                                                  \
    MPI_CALL(Win_wait, OTHER)                                                                      \
    MPI_CALL(Win_lock, OTHER)                                                                      \
    MPI_CALL(Win_unlock, OTHER)                                                                    \
    MPI_CALL(Win_lock_all, OTHER)                                                                  \
    MPI_CALL(Win_unlock_all, OTHER)                                                                \
    MPI_CALL(Win_flush, OTHER)                                                                     \
    MPI_CALL(Win_flush_all, OTHER)

#define MPI_RECORD_ROW(name, kind) MPI_RECORD_##name,
enum mpi_record_call { MPI_RECORD_NONE, MPI_CALLS(MPI_RECORD_ROW) MPI_RECORD_CALLS };
#undef MPI_RECORD_ROW

enum mpi_record_what {
    MPI_RECORD_SPAN = 1,     /* a call; the others are no spans */
    MPI_RECORD_SENT = 2,     /* it sent a message */
    MPI_RECORD_RECEIVED = 4, /* it received a message */
    MPI_RECORD_TOGETHER = 8, /* it was the next collective of its communicator */
    MPI_RECORD_MEMBER = 16,  /* no call: this rank is member `peer` of `bytes` of a communicator */
    MPI_RECORD_COMPLETED = 32, /* a send that an earlier call had begun is over */
    /* With TOGETHER: it only began the collective. Without: it ended the collective of this
     * communicator and order, which an earlier call had begun. */
    MPI_RECORD_APART = 64
};

/*
 * Ranks that share a window by MPI_Win_post, start, complete and wait tell each other by these
 * calls that they may go on. Each is recorded as a message without bytes, with a tag of its own:
 * programs have none below 0. Whether MPI_Win_start or MPI_Win_complete waits for the post, the MPI
 * decides; so both are recorded, and neither says for sure that it came after the post.
 */
enum mpi_record_tag {
    MPI_RECORD_POST_TO_START = -2,
    MPI_RECORD_POST_TO_COMPLETE = -3,
    MPI_RECORD_COMPLETE_TO_WAIT = -4
};

struct mpi_record {
    /* ns of CLOCK_MONOTONIC. A call that ends polling begins with the first poll: calls that asked
     * in vain, MPI_Test or MPI_Iprobe, one soon after the other. */
    uint64_t begin, end;
    /* A message has the time at which its send or receive was begun; messages are matched in this
     * order. A collective has the number of earlier ones that the rank called in its communicator.
     */
    uint64_t order;
    uint64_t bytes;
    uint64_t communicator; /* a number that is the same in all its members; 0: not known */
    /* Rank in the communicator, or the root; -1: none. Of MPI_Win_lock, the tag is 1: exclusive. */
    int32_t peer, tag;
    uint32_t thread; /* its kernel id */
    uint8_t call;    /* enum mpi_record_call */
    uint8_t what;    /* enum mpi_record_what, several */
    uint16_t unused;
    uint64_t unused_too;
};

/* The header has the size of HEADER, the rest of which is zeros. */
enum { MPI_RECORD_HEADER = 4096 };
#define MPI_RECORD_WORLD UINT64_C(1) /* the number of MPI_COMM_WORLD */
/* The number of another communicator: its upper bits are of its ranks and their order, its lower
 * ones of how many communicators of these were made before. */
enum { MPI_RECORD_TIMES_BITS = 24, MPI_RECORD_TIMES = (1 << MPI_RECORD_TIMES_BITS) - 1 };
struct mpi_record_header {
    char magic[16];
    uint32_t record_bytes, finalized; /* finalized: 1 when the rank has called MPI_Finalize */
    uint32_t rank, ranks;
    uint64_t pid;
    uint64_t unix_ns;  /* CLOCK_REALTIME - CLOCK_MONOTONIC at MPI_Init */
    uint64_t lost;     /* calls and messages that are not in the file */
    char host[128];    /* its name */
    char clock[128];   /* what names its CLOCK_MONOTONIC: boot and time namespace */
    char library[128]; /* what MPI says of itself */
    char program[128];
};
