/* What capture_look.c and its thread, capture_look_work.c, share. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_LOOK_IMPL_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_LOOK_IMPL_H

#include <pthread.h>

#include "engine/capture/capture_look.h"
#include "format/capture.h"

enum { LOOK_SLOTS = 6 };
enum slot_state { SLOT_FREE, SLOT_WANTED, SLOT_READY, SLOT_FAILED };

struct look_slot { /* room for one block of a region */
    enum slot_state state;
    size_t region, block;
    bool after, zero;
    uint8_t *bytes; /* CAPTURE_BLOCK bytes; NULL until needed */
    uint64_t used;  /* the screen's clock when it was used last; the lowest is replaced first */
    char why[160];
};

struct capture_look {
    int refs; /* atomic */
    int fd;
    char *path;
    /* written by the thread; constant once opened (atomic) is set */
    bool opened;
    struct capture *capture;
    struct code_object *code;
    const struct code_kernel *kernel;
    struct kernarg args;
    bool has_args;
    char why[512], code_why[512];
    /* protected by the lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit;
    struct look_slot slot[LOOK_SLOTS];
    uint64_t clock;
    struct look_search search;
    bool searching, hit_ready;
    uint64_t serial; /* number of the search; a search whose number differs is no longer wanted */
    struct look_hit hit;
};

void look_report(struct capture_look *l);
void look_work(struct capture_look *l); /* the thread's main function */
/* The contents of a region before or after the kernel; NULL with *why if there are none. */
const struct capture_blob *look_blob(const struct capture_region *r, bool after, const char **why);
/* Runs *s, a copy of l->search, until it ends or l->serial differs from serial. */
void look_run_search(struct capture_look *l, const struct look_search *s, uint64_t serial,
                     struct look_hit *hit);

#endif
