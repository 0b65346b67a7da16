/* The plugin in a library that calls it as NCCL does, and as no library should. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/job/rank_collectives.h"
#include "engine/job/collectives_file.h"
#include "engine/job/rank_summary.h"
#include "support/compiled.h"
#include "support/fake_nccl.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { GROUP = 77, CHANNELS = 3, THREADS = 8, EACH = 500 };

static struct rank_collectives *collectives; /* of this process: the plugin takes the first */
static struct fake_nccl nccl;
static struct collectives_file file;

static struct fake_communicator make_communicator(uint64_t id)
{
    struct fake_communicator c = {.rank = 1, .ranks = 4, .channels = CHANNELS};
    fake_communicator_begin(&c, &nccl, id, "tensor parallel");
    return c;
}

static void read_file(void)
{
    struct error err = ERROR_INIT;
    const int fd = open(temp_folder, O_RDONLY | O_DIRECTORY);
    rank_collectives_copy(collectives, temp_folder);
    collectives_file_free(&file);
    assert_int_equal(collectives_file_read(&file, fd, getuid(), COLLECTIVES_CALLS, "rank", &err),
                     0);
    close(fd);
}

static const struct collectives_call *get_last_call(void)
{
    read_file();
    assert_true(file.ncalls > 0);
    return &file.calls[file.ncalls - 1];
}

/* The plugin is loaded once, as nothing unloads it. */
FIXTURE(begin)
{
    struct error err = ERROR_INIT;
    temp_folder_make(NULL);
    if (!fake_nccl_plugin())
        return;
    setenv("ROOFTOP_NCCL_LIBRARY", fake_nccl_plugin(), 1);
    compiled_new();
    compiled_write("next.c", "#include \"tests/nccl/next_plugin.inc\"\n");
    char line[1200], here[512];
    if (getcwd(here, sizeof here)) {
        snprintf(line, sizeof line, "${CC:-cc} -I%s -I%s/src -shared -fPIC -o next.so next.c", here,
                 here);
        if (compiled_shell(line))
            setenv(COLLECTIVES_NEXT, compiled_path("next.so"), 1);
    }
    collectives = rank_collectives_new(&err);
    assert_non_null(collectives);
    assert_true(fake_nccl_open(&nccl, getenv("NCCL_PROFILER_PLUGIN"), 6));
    struct fake_communicator c = make_communicator(GROUP); /* the first decides the version */
    fake_communicator_end(&c);
}

FIXTURE(end)
{
    collectives_file_free(&file);
    rank_collectives_free(collectives);
    if (fake_nccl_plugin())
        compiled_free();
    temp_folder_remove(NULL);
}

static void need_plugin(void)
{
    if (!collectives)
        skip_because("rooftop was not built");
}

static void try_version(int version)
{
    assert_true(fake_nccl_open(&nccl, getenv("NCCL_PROFILER_PLUGIN"), version));
    assert_int_equal(nccl.version, version);
    struct fake_communicator c = make_communicator(GROUP);
    assert_int_equal(nccl.mask & (PROFILER_COLLECTIVE | PROFILER_PAIR | PROFILER_KERNEL),
                     PROFILER_COLLECTIVE | PROFILER_PAIR | PROFILER_KERNEL);
    c.clock = 1000;
    fake_collective(&c, "AllReduce", 1 << 20, 500, 250);
    const struct collectives_call *call = get_last_call();
    assert_string_equal(call->op, "AllReduce");
    assert_string_equal(call->type, "ncclFloat32");
    assert_int_equal(call->count, 1 << 20);
    assert_int_equal(call->number, 1);
    assert_int_equal(call->first, 1500);
    assert_int_equal(call->last, 1750);
    assert_int_equal(call->channels, CHANNELS);
    assert_int_equal(call->done, CHANNELS);
    assert_true(call->begun >= call->called && call->ended >= call->begun);
    const struct collectives_group *g = &file.groups[file.ngroups - 1];
    assert_int_equal(g->serial, call->group);
    assert_int_equal(g->id, GROUP);
    assert_int_equal(g->ranks, 4);
    assert_int_equal(g->rank, 1);
    assert_string_equal(g->name, "tensor parallel");
    fake_communicator_end(&c);
    read_file();
    for (uint32_t i = 0; i < file.ngroups; i++)
        assert_int_not_equal(file.groups[i].id, GROUP);
}

TEST(each_version_of_the_interface_records)
{
    need_plugin();
    for (int v = 4; v <= 6; v++)
        try_version(v);
}

