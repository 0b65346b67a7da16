/* compile_commands.json: finds the command that compiles a file, in each way to write it. */
#include "engine/reproduce/compile_commands.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[] = "/tmp/rooftop-commands-XXXXXX";

FIXTURE_STATUS(make)
{
    const int fd = mkstemp(file);
    return fd < 0 ? -1 : close(fd);
}

FIXTURE_STATUS(remove_file)
{
    return unlink(file);
}

static int read_text(struct compile_commands **out, const char *text, struct error *err)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return compile_commands_read(out, file, err);
}

TEST(test_words_are_split_as_a_shell_does)
{
    static const struct {
        const char *line;
        const char *words[5];
    } table[] = {
        {"", {NULL}},
        {"  a  b\tc\n", {"a", "b", "c"}},
        {"a\\ b 'c d'\"e f\" ''", {"a b", "c de f", ""}},
        {"'a\\b' \"a\\\"b\\c\" a\\\\b", {"a\\b", "a\"b\\c", "a\\b"}},
        {"-DX='\"y z\"' \"it's\"", {"-DX=\"y z\"", "it's"}},
        {"open 'quote  ", {"open", "quote  "}},
        {"end\\", {"end\\"}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct arena arena = {0};
        size_t n, wanted = 0;
        const char **argv = shell_split(&arena, table[i].line, &n);
        while (table[i].words[wanted])
            wanted++;
        assert_int_equal(n, wanted);
        for (size_t k = 0; k < n; k++)
            assert_string_equal(argv[k], table[i].words[k]);
        assert_null(argv[n]);
        arena_free(&arena);
    }
}

TEST(test_paths_are_made_plain)
{
    static const char *const table[][3] = {
        {"/a/b", "c.h", "/a/b/c.h"},
        {"/a/b", "../c/./d//e.h", "/a/c/d/e.h"},
        {"/a", "/x/../y", "/y"},
        {"/a", "../../../b", "/b"},
        {"/a/b/", ".", "/a/b"},
        {"/a", "..", "/"},
        {"rel/ative", "x", "/rel/ative/x"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(path_plain(&arena, table[i][0], table[i][1]), table[i][2]);
    arena_free(&arena);
}

TEST(test_both_forms_are_read)
{
    struct compile_commands *c = NULL;
    struct error err = ERROR_INIT;
    assert_int_equal(
        read_text(
            &c,
            "[{\"directory\": \"/p/build\", \"file\": \"../k.hip\", \"command\": \"hipcc -I .. "
            "-c ../k.hip\"},"
            "{\"directory\": \"/p/build\", \"file\": \"/p/a.cpp\", \"arguments\": [\"c++\", "
            "\"-c\", \"a b\"], \"output\": \"x\"}]",
            &err),
        0);
    assert_int_equal(c->n, 2);
    const struct compile_command *k = compile_commands_find(c, "/p/k.hip");
    assert_non_null(k);
    assert_int_equal(k->argc, 5);
    assert_string_equal(k->argv[2], "..");
    assert_string_equal(k->directory, "/p/build");
    k = compile_commands_find(c, "/p/a.cpp");
    assert_non_null(k);
    assert_string_equal(k->argv[2], "a b");
    assert_null(compile_commands_find(c, "/p/b.cpp"));
    compile_commands_free(c);
}

/* A file is compiled once for the host and once for the GPU. */
TEST(test_the_command_for_the_gpu_is_taken)
{
    struct compile_commands *c = NULL;
    struct error err = ERROR_INIT;
    assert_int_equal(
        read_text(
            &c,
            "[{\"directory\": \"/p\", \"file\": \"k.cpp\", \"command\": \"c++ -DHOST -c k.cpp\"},"
            "{\"directory\": \"/p\", \"file\": \"k.cpp\", \"command\": \"clang++ -x hip "
            "--offload-arch=gfx90a -c k.cpp\"},"
            "{\"directory\": \"/p\", \"file\": \"k.cpp\", \"command\": \"hipcc -DLAST -c k.cpp\"}]",
            &err),
        0);
    assert_string_equal(compile_commands_find(c, "/p/k.cpp")->argv[0], "clang++");
    compile_commands_free(c);
}

TEST(test_other_documents_are_refused)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {"", "not JSON"},
        {"[{\"directory\"", "not JSON"},
        {"{}", "not a list of commands"},
        {"[7]", "entry 0 has no \"file\""},
        {"[{\"file\": \"a\"}]", "entry 0 has no \"file\", or no \"arguments\""},
        {"[{\"file\": \"a\", \"arguments\": []}]", "entry 0 has no"},
        {"[{\"file\": \"a\", \"command\": \"cc\"}, {\"command\": \"cc\"}]", "entry 1 has no"},
    };
    struct compile_commands *c = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error err = ERROR_INIT;
        assert_int_not_equal(read_text(&c, table[i].text, &err), 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_non_null(strstr(err.why, table[i].why));
        assert_null(c);
    }
    struct error err = ERROR_INIT;
    assert_int_not_equal(compile_commands_read(&c, "/no/such.json", &err), 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_int_not_equal(compile_commands_read(&c, "/tmp", &err), 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    compile_commands_free(NULL);
}

TEST_MAIN(make, remove_file)
