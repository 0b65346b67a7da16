#include "support/fake_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "engine/live/ask.h"

static char path[64];

void fake_ask_new(void)
{
    snprintf(path, sizeof path, "/tmp/rooftop-answer-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    env_put("ROOFTOP_SELF", "tests/support/fake_ask/rooftop");
    env_put("FAKE_ANSWER", path);
}

void fake_ask_set(const char *how, const void *answer, size_t n)
{
    int fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(ask_reply(fd, answer, n), 0);
    close(fd);
    env_put("FAKE_ASK", how);
}

void fake_ask_no_child_left(void)
{
    siginfo_t gone;
    for (int i = 0; waitid(P_ALL, 0, &gone, WEXITED | WNOHANG | WNOWAIT) == 0; i++) {
        assert_true(i < 20000);
        usleep(500);
    }
    assert_int_equal(errno, ECHILD);
}

void fake_ask_free(void)
{
    unlink(path);
    env_put("ROOFTOP_SELF", NULL);
    env_put("FAKE_ANSWER", NULL);
    env_put("FAKE_ASK", NULL);
}
