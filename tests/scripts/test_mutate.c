/* scripts/mutate.py on a small tree of its own: it tells which changes the tests notice, leaves
 * the tree unchanged, and a changed program cannot write outside. (It builds programs:
 * not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static const char sample[] =
    "#include \"sample/sample.h\"\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "int clamp(int v, int most)\n"
    "{\n"
    "    if (v > most)\n" /* >= gives the same value */
    "        v = most;\n"
    "    return v < 0 ? 0 : v;\n"
    "}\n"
    "int is_full(int n, int room)\n"
    "{\n"
    "    return n >= room;\n" /* a test notices it */
    "}\n"
    "int is_empty(int n)\n"
    "{\n"
    "    return n <= 0;\n" /* called, but its result is not checked */
    "}\n"
    "int save(const char *path, int really)\n"
    "{\n"
    "    if (!really)\n"
    "        return 0;\n" /* without this line it writes where it must not */
    "    FILE *f = fopen(path, \"w\");\n"
    "    return f ? fclose(f) : -1;\n"
    "}\n"
    "int order(int a, int b)\n"
    "{\n"
    "    if (a != b)\n" /* a test notices it; in the line below, <= has the same effect as < */
    "        return a < b ? -1 : 1;\n"
    "    return 0;\n"
    "}\n";
static const char header[] = "int clamp(int v, int most);\nint is_full(int n, int room);\n"
                             "int is_empty(int n);\nint save(const char *path, int really);\n"
                             "int order(int a, int b);\n";
static const char test[] =
    "#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n"
    "#include <cmocka.h>\n#include \"sample/sample.h\"\n"
    "static void values(void **state)\n"
    "{\n"
    "    (void)state;\n"
    "    assert_int_equal(clamp(3, 7) + clamp(9, 7) + clamp(-1, 7), 10);\n"
    "    assert_true(is_full(4, 4) && !is_full(3, 4));\n"
    "    is_empty(1);\n"
    "    assert_true(order(1, 2) < 0 && order(2, 1) > 0 && order(2, 2) == 0);\n"
    "    save(\"../outside\", 0);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};\n"
    "    return cmocka_run_group_tests(tests, NULL, NULL);\n"
    "}\n";

static char folder[256], script[512];

static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tree/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

FIXTURE_STATUS(make_tree)
{
    const char *build = getenv("BUILD");
    char command[1024], here[256];
    if (!getcwd(here, sizeof here))
        return -1;
    snprintf(folder, sizeof folder, "%s/%s/mutate-test-XXXXXX", here,
             build ? build : "build/release");
    snprintf(script, sizeof script, "%s/scripts/mutate.py", here);
    if (!mkdtemp(folder))
        return -1;
    snprintf(command, sizeof command,
             "mkdir -p %s/tree/src/sample %s/tree/tests/sample && cp Makefile VERSION %s/tree",
             folder, folder, folder);
    if (system(command) != 0)
        return -1;
    put("src/sample/sample.c", sample);
    put("src/sample/sample.h", header);
    put("tests/sample/test_sample.c", test);
    return 0;
}

FIXTURE_STATUS(remove_tree)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void mutate(struct program *p, const char *options, int status)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s/tree && python3 %s src/sample %s", folder, script,
             options);
    program_run(p, command);
    if (strstr(p->err, "no namespaces here")) {
        program_free(p);
        skip_because("make mutate: faulty code cannot be confined here: no namespaces (unshare)");
    }
    if (p->status != status)
        fail_msg("status %d\n%s\n%s", p->status, p->out, p->err);
}

static void needs_python(void)
{
    struct program p;
    program_run(&p, "python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' && unshare "
                    "--version && nm --version");
    int there = p.status == 0;
    program_free(&p);
    if (!there)
        skip_because("make mutate: it needs python3 (3.8 or newer), unshare and nm");
}

TEST(survivors_are_told_from_what_was_noticed)
{
    struct program p, again;
    struct stat before, after;
    char path[512];
    needs_python();
    snprintf(path, sizeof path, "%s/tree/src/sample/sample.c", folder);
    assert_int_equal(stat(path, &before), 0);
    mutate(&p, "--kinds relation,guard", 0);
    program_sees(&p, "noticed  src/sample/sample.c:12: >= -> > (test_sample)");
    program_sees(&p, "noticed  src/sample/sample.c:6: guard dropped");
    program_sees(&p, "src/sample/sample.c:16: <= -> <: no test noticed\n    return n <= 0;");
    program_sees(&p, "src/sample/sample.c:20: guard dropped: no test noticed");
    program_lacks(&p, "sample.c:6: > -> >=");
    program_lacks(&p, "sample.c:8: < -> <=");
    program_sees(&p, "noticed  src/sample/sample.c:27: != -> ==");
    program_lacks(&p, "sample.c:28: < -> <=");
    program_sees(&p, "tests/sample: 4 of 6 faults noticed (66 %), seed 1; not counted: 2 with the "
                     "same object code");
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    snprintf(path, sizeof path, "%s/tree/build/mutate/outside", folder);
    /* the file that the changed line 20 would have written */
    assert_int_not_equal(access(path, F_OK), 0);
    mutate(&again, "--kinds relation,guard", 0);
    assert_string_equal(p.out, again.out);
    program_free(&again);
    program_free(&p);
}

TEST(a_share_may_be_demanded)
{
    struct program p;
    needs_python();
    mutate(&p, "--kinds relation --least 67", 1);
    program_free(&p);
    mutate(&p, "--kinds relation --least 66", 0);
    program_free(&p);
}

TEST_MAIN(make_tree, remove_tree)
