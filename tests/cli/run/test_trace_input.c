/* Commands that read the bricks of running programs. (Forks: not for TSan.) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/usdt/usdt_impl.h"
#include "base/owner.h"
#include "support/other_user.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

enum { ALICE = 12345, MALLORY = 12346 };

/* A file of bricks that claims to be of another user's process is not used, and the command says
 * so instead of "nothing was recorded". */
TEST(a_command_says_why_a_file_is_not_believed)
{
    program_needed();
    if (geteuid() != 0)
        skip_because("only root can make files of two users");
    char path[128], line[96];
    struct owner_process process;
    struct brick_writer *writer;
    struct error err = ERROR_INIT;
    struct program p;
    pid_t alice = other_user_run(ALICE);
    assert_true(owner_of_process(alice, &process));
    struct brick_writer_program of = {alice, process.start_ticks, "forged", "/bin/true"};
    snprintf(path, sizeof path, BRICK_FOLDER "/rooftop-%d-778.bricks", (int)alice);
    assert_int_equal(brick_writer_open(&writer, path, &of, 1, &err), 0);
    assert_int_equal(chown(path, MALLORY, MALLORY), 0);
    assert_int_equal(chmod(path, 0644), 0);
    snprintf(line, sizeof line, "$BIN tree -p %d --for 0.2s", (int)alice);
    program_run(&p, line);
    brick_writer_close(writer);
    unlink(path);
    kill(alice, SIGKILL);
    waitpid(alice, NULL, 0);
    if (p.status != 4 || !strstr(p.err, "belongs to another user"))
        fail_msg("exit %d: %s%s", p.status, p.out, p.err);
    program_free(&p);
}
