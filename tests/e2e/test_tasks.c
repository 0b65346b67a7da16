/*
 * Twelve tasks, done by typing into a shell in a terminal: with rooftop, and with the tool that
 * people take for each (left out where it is not installed). What is typed is data;
 * docs/COMING_FROM.md shows it, counted. Forks: not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/test.h"

#define F2    "\033OQ"
#define F9    "\033[20~"
#define F10   "\033[21~"
#define DOWN  "\033OB"
#define RIGHT "\033OC"
enum { STEPS = 9, TEXT = 512 };

struct step {
    const char *bytes, *name; /* name: of keys; NULL: a line for the shell, and Enter */
    const char *shows;        /* what the screen shows then; NULL: whatever */
};

struct task {
    const char *title;
    const char *subject; /* the program that the task is about, and 4711 in a line; NULL: none */
    bool counted_only;   /* not typed here: it would end a process of this machine */
    const char *needs;   /* a command that succeeds where the task can be done; NULL: everywhere */
    const char *leaves;  /* a command that succeeds afterwards, in the folder; NULL: none */
    struct step rooftop[STEPS];
    const char *tool; /* the peer must be installed; NULL: no peer can be run here */
    struct step peer[STEPS];
};

#define SAMPLES                                                                                    \
    "cd $D && timeout 20 $BIN --headless --format folded --for 1 -- ./busy | grep -q burn"
#define TRACES "$BIN trace -o /dev/null -- true"
#define ATTACHES                                                                                   \
    TRACES " && { [ $(id -u) = 0 ] || ! grep -q '[1-3]' /proc/sys/kernel/yama/ptrace_scope; }"

static const struct task tasks[] = {
    {.title = "find what takes the memory, and end it",
     .counted_only = true,
     .rooftop = {{"rooftop", NULL, "processes by cpu"},
                 {"s", "`s`", "by memory"},
                 {F9, "F9", " hog"},
                 {"y", "`y`", NULL}},
     .tool = "htop",
     .peer = {{"htop", NULL, "Load average"},
              {"M", "`M`", "./hog"},
              {F9, "F9", "SIGTERM"},
              {"\r", "Enter", NULL}}},
    {.title = "see one user's processes",
     .rooftop = {{"rooftop", NULL, "processes by cpu"}, {"\\root", "`\\root`", "match 'root'"}},
     .tool = "htop",
     .peer = {{"htop -u root", NULL, "root"}}},
    {.title = "see the CPU time of each thread of a process",
     .subject = "./threads",
     .rooftop = {{"rooftop -p 4711", NULL, "worker-2"}},
     .tool = "htop",
     .peer = {{"htop -p 4711", NULL, "./threads"}}},
    {.title = "find the hot function",
     .needs = SAMPLES,
     .rooftop = {{"rooftop ./busy", NULL, "./busy · "}, {"f", "`f`", "burn"}},
     .tool = "perf",
     .peer = {{"perf record -g ./busy", NULL, NULL},
              {"\003", "^C", "perf record: Captured"},
              {"perf report", NULL, "burn"}}},
    {.title = "find the slow system call",
     .needs = TRACES,
     .rooftop = {{"rooftop ./slow", NULL, "./slow · "}, {"Y", "`Y`", "nanosleep"}},
     .tool = "strace",
     .peer = {{"strace -cw ./slow", NULL, NULL}, {"\003", "^C", "nanosleep"}}},
    {.title = "know why a step of a training is slow",
     .rooftop = {{"rooftop k.json", NULL, "H100"}, {"I", "`I`", "slow"}}},
    {.title = "know whether it got faster",
     .rooftop = {{"rooftop compare ./quick ./slower", NULL, "B is slower"}},
     .tool = "hyperfine",
     .peer = {{"hyperfine ./quick ./slower", NULL, "times faster"}}},
    {.title = "see a leak grow",
     .subject = "./leak",
     .rooftop = {{"rooftop -p 4711", NULL, "MiB/s"}},
     .tool = "htop",
     .peer = {{"htop -p 4711", NULL, "./leak"}}},
    {.title = "attach to a process, see its calls, and leave it",
     .needs = ATTACHES,
     .subject = "./slow",
     .rooftop = {{"rooftop -p 4711", NULL, "pid 4711 · "},
                 {"Y", "`Y`", "nanosleep"},
                 {"Q", "`Q`", "go:"}},
     .tool = "strace",
     .peer = {{"strace -p 4711", NULL, "nanosleep"}, {"\003", "^C", "detached"}}},
    {.title = "a picture of where the time goes",
     .needs = SAMPLES,
     .leaves = "for i in $(seq 200); do ls *.svg 2>/dev/null && break; sleep 0.1; done; ls *.svg",
     .rooftop = {{"rooftop ./busy", NULL, "./busy · "},
                 {"f", "`f`", "burn"},
                 {"w", "`w`", "write picture"},
                 {"\r", "Enter", NULL}}},
    {.title = "a run's numbers as JSON, for jq",
     .needs = "command -v jq",
     .rooftop = {{"rooftop --format json ./quick|jq .runs", NULL, "system/cpu-unattributed"}},
     .tool = "perf",
     .peer = {{"perf stat -j ./quick 2>&1|jq .event", NULL, "task-clock"}}},
    {.title = "choose other colours, and keep them",
     .leaves = "grep -rE 'theme|color_scheme=[1-9]' home",
     .rooftop = {{"rooftop", NULL, "processes by cpu"},
                 {"t", "`t`", "ember"},
                 {DOWN, "Down", NULL},
                 {"\r", "Enter", NULL},
                 {":save\r", "`:save` Enter", "config.toml"}},
     .tool = "htop",
     .peer = {{"htop", NULL, "Load average"},
              {F2, "F2", "Display options"},
              {DOWN DOWN DOWN DOWN, "4 x Down", "Monochrom"},
              {RIGHT, "Right", NULL},
              {DOWN, "Down", NULL},
              {" ", "Space", NULL},
              {F10, "F10", "Load average"},
              {"q", "`q`", "go:"}}},
};

