/* What the files of engine/session share among themselves. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/bricks/bricks.h"
#include "engine/graph/graph.h"
#include "engine/live/gpus.h"
#include "engine/live/snapshot.h"
#include "engine/roofline/roofline_cpu.h"
#include "engine/session/recording.h"
#include "engine/value/bytes.h"
#include "engine/value/field.h"

/* One snapshot as bytes: its difference from the one before. Numbers, processes and profile are
 * separate parts, so that a reader can skip those it does not need. Writer and reader each keep the
 * previous snapshot and start together at a block's beginning. */
enum {
    FRAME_VERSION = 9
}; /* raised whenever the tables in frame.c change; older versions stay readable */

/* The machine, written before the first frame. NULL = unknown; it has no CPUs. */
void frame_write_host(struct bytes *b, const struct host *h);
bool frame_same_host(const struct host *a, const struct host *b);
/* NULL if the bytes are damaged; the caller unrefs it */
struct host *frame_read_host(struct byte_reader *r);

struct frame_writer;
struct frame_writer *frame_writer_new(void);
void frame_writer_free(struct frame_writer *w);
void frame_write(struct frame_writer *w, struct bytes *b, const struct snapshot *s);

/* parts: bits of enum recording_part. Counted by reference, because its snapshots hold it. */
struct frame_reader;
/* keeps the host */
struct frame_reader *frame_reader_new(struct host *host, unsigned parts, uint8_t version);
void frame_reader_unref(struct frame_reader *r);
/* Reads the next frame (the caller unrefs it). NULL if the bytes are damaged. */
const struct snapshot *frame_read(struct frame_reader *r, struct byte_reader *in);

/*
 * A block: a run of frames that can be read alone. It holds the host, then for each frame the
 * difference from the frame before. A ring drops whole blocks; a session file stores whole blocks.
 */
enum {
    BLOCK_FRAMES = 128,      /* most frames in a block */
    BLOCK_BYTES = 128 << 10, /* a block that is larger than this before packing is closed */
    BLOCK_UNPACKED_MAX = 64 << 20,
};

/* What is known about a block without unpacking it. */
struct block_index {
    size_t n;
    uint64_t time_ns[BLOCK_FRAMES];
    uint8_t level[BLOCK_FRAMES]; /* busy share of all CPUs in %; 255 = not measured */
};
uint8_t block_level(const struct snapshot *s);

struct block_writer {
    struct frame_writer *frames; /* NULL before the first frame */
    struct bytes raw;            /* the bytes of the block so far */
    const struct host *host;     /* host of its frames */
    struct block_index index;
};
/* Adds s. Returns false if the block is full or s does not fit; then close the block, begin the
 * next and add s again. */
bool block_add(struct block_writer *w, const struct snapshot *s);
void block_end(struct block_writer *w); /* empties w for the next block */

/* Packs raw bytes with zlib, or unpacks them; *out is overwritten. Unpacking returns 0, or -EINVAL
 * if the bytes are no packed block. */
void block_pack(struct bytes *out, const struct bytes *raw);
int block_unpack(struct bytes *out, const void *packed, size_t n);

/* Reads frames [from, to) of an unpacked block. Returns 1 if visit stopped it, 0 at the end,
 * -EINVAL if the bytes are damaged. */
int block_scan(const struct bytes *raw, size_t from, size_t to, unsigned parts,
               bool (*visit)(void *ctx, const struct snapshot *s), void *ctx);

/* A recording made of blocks: finds frames by number and time and scans across blocks. Ring and
 * session have it as their first member and supply the blocks. */
struct block_info {
    size_t first; /* number of its first frame; frames are counted from the first that was ever
                     added */
    struct block_index *index; /* owned */
    int64_t id;                /* what load needs to find the block */
};

enum { BLOCKS_CACHED = 12 };

struct blocks {
    struct recording recording;
    struct block_info *info;
    size_t n, cap;
    size_t forgotten; /* number of frames that were dropped before info[0] */
    /* Unpacks block info[i] into raw. */
    int (*load)(struct blocks *b, size_t i, struct bytes *raw, struct error *err);
    struct block_cache {
        int64_t id;
        uint64_t used; /* when it was used last, to drop the least recently used */
        struct bytes raw;
    } cache[BLOCKS_CACHED];
    uint64_t clock;
};

/* copies index */
void blocks_append(struct blocks *b, const struct block_index *index, int64_t id);
void blocks_forget_first(struct blocks *b);
void blocks_drop_cached(struct blocks *b, int64_t id);
void blocks_release(struct blocks *b); /* frees everything in b, but not b */

size_t blocks_count(struct recording *r);
uint64_t blocks_time(struct recording *r, size_t i);
uint8_t blocks_level(struct recording *r, size_t i);
int blocks_scan(struct recording *r, size_t from, size_t to, unsigned parts,
                bool (*visit)(void *ctx, const struct snapshot *s), void *ctx, struct error *err);

