/* Whatever the writer writes, the reader reads: every shape of region, with each encoding,
 * twice. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/writer/writer.h"
#include "engine/capture/capture.h"
#include "format/capture.h"
#include "support/hostile.h"
#include "support/test.h"

enum { SPREAD = 64 << 20, MANY = 300 };

/* The captured memory; it lies at other addresses than it claims to. */
struct memory {
    struct writer_region regions[MANY];
    uint8_t *bytes[MANY];
    size_t n;
    char dir[64], path[96];
};

static void memory_start(struct memory *m)
{
    *m = (struct memory){.n = 0};
    snprintf(m->dir, sizeof m->dir, "/tmp/rooftop-writer-XXXXXX");
    assert_non_null(mkdtemp(m->dir));
    snprintf(m->path, sizeof m->path, "%s/c", m->dir);
}

static void memory_end(struct memory *m)
{
    char line[128];
    for (size_t i = 0; i < m->n; i++)
        free(m->bytes[i]);
    snprintf(line, sizeof line, "rm -rf %s", m->dir);
    assert_int_equal(system(line), 0); /* NOLINT: a fixed line over a name made here */
}

enum filling { ZEROS, TEXT, NOISE, ZEROS_THEN_TEXT, SPARSE, UNREADABLE };

static void fill(uint8_t *p, size_t n, enum filling kind)
{
    uint32_t seed = (uint32_t)n;
    size_t from = kind == ZEROS_THEN_TEXT ? n / 2 : 0;
    memset(p, 0, n);
    for (size_t i = from; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (kind == TEXT || kind == ZEROS_THEN_TEXT)
            p[i] = (uint8_t)(i / 97 + i % 5 + 1);
        else if (kind == NOISE)
            p[i] = (uint8_t)(seed >> 24);
        else if (kind == SPARSE && i % 1000003 == 999)
            p[i] = 1;
    }
}

static uint8_t *memory_add(struct memory *m, size_t size, enum filling kind)
{
    uint8_t *p = malloc(size + 1);
    assert_non_null(p);
    fill(p, size, kind);
    m->bytes[m->n] = p;
    m->regions[m->n] = (struct writer_region){.base = (m->n + 1) * (uint64_t)SPREAD,
                                              .size = size,
                                              .segment = "device",
                                              .is_pool = true,
                                              .handle = kind == UNREADABLE};
    m->n++;
    return p;
}

static int read_memory(void *ctx, void *to, uint64_t address, size_t size, char *why,
                       size_t why_size)
{
    const struct memory *m = ctx;
    size_t i = (size_t)(address / SPREAD - 1);
    uint64_t offset = address % SPREAD;
    assert_true(i < m->n && offset + size <= m->regions[i].size);
    if (m->regions[i].handle) {
        snprintf(why, why_size, "no \"bytes\" at %llx", (unsigned long long)address);
        return EFAULT;
    }
    memcpy(to, m->bytes[i] + offset, size);
    return 0;
}

static struct capture_writer *writer(const struct memory *m, enum writer_encoding e, int threads)
{
    char why[256];
    struct capture_writer *w = writer_open(m->path, threads, why, sizeof why);
    if (!w)
        fail_msg("%s", why);
    writer_force(w, e);
    return w;
}

static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, [18] = 224};

static void finish(struct capture_writer *w, const struct memory *m)
{
    const struct writer_dispatch d = {
        .mangled_name = "k.kd", .kernarg_size = 5, .grid = {64, 1, 1}, .block = {64, 1, 1}};
    assert_int_equal(writer_code(w, "12345", 5, elf, sizeof elf), 0);
    assert_int_equal(writer_finish(w, &d, m->regions, m->n, NULL, 0), 0);
    writer_close(w);
}

