/*
 * Every command of README.md and of the pages below, as it stands there, in a folder with the files
 * that it names. What a plain machine lacks (a GPU, rocprofv3) must be said as documented. A
 * command, or any other indented line, that documented.def does not know fails: it is written with
 * the page. What README.md shows of an output is compared with the output.
 * Forks: not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/code_made.h"
#include "support/compiled.h"
#include "support/made_capture.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/test.h"
#include "support/units_law.h"

enum kind {
    PRINTS,    /* ends by itself; `sees` is in what it prints, or in its error */
    SCREEN,    /* a dashboard that shows `sees`; the test leaves it with Q */
    ELSEWHERE, /* tested elsewhere: the file `sees` runs it */
    STAYS,     /* prints `sees` and continues until ^C */
    TYPED,     /* commands of the dashboard, typed after a colon */
    CODE,      /* C: all code together compiles */
};

struct row {
    const char *line;
    enum kind kind;
    int status;
    const char *sees;
    int lacking; /* another status that is allowed, because this machine lacks something or is busy;
                    0: none; REFUSED */
    const char *why;
};

#define REFUSED                                                                                    \
    (-1) /* status 5 or 6: not allowed for this user, or not possible on this machine              \
          */
#define FRESH  "scripts/check-fresh.sh"
#define NO_GPU 6, "libhsa-runtime64", 6, "HSA"

static const struct row table[] = {
#include "documented.def"
};

/* Beginnings of lines about keys; tests/tui tests those. */
static const char *const keys[] = {
    "Enter  ", ":    ", "b    ", "P    ", "mouse  ", "p, Left, {  ", "click  ", "w    ",
};

static const char *const pages[] = {"README.md", "docs/TOUR.md", "docs/COMING_FROM.md"};

static pid_t watched[2];

/* --- the folder --- */

static const char program_c[] =
    "#include <rooftop/brick.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n"
    "    volatile double x = 1;\n    for (int pass = 0; pass < 30; pass++) {\n"
    "        rooftop_timer layer = rooftop_start(rooftop_layer(0));\n"
    "        rooftop_timer t = rooftop_start(rooftop_brick(\"gemm\"));\n"
    "        for (int i = 0; i < 1000000; i++)\n            x = x * 1.0000001 + 1e-9;\n"
    "        rooftop_stop(t, 1);\n        rooftop_stop(layer, 0);\n    }\n"
    "    return argc > 2 ? atoi(argv[2]) : 0;\n}\n";

static const char trace_json[] =
    "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"user_annotation\", \"pid\": 1, \"tid\": 1, "
    "\"ts\": 0, "
    "\"dur\": 100, \"name\": \"ProfilerStep#101\"},"
    "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"pid\": 1, \"tid\": 1, \"ts\": 100, \"dur\": "
    "90, "
    "\"name\": \"ProfilerStep#102\"},"
    "{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": 10, \"dur\": 80, \"name\": \"gemm\"}]}\n";

static void shell(const char *line)
{
    struct program p;
    program_run(&p, line);
    if (p.status != 0)
        fail_msg("%s: exit %d\n%s%s", line, p.status, p.out, p.err);
    program_free(&p);
}

static struct made_capture capture;

/* Makes programs with bricks, profiles, sessions, a thread trace, code and a capture, under the
 * README's names. */
