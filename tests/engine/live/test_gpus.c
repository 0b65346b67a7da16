/* GPUs of several backends in one snapshot, and in sessions. */
#include <stdlib.h>
#include <string.h>

#include "engine/live/gpus.h"
#include "engine/live/live_series.h"
#include "engine/live/snapshot.h"
#include "engine/session/session_impl.h"
#include "support/scenes.h"
#include "support/test.h"

static struct gpus_build b;

FIXTURE(set_up)
{
    gpus_clear(&b);
}

FIXTURE(tear_down)
{
    gpus_free(&b);
    snapshot_pool_drain();
}

static struct snapshot *empty(void)
{
    struct host *h = host_new();
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    return s;
}

static int gpu(const char *pci, const char *name)
{
    int i = gpus_add(&b, "not asked");
    b.g.gpu[i].pci = gpus_text(&b, "%s", pci);
    b.g.gpu[i].name = gpus_text(&b, "%s", name);
    return i;
}

static struct gpu_process *process(int of, int pid)
{
    struct gpu_process *p = gpus_add_row(&b, GPUS_PROCESSES, "not told");
    p->gpu = of;
    p->pid = pid;
    return p;
}

TEST_WITH(what_is_not_known_has_a_reason, set_up, tear_down)
{
    gpu("", "x");
    for (int a = GPUS_GPU; a <= GPUS_NOW; a++) {
        const struct fields *f = &gpus_tables[a].fields;
        size_t n;
        const char *row = gpus_rows(&b.g, (enum gpus_array)a, &n);
        for (size_t i = 0; i < f->n; i++)
            if (f->field[i].type == FIELD_VALUE) {
                const struct value *v = (const void *)(row + f->field[i].offset);
                assert_int_equal(v->validity, VALUE_MISSING);
                assert_string_equal(v->why, "not asked");
            }
    }
}

TEST_WITH(rows_of_a_second_backend_find_their_gpu, set_up, tear_down)
{
    struct snapshot *s = empty();
    gpu("0000:01:00.0", "first");
    process(0, 10);
    gpus_merge(s, &b.g);
    gpus_clear(&b);
    gpu("0000:02:00.0", "second");
    process(0, 10);
    gpus_merge(s, &b.g);
    gpus_clear(&b);
    gpu("0000:02:00.0", "the same, by another backend"); /* that backend adds what it knows */
    gpu("0000:03:00.0", "third");
    process(0, 11);
    process(1, 12);
    process(-1, 13);
    b.g.emulated = 1;
    gpus_merge(s, &b.g);
    assert_int_equal(s->gpus->n, 3);
    assert_string_equal(s->gpus->gpu[1].name, "second");
    assert_string_equal(s->gpus->gpu[2].name, "third");
    static const int want[] = {0, 1, 1, 2, -1};
    assert_int_equal(s->gpus->nprocesses, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(s->gpus->processes[i].gpu, want[i]);
    assert_true(s->gpus->emulated);
    snapshot_unref(s);
}

TEST_WITH(a_snapshot_owns_its_texts, set_up, tear_down)
{
    struct snapshot *s = empty();
    gpu("0000:01:00.0", "a name");
    b.g.now[0].power = value_missing(gpus_text(&b, "a reason of %d", 1), UNIT_WATT);
    gpus_merge(s, &b.g);
    gpus_free(&b);
    assert_string_equal(s->gpus->gpu[0].name, "a name");
    assert_string_equal(s->gpus->now[0].power.why, "a reason of 1");
    snapshot_unref(s);
}

TEST_WITH(processes_get_owner_and_name, set_up, tear_down)
{
    struct snapshot *s = empty();
    struct proc list[] = {{.pid = 3, .user = "root", .comm = "init"},
                          {.pid = 40, .user = "me", .comm = "python3"},
                          {.pid = 41, .user = "you", .comm = "x"}};
    s->procs = list;
    s->nprocs = 3;
    gpu("", "x");
    process(0, 40);
    process(0, 99);
    gpus_merge(s, &b.g);
    assert_string_equal(s->gpus->processes[0].user, "me");
    assert_string_equal(s->gpus->processes[0].name, "python3");
    assert_string_equal(s->gpus->processes[1].user, "");
    snapshot_unref(s);
}

TEST_WITH(there_is_an_end_to_gpus, set_up, tear_down)
{
    struct snapshot *s = empty();
    for (int i = 0; i < GPUS_MAX; i++)
        assert_int_equal(gpu("", "x"), i);
    assert_int_equal(gpus_add(&b, ""), -1);
    process(GPUS_MAX - 1, 5);
    gpus_merge(s, &b.g);
    gpus_merge(s, &b.g); /* more GPUs than there is room for: their rows refer to none */
    assert_int_equal(s->gpus->n, GPUS_MAX);
    assert_int_equal(s->gpus->processes[1].gpu, -1);
    snapshot_unref(s);
}

TEST_WITH(a_damaged_frame_names_no_gpu_that_there_is_not, set_up, tear_down)
{
    struct snapshot *s = empty(), *t = empty();
    struct dictionary *text = dictionary_new();
    struct bytes out = {0};
    gpu("", "x");
    process(0, 5);
    gpus_merge(s, &b.g);
    ((struct gpu_process *)s->gpus->processes)->gpu = 1;
    frame_write_gpus(&(struct coder){.out = &out, .text = text}, s->gpus, NULL);
    dictionary_free(text);
    text = dictionary_new();
    struct byte_reader in = {out.p, out.p + out.n, false};
    struct coder c = {.in = &in, .text = text, .s = t};
    assert_null(frame_read_gpus(&c, NULL));
    assert_true(in.bad);
    dictionary_free(text);
    free(out.p);
    snapshot_unref(s);
    snapshot_unref(t);
}

TEST_WITH(graphs_have_a_series_each, set_up, tear_down)
{
    struct live_series *h = live_series_new();
    float v[2];
    for (int t = 0; t < 2; t++) {
        struct snapshot *s = scene("gpus", t);
        live_series_push(h, s);
        snapshot_unref(s);
    }
    assert_int_equal(live_series_get(h, "g:pci:0000:81:00.0/power", v, 2), 2);
    assert_true(v[0] >= 180 && v[0] <= 750);
    assert_int_equal(live_series_get(h, "g:pci:0000:c1:00.0/rx", v, 2), 2);
    assert_int_equal(live_series_get(h, "g:pci:0000:c1:00.0/junction", v, 2), 0); /* not measured */
    live_series_free(h);
}
