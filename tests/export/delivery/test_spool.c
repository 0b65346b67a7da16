/* The spool keeps messages whole, in order, for one taker each; what is damaged is set aside. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/delivery/spool.h"
#include "support/temp_folder.h"
#include "support/test.h"

static char folder[128];
static struct endpoint a = {.url = "http://a/v1/traces", .protocol = ENDPOINT_JSON},
                       b = {.url = "http://b/v1/traces", .protocol = ENDPOINT_GRPC};

static void open_it(struct spool *s, uint64_t limit)
{
    struct error err = ERROR_INIT;
    snprintf(folder, sizeof folder, "%s/spool", temp_folder);
    if (spool_open(s, folder, limit, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

static int add(struct spool *s, const struct endpoint *to, const char *text)
{
    struct error err = ERROR_INIT;
    const void *part[SPOOL_PARTS] = {text, "", "\0end"};
    const size_t size[SPOOL_PARTS] = {strlen(text), 0, 4};
    return spool_add(s, to, part, size, 7, &err);
}

static void takes(struct spool *s, const char *url, const char *text)
{
    struct spool_message m;
    if (!spool_take(s, url, &m))
        fail_msg("%s is not there", text);
    const size_t n = strlen(text);
    if (m.n != n + 4 || memcmp(m.data, text, n) != 0 || memcmp(m.data + n, "\0end", 4) != 0)
        fail_msg("%.*s in place of %s", (int)m.n, (char *)m.data, text);
    assert_int_equal(m.spans, 7);
    spool_done(s, &m);
}

static size_t files(const char *pattern)
{
    char line[300];
    snprintf(line, sizeof line, "ls %s/%s 2>/dev/null | wc -l", folder, pattern);
    FILE *f = popen(line, "r");
    int n = -1;
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return (size_t)n;
}

TEST_WITH(test_order, temp_folder_make, temp_folder_remove)
{
    struct spool s;
    struct spool_message m;
    struct stat st;
    open_it(&s, 1 << 20);
    add(&s, &a, "one");
    add(&s, &b, "two");
    add(&s, &a, "three");
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    spool_close(&s);
    open_it(&s, 1 << 20); /* the next run */
    takes(&s, a.url, "one");
    takes(&s, a.url, "three");
    assert_false(spool_take(&s, a.url, &m));
    spool_look(&s);
    assert_true(spool_take(&s, NULL, &m));
    assert_string_equal(m.url, b.url);
    assert_int_equal(m.protocol, ENDPOINT_GRPC);
    spool_leave(&m);
    size_t n;
    struct spool_sum *sums = spool_sums(&s, &n);
    assert_int_equal(n, 1);
    assert_int_equal(sums[0].spans, 7);
    free(sums);
    spool_close(&s);
}

/* While one process has a message, no other takes it. */
TEST_WITH(test_one_taker, temp_folder_make, temp_folder_remove)
{
    struct spool s, other;
    struct spool_message m, second;
    open_it(&s, 1 << 20);
    open_it(&other, 1 << 20);
    add(&s, &a, "one");
    spool_look(&s);
    spool_look(&other);
    assert_true(spool_take(&s, NULL, &m));
    assert_false(spool_take(&other, NULL, &second));
    spool_leave(&m); /* as when the process is killed */
    spool_look(&other);
    takes(&other, NULL, "one");
    spool_look(&s);
    assert_false(spool_take(&s, NULL, &m));
    spool_close(&s);
    spool_close(&other);
}

/* Every bit that is changed and every byte that is missing is noticed. */
TEST_WITH(test_damage, temp_folder_make, temp_folder_remove)
{
    struct spool s;
    struct spool_message m;
    open_it(&s, 1 << 20);
    add(&s, &a, "some spans");
    spool_look(&s);
    assert_true(spool_take(&s, NULL, &m));
    const size_t n = m.size;
    uint8_t *good = malloc(n), *copy = malloc(n);
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, m.name);
    int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, good, n), n);
    close(fd);
    spool_leave(&m);
    memcpy(copy, good, n);
    struct spool_message p = {.fd = -1};
    assert_true(spool_parse(copy, n, &p));
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, good, n);
        assert_false(spool_parse(copy, i, &p));
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, good, n);
            copy[i] ^= (uint8_t)(1 << bit);
            struct spool_message q = {.fd = -1};
            if (spool_parse(copy, n, &q) && strcmp(q.url, a.url) == 0 && q.spans == 7 &&
                q.protocol == ENDPOINT_JSON)
                fail_msg("bit %d of byte %zu is not noticed", bit, i);
        }
    }
    assert_int_equal(truncate(path, (off_t)n - 1), 0);
    spool_look(&s);
    assert_false(spool_take(&s, NULL, &m));
    assert_int_equal(s.damaged, 1);
    assert_int_equal(files("*.damaged"), 1);
    assert_int_equal(files("*.otlp"), 0);
    free(good);
    free(copy);
    spool_close(&s);
}