static void make_files(void)
{
    compiled_write("prog.c", program_c);
    compiled_write("trace.json", trace_json);
    compiled_write("in.txt", "3\n1\n2\n");
    compiled_write("k.hip", "__global__ void gemm() {}\n");

    size_t size;
    uint8_t *code_object = code_file("typed.gfx942.v5.hsaco", &size);
    made_capture_make(&capture);
    made_capture_replace(&capture, "kernel.hsaco", code_object, size);
    made_capture_change(&capture, "dispatch.json", "_Z5scalePfS_fj", "_Z8indirectPFvPfES_");
    free(code_object);
    setenv("C", capture.dir, 1);
    shell("mkdir -p $D/home $D/build && ln -s $C $D/DIR && ln -s $PWD/$BUILD $D/build/release && "
          "ln -s $PWD/tests $PWD/README.md $PWD/LICENSE $D");
    shell("cc -O1 -g -Iinclude $D/prog.c $BUILD/librooftop.a -pthread $SANITIZER -o $D/prog && "
          "cp $D/prog $D/a.out");
    shell("cp tests/data/judge/saxpy.toml $D && cp tests/data/judge/baseline.c $D/saxpy.c && "
          "cp tests/data/judge/baseline.c $D/unrolled.c && cp renacer.toml $D && "
          "printf '#!/bin/sh\\n' >$D/propose.sh && chmod +x $D/propose.sh && cp "
          "tests/data/metrics/valid/cache.toml $D/mine.toml && cd $D && "
          "mkdir traces && cp "
          "trace.json traces/rank0.json && cp trace.json traces/rank1.json && gzip trace.json && "
          "mkdir bin && ln -s $BIN bin/rooftop");
    shell("for f in results profile before after; do cp tests/data/rocpd/synthetic_schema3.db "
          "$D/$f.db; done; cp -r tests/data/att/ui_output_agent_2_dispatch_1 "
          "$D/ui_output_agent_1_dispatch_2; for f in kernel new; do cp "
          "tests/data/gpu/hsaco/reduce.gfx942.v5.hsaco $D/$f.hsaco; done");
    shell("cd $D && for f in before after; do $BIN record -o $f.rooftop -d 0.05 -- ./a.out; "
          "$BIN --headless -r 2 --format json -o $f.json -- ./a.out; done");
}

FIXTURE(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    if (!getenv("BUILD"))
        setenv("BUILD", "build/release", 1);
    if (!program_rooftop())
        return;
#if defined(__SANITIZE_ADDRESS__)
    setenv("SANITIZER", "-fsanitize=address,undefined", 1);
#endif
    make_files();
    for (size_t i = 0; i < 2; i++)
        if ((watched[i] = fork()) == 0)
            for (;;)
                pause();
}

FIXTURE(end)
{
    for (size_t i = 0; i < 2 && watched[i] > 0; i++) {
        kill(watched[i], SIGKILL);
        waitpid(watched[i], NULL, 0);
    }
    made_capture_remove(&capture);
    compiled_free();
}

/* --- the pages --- */

static unsigned wrong;
static char *printed; /* by the command that ran last */

static void keep_printed(const char *out, const char *err)
{
    free(printed);
    assert_true(asprintf(&printed, "%s\n%s", out, err) > 0);
}

/* Reports a command that does not do what the page says; the test goes on with the others. */
static void wrongly(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void wrongly(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    wrong++;
}

/* Replaces 4711, 4712 and PID of the pages by running processes, and changes to the folder. */
static void as_here(const char *line, char *out, size_t size)
{
    static const char *const names[] = {"4711", "4712", "PID"};
    size_t n =
        (size_t)snprintf(out, size,
                         "cd $D && export HOME=$D/home PATH=$D/bin:$PATH && unset XDG_STATE_HOME "
                         "XDG_CACHE_HOME; ");
    while (*line && n + 16 < size) {
        size_t name = 0;
        while (name < 3 && strncmp(line, names[name], strlen(names[name])) != 0)
            name++;
        if (name < 3) {
            n += (size_t)snprintf(out + n, size - n, "%d", (int)watched[name % 2]);
            line += strlen(names[name]);
        } else {
            out[n++] = *line++;
        }
    }
    out[n] = '\0';
}

static bool is_lacking(const struct row *r, int status)
{
    return r->lacking == REFUSED ? status == 5 || status == 6 : status == r->lacking;
}

/* Numbers of texts are written in one way. Documents have no units, the library's own report has
 * the columns of another profiler, and help shows what may be typed. */
static void obeys_units_law(const struct row *r, const char *text)
{
    static const char *const other[] = {"--format", "--report", "export", "help", "--print-config"};
    char breach[400];
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strstr(r->line, other[i]))
            return;
    if (units_law_broken(text, breach, sizeof breach))
        wrongly("%s: %s", r->line, breach);
}

