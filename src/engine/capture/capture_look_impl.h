/* What capture_look.c and its thread, capture_look_work.c, share. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_LOOK_IMPL_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_LOOK_IMPL_H

#include <pthread.h>

#include "format/capture.h"
#include "engine/capture/capture_look.h"

enum { LOOK_SLOTS = 6 };
enum slot_state { SLOT_FREE, SLOT_WANTED, SLOT_READY, SLOT_FAILED };

struct look_slot { /* a block of a region */
    enum slot_state state;
    size_t region, block;
    bool after, zero;
    uint8_t *bytes; /* CAPTURE_BLOCK of them; NULL until one was needed */
    uint64_t used;  /* on the screen's clock: the lowest goes first */
    char why[160];
};

struct capture_look {
    int refs; /* atomic */
    int fd;
    char *path;
    /* written by the thread, then never changed once opened is set (atomic) */
    bool opened;
    struct capture *capture;
    struct code_object *code;
    const struct code_kernel *kernel;
    struct kernarg args;
    bool has_args;
    char why[512], code_why[512];
    /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit;
    struct look_slot slot[LOOK_SLOTS];
    uint64_t clock;
    struct look_search search;
    bool searching, hit_ready;
    uint64_t serial; /* of the search: changes when it is not wanted any more */
    struct look_hit hit;
};

void look_report(struct capture_look *l);
void look_work(struct capture_look *l); /* the thread, until it shall end */
/* The contents of a region before or after; NULL with why where there are none. */
const struct capture_blob *look_blob(const struct capture_region *r, bool after, const char **why);
/* A block of a region into to; false with why. Of the thread. */
bool look_read(struct capture_look *l, size_t region, bool after, size_t block, uint8_t *to,
               bool *zero, char *why, size_t size);
/* Runs l->search as it was when serial was drawn. */
void look_run_search(struct capture_look *l, const struct look_search *s, uint64_t serial,
                     struct look_hit *hit);

#endif
