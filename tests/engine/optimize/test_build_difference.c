/*
 * Two builds of one source, by real compilers: what does not run is explained, what runs is refused
 * with its place. For a small object each byte is changed, and readelf says what must be refused.
 * Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/optimize_impl.h"
#include "engine/value/text_file.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { FILE_MOST = 1 << 20 };

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL) != 0 ||
           system("mkdir $D/one $D/other-folder && cat >$D/one/f.c <<'E'\n"
                  "static int helper(int x) { return x * 3 + K; }\n"
                  "int other(int x) { return x + 1; }\n"
                  "__attribute__((noinline)) int f(int x) { return helper(x) + other(x); }\n"
                  "const char *when(void) { return WHEN; }\n"
                  "E\n"
                  "cp $D/one/f.c $D/other-folder");
}

struct bytes {
    char *text;
    size_t n;
};

static struct bytes read_built(const char *name)
{
    struct bytes b = {NULL, 0};
    struct error err = ERROR_INIT;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    if (text_file_read_most(&b.text, &b.n, path, FILE_MOST, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return b;
}

/* Builds a source with some options as $D/NAME.so. */
static void compile(const char *source, const char *options, const char *name)
{
    char line[512];
    snprintf(line, sizeof line,
             "cd $D/$(dirname %s) && cc -O1 -shared -fPIC -DK=5 -DWHEN='\"-\"' %s -o $D/%s.so f.c",
             source, options, name);
    if (system(line) != 0)
        fail_msg("%s", line);
}

static void compare_built(enum build_relation wanted, const char *text)
{
    char why[BUILD_DIFFERENCE], back[BUILD_DIFFERENCE];
    const struct bytes a = read_built("a.so"), b = read_built("b.so");
    const enum build_relation said = build_compare(a.text, a.n, b.text, b.n, why);
    if (said != wanted || !strstr(why, text))
        fail_msg("%d: '%s', not %d: '%s'", said, why, wanted, text);
    assert_int_equal(build_compare(b.text, b.n, a.text, a.n, back), wanted);
    assert_int_equal(build_hash(a.text, a.n) == build_hash(b.text, b.n), wanted != BUILD_OTHER);
    free(a.text);
    free(b.text);
}