static void prints(const struct row *r)
{
    char here[1024];
    struct program p;
    as_here(r->line, here, sizeof here);
    program_run(&p, here);
    bool ok = p.status == r->status && (strstr(p.out, r->sees) || strstr(p.err, r->sees));
    if (!ok && r->lacking)
        ok = is_lacking(r, p.status) && (strstr(p.err, r->why) || strstr(p.out, r->why));
    if (!ok)
        wrongly("%s: exit %d, not %d with '%s'\n%.3000s\n%s", r->line, p.status, r->status, r->sees,
                p.out, p.err);
    obeys_units_law(r, p.out);
    obeys_units_law(r, p.err);
    keep_printed(p.out, p.err);
    program_free(&p);
}

static bool shows_or_ended(struct pty *t, const void *row)
{
    const struct row *r = row;
    return t->state == PTY_GONE ||
           (vt_find(t->vt, r->sees, NULL, NULL) && vt_find(t->vt, "Help", NULL, NULL));
}

/* Leaves the program; returns its exit status; -1: it was killed, or does not end. */
static int leave(struct pty *t, const struct row *r)
{
    if (t->state != PTY_GONE && r->status != 0)
        pty_until_text(t, "exited"); /* the command's own status must be shown first */
    if (t->state != PTY_GONE)
        pty_keys(t, "Q");
    bool gone = pty_until_state(t, PTY_GONE);
    return gone && WIFEXITED(t->status) ? WEXITSTATUS(t->status) : -1;
}

/* Runs the row's line in a terminal that is `cols` wide. */
static void in_terminal(struct pty *t, const struct row *r, int cols)
{
    static const char *const env[] = {"LC_ALL=C.UTF-8", "ROOFTOP_CONFIG=/dev/null", NULL};
    char here[1024];
    as_here(r->line, here, sizeof here);
    const char *argv[] = {"bash", "-c", here, NULL};
    assert_int_equal(
        pty_start(t, &(struct pty_config){.argv = argv, .env = env, .cols = cols, .rows = 40}), 0);
}

static void screen(const struct row *r)
{
    struct pty t;
    in_terminal(&t, r, 120);
    pty_until(&t, shows_or_ended, r);
    bool shown = vt_find(t.vt, r->sees, NULL, NULL);
    bool lacks = r->lacking && vt_find(t.vt, r->why, NULL, NULL);
    char *was = strdup(vt_text(t.vt));
    int status = leave(&t, r);
    if (!(shown && status == r->status) && !(lacks && is_lacking(r, status)))
        wrongly("%s: exit %d, not %d with '%s' on the screen:\n%s", r->line, status, r->status,
                r->sees, was);
    free(was);
    keep_printed(vt_text(t.vt), ""); /* a dashboard that was left shows a summary of its command */
    pty_end(&t);
}

static void elsewhere(const struct row *r)
{
    char line[256];
    const char *last = strrchr(r->line, ' ') ? strrchr(r->line, ' ') + 1 : r->line;
    if (strcmp(r->sees, FRESH) == 0)
        last = "README.md"; /* the program takes the lines from that file */
    snprintf(line, sizeof line, "grep -qw -- '%s' %s", last, r->sees);
    shell(line);
}

static bool says_or_ended(struct pty *t, const void *row)
{
    const struct row *r = row;
    return t->state == PTY_GONE || vt_find(t->vt, r->sees, NULL, NULL);
}

