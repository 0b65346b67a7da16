/* not for TSan: The real program in a terminal: keys, sizes, mouse, and terminals of every kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/test.h"

enum { ENV_MAX = 12 };

static void check(struct pty *p, bool ok, const char *what)
{
    if (ok)
        return;
    /* print_message, because cmocka cuts messages of fail_msg */
    print_message("%s\n", vt_text(p->vt));
    fail_msg("%s: state %d, status %#x", what, p->state, (unsigned)p->status);
}

static void start(struct pty *p, int cols, int rows, const char *const *env)
{
    program_needed();
    const char *argv[] = {program_rooftop(), NULL};
    struct pty_config c = {.argv = argv, .env = env, .cols = cols, .rows = rows};
    assert_int_equal(pty_start(p, &c), 0);
}

static const char *const xterm[] = {PTY_XTERM, NULL};

static void start_xterm(struct pty *p, int cols, int rows)
{
    start(p, cols, rows, xterm);
    check(p, pty_until_text(p, "1 summ") && pty_until_text(p, "Help"), "the first picture");
}

static void quit(struct pty *p)
{
    pty_keys(p, "\003");
    check(p, pty_until_state(p, PTY_GONE) && p->status == 0, "quits");
    check(p, pty_modes_restored(p), "gives the terminal's modes back");
    check(p, vt_cursor_visible(p->vt), "gives the cursor back");
    check(p, !vt_alternate(p->vt), "gives the screen back");
    /* Leaving the alternate screen restores the saved cursor state; on some terminals that is a
     * hidden cursor. */
    char *left = memmem(p->raw, p->raw_len, "\033[?1049l", 8);
    check(p, !left || memmem(left, p->raw_len - (size_t)(left - p->raw), "\033[?25h", 6),
          "shows the cursor after it left the alternate screen");
    pty_end(p);
}

static void key(struct pty *p, const char *bytes, const char *shows)
{
    pty_keys(p, bytes);
    if (!pty_until_text(p, shows))
        fail_msg("key '%s' does not show '%s':\n%s", bytes, shows, vt_text(p->vt));
}

static void key_ends(struct pty *p, const char *bytes, const char *hides)
{
    pty_keys(p, bytes);
    if (!pty_until_no_text(p, hides))
        fail_msg("key '%s' does not end '%s':\n%s", bytes, hides, vt_text(p->vt));
}

/* --- keys --- */

/* Events are found by a word of their name and counted from then on. */
TEST(events_are_added_while_it_runs)
{
    struct pty p;
    start_xterm(&p, 120, 40);
    key(&p, ":event minor-f", "page faults that needed no disk");
    key(&p, "\t\r", "minor-faults is counted too");
    key(&p, "2", "minor-faults");
    key(&p, ":event no-such-event\r", "unknown event");
    key_ends(&p, "\033", "unknown event");
    key(&p, ":event ports\r", "what fills the pipes and ports is counted too");
    key(&p, ":event off\r", "the default events are counted");
    quit(&p);
}

/* The rows of ports are there as soon as they are asked for, like those that `lab ports` knows. */
TEST(ports_are_counted_while_it_runs)
{
    struct program known;
    struct pty p;
    char pipes[16], label[32], filter[64], row[64];
    program_needed();
    program_run(&known, "$BIN lab ports --for 0.1 --format csv | sed -n 2p");
    bool any = sscanf(known.out, "%15[A-Z],%*[^,],%31[^,]", pipes, label) == 2;
    program_free(&known);
    if (!any)
        skip_because("no rows of pipes are known for this CPU");
    snprintf(filter, sizeof filter, "\\%s\r", label);
    snprintf(row, sizeof row, "%s %s", pipes, label);
    start_xterm(&p, 120, 40);
    key(&p, "2", "counters by section");
    key(&p, ":event ports\r", "what fills the pipes and ports is counted too");
    key(&p, filter, row);
    key(&p, ":event off\r", "the default events are counted");
    quit(&p);
}

TEST(keys_open_and_close_what_they_say)
{
    struct pty p;
    start_xterm(&p, 100, 30);
    key(&p, "?", "the same again: the tab");
    key_ends(&p, "\033", "the same again: the tab");
    key(&p, "2", "counters by section");
    key(&p, "3", "bricks: tree");
    key(&p, "\033[Z", "counters by section"); /* BackTab */
    key(&p, "/", "search:");
    key(&p, "ipc", "search: ipc");
    key_ends(&p, "\033", "search:");
    key(&p, "\\", "filter:");
    key(&p, "page fa", "filter: page fa");
    key_ends(&p, "\r", "filter: page fa");
    check(&p, pty_until_text(&p, "page faults") && pty_until_no_text(&p, "IPC"),
          "only what matches");
    key(&p, "\033", "counters by");
    quit(&p);
}

