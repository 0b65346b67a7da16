/* not for TSan: Hostile names through every command and every format: no output contains them raw,
 * and parsers of other programs can read the output. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <sqlite3.h>

#include "support/att_folder.h"
#include "support/hostile.h"
#include "support/hostile_files.h"
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/program.h"
#include "support/rocpd_file.h"
#include "support/skip.h"
#include "support/test.h"

static char folder[64];
static struct rocpd_file rocpd;

/* --- files to open --- */

static const char *hex(const char *text)
{
    static char out[1024];
    size_t n = (size_t)snprintf(out, sizeof out, "CAST(x'");
    for (; text && *text; text++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%02x", (unsigned char)*text);
    snprintf(out + n, sizeof out - n, "' AS TEXT)");
    return out;
}

/* A kernel and a region for each name; agent, process and host have hostile names too. */
static void make_rocpd(void)
{
    static const char *const others[] = {
        "UPDATE [rocpd_info_node@] SET hostname = %s",
        "UPDATE [rocpd_info_process@] SET command = %s",
        "UPDATE [rocpd_info_agent@] SET name = %s, product_name = 'x'",
        "UPDATE [rocpd_info_thread@] SET name = %s"};
    char sql[2048];
    rocpd_file_open(&rocpd, "hostile");
    rocpd_file_tables(&rocpd, "_a", "g1");
    rocpd_file_names(&rocpd);
    for (int i = 0; hostile_names[i]; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO [rocpd_info_kernel_symbol@](id, kernel_name, display_name) "
                 "VALUES(%d, %s, '')",
                 100 + i, hex(hostile_names[i]));
        rocpd_file_sql(&rocpd, sql);
        snprintf(sql, sizeof sql, "INSERT INTO [rocpd_string@](id, string) VALUES(%d, %s)", 100 + i,
                 hex(hostile_names[i]));
        rocpd_file_sql(&rocpd, sql);
        snprintf(sql, sizeof sql,
                 "INSERT INTO [rocpd_region@](id, start, [end], name_id) VALUES(%d, %d, %d, %d);"
                 "INSERT INTO [rocpd_kernel_dispatch@](id, dispatch_id, start, [end], queue_id, "
                 "kernel_id) VALUES(%d, "
                 "%d, %d, %d, 1, %d)",
                 100 + i, i * 1000, i * 1000 + 800, 100 + i, 100 + i, i, i * 1000 + 100,
                 i * 1000 + 700, 100 + i);
        rocpd_file_sql(&rocpd, sql);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(sql, sizeof sql, others[i], hex(hostile_names[i]));
        rocpd_file_sql(&rocpd, sql);
    }
    rocpd_file_close(&rocpd);
}

/* An export of Nsight Systems in which every text is a hostile name. */
static void make_nsys(const char *path)
{
    static char sql[64][2048];
    static const char *all[70];
    static const char *const first[] = {NSYS_NEW};
    int n = 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        all[n++] = first[i];
    for (int i = 0; hostile_names[i]; i++) {
        snprintf(sql[i], sizeof *sql,
                 "UPDATE StringIds SET value = %s WHERE rowid %% (SELECT min(24, count(*)) FROM "
                 "StringIds) = %d",
                 hex(hostile_names[i]), i);
        all[n++] = sql[i];
    }
    nsys_run(path, all);
}

/* A thread trace whose first instruction has a hostile text. */
static struct att_folder att;
static struct made_capture capture;

static void make_att(void)
{
    att_folder_make(&att, 1);
    att_folder_change(&att, "code.json", "v_lshlrev_b32_e32 v0, 2, v0",
                      "=v_\\u001b]0;own\\u0007\\u009b\\u202e\\u200b\xff\\ud800,\\\"x");
    setenv("ATT", att.dir, 1);
}

/* --- processes --- */

static pid_t children[64];