static void until_interrupted(const struct row *r)
{
    struct pty t;
    in_terminal(&t, r, 200);
    pty_until(&t, says_or_ended, r);
    bool said = vt_find(t.vt, r->sees, NULL, NULL);
    bool lacks = t.state == PTY_GONE && r->lacking && vt_find(t.vt, r->why, NULL, NULL);
    if (t.state != PTY_GONE)
        pty_keys(&t, "\003");
    if (!pty_until_state(&t, PTY_GONE) || (!said && !lacks))
        wrongly("%s: no '%s', or no end at ^C:\n%s", r->line, r->sees, vt_text(t.vt));
    pty_end(&t);
}

/* The text that each of them shows. */
static const struct {
    const char *command, *shows;
} typed[] = {
    {":sort memory", "by memory"},
    {":filter cpu>5 and name~ssh", "cpu>5 and name~ssh"},
    {":attach PID", "pid "},
    {":view counters", "group"},
    {":event major-faults", "is counted too"},
    {":seek -30s", "PAUSED"},
    {":help sort", "sort"},
};

static void type(const struct row *r)
{
    char text[512] = "";
    struct pty t;
    static const char *const argv[] = {"bash", "-c", "exec $BUILD/rooftop -d 0.1", NULL};
    static const char *const env[] = {"LC_ALL=C.UTF-8", "ROOFTOP_CONFIG=/dev/null", NULL};
    assert_int_equal(
        pty_start(&t, &(struct pty_config){.argv = argv, .env = env, .cols = 120, .rows = 40}), 0);
    if (!pty_until_text(&t, "processes by"))
        wrongly("no dashboard to type into:\n%s", vt_text(t.vt));
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        char *line;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "  " : "",
                 typed[i].command);
        const char *pid = strstr(typed[i].command, "PID");
        if (pid)
            assert_true(asprintf(&line, "%.*s%d\r", (int)(pid - typed[i].command), typed[i].command,
                                 (int)watched[0]) > 0);
        else
            assert_true(asprintf(&line, "%s\r", typed[i].command) > 0);
        pty_keys(&t, line);
        if (!pty_until_text(&t, typed[i].shows))
            wrongly("%s: no '%s':\n%s", typed[i].command, typed[i].shows, vt_text(t.vt));
        free(line);
    }
    if (strcmp(text, r->line) != 0)
        wrongly("typed were '%s', the page has '%s'", text, r->line);
    pty_keys(&t, "q"); /* close the help */
    pty_until_text(&t, "q Quit");
    pty_keys(&t, "Q");
    if (!pty_until_state(&t, PTY_GONE))
        wrongly("Q does not leave:\n%s", vt_text(t.vt));
    pty_end(&t);
}

static char code[2048];

static void run_row(const struct row *r)
{
    switch (r->kind) {
    case PRINTS:
        prints(r);
        break;
    case SCREEN:
        screen(r);
        break;
    case ELSEWHERE:
        elsewhere(r);
        break;
    case STAYS:
        until_interrupted(r);
        break;
    case TYPED:
        type(r);
        break;
    case CODE:
        snprintf(code + strlen(code), sizeof code - strlen(code), "    %s\n", r->line);
        break;
    }
}

static bool used[sizeof table / sizeof *table];

/* Runs a line of the README, without its comment. */
static void run_line(const char *text)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].line, text) == 0) {
            if (!used[i])
                run_row(&table[i]);
            used[i] = true;
            return;
        }
    wrongly("a page has a command that no row of tests/cli/documented.def runs: %s", text);
}

/* Passes a number and its unit; numbers of a run differ from those of another. */
static const char *pass_number(const char *at)
{
    at += strspn(at, "0123456789.,");
    if (*at != ' ' && *at != '%')
        return at;
    size_t blanks = strspn(at, " ");
    size_t unit = strspn(at + blanks, "numskMG/%");
    return unit && strchr(" ,)\n", at[blanks + unit]) ? at + blanks + unit : at;
}

/* The text with one blank where there are several; with each number as # if it need not be equal.
 */
