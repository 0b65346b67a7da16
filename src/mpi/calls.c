/* The calls of MPI, each by both of its names. one_sided.c has those of windows. */
#include "mpi/calls.h"

CALL(Init, (int *argc, char ***argv), (argc, argv), NOTHING, mpi_record_init(&r, rc));
CALL_AS(Init_thread, Init, (int *argc, char ***argv, int required, int *provided),
        (argc, argv, required, provided), NOTHING, mpi_record_init(&r, rc));
CALL(
    Abort, (MPI_Comm comm, int code), (comm, code),
    if (r.what) {
        r.end = r.begin;
        mpi_record_put(&r);
    },
    NOTHING);

static int (*next_Finalize)(void);
__attribute__((constructor)) static void find_Finalize(void)
{
    void *at = dlsym(RTLD_NEXT, "PMPI_Finalize");
    memcpy(&next_Finalize, &at, sizeof at);
}
int MPI_Finalize(void)
{
    struct mpi_record r = mpi_record_begin(MPI_RECORD_Finalize);
    const int rc = next_Finalize();
    mpi_record_end(&r, rc);
    mpi_record_close();
    return rc;
}
int PMPI_Finalize(void) __attribute__((alias("MPI_Finalize")));

/* Messages. */
#define SENDING (const void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
#define SENT    (buf, n, type, peer, tag, comm)
#define NOTE    mpi_record_send(&r, comm, peer, tag, mpi_record_bytes(n, type))
CALL(Send, SENDING, SENT, NOTE, NOTHING);
CALL(Ssend, SENDING, SENT, NOTE, NOTHING);
CALL(Bsend, SENDING, SENT, NOTE, NOTHING);
CALL(Rsend, SENDING, SENT, NOTE, NOTHING);

#define OWN_STATUS                                                                                 \
    MPI_Status own;                                                                                \
    if (status == MPI_STATUS_IGNORE)                                                               \
    status = &own
CALL(Recv,
     (void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status),
     (buf, n, type, peer, tag, comm, status), OWN_STATUS, mpi_record_receive(&r, comm, status, rc);
     mpi_record_polled(&r));

/* The part of a call that receives: a record without a span of its own. */
static void put_receive(const struct mpi_record *call, MPI_Comm comm, const MPI_Status *status,
                        int rc)
{
    struct mpi_record r = *call;
    r.what = call->what & MPI_RECORD_SPAN;
    mpi_record_receive(&r, comm, status, rc);
    if (!(r.what & MPI_RECORD_RECEIVED))
        return;
    r.what = MPI_RECORD_RECEIVED;
    r.end = mpi_record_now();
    mpi_record_put(&r);
}

CALL(Sendrecv,
     (const void *buf, int n, MPI_Datatype type, int peer, int tag, void *in, int nin,
      MPI_Datatype tin, int from, int tagin, MPI_Comm comm, MPI_Status *status),
     (buf, n, type, peer, tag, in, nin, tin, from, tagin, comm, status), OWN_STATUS;
     NOTE, put_receive(&r, comm, status, rc));
CALL(Sendrecv_replace,
     (void *buf, int n, MPI_Datatype type, int peer, int tag, int from, int tagin, MPI_Comm comm,
      MPI_Status *status),
     (buf, n, type, peer, tag, from, tagin, comm, status), OWN_STATUS;
     NOTE, put_receive(&r, comm, status, rc));
/* Who probes waits for the message that is received then: the receive begins with the probe. */
CALL(Probe, (int peer, int tag, MPI_Comm comm, MPI_Status *status), (peer, tag, comm, status),
     mpi_record_communicator(&r, comm), mpi_record_poll(&r, true));