/* Starts this program again with hostile arguments and a hostile name; it waits to be killed. */
static void make_processes(void)
{
    char list[512] = "";
    setenv("ROOFTOP_BRICKS_MIB", "8", 1);
    for (int i = 0; hostile_names[i]; i++) {
        int ready[2];
        char byte;
        assert_int_equal(pipe(ready), 0);
        children[i] = fork();
        if (children[i] == 0) {
            dup2(ready[1], 3);
            execl("/proc/self/exe", hostile_names[i], "--be", hostile_names[i], (char *)NULL);
            _exit(127);
        }
        close(ready[1]);
        assert_int_equal(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", i ? "," : "",
                 (int)children[i]);
    }
    setenv("PIDS", list, 1);
}

static int be(const char *name)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, name);
    hostile_bricks(name);
    if (write(3, "x", 1) != 1)
        return 1;
    for (;;)
        pause();
}

/* --- running commands --- */

struct made {
    char *line, *text;
    const char *format;
    size_t n;
    int status;
};
static char cgroup[128];
static struct made made[1600];
static size_t nmade;

/* Checks output and errors of a command line; errors are checked as text. */
static void run(const char *format, const char *line)
{
    struct program p;
    program_run(&p, line);
    if (p.status >= 128)
        fail_msg("%s: status %d\n%s", line, p.status, p.err);
    assert_true(nmade + 2 <= sizeof made / sizeof *made);
    made[nmade++] = (struct made){strdup(line), p.out, format, p.out_len, p.status};
    made[nmade++] = (struct made){strdup(line), p.err, "errors", p.err_len, p.status};
}

static void run_all(const char *command, const char *formats)
{
    char line[512], list[128], *save = NULL;
    static char kept[16][16];
    static int nkept;
    snprintf(list, sizeof list, "%s", formats);
    for (char *f = strtok_r(list, " ", &save); f; f = strtok_r(NULL, " ", &save)) {
        int k = 0;
        while (k < nkept && strcmp(kept[k], f) != 0)
            k++;
        if (k == nkept)
            snprintf(kept[nkept++], sizeof *kept, "%s", f);
        snprintf(line, sizeof line, "\"$BIN\" %s --format %s", command, f);
        run(kept[k], line);
    }
}

static const struct {
    const char *command, *formats;
} opened[] = {
    {"tree", "text json csv dot chrome svg folded speedscope"},
    {"tree --calls", "text json csv dot chrome svg folded"},
    {"path", "text json csv dot svg"},
    {"bricks", "text json csv"},
    {"kernels", "text json csv svg"},
    {"kernels --ascii", "text"},
    {"report", "text json csv svg"},
    {"report --range ~.", "text json csv svg"},
    {"steps --range ~.", "text json csv"},
    {"timeline", "text json csv svg"},
    {"timeline --search a", "text json csv svg"},
    {"roofline", "text json csv svg"},
    {"export", "chrome dot csv json otlp"},
    {"--headless -d 0.1 --view tree", "text ansi svg"},
    {"--headless -d 0.1 --view path", "text ansi svg"},
    {"--headless -d 0.1 --view kernels", "text ansi svg"},
    {"--headless -d 0.1 --view timeline --ascii", "text ansi svg"},
};

static const struct {
    const char *command, *formats;
} watched[] = {
    {"--headless --frames 2 -d 0.1 -p $PIDS", "text json jsonl csv openmetrics svg ansi"},
    {"--headless -d 0.1 --frames 1 --view tree -p $PIDS", "text svg ansi"},
    {"--headless --functions --frames 2 -d 0.1 -p $PIDS", "folded speedscope csv json"},
    {"--headless -d 0.1 --frames 1 \"$SESSION\"", "text json csv ansi svg"},
    {"compare \"$SESSION\" \"$SESSION\"", "text json"},
    {"compare \"$CHROME\" \"$CHROME\"", "text json csv"},
    {"compare \"$ROCPD\" \"$CSV\"", "text json csv"},
    {"doctor", "text json"},
    {"events -p $PIDS", "text json csv"},
    {"usdt \"$BIN\"", "text json"},
    {"usdt \"$EVIL\"", "text json"},
    {"att \"$EVIL\"", "text json csv"},
    {"att \"$ATT\"", "text json csv"},
    {"code-object \"$EVIL\"", "text json"},
    {"code-object \"$CODE\"", "text json"},
    {"bricks -p $PIDS", "text json csv"},
    {"tree --calls -p $PIDS", "text json csv dot chrome svg folded"},
    {"path -p $PIDS", "text json csv dot svg"},
    {"roofline -p $PIDS", "text json csv svg"},
    {"--headless -d 0.1 --frames 1 --view replay --captures \"$CAPTURE\"", "text ansi svg"},
    {"compare \"$PROCS\" \"$GPUS\"", "text json"},
};