static char *comparable(const char *text, bool any_number)
{
    char *out = malloc(strlen(text) + 2);
    size_t n = 0;
    assert_non_null(out);
    for (const char *at = text; *at;) {
        if (any_number && *at >= '0' && *at <= '9') {
            at = pass_number(at);
            out[n++] = '#';
        } else if (*at == ' ') {
            at += strspn(at, " ");
            out[n++] = ' ';
        } else {
            out[n++] = *at++;
        }
    }
    out[n] = '\0';
    return out;
}

/* Whether the command that ran last printed the line. */
static bool is_printed(const char *line, bool any_number)
{
    char *shown = comparable(line + strspn(line, " "), any_number);
    char *there = comparable(printed ? printed : "", any_number);
    bool found = strstr(there, shown);
    free(shown);
    free(there);
    return found;
}

/* Nothing may be decided where other programs run, and then that is what is printed. */
static bool is_undecided(const char *line)
{
    return strstr(line, "B is slower") && (is_printed("elapsed time does not decide", false) ||
                                           is_printed(": not decided", false));
}

/* Replaces what HTML cannot have as it is. */
static void unescape(char *text)
{
    static const struct {
        const char *html, plain;
    } signs[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        for (char *at; (at = strstr(text, signs[i].html));) {
            size_t length = strlen(signs[i].html);
            *at = signs[i].plain;
            memmove(at + 1, at + length, strlen(at + length) + 1);
        }
}

/* Compares the lines between <pre> and </pre> of a row of a table with what its command printed:
 * all of each line where the command reads a file of tests/data, else all but the numbers. */
static void compare_shown(const char *row)
{
    char text[2048];
    const char *from = strstr(row, "<pre>"), *to = strstr(row, "</pre>");
    if (!from || !to)
        return;
    snprintf(text, sizeof text, "%.*s<br>", (int)(to - from) - 5, from + 5);
    for (char *line = text, *end; (end = strstr(line, "<br>")); line = end + 4) {
        *end = '\0';
        unescape(line);
        if (!is_printed(line, !strstr(row, "tests/data/")) && !is_undecided(line))
            wrongly("README.md shows '%s', printed was:\n%s", line, printed ? printed : "nothing");
    }
}

static bool is_key(const char *line)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

/* Handles an indented line, without its comment and the blanks before it. */
static void indented(char *line)
{
    char *comment = strstr(line, " # ");
    if (comment)
        *comment = '\0';
    for (size_t n = strlen(line); n && line[n - 1] == ' ';)
        line[--n] = '\0';
    if (*line && !is_key(line))
        run_line(line);
}

/* Handles `rooftop doctor`, `make check` within a paragraph. */
static void in_backticks(char *line)
{
    static const char *const programs[] = {"rooftop ", "rtop ", "make "};
    for (char *p = line, *end; (p = strchr(p, '`')) && (end = strchr(p + 1, '`')); p = end + 1) {
        *end = '\0';
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
            if (strncmp(p + 1, programs[i], strlen(programs[i])) == 0)
                run_line(p + 1);
    }
}

static void read_page(const char *page)
{
    char line[2048], row[2048];
    FILE *f = fopen(page, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        memcpy(row, line, sizeof row);
        if (strncmp(line, "    ", 4) == 0)
            indented(line + 4);
        else
            in_backticks(line);
        compare_shown(row);
    }
    fclose(f);
}

TEST(every_command_does_what_it_says)
{
    program_needed();
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it does not work in programs that are traced */
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        read_page(pages[i]);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!used[i])
            wrongly("no page has '%s' any more", table[i].line);
    free(printed);
    assert_int_equal(wrong, 0);
}

TEST(the_code_compiles)
{
    if (!*code)
        skip_because("rooftop was not built");
    char text[4096];
    snprintf(
        text, sizeof text,
        "#include <rooftop/brick.h>\nvoid qkv(float *x, float *y, unsigned n);\n"
        "void f(float *x, float *y, unsigned n);\nvoid f(float *x, float *y, unsigned n)\n{\n%s}\n",
        code);
    compiled_write("readme.c", text);
    shell("cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -Iinclude $D/readme.c");
}

TEST_MAIN(begin, end)