CALL_AS(Iprobe, Probe, (int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
        (peer, tag, comm, flag, status), NOTHING, mpi_record_poll(&r, false));

/* A message that a probe has taken does not say its communicator. It is matched by then: so its
 * place among others is that of the probe. */
static void note_probed(struct mpi_record *r, MPI_Comm comm, MPI_Message message)
{
    mpi_record_communicator(r, comm);
    if (r->what)
        mpi_request_keep(mpi_message_handle(message),
                         &(struct request){.order = r->order, .communicator = r->communicator});
}
static struct request take_probed(MPI_Message message)
{
    const struct request q = mpi_request_find(mpi_message_handle(message));
    mpi_request_forget(&q, true);
    return q;
}
static void note_probed_receive(struct mpi_record *r, const struct request *q,
                                const MPI_Status *status, int rc)
{
    mpi_record_receive(r, MPI_COMM_NULL, status, rc);
    r->communicator = q->communicator;
    r->order = q->communicator ? q->order : r->order;
}
CALL(Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
     (peer, tag, comm, message, status), NOTHING, note_probed(&r, comm, *message);
     mpi_record_poll(&r, true));
CALL_AS(Improbe, Mprobe,
        (int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
        (peer, tag, comm, flag, message, status), NOTHING,
        if (rc == MPI_SUCCESS && *flag) note_probed(&r, comm, *message);
        mpi_record_poll(&r, false));
CALL(Mrecv, (void *buf, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
     (buf, n, type, message, status), OWN_STATUS;
     const struct request was = take_probed(*message), note_probed_receive(&r, &was, status, rc);
     mpi_record_polled(&r));

/* Requests. */
static void keep_send(const struct mpi_record *r, MPI_Request request, int rc, bool persistent)
{
    if (rc != MPI_SUCCESS || !(r->what & MPI_RECORD_SENT))
        return;
    mpi_request_keep(mpi_request_handle(request), &(struct request){.order = r->order,
                                                                    .communicator = r->communicator,
                                                                    .bytes = r->bytes,
                                                                    .peer = r->peer,
                                                                    .tag = r->tag,
                                                                    .what = MPI_RECORD_SENT,
                                                                    .persistent = persistent});
}
static void keep_receive(const struct mpi_record *r, uint64_t communicator, MPI_Request request,
                         int rc, bool persistent)
{
    if (rc == MPI_SUCCESS && r->what)
        mpi_request_keep(mpi_request_handle(request),
                         &(struct request){.order = r->order,
                                           .communicator = communicator,
                                           .what = MPI_RECORD_RECEIVED,
                                           .persistent = persistent});
}

#define STARTING                                                                                   \
    (const void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm,                  \
     MPI_Request *request)
#define STARTED (buf, n, type, peer, tag, comm, request)
#define KEEP    keep_send(&r, *request, rc, false)
CALL(Isend, STARTING, STARTED, NOTE, KEEP);
CALL(Issend, STARTING, STARTED, NOTE, KEEP);
CALL(Ibsend, STARTING, STARTED, NOTE, KEEP);
CALL(Irsend, STARTING, STARTED, NOTE, KEEP);
CALL(Irecv,
     (void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request),
     STARTED, mpi_record_communicator(&r, comm),
     keep_receive(&r, r.communicator, *request, rc, false));
CALL(Imrecv, (void *buf, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
     (buf, n, type, message, request), const struct request was = take_probed(*message),
     r.order = was.communicator ? was.order : r.order;
     keep_receive(&r, was.communicator, *request, rc, false));

/* Making a persistent request is no span. */
#define KEEP_PERSISTENT                                                                            \
    keep_send(&r, *request, rc, true);                                                             \
    r.what = 0
CALL_AS(Send_init, Start, STARTING, STARTED, NOTE, KEEP_PERSISTENT);
CALL_AS(Ssend_init, Start, STARTING, STARTED, NOTE, KEEP_PERSISTENT);
CALL_AS(Bsend_init, Start, STARTING, STARTED, NOTE, KEEP_PERSISTENT);
CALL_AS(Rsend_init, Start, STARTING, STARTED, NOTE, KEEP_PERSISTENT);
CALL_AS(Recv_init, Start,
        (void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
         MPI_Request *request),
        STARTED, mpi_record_communicator(&r, comm),
        keep_receive(&r, r.communicator, *request, rc, true);
        r.what = 0);
CALL(Start, (MPI_Request * request), (request), mpi_request_start(*request, &r), NOTHING);

/* Each send of several that start at once has a record of its own. */
static void start_all(const struct mpi_record *call, int n, const MPI_Request *list)
{
    for (int i = 0; i < n; i++) {
        struct mpi_record r = *call;
        mpi_request_start(list[i], &r);
        if (!(r.what & MPI_RECORD_SENT))
            continue;
        r.what = MPI_RECORD_SENT;
        r.end = r.begin;
        mpi_record_put(&r);
    }
}
CALL(Startall, (int n, MPI_Request *list), (n, list), start_all(&r, n, list), NOTHING);

CALL_AS(
    Request_free, Wait, (MPI_Request * request), (request),
    {
        const struct request q = mpi_request_find(mpi_request_handle(*request));
        mpi_request_forget(&q, true);
        r.what = 0;
    },
    NOTHING);

CALL(Wait, (MPI_Request * request, MPI_Status *status), (request, status), OWN_STATUS;
     const struct request was = mpi_request_find(mpi_request_handle(*request)),
     mpi_record_polled(&r);
     if (rc == MPI_SUCCESS) mpi_request_end(&r, &was, status));
/* A test that finds nothing leaves no record; the one that finds something has the time of all. */
static void end_poll(struct mpi_record *r, int found)
{
    if (found)
        mpi_record_polled(r);
    else
        mpi_record_poll(r, false);
}
CALL(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status),
     OWN_STATUS;
     const struct request was = mpi_request_find(mpi_request_handle(*request)), end_poll(&r, *flag);
     if (rc == MPI_SUCCESS && *flag) mpi_request_end(&r, &was, status));

#define ALL_STATUSES                                                                               \
    struct handles h;                                                                              \
    const bool ignored = statuses == MPI_STATUSES_IGNORE;                                          \
    const bool seen = mpi_requests_begin(&h, n, list, statuses, ignored) && r.what
static void end_all_requests(const struct mpi_record *r, int n, struct handles *h, bool over)
{
    for (int i = 0; i < n && over; i++)
        mpi_request_end(r, &h->list[i], &h->statuses[i]);
}
CALL(Waitall, (int n, MPI_Request list[], MPI_Status *statuses), (n, list, h.statuses),
     ALL_STATUSES, mpi_record_polled(&r);
     end_all_requests(&r, n, &h, seen &&rc == MPI_SUCCESS); mpi_requests_free(&h, ignored));
CALL(Testall, (int n, MPI_Request list[], int *flag, MPI_Status *statuses),
     (n, list, flag, h.statuses), ALL_STATUSES, end_poll(&r, *flag);
     end_all_requests(&r, n, &h, seen &&rc == MPI_SUCCESS && *flag);
     mpi_requests_free(&h, ignored));

static void end_some_requests(const struct mpi_record *r, const int *which, int n,
                              struct handles *h, bool over)
{
    for (int i = 0; i < n && n != MPI_UNDEFINED && over; i++)
        mpi_request_end(r, &h->list[which[i]], &h->statuses[i]);
}
CALL(Waitsome, (int n, MPI_Request list[], int *done, int *which, MPI_Status *statuses),
     (n, list, done, which, h.statuses), ALL_STATUSES, mpi_record_polled(&r);
     end_some_requests(&r, which, *done, &h, seen &&rc == MPI_SUCCESS);
     mpi_requests_free(&h, ignored));
CALL(Testsome, (int n, MPI_Request list[], int *done, int *which, MPI_Status *statuses),
     (n, list, done, which, h.statuses), ALL_STATUSES, end_poll(&r, *done > 0);
     end_some_requests(&r, which, *done, &h, seen &&rc == MPI_SUCCESS);
     mpi_requests_free(&h, ignored));

#define ANY_STATUS                                                                                 \
    OWN_STATUS;                                                                                    \
    struct handles h;                                                                              \
    const bool seen = mpi_requests_begin(&h, n, list, NULL, true) && r.what
static void end_any_request(const struct mpi_record *r, int which, struct handles *h,
                            const MPI_Status *status, bool over)
{
    if (over && which != MPI_UNDEFINED)
        mpi_request_end(r, &h->list[which], status);
    mpi_requests_free(h, true);
}
CALL(Waitany, (int n, MPI_Request list[], int *which, MPI_Status *status), (n, list, which, status),
     ANY_STATUS, mpi_record_polled(&r);
     end_any_request(&r, *which, &h, status, seen &&rc == MPI_SUCCESS));
CALL(Testany, (int n, MPI_Request list[], int *which, int *flag, MPI_Status *status),
     (n, list, which, flag, status), ANY_STATUS, end_poll(&r, *flag);
     end_any_request(&r, *flag ? *which : MPI_UNDEFINED, &h, status, seen &&rc == MPI_SUCCESS));

/* Collectives. */
#define TOGETHER(root, bytes) mpi_record_together(&r, comm, root, bytes)
CALL(Barrier, (MPI_Comm comm), (comm), TOGETHER(-1, 0), NOTHING);
CALL(Bcast, (void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm),
     (buf, n, type, root, comm), TOGETHER(root, mpi_record_bytes(n, type)), NOTHING);
CALL(Reduce,
     (const void *buf, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (buf, out, n, type, op, root, comm), TOGETHER(root, mpi_record_bytes(n, type)), NOTHING);
#define REDUCING (const void *buf, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
#define REDUCED  (buf, out, n, type, op, comm)
CALL(Allreduce, REDUCING, REDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), NOTHING);
CALL(Reduce_scatter_block, REDUCING, REDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), NOTHING);
CALL(Scan, REDUCING, REDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), NOTHING);
CALL(Exscan, REDUCING, REDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), NOTHING);
CALL(Reduce_scatter,
     (const void *buf, void *out, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     REDUCED, TOGETHER(-1, 0), NOTHING);
/* What a rank sends. In place, its type is not to be looked at. */
static uint64_t count_part(const void *buf, int n, MPI_Datatype type)
{
    return buf == MPI_IN_PLACE ? 0 : mpi_record_bytes(n, type);
}
#define PART count_part(buf, n, type)
#define GATHERING                                                                                  \
    (const void *buf, int n, MPI_Datatype type, void *out, int nout, MPI_Datatype tout, int root,  \
     MPI_Comm comm)
#define GATHERED (buf, n, type, out, nout, tout, root, comm)
CALL(Gather, GATHERING, GATHERED, TOGETHER(root, PART), NOTHING);
CALL(Scatter, GATHERING, GATHERED, TOGETHER(root, count_part(out, nout, tout)), NOTHING);
CALL(Gatherv,
     (const void *buf, int n, MPI_Datatype type, void *out, const int *nout, const int *at,
      MPI_Datatype tout, int root, MPI_Comm comm),
     (buf, n, type, out, nout, at, tout, root, comm), TOGETHER(root, PART), NOTHING);
CALL(Scatterv,
     (const void *buf, const int *n, const int *at, MPI_Datatype type, void *out, int nout,
      MPI_Datatype tout, int root, MPI_Comm comm),
     (buf, n, at, type, out, nout, tout, root, comm), TOGETHER(root, count_part(out, nout, tout)),
     NOTHING);
#define EXCHANGING                                                                                 \
    (const void *buf, int n, MPI_Datatype type, void *out, int nout, MPI_Datatype tout,            \
     MPI_Comm comm)
#define EXCHANGED (buf, n, type, out, nout, tout, comm)
CALL(Allgather, EXCHANGING, EXCHANGED, TOGETHER(-1, PART), NOTHING);
CALL(Alltoall, EXCHANGING, EXCHANGED, TOGETHER(-1, PART), NOTHING);
CALL(Allgatherv,
     (const void *buf, int n, MPI_Datatype type, void *out, const int *nout, const int *at,
      MPI_Datatype tout, MPI_Comm comm),
     (buf, n, type, out, nout, at, tout, comm), TOGETHER(-1, PART), NOTHING);
CALL(Alltoallv,
     (const void *buf, const int *n, const int *at, MPI_Datatype type, void *out, const int *nout,
      const int *atout, MPI_Datatype tout, MPI_Comm comm),
     (buf, n, at, type, out, nout, atout, tout, comm), TOGETHER(-1, 0), NOTHING);
CALL(Alltoallw,
     (const void *buf, const int *n, const int *at, const MPI_Datatype *type, void *out,
      const int *nout, const int *atout, const MPI_Datatype *tout, MPI_Comm comm),
     (buf, n, at, type, out, nout, atout, tout, comm), TOGETHER(-1, 0), NOTHING);

/* Collectives that another call ends. */
#define KEEP_TOGETHER mpi_request_keep_together(&r, *request, rc)
CALL(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request), TOGETHER(-1, 0),
     KEEP_TOGETHER);
