/* Messages, and the requests that are open between two calls. */
#include "mpi/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- messages --- */

void mpi_record_send(struct mpi_record *r, MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    mpi_record_communicator(r, comm);
    if (!r->what || peer == MPI_PROC_NULL)
        return;
    r->what |= MPI_RECORD_SENT;
    r->peer = peer;
    r->tag = tag;
    r->bytes = bytes;
}

void mpi_record_receive(struct mpi_record *r, MPI_Comm comm, const MPI_Status *status, int rc)
{
    int bytes = 0, cancelled = 0;
    mpi_record_communicator(r, comm);
    if (!r->what || rc != MPI_SUCCESS || status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        return;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    r->what |= MPI_RECORD_RECEIVED;
    r->peer = status->MPI_SOURCE;
    r->tag = status->MPI_TAG;
    r->bytes = bytes > 0 ? (uint64_t)bytes : 0;
}

/* --- requests --- */

enum { REQUESTS_FIRST = 256, REQUESTS_MAX = 1 << 22 };
static struct {
    pthread_mutex_t lock;
    struct request *list;
    size_t n, room; /* room: a power of two */
    uint64_t serial;
} requests = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t mpi_request_handle(MPI_Request request)
{
    uint64_t handle = 0;
    memcpy(&handle, &request, sizeof request);
    return request == MPI_REQUEST_NULL ? 0 : handle;
}

/* The upper bit, which no address and no number has, keeps them apart from requests. */
uint64_t mpi_message_handle(MPI_Message message)
{
    uint64_t handle = 0;
    memcpy(&handle, &message, sizeof message);
    return handle | UINT64_C(1) << 63;
}

static size_t find_first_place(uint64_t handle)
{
    return (handle * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (requests.room - 1);
}

static size_t find_next_place(size_t i)
{
    return (i + 1) & (requests.room - 1);
}

/*
 * A call that ends a request gives its handle free, and another thread may have begun a new request
 * with that handle before this one is taken out: so there may be two, told apart by their serial
 * numbers. What a call ends is looked up before the call.
 */
static struct request *find_free_place(uint64_t handle)
{
    size_t i = find_first_place(handle);
    while (requests.list[i].handle)
        i = find_next_place(i);
    return &requests.list[i];
}

/* The newest request with this handle; NULL: none. */
static struct request *find_newest_request(uint64_t handle)
{
    struct request *found = NULL;
    if (!handle || !requests.n)
        return NULL;
    for (size_t i = find_first_place(handle); requests.list[i].handle; i = find_next_place(i)) {
        struct request *at = &requests.list[i];
        if (at->handle == handle && (!found || at->serial > found->serial))
            found = at;
    }
    return found;
}

static bool make_room_for_request(void)
{
    const size_t was = requests.room, room = was ? 2 * was : REQUESTS_FIRST;
    struct request *old = requests.list;
    if (requests.n * 2 < was)
        return true;
    if (room > REQUESTS_MAX)
        return false;
    struct request *list = calloc(room, sizeof *list);
    if (!list)
        return false;
    requests.list = list;
    requests.room = room;
    for (size_t i = 0; i < was; i++)
        if (old[i].handle)
            *find_free_place(old[i].handle) = old[i];
    free(old);
    return true;
}

void mpi_request_keep(uint64_t handle, const struct request *r)
{
    if (!handle)
        return;
    pthread_mutex_lock(&requests.lock);
    if (make_room_for_request()) {
        struct request *at = find_free_place(handle);
        *at = *r;
        at->handle = handle;
        at->serial = ++requests.serial;
        requests.n++;
    } else {
        mpi_record_lose();
    }
    pthread_mutex_unlock(&requests.lock);
}

/* Moves up those that were put further than their place because it was taken. */
static void remove_request(struct request *at)
{
    size_t i = (size_t)(at - requests.list);
    requests.n--;
    at->handle = 0;
    while (requests.list[i = find_next_place(i)].handle) {
        const struct request moved = requests.list[i];
        requests.list[i].handle = 0;
        *find_free_place(moved.handle) = moved;
    }
}

struct request mpi_request_find(uint64_t handle)
{
    pthread_mutex_lock(&requests.lock);
    const struct request *at = find_newest_request(handle);
    const struct request found = at ? *at : (struct request){.handle = 0};
    pthread_mutex_unlock(&requests.lock);
    return found;
}

void mpi_request_forget(const struct request *q, bool freed)
{
    if (!q->handle)
        return;
    pthread_mutex_lock(&requests.lock);
    size_t i = find_first_place(q->handle); /* it was found: there is a table */
    while (requests.list[i].handle && requests.list[i].serial != q->serial)
        i = find_next_place(i);
    if (requests.list[i].handle && !freed && q->persistent)
        requests.list[i].active = false;
    else if (requests.list[i].handle)
        remove_request(&requests.list[i]);
    pthread_mutex_unlock(&requests.lock);
}

void mpi_request_keep_together(struct mpi_record *r, MPI_Request request, int rc)
{
    if (rc != MPI_SUCCESS || !(r->what & MPI_RECORD_TOGETHER))
        return;
    r->what |= MPI_RECORD_APART;
    mpi_request_keep(mpi_request_handle(request), &(struct request){.order = r->order,
                                                                    .communicator = r->communicator,
                                                                    .bytes = r->bytes,
                                                                    .peer = r->peer,
                                                                    .tag = -1,
                                                                    .what = MPI_RECORD_APART});
}

void mpi_request_start(MPI_Request request, struct mpi_record *r)
{
    pthread_mutex_lock(&requests.lock);
    struct request *at = find_newest_request(mpi_request_handle(request));
    if (at) {
        at->active = true;
        at->order = r->order;
        if (r->what && at->what == MPI_RECORD_SENT) {
            r->what |= MPI_RECORD_SENT;
            r->communicator = at->communicator;
            r->peer = at->peer;
            r->tag = at->tag;
            r->bytes = at->bytes;
        }
    }
    pthread_mutex_unlock(&requests.lock);
}

void mpi_request_end(const struct mpi_record *call, const struct request *q,
                     const MPI_Status *status)
{
    mpi_request_forget(q, false);
    if (!q->handle || (q->persistent && !q->active) || !call->what)
        return;
    struct mpi_record r = *call;
    r.end = mpi_record_now();
    r.order = q->order;
    r.communicator = q->communicator;
    r.peer = q->peer;
    r.tag = q->tag;
    r.bytes = q->bytes;
    r.what = 0;
    if (q->what == MPI_RECORD_RECEIVED) {
        struct mpi_record got = {.what = MPI_RECORD_SPAN, .peer = -1};
        mpi_record_receive(&got, MPI_COMM_NULL, status, MPI_SUCCESS);
        r.what = got.what & MPI_RECORD_RECEIVED;
        r.peer = got.peer;
        r.tag = got.tag;
        r.bytes = got.bytes;
    } else if (q->what == MPI_RECORD_SENT) {
        r.what = MPI_RECORD_COMPLETED;
    } else if (q->what == MPI_RECORD_APART) {
        r.what = MPI_RECORD_APART;
    }
    if (r.what)
        mpi_record_put(&r);
}

bool mpi_requests_begin(struct handles *h, int n, const MPI_Request *list, MPI_Status *given,
                        bool ignored)
{
    const size_t size = n > 0 ? (size_t)n : 0;
    const bool few = size <= sizeof h->few / sizeof *h->few;
    h->list = few ? h->few : malloc(size * sizeof *h->list);
    h->statuses = given;
    if (ignored)
        h->statuses = few ? h->few_statuses : malloc(size * sizeof *h->statuses);
    if (!h->list || !h->statuses) { /* the call is made all the same, and not looked at */
        free(h->list != h->few ? h->list : NULL);
        free(ignored && h->statuses != h->few_statuses ? h->statuses : NULL);
        h->statuses = given;
        h->list = NULL;
        return false;
    }
    for (size_t i = 0; i < size; i++)
        h->list[i] = mpi_request_find(mpi_request_handle(list[i]));
    return true;
}

void mpi_requests_free(struct handles *h, bool ignored)
{
    if (!h->list)
        return;
    if (h->list != h->few)
        free(h->list);
    if (ignored && h->statuses != h->few_statuses)
        free(h->statuses);
}