TEST(keys_change_how_it_looks)
{
    struct pty p;
    int x, y;
    start_xterm(&p, 130, 30);
    key(&p, "2", "page faults"); /* wait for something to pause */
    key(&p, "p", "PAUSED");
    check(&p, vt_find(p.vt, "summ", &x, &y), "the name of a tab");
    uint32_t before = vt_cell_at(p.vt, x, y).fg;
    key(&p, "T", "theme ");
    check(&p, vt_cell_at(p.vt, x, y).fg != before, "another theme, another colour");
    key(&p, "E", "+- counters by section");
    check(&p, vt_count(vt_text(p.vt), strlen(vt_text(p.vt))).high == 0, "only ASCII");
    key(&p, "E", "╭─ counters by section");
    key_ends(&p, "p", "PAUSED");
    quit(&p);
}

TEST(arrow_and_explain_a_row)
{
    struct pty p;
    start_xterm(&p, 100, 30);
    key(&p, "2", "counters by section");
    key(&p, "\\", "filter:");
    key(&p, "page fau\r", "page faults");
    key(&p, "\033OB\033OA", "page faults"); /* Down, Up */
    key(&p, "i", "explain");
    check(&p, pty_until_text(&p, "Esc close"), "the explanation");
    key_ends(&p, "\033", "Esc close");
    quit(&p);
}

/* Keys that arrive together are answered by one picture, but each acts on the row that the keys
 * before it chose. */
TEST(keys_in_one_burst_act_as_one_by_one)
{
    struct pty p;
    start_xterm(&p, 100, 30);
    key(&p, "2", "CPU utilisation"); /* wait until there are rows */
    key(&p, "jji", "Esc close");
    key_ends(&p, "\033", "Esc close");
    quit(&p);
}

TEST(many_keys_at_once_lose_none)
{
    struct pty p;
    start_xterm(&p, 100, 30);
    key(&p, "/", "search:");
    pty_keys(&p, "abcdefghijklmnopqrstuvwxyz0123456789");
    check(&p, pty_until_text(&p, "abcdefghijklmnopqrstuvwxyz0123456789"), "all of them, in order");
    key_ends(&p, "\177\177", "012345678");
    check(&p, pty_until_text(&p, "xyz01234567"), "two rubbed out");
    quit(&p);
}

/* --- mouse --- */