/* Links and files of other kinds are never followed; what a killed writer left is removed once it
 * is old. */
TEST_WITH(test_others, temp_folder_make, temp_folder_remove)
{
    struct spool s;
    struct spool_message m;
    char path[300];
    open_it(&s, 1 << 20);
    snprintf(path, sizeof path, "%s/00000000000000000001-0000001-00000001.otlp", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/00000000000000000002-0000001-00000001.otlp", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/00000000000000000003-0000001-00000001.otlp", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/00000000000000000001-0000001-00000001.new", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    snprintf(path, sizeof path, "%s/00000000000000000002-0000001-00000001.new", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    snprintf(path, sizeof path, "%s/config.new", folder); /* as old, but not ours */
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    spool_look(&s);
    assert_false(spool_take(&s, NULL, &m));
    assert_int_equal(files("config.new"), 1);
    assert_int_equal(files("*1-0000001-00000001.new"), 1);
    assert_int_equal(files("*2-0000001-00000001.new"), 0);
    spool_close(&s);
}

/* The user may name any folder: files with other names are not read, renamed or counted. */
TEST_WITH(test_foreign, temp_folder_make, temp_folder_remove)
{
    static const char *const names[] = {"notes.otlp", "00000000000000000001-1-1.otlp",
                                        "00000000000000000001-0000001-00000001x.otlp",
                                        "00000000000000000001-0000001-00000001.otlp.txt",
                                        "0000000000000000001-0000001-00000001.otlp"};
    struct spool s;
    struct spool_message m;
    size_t n;
    open_it(&s, 1 << 20);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *f = fopen(path, "w");
        fputs("not ours", f);
        fclose(f);
    }
    spool_check(&s);
    assert_int_equal(s.used, 0);
    assert_false(spool_take(&s, NULL, &m));
    free(spool_sums(&s, &n));
    assert_int_equal(n, 0);
    assert_int_equal(s.damaged, 0);
    assert_int_equal(files("*.damaged"), 0);
    assert_int_equal(files("*.otlp*"), sizeof names / sizeof *names);
    spool_close(&s);
}

/* A file that does not even say its address is found; the others stay. */
TEST_WITH(test_check, temp_folder_make, temp_folder_remove)
{
    struct spool s;
    char path[300];
    open_it(&s, 1 << 20);
    add(&s, &a, "one");
    snprintf(path, sizeof path, "%s/00000000000000000001-0000001-00000001.otlp", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    spool_check(&s);
    assert_int_equal(s.damaged, 1);
    spool_look(&s);
    takes(&s, a.url, "one");
    spool_close(&s);
}

TEST_WITH(test_full, temp_folder_make, temp_folder_remove)
{
    struct spool s;
    open_it(&s, 500);
    int kept = 0;
    while (add(&s, &a, "some spans") == 0)
        kept++;
    assert_in_range(kept, 1, 5);
    spool_look(&s);
    takes(&s, NULL, "some spans");
    assert_int_equal(add(&s, &a, "more"), 0); /* there is room again */
    spool_close(&s);
}

/* A folder that others can write in is refused: they could read, or send what they like. */
TEST_WITH(test_folder, temp_folder_make, temp_folder_remove)
{
    struct spool s;
    struct error err = ERROR_INIT;
    snprintf(folder, sizeof folder, "%s/shared", temp_folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_not_equal(spool_open(&s, folder, 1000, &err), 0);
    assert_int_equal(err.kind, ERROR_PERMISSION);
    spool_close(&s);
    snprintf(folder, sizeof folder, "%s/file", temp_folder);
    close(open(folder, O_CREAT | O_WRONLY, 0600));
    assert_int_not_equal(spool_open(&s, folder, 1000, &err), 0);
    spool_close(&s);
}
