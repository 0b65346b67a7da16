#include "support/other_user.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

pid_t other_user_run(uid_t user)
{
    int gate[2];
    char byte;
    assert_int_equal(pipe(gate), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (setresuid(user, user, user) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
            write(gate[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(gate[1]);
    assert_int_equal(read(gate[0], &byte, 1), 1);
    close(gate[0]);
    return pid;
}

void other_user_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