static struct capture *opened(const char *path)
{
    struct error err = ERROR_INIT;
    struct capture *c = NULL;
    if (capture_open(&c, path, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return c;
}

/* Compares a blob's contents with memory; returns how many of its blocks are known to be zero. */
static size_t same_bytes(const struct capture *c, const struct capture_blob *b, const uint8_t *p,
                         size_t size)
{
    struct capture_contents *o;
    struct error err = ERROR_INIT;
    size_t zeros = 0;
    uint64_t sums[32];
    uint8_t *got = malloc(CAPTURE_BLOCK);
    if (capture_contents_open(&o, c, b, size, &err) != 0)
        fail_msg("%s", err.why);
    for (size_t i = 0; i < capture_contents_blocks(o); i++) {
        size_t from = i * CAPTURE_BLOCK, n = size - from;
        bool zero;
        n = n < CAPTURE_BLOCK ? n : CAPTURE_BLOCK;
        memset(got, 0, n);
        assert_int_equal(capture_contents_block(o, i, got, &zero, &sums[i], &err), 0);
        assert_memory_equal(got, p + from, n);
        zeros += zero;
    }
    assert_int_equal(capture_contents_check(o, sums, &err), 0);
    capture_contents_close(o);
    free(got);
    return zeros;
}

static const size_t sizes[] = {0,
                               1,
                               4095,
                               4096,
                               65537,
                               CAPTURE_BLOCK - 1,
                               CAPTURE_BLOCK,
                               CAPTURE_BLOCK + 1,
                               3 * CAPTURE_BLOCK + 77};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void round_trip(enum writer_encoding e, int threads)
{
    struct memory m;
    _Atomic uint64_t progress = 0;
    uint64_t all = 0;
    memory_start(&m);
    for (int kind = ZEROS; kind <= SPARSE; kind++)
        for (size_t i = 0; i < SIZES; i++) {
            memory_add(&m, sizes[i], (enum filling)kind);
            all += sizes[i];
        }
    struct capture_writer *w = writer(&m, e, threads);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, &progress), 0);
    assert_int_equal(progress, all);
    finish(w, &m);
    struct capture *c = opened(m.path);
    assert_int_equal(c->nregions, m.n - (SPARSE + 1)); /* regions of no bytes are left out */
    const struct capture_region *next = c->regions;
    for (size_t i = 0; i < m.n; i++) {
        size_t kind = i / SIZES, zeros;
        if (m.regions[i].size == 0)
            continue;
        const struct capture_region *r = next++;
        assert_int_equal(r->base, m.regions[i].base);
        assert_int_equal(r->size, m.regions[i].size);
        zeros = same_bytes(c, &r->before, m.bytes[i], r->size);
        if (kind == ZEROS)
            assert_int_equal(zeros, (r->size + CAPTURE_BLOCK - 1) / CAPTURE_BLOCK);
        if (e != WRITER_FASTEST && kind != ZEROS && kind != SPARSE)
            assert_int_equal(r->before.encoding, e == WRITER_ZSTD ? CAPTURE_ZSTD : CAPTURE_RAW);
    }
    capture_free(c);
    memory_end(&m);
}

TEST(all_shapes_come_back_raw)
{
    round_trip(WRITER_RAW, 3);
}

TEST(all_shapes_come_back_compressed)
{
    round_trip(WRITER_ZSTD, 4);
}

TEST(all_shapes_come_back_as_the_writer_likes)
{
    round_trip(WRITER_FASTEST, 0);
    round_trip(WRITER_FASTEST, 1);
}

TEST(zeros_take_no_room)
{
    struct memory m;
    struct stat st;
    char path[256];
    memory_start(&m);
    memory_add(&m, 3 * CAPTURE_BLOCK + 77, ZEROS);
    struct capture_writer *w = writer(&m, WRITER_RAW, 2);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
    assert_int_equal(writer_stored(w), 0);
    finish(w, &m);
    snprintf(path, sizeof path, "%s/memory/region_4000000.bin", m.path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 3 * CAPTURE_BLOCK + 77);
    assert_int_equal(st.st_blocks, 0);
    memory_end(&m);
}

static const char *too_open;
static int look_at_mode(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    const bool folder = type == FTW_D;
    if ((st->st_mode & 0777) != (folder ? 0700u : 0600u))
        too_open = strdup(path);
    return 0;
}