TEST(what_does_not_run_is_explained)
{
    static const struct {
        const char *a, *b, *from, *text;
        enum build_relation relation;
    } cases[] = {
        {"", "", "one/f.c", "", BUILD_SAME},
        {"-g", "-g", "other-folder/f.c", ".debug_", BUILD_EXPLAINED},
        {"-g", "-g -fdebug-prefix-map=/tmp=/elsewhere", "one/f.c", ".debug_", BUILD_EXPLAINED},
        {"-Wl,--build-id=none", "-g -Wl,--build-id=none", "one/f.c", ".debug_info",
         BUILD_EXPLAINED},
        {"-Wl,--build-id=uuid", "-Wl,--build-id=uuid", "one/f.c", ".note.gnu.build-id",
         BUILD_EXPLAINED},
        {"-Wl,--build-id=uuid", "-g -Wl,--build-id=uuid", "one/f.c", ".note.gnu.build-id",
         BUILD_EXPLAINED},
        {"-nostdlib", "-nostdlib -fno-ident", "one/f.c", ".comment", BUILD_EXPLAINED},
        {"-Wl,--build-id=none", "-Wl,--build-id=none -s", "one/f.c", ".symtab", BUILD_EXPLAINED},
        {"", "-UK -DK=6", "one/f.c", "in .text of f", BUILD_OTHER},
        {"-Wl,--build-id=none", "-Wl,--build-id=none -UWHEN -DWHEN=__FILE__", "one/f.c", "",
         BUILD_OTHER},
        {"-UWHEN -DWHEN='\"12:00:00\"' -Wl,--build-id=none",
         "-UWHEN -DWHEN='\"12:00:01\"' -Wl,--build-id=none", "one/f.c", "in .rodata", BUILD_OTHER},
        {"-Wl,--build-id=none", "-Wl,--build-id=sha1", "one/f.c", "", BUILD_OTHER},
        {"", "-O0", "one/f.c", "", BUILD_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compile("one/f.c", cases[i].a, "a");
        compile(cases[i].from, cases[i].b, "b");
        compare_built(cases[i].relation, cases[i].text);
    }
}

TEST(other_files_are_the_same_or_not)
{
    char why[BUILD_DIFFERENCE];
    assert_int_equal(build_compare("abc", 3, "abc", 3, why), BUILD_SAME);
    assert_int_equal(build_compare("abc", 3, "abd", 3, why), BUILD_OTHER);
    assert_string_equal(why, "byte 2");
    assert_int_equal(build_compare("abc", 3, "ab", 2, why), BUILD_OTHER);
    assert_string_equal(why, "they have 3 and 2 bytes");
    assert_int_equal(build_compare("", 0, "a", 1, why), BUILD_OTHER);
    assert_int_not_equal(build_hash("", 0), 0);
}

/* --- each byte --- */

/* What readelf says of each byte: '.' nothing, 'n' a section that is not loaded, 'l' loaded. */
static char *map_of(const char *path, size_t n)
{
    char line[512], *map = malloc(n);
    struct program p;
    assert_non_null(map);
    memset(map, '.', n);
    snprintf(line, sizeof line,
             "readelf -lW %s | awk '$1 == \"LOAD\" { print \"l\", $2, $5, \"-\" }'; "
             "readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\] //' | awk '$2 ~ /^[A-Z]/ && $2 != \"NULL\""
             " && $2 != \"NOBITS\" && $4 ~ /^[0-9a-f]+$/ { print ($7 ~ /A/) ? \"l\" : \"n\", $4, "
             "$5, $1 }'",
             path, path);
    program_run(&p, line);
    assert_int_equal(p.status, 0);
    size_t loads = 0;
    for (const char *at = p.out; *at; at = strchr(at, '\n') + 1) {
        char kind, name[64];
        unsigned long offset, size;
        assert_int_equal(sscanf(at, "%c %lx %lx %63s", &kind, &offset, &size, name), 4);
        assert_true(offset + size <= n);
        loads += kind == 'l';
        memset(map + offset, kind, size);
        if (strcmp(name, ".note.gnu.build-id") == 0)
            memset(map + offset + 16, 'i', size - 16); /* behind the note's name */
    }
    assert_true(loads > 2);
    program_free(&p);
    return map;
}

/* gpu: symbols count, too. */
static void change_each_byte(const char *path, bool gpu)
{
    char why[BUILD_DIFFERENCE], *text = NULL;
    size_t n = 0, refused = 0, explained = 0;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read_most(&text, &n, path, FILE_MOST, &err), 0);
    char *map = map_of(path, n), *other = malloc(n);
    assert_non_null(other);
    memcpy(other, text, n);
    memset(map + 40, 'n', 8); /* where the table of sections lies, how many, whose names */
    memset(map + 60, 'n', 4);
    for (size_t i = 0; i < n; i++) {
        other[i] = (char)(text[i] ^ 0x41);
        const enum build_relation said = build_compare(text, n, other, n, why);
        const bool must = map[i] == 'l';
        other[i] = text[i];
        assert_int_not_equal(said, BUILD_SAME);
        if (gpu && !must)
            continue;
        if ((said == BUILD_OTHER) != must)
            fail_msg("byte %zu, '%c': %d: %s", i, map[i], said, why);
        if (must && i >= 1024) {
            char at[32];
            snprintf(at, sizeof at, "byte %zu", i);
            assert_int_equal(strncmp(why, at, strlen(at)), 0);
        }
        refused += must;
        explained += !must;
    }
    assert_true(refused > 500 && (gpu || explained > 500));
    free(other);
    free(map);
    free(text);
}

TEST(each_byte_of_a_library)
{
    char path[128];
    compile("one/f.c",
            "-g -nostdlib -Wl,--build-id=sha1 -Wl,-z,max-page-size=4096 -Wl,-z,noseparate-code",
            "small");
    snprintf(path, sizeof path, "%s/small.so", temp_folder);
    change_each_byte(path, false);
}

TEST(each_byte_of_a_code_object)
{
    change_each_byte("tests/fuzz/corpus/code_object/v5", true);
}

TEST_MAIN(begin, temp_folder_remove)
