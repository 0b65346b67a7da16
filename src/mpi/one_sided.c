/* The calls about windows: memory that other ranks read and write. They are spans with the bytes
 * that are moved; a fence is a collective of the window's ranks, and MPI_Win_post and the like are
 * told as messages. */
#include "mpi/calls.h"

/* What is moved: the target's rank in the window, and bytes of the origin. */
static void note_move(struct mpi_record *r, MPI_Win window, int target, int n, MPI_Datatype type)
{
    mpi_record_window(r, window);
    if (!r->what || target == MPI_PROC_NULL)
        return;
    r->peer = target;
    r->bytes = mpi_record_bytes(n, type);
}
#define MOVED  note_move(&r, window, target, n, type)
#define MOVING int n, MPI_Datatype type, int target, MPI_Aint at, int there, MPI_Datatype its
#define MOVE   n, type, target, at, there, its
CALL(Put, (const void *buf, MOVING, MPI_Win window), (buf, MOVE, window), MOVED, NOTHING);
CALL(Get, (void *buf, MOVING, MPI_Win window), (buf, MOVE, window), MOVED, NOTHING);
CALL(Accumulate, (const void *buf, MOVING, MPI_Op op, MPI_Win window), (buf, MOVE, op, window),
     MOVED, NOTHING);
CALL(Rput, (const void *buf, MOVING, MPI_Win window, MPI_Request *request),
     (buf, MOVE, window, request), MOVED, NOTHING);
CALL(Rget, (void *buf, MOVING, MPI_Win window, MPI_Request *request), (buf, MOVE, window, request),
     MOVED, NOTHING);
CALL(Raccumulate, (const void *buf, MOVING, MPI_Op op, MPI_Win window, MPI_Request *request),
     (buf, MOVE, op, window, request), MOVED, NOTHING);
/* The result counts, as the origin may give nothing. */
#define GETTING                                                                                    \
    const void *buf, int nbuf, MPI_Datatype tbuf, void *out, int n, MPI_Datatype type, int target, \
        MPI_Aint at, int there, MPI_Datatype its, MPI_Op op, MPI_Win window
#define GOT buf, nbuf, tbuf, out, n, type, target, at, there, its, op, window
CALL(Get_accumulate, (GETTING), (GOT), MOVED, NOTHING);
CALL(Rget_accumulate, (GETTING, MPI_Request *request), (GOT, request), MOVED, NOTHING);
CALL(Fetch_and_op,
     (const void *buf, void *out, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
      MPI_Win window),
     (buf, out, type, target, at, op, window), note_move(&r, window, target, 1, type), NOTHING);
CALL(Compare_and_swap,
     (const void *buf, const void *compare, void *out, MPI_Datatype type, int target, MPI_Aint at,
      MPI_Win window),
     (buf, compare, out, type, target, at, window), note_move(&r, window, target, 1, type),
     NOTHING);

/* Windows. */
#define CREATED                                                                                    \
    if (rc == MPI_SUCCESS)                                                                         \
    mpi_record_name_window(*window, comm)
#define IN_COMM mpi_record_communicator(&r, comm)
CALL(Win_create,
     (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window),
     (base, size, unit, info, comm, window), IN_COMM, CREATED);
CALL_AS(Win_allocate, Win_create,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
        (size, unit, info, comm, base, window), IN_COMM, CREATED);
CALL_AS(Win_allocate_shared, Win_create,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
        (size, unit, info, comm, base, window), IN_COMM, CREATED);
CALL_AS(Win_create_dynamic, Win_create, (MPI_Info info, MPI_Comm comm, MPI_Win *window),
        (info, comm, window), IN_COMM, CREATED);
#define IN_WINDOW mpi_record_window(&r, window)
CALL(Win_free, (MPI_Win * window), (window), mpi_record_window(&r, *window), NOTHING);

/* One that ends nothing need not wait for the others (MPI 3.1, section 11.5.1); all ranks say so,
 * or none. */
CALL(Win_fence, (int hints, MPI_Win window), (hints, window),
     if (hints & MPI_MODE_NOPRECEDE) IN_WINDOW;
     else mpi_record_together_at(&r, window), NOTHING);
#define TELL(epoch, tag, what)                                                                     \
    mpi_record_tell_epoch(&r, window, EPOCH_##epoch, MPI_RECORD_##tag, MPI_RECORD_##what)
CALL(Win_post, (MPI_Group group, int hints, MPI_Win window), (group, hints, window), IN_WINDOW,
     mpi_record_epoch(&r, window, EPOCH_EXPOSURE, group);
     TELL(EXPOSURE, POST_TO_START, SENT); TELL(EXPOSURE, POST_TO_COMPLETE, SENT));
CALL(Win_start, (MPI_Group group, int hints, MPI_Win window), (group, hints, window), IN_WINDOW,
     mpi_record_epoch(&r, window, EPOCH_ACCESS, group);
     TELL(ACCESS, POST_TO_START, RECEIVED));
CALL(Win_complete, (MPI_Win window), (window), IN_WINDOW, TELL(ACCESS, POST_TO_COMPLETE, RECEIVED);
     TELL(ACCESS, COMPLETE_TO_WAIT, SENT));
CALL(Win_wait, (MPI_Win window), (window), IN_WINDOW, TELL(EXPOSURE, COMPLETE_TO_WAIT, RECEIVED));
CALL_AS(
    Win_test, Win_wait, (MPI_Win window, int *flag), (window, flag), IN_WINDOW,
    if (rc == MPI_SUCCESS && *flag) {
        mpi_record_polled(&r);
        TELL(EXPOSURE, COMPLETE_TO_WAIT, RECEIVED);
    } else mpi_record_poll(&r, false));
#define AT_TARGET                                                                                  \
    IN_WINDOW;                                                                                     \
    r.peer = target
CALL(Win_lock, (int kind, int target, int hints, MPI_Win window), (kind, target, hints, window),
     AT_TARGET;
     r.tag = kind == MPI_LOCK_EXCLUSIVE, NOTHING);
CALL(Win_unlock, (int target, MPI_Win window), (target, window), AT_TARGET, NOTHING);
CALL(Win_lock_all, (int hints, MPI_Win window), (hints, window), IN_WINDOW, NOTHING);
CALL(Win_unlock_all, (MPI_Win window), (window), IN_WINDOW, NOTHING);
CALL(Win_flush, (int target, MPI_Win window), (target, window), AT_TARGET, NOTHING);
CALL_AS(Win_flush_local, Win_flush, (int target, MPI_Win window), (target, window), AT_TARGET,
        NOTHING);
CALL(Win_flush_all, (MPI_Win window), (window), IN_WINDOW, NOTHING);
CALL_AS(Win_flush_local_all, Win_flush_all, (MPI_Win window), (window), IN_WINDOW, NOTHING);