/* Only the user may read a capture, whatever the umask, because it contains a process's memory. */
TEST(a_capture_is_for_its_user_alone)
{
    struct memory m;
    memory_start(&m);
    memory_add(&m, CAPTURE_BLOCK + 5, NOISE);
    const mode_t before = umask(0);
    struct capture_writer *w = writer(&m, WRITER_RAW, 2);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
    finish(w, &m);
    umask(before);
    assert_int_equal(nftw(m.path, look_at_mode, 8, FTW_PHYS), 0);
    if (too_open)
        fail_msg("others may read %s", too_open);
    memory_end(&m);
}

TEST(many_regions_are_written_side_by_side)
{
    struct memory m;
    memory_start(&m);
    for (size_t i = 0; i < MANY; i++)
        memory_add(&m, 1 + i * 611, i % 3 ? TEXT : NOISE);
    struct capture_writer *w = writer(&m, WRITER_ZSTD, 4);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
    finish(w, &m);
    struct capture *c = opened(m.path);
    for (size_t i = 0; i < MANY; i++)
        same_bytes(c, &c->regions[i].before, m.bytes[i], m.regions[i].size);
    capture_free(c);
    memory_end(&m);
}

/* --- memory after the kernel --- */

TEST(only_what_changed_is_written_after)
{
    struct memory m;
    struct stat st;
    char path[160];
    memory_start(&m);
    memory_add(&m, 2 * CAPTURE_BLOCK, TEXT);
    uint8_t *changed = memory_add(&m, 3 * CAPTURE_BLOCK + 5, TEXT);
    memory_add(&m, 100, NOISE);
    uint8_t *cleared = memory_add(&m, CAPTURE_BLOCK + 9, NOISE);
    struct capture_writer *w = writer(&m, WRITER_ZSTD, 2);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
    changed[3 * CAPTURE_BLOCK + 4] ^= 0xff;
    memset(cleared, 0, CAPTURE_BLOCK + 9);
    assert_int_equal(writer_after(w, m.regions, m.n, read_memory, &m, NULL), 0);
    finish(w, &m);
    struct capture *c = opened(m.path);
    struct error err = ERROR_INIT;
    assert_true(c->has_after);
    assert_true(c->regions[0].after_same && !c->regions[0].after.file);
    assert_true(c->regions[2].after_same);
    assert_false(c->regions[1].after_same);
    same_bytes(c, &c->regions[1].after, changed, 3 * CAPTURE_BLOCK + 5);
    same_bytes(c, &c->regions[3].after, cleared, CAPTURE_BLOCK + 9);
    changed[3 * CAPTURE_BLOCK + 4] ^= 0xff;
    same_bytes(c, &c->regions[1].before, changed, 3 * CAPTURE_BLOCK + 5);
    if (capture_verify(c, NULL, NULL, &err) != 0)
        fail_msg("%s", err.why);
    snprintf(path, sizeof path, "%s/after/region_4000000.bin.zst", m.path);
    assert_int_equal(stat(path, &st), -1);
    capture_free(c);
    memory_end(&m);
}

TEST(nothing_changed_needs_no_folder)
{
    struct memory m;
    struct stat st;
    char path[160];
    memory_start(&m);
    memory_add(&m, CAPTURE_BLOCK + 1, TEXT);
    struct capture_writer *w = writer(&m, WRITER_RAW, 2);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
    assert_int_equal(writer_after(w, m.regions, m.n, read_memory, &m, NULL), 0);
    finish(w, &m);
    snprintf(path, sizeof path, "%s/after", m.path);
    assert_int_equal(stat(path, &st), -1);
    struct capture *c = opened(m.path);
    assert_true(c->has_after && c->regions[0].after_same);
    capture_free(c);
    memory_end(&m);
}

/* --- memory that cannot be read, unusual values --- */

TEST(memory_that_cannot_be_read_is_told)
{
    struct memory m;
    for (int e = WRITER_FASTEST; e <= WRITER_ZSTD; e++) {
        memory_start(&m);
        memory_add(&m, 4 * CAPTURE_BLOCK, UNREADABLE);
        uint8_t *good = memory_add(&m, 4096, TEXT);
        struct capture_writer *w = writer(&m, (enum writer_encoding)e, 3);
        assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
        assert_int_equal(writer_after(w, m.regions, m.n, read_memory, &m, NULL), 0);
        finish(w, &m);
        struct capture *c = opened(m.path);
        assert_null(c->regions[0].before.file);
        assert_int_equal(strncmp(c->regions[0].error, "no \"bytes\" at ", 14), 0);
        same_bytes(c, &c->regions[1].before, good, 4096);
        capture_free(c);
        memory_end(&m);
    }
}

