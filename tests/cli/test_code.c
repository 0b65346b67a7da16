/* The command code, run as a user runs it, with code that a program really kept. (Forks:
 * not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rooftop/brick.h"
#include "support/brick_file.h"
#include "support/program.h"
#include "support/test.h"

static const char ptx[] = ".version 8.0\n.entry gemm_tiled {}"; /* test_brick.c has its hash */
static const unsigned char elf[] = {0x7f, 'E', 'L', 'F', 0, 1, 2, 0xff};

static void keep_code(void)
{
    const uint32_t grid[3] = {32, 1, 1}, block[3] = {256, 1, 1};
    uint64_t hash = rooftop_code(ROOFTOP_PTX, "gemm_tiled", "src/gemm.ptx", ptx, strlen(ptx));
    rooftop_code(ROOFTOP_HSACO, "binary", "", elf, sizeof elf);
    rooftop_code(ROOFTOP_SPIRV, "elsewhere", "k.spv", NULL, 0);
    rooftop_code(ROOFTOP_PTX, "evil\x1b]0;owned\x07", "", "// evil \x1b[2J", 12);
    rooftop_span(rooftop_kernel("gemm_a", hash, grid, block, 0), 0, 100, 0, 0, 0);
    rooftop_span(rooftop_kernel("gemm_b", hash, grid, block, 0), 100, 200, 0, 0, 0);
}

FIXTURE_STATUS(begin)
{
    int status;
    setenv("D", brick_folder_begin(), 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    pid_t pid = fork();
    if (pid == 0) {
        keep_code();
        exit(0);
    }
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

FIXTURE(end)
{
    brick_folder_end();
}

TEST(every_kept_code_object_is_listed)
{
    struct program p;
    program_expect(&p, "$BIN code $D/*.bricks", 0);
    assert_non_null(strstr(p.out, "3d6ad7f40bcca138  PTX              33  gemm_tiled"));
    assert_non_null(strstr(p.out, "src/gemm.ptx             gemm_a, gemm_b\n"));
    assert_non_null(strstr(p.out, "  HSACO             8  binary"));
    assert_non_null(strstr(p.out, "  SPIR-V          n/a  elsewhere                k.spv"));
    for (const char *c = p.out; *c; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    program_free(&p);
}

TEST(a_code_object_is_found_by_its_hash)
{
    struct program p;
    program_expect(&p, "$BIN code --hash 3d6ad7f40bcca138 $D/*.bricks", 0);
    assert_string_equal(p.out, ".version 8.0\n.entry gemm_tiled {}\n");
    program_free(&p);
    program_expect(&p, "$BIN code --hash 0x3D6AD7F40BCCA138 --format json $D/*.bricks", 0);
    cJSON *j = cJSON_Parse(p.out), *one;
    assert_non_null(j);
    assert_string_equal(cJSON_GetObjectItem(j, "schema")->valuestring, "rooftop.code/1");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(j, "codes")), 1);
    one = cJSON_GetArrayItem(cJSON_GetObjectItem(j, "codes"), 0);
    assert_string_equal(cJSON_GetObjectItem(one, "hash")->valuestring, "3d6ad7f40bcca138");
    assert_string_equal(cJSON_GetObjectItem(one, "text")->valuestring, ptx);
    assert_int_equal(cJSON_GetObjectItem(one, "bytes")->valueint, strlen(ptx));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(one, "kernels")), 2);
    cJSON_Delete(j);
    program_free(&p);
}

/* A file gets the unchanged bytes; a terminal gets no escape sequences. */
TEST(bytes_go_to_a_file)
{
    struct program p;
    program_expect(&p,
                   "h=$($BIN code $D/*.bricks | sed -n 's/  HSACO .*//p') && "
                   "$BIN code --hash $h -o $D/k.hsaco $D/*.bricks && od -An -tx1 $D/k.hsaco",
                   0);
    assert_string_equal(p.out, " 7f 45 4c 46 00 01 02 ff\n");
    program_free(&p);
    program_answers("h=$($BIN code $D/*.bricks | sed -n 's/  HSACO .*//p') && "
                    "$BIN code --hash $h $D/*.bricks",
                    2, "", "-o FILE writes it");
    program_expect(&p,
                   "h=$($BIN code $D/*.bricks | sed -n 's/  PTX .*evil.*//p') && "
                   "$BIN code --hash $h $D/*.bricks",
                   0);
    assert_string_equal(p.out, "// evil ?[2J\n");
    program_free(&p);
}

TEST(unknown_hashes_are_refused)
{
    static const struct {
        const char *line, *says;
        int code;
    } bad[] = {
        {"$BIN code --hash 123 $D/*.bricks", "no code with the hash 0000000000000123", 3},
        {"$BIN code --hash xyz $D/*.bricks", "no hexadecimal number", 2},
        {"$BIN code --hash -1 $D/*.bricks", "no hexadecimal number", 2},
        {"$BIN code --hash 11111111111111111 $D/*.bricks",
         "no hexadecimal number of at most 64 bits", 2},
        {"$BIN code --format csv $D/*.bricks", "give one of text, json", 2},
        {"$BIN code tests/data/rocpd/synthetic_schema3.db", "such files hold no code", 6},
        {"h=$($BIN code $D/*.bricks | sed -n 's/  SPIR-V .*//p') && $BIN code --hash $h "
         "$D/*.bricks",
         "the program recorded only where the code came from", 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p;
        program_expect(&p, bad[i].line, bad[i].code);
        if (!strstr(p.err, bad[i].says))
            fail_msg("'%s' said '%s', not '%s'", bad[i].line, p.err, bad[i].says);
        program_free(&p);
    }
}

TEST_MAIN(begin, end)