CALL(Ibcast, (void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
     (buf, n, type, root, comm, request), TOGETHER(root, mpi_record_bytes(n, type)), KEEP_TOGETHER);
CALL(Ireduce,
     (const void *buf, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
      MPI_Request *request),
     (buf, out, n, type, op, root, comm, request), TOGETHER(root, mpi_record_bytes(n, type)),
     KEEP_TOGETHER);
#define IREDUCING                                                                                  \
    (const void *buf, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,               \
     MPI_Request *request)
#define IREDUCED (buf, out, n, type, op, comm, request)
CALL(Iallreduce, IREDUCING, IREDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), KEEP_TOGETHER);
CALL(Ireduce_scatter_block, IREDUCING, IREDUCED, TOGETHER(-1, mpi_record_bytes(n, type)),
     KEEP_TOGETHER);
CALL(Iscan, IREDUCING, IREDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), KEEP_TOGETHER);
CALL(Iexscan, IREDUCING, IREDUCED, TOGETHER(-1, mpi_record_bytes(n, type)), KEEP_TOGETHER);
CALL(Ireduce_scatter,
     (const void *buf, void *out, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
      MPI_Request *request),
     IREDUCED, TOGETHER(-1, 0), KEEP_TOGETHER);
#define IGATHERING                                                                                 \
    (const void *buf, int n, MPI_Datatype type, void *out, int nout, MPI_Datatype tout, int root,  \
     MPI_Comm comm, MPI_Request *request)
