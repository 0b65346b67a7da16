/* Programs that run in rooftop's place for a while (captures, profilers) end with rooftop, even if
 * it is killed. (Forks: not for TSan.) */
#include "backends/common/launch.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

TEST(statuses_come_back)
{
    char *seven[] = {"sh", "-c", "exit 7", NULL}, *none[] = {"/no/such/program", NULL};
    int status = 0;
    assert_int_equal(launch_run(seven, -1, &status), 0);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(launch_run(none, -1, &status), -ENOENT);
}

TEST(a_killed_rooftop_takes_it_along)
{
    int hold[2];
    char line[128], byte;
    assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
    snprintf(line, sizeof line, "exec 9>/proc/%d/fd/%d; echo >&9; exec sleep 1000", (int)getpid(),
             hold[1]);
    pid_t rooftop = fork();
    if (rooftop == 0) {
        char *argv[] = {"sh", "-c", line, NULL};
        int status;
        launch_run(argv, -1, &status);
        _exit(0);
    }
    assert_int_equal(read(hold[0], &byte, 1), 1);
    close(hold[1]);
    kill(rooftop, SIGKILL);
    assert_int_equal(waitpid(rooftop, NULL, 0), rooftop);
    struct pollfd p = {.fd = hold[0], .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    assert_int_equal(read(hold[0], &byte, 1), 0); /* no process holds it open any more */
    close(hold[0]);
}
