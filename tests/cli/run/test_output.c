#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/output.h"
#include "support/test.h"

static char dir[64];

FIXTURE_STATUS(make_dir)
{
    snprintf(dir, sizeof dir, "/tmp/rooftop-output-XXXXXX");
    signal(SIGPIPE, SIG_IGN);
    return mkdtemp(dir) ? 0 : -1;
}

FIXTURE_STATUS(remove_dir)
{
    return rmdir(dir); /* fails if a test left a file, such as a temporary one */
}

static const char *in_dir(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void expect_content(const char *path, const char *want)
{
    char buf[256] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    buf[fread(buf, 1, sizeof buf - 1, f)] = 0;
    fclose(f);
    assert_string_equal(buf, want);
}

TEST(a_document_appears_whole)
{
    const char *path = in_dir("doc");
    struct output out;
    struct error err = ERROR_INIT;
    assert_int_equal(output_file(path, "old", 3, &err), 0);
    chmod(path, 0640);
    assert_int_equal(output_open(&out, path, -1, false, &err), 0);
    assert_int_equal(output_write(&out, "new", 3, &err), 0);
    expect_content(path, "old"); /* until the document is complete */
    assert_int_equal(output_close(&out, true, &err), 0);
    expect_content(path, "new");
    struct stat st;
    stat(path, &st);
    assert_int_equal(st.st_mode & 07777, 0640);
    unlink(path);
}

TEST(an_abandoned_document_leaves_nothing)
{
    const char *path = in_dir("doc");
    struct output out;
    struct error err = ERROR_INIT;
    assert_int_equal(output_open(&out, path, -1, false, &err), 0);
    assert_int_equal(output_write(&out, "half", 4, &err), 0);
    assert_int_equal(output_close(&out, false, &err), 0);
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST(a_stream_is_appended)
{
    const char *path = in_dir("stream");
    struct error err = ERROR_INIT;
    for (int i = 0; i < 2; i++) {
        struct output out;
        assert_int_equal(output_open(&out, path, -1, true, &err), 0);
        assert_int_equal(out.fresh, i == 0);
        assert_int_equal(output_write(&out, "line\n", 5, &err), 0);
        assert_int_equal(output_close(&out, true, &err), 0);
    }
    expect_content(path, "line\nline\n");
    unlink(path);
}

TEST(a_link_stays_a_link)
{
    char target[128];
    struct error err = ERROR_INIT;
    struct stat st;
    snprintf(target, sizeof target, "%s", in_dir("target"));
    assert_int_equal(output_file(target, "old", 3, &err), 0);
    const char *link = in_dir("link");
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(output_file(link, "new", 3, &err), 0);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    expect_content(target, "new");
    unlink(link);
    unlink(target);
}

TEST(failures_are_told)
{
    struct error err = ERROR_INIT;
    assert_true(output_file("/dev/full", "x", 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    assert_non_null(strstr(err.what, "/dev/full"));
    assert_true(output_file(in_dir("no/such"), "x", 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    int pipefd[2];
    struct output out;
    assert_int_equal(pipe(pipefd), 0);
    close(pipefd[0]);
    assert_int_equal(output_open(&out, NULL, pipefd[1], false, &err), 0);
    assert_true(output_write(&out, "x", 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    close(pipefd[1]);
}

/* What a command asks before work of minutes: nothing is made or changed by it. */
TEST(a_check_tells_failures_and_changes_nothing)
{
    static const struct {
        const char *path;
        int rc;
    } cases[] = {{NULL, 0},
                 {"/dev/null", 0},
                 {"/nonesuch/x", -ENOENT},
                 {"/tmp", -EISDIR},
                 {"/proc/self/nonesuch", -ENOENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        int rc = output_check(cases[i].path, &err);
        if (rc != cases[i].rc || err.kind != (rc ? ERROR_OUTPUT : ERROR_NONE))
            fail_msg("%s: %d, %s", cases[i].path, rc, err.why);
    }
    char pipe_path[128];
    const char *path = in_dir("doc");
    struct stat st;
    assert_int_equal(output_check(path, NULL), 0);
    assert_int_not_equal(stat(path, &st), 0);
    assert_int_equal(output_file(path, "old", 3, NULL), 0);
    assert_int_equal(output_check(path, NULL), 0);
    expect_content(path, "old");
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", dir);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(output_check(pipe_path, NULL), 0); /* without waiting for a reader */
    unlink(pipe_path);
    unlink(in_dir("doc"));
    int out = dup(STDOUT_FILENO);
    close(STDOUT_FILENO);
    int rc = output_check(NULL, NULL);
    dup2(out, STDOUT_FILENO);
    close(out);
    assert_int_equal(rc, -EBADF);
}

TEST_MAIN(make_dir, remove_dir)