#define IGATHERED (buf, n, type, out, nout, tout, root, comm, request)
CALL(Igather, IGATHERING, IGATHERED, TOGETHER(root, PART), KEEP_TOGETHER);
CALL(Iscatter, IGATHERING, IGATHERED, TOGETHER(root, count_part(out, nout, tout)), KEEP_TOGETHER);
CALL(Igatherv,
     (const void *buf, int n, MPI_Datatype type, void *out, const int *nout, const int *at,
      MPI_Datatype tout, int root, MPI_Comm comm, MPI_Request *request),
     (buf, n, type, out, nout, at, tout, root, comm, request), TOGETHER(root, PART), KEEP_TOGETHER);
CALL(Iscatterv,
     (const void *buf, const int *n, const int *at, MPI_Datatype type, void *out, int nout,
      MPI_Datatype tout, int root, MPI_Comm comm, MPI_Request *request),
     (buf, n, at, type, out, nout, tout, root, comm, request),
     TOGETHER(root, count_part(out, nout, tout)), KEEP_TOGETHER);
#define IEXCHANGING                                                                                \
    (const void *buf, int n, MPI_Datatype type, void *out, int nout, MPI_Datatype tout,            \
     MPI_Comm comm, MPI_Request *request)
#define IEXCHANGED (buf, n, type, out, nout, tout, comm, request)
CALL(Iallgather, IEXCHANGING, IEXCHANGED, TOGETHER(-1, PART), KEEP_TOGETHER);
CALL(Ialltoall, IEXCHANGING, IEXCHANGED, TOGETHER(-1, PART), KEEP_TOGETHER);
CALL(Iallgatherv,
     (const void *buf, int n, MPI_Datatype type, void *out, const int *nout, const int *at,
      MPI_Datatype tout, MPI_Comm comm, MPI_Request *request),
     (buf, n, type, out, nout, at, tout, comm, request), TOGETHER(-1, PART), KEEP_TOGETHER);
