/*
 * Sends messages to one collector from a thread of its own. Every message is first a file of the
 * spool, so nothing is lost while the collector is away, or when rooftop ends. What waited from
 * earlier runs for the same address is sent too.
 */
#pragma once

#include "export/delivery/answer.h"
#include "export/delivery/spool.h"

struct delivery_config {
    const struct endpoint *endpoint; /* borrowed */
    const char *spool;               /* folder; NULL: the usual one */
    uint64_t spool_bytes;            /* at most; 0: DELIVERY_SPOOL */
    uint64_t wait_ns;                /* at the end: how long to try without a message being taken */
    uint64_t whole_ns;               /* and how long altogether; 0: as long as messages are taken */
    uint64_t pause_ns;               /* between two attempts at first; 0: a second */
    bool any_address;                /* send all that waits, whatever address it was meant for */
};
#define DELIVERY_SPOOL     (UINT64_C(256) << 20)
#define DELIVERY_PAUSE     UINT64_C(1000000000)
#define DELIVERY_PAUSE_MAX (UINT64_C(30) * 1000000000)

struct delivery_report {
    uint64_t taken, rejected, refused, lost; /* spans; rejected: of messages that were taken */
    uint64_t messages, requests, damaged;
    uint64_t waiting, waiting_bytes; /* spans in the spool for this address, at the end */
    char why[ANSWER_TEXT];           /* the last reason why something was not taken */
    char rejected_why[ANSWER_TEXT];  /* what the collector said about rejected or refused spans */
    char lost_why[ANSWER_TEXT];      /* why the spool did not take the last ones that are lost */
    char folder[SPOOL_PATH];
};

struct delivery;
/* 0, or -errno with err: no libcurl, no spool. */
int delivery_open(struct delivery **out, const struct delivery_config *c, struct error *err);
/*
 * Adds a message. Where the spool is full: if wait, it waits as long as messages are taken; else,
 * or when none is any more, the spans are lost and counted. -ENOSPC then, with err; -errno where
 * the spool cannot be written.
 */
int delivery_add(struct delivery *d, const void *const part[SPOOL_PARTS],
                 const size_t size[SPOOL_PARTS], uint32_t spans, bool wait, struct error *err);
/* How sending goes now. */
struct delivery_state {
    bool away;     /* the last attempt failed, or nothing is sent any more */
    uint64_t lost; /* spans so far */
    char why[ANSWER_TEXT], lost_why[ANSWER_TEXT];
};
void delivery_look(struct delivery *d, struct delivery_state *out);
/* No message comes any more. For several at once: the time that delivery_end waits begins now. */
void delivery_finish(struct delivery *d);
/* Waits until all is sent, the time is over, or this thread's watch says stop; then frees d. */
void delivery_end(struct delivery *d, struct delivery_report *out);