/* The next tests use the newest. */
TEST(a_call_that_waits_has_begun_and_not_ended)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    void *call = fake_call(&c, "AllGather", 5);
    assert_int_equal(get_last_call()->begun, 0);
    void *a = fake_kernel(&c, call, 0, 100), *b = fake_kernel(&c, call, 1, 90);
    assert_int_not_equal(get_last_call()->begun, 0);
    fake_kernel_end(&c, a, 200);
    fake_kernel_end(&c, b, 190);
    assert_int_equal(get_last_call()->ended, 0);
    assert_int_equal(get_last_call()->done, 2);
    fake_kernel_end(&c, fake_kernel(&c, call, 2, 95), 195);
    assert_int_not_equal(get_last_call()->ended, 0);
    assert_int_equal(get_last_call()->first, 90);
    assert_int_equal(get_last_call()->last, 200);
    fake_communicator_end(&c);
}

/* NCCL gives a small collective some channels of the communicator, not always the first ones. */
TEST(a_call_may_have_any_channels)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    const uint8_t channels[CHANNELS] = {127, 5, 64};
    void *kernels[CHANNELS], *call = fake_call(&c, "AllGather", 5);
    for (int i = 0; i < CHANNELS; i++)
        kernels[i] = fake_kernel(&c, call, channels[i], 100);
    for (int i = 0; i < CHANNELS; i++) {
        assert_int_equal(get_last_call()->ended, 0);
        fake_kernel_end(&c, kernels[i], 200);
    }
    assert_int_not_equal(get_last_call()->ended, 0);
    fake_communicator_end(&c);
}

TEST(a_call_of_all_channels_ends)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    c.channels = COLLECTIVES_CHANNELS;
    fake_collective(&c, "AllReduce", 1, 10, 10);
    assert_int_not_equal(get_last_call()->ended, 0);
    assert_int_equal(get_last_call()->done, COLLECTIVES_CHANNELS);
    fake_communicator_end(&c);
}

/* NCCL does not tell how many kernels a collective of CollNet has. */
TEST(a_call_of_unknown_channels_ends_when_none_runs)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    c.channels = 0;
    void *call = fake_call(&c, "AllReduce", 1);
    fake_kernel_end(&c, fake_kernel(&c, call, 0, 50), 60);
    assert_int_not_equal(get_last_call()->ended, 0);
    void *later = fake_kernel(&c, call, 1, 55);
    assert_int_equal(get_last_call()->ended, 0);
    fake_kernel_end(&c, later, 70);
    assert_int_not_equal(get_last_call()->ended, 0);
    assert_int_equal(get_last_call()->last, 70);
    fake_communicator_end(&c);
}

/* What is known of the call remains, and it ends with the kernels that are recorded. */
TEST(a_channel_beyond_those_of_nccl_is_not_recorded)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    void *call = fake_call(&c, "AllReduce", 1);
    fake_kernel_end(&c, fake_kernel(&c, call, COLLECTIVES_CHANNELS, 50), 60);
    fake_kernel_end(&c, fake_kernel(&c, call, UINT8_MAX, 50), 60);
    assert_int_equal(get_last_call()->begun, 0);
    assert_int_equal(get_last_call()->done, 0);
    c.channels = UINT8_MAX;
    fake_collective(&c, "AllReduce", 1, 10, 10);
    assert_int_not_equal(get_last_call()->ended, 0);
    fake_communicator_end(&c);
}

TEST(sends_and_receives_have_numbers_of_their_own)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    fake_pair(&c, "Send", 10, 3);
    fake_call(&c, "AllReduce", 1);
    fake_pair(&c, "Recv", 20, 2);
    const struct collectives_call *call = get_last_call();
    assert_string_equal(call->op, "Recv");
    assert_true(call->pair && call->peer == 2 && call->number == 2 && call->count == 20);
    assert_int_equal(call[-1].number, 1);
    fake_communicator_end(&c);
}

/* NCCL copies it without a kernel of its own: it would never begin. */
TEST(a_send_to_itself_is_not_recorded)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    fake_call(&c, "AllReduce", 4712);
    fake_pair(&c, "Send", 10, c.rank);
    fake_pair(&c, "Recv", 10, c.rank);
    assert_int_equal(get_last_call()->count, 4712);
    fake_communicator_end(&c);
}

TEST(what_the_program_asks_for_is_counted)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    fake_call(&c, "AllReduce", 1);
    fake_call_unseen(&c);
    fake_call_unseen(&c);
    read_file();
    assert_int_equal(file.groups[file.ngroups - 1].calls, 1);
    assert_int_equal(file.groups[file.ngroups - 1].announced, 3);
    fake_communicator_end(&c);
}

/* That of a library without HIP. */
static void ignore_log(int level, unsigned long flags, const char *from, int line,
                       const char *format, ...)
{
    (void)level, (void)flags, (void)from, (void)line, (void)format;
}

