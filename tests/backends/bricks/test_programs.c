/* Programs with bricks are found, followed, and kept after they have ended. (Forks:
 * not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "tui/app/app.h"
#include "tui/canvas/render.h"
#include "support/test.h"

/* At most two run at a time; each has its own pipes. */
static struct child {
    pid_t pid;
    int to_child[2], to_parent[2];
} children[2];

/* Starts a program that records, reports that, and waits for the command to end. */
static pid_t start(const char *name, int loops)
{
    struct child *c = &children[children[0].pid != 0];
    assert_int_equal(pipe(c->to_child), 0);
    assert_int_equal(pipe(c->to_parent), 0);
    c->pid = fork();
    assert_true(c->pid >= 0);
    if (c->pid == 0) {
        char how;
        const char *ptx = ".entry gemm_tiled()\n{ // tiled\n  ret;\n}\n";
        uint64_t hash = rooftop_code(ROOFTOP_PTX, "gemm_tiled", "gemm.ptx", ptx, strlen(ptx));
        for (int i = 0; i < loops; i++) {
            rooftop_timer t = rooftop_start(rooftop_register(name, ROOFTOP_FFN));
            rooftop_stop(rooftop_start(rooftop_kernel("gemm_tiled", hash, NULL, NULL, 0)), 1);
            rooftop_stop_work(t, 10, 100, 200);
        }
        rooftop_tokens((uint64_t)loops);
        if (write(c->to_parent[1], "", 1) != 1 || read(c->to_child[0], &how, 1) != 1)
            _exit(1);
        if (how == 'c')
            raise(SIGKILL);
        exit(0);
    }
    char ready;
    assert_int_equal(read(c->to_parent[0], &ready, 1), 1);
    return c->pid;
}

static void finish(pid_t pid, char how)
{
    struct child *c = &children[children[0].pid != pid];
    assert_int_equal(c->pid, pid);
    assert_int_equal(write(c->to_child[1], &how, 1), 1);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    for (int i = 0; i < 2; i++) {
        close(c->to_child[i]);
        close(c->to_parent[i]);
    }
    c->pid = 0;
}

static const struct watched_program *of_pid(const struct programs *p, pid_t pid)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].pid == pid)
            return &p->list[i];
    return NULL;
}

TEST(programs_are_found_and_kept)
{
    struct programs p = {0};
    struct target host = {.kind = TARGET_HOST};
    pid_t a = start("alpha", 3), b = start("beta", 5);
    programs_find(&p, &host, getenv("ROOFTOP_BRICKS"));
    programs_find(&p, &host, getenv("ROOFTOP_BRICKS"));
    programs_poll(&p);
    assert_int_equal(p.n, 2);
    assert_int_equal(of_pid(&p, a)->state, PROGRAM_RUNNING);
    assert_int_equal(brick_file_node(of_pid(&p, b)->reader, "beta")->count, 5);
    finish(a, 'c');
    programs_poll(&p);
    assert_int_equal(of_pid(&p, a)->state, PROGRAM_CRASHED);
    assert_int_equal(of_pid(&p, b)->state, PROGRAM_RUNNING);
    finish(b, 'e');
    programs_poll(&p);
    assert_int_equal(of_pid(&p, b)->state, PROGRAM_ENDED);
    struct arena memory = {0};
    struct bricks bricks;
    bricks_fill(&bricks, &memory, &p, 1, NULL);
    assert_int_equal(bricks.nprograms, 2);
    assert_int_equal(bricks.programs[0].tokens + bricks.programs[1].tokens, 8);
    assert_int_equal(bricks.roofline.npoints, 2);
    assert_int_equal(bricks.roofline.nroofs, 0); /* the program declared no distance to a roof */
    assert_true(bricks.roofline.points[0].distance != bricks.roofline.points[0].distance);
    graph_unref(bricks.tree);
    arena_free(&memory);
    programs_close(&p);
}

/* -p finds the named processes and no others in the same folder. */
TEST(a_pid_finds_its_own)
{
    struct programs p = {0};
    struct target pids = {.kind = TARGET_PIDS, .npids = 1};
    /* the shared folder, which -p searches */
    const char *folder = getenv("ROOFTOP_BRICKS");
    if (!folder)
        fail_msg("ROOFTOP_BRICKS is not set");
    char *keep = strdup(folder ? folder : "");
    unsetenv("ROOFTOP_BRICKS");
    pid_t a = start("alpha", 1), b = start("beta", 2);
    setenv("ROOFTOP_BRICKS", keep, 1);
    free(keep);
    pids.pids = &b;
    programs_find(&p, &pids, NULL);
    programs_poll(&p);
    assert_null(of_pid(&p, a));
    assert_non_null(of_pid(&p, b));
    assert_int_equal(p.n, 1);
    finish(a, 'e');
    finish(b, 'e');
    programs_poll(&p); /* its file was removed, but is still open here */
    assert_int_equal(of_pid(&p, b)->state, PROGRAM_ENDED);
    assert_int_equal(brick_file_node(of_pid(&p, b)->reader, "beta")->count, 2);
    programs_close(&p);
}

static char *draw(struct app *a)
{
    struct canvas c;
    char *text = NULL;
    size_t len = 0;
    canvas_init(&c);
    canvas_resize(&c, 100, 30);
    app_draw(a, &c);
    FILE *f = open_memstream(&text, &len);
    render_text(f, &c);
    fclose(f);
    canvas_free(&c);
    return text;
}

/* A kernel's brick leads to the source text of the kernel. */
TEST(a_kernel_shows_its_source)
{
    struct programs p = {0};
    pid_t pid = start("gemm brick", 2);
    char path[128];
    snprintf(path, sizeof path, "%s/rooftop-%d-0.bricks", getenv("ROOFTOP_BRICKS"), (int)pid);
    assert_int_equal(programs_add_file(&p, path, NULL), 0);
    programs_poll(&p);
    struct snapshot *s = snapshot_new(NULL);
    struct bricks *b = snapshot_alloc(s, sizeof *b);
    s->target = "test";
    s->time_ns = s->wall_ns = 1000000000;
    bricks_fill(b, &s->arena, &p, 0, NULL);
    s->bricks = b;
    struct app *a = app_new(1, false, "rooftop-dark");
    app_update(a, s);
    snapshot_unref(s);
    free(draw(a));
    app_key(a, &(struct key_event){.key = '3'});
    free(draw(a));
    app_key(a, &(struct key_event){.key = KEY_DOWN_});
    free(draw(a));
    app_key(a, &(struct key_event){.key = 'v'});
    char *text = draw(a);
    if (!strstr(text, "{ // tiled") || !strstr(text, "gemm_tiled  gemm.ptx"))
        fail_msg("%s", text);
    free(text);
    app_key(a, &(struct key_event){.key = KEY_ESCAPE});
    text = draw(a);
    assert_null(strstr(text, "{ // tiled"));
    free(text);
    app_free(a);
    snapshot_pool_drain();
    finish(pid, 'e');
    programs_close(&p);
}

BRICK_FOLDER_MAIN
