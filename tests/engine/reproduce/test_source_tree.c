/* Which files belong to a kernel's source: named and included ones, and only source code. */
#include "engine/reproduce/source_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/temp_folder.h"
#include "support/test.h"

static struct source_tree tree;

static const char *at(const char *below)
{
    static char text[4][256];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn], "%s/%s", temp_folder, below);
    return text[turn];
}

static void put(const char *below, const char *contents)
{
    char line[512];
    snprintf(line, sizeof line, "mkdir -p $(dirname %s)", at(below));
    assert_int_equal(system(line), 0); /* NOLINT: as above */
    FILE *f = fopen(at(below), "w");
    assert_non_null(f);
    fputs(contents, f);
    fclose(f);
}

static struct device_build build_of(struct arena *arena, const char *flags)
{
    struct device_build b;
    struct compile_command c = {.directory = temp_folder};
    char line[512];
    snprintf(line, sizeof line, "hipcc %s", flags);
    c.argv = shell_split(arena, line, &c.argc);
    device_build_of(&b, &c, arena);
    return b;
}

static void expect_tree(const char *root, const char *const *files)
{
    size_t n = 0;
    source_tree_root(&tree);
    assert_string_equal(tree.root, root);
    for (; files[n]; n++) {
        bool there = false;
        for (size_t i = 0; i < tree.n; i++)
            there = there || strcmp(tree.files[i].below, files[n]) == 0;
        if (!there)
            fail_msg("%s is not in the tree", files[n]);
    }
    assert_int_equal(tree.n, n);
}

TEST(test_includes_are_followed)
{
    static const char *const files[] = {
        "src/k.hip",  "src/near.h", "inc/lib/far.h", "inc/lib/more.h", "forced/all.h",
        "quoted/q.h", NULL};
    struct arena arena = {0};
    put("src/k.hip", "#include \"near.h\"\n  #  include <lib/far.h> // far\n#include \"q.h\"\n"
                     "#include <hip/hip_runtime.h>\n#include MACRO\n#include <q.h>\n");
    put("src/near.h",
        "#pragma once\n#include \"near.h\"\n#if 0\n#include \"../src/k.hip\"\n#endif\n");
    put("inc/lib/far.h", "#include \"more.h\"\n");
    put("inc/lib/more.h", "// #include is what others do\n");
    put("forced/all.h", "\n");
    put("quoted/q.h", "\n");
    put("inc/unused.h", "\n");
    const struct device_build b =
        build_of(&arena, "-Iinc -iquote quoted -include forced/all.h -isystem /usr/include");
    tree = (struct source_tree){.n = 0};
    assert_true(source_tree_add(&tree, at("src/k.hip")));
    source_tree_close(&tree, &b);
    expect_tree(temp_folder, files);
    assert_string_equal(source_tree_below(&tree, at("inc")), "inc");
    assert_string_equal(source_tree_below(&tree, temp_folder), "");
    assert_null(source_tree_below(&tree, "/usr/include"));
    source_tree_free(&tree);
    arena_free(&arena);
}

/* The first folder that has the header counts; the including file's own comes first, for quotes
 * only. */
TEST(test_the_first_that_is_found_is_taken)
{
    static const char *const files[] = {"a/x.h", "b/y.h", "src/k.hip", "src/x.h", NULL};
    struct arena arena = {0};
    put("two/src/k.hip", "#include <x.h>\n#include \"y.h\"\n#include \"x.h\"\n");
    put("two/src/x.h", "");
    put("two/a/x.h", "");
    put("two/b/x.h", "");
    put("two/b/y.h", "");
    const struct device_build b = build_of(&arena, "-I two/a -I two/b");
    tree = (struct source_tree){.n = 0};
    assert_true(source_tree_add(&tree, at("two/src/k.hip")));
    source_tree_close(&tree, &b);
    expect_tree(at("two"), files);
    source_tree_free(&tree);
    arena_free(&arena);
}

/* A folder in which a header was found through an option is part of the tree. */
TEST(test_folders_of_flags_are_kept)
{
    struct arena arena = {0};
    put("up/proj/k/k.hip", "#include <proj/k/only.h>\n");
    put("up/proj/k/only.h", "");
    const struct device_build b = build_of(&arena, "-I up");
    tree = (struct source_tree){.n = 0};
    assert_true(source_tree_add(&tree, at("up/proj/k/k.hip")));
    source_tree_close(&tree, &b);
    source_tree_root(&tree);
    assert_string_equal(tree.root, at("up"));
    assert_string_equal(source_tree_below(&tree, at("up")), "");
    source_tree_free(&tree);
    arena_free(&arena);
}

/* Debug information may name any file: only source code of this user is taken. */
TEST(test_what_is_not_taken)
{
    put("secret.key", "x");
    put("no_end", "x");
    put("big.h", "x");
    char line[256];
    snprintf(line, sizeof line, "truncate -s 33M %s && mkdir %s && mkfifo %s", at("big.h"),
             at("folder.h"), at("pipe.h"));
    assert_int_equal(system(line), 0); /* NOLINT: as above */
    tree = (struct source_tree){.n = 0};
    static const char *const not_taken[] = {"secret.key", "no_end", "big.h",
                                            "folder.h",   "pipe.h", "absent.h"};
    for (size_t i = 0; i < sizeof not_taken / sizeof *not_taken; i++)
        assert_false(source_tree_add(&tree, at(not_taken[i])));
    assert_false(source_tree_add(&tree, "/usr/include/stdio.h"));
    assert_false(source_tree_add(&tree, "/usr/src/../include/stdio.h"));
    assert_false(source_tree_add(&tree, "relative.h"));
    assert_int_equal(tree.n, 0);
    source_tree_root(&tree);
    assert_null(tree.root);
    source_tree_free(&tree);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