enum { TASKS = sizeof tasks / sizeof *tasks };

static pid_t subject;

/* --- the folder: programs of short names, all of which end by themselves --- */

static const char programs_c[] =
    "#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <unistd.h>\n"
    "volatile double x = 1;\nvoid *volatile kept; /* or a compiler leaves the memory out */\n"
    "__attribute__((noinline)) void burn(int n)\n{\n    for (int i = 0; i < n; i++)\n"
    "        x *= 1.0000001;\n}\n"
    "static void *work(void *name)\n{\n    pthread_setname_np(pthread_self(), name);\n"
    "    for (;;) {\n        burn(100000);\n        usleep(20000);\n    }\n    return name;\n}\n"
    "int main(int argc, char **argv)\n{\n    const char *is = strrchr(argv[0], '/') + 1;\n"
    "    pthread_t t;\n    alarm(120);\n    if (!strcmp(is, \"quick\") || !strcmp(is, \"slower\")) "
    "{\n"
    "        burn(*is == 'q' ? 1000000 : 8000000);\n        return 0;\n    }\n"
    "    if (!strcmp(is, \"hog\"))\n        kept = memset(malloc(400 << 20), 1, 400 << 20);\n"
    "    if (!strcmp(is, \"threads\")) {\n        pthread_create(&t, NULL, work, \"worker-1\");\n"
    "        pthread_create(&t, NULL, work, \"worker-2\");\n    }\n"
    "    for (;;) {\n        if (!strcmp(is, \"leak\"))\n            kept = memset(malloc(1 << "
    "20), 1, 1 "
    "<< 20);\n"
    "        if (!strcmp(is, \"busy\"))\n            burn(3000000);\n        usleep(50000);\n    "
    "}\n}\n";

FIXTURE(begin)
{
    if (!program_rooftop())
        return;
    compiled_new();
    compiled_write("programs.c", programs_c);
    setenv("D", compiled_dir(), 1);
    struct program p;
    program_run(&p, "cd $D && mkdir -p home bin && ln -s $BIN bin/rooftop && cc -O1 -g "
                    "-fno-omit-frame-pointer -o busy"
                    " programs.c -pthread && for f in hog threads slow leak quick slower; do cp "
                    "busy $f; done &&"
                    " cp $OLDPWD/tests/data/chrome/kineto_steps.json k.json");
    if (p.status != 0)
        fail_msg("%s", p.err);
    program_free(&p);
}

FIXTURE(end)
{
    if (program_rooftop())
        compiled_free();
}

static void start_subject(const struct task *t)
{
    subject = 0;
    if (!t->subject || (subject = fork()) != 0)
        return;
    if (chdir(compiled_dir()) == 0)
        execl(t->subject, t->subject, (char *)NULL);
    _exit(127);
}

static void end_subject(const struct task *t)
{
    if (waitpid(subject, NULL, WNOHANG) != 0)
        fail_msg("%s: %s does not go on", t->title, t->subject);
    kill(subject, SIGKILL);
    waitpid(subject, NULL, 0);
}

/* --- typing --- */

/* The text, with the subject's number for 4711. */
static void with_number(const char *text, char out[TEXT])
{
    const char *at = text ? strstr(text, "4711") : NULL;
    if (at)
        snprintf(out, TEXT, "%.*s%d%s", (int)(at - text), text, (int)subject, at + 4);
    else
        snprintf(out, TEXT, "%s", text ? text : "");
}

static void type_steps(struct pty *p, const struct task *t, const struct step *steps)
{
    char text[TEXT];
    for (const struct step *s = steps; s->bytes; s++) {
        with_number(s->bytes, text);
        pty_keys(p, text);
        if (!s->name)
            pty_keys(p, "\r");
        with_number(s->shows, text);
        if (s->shows && !pty_until_text(p, text)) {
            print_message("%s\n", vt_text(p->vt));
            fail_msg("%s: '%s' does not show '%s'", t->title, s->name ? s->name : s->bytes, text);
        }
        if (!s->shows)
            pty_settle(p);
    }
}

