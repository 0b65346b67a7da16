#include "backends/perf_common/perf_ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "support/records.h"
#include "support/test.h"

enum { SIZE = 4096 };

struct seen {
    size_t n, bytes;
    uint64_t ip[64];
};

static void see(void *ctx, const void *record, size_t size)
{
    struct seen *s = ctx;
    assert_int_equal((uintptr_t)record % 8, 0);
    if (s->n < 64)
        memcpy(&s->ip[s->n], (const uint8_t *)record + 8, 8);
    s->n++;
    s->bytes += size;
}

static struct seen read_all(struct perf_ring *r)
{
    static uint64_t scratch[RECORD_MAX / 8];
    struct seen s = {0};
    size_t n = perf_ring_read(r, scratch, see, &s);
    assert_int_equal(n, s.n);
    return s;
}

static size_t sample(uint64_t *buf, uint64_t ip, size_t nchain)
{
    uint64_t chain[128];
    for (size_t i = 0; i < nchain; i++)
        chain[i] = ip + i;
    return record_make_sample(buf, (struct record_ids){1, 1, ip, 0}, PERF_RECORD_MISC_USER, ip,
                              chain, nchain);
}

TEST(records_come_out_in_order_and_make_room)
{
    uint64_t buf[256];
    struct perf_event_mmap_page *page = ring_memory(SIZE);
    struct perf_ring r;
    perf_ring_init(&r, page, RING_PAGE, SIZE / RING_PAGE);
    for (uint64_t i = 0; i < 5; i++)
        ring_append(page, SIZE, buf, sample(buf, 100 + i, 3));
    struct seen s = read_all(&r);
    assert_int_equal(s.n, 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(s.ip[i], 100 + i);
    assert_int_equal(page->data_tail, page->data_head);
    assert_int_equal(read_all(&r).n, 0);
    free(page);
}

/* Records may wrap around at the ring's end at any byte. */
TEST(records_that_wrap_are_whole)
{
    uint64_t buf[256];
    for (size_t start = SIZE - 128; start < SIZE; start += 8) {
        struct perf_event_mmap_page *page = ring_memory(SIZE);
        struct perf_ring r;
        page->data_head = page->data_tail = start;
        perf_ring_init(&r, page, RING_PAGE, SIZE / RING_PAGE);
        ring_append(page, SIZE, buf, sample(buf, 7, 9));
        ring_append(page, SIZE, buf, sample(buf, 8, 1));
        struct seen s = read_all(&r);
        assert_int_equal(s.n, 2);
        assert_int_equal(s.ip[0], 7);
        assert_int_equal(s.ip[1], 8);
        assert_int_equal(r.damaged, 0);
        free(page);
    }
}

TEST(a_size_that_cannot_be_is_skipped)
{
    static const uint16_t sizes[] = {0, 4, 7, 13, 4095, 65535};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t buf[256];
        struct perf_event_mmap_page *page = ring_memory(SIZE);
        struct perf_ring r;
        perf_ring_init(&r, page, RING_PAGE, SIZE / RING_PAGE);
        size_t n = sample(buf, 1, 2);
        ring_append(page, SIZE, buf, n);
        memcpy((uint8_t *)buf + offsetof(struct perf_event_header, size), &sizes[i], 2);
        ring_append(page, SIZE, buf, n);
        assert_int_equal(read_all(&r).n, 1);
        assert_int_equal(r.damaged, 1);
        assert_int_equal(page->data_tail, page->data_head); /* reading continues behind it */
        ring_append(page, SIZE, buf, sample(buf, 9, 2));
        struct seen s = read_all(&r);
        assert_int_equal(s.n, 1);
        assert_int_equal(s.ip[0], 9);
        free(page);
    }
}

TEST(a_head_beyond_the_ring_is_skipped)
{
    struct perf_event_mmap_page *page = ring_memory(SIZE);
    struct perf_ring r;
    perf_ring_init(&r, page, RING_PAGE, SIZE / RING_PAGE);
    page->data_head = 5 * SIZE;
    assert_int_equal(read_all(&r).n, 0);
    assert_int_equal(r.damaged, 1);
    page->data_head = 0; /* the head went backwards */
    assert_int_equal(read_all(&r).n, 0);
    assert_int_equal(r.damaged, 2);
    free(page);
}