CALL(Ialltoallv,
     (const void *buf, const int *n, const int *at, MPI_Datatype type, void *out, const int *nout,
      const int *atout, MPI_Datatype tout, MPI_Comm comm, MPI_Request *request),
     (buf, n, at, type, out, nout, atout, tout, comm, request), TOGETHER(-1, 0), KEEP_TOGETHER);
CALL(Ialltoallw,
     (const void *buf, const int *n, const int *at, const MPI_Datatype *type, void *out,
      const int *nout, const int *atout, const MPI_Datatype *tout, MPI_Comm comm,
      MPI_Request *request),
     (buf, n, at, type, out, nout, atout, tout, comm, request), TOGETHER(-1, 0), KEEP_TOGETHER);

/* Communicators. */
#define CREATED                                                                                    \
    if (rc == MPI_SUCCESS)                                                                         \
    mpi_record_name(*out)
CALL(Comm_dup, (MPI_Comm comm, MPI_Comm *out), (comm, out), TOGETHER(-1, 0), CREATED);
CALL_AS(Comm_dup_with_info, Comm_dup, (MPI_Comm comm, MPI_Info info, MPI_Comm *out),
        (comm, info, out), TOGETHER(-1, 0), CREATED);
CALL(Comm_split, (MPI_Comm comm, int colour, int place, MPI_Comm *out), (comm, colour, place, out),
     TOGETHER(-1, 0), CREATED);
