/*
 * Twelve tasks, done by typing into a shell in a terminal: with rooftop, and with the tool that
 * people take for each (left out where it is not installed). What is typed is data;
 * docs/COMING_FROM.md shows it, counted. TASKS_OF_PEERS=1 also prints how many seconds each takes.
 * Forks: not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/test.h"

#define F9    "\033[20~"
#define F10   "\033[21~"
#define DOWN  "\033OB"
#define RIGHT "\033OC"
#define END   "\033OF"
enum { STEPS = 8, TEXT = 512, ROUNDS = 3 };

struct step {
    const char *bytes, *name; /* name: of keys; NULL: a line for the shell, and Enter */
    const char *shows;        /* what the screen shows then; NULL: whatever */
};

struct task {
    const char *title;
    const char *subject; /* the program that the task is about, and 4711 in a line; NULL: none */
    bool alone;          /* nothing but the subject, the shell and the tool can be seen or ended */
    const char *needs;   /* a command that succeeds where the task can be done; NULL: everywhere */
    const char *leaves;  /* a command that succeeds afterwards, in the folder; NULL: none */
    struct step rooftop[STEPS];
    const char *tool; /* the peer must be installed; NULL: no peer can be run here */
    struct step peer[STEPS];
};

/* Processes of the shell are all there are, for those in it. */
#define ALONE "unshare --map-root-user --pid --fork --mount-proc"
#define SAMPLES                                                                                    \
    "cd $D && timeout 20 $BIN --headless --format folded --for 1 -- ./busy | grep -q burn"
#define TRACES "$BIN trace -o /dev/null -- true"
#define ATTACHES                                                                                   \
    TRACES " && { [ $(id -u) = 0 ] || ! grep -q '[1-3]' /proc/sys/kernel/yama/ptrace_scope; }"

