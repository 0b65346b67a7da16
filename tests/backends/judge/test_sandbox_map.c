/* The memory of a sandbox: what of it can be read and written, and that both ways to map it agree.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/judge/judge_impl.h"
#include "support/skip.h"
#include "support/test.h"

enum { PLACES = 700, MAPPED = 600 };

typedef int mapper(char *base, const struct sandbox_layout *l, int fd, size_t slots);

/* Two inputs of which one has three pages, an output, one that is both, and the result. */
static struct harness harness_of_arrays(void)
{
    static const struct {
        size_t length;
        bool out, in;
    } rows[] = {{10, false, true}, {3000, false, true}, {100, true, false}, {1024, true, true}};
    struct harness h = {.result = JUDGE_FLOAT32, .n = sizeof rows / sizeof *rows};
    h.arguments[h.n] = (struct judge_argument){
        .type = JUDGE_FLOAT32, .array = true, .length = 1, .direction = JUDGE_OUT};
    for (size_t i = 0; i < h.n; i++)
        h.arguments[i] =
            (struct judge_argument){.type = JUDGE_FLOAT32,
                                    .array = true,
                                    .length = rows[i].length,
                                    .direction = rows[i].out && rows[i].in ? JUDGE_INOUT
                                                 : rows[i].out             ? JUDGE_OUT
                                                                           : JUDGE_IN};
    return h;
}

struct mapped {
    struct sandbox_layout l;
    char *base, *shared; /* as the sandbox sees it, as the parent does */
    int fd, ends[2];
};

static int open_mapped(struct mapped *m, const struct harness *h, mapper *map)
{
    sandbox_layout_of(&m->l, h, PLACES);
    m->fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(ftruncate(m->fd, (off_t)m->l.bytes), 0);
    assert_int_equal(pipe2(m->ends, O_NONBLOCK | O_CLOEXEC), 0);
    m->shared = mmap(NULL, m->l.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    m->base = mmap(NULL, m->l.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(m->shared != MAP_FAILED && m->base != MAP_FAILED);
    return map(m->base, &m->l, m->fd, MAPPED);
}

static void close_mapped(struct mapped *m)
{
    munmap(m->base, m->l.bytes);
    munmap(m->shared, m->l.bytes);
    close(m->fd);
    close(m->ends[0]);
    close(m->ends[1]);
}

/* The kernel reads a byte for us, and says where it cannot. */
static bool can_be_read(const struct mapped *m, size_t at)
{
    char byte;
    if (write(m->ends[1], m->base + at, 1) != 1)
        return false;
    assert_int_equal(read(m->ends[0], &byte, 1), 1);
    return true;
}

static bool can_be_written(const struct mapped *m, size_t at)
{
    char byte = 7;
    assert_int_equal(write(m->ends[1], &byte, 1), 1);
    if (read(m->ends[0], m->base + at, 1) == 1)
        return true;
    assert_int_equal(errno, EFAULT);
    assert_int_equal(read(m->ends[0], &byte, 1), 1);
    return false;
}

static void check_buffer(const struct mapped *m, size_t slot, size_t i)
{
    const size_t run = sandbox_run_at(&m->l, slot, i), end = run + m->l.buffer[i].pages;
    const size_t data = sandbox_data_at(&m->l, slot, i);
    const bool is_there = slot < MAPPED, written = is_there && m->l.buffer[i].written;
    assert_true(data >= run && data + m->l.buffer[i].bytes <= end);
    assert_int_equal(can_be_read(m, run), is_there);
    assert_int_equal(can_be_read(m, end - 1), is_there);
    assert_int_equal(can_be_written(m, data), written);
    assert_int_equal(m->shared[data], written ? 7 : 0);
    assert_false(can_be_read(m, run - 1) || can_be_read(m, run - m->l.page));
    assert_false(can_be_read(m, end) || can_be_read(m, end + m->l.page - 1));
    assert_false(can_be_written(m, run - 1) || can_be_written(m, end));
}

static void only_buffers_can_be_touched(mapper *map, bool may_lack)
{
    const struct harness h = harness_of_arrays();
    struct mapped m;
    const int rc = open_mapped(&m, &h, map);
    if (rc != 0 && may_lack) {
        close_mapped(&m);
        skip_because("this kernel has no guard pages without mappings of their own (%s)",
                     strerror(-rc));
    }
    assert_int_equal(rc, 0);
    for (size_t p = 0; p < PLACES; p += p == 1 || p >= MAPPED - 2 ? 1 : 199)
        for (size_t i = 0; i < m.l.nbuffers; i++)
            check_buffer(&m, p, i);
    close_mapped(&m);
}

TEST(marked_pages_cannot_be_touched)
{
    only_buffers_can_be_touched(sandbox_map_guarded, true);
}

TEST(single_mappings_have_nothing_between)
{
    only_buffers_can_be_touched(sandbox_map_singly, false);
}

TEST(one_of_both_ways_is_there)
{
    only_buffers_can_be_touched(sandbox_map, false);
}

/* No descriptor of the process itself stays open for code of others. */
TEST(nothing_stays_open)
{
    const struct harness h = harness_of_arrays();
    struct mapped m;
    const int before = open("/dev/null", O_RDONLY);
    assert_true(before >= 0);
    close(before);
    (void)open_mapped(&m, &h, sandbox_map);
    close_mapped(&m);
    const int after = open("/dev/null", O_RDONLY);
    close(after);
    assert_int_equal(before, after);
}

/* By turns at the first byte of the pages, at most 63 before their end, and aligned as their type
 * only, at most one value before it. */
TEST(values_stand_at_both_ends)
{
    static const size_t lengths[] = {1, 10, 16, 100, 1008, 1021, 1023, 1024, 3000},
                        aligns[] = {0, 1, 16, 64, 256, 4096};
    struct sandbox_layout l;
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        for (size_t k = 0; k < sizeof aligns / sizeof *aligns; k++) {
            const struct harness h = {.n = 1,
                                      .arguments[0] = {.type = JUDGE_FLOAT32,
                                                       .array = true,
                                                       .length = lengths[n],
                                                       .align = aligns[k]}};
            const size_t bytes = 4 * lengths[n], step = aligns[k] > 4 ? aligns[k] : 4;
            bool front = false, back = false, shifted = false;
            sandbox_layout_of(&l, &h, 8);
            for (size_t p = 0; p < 8; p++) {
                const size_t at = sandbox_data_at(&l, p, 0), run = sandbox_run_at(&l, p, 0);
                const size_t behind = run + l.buffer[0].pages - at - bytes;
                assert_true(at >= run && at + bytes <= run + l.buffer[0].pages);
                assert_int_equal(at % step, 0);
                front |= at == run;
                back |= behind < (step > 64 ? step : 64);
                shifted |= at % (step < 64 ? 64 : 2 * step) != 0 && behind < 2 * step;
            }
            if (!front || !back || !shifted)
                fail_msg("%zu values, %zu: %d %d %d", lengths[n], aligns[k], front, back, shifted);
        }
}