/* RCCL's stamps count by the rate that HIP tells: here 25 MHz. */
TEST(stamps_of_rccl_become_ns)
{
    need_plugin();
    compiled_write("rccl.c", "int hipGetDevice(int *d) { return *d = 0; }\n"
                             "int hipDeviceGetAttribute(int *v, int attribute, int device)\n"
                             "{ *v = 25000; return attribute != 10017 || device != 0; }\n"
                             "void rccl_log(void) {}\n");
    if (!compiled_shell("${CC:-cc} -shared -fPIC -o rccl.so rccl.c"))
        skip_because("there is no compiler");
    void *library = dlopen(compiled_path("rccl.so"), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    struct fake_nccl rccl = nccl;
    *(void **)&rccl.log = dlsym(library, "rccl_log");
    struct fake_communicator c = {.rank = 1, .ranks = 4, .channels = CHANNELS};
    fake_communicator_begin(&c, &rccl, GROUP, "rccl");
    fake_collective(&c, "AllReduce", 1, 500, 250);
    assert_int_equal(get_last_call()->first, 500 * 40);
    assert_int_equal(get_last_call()->last, 750 * 40);
    fake_communicator_end(&c);
    rccl.log = ignore_log;
    fake_communicator_begin(&c, &rccl, GROUP, "nccl");
    c.clock = 0;
    fake_collective(&c, "AllReduce", 1, 500, 250);
    assert_int_equal(get_last_call()->first, 500);
    fake_communicator_end(&c);
    dlclose(library);
}

/* --- what no library should do --- */

TEST(stray_handles_do_no_harm)
{
    need_plugin();
    const struct profiler *p = nccl.plugin;
    struct profiler_description d = {.type = PROFILER_COLLECTIVE};
    union profiler_state s = {.room = 0};
    void *event = &d;
    struct fake_communicator c = make_communicator(GROUP);
    assert_int_equal(p->start(NULL, &event, &d), 0);
    assert_null(event);
    assert_int_equal(p->start(&d, &event, &d), 0);
    assert_int_equal(p->start((char *)c.context + 1, &event, &d), 0);
    assert_int_equal(p->start(c.context, NULL, &d), 0);
    assert_int_equal(p->start(c.context, &event, NULL), 0);
    assert_int_equal(p->init(NULL, 1, NULL, NULL, 1, 1, 0, NULL), 0);
    for (uint64_t i = 0; i < 64; i++) {
        const uint64_t number = (UINT64_C(0x7274) << 48) | (i << 41) | i * 5;
        void *stray = (void *)(uintptr_t)number; /* NOLINT: it is no address */
        assert_int_equal(p->stop(stray), 0);
        assert_int_equal(p->record(stray, PROFILER_KERNEL_STOP, &s), 0);
        fake_kernel_end(&c, fake_kernel(&c, stray, 0, 1), 2);
    }
    assert_int_equal(p->stop(NULL), 0);
    assert_int_equal(p->record(NULL, PROFILER_KERNEL_STOP, NULL), 0);
    assert_int_equal(p->finalize(NULL), 0);
    assert_int_equal(p->finalize(&d), 0);
    d.collective.op = NULL; /* no name */
    assert_int_equal(p->start(c.context, &event, &d), 0);
    assert_string_equal(get_last_call()->op, "");
    fake_communicator_end(&c);
}

TEST(an_event_that_is_stopped_twice_counts_once)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    void *call = fake_call(&c, "AllReduce", 1);
    void *kernel = fake_kernel(&c, call, 0, 100);
    for (int i = 0; i < CHANNELS; i++)
        fake_kernel_end(&c, kernel, 200);
    assert_int_equal(get_last_call()->done, 1);
    assert_int_equal(get_last_call()->ended, 0);
    fake_communicator_end(&c);
}

TEST(a_communicator_may_end_while_events_are_open)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    void *context = c.context, *call = fake_call(&c, "AllReduce", 1);
    void *kernel = fake_kernel(&c, call, 0, 100);
    fake_communicator_end(&c);
    assert_int_equal(nccl.plugin->finalize(context), 0);
    c.context = context;
    assert_null(fake_call(&c, "AllReduce", 1));
    fake_kernel_end(&c, kernel, 200);
    read_file();
}

TEST(communicators_beyond_the_room_are_counted)
{
    enum { MANY = COLLECTIVES_GROUPS + 100 };
    need_plugin();
    struct fake_communicator *all = calloc(MANY, sizeof *all);
    read_file();
    const uint64_t before = file.header.dropped;
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        all[i] = make_communicator(i + 1);
        beyond += all[i].context == NULL;
        fake_call(&all[i], "AllReduce", i);
    }
    assert_int_equal(beyond, 100);
    for (uint32_t i = 0; i < MANY; i++)
        fake_communicator_end(&all[i]);
    free(all);
    struct fake_communicator c = make_communicator(GROUP);
    fake_call(&c, "AllReduce", 4711);
    assert_int_equal(get_last_call()->count, 4711);
    assert_int_equal(file.header.dropped, before + 100);
    fake_communicator_end(&c);
}