static void click(struct pty *p, const char *label, const char *shows)
{
    int x = 0, y = 0;
    char bytes[64];
    check(p, pty_until_text(p, label) && vt_find(p->vt, label, &x, &y), label);
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM\033[<0;%d;%dm", x + 2, y + 1, x + 2, y + 1);
    pty_keys(p, bytes);
    if (!pty_until_text(p, shows))
        fail_msg("a click on '%s' does not show '%s':\n%s", label, shows, vt_text(p->vt));
}

TEST(clicks_switch_views)
{
    struct pty p;
    start_xterm(&p, 100, 30);
    click(&p, "2 counters", "counters by section");
    click(&p, "1 summary", "processes by");
    click(&p, "2 counters", "counters by section");
    click(&p, "Help", "the same again: the tab");
    quit(&p);
}

TEST(wheel_scrolls_the_list)
{
    struct pty p;
    start_xterm(&p, 100, 14);
    key(&p, "2", "CPU utilisation");
    for (int i = 0; i < 5; i++)
        pty_keys(&p, "\033[<65;10;8M");
    check(&p, pty_until_no_text(&p, "CPU utilisation"), "down");
    for (int i = 0; i < 15; i++) /* headings between the rows take steps too */
        pty_keys(&p, "\033[<64;10;8M");
    check(&p, pty_until_text(&p, "CPU utilisation"), "up again");
    quit(&p);
}

/* --- sizes --- */

TEST(sizes_come_and_go_and_the_last_one_is_right)
{
    static const int sizes[][2] = {{1, 1},    {200, 60}, {2, 40},  {300, 3}, {40, 10}, {39, 9},
                                   {120, 40}, {80, 1},   {1, 100}, {20, 5},  {160, 48}};
    struct pty p;
    start_xterm(&p, 80, 24);
    for (int round = 0; round < 5; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            pty_resize(&p, sizes[i][0], sizes[i][1]);
            if (round == 0) /* the first time, each size is drawn; later, sizes come faster than
                               they are drawn */
                pty_settle(&p);
            check(&p, p.state == PTY_RUNNING, "survives");
        }
    pty_resize(&p, 200, 60);
    pty_settle(&p);
    check(&p, pty_until_text(&p, "q Quit"), "drawn");
    check(&p, strstr(vt_row(p.vt, 59), "Help") != NULL, "the footer is on the last row");
    check(&p, strstr(vt_row(p.vt, 0), "summ") != NULL, "the header on the first");
    check(&p, vt_cell_at(p.vt, 199, 58).ch == 0x256f, "a corner in the last column");
    quit(&p);
}

TEST(the_smallest_terminal_has_a_picture_and_quits)
{
    struct pty p;
    start(&p, 1, 1, xterm);
    pty_pump(&p, 1000);
    pty_settle(&p);
    check(&p, p.raw_len > 0 && p.state == PTY_RUNNING, "runs");
    quit(&p);
}

/* --- the first frame --- */

TEST(first_frame_has_labels_and_no_made_up_zero)
{
    static const char end[] = "\033[?2026l";
    struct pty p;
    start_xterm(&p, 120, 40);
    const char *at = memmem(p.raw, p.raw_len, end, sizeof end - 1);
    assert_non_null(at);
    struct vt *first = vt_new(120, 40);
    vt_feed(first, p.raw, (size_t)(at - p.raw) + sizeof end - 1);
    /* look below the tabs, whose keys are numbers */
    const char *text = strchr(vt_text(first), '\n');
    assert_non_null(text);
    if (!strstr(text, "cpu") || !strstr(text, "memory") || !strstr(text, "…") ||
        strstr(text, "0.00") || strstr(text, " 0 ") || strstr(text, " 0%"))
        fail_msg("the first frame:\n%s", text);
    vt_free(first);
    quit(&p);
}

/* --- terminals --- */

struct kind {
    const char *term;
    bool alternate, color;
};
static const struct kind kinds[] = {
    {"xterm-256color", true, true}, {"screen-256color", true, true}, {"tmux-256color", true, true},
    {"xterm", true, true},          {"vt100", false, false},         {"linux", false, true},
};

static void try_kind(const struct kind *k, bool direct, bool utf8, bool no_color)
{
    char term[64], what[160];
    struct pty p;
    snprintf(term, sizeof term, "TERM=%s", k->term);
    const char *env[ENV_MAX] = {
        term, direct ? "COLORTERM=truecolor" : "COLORTERM", utf8 ? "LC_ALL=C.UTF-8" : "LC_ALL=C",
        no_color ? "NO_COLOR=1" : "NO_COLOR", "TERMINFO", "ROOFTOP_CONFIG=/dev/null",
        /* 10 bytes of a library that the C library has unloaded count as a leak */
        "ASAN_OPTIONS=detect_leaks=0"};
    snprintf(what, sizeof what, "%s COLORTERM=%s %s %s", k->term, direct ? "truecolor" : "", env[2],
             no_color ? "NO_COLOR" : "");
    start(&p, 100, 30, env);
    check(&p, pty_until_text(&p, "Help") && pty_until_text(&p, "1 summ"), what);
    key(&p, "2", "counters by section");
    struct vt_count n = vt_count(p.raw, p.raw_len);
    bool color = k->color && !no_color;
    check(&p, vt_alternate(p.vt) == k->alternate, what);
    check(&p, (n.colors > 0) == color, what);
    check(&p, (n.direct > 0) == (color && direct), what);
    check(&p, (n.high > 0) == utf8, what);
    quit(&p);
}

TEST(terminals_locales_and_colour_wishes)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int bits = 0; bits < 8; bits++)
            try_kind(&kinds[i], bits & 1, bits & 2, bits & 4);
}

static void refused(const char *term, const char *word)
{
    struct pty p;
    const char *env[ENV_MAX] = {term, "LC_ALL=C.UTF-8", "TERMINFO", "ROOFTOP_CONFIG=/dev/null"};
    start(&p, 160, 24, env);
    check(&p, pty_until_state(&p, PTY_GONE), term);
    check(&p, WIFEXITED(p.status) && WEXITSTATUS(p.status) == 8, term);
    check(&p, pty_modes_restored(&p), term);
    check(&p, strstr(vt_row(p.vt, 0), word) && strstr(vt_row(p.vt, 0), "--headless"), term);
    check(&p, !*vt_row(p.vt, 1) && !memchr(p.raw, '\033', p.raw_len), "one line and nothing else");
    pty_end(&p);
}

TEST(terminals_that_cannot_are_refused_in_one_line)
{
    refused("TERM=dumb", "dumb");
    refused("TERM=no-such-terminal", "'no-such-terminal'");
    refused("TERM", "TERM is not set");
    refused("TERM=", "TERM");
    refused("TERM=../x/xterm", "xterm");
}
