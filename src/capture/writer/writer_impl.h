/* What the writer's files share. */
#ifndef ROOFTOP_CAPTURE_WRITER_WRITER_IMPL_H
#define ROOFTOP_CAPTURE_WRITER_WRITER_IMPL_H

#include <pthread.h>
#include <signal.h>

#include "format/capture.h"
#include "format/sum.h"
#include "capture/writer/writer.h"

enum { WRITER_THREADS_MAX = 8, WRITER_NAME_MAX = 96, WRITER_ZERO_FRAME_MAX = 256 };

/* What one thread works with; made once. */
struct worker {
    struct capture_writer *w;
    pthread_t thread;
    unsigned char *in, *out; /* a block; what it is compressed to */
    size_t out_size;
    struct ZSTD_CCtx_s *zstd;
};

/* Contents on their way into a file; under the writer's lock where it says so. */
struct stream {
    uint64_t address, size;
    struct writer_blob *blob;   /* to fill; NULL: only summed */
    char *error;                /* to fill, CAPTURE_FAILURE_MAX; "" at first */
    uint64_t *sums;             /* a block each */
    const uint64_t *before;     /* the sums of the same before; NULL: none to compare with */
    char name[WRITER_NAME_MAX]; /* below the folder, without ".zst" */
    bool raw;                   /* in any case */
    bool whole;                 /* a device's: read block by block, each read waits for it */
    /* under the lock: */
    enum { UNDECIDED, RAW, ZSTD } as;
    int fd;
    size_t left;     /* blocks that are not done */
    size_t landed;   /* zstd: blocks whose place in the file is known */
    size_t zeros;    /* zstd: landed blocks of zeros that were not written yet */
    uint64_t offset; /* zstd: where the next one goes */
    bool failed;     /* could not be read */
    bool changed;    /* a sum is another than before */
};

/* What the threads do together: blocks of streams, in order. */
struct pass {
    struct stream *streams;
    size_t n, stream, block; /* next to be taken */
    size_t left;             /* streams that are not done */
    capture_read read;
    void *ctx;
    _Atomic uint64_t *progress;
};

struct capture_writer {
    int folder;       /* -1: not open */
    bool made, ended; /* the folder is ours; the capture is complete */
    enum writer_encoding encoding;
    struct worker workers[WRITER_THREADS_MAX]; /* the first is the caller */
    int nworkers;
    bool leave; /* the workers' memory, at the end */
    pthread_mutex_t lock;
    pthread_cond_t work, landed, done;
    struct pass *pass;
    bool quit;
    _Atomic int failed; /* error number; with why under the lock */
    char why[CAPTURE_FAILURE_MAX];
    uint64_t write_ns, write_bytes; /* how fast the disk was lately, over all threads */
    uint64_t stored;
    uint64_t zero_sum; /* of a block of zeros */
    unsigned char zero_frame[WRITER_ZERO_FRAME_MAX];
    size_t zero_frame_size;
    uint64_t *sums; /* of the regions before, mapped */
    size_t nsums, nregions;
    uint64_t kernarg_sum, code_sum;
    bool has_code;
    char path[4096];
};

/* Zeroed memory of its own; NULL where there is none. */
void *writer_map(size_t size);
void writer_unmap(void *p, size_t size);

/* Sets why and failed, once: the first failure stays. what: a file. Returns the error number. */
int writer_fail(struct capture_writer *w, int code, const char *what);

/* --- writer_folder.c: 0 or an error number --- */
int folder_make(struct capture_writer *w, const char *path);
void folder_remove(struct capture_writer *w);                       /* and all that is in it */
void folder_drop(const struct capture_writer *w, const char *name); /* one below it */
int folder_create(const struct capture_writer *w, const char *name, int *fd);
/* All of it at an offset; what is written once more after a signal, or after half of it. */
int folder_put(int fd, const void *p, size_t n, uint64_t offset);
struct folder_text {
    const char *name;
    const void *p;
    size_t n;
};
/* Whole files, through other names: all are written before the first gets its own, so that a full
 * disk leaves those that were there before. */
int folder_files(struct capture_writer *w, const struct folder_text *files, size_t n);
int folder_file(struct capture_writer *w, const char *name, const void *p, size_t n);

/* No signal but those of a fault is taken by this thread, and none that a full disk sends is left.
 */
struct quiet {
    sigset_t before;
    bool pending;
};
void quiet_begin(struct quiet *q);
void quiet_end(const struct quiet *q);

/* --- writer_blobs.c --- */
size_t blob_blocks(uint64_t size);
size_t blob_size(uint64_t size, size_t block); /* of one of them */
/* The caller and the other threads do a pass; returns the writer's failure. */
int blobs_run(struct capture_writer *w, struct pass *p);
void *blobs_thread(void *worker);
/* --- writer_block.c: one block of a stream, and a stream's end; failures are in w or s --- */
void block_write(struct worker *k, struct pass *p, struct stream *s, size_t block);
void block_written(struct capture_writer *w, struct stream *s);

/* --- writer_text.c: a growing text, mapped --- */
struct text {
    char *p;
    size_t n, cap;
    bool failed; /* no memory */
};
void text_put(struct text *t, const char *s);
void text_bytes(struct text *t, const char *s, size_t n);
void text_number(struct text *t, uint64_t v);
void text_string(struct text *t, const char *s); /* quoted, escaped as base/print.h has JSON */
void text_free(struct text *t);

/* --- writer_json.c --- */
void json_dispatch(struct text *t, const struct capture_writer *w, const struct writer_dispatch *d,
                   const struct writer_variable *variables, size_t n);
void json_regions(struct text *t, const struct writer_region *regions, size_t n);

#endif
