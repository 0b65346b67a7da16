/* not for TSan: The terminal, with a pseudo-terminal of the test: the cost of a frame, and slow
 * terminals. */
#include <fcntl.h>
#include <locale.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/vt.h"
#include "tui/term/term.h"
#include "tui/term/term_impl.h"
#include "support/test.h"

struct rig {
    int master, slave;
    struct term *term;
    struct theme *theme;
    struct canvas canvas;
    struct vt *vt;
    char *raw;
    size_t len;
    bool wanted; /* the terminal can take what was held back */
};

static void rig_open(struct rig *r, const char *term, enum color_depth depth, int cols, int rows)
{
    struct error err = ERROR_INIT;
    struct winsize ws = {.ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows};
    memset(r, 0, sizeof *r);
    setenv("TERM", term, 1);
    assert_int_equal(openpty(&r->master, &r->slave, NULL, NULL, &ws), 0);
    fcntl(r->master, F_SETFL, O_NONBLOCK);
    struct term_config c = {.depth = depth, .mouse = true, .in_fd = r->slave, .out_fd = r->slave};
    assert_int_equal(term_open(&r->term, &c, &err), 0);
    assert_int_equal(theme_load(&r->theme, "rooftop-dark", &err), 0);
    canvas_init(&r->canvas);
    canvas_resize(&r->canvas, cols, rows);
    r->vt = vt_new(cols, rows);
}

/* Answers requests for the status, as terminals do. */
static void answer(struct rig *r, const char *p, size_t n)
{
    struct key_event key;
    int signo;
    for (size_t i = 0; i + 4 <= n; i++)
        if (memcmp(p + i, "\033[5n", 4) == 0 && write(r->master, "\033[0n", 4) != 4)
            fail_msg("no answer could be written");
    if (memmem(p, n, "\033[5n", 4)) /* the answer is not reported as a key */
        switch (term_wait(r->term, -1, 0, &key, &signo)) {
        case TERM_KEY:
            fail_msg("an answer was taken for a key");
        case TERM_RESIZE:
            r->wanted = true;
        default:
            break;
        }
}

/* Reads what has come since the last call, and shows it to the emulator. */
static size_t take(struct rig *r)
{
    char buf[65536];
    ssize_t n;
    r->len = 0;
    while ((n = read(r->master, buf, sizeof buf)) > 0) {
        vt_feed(r->vt, buf, (size_t)n);
        r->raw = realloc(r->raw, r->len + (size_t)n);
        memcpy(r->raw + r->len, buf, (size_t)n);
        r->len += (size_t)n;
        if (r->term)
            answer(r, buf, (size_t)n);
    }
    return r->len;
}

static void rig_close(struct rig *r)
{
    term_close(r->term);
    r->term = NULL;
    take(r);
    assert_true(vt_cursor_visible(r->vt) && !vt_alternate(r->vt));
    theme_free(r->theme);
    canvas_free(&r->canvas);
    vt_free(r->vt);
    free(r->raw);
    close(r->master);
    close(r->slave);
}

static long present(struct rig *r)
{
    return term_present(r->term, &r->canvas, r->theme);
}

static void colourful(struct rig *r, int salt)
{
    for (int y = 0; y < r->canvas.rows; y++)
        for (int x = 0; x < r->canvas.cols; x++)
            canvas_put(&r->canvas, x, y, (uint32_t)('a' + (x + y + salt) % 26),
                       STYLE_LEVEL(STYLE_GRAD_CPU, (x * 7 + y + salt) % 101));
}

TEST(unchanged_cells_cost_nothing)
{
    struct rig r;
    rig_open(&r, "xterm-256color", DEPTH_TRUE, 80, 24);
    canvas_text(&r.canvas, 0, 0, 80, "hello", STYLE(STYLE_TEXT));
    assert_true(present(&r) > 0);
    while (take(&r) > 0) /* output comes in pieces until the terminal has answered */
        present(&r);
    assert_string_equal(vt_row(r.vt, 0), "hello");
    unsigned long writes = term_writes(r.term);
    assert_int_equal(present(&r), 0);
    assert_int_equal(take(&r), 0);
    assert_int_equal(term_writes(r.term), writes);
    canvas_text(&r.canvas, 3, 0, 2, "p!", STYLE(STYLE_TEXT));
    long n = present(&r);
    assert_true(n > 16 && n <= 60); /* 16 bytes are the marks of a synchronized update */
    assert_int_equal(take(&r), n);
    assert_string_equal(vt_row(r.vt, 0), "help!");
    assert_int_equal(term_writes(r.term), writes + 1);
    rig_close(&r);
}