static const struct task tasks[] = {
    {.title = "find what takes the memory, and end it",
     .subject = "./hog",
     .alone = true,
     .needs = ALONE " true",
     .leaves = "! ls -l /proc/[0-9]*/exe 2>&1 | grep -q \"$D/hog$\"",
     .rooftop = {{"rtop", NULL, "./hog"},
                 {"s", "`s`", "by memory"},
                 {F9, "F9", " hog ─"},
                 {"y", "`y`", "sent SIGTERM to "}},
     .tool = "htop",
     .peer = {{"htop", NULL, "Load average"},
              {"M", "`M`", "Command\n      2 "}, /* sorted with the next sample */
              {F9, "F9", "SIGTERM"},
              {"\r", "Enter", NULL}}},
    {.title = "see one user's processes",
     .rooftop = {{"rtop", NULL, "processes by"},
                 {"u", "`u`", "processes of"},
                 {"r", "`r`", "root"},
                 {"\r", "Enter", "match 'user=\"root\"'"}},
     .tool = "htop",
     .peer = {{"htop", NULL, "Load average"},
              {"u", "`u`", "Show processes of"},
              {"r", "`r`", "root"},
              {"\r", "Enter", "root"}}},
    {.title = "see the CPU time of each thread of a process",
     .subject = "./threads",
     .rooftop = {{"rtop -p 4711", NULL, "worker-2"}},
     .tool = "htop",
     .peer = {{"htop -p 4711", NULL, "./threads"}}},
    {.title = "find the hot function",
     .needs = SAMPLES,
     .rooftop = {{"rtop ./busy", NULL, "./busy · "}, {"f", "`f`", "burn"}},
     .tool = "perf",
     .peer = {{"./busy&perf top", NULL, "burn"}}},
    {.title = "find the slow system call",
     .needs = TRACES,
     .rooftop = {{"rtop ./slow", NULL, "./slow · "}, {"Y", "`Y`", "nanosleep"}},
     .tool = "strace",
     .peer = {{"strace -T ./slow", NULL, "<0.05"}}},
    {.title = "know why a step of a training is slow",
     .rooftop = {{"rtop k.json", NULL, "H100"}, {"I", "`I`", "slow"}}},
    {.title = "know whether it got faster",
     .rooftop = {{"rtop co ./quick ./slower", NULL, "B is slower"}},
     .tool = "hyperfine",
     .peer = {{"hyperfine ./quick ./slower", NULL, "times faster"}}},
    {.title = "see a leak grow",
     .subject = "./leak",
     .rooftop = {{"rtop -p 4711", NULL, "MiB/s"}},
     .tool = "htop",
     .peer = {{"htop -p 4711", NULL, "./leak"}}},
    {.title = "attach to a process, see its calls, and leave it",
     .needs = ATTACHES,
     .subject = "./slow",
     .rooftop = {{"rtop -p 4711", NULL, "pid 4711 · "},
                 {"Y", "`Y`", "nanosleep"},
                 {"Q", "`Q`", "go:"}},
     .tool = "strace",
     .peer = {{"strace -p 4711", NULL, "nanosleep"}, {"\003", "^C", "detached"}}},
    {.title = "a picture of where the time goes",
     .needs = SAMPLES,
     .leaves = "ls *.svg",
     .rooftop = {{"rtop ./busy", NULL, "./busy · "},
                 {"f", "`f`", "burn"},
                 {"w", "`w`", "write picture"},
                 {"\r", "Enter", NULL}}},
    {.title = "a run's numbers as JSON, for jq",
     .needs = "command -v jq",
     .rooftop = {{"rtop -F json ./quick|jq .", NULL, "\"system/cpu-unattributed\""}},
     .tool = "perf",
     .peer = {{"perf stat -j ./quick|&jq .", NULL, "\"metric-unit\""}}},
    {.title = "choose other colours, and keep them",
     .leaves = "grep -rE 'theme|color_scheme=[1-9]' home",
     .rooftop = {{"rtop", NULL, "processes by cpu"},
                 {"t", "`t`", "ember"},
                 {DOWN, "Down", NULL},
                 {"\023", "^S", "config.toml"}},
     .tool = "htop",
     .peer = {{"htop", NULL, "Load average"},
              {"S", "`S`", "Display options"},
              {END, "End", "Monochrom"},
              {RIGHT, "Right", NULL},
              {DOWN, "Down", NULL},
              {" ", "Space", NULL},
              {"qq", "`q` `q`", "go:"}}},
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
    program_run(&p, "cd $D && mkdir -p home bin && ln -s $BIN bin/rtop && cc -O1 -g "
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
    if (!t->subject || t->alone || (subject = fork()) != 0)
        return;
    if (chdir(compiled_dir()) == 0)
        execl(t->subject, t->subject, (char *)NULL);
    _exit(127);
}

static void end_subject(const struct task *t)
{
    if (!t->subject || t->alone)
        return;
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

/* The text may go on in the next row. */
static bool shows_text(struct pty *p, const void *text)
{
    return strstr(vt_text(p->vt), text) != NULL;
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
        if (s->shows && !pty_until(p, shows_text, text)) {
            fputs(vt_text(p->vt), stderr); /* longer than cmocka prints */
            fail_msg("%s: '%s' does not show '%s'", t->title, s->name ? s->name : s->bytes, text);
        }
        if (!s->shows)
            pty_settle(p);
    }
}

/* Starts a shell for one task, in the folder, without settings of the tasks before. */
static void start_shell(struct pty *p, const struct task *t)
{
#define SHELL "HOME=$D/home PATH=$D/bin:$PATH exec bash --norc --noprofile -i"
    static const char *const env[] = {
        "LC_ALL=C.UTF-8", "TERM=xterm-256color", "PS1=go:",        "TERMINFO", "NO_COLOR",
        "ROOFTOP_CONFIG", "XDG_CONFIG_HOME",     "XDG_STATE_HOME", NULL};
    char line[TEXT];
    const char *const argv[] = {"sh", "-c", line, NULL};
    const struct pty_config c = {.argv = argv, .env = env, .cols = 120, .rows = 36};
    snprintf(line, sizeof line, "cd $D && rm -rf home/.config *.svg && ");
    /* It has its memory before the first key is typed. */
    if (t->alone)
        snprintf(line + strlen(line), sizeof line - strlen(line),
                 "exec " ALONE " sh -c '%s & until grep -q \"VmRSS.* [4-9]..... kB\" "
                 "/proc/$!/status; do sleep 0.05; done; " SHELL "'",
                 t->subject);
    else
        snprintf(line + strlen(line), sizeof line - strlen(line), SHELL);
    assert_int_equal(pty_start(p, &c), 0);
    assert_true(pty_until_text(p, "go:"));
    pty_settle(p);
}

/* Waits for what the task leaves. */
static void expect_left(const struct task *t)
{
    char line[TEXT];
    struct program found;
    snprintf(line, sizeof line,
             "cd $D && for i in $(seq 1000); do %s && exit; sleep 0.02; done; false", t->leaves);
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

static double read_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the seconds from the first key until the answer is there; typing takes none. */
static double do_task(const struct task *t, const struct step *steps)
{
    struct pty p;
    start_subject(t);
    start_shell(&p, t);
    const double began = read_clock();
    type_steps(&p, t, steps);
    if (t->leaves)
        expect_left(t);
    const double took = read_clock() - began;
    end_subject(t);
    pty_end(&p);
    return took;
}

static bool can_do(const struct task *t)
{
    if (!t->needs || succeeds(t->needs, ""))
        return true;
    print_message("note: %s: left out, this machine lacks what it needs\n", t->title);
    return false;
}

TEST(each_task_is_done_with_these_keys)
{
    program_needed();
    for (int i = 0; i < TASKS; i++)
        if (can_do(&tasks[i]))
            do_task(&tasks[i], tasks[i].rooftop);
}

static int compare_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Does the task with both, in turns, and prints a row of the table in docs/COMING_FROM.md. */
static void measure_task(const struct task *t)
{
    double ours[ROUNDS], theirs[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = do_task(t, t->rooftop);
        theirs[i] = do_task(t, t->peer);
    }
    qsort(ours, ROUNDS, sizeof *ours, compare_seconds);
    qsort(theirs, ROUNDS, sizeof *theirs, compare_seconds);
    const double own = ours[ROUNDS / 2], other = theirs[ROUNDS / 2];
    print_message("| %s | %.2f | %s | %.2f | %.2f |\n", t->title, own, t->tool, other, own / other);
}

TEST(the_peers_do_it_with_theirs)
{
    program_needed();
    int done = 0;
    if (!getenv("TASKS_OF_PEERS"))
        skip_because("other tools are only run with TASKS_OF_PEERS=1: they count samples and runs "
                     "of a quiet machine");
    for (int i = 0; i < TASKS; i++)
        if (tasks[i].tool && succeeds("command -v", tasks[i].tool) && can_do(&tasks[i])) {
            measure_task(&tasks[i]);
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
                c += strcspn(c + 1, "PQRSABCDF~") + 1;
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

TEST(no_task_takes_more_keys_than_with_the_usual_tool)
{
    for (int i = 0; i < TASKS; i++)
        if (tasks[i].tool && count_keys(tasks[i].rooftop) > count_keys(tasks[i].peer))
            fail_msg("%s: %u keys, %u with %s", tasks[i].title, count_keys(tasks[i].rooftop),
                     count_keys(tasks[i].peer), tasks[i].tool);
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
