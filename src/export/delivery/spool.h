/*
 * Messages that wait to be sent: one file each, in a folder of the user's. A file is complete or
 * not there. Files with names of another kind are left alone. Several rooftop processes may use the
 * folder at once: who sends a file holds a lock on it, which the kernel releases when a process
 * ends, however it ends.
 */
#pragma once

#include "export/delivery/endpoint.h"

enum { SPOOL_PATH = 1024, SPOOL_NAME = 64, SPOOL_PARTS = 3 };
#define SPOOL_MESSAGE_MAX (UINT64_C(16) << 20) /* bytes of a file */

struct spool {
    char folder[SPOOL_PATH];
    uint64_t limit; /* bytes of all files */
    uint64_t used;  /* as far as known */
    uint64_t next;  /* number of our next file */
    char **names;   /* of the files found by the last look, oldest first, from `at` on */
    size_t n, cap, at;
    uint64_t damaged; /* files that were set aside */
};

/* A message in the spool. */
struct spool_message {
    char name[SPOOL_NAME];
    char url[ENDPOINT_URL];
    enum endpoint_protocol protocol;
    uint32_t spans;
    uint64_t size; /* of the file */
    uint8_t *file; /* the whole file, malloc'ed; NULL where only the head was wanted */
    uint8_t *data; /* in file: the message */
    size_t n;
    int fd; /* holds the lock; -1 none */
};

/* folder NULL: rooftop/otlp in the state folder. 0 or -errno with err. */
int spool_open(struct spool *s, const char *folder, uint64_t limit, struct error *err);
void spool_close(struct spool *s);
/* Adds a message, whose parts stand one after the other. -ENOSPC with err: it is full. */
int spool_add(struct spool *s, const struct endpoint *to, const void *const part[SPOOL_PARTS],
              const size_t size[SPOOL_PARTS], uint32_t spans, struct error *err);
/*
 * Takes the oldest message that no other process has, after those taken since the last spool_look;
 * for this address only, unless url is NULL. Files that are damaged are set aside. False: there is
 * none. End it with spool_done or spool_leave.
 */
bool spool_take(struct spool *s, const char *url, struct spool_message *m);
void spool_done(struct spool *s, struct spool_message *m); /* it is sent: removes it */
void spool_leave(struct spool_message *m);                 /* it stays */
/* Looks at the folder again, so that all messages can be taken anew. */
void spool_look(struct spool *s);
/* Sets damaged files aside whose address cannot be read. */
void spool_check(struct spool *s);
/* What waits for one address. */
struct spool_sum {
    char url[ENDPOINT_URL];
    uint64_t messages, spans, bytes;
    char oldest[SPOOL_NAME]; /* name of the oldest file: it begins with the time of day in ns */
};
/* Sums for each address, also of messages that others hold; those of the addresses after the first
 * few hundred are left out. The caller frees the list. */
struct spool_sum *spool_sums(struct spool *s, size_t *n);
/* Reads the bytes of a file into m, except name and fd. False where they are not whole. */
bool spool_parse(uint8_t *file, size_t n, struct spool_message *m);
