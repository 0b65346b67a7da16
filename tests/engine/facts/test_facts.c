/* Process numbers that come again within a trace belong to other processes and threads. */
#include <string.h>

#include "engine/facts/facts.h"
#include "support/syscall_scene.h"
#include "support/test.h"

static struct syscall_scene begin(void)
{
    struct syscall_scene s = scene_begin();
    scene_exec(&s, "/usr/bin/make");
    return s;
}

static void by_parent(struct syscall_scene *s)
{
    s->pid = s->tid = 100;
}

TEST(a_number_that_comes_again_is_another_process)
{
    struct syscall_scene s = begin();
    scene_start(&s, 200, "make");
    scene_exec(&s, "/usr/bin/cc");
    scene_path(&s, "openat", 3, 1, "/a.c");
    scene_call(&s, "read", 10, 3, 0, 10, 0);
    scene_exit(&s, 1 << 8, 4096);
    by_parent(&s);
    scene_call(&s, "wait4", 200, 200, 0, 0, 0);
    scene_start(&s, 200, "make");
    scene_exec(&s, "/usr/bin/ld");
    scene_call(&s, "getpid", 200, 0, 0, 0, 0);
    const struct run_facts *f = s.facts;
    assert_int_equal(f->nprocesses, 3);
    const struct process_fact *cc = &f->processes[1], *ld = &f->processes[2];
    assert_int_equal(cc->pid, 200);
    assert_string_equal(cc->name, "cc");
    assert_int_equal(cc->calls, 2);
    assert_int_equal(cc->status, 1 << 8);
    assert_true(cc->ended);
    assert_int_equal(cc->resident_peak, 4096);
    assert_int_equal(ld->pid, 200);
    assert_int_equal(ld->parent, 100);
    assert_string_equal(ld->name, "ld");
    assert_int_equal(ld->calls, 1);
    assert_int_equal(ld->status, -1);
    assert_false(ld->ended);
    assert_true(cc->end_ns <= ld->begin_ns);
    assert_int_equal(ld->resident_peak, 0);
    assert_int_equal(descriptors_open(f->descriptors, 200), 3); /* not those of cc */
    for (size_t i = 0; i < f->nuses; i++)
        assert_int_not_equal(f->uses[i].process, 2);
    run_facts_finish(s.facts);
    for (size_t i = 0; i < f->nprograms; i++)
        if (strcmp(f->programs[i].name, "cc") == 0 || strcmp(f->programs[i].name, "ld") == 0)
            assert_int_equal(f->programs[i].processes, 1);
    run_facts_free(s.facts);
}

/* The end of the first one was lost. */
TEST(a_second_start_is_another_process_too)
{
    struct syscall_scene s = begin();
    scene_start(&s, 200, "one");
    scene_call(&s, "mmap", 0x7000, 0, 1 << 20, 3, 0x22);
    by_parent(&s);
    scene_start(&s, 200, "two");
    assert_int_equal(s.facts->nprocesses, 3);
    assert_true(s.facts->processes[1].ended); /* else its number were not free */
    assert_int_equal(s.facts->processes[1].status, -1);
    assert_int_equal(s.facts->mapped, 0);
    assert_string_equal(s.facts->processes[2].name, "two");
    run_facts_free(s.facts);
}

/* What has no start of its own: attached to, or executed by a thread that is not the first. */
TEST(ends_of_threads_and_exec_make_no_process)
{
    struct syscall_scene s = begin();
    scene_thread(&s, 101);
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    s.tid = 100;
    scene_exit(&s, 0, 0);
    s.tid = 101; /* told late */
    scene_exit(&s, 0, 0);
    s.tid = 100;
    scene_exec(&s, "/bin/next");
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    assert_int_equal(s.facts->nprocesses, 1);
    assert_string_equal(s.facts->processes[0].name, "next");
    assert_false(s.facts->processes[0].ended);
    assert_int_equal(s.facts->processes[0].calls, 2);
    run_facts_free(s.facts);
}

