/*
 * Sends messages to one collector from a thread of its own. Every message is first a file of the
 * spool, so nothing is lost while the collector is away, or when rooftop ends. It also sends
 * messages of earlier runs for the same address.
 */
#pragma once

#include "export/delivery/answer.h"
#include "export/delivery/spool.h"

struct delivery_config {
    const struct endpoint *endpoint; /* borrowed */
    const char *spool;               /* folder of the spool; NULL = the default one */
    uint64_t spool_bytes;            /* limit of the spool; 0 = DELIVERY_SPOOL */
    uint64_t wait_ns;                /* at the end: how long to try while no message is taken */
    uint64_t whole_ns;               /* at the end: how long in all; 0 = while messages are taken */
    uint64_t pause_ns;               /* first pause between two attempts; 0 = a second */
    bool any_address; /* send all messages of the spool, also those for other addresses */
};
#define DELIVERY_SPOOL     (UINT64_C(256) << 20)
#define DELIVERY_PAUSE     UINT64_C(1000000000)
#define DELIVERY_PAUSE_MAX (UINT64_C(30) * 1000000000)

struct delivery_report {
    uint64_t taken, rejected, refused, lost; /* spans; rejected: of messages that were taken */
    uint64_t messages, requests, damaged;
    uint64_t waiting, waiting_bytes; /* spans in the spool for this address, at the end */
    char why[ANSWER_TEXT];           /* the last reason why a message was not taken */
    char rejected_why[ANSWER_TEXT];  /* what the collector said about rejected or refused spans */
    char lost_why[ANSWER_TEXT];      /* why the spool did not take the last lost spans */
    char folder[SPOOL_PATH];
};

struct delivery;
/* Returns 0, or -errno with err if there is no libcurl or no spool. */
int delivery_open(struct delivery **out, const struct delivery_config *c, struct error *err);
/* Adds a message. If the spool is full and `wait` is set, waits as long as the collector takes
 * messages. If there is still no room, the spans are lost and counted: -ENOSPC with err. -errno if
 * the spool cannot be written. */
int delivery_add(struct delivery *d, const void *const part[SPOOL_PARTS],
                 const size_t size[SPOOL_PARTS], uint32_t spans, bool wait, struct error *err);
/* The present state of sending. */
struct delivery_state {
    bool away;                /* the last attempt failed, or nothing more is sent */
    uint64_t lost;            /* number of lost spans so far */
    uint64_t taken, messages; /* spans that were taken, in so many messages */
    char why[ANSWER_TEXT], lost_why[ANSWER_TEXT];
};
void delivery_look(struct delivery *d, struct delivery_state *out);
/* Says that no message will come. The time that delivery_end waits begins now: call it for all
 * deliveries first. */
void delivery_finish(struct delivery *d);
/* After delivery_finish: waits a little. Returns false when all is sent, its time is over, or this
 * thread's watch says stop. */
bool delivery_wait(struct delivery *d);
/* Waits as long as delivery_wait says so, then frees d. */
void delivery_end(struct delivery *d, struct delivery_report *out);
