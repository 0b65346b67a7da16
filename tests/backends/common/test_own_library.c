/* Where rooftop's own libraries are found: by a variable, beside the program, in ../lib/rooftop. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/own_library.h"
#include "support/test.h"

#define VARIABLE "ROOFTOP_TEST_LIBRARY"

static const struct own_library none = {
    .name = "librooftop-none.so", .variable = VARIABLE, .what = "test", .help = "install it"};

TEST(a_variable_names_another)
{
    char out[PATH_MAX], wanted[PATH_MAX];
    struct error err = ERROR_INIT;
    setenv(VARIABLE, "/proc/self/exe", 1);
    assert_int_equal(own_library_find(&none, out, &err), 0);
    assert_non_null(realpath("/proc/self/exe", wanted));
    assert_string_equal(out, wanted);
    setenv(VARIABLE, "/nowhere/lib.so", 1);
    assert_true(own_library_find(&none, out, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_string_equal(err.what, VARIABLE);
    assert_string_equal(err.why, "/nowhere/lib.so: No such file or directory");
    assert_string_equal(err.help, "unset it, or name librooftop-none.so");
    unsetenv(VARIABLE);
}

/* The test program itself is what lies beside it. */
TEST(else_it_lies_beside_the_program)
{
    char out[PATH_MAX], exe[PATH_MAX];
    struct error err = ERROR_INIT;
    unsetenv(VARIABLE);
    assert_non_null(realpath("/proc/self/exe", exe));
    struct own_library self = none;
    self.name = strrchr(exe, '/') + 1;
    assert_int_equal(own_library_find(&self, out, &err), 0);
    assert_string_equal(out, exe);
    assert_true(own_library_find(&none, out, &err) < 0);
    assert_string_equal(err.what, "test");
    assert_string_equal(err.why, "librooftop-none.so is not in ../lib/rooftop");
    assert_string_equal(err.help, "install it");
}