TEST(slow_terminals_miss_frames_not_the_picture)
{
    struct rig r;
    struct key_event key = {0};
    int signo = 0;
    rig_open(&r, "xterm-256color", DEPTH_TRUE, 160, 48);
    for (int i = 0; i < 20; i++) { /* the terminal is not read */
        colourful(&r, i);
        assert_true(present(&r) >= 0);
    }
    assert_int_equal(write(r.master, "x", 1), 1);
    enum term_event e = TERM_TIMEOUT;
    for (int i = 0; i < 100 && e != TERM_KEY; i++)
        e = term_wait(r.term, -1, 10, &key, &signo);
    assert_int_equal(e, TERM_KEY);
    assert_int_equal(key.key, 'x');
    int asked = 0;
    for (int i = 0, quiet = 0; i < 1000 && quiet < 20; i++) {
        bool any = take(&r) > 0;
        quiet = any ? 0 : quiet + 1;
        if (term_wait(r.term, -1, 1, &key, &signo) == TERM_RESIZE || r.wanted) {
            r.wanted = false;
            asked++;
            present(&r);
        }
    }
    assert_true(asked > 0); /* for the current frame */
    for (int y = 0; y < 48; y += 47)
        for (int x = 0; x < 160; x++)
            assert_int_equal(vt_cell_at(r.vt, x, y).ch, r.canvas.cells[y * 160 + x].ch);
    rig_close(&r);
}

/* Checks a picture of wide characters of which only some pieces have been sent: each cell is blank
 * or final, and no half of a character is shown. */
static bool wide_so_far(struct rig *r)
{
    bool all = true;
    for (int y = 0; y < r->canvas.rows; y++)
        for (int x = 0; x + 1 < r->canvas.cols; x += 2) {
            uint32_t ch = vt_cell_at(r->vt, x, y).ch;
            if (ch != 0 && ch != ' ' && ch != 0x6f22)
                fail_msg("U+%04X at %d, %d", ch, x, y);
            all = all && ch == 0x6f22;
        }
    return all;
}

TEST(a_slow_line_shows_whole_characters)
{
    struct rig r;
    bool all = false;
    int frames = 0;
    rig_open(&r, "xterm-256color", DEPTH_TRUE, 80, 12);
    present(&r);
    take(&r);
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 80;
             x += 2) /* each with its own colour, so that pieces have any length */
            canvas_put(&r.canvas, x, y, 0x6f22, STYLE_LEVEL(STYLE_GRAD_CPU, (x * 7 + y) % 101));
    for (; !all && frames < 400; frames++) {
        r.term->flow =
            (struct term_flow){.state = FLOW_SLOW, .bytes_per_s = 1 + frames * 37 % 1500};
        present(&r);
        take(&r);
        all = wide_so_far(&r);
    }
    assert_true(all);
    r.term->flow = (struct term_flow){.state = FLOW_SLOW, .bytes_per_s = 500};
    assert_int_equal(present(&r), 0); /* no half is left to send */
    rig_close(&r);
}

TEST(without_colour_no_colour_is_sent)
{
    static const struct {
        const char *term;
        enum color_depth depth;
        bool colors, direct;
    } cases[] = {{"xterm-256color", DEPTH_NONE, false, false},
                 {"vt100", DEPTH_TRUE, false, false},
                 {"xterm-256color", DEPTH_256, true, false},
                 {"xterm-256color", DEPTH_TRUE, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig r;
        rig_open(&r, cases[i].term, cases[i].depth, 40, 10);
        colourful(&r, 0);
        unsigned long writes = term_writes(r.term);
        assert_true(present(&r) > 0);
        assert_int_equal(term_writes(r.term), writes + 1);
        take(&r);
        struct vt_count n = vt_count(r.raw, r.len);
        assert_int_equal(n.colors > 0, cases[i].colors);
        assert_int_equal(n.direct > 0, cases[i].direct);
        assert_int_equal(n.high, 0);
        rig_close(&r);
    }
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    return tests_run(NULL, NULL);
}