TEST(a_thread_number_that_comes_again_is_another_thread)
{
    struct syscall_scene s = begin();
    for (int i = 0; i < 2; i++) {
        s.tid = 100;
        scene_thread(&s, 150);
        for (int k = 0; k < 5 + i; k++)
            scene_call(&s, "getpid", 100, 0, 0, 0, 0);
        scene_exit(&s, 0, 0);
    }
    s.tid = 100;
    scene_start(&s, 150, "process");
    for (int k = 0; k < 7; k++)
        scene_call(&s, "getpid", 150, 0, 0, 0, 0);
    run_facts_finish(s.facts);
    assert_int_equal(s.facts->nloops, 3);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(s.facts->loops[i].tid, 150);
        assert_int_equal(s.facts->loops[i].calls, 5 + i);
        assert_int_equal(s.facts->loops[i].process, i == 2);
    }
    run_facts_free(s.facts);
}

/* Where memory is full, the ends of what is known are still noted, and of nothing else. */
TEST(an_end_needs_no_memory)
{
    struct syscall_scene s = begin();
    scene_start(&s, 200, "child");
    scene_path(&s, "openat", 3, 1, "/a");
    const struct syscall_event start = {
        .kind = SYSCALL_START, .pid = 200, .tid = 200, .parent = 100, .end_ns = s.now_ns + 20};
    struct syscall_event end = {.kind = SYSCALL_EXIT,
                                .pid = 200,
                                .tid = 201,
                                .result = 9,
                                .end_ns = s.now_ns + 10,
                                .args = {8192}};
    run_facts_end_process(s.facts, &end); /* only a thread */
    assert_false(s.facts->processes[1].ended);
    end.tid = 200;
    run_facts_end_process(s.facts, &end);
    run_facts_end_process(s.facts, &start);
    end.result = 0;
    end.end_ns += 30;
    run_facts_end_process(s.facts, &end); /* of another process, which is not known */
    end.pid = end.tid = 300;
    run_facts_end_process(s.facts, &end);
    assert_int_equal(s.facts->nprocesses, 2);
    assert_true(s.facts->processes[1].ended);
    assert_int_equal(s.facts->processes[1].status, 9);
    assert_int_equal(s.facts->processes[1].resident_peak, 8192);
    assert_int_equal(s.facts->processes[1].end_ns, s.now_ns + 10);
    assert_int_equal(s.facts->end_ns, s.now_ns + 40);
    run_facts_free(s.facts);
}

/* A call whose entry was not seen has no known arguments: its close does not close descriptor 0. */
TEST(a_return_alone_closes_nothing)
{
    struct syscall_scene s = begin();
    scene_call(&s, "dup2", 0, 1, 0, 0, 0);
    const uint32_t open = descriptors_open(s.facts->descriptors, 100);
    const uint64_t calls = s.facts->calls;
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .number = 3, /* close */
                              .pid = 100,
                              .tid = 100,
                              .begin_ns = s.now_ns,
                              .end_ns = s.now_ns,
                              .flags = SYSCALL_NO_ENTRY,
                              .result = -1};
    run_facts_add(s.facts, &e);
    assert_int_equal(s.facts->calls, calls + 1);
    assert_int_equal(descriptors_open(s.facts->descriptors, 100), open);
    run_facts_free(s.facts);
}

/* They go on beside their thread, and one after the other is no loop of calls. */
TEST(operations_are_beside_the_thread)
{
    enum { READ = 22, MANY = 50 };
    struct syscall_scene s = begin();
    const uint64_t before = s.facts->processes[0].call_ns;
    s.call_ns = 5000000;
    const uint64_t calls = s.facts->calls;
    for (int i = 0; i < MANY; i++)
        scene_operation(&s, READ, 16);
    s.call_ns = 30;
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    run_facts_finish(s.facts);
    assert_int_equal(s.facts->processes[0].call_ns, before + 30);
    assert_int_equal(s.facts->programs[s.facts->processes[0].program].sums.total_ns, before + 30);
    assert_int_equal(s.facts->sums.total_ns, before + 30);
    assert_int_equal(s.facts->operations, MANY);
    assert_int_equal(s.facts->calls, calls + 1);
    assert_int_equal(s.facts->processes[0].calls, calls + 1);
    for (size_t i = 0; i < s.facts->nloops; i++)
        assert_true(s.facts->loops[i].calls < MANY && s.facts->loops[i].ns <= before + 30);
    run_facts_free(s.facts);
}
