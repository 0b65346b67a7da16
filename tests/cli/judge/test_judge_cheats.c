/*
 * rooftop optimize judge against a corpus: each cheat of tests/data/judge/cheats is refused by the
 * guard and with the words that its first line names, no honest candidate is refused. (Forks: not
 * for TSan.)
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

#define DATA "tests/data/judge/"
/* The guards that read sources: what they refuse is never called. */
#define UNREAD " --allow parse,signature,elsewhere,static-data,calls,assembly,unroll,wave-width"
#define USUAL  "$BIN judge --harness " DATA "saxpy.toml --baseline " DATA "baseline.c"
#define JUDGE  USUAL " --candidate "

static bool is_source(const char *name)
{
    const size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, ".c") == 0;
}

/* Calls fn for each file; returns how many there were. */
static size_t each_case(const char *folder, void (*fn)(const char *path))
{
    DIR *d = opendir(folder);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char path[512];
        if (!is_source(e->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        fn(path);
        n++;
    }
    closedir(d);
    return n;
}

/* Why sources cannot be looked at here. (A skip within a callback would leak.) */
static char lacking[512];

/* By which harness and baseline candidates are judged. */
static char judged_by[512] = USUAL;

/* NULL: it lacks something here. */
static cJSON *verdict_on(const char *path, const char *options, int *status)
{
    struct program p;
    char line[1024];
    snprintf(line, sizeof line, "%s --candidate %s --for 0.1 --format json%s", judged_by, path,
             options);
    program_run(&p, line);
    cJSON *j = cJSON_Parse(p.out);
    *status = p.status;
    if (p.status == 6 && strstr(p.err, "libclang-common"))
        snprintf(lacking, sizeof lacking, "%s", p.err);
    else if (!j)
        fail_msg("%s: exit %d: %s", path, p.status, p.err);
    program_free(&p);
    return j;
}

static const char *text_of(const cJSON *j, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(j, key));
    return text ? text : "";
}

/* The first line: GUARD: WORDS. */
static void cheat_is_refused(const char *path)
{
    char line[256] = "", guard[64] = "", words[128] = "";
    int status;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    if (!fgets(line, sizeof line, f) || sscanf(line, "/* %63[a-z-]: %127[^\n]", guard, words) < 1)
        fail_msg("%s: its first line names no guard", path);
    fclose(f);
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__)
    if (strcmp(guard, "clock") == 0 || strstr(path, "/clocks/"))
        return; /* other CPUs cannot hide their clock, and the sanitizer needs it */
#endif
#if !defined(__x86_64__)
    if (strstr(path, "x32_call") || strstr(path, "i386_call") || strstr(path, "flushes_denormals"))
        return; /* they are of x86-64 */
#endif
#if defined(__SANITIZE_ADDRESS__)
    if (strcmp(words, "prctl") == 0 || strstr(path, "fixed_memory") || strstr(path, "all_memory") ||
        strstr(path, "wishes_place") || strstr(path, "forgets_pages"))
        return; /* what the sanitizer does itself is allowed */
    if (strstr(path, "answers_early") || strstr(path, "shortens_batch"))
        return; /* the stack is another */
#endif
    const char *allowed = strstr(path, "/source/")             ? ""
                          : strcmp(guard, "constructors") == 0 ? UNREAD
                                                               : UNREAD ",constructors";
    cJSON *j = verdict_on(path, allowed, &status);
    if (j && *text_of(j, "sources_not_looked_at") && strstr(path, "/source/"))
        snprintf(lacking, sizeof lacking, "%s", text_of(j, "sources_not_looked_at"));
    if (*lacking) {
        cJSON_Delete(j);
        return;
    }
    if (strcmp(text_of(j, "verdict"), "refused") != 0 || status != 9 ||
        strcmp(text_of(j, "guard"), guard) != 0 || !strstr(text_of(j, "evidence"), words))
        fail_msg("%s: %s %s: %s, not refused by %s: %s", path, text_of(j, "verdict"),
                 text_of(j, "guard"), text_of(j, "evidence"), guard, words);
    cJSON_Delete(j);
}

static void honest_is_heard(const char *path)
{
    int status;
    cJSON *j = verdict_on(path, "", &status);
    if (!j)
        return;
    if (strcmp(text_of(j, "verdict"), "refused") == 0)
        fail_msg("%s was refused: %s: %s", path, text_of(j, "guard"), text_of(j, "evidence"));
    if (!cJSON_IsTrue(cJSON_GetObjectItem(j, "identical"))) {
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(j, "checked_calls")) >= 30);
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(j, "timed_calls")) >= 1);
    }
    cJSON_Delete(j);
}