/* Every text in these sessions is hostile. */
static const char *const sessions[] = {"PROCS", "GPUS", "BRICKS", "HOT", "ENDED"};
static const char *const scenes[] = {"procs", "gpus", "bricks", "nasty", "ended"};
enum { SESSIONS = sizeof sessions / sizeof *sessions };
static const char *const views_of_sessions[] = {"overview", "counters", "functions",
                                                "gpu",      "tree",     "output"};

/* Messages about a hostile argument; EVIL is one name at a time. */
static const char *const refused[] = {
    "tree \"$EVIL\"",
    "path \"$EVIL\"",
    "kernels \"/tmp/$EVIL\"",
    "\"$EVIL\"",
    "-- \"/x/$EVIL\"",
    "-p \"$EVIL\"",
    "--cgroup \"$EVIL\"",
    "--\"$EVIL\"",
    "--view \"$EVIL\"",
    "--headless -e \"$EVIL\"",
    "--headless -C \"$EVIL\"",
    "--headless --metrics \"$EVIL\"",
    "help \"$EVIL\"",
    "tree --format \"$EVIL\"",
    "--config \"/tmp/$EVIL\"",
    "--headless -o \"/x/$EVIL/y\"",
    "record -o \"/x/$EVIL\"",
    "replay \"$EVIL\"",
    "replay reserve-check --capture-dir \"$EVIL\"",
    "--headless --theme \"$EVIL\"",
    "profile --dry-run -- \"/x/$EVIL\"",
    "compare \"$EVIL\" \"$EVIL\"",
    "bricks --budgets \"$EVIL\" \"$CHROME\"",
    "roofline --roofs \"$EVIL\" \"$CHROME\"",
    "timeline --search \"~$EVIL\" \"$CHROME\"",
    "timeline --from \"$EVIL\" \"$CHROME\"",
    "kernels --filter \"$EVIL\" \"$CHROME\"",
    "capture --kernel \"$EVIL\" -o \"/x/$EVIL\" -- /bin/true",
    "--print-config --theme \"$EVIL\"",
};

static void run_everything(void)
{
    static const char *const files[] = {"$CHROME", "$ROCPD", "$CSV", "$NSYS"};
    char line[512];
    run("text", "\"$BIN\" record -d 0.1 --frames 2 -o \"$SESSION\" -p $PIDS || \"$BIN\" record -d "
                "0.1 -o \"$SESSION\" -- "
                "sleep 0.3");
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            snprintf(line, sizeof line, "%s \"%s\"", opened[i].command, files[k]);
            run_all(line, opened[i].formats);
        }
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        run_all(watched[i].command, watched[i].formats);
    for (size_t i = 0; i < SESSIONS; i++) {
        snprintf(line, sizeof line, "--headless \"$%s\"", sessions[i]);
        run_all(line, strcmp(sessions[i], "HOT") == 0 ? "json jsonl csv folded" : "json jsonl csv");
        for (size_t k = 0; k < sizeof views_of_sessions / sizeof *views_of_sessions; k++) {
            snprintf(line, sizeof line, "--headless --view %s \"$%s\"", views_of_sessions[k],
                     sessions[i]);
            run_all(line, "text ansi svg");
        }
    }
    if (*cgroup)
        run_all("--headless -d 0.1 --frames 2 --cgroup \"$CGROUP\"", "text json csv ansi svg");
    /* what the command itself prints is not rooftop's output */
    run("text", "\"$BIN\" --headless -d 0.1 --frames 1 -- \"$SCRIPT\" 2>/dev/null");
    run("json", "\"$BIN\" --headless -d 0.1 --frames 1 --format json -- \"$SCRIPT\" 2>/dev/null");
    run("csv", "\"$BIN\" --headless -d 0.1 --frames 1 --format csv -- \"$SCRIPT\" 2>/dev/null");
    run("ansi", "\"$BIN\" --headless -d 0.1 --frames 1 --format ansi --view output -- \"$SCRIPT\" "
                "2>/dev/null");
}

