/* --ranges with an unmodified program that uses rocTX. Not for TSan: it forks and waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* A library with the original's name that does nothing, and a program that needs it. */
#define BUILD                                                                                      \
    "cd $D && echo 'int roctxRangePushA(const char *m) { return *m ? -2 : -2; } "                  \
    "int roctxRangePop(void) { return -2; }' >r.c && "                                             \
    "cc -shared -fPIC -Wl,-soname,libroctx64.so.4 r.c -o libroctx64.so.4 && "                      \
    "echo 'int roctxRangePushA(const char *); int roctxRangePop(void); int main(void) { "          \
    "for (int i = 0; i < 3; i++) { roctxRangePushA(\"step\"); roctxRangePushA(\"inner\"); "        \
    "roctxRangePop(); roctxRangePop(); } return 0; }' >p.c && cc p.c -o p ./libroctx64.so.4 "

FIXTURE_STATUS(begin)
{
    char bin[4096];
    const char *path = program_rooftop();
    if (temp_folder_make(NULL) != 0)
        return -1;
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    if (path && realpath(path, bin))
        setenv("BIN", bin, 1);
    return 0;
}

TEST(a_rocm_program_shows_its_ranges)
{
    struct program p;
    program_needed();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip_because("a plain program cannot load a library with sanitizers");
#endif
    program_run(&p, BUILD);
    assert_int_equal(p.status, 0);
    program_free(&p);
    program_run(&p, "cd $D && LD_LIBRARY_PATH=$D $BIN tree --ranges -- ./p");
    if (p.status != 0)
        fail_msg("exit %d: %s", p.status, p.err);
    assert_non_null(strstr(p.out, "step ×3"));
    assert_non_null(strstr(p.out, "inner ×3"));
    program_free(&p);
    /* without --ranges the program's own library is used, and nothing is recorded */
    program_run(&p, "cd $D && LD_LIBRARY_PATH=$D $BIN tree -- ./p");
    assert_int_not_equal(p.status, 0);
    assert_non_null(strstr(p.err, "no bricks were recorded"));
    program_free(&p);
}

TEST(variables_of_the_user_are_kept)
{
    struct program p;
    program_needed();
    program_run(&p, "NVTX_INJECTION64_PATH=/mine LD_LIBRARY_PATH=/also $BIN --headless --ranges "
                    "--format json -o /dev/null -- "
                    "sh -c 'echo $NVTX_INJECTION64_PATH $LD_LIBRARY_PATH'");
    assert_int_equal(p.status, 0);
    assert_non_null(strstr(p.out, "/mine "));
    assert_non_null(strstr(p.out, "/ranges:/also\n"));
    program_free(&p);
}

TEST_MAIN(begin, temp_folder_remove)
