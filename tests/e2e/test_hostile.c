/* not for TSan: Hostile names on the screen of the real program: the emulator obeys only sequences
 * of rooftop and ncurses, and invisible characters are marked. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

static const char *const utf8[] = {PTY_XTERM, NULL};

static char folder[64], trace[256];
static pid_t child;

FIXTURE_STATUS(make_all)
{
    int ready[2];
    char byte;
    strcpy(folder, "/tmp/rooftop-screen-XXXXXX");
    if (!mkdtemp(folder) || pipe(ready) != 0)
        return -1;
    snprintf(trace, sizeof trace, "%s/c\033]0;x\a\xc2\x9b\xe2\x80\xae.json", folder);
    hostile_chrome(trace);
    child = fork();
    if (child == 0) {
        dup2(ready[1], 3);
        execl("/proc/self/exe", "arg\033]0;own\a\xc2\x9b\xe2\x80\xae", "--be",
              "com\033[2J\xe2\x80\xae\xff", (char *)NULL);
        _exit(127);
    }
    close(ready[1]);
    return read(ready[0], &byte, 1) == 1 ? 0 : -1;
}

static int be(const char *name)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, name);
    if (write(3, "x", 1) != 1)
        return 1;
    for (;;)
        pause();
}

FIXTURE(remove_all)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    unlink(trace);
    rmdir(folder);
}

/* The length of a sequence that rooftop and ncurses send: CSI, a character set, a single letter,
 * or a copy for the clipboard; 0 if it is none of these. */
static size_t sequence(const char *s, const char *end)
{
    const char *p = s + 2;
    if (s + 1 >= end)
        return 0;
    if (s[1] == '[') {
        while (p < end && *p >= 0x20 && *p < 0x40)
            p++;
        return p < end && *p >= 0x40 && *p < 0x7f ? (size_t)(p + 1 - s) : 0;
    }
    if (strchr("()", s[1]))
        return p < end && strchr("0AB", *p) ? 3 : 0;
    return strchr("=>78M", s[1]) ? 2 : 0;
}

/* Apart from these sequences and cursor movements, all output is visible text. */
static void check_stream(const struct pty *p)
{
    char *text = malloc(p->raw_len + 1);
    size_t n = 0;
    const char *end = p->raw + p->raw_len;
    for (const char *s = p->raw; s < end;) {
        size_t known = *s == '\033' ? sequence(s, end) : strchr("\r\b\t\016\017", *s) != NULL;
        if (*s == '\033' && known == 0)
            fail_msg("a sequence that is not ours: ESC %.20s", s + 1);
        if (known == 0)
            text[n++] = *s;
        s += known ? known : 1;
    }
    text[n] = '\0';
    const char *why = hostile_raw(text, n, 0);
    if (why)
        fail_msg("%s", why);
    free(text);
}

static void see(struct pty *p, const char *text)
{
    if (!pty_until_text(p, text))
        fail_msg("'%s' is not shown:\n%s", text, vt_text(p->vt));
}

static void start(struct pty *p, const char *const *argv)
{
    program_needed();
    assert_int_equal(
        pty_start(p, &(struct pty_config){.argv = argv, .env = utf8, .cols = 160, .rows = 50}), 0);
}

/* Shows the profile in every view, moves through the rows, and opens the menu of a row, a search
 * and a filter. */
TEST(a_profile_in_every_view)
{
    static const char *const views[] = {"tree", "path", "kernels", "timeline", "overview"};
    const char *argv[] = {program_rooftop(), trace, NULL};
    struct pty p;
    start(&p, argv);
    see(&p, "esc?]0;own?"); /* only a part fits on the row */
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char line[64];
        snprintf(line, sizeof line, ":view-%s\r", views[i]);
        pty_keys(&p, line);
        pty_settle(&p);
        pty_keys(&p, "jjjjjjj\r"); /* the menu of the row */
        pty_settle(&p);
        pty_keys(&p, "\033");
        pty_settle(&p);
        pty_keys(&p, "/bidi\r");
    }
    pty_settle(&p);
    check_stream(&p);
    pty_end(&p);
}

TEST(a_process_and_its_command)
{
    char pid[16], filter[32];
    const char *argv[] = {program_rooftop(), "-p", pid, "--filter", filter, NULL};
    struct pty p;
    snprintf(pid, sizeof pid, "%d", (int)child);
    snprintf(filter, sizeof filter, "pid=%d", (int)child);
    start(&p, argv);
    see(&p, "arg?]0;own???");
    pty_keys(&p, "\r");
    pty_settle(&p);
    pty_keys(&p, "\033i");
    pty_settle(&p);
    check_stream(&p);
    pty_end(&p);
}

/* The command prints sequences that the emulator would obey. */
TEST(a_command_prints_what_terminals_obey)
{
    const char *argv[] = {
        program_rooftop(),
        "--",
        "sh",
        "-c",
        "printf 'x\\033]0;own\\007\\302\\2332J\\342\\200\\256y\\377z\\n'; exec sleep 60",
        NULL};
    struct pty p;
    start(&p, argv);
    see(&p, "1 summary");
    pty_keys(&p, "o");
    see(&p, "x?]0;own??2J?y?z");
    pty_settle(&p);
    check_stream(&p);
    pty_end(&p);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--be") == 0)
        return be(argv[2]);
    return tests_run(make_all, remove_all);
}