/* Writes structures as their differences from an earlier one, and reads them. One table of fields
 * serves both. New fields go to a table's end; older files lack them, and they read as 0. */

/* Writing sets `out`. Reading sets `in`; rows that are read are allocated in s, texts in the
 * dictionary. */
struct coder {
    struct bytes *out;
    struct byte_reader *in;
    struct dictionary *text, *defs;
    const struct metric_def **def; /* reading: the definitions, by their number in the dictionary */
    size_t ndef;
    struct arena *keep; /* reading: holds the definitions; lives as long as the dictionary */
    struct snapshot *s;
    size_t ncpus;
};

/* Writes the difference of *now from *prev, or reads it into *now. */
void fields_code(struct coder *c, struct fields f, void *now, const void *prev);
/* Copies only the fields that the table lists. */
void fields_copy(struct fields f, void *to, const void *from);
bool fields_same(struct coder *c, struct fields f, const void *now, const void *prev);

/* Writes or reads an array. ordered: rows begin with an int that grows, and rows with the same
 * number are compared; otherwise row i is compared with row i. Reading returns the rows, allocated
 * in c->s. */
void fields_write_rows(struct coder *c, struct fields f, bool ordered, const void *now, size_t n,
                       const void *prev, size_t nprev);
void *fields_read_rows(struct coder *c, struct fields f, bool ordered, size_t *n, const void *prev,
                       size_t nprev);

/* The bricks of a snapshot as bytes: rows of the tree and of the last pass, each as its difference
 * from the same row of the snapshot before. */
struct bricks_coder;
struct bricks_coder *bricks_coder_new(void);
void bricks_coder_free(struct bricks_coder *c);
/* Writes the difference from the bricks written before, which must still exist. */
void bricks_write(struct bricks_coder *c, struct bytes *b, const struct bricks *bricks);
/* Returns bricks allocated in s. Their tree is allocated apart, and freed with s. NULL, with
 * in->bad set, if the bytes are damaged. */
const struct bricks *bricks_read(struct bricks_coder *c, struct byte_reader *in,
                                 struct snapshot *s);

/* What counters counted in bricks, as rows of a snapshot: the events, and the counts of each node
 * that has some. */
struct counter_row;
struct counts_row;
struct counters_rows {
    struct counter_row *events;
    struct counts_row *counts;
    size_t nevents, ncounts;
};

/* Makes the rows of a graph in memory and writes their difference from earlier ones. The texts
 * belong to the graph. */
void frame_counters_write(struct coder *k, struct counters_rows *now,
                          const struct counters_rows *before, struct arena *memory,
                          const struct graph *g);
/* Reads rows and gives the graph their counts. false: they are damaged. */
bool frame_counters_read(struct coder *k, struct counters_rows *now,
                         const struct counters_rows *before, struct graph *g);

/* The GPUs of a frame: each table as its difference from the frame before. */

/* prev: NULL = none before. Texts go to the coder's dictionary. */
void frame_write_gpus(struct coder *c, const struct gpus *now, const struct gpus *prev);
/* Returns GPUs that live as long as c->s; NULL, with c->in->bad set, if the bytes are damaged. */
const struct gpus *frame_read_gpus(struct coder *c, const struct gpus *prev);

/* The profile of a snapshot as bytes: symbols once, then trees and places by number. */
struct hot_coder;
struct hot_coder *hot_coder_new(void);
void hot_coder_free(struct hot_coder *c);
void hot_write(struct hot_coder *c, struct bytes *b, const struct hot_stacks *p);
/* Returns a profile allocated in s; its texts live as long as c. NULL, with in->bad set, if the
 * bytes are damaged. */
const struct hot_stacks *hot_read(struct hot_coder *c, struct byte_reader *in, struct snapshot *s);

/* The measured roofs of the host in a frame, as their difference from the frame before. */
enum { FLOP_PEAKS = CPU_WIDTHS * CPU_TYPES, PEAKS = FLOP_PEAKS + CPU_LEVELS, CPUS_MAX = 1 << 20 };
extern const struct fields cpu_peak_record; /* struct cpu_peak */

/* prev: NULL = none before. Texts go to the coder's dictionary. */
void frame_write_roofs(struct coder *c, const struct cpu_host *now, const struct cpu_host *prev);
/* Returns roofs that live as long as c->s; NULL, with c->in->bad set, if the bytes are damaged. */
const struct cpu_host *frame_read_roofs(struct coder *c, const struct cpu_host *prev);

/* Makes sure that a session file has one writer. A recorder holds a lock on the file while it
 * writes, and any other writer is refused, even with --replace: SQLite finds its log by the file's
 * name, so a recorder whose file was replaced would delete the new file's log when it ends. */

