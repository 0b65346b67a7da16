#include "support/child.h"
#include "support/run_kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void (*child_body)(void);

static void run_body(void **state)
{
    (void)state;
    child_body();
}

// Runs the body as a cmocka group of its own, so that a failed assertion ends here and not in the
// parent's next test. Its summary is not printed.
static int run_in_child(void (*body)(void))
{
    const struct CMUnitTest tests[] = {{"in the child", run_body, NULL, NULL, NULL}};
    child_body = body;
    if (!freopen("/dev/null", "w", stdout))
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}

void in_child(void (*body)(void), const char *name, const char *value)
{
    if (name && strncmp(name, "ROOFTOP_EMU", 11) == 0 && gpu_is_real()) {
        print_message("skipped: %s=%s: only on the emulated GPU\n", name, value);
        skip();
    }
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(MOST_SECONDS); // a hang is a failure
        if (name)
            setenv(name, value, 1);
        _exit(run_in_child(body));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        gpu_fail(__FILE__, __LINE__, "the test's process ended with status %#x", (unsigned)status);
}
