/* Stored results of replays: they are found again and compared, and survive concurrent writers,
 * damage, later versions and --readonly. */
#include "engine/replay/replay_store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

static char note[256];
static const struct replay_key key = {"_Z3addPf", "00112233aabbccdd", "1111111111111111"};

static struct replay_store *open_it(bool readonly)
{
    struct replay_store *h;
    struct error err = ERROR_INIT;
    if (replay_store_open(&h, temp_folder, readonly, note, sizeof note, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return h;
}

/* Iterations around a mean, in microseconds. */
static void make_result(struct replay_result *r, double mean, bool emulated)
{
    char json[2048], samples[1024] = "";
    size_t n = 0;
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(samples + n, sizeof samples - n, "%s%.2f", i ? "," : "",
                              mean + (double)(i * 7 % 11 - 5) / 10);
    snprintf(
        json, sizeof json,
        "{\"kernel\":{\"name\":\"add\"},\"execution\":{\"iterations\":40,\"mode\":\"stateless\"}"
        ",\"timing\":{\"average\":%.2f,\"min\":1,\"max\":99,\"stddev\":0.3,\"samples\":[%s]},"
        "\"verify\":{\"equal\":true},\"environment\":{\"gpu_agent\":\"gfx942\",\"emulated\":%s}}",
        mean, samples, emulated ? "true" : "false");
    assert_int_equal(replay_result_parse(r, json, strlen(json)), 0);
}

static void add(struct replay_store *h, const struct replay_key *k, double mean, bool emulated,
                uint64_t time_ns)
{
    struct replay_result r;
    struct error err = ERROR_INIT;
    make_result(&r, mean, emulated);
    if (replay_store_add(h, k, REPLAY_FULL_VM, &r, "", time_ns, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    replay_result_free(&r);
}

TEST_WITH(what_was_kept_is_found_newest_first, temp_folder_make, temp_folder_remove)
{
    struct replay_store *h = open_it(false);
    struct replay_key other = key;
    struct replay_pasts p;
    strcpy(other.capture, "ffffffffffffffff");
    add(h, &key, 20, false, 100);
    add(h, &key, 10, false, 200);
    add(h, &other, 30, false, 300);
    replay_store_close(h);
    h = open_it(false); /* at another day */
    assert_string_equal(note, "");
    assert_int_equal(replay_store_results(h, &key, 10, &p, NULL), 0);
    assert_int_equal(p.n, 2);
    assert_true(p.rows[0].timing.average == 10 && p.rows[1].timing.average == 20);
    assert_true(p.rows[0].time_ns == 200 && p.rows[0].timing.n == 40 && p.rows[0].verify == 1);
    assert_string_equal(p.rows[0].agent, "gfx942");
    assert_string_equal(p.rows[0].mode, "stateless");
    assert_string_equal(p.rows[0].code, key.code);
    replay_pasts_free(&p);
    assert_int_equal(replay_store_results(h, &key, 1, &p, NULL), 0);
    assert_int_equal(p.n, 1);
    replay_pasts_free(&p);
    replay_store_close(h);
}

TEST_WITH(equal_within_a_tolerance_is_not_equal, temp_folder_make, temp_folder_remove)
{
    static const char *const json[] = {
        "{\"verify\":{\"equal\":true,\"type\":\"u8\",\"exact\":true}}",
        "{\"verify\":{\"equal\":true,\"type\":\"f32\",\"exact\":false}}",
        "{\"verify\":{\"equal\":false,\"type\":\"f32\",\"exact\":false}}", "{}"};
    static const int kept[] = {REPLAY_EQUAL, REPLAY_TOLERATED, REPLAY_DIFFERENT,
                               REPLAY_NOT_COMPARED};
    struct replay_store *h = open_it(false);
    struct replay_pasts p;
    for (size_t i = 0; i < 4; i++) {
        struct replay_result r;
        assert_int_equal(replay_result_parse(&r, json[i], strlen(json[i])), 0);
        assert_int_equal(replay_store_add(h, &key, REPLAY_FULL_VM, &r, NULL, i + 1, NULL), 0);
        replay_result_free(&r);
    }
    assert_int_equal(replay_store_results(h, &key, 10, &p, NULL), 0);
    assert_int_equal(p.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(p.rows[3 - i].verify, kept[i]);
    replay_pasts_free(&p);
    replay_store_close(h);
}

TEST_WITH(two_results_are_compared, temp_folder_make, temp_folder_remove)
{
    struct replay_store *h = open_it(false);
    struct replay_pasts p;
    struct replay_difference_of d;
    add(h, &key, 20, false, 100);
    add(h, &key, 22, false, 200);
    add(h, &key, 20, false, 300);
    add(h, &key, 90, true, 400);
    assert_int_equal(replay_store_results(h, &key, 10, &p, NULL), 0);
    assert_null(replay_past_compare(&p.rows[3], &p.rows[2], &d)); /* 20 and 22 us */
    assert_true(d.percent > 9.5 && d.percent < 10.5 && d.p < 0.01 && d.low > 8 && d.high < 12);
    assert_null(replay_past_compare(&p.rows[3], &p.rows[1], &d)); /* the same times */
    assert_true(d.percent > -0.01 && d.percent < 0.01 && d.p > 0.9);
    assert_non_null(replay_past_compare(&p.rows[3], &p.rows[0], &d)); /* an emulated one */
    assert_non_null(strstr(replay_past_compare(&p.rows[0], &p.rows[3], &d), "EMULATED"));
    replay_pasts_free(&p);
    replay_store_close(h);
}

TEST_WITH(variants_are_kept_one_by_one, temp_folder_make, temp_folder_remove)
{
    static const char json[] =
        "{\"variants\":[{\"name\":\"captured\",\"timing\":{\"average\":5}},"
        "{\"name\":\"b\",\"timing\":{\"average\":6},\"verify\":{\"equal\":false}},"
        "{\"name\":\"c\",\"error\":\"it cannot be loaded\"}]}";
    struct replay_store *h = open_it(false);
    struct replay_result r;
    struct replay_pasts p;
    assert_int_equal(replay_result_parse(&r, json, sizeof json - 1), 0);
    assert_int_equal(replay_store_add(h, &key, REPLAY_COMPARE, &r, NULL, 1, NULL), 0);
    assert_int_equal(replay_store_results(h, &key, 10, &p, NULL), 0);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.rows[0].hsaco, "b");
    assert_int_equal(p.rows[0].verify, 0);
    assert_int_equal(p.rows[0].job, REPLAY_COMPARE);
    assert_int_equal(p.rows[1].verify, -1);
    assert_string_equal(p.rows[1].hsaco, "");
    assert_string_equal(p.rows[1].code, key.code);
    assert_string_equal(p.rows[0].code, ""); /* b does not exist any more */
    replay_pasts_free(&p);
    replay_result_free(&r);
    replay_store_close(h);
}

TEST_WITH(the_oldest_are_forgotten, temp_folder_make, temp_folder_remove)
{
    struct replay_store *h = open_it(false);
    struct replay_pasts p;
    for (int i = 0; i < REPLAY_STORE_KEPT + 5; i++)
        add(h, &key, 10, false, (uint64_t)i + 1);
    assert_int_equal(replay_store_results(h, &key, 9999, &p, NULL), 0);
    assert_int_equal(p.n, REPLAY_STORE_KEPT);
    assert_true(p.rows[p.n - 1].time_ns == 6);
    replay_pasts_free(&p);
    replay_store_close(h);
}

static char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    return path;
}

static void damage(long at, const char *bytes)
{
    FILE *f = fopen(path_of("replays.db"), "r+");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    fputs(bytes, f);
    fclose(f);
}

static size_t count_aside(void)
{
    char line[128];
    struct program p;
    snprintf(line, sizeof line, "ls %s | grep 'damaged-[0-9]*$'", temp_folder);
    program_run(&p, line);
    size_t n = program_lines(p.out);
    program_free(&p);
    return n;
}

TEST_WITH(a_damaged_one_is_told_and_set_aside, temp_folder_make, temp_folder_remove)
{
    struct replay_store *h = open_it(false);
    struct replay_pasts p;
    add(h, &key, 10, false, 1);
    replay_store_close(h);
    damage(0, "this is no database at all");
    h = open_it(true); /* a reader leaves the file where it is */
    assert_non_null(strstr(note, "damaged"));
    assert_int_equal(count_aside(), 0);
    replay_store_close(h);
    h = open_it(false);
    assert_non_null(strstr(note, "set aside"));
    assert_int_equal(count_aside(), 1);
    add(h, &key, 12, false, 2);
    assert_int_equal(replay_store_results(h, &key, 9, &p, NULL), 0);
    assert_int_equal(p.n, 1);
    replay_pasts_free(&p);
    replay_store_close(h);
    h = open_it(false);
    assert_string_equal(note, "");
    replay_store_close(h);
}

TEST_WITH(readonly_writes_nothing, temp_folder_make, temp_folder_remove)
{
    struct replay_result r;
    struct replay_pasts p;
    struct error err = ERROR_INIT;
    struct stat st;
    struct replay_store *h = open_it(true);
    make_result(&r, 1, false);
    assert_int_equal(replay_store_add(h, &key, REPLAY_FULL_VM, &r, "", 1, &err), -EROFS);
    assert_int_equal(replay_store_remember(h, "/x", 1, &err), -EROFS);
    assert_int_not_equal(stat(path_of("replays.db"), &st), 0);
    replay_store_close(h);
    h = open_it(false);
    add(h, &key, 3, false, 1);
    replay_store_close(h);
    h = open_it(true);
    assert_int_equal(replay_store_results(h, &key, 9, &p, NULL), 0);
    assert_int_equal(p.n, 1);
    assert_int_not_equal(stat(path_of("replays.db-shm"), &st), 0);
    replay_pasts_free(&p);
    replay_store_close(h);
    replay_result_free(&r);
}

TEST_WITH(without_a_folder_there_is_none, temp_folder_make, temp_folder_remove)
{
    struct replay_store *h;
    struct replay_pasts p;
    struct error err = ERROR_INIT;
    assert_int_equal(replay_store_open(&h, "", false, note, sizeof note, &err), 0);
    assert_int_equal(replay_store_results(h, &key, 9, &p, &err), 0);
    assert_int_equal(p.n, 0);
    assert_int_equal(replay_store_remember(h, "/x", 1, &err), -EROFS);
    replay_store_close(h);
}

TEST_WITH(folders_are_remembered, temp_folder_make, temp_folder_remove)
{
    struct arena arena = {0};
    const char *found[8];
    struct replay_store *h = open_it(false);
    replay_store_remember(h, "/b", 1, NULL);
    replay_store_remember(h, "/a", 2, NULL);
    replay_store_remember(h, "/b", 3, NULL);
    assert_int_equal(replay_store_folders(h, &arena, found, 8), 2);
    assert_string_equal(found[0], "/b");
    assert_string_equal(found[1], "/a");
    assert_int_equal(replay_store_folders(h, &arena, found, 1), 1);
    arena_free(&arena);
    replay_store_close(h);
}

enum { WRITERS = 4, EACH = 10 };

static void *writer(void *arg)
{
    struct replay_store *h;
    struct replay_result r;
    char said[256];
    if (replay_store_open(&h, temp_folder, false, said, sizeof said, NULL) != 0 || said[0])
        return arg;
    make_result(&r, 10, false);
    for (int i = 0; i < EACH; i++)
        if (replay_store_add(h, &key, REPLAY_FULL_VM, &r, "", (uint64_t)i, NULL) != 0)
            return arg;
    replay_result_free(&r);
    replay_store_close(h);
    return NULL;
}

TEST_WITH(many_dashboards_write_one_history, temp_folder_make, temp_folder_remove)
{
    pthread_t thread[WRITERS];
    struct replay_pasts p;
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, writer, temp_folder), 0);
    for (int i = 0; i < WRITERS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    struct replay_store *h = open_it(false);
    assert_int_equal(replay_store_results(h, &key, 9999, &p, NULL), 0);
    assert_int_equal(p.n, WRITERS * EACH);
    replay_pasts_free(&p);
    replay_store_close(h);
}

/* A writer that is killed in the middle of its work: what it said to be kept is there, whole, and
 * the next one writes on. */
TEST_WITH(a_killed_writer_loses_nothing, temp_folder_make, temp_folder_remove)
{
    enum { ROUNDS = 12, MOST = 20 /* a round; fewer than are forgotten again */ };
    size_t kept = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int said[2];
        char byte;
        struct replay_pasts p;
        assert_int_equal(pipe(said), 0);
        const pid_t child = fork();
        if (child == 0) {
            struct replay_store *h = open_it(false);
            for (uint64_t i = 0; i < MOST; i++) {
                add(h, &key, 10, false, 1000 * (uint64_t)round + i + 1);
                if (write(said[1], "x", 1) != 1)
                    _exit(1);
            }
            for (;;)
                pause();
        }
        close(said[1]);
        for (int i = 0; i <= round % 4; i++, kept++)
            assert_int_equal(read(said[0], &byte, 1), 1);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while (read(said[0], &byte, 1) == 1)
            kept++;
        close(said[0]);
        note[0] = '\0';
        struct replay_store *h = open_it(round % 2);
        assert_string_equal(note, ""); /* it is not damaged */
        assert_int_equal(replay_store_results(h, &key, 9999, &p, NULL), 0);
        assert_in_range(p.n, kept, kept + 1); /* one may be kept and not told */
        kept = p.n;
        for (size_t i = 0; i < p.n; i++)
            assert_int_equal(p.rows[i].stats.n, 40); /* none is half there */
        replay_pasts_free(&p);
        replay_store_close(h);
    }
}