/* Creates an empty file at path with mode 0600, or empties the existing one by making it anew, and
 * locks it. Returns its descriptor, or -errno. Close the descriptor after SQLite has closed the
 * file: closing any descriptor of a file gives up SQLite's locks on it. An existing file is
 * replaced only if `replace` is set and the file is a session. */
int session_claim(const char *path, bool replace, struct error *err);

/*
 * Reads the rows of tables `block` and `tail` directly from the pages of a session file, each page
 * by itself. It is used for a damaged file that SQLite cannot read. Nothing in the file is
 * trusted: a row counts only if it has the number and types of our columns and all of its bytes
 * are there.
 *   Source of the format: "Database File Format", sqlite.org/fileformat2.html.
 */
struct session_rows {
    int fd;
    uint64_t size, once; /* bytes of the file; bytes it had according to its header */
    uint32_t page_size, usable, npages;
    bool levels;   /* whether the tables have the column `levels`; those of schema 1 had none */
    uint64_t left; /* bytes that rows may still have on overflow pages */
    uint32_t room; /* bytes left on the page: rows whose sum is larger overlap, and are refused */
    unsigned char *page, *overflow;
    struct bytes row;
};

struct session_column {
    uint64_t type;
    const unsigned char *at; /* n bytes, valid until the next row is read */
    size_t n;
};
enum { SESSION_COLUMNS = 7 };

struct session_row {
    int64_t id;
    bool tail; /* a row of table tail; otherwise of table block */
    unsigned n;
    struct session_column c[SESSION_COLUMNS]; /* n columns; c[0] is the id and empty */
};

/* Returns false if the file has no SQLite header. Call session_rows_close in either case. */
bool session_rows_open(struct session_rows *r, const char *path);
void session_rows_close(struct session_rows *r);

/* Reads page 1 .. npages. Returns its number of rows, or 0 if it is not a leaf page of a table. */
uint32_t session_rows_page(struct session_rows *r, uint32_t number);
/* The offset of row i in the page. */
uint32_t session_rows_cell(const struct session_rows *r, uint32_t i);
/* Reads the row at that offset of the page that was read last. */
bool session_rows_read(struct session_rows *r, uint32_t cell, struct session_row *out);
/* The same for any page, independent of what was read before. */
bool session_rows_again(struct session_rows *r, uint32_t number, uint32_t cell,
                        struct session_row *out);
uint64_t session_column_number(const struct session_column *c);

/* Recovers the intact part of a session file that SQLite refuses because it is cut off or has
 * damaged pages. Reads each page alone (session_rows.c), because links between pages cannot be
 * trusted. Takes the blocks whose checksums are right, and the unbroken sequence of frames after a
 * block. It does not read the log beside the file (-wal). */
struct session_salvage;

/* Returns 0, or -errno with err if the file cannot be read or the user gave up. Free *out in both
 * cases. */
int session_salvage_open(struct session_salvage **out, const char *path, struct error *err);
void session_salvage_free(struct session_salvage *s); /* NULL allowed */
size_t session_salvage_count(const struct session_salvage *s);
/* Fills *out and `packed` with what is known about block i (in the order of ids) and its bytes.
 * Returns false if the file has changed since. */
bool session_salvage_index(struct session_salvage *s, size_t i, struct block_index *out);
bool session_salvage_load(struct session_salvage *s, size_t i, struct bytes *raw);
/* The file's size in bytes; *once: the size according to its header. */
uint64_t session_salvage_bytes(const struct session_salvage *s, uint64_t *once);

/* What reading and writing sessions share: the schema, and translation of SQLite's errors. */

/* Fills err from SQLite's last error and returns -errno; -EBADMSG if the file is damaged. */
int session_sql_fail(sqlite3 *db, const char *path, struct error *err);
int session_sql_exec(sqlite3 *db, const char *sql, const char *path, struct error *err);
/* The file's user_version, or -errno with err. */
int session_sql_version(sqlite3 *db, const char *path, struct error *err);
extern const char session_sql_schema[];
/* Statement i migrates from schema i to i + 1; there never was a schema 0. */
extern const char *const session_sql_migrations[];

/* Binds the times (as varint differences) and levels of a block's frames to two parameters. */
void session_sql_bind_index(sqlite3_stmt *st, int times, int levels, const struct block_index *x);
/* The inverse, for x->n frames. Returns false if the bytes hold too few, or times are not
 * ascending. */
bool session_index_read(struct block_index *x, uint64_t first_ns, const void *times, size_t ntimes,
                        const uint8_t *levels, size_t nlevels);
bool session_sql_read_index(sqlite3_stmt *st, int times, int levels, uint64_t first_ns,
                            struct block_index *x);
