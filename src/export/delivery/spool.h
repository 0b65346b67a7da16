/*
 * Messages that wait to be sent, each in a file of a user's folder. A file is complete or does not
 * exist. Files with other names are left alone. Several rooftop processes may use the folder at
 * once: one that sends a file holds a lock on it, which the kernel releases when the process ends
 * in any way.
 */
#pragma once

#include "export/delivery/endpoint.h"

enum { SPOOL_PATH = 1024, SPOOL_NAME = 64, SPOOL_PARTS = 3 };
#define SPOOL_MESSAGE_MAX (UINT64_C(16) << 20) /* bytes of a file */

struct spool {
    char folder[SPOOL_PATH];
    uint64_t limit; /* bytes of all files */
    uint64_t used;  /* bytes in use, as far as known */
    uint64_t next;  /* number of this process's next file */
    char **names;   /* files that the last look found, oldest first; `at` is the next */
    size_t n, cap, at;
    uint64_t damaged; /* number of files that were set aside */
};

/* A message in the spool. */
struct spool_message {
    char name[SPOOL_NAME];
    char url[ENDPOINT_URL];
    enum endpoint_protocol protocol;
    uint32_t spans;
    uint64_t size; /* of the file */
    uint8_t *file; /* the whole file, malloc'ed; NULL if only the head was read */
    uint8_t *data; /* the message, inside file */
    size_t n;
    int fd; /* holds the lock; -1 none */
};

/* folder NULL: rooftop/otlp in the state folder. 0 or -errno with err. */
int spool_open(struct spool *s, const char *folder, uint64_t limit, struct error *err);
void spool_close(struct spool *s);
/* Adds a message, which is its parts in order. -ENOSPC with err: the spool is full. */
int spool_add(struct spool *s, const struct endpoint *to, const void *const part[SPOOL_PARTS],
              const size_t size[SPOOL_PARTS], uint32_t spans, struct error *err);
/* Takes the next message, oldest first, that no other process has; only for this address unless url
 * is NULL. Sets damaged files aside. false: there is no further one since the last spool_look. End
 * it with spool_done or spool_leave. */
bool spool_take(struct spool *s, const char *url, struct spool_message *m);
void spool_done(struct spool *s, struct spool_message *m); /* it was sent: removes it */
void spool_leave(struct spool_message *m);                 /* keeps it */
/* Looks at the folder again, so that all messages can be taken again. */
void spool_look(struct spool *s);
/* Sets aside damaged files whose address cannot be read. */
void spool_check(struct spool *s);
/* The messages that wait for one address. */
struct spool_sum {
    char url[ENDPOINT_URL];
    uint64_t messages, spans, bytes;
    char oldest[SPOOL_NAME]; /* name of the oldest file: it begins with the time of day in ns */
};
/* Sums for each of the first few hundred addresses, also of messages that other processes hold. The
 * caller frees the list. */
struct spool_sum *spool_sums(struct spool *s, size_t *n);
/* Reads the bytes of a file into m, except name and fd. false if they are incomplete. */
bool spool_parse(uint8_t *file, size_t n, struct spool_message *m);