/* Makes a cgroup with a hostile name and a process with such a name in it, where that is allowed.
 */
static void make_cgroup(void)
{
    char procs[sizeof cgroup + 16];
    snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/rooftop\033]0;x\a\302\233\xe2\x80\xae\n=%d",
             (int)getpid());
    FILE *f = NULL;
    if (access("/sys/fs/cgroup/cgroup.procs", W_OK) == 0 && mkdir(cgroup, 0755) == 0) {
        snprintf(procs, sizeof procs, "%s/cgroup.procs", cgroup);
        f = fopen(procs, "w");
    }
    if (f) {
        fprintf(f, "%d\n", (int)children[0]);
        fclose(f);
        setenv("CGROUP", cgroup, 1);
    } else {
        rmdir(cgroup);
        *cgroup = 0;
    }
}

/* The path of a file in the folder; shells know it as $variable. */
static const char *name_file(const char *variable, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    setenv(variable, path, 1);
    return getenv(variable) ? getenv(variable) : "/dev/null";
}

FIXTURE_STATUS(make_all)
{
    if (!program_rooftop())
        return 0;
    strcpy(folder, "/tmp/rooftop-hostile-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    const char *home = name_file("HOME", "home");
    setenv("HOME", home, 1);
    mkdir(home, 0700);
    hostile_chrome(name_file("CHROME", "c\033]0;x\a\xc2\x9b\xe2\x80\xae=\n.json"));
    hostile_rocprof(name_file("CSV", "k\033\xff\xe2\x80\x8b_kernel_trace.csv"));
    make_nsys(name_file("NSYS", "n\033[2J\xe2\x80\xae.sqlite"));
    name_file("SESSION", "s\033]0;x\a\xc2\x9b.rooftop");
    const char *script = name_file("SCRIPT", "run\033[2J\xe2\x80\xae.sh");
    setenv("EVIL", hostile_names[0], 1);
    make_rocpd();
    make_att();
    hostile_code(name_file("CODE", "code.hsaco"));
    hostile_capture(&capture);
    setenv("CAPTURE", capture.dir, 1);
    for (size_t i = 0; i < SESSIONS; i++)
        hostile_session(name_file(sessions[i], scenes[i]), scenes[i]);
    setenv("ROCPD", rocpd.path, 1);
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fputs("#!/bin/sh\nprintf 'a\\033]0;x\\007\\302\\233b\\342\\200\\256\\377\\n'\n", f);
    fclose(f);
    chmod(script, 0755);
    make_processes();
    make_cgroup();
    run_everything();
    return 0;
}

FIXTURE(remove_all)
{
    char bricks[64];
    for (int i = 0; children[i]; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
        snprintf(bricks, sizeof bricks, "/dev/shm/rooftop-%d-0.bricks", (int)children[i]);
        unlink(bricks); /* it did not have time to remove the file */
    }
    if (*cgroup)
        rmdir(cgroup);
    for (size_t i = 0; i < nmade; i++) {
        free(made[i].line);
        free(made[i].text);
    }
    if (*folder) {
        struct program p;
        setenv("FOLDER", folder, 1);
        program_run(&p, "rm -rf \"$FOLDER\"");
        program_free(&p);
        rocpd_file_remove(&rocpd);
        att_folder_remove(&att);
        made_capture_remove(&capture);
    }
}

/* Fails the test once, with everything that was found. */
static void judge(const char *found)
{
    if (*found)
        fail_msg("%s", found);
}

static void complain(char *found, size_t size, const struct made *m, const char *why)
{
    size_t n = strlen(found);
    snprintf(found + n, size - n, "%s (%s): %s\n", m->line, m->format, why);
}

static bool is(const struct made *m, const char *format)
{
    return strcmp(m->format, format) == 0;
}

/* Whether the input has every name: nsys has fewer texts, and librooftop replaces odd names. */
static bool names_all(const struct made *m)
{
    return strstr(m->line, "tree --calls \"") && !strstr(m->line, "$NSYS");
}

static char found[20000];

/* A command must succeed, because an error would test nothing; but a file may be missing. */
static bool must_be_done(const struct made *m)
{
    return !strstr(m->line, "$EVIL") && !is(m, "errors");
}

TEST(nothing_raw_comes_out)
{
    program_needed();
    *found = 0;
    for (size_t i = 0; i < nmade; i++)
        if (must_be_done(&made[i]) && made[i].status != 0)
            complain(found, sizeof found, &made[i], made[i + 1].text);
    for (size_t i = 0; i < nmade; i++) {
        const struct made *m = &made[i];
        unsigned allowed = is(m, "ansi")   ? HOSTILE_COLOURS
                           : is(m, "csv")  ? HOSTILE_CRLF
                           : is(m, "json") ? HOSTILE_TAB
                                           : 0;
        const char *why = hostile_raw(m->text, m->n, allowed);
        if (why)
            complain(found, sizeof found, m, why);
    }
    judge(found);
}

TEST(each_hostile_argument_is_told_on_one_clean_line)
{
    char line[512];
    struct program p;
    program_needed();
    *found = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (int k = 0; k < 8; k++) {
            struct made m = {.line = line, .format = hostile_names[k]};
            setenv("EVIL", hostile_names[k], 1);
            snprintf(line, sizeof line, "\"$BIN\" %s </dev/null", refused[i]);
            program_run(&p, line);
            const char *why = hostile_raw(p.err, p.err_len, 0);
            if (!why)
                why = hostile_raw(p.out, p.out_len, HOSTILE_CRLF);
            if (p.status >= 128)
                why = "killed";
            if (why)
                complain(found, sizeof found, &m, why);
            program_free(&p);
        }
    judge(found);
}

static void find_names(const cJSON *j, bool *seen, char *const *names)
{
    for (const cJSON *e = j; e; e = e->next) {
        for (int i = 0; cJSON_IsString(e) && names[i]; i++)
            seen[i] |= strcmp(e->valuestring, names[i]) == 0;
        if (e->child)
            find_names(e->child, seen, names);
    }
}

TEST(json_is_json_and_names_come_back)
{
    char *names[64] = {NULL};
    program_needed();
    *found = 0;
    for (int i = 0; hostile_names[i]; i++)
        names[i] = hostile_decoded(hostile_names[i]);
    for (size_t i = 0; i < nmade; i++) {
        const struct made *m = &made[i];
        bool seen[64] = {false};
        if ((!is(m, "json") && !is(m, "chrome")) || m->status != 0)
            continue;
        cJSON *j = cJSON_ParseWithOpts(m->text, NULL, true);
        if (!j)
            complain(found, sizeof found, m, "no JSON");
        find_names(j, seen, names);
        for (int k = 0; j && names[k] && names_all(m); k++)
            if (!seen[k])
                complain(found, sizeof found, m, names[k]);
        cJSON_Delete(j);
    }
    for (int i = 0; names[i]; i++)
        free(names[i]);
    judge(found);
}

struct cells {
    char *names[64];
    bool seen[64];
};

static void cell_seen(void *ctx, const char *text)
{
    struct cells *c = ctx;
    for (int i = 0; c->names[i]; i++)
        c->seen[i] |= strcmp(c->names[i], text) == 0;
}

TEST(csv_has_no_formula_and_names_come_back)
{
    struct cells c = {.names = {NULL}};
    program_needed();
    *found = 0;
    for (int i = 0; hostile_names[i]; i++)
        c.names[i] = hostile_marked(hostile_names[i]);
    for (size_t i = 0; i < nmade; i++) {
        const struct made *m = &made[i];
        if (!is(m, "csv") || m->status != 0)
            continue;
        memset(c.seen, 0, sizeof c.seen);
        const char *why = hostile_csv(m->text, cell_seen, &c);
        if (why)
            complain(found, sizeof found, m, why);
        for (int k = 0; !why && c.names[k] && names_all(m); k++)
            if (!c.seen[k])
                complain(found, sizeof found, m, c.names[k]);
    }
    for (int i = 0; c.names[i]; i++)
        free(c.names[i]);
    judge(found);
}

/* --- other programs' parsers --- */

/* Gives every output of a format as a file ("$@") to a shell command, which must end with 0. */
static void feed(const char *format, const char *shell)
{
    static char line[65536];
    struct program p;
    size_t n = 0;
    program_needed();
    for (size_t i = 0; i < nmade; i++) {
        const struct made *m = &made[i];
        char path[96];
        if (!is(m, format) || m->status != 0)
            continue;
        snprintf(path, sizeof path, "%s/%zu.%s", folder, i, format);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fwrite(m->text, 1, m->n, f);
        fclose(f);
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", n ? " " : "set -- ", path);
        assert_true(n < sizeof line - 2048);
    }
    assert_true(n > 0);
    snprintf(line + n, sizeof line - n, "\n%s", shell);
    program_run(&p, line);
    if (p.status != 0)
        fail_msg("%s: %s%s", format, p.err, p.out);
    program_free(&p);
}

static void need(const char *tool, const char *what)
{
    char line[128];
    struct program p;
    snprintf(line, sizeof line, "command -v %s", tool);
    program_run(&p, line);
    bool there = p.status == 0;
    program_free(&p);
    if (!there)
        skip_because("%s is not read by another parser: %s is not installed", what, tool);
}

TEST(svg_is_xml_for_libxml)
{
    need("xmllint", "SVG");
    feed("svg", "xmllint --noout --nonet \"$@\"");
}

TEST(dot_is_read_by_graphviz)
{
    need("dot", "DOT");
    feed("dot", "dot -Tcanon \"$@\" 2>&1 >/dev/null | grep . >&2 && exit 1; exit 0");
}

TEST(python_reads_every_document)
{
    static const char csv_check[] =
        "python3 -c '\nimport csv,sys\nfor n in sys.argv[1:]:\n"
        "  rows=list(csv.reader(open(n,newline=\"\",encoding=\"utf-8\"),strict=True))\n"
        "  assert rows and len({len(r) for r in rows})==1, n\n"
        "  for r in rows:\n    for c in r:\n      try: float(c)\n      except ValueError: assert "
        "not "
        "c.lstrip(\" \").startswith((\"=\",\"+\",\"-\",\"@\",\"\\t\",\"\\r\")), c' \"$@\"";
    static const char json_check[] = "python3 -c '\nimport json,sys\nfor n in sys.argv[1:]: "
                                     "json.load(open(n,encoding=\"utf-8\"))' \"$@\"";
    static const char category_check[] =
        "python3 -c '\nimport sys,unicodedata\nfor n in sys.argv[1:]:\n  "
        "t=open(n,encoding=\"utf-8\",newline=\"\").read()\n"
        "  bad={hex(ord(c)) for c in t if unicodedata.category(c) in "
        "(\"Cc\",\"Cf\",\"Zl\",\"Zp\",\"Cs\") and c not in "
        "\"\\r\\n\\t\"}\n  assert not bad, (n, bad)' \"$@\"";
    need("python3", "a document");
    feed("csv", csv_check);
    feed("json", json_check);
    feed("chrome", json_check);
    feed("text", category_check);
    feed("dot", category_check);
    feed("folded", category_check);
    feed("svg", category_check);
}

TEST(folded_stacks_are_frames_and_a_number)
{
    program_needed();
    *found = 0;
    for (size_t i = 0; i < nmade; i++) {
        const struct made *m = &made[i];
        for (const char *p = m->text; is(m, "folded") && *p;) {
            const char *end = strchr(p, '\n'),
                       *space = end ? memrchr(p, ' ', (size_t)(end - p)) : NULL;
            if (!space || space == p ||
                strspn(space + 1, "0123456789") != (size_t)(end - space - 1)) {
                complain(found, sizeof found, m, p);
                break;
            }
            p = end + 1;
        }
    }
    judge(found);
}

/* Captures and results of tests must not appear in the replay menu of the user who runs them. */
TEST(nothing_is_kept_at_home)
{
    struct program p;
    program_needed();
    program_run(&p, "find \"$HOME\" -mindepth 1");
    if (*p.out)
        fail_msg("after the tests these stand in the user's home:\n%s", p.out);
    program_free(&p);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--be") == 0)
        return be(argv[2]);
    return tests_run(make_all, remove_all);
}
