/* The measured roofs of the host in recordings: complete, also after changes; damaged ones refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/roofline/roofline_cpu.h"
#include "engine/session/session_impl.h"
#include "support/scenes.h"
#include "support/test.h"

static const struct cpu_load loads[] = {{1, 1e9, 100e-9, 0.1}, {0.5, 10e9, 150e-9, 0}};
static const struct cpu_unit units[] = {{"int8 dot", 256, {1, 2, 3, 4}}};

static const struct snapshot *make(int what)
{
    struct snapshot *s = scene("vm", 1);
    struct cpu_roofs c = {.how = "measured", .none = "", .cpus = 4};
    c.bytes[CPU_L2] = (struct cpu_peak){.one = 5e9 + what, .all = 20e9};
    c.flops[CPU_256][CPU_F32] = (struct cpu_peak){.one = 7e9};
    if (what > 0) {
        c.units = units, c.nunits = 1;
        c.loads = loads, c.nloads = what > 1 ? 1 : 2;
    }
    if (what == 3)
        c = (struct cpu_roofs){.how = "", .none = "never measured"};
    if (what < 4)
        s->roofs = roofline_cpu_host(&s->arena, &c);
    return s;
}

static void expect(const struct cpu_host *h, int what)
{
    if (what == 4) {
        assert_null(h);
        return;
    }
    assert_non_null(h);
    if (what == 3) {
        assert_string_equal(h->cpu.none, "never measured");
        assert_int_equal(h->cpu.cpus, 0);
        return;
    }
    assert_string_equal(h->cpu.how, "measured");
    assert_int_equal(h->cpu.cpus, 4);
    assert_true(h->cpu.bytes[CPU_L2].one == 5e9 + what);
    assert_true(h->cpu.flops[CPU_256][CPU_F32].one == 7e9);
    assert_string_equal(h->roof.name, "this CPU x4");
    assert_int_equal(h->cpu.nunits, what > 0);
    assert_int_equal(h->cpu.nloads, what == 0 ? 0 : what > 1 ? 1 : 2);
    if (what == 0)
        return;
    assert_string_equal(h->cpu.units[0].name, "int8 dot");
    assert_int_equal(h->cpu.units[0].width, 256);
    assert_true(h->cpu.units[0].peak.all_spread == 4);
    assert_true(h->cpu.loads[0].latency == 100e-9 && h->cpu.loads[0].reads == 1);
}

TEST(roofs_are_restored)
{
    static const int what[] = {0, 0, 1, 2, 3, 4, 1, 0};
    enum { FRAMES = sizeof what / sizeof *what };
    struct frame_writer *w = frame_writer_new();
    struct bytes b = {0};
    struct host *host = NULL;
    for (int i = 0; i < FRAMES; i++) {
        const struct snapshot *s = make(what[i]);
        frame_write(w, &b, s);
        host = host ? host : host_ref(s->host);
        snapshot_unref(s);
    }
    struct frame_reader *r = frame_reader_new(host, RECORDING_BRICKS, FRAME_VERSION);
    struct byte_reader in = {b.p, b.p + b.n, false};
    for (int i = 0; i < FRAMES; i++) {
        const struct snapshot *s = frame_read(r, &in);
        assert_non_null(s);
        expect(s->roofs, what[i]);
        snapshot_unref(s);
    }
    assert_ptr_equal(in.p, in.end);
    frame_reader_unref(r);
    frame_writer_free(w);
    host_unref(host);
    free(b.p);
}

/* Each byte damaged in turn: refused, or roofs whose numbers can be drawn. */
TEST(damaged_roofs_do_no_harm)
{
    struct frame_writer *w = frame_writer_new();
    struct bytes b = {0};
    const struct snapshot *s = make(1);
    frame_write(w, &b, s);
    struct host *host = host_ref(s->host);
    snapshot_unref(s);
    size_t refused = 0;
    for (size_t i = 0; i < b.n; i++) {
        struct frame_reader *r = frame_reader_new(host, RECORDING_BRICKS, FRAME_VERSION);
        struct byte_reader in = {b.p, b.p + b.n, false};
        b.p[i] ^= 0x55;
        const struct snapshot *read = frame_read(r, &in);
        refused += !read;
        for (uint32_t k = 0; read && read->roofs && k < read->roofs->cpu.nloads; k++)
            assert_true(read->roofs->cpu.loads[k].latency > 0);
        snapshot_unref(read);
        frame_reader_unref(r);
        b.p[i] ^= 0x55;
    }
    assert_true(refused > 0);
    frame_writer_free(w);
    host_unref(host);
    free(b.p);
}