/* It leaves its work out where it finds what it kept at an earlier call: then its answer is wrong.
 * It must not find it, or be refused for the way it keeps it. */
static void state_is_not_found_again(const char *path)
{
    int status;
    cJSON *j = verdict_on(path, UNREAD, &status);
    if (!j)
        return;
    if (strcmp(text_of(j, "verdict"), "faster") == 0 || strcmp(text_of(j, "guard"), "output") == 0)
        fail_msg("%s found what it had kept: %s %s", path, text_of(j, "verdict"),
                 text_of(j, "evidence"));
    cJSON_Delete(j);
}

static void need_rooftop(void)
{
    program_needed();
    lacking[0] = '\0';
    snprintf(judged_by, sizeof judged_by, "%s", USUAL); /* a test that failed left another one */
}

static void skip_what_lacks(void)
{
    if (*lacking)
        skip_because("%s", lacking);
}

TEST(cheats_are_refused)
{
    need_rooftop();
    assert_true(each_case(DATA "cheats", cheat_is_refused) >= 40);
    assert_true(each_case(DATA "waits", cheat_is_refused) >= 10);
    assert_true(each_case(DATA "clocks", cheat_is_refused) >= 10);
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
    assert_true(each_case(DATA "ahead", cheat_is_refused) >= 10);
#endif
    skip_what_lacks();
}

TEST(calls_find_nothing_of_each_other)
{
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__)
    skip_because("here calls follow each other in the same memory");
#endif
    need_rooftop();
    assert_true(each_case(DATA "state", state_is_not_found_again) >= 34);
    skip_what_lacks();
}

/* Inputs that never came: candidates that are right on those of the harness's first values only. */
TEST(inputs_of_all_kinds_come)
{
    static const char *const kinds[] = {"values", "lengths", "special", "signs",
                                        "places", "aligned", "names"};
    need_rooftop();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char folder[256];
        snprintf(judged_by, sizeof judged_by,
                 "$BIN judge --harness " DATA "inputs/%s/harness.toml --baseline " DATA
                 "inputs/%s/baseline.c",
                 kinds[i], kinds[i]);
        snprintf(folder, sizeof folder, DATA "inputs/%s/cheats", kinds[i]);
        assert_true(each_case(folder, cheat_is_refused) >= 1);
        snprintf(folder, sizeof folder, DATA "inputs/%s/honest", kinds[i]);
        assert_true(each_case(folder, honest_is_heard) >= 1);
    }
    skip_what_lacks();
}

/* Where cron or a service starts the judge, there is none. */
TEST(an_empty_environment_tells_nothing)
{
    need_rooftop();
    snprintf(judged_by, sizeof judged_by,
             "env -i PATH=\"$PATH\" $BIN judge --harness " DATA
             "inputs/names/harness.toml --baseline " DATA "inputs/names/baseline.c");
    cheat_is_refused(DATA "inputs/names/cheats/no_home.c");
    skip_what_lacks();
}

/* By their sources, before they are called. */
TEST(cheats_are_seen_in_sources)
{
    need_rooftop();
    assert_true(each_case(DATA "cheats/source", cheat_is_refused) >= 20);
    skip_what_lacks();
}

TEST(honest_ones_are_not)
{
    need_rooftop();
    assert_true(each_case(DATA "honest", honest_is_heard) >= 20);
    skip_what_lacks();
}

/* An attribute of C++ may have a blank between its brackets. */
TEST(attributes_may_have_blanks)
{
    struct program p;
    need_rooftop();
    program_run(&p, "d=$(mktemp -d) && sed 's/^void/extern \"C\" void/' " DATA
                    "baseline.c >$d/a.cpp && { echo '[ [gnu::constructor]] static void f(void) {}';"
                    " cat $d/a.cpp; } >$d/b.cpp; $BIN judge --harness " DATA
                    "saxpy.toml --baseline $d/a.cpp --candidate $d/b.cpp --build 'c++ -O2 -shared "
                    "-fPIC -o {out} {source}' --for 0.1; s=$?; rm -r $d; exit $s");
    const bool looked = !strstr(p.out, "libclang");
    if (p.status != 9 || (looked && !strstr(p.out, "the attribute 'constructor'")))
        fail_msg("exit %d\n%s%s", p.status, p.out, p.err);
    program_free(&p);
}