/* A call whose end was not seen is overwritten by the 8192nd after it. */
TEST(what_is_overwritten_unended_is_counted)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    for (uint64_t i = 0; i < COLLECTIVES_CALLS; i++) /* what the tests before left open */
        fake_collective(&c, "AllReduce", i, 10, 10);
    read_file();
    const uint64_t before = file.header.dropped;
    void *lost = fake_call(&c, "AllReduce", 1);
    void *kernel = fake_kernel(&c, lost, 0, 1);
    for (uint64_t i = 0; i < COLLECTIVES_CALLS; i++)
        fake_collective(&c, "AllReduce", i, 10, 10);
    fake_kernel_end(&c, kernel, 5);
    read_file();
    assert_int_equal(file.header.dropped, before + 1);
    assert_int_equal(file.ncalls, COLLECTIVES_CALLS);
    for (uint32_t i = 0; i < file.ncalls; i++)
        assert_int_equal(file.calls[i].count, i);
    fake_communicator_end(&c);
}

static void *call_from_thread(void *at)
{
    struct fake_communicator c = *(struct fake_communicator *)at;
    for (int i = 0; i < EACH; i++) {
        struct fake_communicator own = c;
        own.calls = (uint64_t)i;
        fake_collective(&own, "AllReduce", (uint64_t)i, 10, 10);
        if (i % 50 == 0) {
            struct fake_communicator other = make_communicator((uint64_t)i + 1000);
            fake_call(&other, "Broadcast", 1);
            fake_communicator_end(&other);
        }
    }
    return NULL;
}

TEST(threads_share_a_communicator)
{
    pthread_t threads[THREADS];
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_from_thread, &c), 0);
    for (int i = 0; i < 20; i++)
        rank_collectives_copy(collectives, temp_folder);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    read_file();
    uint64_t seen = 0, numbers = 0;
    for (uint32_t i = 0; i < file.ncalls; i++)
        if (file.calls[i].group == file.groups[file.ngroups - 1].serial) {
            seen++;
            numbers += file.calls[i].number;
            assert_int_equal(file.calls[i].done, CHANNELS);
        }
    assert_int_equal(seen, THREADS * EACH);
    assert_int_equal(numbers, seen * (seen + 1) / 2); /* each number once */
    fake_communicator_end(&c);
}

/* What a child of the rank's program does is not the rank's. */
TEST(a_forked_child_records_nothing)
{
    need_plugin();
    struct fake_communicator c = make_communicator(GROUP);
    fake_call(&c, "AllReduce", 11);
    const pid_t pid = fork();
    if (pid == 0) {
        fake_collective(&c, "AllReduce", 12, 10, 10);
        fake_communicator_end(&c);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(get_last_call()->count, 11);
    fake_communicator_end(&c);
}

/* --- the other plugin --- */

struct next_seen { /* tests/nccl/next_plugin.inc */
    int inits, finals, starts, stops, states, strays, parents;
};

TEST(another_plugin_gets_its_events)
{
    need_plugin();
    void *library = dlopen(getenv(COLLECTIVES_NEXT), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        skip_because("there is no compiler for the other plugin");
    struct next_seen *seen = dlsym(library, "next_seen");
    assert_non_null(seen);
    *seen = (struct next_seen){.inits = 0};
    struct fake_communicator c = make_communicator(GROUP);
    assert_int_equal(nccl.mask & PROFILER_PROXY_STEP, PROFILER_PROXY_STEP);
    fake_collective(&c, "AllReduce", 1, 10, 10);
    struct profiler_description d = {.type = PROFILER_PROXY_STEP};
    void *step = NULL;
    nccl.plugin->start(c.context, &step, &d);
    assert_non_null(step);
    nccl.plugin->record(step, 9, NULL);
    nccl.plugin->stop(step);
    void *open = fake_kernel(&c, fake_call(&c, "AllReduce", 2), 0, 1);
    fake_kernel_end(&c, fake_kernel(&c, NULL, UINT8_MAX, 1), 2); /* which is not recorded */
    fake_communicator_end(&c);
    fake_kernel_end(&c, open, 2); /* the other plugin has forgotten its communicator */
    assert_int_equal(seen->inits, 1);
    assert_int_equal(seen->finals, 1);
    /* of each call: its group and itself, as the program asks for them and as they are enqueued */
    assert_int_equal(seen->starts, 4 + CHANNELS + 1 + 4 + 1 + 1);
    assert_int_equal(seen->stops, 4 + CHANNELS + 1 + 4 + 1);
    assert_int_equal(seen->states, 2 + CHANNELS + 1 + 2 + 1);
    assert_int_equal(seen->parents, 1 + CHANNELS + 1 + 1);
    assert_int_equal(seen->strays, 0);
    dlclose(library);
}

TEST_MAIN(begin, end)
