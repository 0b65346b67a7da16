/* What the files of the library share. calls.c and one_sided.c have the calls of MPI, requests.c
 * what is open between two of them, record.c the file and the communicators. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <stdbool.h>

#include "format/mpi_record.h"

#if MPI_VERSION < 3
#error "rooftop records MPI 3 and later"
#endif

/* record.c */
uint64_t mpi_record_now(void);
/* Begins a call's record. Its `what` is 0 if the call is not to be recorded: MPI may call itself,
 * and only the outermost call of a thread counts. */
struct mpi_record mpi_record_begin(enum mpi_record_call call);
/* Ends it and writes it, unless its `what` is 0. Returns rc. */
int mpi_record_end(struct mpi_record *r, int rc);
void mpi_record_put(const struct mpi_record *r);
/* A call that asked, and that the thread will ask again or follow by a receive: it leaves no
 * record. blocked: one of its own unless a receive follows soon. */
void mpi_record_poll(struct mpi_record *r, bool blocked);
/* A call that ends such polling begins where that began. */
void mpi_record_polled(struct mpi_record *r);
void mpi_record_lose(void); /* counts what is not recorded */
/* After MPI_Init: opens the file. */
void mpi_record_init(struct mpi_record *r, int rc);
void mpi_record_close(void);
uint64_t mpi_record_bytes(int count, MPI_Datatype type);
/* Gives the communicator a number, the same in all its members. Those between two groups get none:
 * their calls are spans without a partner. */
void mpi_record_name(MPI_Comm comm);
void mpi_record_communicator(struct mpi_record *r, MPI_Comm comm);
/* Counts a collective of a communicator, before the call. root -1: it has none. */
void mpi_record_together(struct mpi_record *r, MPI_Comm comm, int root, uint64_t bytes);
/* A window counts as a communicator of its own. */
void mpi_record_name_window(MPI_Win window, MPI_Comm comm);
void mpi_record_window(struct mpi_record *r, MPI_Win window);
void mpi_record_together_at(struct mpi_record *r, MPI_Win window);
/* What a rank has of a window from one call to another: others' memory, its own for others. */
enum epoch { EPOCH_ACCESS, EPOCH_EXPOSURE, EPOCHS };
/* Begins an epoch with the ranks of a group. */
void mpi_record_epoch(const struct mpi_record *r, MPI_Win window, enum epoch e, MPI_Group group);
/* Puts a message without bytes to or from each rank of the epoch. what: SENT or RECEIVED. */
void mpi_record_tell_epoch(const struct mpi_record *r, MPI_Win window, enum epoch e,
                           enum mpi_record_tag tag, enum mpi_record_what what);

/* requests.c */
/* A request that is open. Its handle is a number or a pointer, by the MPI. */
struct request {
    uint64_t handle; /* 0: free */
    uint64_t serial;
    uint64_t order, communicator, bytes;
    int peer, tag;
    uint8_t what; /* SENT, RECEIVED or APART; 0: of a kind that is not recorded */
    bool persistent, active;
};

void mpi_record_send(struct mpi_record *r, MPI_Comm comm, int peer, int tag, uint64_t bytes);
/* Which message came, the status knows also where the program asked for any. */
void mpi_record_receive(struct mpi_record *r, MPI_Comm comm, const MPI_Status *status, int rc);
uint64_t mpi_request_handle(MPI_Request request);
/* Likewise of a message that a probe has taken. */
uint64_t mpi_message_handle(MPI_Message message);
/* Keeps what a call began, until another call ends it. */
void mpi_request_keep(uint64_t handle, const struct request *r);
/* What was last begun with this handle; its handle is 0: nothing is known. */
struct request mpi_request_find(uint64_t handle);
/* It is over: a persistent one stays unless it is freed. */
void mpi_request_forget(const struct request *q, bool freed);
/* Keeps a collective that a call began, until another call ends it. */
void mpi_request_keep_together(struct mpi_record *r, MPI_Request request, int rc);
/* Starts a persistent request. */
void mpi_request_start(MPI_Request request, struct mpi_record *r);
/* A request that a call has ended: a record of its own, with the time of the call. */
void mpi_request_end(const struct mpi_record *call, const struct request *q,
                     const MPI_Status *status);

/* The requests before a call, which may end some. */
struct handles {
    struct request few[64], *list;
    MPI_Status few_statuses[64], *statuses;
};

bool mpi_requests_begin(struct handles *h, int n, const MPI_Request *list, MPI_Status *given,
                        bool ignored);
void mpi_requests_free(struct handles *h, bool ignored);