CALL(Comm_split_type, (MPI_Comm comm, int type, int place, MPI_Info info, MPI_Comm *out),
     (comm, type, place, info, out), TOGETHER(-1, 0), CREATED);
CALL(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *out), (comm, group, out),
     TOGETHER(-1, 0), CREATED);
CALL(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out),
     (comm, group, tag, out), mpi_record_communicator(&r, comm), CREATED);
CALL(Cart_create,
     (MPI_Comm comm, int n, const int *sides, const int *rings, int order, MPI_Comm *out),
     (comm, n, sides, rings, order, out), TOGETHER(-1, 0), CREATED);
CALL(Cart_sub, (MPI_Comm comm, const int *kept, MPI_Comm *out), (comm, kept, out), TOGETHER(-1, 0),
     CREATED);
CALL(Graph_create,
     (MPI_Comm comm, int n, const int *index, const int *edges, int order, MPI_Comm *out),
     (comm, n, index, edges, order, out), TOGETHER(-1, 0), CREATED);
CALL(Dist_graph_create,
     (MPI_Comm comm, int n, const int *from, const int *degrees, const int *to, const int *weights,
      MPI_Info info, int order, MPI_Comm *out),
     (comm, n, from, degrees, to, weights, info, order, out), TOGETHER(-1, 0), CREATED);
CALL(Dist_graph_create_adjacent,
     (MPI_Comm comm, int nin, const int *in, const int *win, int n, const int *to, const int *wout,
      MPI_Info info, int order, MPI_Comm *out),
     (comm, nin, in, win, n, to, wout, info, order, out), TOGETHER(-1, 0), CREATED);
CALL(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *out), (comm, high, out), NOTHING,
     CREATED);
CALL(Comm_free, (MPI_Comm * comm), (comm), mpi_record_communicator(&r, *comm), NOTHING);
