/*
 * A read of an empty pipe that a signal interrupts. Its handler begins a call that it leaves by a
 * jump, and writes what the read will get. "restart": the read goes on afterwards; "error": it
 * fails.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static sigjmp_buf in_handler;

static void on_jump(int signo)
{
    (void)signo;
    siglongjmp(in_handler, 1);
}

static void on_signal(int signo)
{
    (void)signo;
    if (sigsetjmp(in_handler, 1) == 0)
        raise(SIGUSR2);
    if (write(ends[1], "from the handler", 16) != 16)
        _exit(1);
}

static void handle(int signo, void (*with)(int), int flags)
{
    struct sigaction a = {.sa_handler = with, .sa_flags = flags};
    sigaction(signo, &a, NULL);
}

/* Sends the signal when the other process sleeps, which it does in its read. */
static void interrupt(pid_t who)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)who);
    while (state != 'S') {
        FILE *f = fopen(path, "r");
        if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
            break; /* without the signal the reader would wait for ever */
        fclose(f);
    }
    kill(who, SIGUSR1);
    _exit(0);
}

int main(int argc, char **argv)
{
    char text[64] = "as it was before the call";
    const int again = argc > 1 && strcmp(argv[1], "restart") == 0;
    handle(SIGUSR1, on_signal, again ? SA_RESTART : 0);
    handle(SIGUSR2, on_jump, 0);
    if (pipe(ends) != 0)
        return 1;
    const pid_t reader = getpid(), child = fork();
    if (child == 0)
        interrupt(reader);
    const ssize_t n = read(ends[0], text, sizeof text);
    const int error = errno, right = again ? n == 16 : n < 0 && error == EINTR;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return !right && n != 16;
}