static void start_shell(struct pty *p)
{
    static const char *const env[] = {
        "LC_ALL=C.UTF-8", "TERM=xterm-256color", "PS1=go:",        "TERMINFO", "NO_COLOR",
        "ROOFTOP_CONFIG", "XDG_CONFIG_HOME",     "XDG_STATE_HOME", NULL};
    static const char *const argv[] = {
        "sh", "-c", "cd $D && HOME=$D/home PATH=$D/bin:$PATH exec bash --norc --noprofile -i",
        NULL};
    const struct pty_config c = {.argv = argv, .env = env, .cols = 120, .rows = 36};
    assert_int_equal(pty_start(p, &c), 0);
    assert_true(pty_until_text(p, "go:"));
}

static void expect_left(const struct task *t)
{
    char line[TEXT];
    struct program found;
    snprintf(line, sizeof line, "cd $D && %s", t->leaves);
    program_run(&found, line);
    if (found.status != 0)
        fail_msg("%s: afterwards '%s' fails: %s", t->title, t->leaves, found.err);
    program_free(&found);
}

static bool succeeds(const char *command, const char *argument)
{
    char line[TEXT];
    struct program p;
    snprintf(line, sizeof line, "%s %s", command, argument);
    program_run(&p, line);
    bool well = p.status == 0;
    program_free(&p);
    return well;
}

static void do_task(const struct task *t, const struct step *steps)
{
    struct pty p;
    if (t->counted_only)
        return;
    if (t->needs && !succeeds(t->needs, "")) {
        print_message("note: %s: left out, this machine lacks what it needs\n", t->title);
        return;
    }
    start_subject(t);
    start_shell(&p);
    type_steps(&p, t, steps);
    pty_settle(&p);
    if (t->leaves)
        expect_left(t);
    if (t->subject)
        end_subject(t);
    pty_end(&p);
}

TEST(each_task_is_done_with_these_keys)
{
    program_needed();
    for (int i = 0; i < TASKS; i++)
        do_task(&tasks[i], tasks[i].rooftop);
}

TEST(the_peers_do_it_with_theirs)
{
    program_needed();
    int done = 0;
    if (!getenv("TASKS_OF_PEERS"))
        skip_because("other tools are only run with TASKS_OF_PEERS=1: they count samples and runs "
                     "of a quiet machine");
    for (int i = 0; i < TASKS; i++)
        if (tasks[i].tool && succeeds("command -v", tasks[i].tool)) {
            do_task(&tasks[i], tasks[i].peer);
            done++;
        }
    if (!done)
        skip_because("none of htop, perf, strace and hyperfine is installed");
}

/* --- counting --- */

/* Keys pressed: an escape sequence is one. */
static unsigned count_keys(const struct step *steps)
{
    unsigned n = 0;
    for (; steps->bytes; steps++) {
        for (const char *c = steps->bytes; *c; c++, n++)
            if (*c == '\033')
                c += strcspn(c + 1, "PQRSABCD~") + 1;
        if (!steps->name)
            n++; /* Enter */
    }
    return n;
}

static void write_steps(const struct step *steps, char out[TEXT])
{
    size_t n = 0;
    out[0] = '\0';
    for (const struct step *s = steps; s->bytes && n < TEXT; s++)
        n +=
            (size_t)(s->name ? snprintf(out + n, TEXT - n, "%s%s", n ? " " : "", s->name)
                             : snprintf(out + n, TEXT - n, "%s`%s` Enter", n ? " " : "", s->bytes));
}

/* The page shows what is typed here, and how many keys that are. */
TEST(the_page_counts_them)
{
    char ours[TEXT], theirs[TEXT], row[3 * TEXT];
    struct program page;
    unsigned lacking = 0;
    program_run(&page, "sed 's/\\\\|/|/g' docs/COMING_FROM.md");
    for (int i = 0; i < TASKS; i++) {
        write_steps(tasks[i].rooftop, ours);
        write_steps(tasks[i].peer, theirs);
        if (tasks[i].tool)
            snprintf(row, sizeof row, "| %s | %s | %u | %s | %u |\n", tasks[i].title, ours,
                     count_keys(tasks[i].rooftop), theirs, count_keys(tasks[i].peer));
        else
            snprintf(row, sizeof row, "| %s | %s | %u |", tasks[i].title, ours,
                     count_keys(tasks[i].rooftop));
        if (!strstr(page.out, row)) {
            print_message("docs/COMING_FROM.md lacks: %s\n", row);
            lacking++;
        }
    }
    program_free(&page);
    assert_int_equal(lacking, 0);
}

TEST_MAIN(begin, end)