/* Characters that a terminal would obey or hide: a C1 control, a bidi override, a zero-width
 * character, a tag. */
#define HIDDEN "\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\xf3\xa0\x81\x81"

/* People look at these files with cat: no file may contain such characters raw. */
static void nothing_raw(const char *folder)
{
    char path[256], text[65536];
    snprintf(path, sizeof path, "%s/dispatch.json", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    assert_null(hostile_raw(text, n, 0));
    assert_non_null(strstr(text, "\\u009b\\u202e\\u200b\\udb40\\udc41"));
}

TEST(texts_of_any_bytes_come_back)
{
    static const char *const words[] = {"./a b", "it's", "\"\\\n\t\x01", "", NULL};
    struct memory m;
    struct writer_variable v[2] = {
        {.name = "a\xc3\xa9\xff\xed\xa0\x80", .address = SPREAD + 3, .size = 10},
        {.name = "none", .address = 2 * (uint64_t)SPREAD, .size = 1}};
    struct writer_dispatch d = {.mangled_name = "k\"\\\b\x1f\x7f/\xc0\xaf",
                                .demangled_name = "void k<'\xe2\x82\xac'>()" HIDDEN,
                                .agent_name = "gfx942",
                                .isa_name = "amdgcn-amd-amdhsa--gfx942",
                                .product_name = "",
                                .time = "2026-11-22T01:02:03Z",
                                .command = words,
                                .kernarg_size = 5,
                                .grid = {1, 2, 4294967295u},
                                .block = {1, 1, 65535},
                                .header = 1,
                                .queue_id = UINT64_MAX, /* too large for JSON: it is left out */
                                .gpu_ns = 77,
                                .pause_ns = 88,
                                .code_base = 4096,
                                .code_size = 8192,
                                .drained = true};
    memory_start(&m);
    uint8_t *p = memory_add(&m, 4096, TEXT);
    memory_add(&m, 1, UNREADABLE);
    struct capture_writer *w = writer(&m, WRITER_FASTEST, 2);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), 0);
    assert_int_equal(writer_variables(w, v, 2, read_memory, &m), 0);
    assert_true(v[0].written && !v[1].written);
    assert_int_equal(writer_code(w, "12345", 5, elf, sizeof elf), 0);
    assert_int_equal(writer_finish(w, &d, m.regions, m.n, v, 2), 0);
    writer_close(w);
    struct capture *c = opened(m.path);
    struct error err = ERROR_INIT;
    assert_string_equal(c->mangled_name, "k\"\\\b\x1f\x7f/\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(c->demangled_name, "void k<'\xe2\x82\xac'>()" HIDDEN);
    nothing_raw(m.path);
    assert_string_equal(c->product_name, "");
    assert_string_equal(c->command, "'./a b' 'it'\\''s' '\"\\\n\t\x01' ''");
    assert_int_equal(c->grid[2], 4294967295u);
    assert_int_equal(c->queue_id, 0);
    assert_int_equal(c->gpu_ns, 77);
    assert_int_equal(c->pause_ns, 88);
    assert_int_equal(c->code_size, 8192);
    assert_true(c->drained);
    assert_int_equal(c->nvariables, 2);
    assert_string_equal(c->variables[0].name,
                        "a\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    same_bytes(c, &c->variables[0].blob, p + 3, 10);
    assert_null(c->variables[1].blob.file);
    assert_int_equal(capture_verify(c, NULL, NULL, &err), 0);
    capture_free(c);
    memory_end(&m);
}

TEST(regions_must_be_in_order)
{
    struct memory m;
    memory_start(&m);
    memory_add(&m, 4096, TEXT);
    memory_add(&m, 4096, TEXT);
    m.regions[1].base = m.regions[0].base + 4095;
    struct capture_writer *w = writer(&m, WRITER_RAW, 1);
    assert_int_equal(writer_before(w, m.regions, m.n, read_memory, &m, NULL), EINVAL);
    writer_close(w);
    memory_end(&m);
}
