/*
 * The guards of the syntax tree on kernels in HIP: each cheat of tests/data/judge/hip/cheats is
 * refused by the guard and with the words of its first line, no honest one is.
 * Forks: not for TSan.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/clang/clang_tree.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/value/text_file.h"
#include "support/libclang.h"
#include "support/test.h"

#define DATA "tests/data/judge/hip/"

extern const struct source_guard_ops source_guard_clang;

static void check_file(const char *path, bool cheat)
{
    struct source_pair pair = {
        .path = DATA "baseline.hip", .function = "sum", .build = "hipcc -I" DATA " {source}"};
    struct source_refusal refused = {.guard = ""};
    struct error err = ERROR_INIT;
    char *texts[2] = {NULL, NULL}, guard[64] = "", words[128] = "";
    assert_int_equal(text_file_read(&texts[0], &pair.n_original, pair.path, &err), 0);
    assert_int_equal(text_file_read(&texts[1], &pair.n_candidate, path, &err), 0);
    pair.original = texts[0];
    pair.candidate = texts[1];
    const int rc = source_guard_clang.check(&pair, &refused, &err);
    if (rc != cheat)
        fail_msg("%s: %d %s %s %s", path, rc, refused.guard, refused.evidence, err.why);
    if (cheat && (sscanf(texts[1], "/* %63[a-z-]: %127[^*]", guard, words) != 2 ||
                  (words[strlen(words) - 1] = '\0', strcmp(guard, refused.guard)) != 0 ||
                  !strstr(refused.evidence, words)))
        fail_msg("%s: refused by %s: %s, not by %s: %s", path, refused.guard, refused.evidence,
                 guard, words);
    free(texts[0]);
    free(texts[1]);
}

static size_t check_folder(const char *folder, bool cheats)
{
    DIR *d = opendir(folder);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char path[512];
        if (!strstr(e->d_name, ".hip"))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        check_file(path, cheats);
        n++;
    }
    closedir(d);
    return n;
}

TEST(cheats_are_refused)
{
    need_libclang();
    assert_true(check_folder(DATA "cheats", true) >= 21);
}

TEST(honest_ones_are_not)
{
    need_libclang();
    assert_true(check_folder(DATA "honest", false) >= 7);
    check_file(DATA "baseline.hip", false);
}

/* What cannot be read is refused with the line, also where it is deep. */
TEST(unreadable_sources_are_refused)
{
    enum { DEEP = 20000 };
    static char deep[DEEP + 64];
    const char *const texts[] = {"int f(void) { return g; }", "}", "\xff\xfe", deep};
    need_libclang();
    memset(deep + snprintf(deep, sizeof deep, "int f = "), '(', DEEP);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct syntax_tree tree;
        struct error err = ERROR_INIT;
        char why[CLANG_WHY] = "";
        const struct clang_source s = {.path = "x.c", .text = texts[i], .n = strlen(texts[i])};
        if (clang_parse(&s, &tree, why, &err) != 1 || *why == '\0')
            fail_msg("%.40s was read: %s", texts[i], why);
    }
}

static int parse_with(const char *build, const char *text, char why[CLANG_WHY])
{
    struct syntax_tree tree;
    struct error err = ERROR_INIT;
    const struct clang_source s = {.path = "x.c", .text = text, .n = strlen(text), .build = build};
    const int rc = clang_parse(&s, &tree, why, &err);
    syntax_free(&tree);
    return rc;
}

/* The build's words as its shell reads them, also the last of many; too many are said. */
TEST(words_of_the_build_are_taken)
{
    enum { SOME = 300, MANY = 5000 };
    static char build[MANY * 8 + 64];
    char why[CLANG_WHY] = "";
    size_t n = (size_t)snprintf(build, sizeof build, "cc ");
    need_libclang();
    assert_int_equal(
        parse_with("cc '-DADD(x)=x + 1' -D \"TEXT=\\\"a b\\\"\" -DFOUR=2\\ +\\ 2 {source}",
                   "_Static_assert(sizeof TEXT == 4 && FOUR == ADD(3), \"\");", why),
        0);
    for (size_t i = 0; i < SOME; i++)
        n += (size_t)snprintf(build + n, sizeof build - n, "-DA%zu ", i);
    snprintf(build + n, sizeof build - n, "-DLAST=7");
    assert_int_equal(parse_with(build, "_Static_assert(LAST == 7, \"\");", why), 0);
    for (size_t i = 0; i < MANY; i++)
        n += (size_t)snprintf(build + n, sizeof build - n, "-DA ");
    assert_int_equal(parse_with(build, "int a;", why), 1);
    assert_non_null(strstr(why, "more than 4096 words"));
}

/* A kernel of AMD's builtins is no CUDA, whatever its file is called; and CUDA stays CUDA. */
TEST(cu_for_an_amd_gpu_is_hip)
{
    static const char amd[] = "__attribute__((global)) void f(int *o)\n"
                              "{ o[__builtin_amdgcn_workitem_id_x()] = 1; }\n",
                      cuda[] = "__attribute__((global)) void f(int *o)\n"
                               "{ o[__nvvm_read_ptx_sreg_tid_x()] = 1; }\n";
    static const struct {
        const char *path, *text, *build;
        bool amd;
        int rc;
    } rows[] = {{"x.cu", amd, "sh build.sh {source} {out}", true, 0},
                {"x.cu", amd, "${HIPCC:-hipcc} --genco -o {out} {source}", false, 0},
                {"x.cuh", amd, NULL, true, 0},
                {"x.hip", amd, NULL, false, 0},
                {"x.cu", amd, "nvcc -o {out} {source}", false, 1},
                {"x.cu", cuda, "nvcc -o {out} {source}", false, 0},
                {"x.cu", cuda, "nvcc -o {out} {source}", true, 1},
                {"x.c", "int f(void) { return 1; }", NULL, true, 0}};
    need_libclang();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct syntax_tree tree;
        struct error err = ERROR_INIT;
        char why[CLANG_WHY] = "";
        const struct clang_source s = {.path = rows[i].path,
                                       .text = rows[i].text,
                                       .n = strlen(rows[i].text),
                                       .build = rows[i].build,
                                       .amd = rows[i].amd};
        const int rc = clang_parse(&s, &tree, why, &err);
        if (rc != rows[i].rc)
            fail_msg("row %zu: %d %s %s", i, rc, why, err.why);
        assert_int_equal(rc == 0 && tree.gpu, rc == 0 && strcmp(rows[i].path, "x.c") != 0);
        syntax_free(&tree);
    }
}
