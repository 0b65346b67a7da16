/* What the writer's files share. */
#pragma once

#include <pthread.h>
#include <signal.h>

#include "capture/writer/writer.h"
#include "format/capture.h"
#include "format/sum.h"

enum { WRITER_THREADS_MAX = 8, WRITER_NAME_MAX = 96, WRITER_ZERO_FRAME_MAX = 256 };

/* The memory of one thread, allocated once. */
struct writer_worker {
    struct capture_writer *w;
    pthread_t thread;
    unsigned char *in, *out; /* a block; its compressed form */
    size_t out_size;
    struct ZSTD_CCtx_s *zstd;
};

/* Contents that are written to a file. */
struct stream {
    uint64_t address, size;
    struct writer_blob *blob;   /* to fill; NULL: only compute checksums */
    char *error;                /* to fill, CAPTURE_FAILURE_MAX bytes; "" at first */
    uint64_t *sums;             /* one for each block */
    const uint64_t *before;     /* checksums before the kernel; NULL: nothing to compare with */
    char name[WRITER_NAME_MAX]; /* in the folder, without ".zst" */
    bool raw;                   /* never compressed */
    bool whole; /* device memory: read in whole blocks, because each read waits for the device */
    /* protected by the lock: */
    enum { UNDECIDED, RAW, ZSTD } as;
    int fd;
    size_t left;     /* blocks that are not finished */
    size_t landed;   /* zstd: blocks whose position in the file is known */
    size_t zeros;    /* zstd: landed blocks of zeros that are not written yet */
    uint64_t offset; /* zstd: position of the next frame */
    bool failed;     /* could not be read */
    bool changed;    /* a checksum differs from the one before */
};

/* One job for all threads: blocks of streams, in order. */
struct writer_pass {
    struct stream *streams;
    size_t n, stream, block; /* next to take */
    size_t left;             /* streams that are not finished */
    capture_read read;
    void *ctx;
    _Atomic uint64_t *progress;
};

struct capture_writer {
    int folder;       /* -1: not open */
    bool made, ended; /* we made the folder; the capture is complete */
    enum writer_encoding encoding;
    struct writer_worker workers[WRITER_THREADS_MAX]; /* the first is the caller's */
    int nworkers;
    bool leave; /* keep the workers' memory at the end */
    pthread_mutex_t lock;
    pthread_cond_t work, landed, done;
    struct writer_pass *pass;
    bool quit;
    _Atomic int failed; /* error number; with why under the lock */
    char why[CAPTURE_FAILURE_MAX];
    uint64_t write_ns, write_bytes; /* recent speed of the disk, over all threads */
    uint64_t stored;
    uint64_t zero_sum; /* checksum of a block of zeros */
    unsigned char zero_frame[WRITER_ZERO_FRAME_MAX];
    size_t zero_frame_size;
    uint64_t *sums; /* of the regions before the kernel, mapped */
    size_t nsums, nregions;
    uint64_t kernarg_sum, code_sum;
    bool has_code;
    char path[4096];
};

/* Zeroed memory from mmap; NULL: no memory. */
void *writer_map(size_t size);
void writer_unmap(void *p, size_t size);

/* Sets why and failed; the first error stays. what: a file. Returns the error number. */
int writer_fail(struct capture_writer *w, int code, const char *what);

/* --- writer_folder.c; functions return 0 or an error number --- */
int folder_make(struct capture_writer *w, const char *path);
void folder_remove(struct capture_writer *w);                       /* with all its contents */
void folder_drop(const struct capture_writer *w, const char *name); /* one entry of it */
int folder_create(const struct capture_writer *w, const char *name, int *fd);
/* Writes all n bytes at an offset, and continues after a signal or a partial write. */
int folder_put(int fd, const void *p, size_t n, uint64_t offset);
struct folder_text {
    const char *name;
    const void *p;
    size_t n;
};
/* Writes whole files under temporary names and renames them only when all are written, so that a
 * full disk leaves the old files. */
int folder_files(struct capture_writer *w, const struct folder_text *files, size_t n);
int folder_file(struct capture_writer *w, const char *name, const void *p, size_t n);

/* Blocks all signals on this thread except those of a fault, and removes a pending one that a full
 * disk sent. */
struct quiet {
    sigset_t before;
    bool pending;
};
void quiet_begin(struct quiet *q);
void quiet_end(const struct quiet *q);

/* --- writer_blobs.c --- */
size_t blob_blocks(uint64_t size);
size_t blob_size(uint64_t size, size_t block); /* of one block */
/* Runs a pass on the caller and the other threads; returns the writer's error number. */
int blobs_run(struct capture_writer *w, struct writer_pass *p);
void *blobs_thread(void *worker);
/* --- writer_block.c: a block of a stream, and its end; errors are stored in w or s --- */
void block_write(struct writer_worker *k, struct writer_pass *p, struct stream *s, size_t block);
void block_written(struct capture_writer *w, struct stream *s);

/* --- writer_text.c: a growing text in mapped memory --- */
struct writer_text {
    char *p;
    size_t n, cap;
    bool failed; /* no memory */
};
void text_put(struct writer_text *t, const char *s);
void text_bytes(struct writer_text *t, const char *s, size_t n);
void text_number(struct writer_text *t, uint64_t v);
void text_string(struct writer_text *t,
                 const char *s); /* quoted, escaped like JSON in base/print.h */
void text_free(struct writer_text *t);

/* --- writer_json.c --- */
void json_dispatch(struct writer_text *t, const struct capture_writer *w,
                   const struct writer_dispatch *d, const struct writer_variable *variables,
                   size_t n);
void json_regions(struct writer_text *t, const struct writer_region *regions, size_t n);