/* What no source shows: how an object is linked. One constructor in the compiler's place does not
 * run. */
TEST(objects_run_nothing_when_they_are_loaded)
{
    static const struct {
        const char *how, *guard, *words;
    } rows[] = {
        {"-Wl,--no-as-needed $d/libhelp.so", "constructors", "libhelp.so"},
        {"-Wl,-rpath,/tmp", "constructors", "RPATH"},
        {"-Wl,--auxiliary,libhelp.so", "constructors", "DT_FILTER"},
        {"-Wl,-init,begin", "constructors", "_init"},
        {"-DBEGIN -nostartfiles", "", ""},
        {"-s", "", ""},
        {"-Wl,--hash-style=sysv", "", ""},
        {"-Wl,-z,noseparate-code,-z,now -lm", "", ""},
    };
    need_rooftop();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        char line[2048];
        snprintf(line, sizeof line,
                 "d=$(mktemp -d); echo 'int help = 1;' >$d/help.c; "
                 "cc -shared -fPIC -o $d/libhelp.so $d/help.c && "
                 "{ echo '#include <unistd.h>'; echo '#ifdef BEGIN'; "
                 "echo 'void begin(void) __attribute__((constructor));'; echo '#endif'; "
                 "echo 'void begin(void) { _exit(3); }'; "
                 "cat " DATA "baseline.c; } >$d/b.c && "
                 "cc -O2 -shared -fPIC -o $d/b.so $d/b.c %s && " JUDGE
                 "$d/b.so --for 0.1 --format json; s=$?; rm -r $d; exit $s",
                 rows[i].how);
        program_run(&p, line);
        cJSON *j = cJSON_Parse(p.out);
        const bool refused = strcmp(text_of(j, "verdict"), "refused") == 0;
        if (!j || refused != (*rows[i].guard != '\0') ||
            strcmp(text_of(j, "guard"), rows[i].guard) != 0 ||
            !strstr(text_of(j, "evidence"), rows[i].words))
            fail_msg("%s: exit %d: %s%s", rows[i].how, p.status, p.out, p.err);
        cJSON_Delete(j);
        program_free(&p);
    }
}

/* -ffast-math makes gcc and clang link code that runs when the object is loaded. It is refused like
 * any constructor, with a message of its own; without that code, or with --allow constructors, the
 * candidate is judged. Newer compilers link it to programs only, so in the first row the test's
 * source has such a constructor itself. */
TEST(start_of_fast_math_is_named)
{
#if defined(__x86_64__)
#define SWITCH "__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040)"
#else
#define SWITCH "__builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1u << 24)"
#endif
    static const struct {
        const char *flags, *options;
        bool refused, heard;
    } rows[] = {
        {"-DBEGIN", "", true, false},
        {"-Ofast", "", true, true},
        {"-Ofast -nostartfiles", "", false, true},
        {"-DBEGIN", " --allow constructors", false, true},
    };
    need_rooftop();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        char line[2048];
        snprintf(line, sizeof line,
                 "d=$(mktemp -d) && { cat " DATA "baseline.c; echo '#ifdef BEGIN'; "
                 "echo '__attribute__((constructor)) static void begin(void)'; "
                 "echo '{ " SWITCH "; }'; echo '#endif'; } >$d/b.c && "
                 "cc -O2 -shared -fPIC %s -o $d/b.so $d/b.c && " JUDGE
                 "$d/b.so --for 0.1 --format json%s; s=$?; rm -r $d; exit $s",
                 rows[i].flags, rows[i].options);
        program_run(&p, line);
        cJSON *j = cJSON_Parse(p.out);
        const bool refused = strcmp(text_of(j, "verdict"), "refused") == 0;
        const bool named = strcmp(text_of(j, "guard"), "constructors") == 0 &&
                           strstr(text_of(j, "evidence"), "-ffast-math") &&
                           strstr(text_of(j, "evidence"), "-nostartfiles");
        if (!j || (refused ? !rows[i].refused || !named : !rows[i].heard))
            fail_msg("%s%s: exit %d: %s%s", rows[i].flags, rows[i].options, p.status, p.out, p.err);
        cJSON_Delete(j);
        program_free(&p);
    }
}
