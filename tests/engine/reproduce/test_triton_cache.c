/* Finds a captured code object in Triton's cache by its bytes, with its Python source. */
#include "engine/reproduce/triton_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/temp_folder.h"
#include "support/test.h"

static void shell(const char *line)
{
    char text[1024];
    snprintf(text, sizeof text, "cd %s && { %s; }", temp_folder, line);
    assert_int_equal(system(text), 0); /* NOLINT: fixed lines in a folder made here */
}

static int make(void **state)
{
    if (temp_folder_make(state) != 0)
        return -1;
    setenv("HOME", temp_folder, 1);
    unsetenv("TRITON_CACHE_DIR");
    shell("mkdir -p .triton/cache/A .triton/cache/B .triton/cache/C other/D && "
          "printf abcd >.triton/cache/A/add.hsaco && printf abce >.triton/cache/B/add.hsaco && "
          "printf abcdef >.triton/cache/C/add.hsaco && printf xyz >other/D/mul.hsaco && "
          "echo asm >.triton/cache/B/add.amdgcn && echo file >.triton/cache/file");
    shell(
        "printf '#loc = loc(\"/a/k.py\":1:0)\\n#loc1 = loc(\"x\"(#loc))\\n#loc2 = loc(\"/b/h.py\":"
        "2:1)\\n#loc3 = loc(\"/a/k.py\":9:9)\\n#loc4 = loc(\"rel.py\":1:1)\\n#loc5 = loc(\"/c.py'"
        " >.triton/cache/B/add.ttir");
    return 0;
}

TEST(test_found_by_its_bytes)
{
    struct triton_kernel k;
    struct arena arena = {0};
    char folder[256];
    assert_true(triton_cache_find(&k, "abce", 4, &arena));
    snprintf(folder, sizeof folder, "%s/.triton/cache/B", temp_folder);
    assert_string_equal(k.folder, folder);
    assert_string_equal(k.name, "add");
    assert_non_null(k.assembly);
    assert_int_equal(k.npython, 2);
    assert_string_equal(k.python[0], "/a/k.py");
    assert_string_equal(k.python[1], "/b/h.py");
    assert_true(triton_cache_find(&k, "abcd", 4, &arena));
    assert_null(k.assembly);
    assert_int_equal(k.npython, 0);
    assert_false(triton_cache_find(&k, "abc", 3, &arena));
    assert_false(triton_cache_find(&k, "", 0, &arena));
    arena_free(&arena);
}

TEST(test_another_cache)
{
    struct triton_kernel k;
    struct arena arena = {0};
    char folder[256];
    assert_false(triton_cache_find(&k, "xyz", 3, &arena));
    snprintf(folder, sizeof folder, "%s/other", temp_folder);
    setenv("TRITON_CACHE_DIR", folder, 1);
    assert_true(triton_cache_find(&k, "xyz", 3, &arena));
    assert_string_equal(k.name, "mul");
    assert_false(triton_cache_find(&k, "abcd", 4, &arena));
    setenv("TRITON_CACHE_DIR", "/no/such/folder", 1);
    assert_false(triton_cache_find(&k, "xyz", 3, &arena));
    unsetenv("TRITON_CACHE_DIR");
    arena_free(&arena);
}

TEST_MAIN(make, temp_folder_remove)
