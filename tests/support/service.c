#include "support/service.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/python.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { SERVICES_MAX = 16, TRIES = 1200, PAUSE_US = 50000 };
static pid_t services[SERVICES_MAX];
static size_t nservices;

static struct sockaddr_in address_of(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

int service_port(void)
{
    struct sockaddr_in a = address_of(0);
    socklen_t size = sizeof a;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    close(fd);
    return ntohs(a.sin_port);
}

void service_start(const char *shell)
{
    char log[128];
    snprintf(log, sizeof log, "%s/service.log", temp_folder);
    assert_true(nservices < SERVICES_MAX);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        const int null = open("/dev/null", O_RDONLY);
        dup2(null, 0);
        dup2(fd, 1);
        dup2(fd, 2);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            execl("/bin/sh", "sh", "-c", shell, (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid);
    services[nservices++] = pid;
}

void service_wait(int port)
{
    const struct sockaddr_in a = address_of(port);
    for (int i = 0; i < TRIES; i++) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int rc = connect(fd, (const struct sockaddr *)&a, sizeof a);
        close(fd);
        if (rc == 0)
            return;
        usleep(PAUSE_US);
    }
    fail_msg("nobody listens on port %d; see service.log", port);
}

int services_stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < nservices; i++) {
        kill(-services[i], SIGKILL);
        kill(services[i], SIGKILL);
        waitpid(services[i], NULL, 0);
    }
    nservices = 0;
    return 0;
}

int service_web(void)
{
    char line[512], path[128];
    int port = 0;
    python_needed("http.server", "python3");
    snprintf(path, sizeof path, "%s/port", temp_folder);
    unlink(path);
    snprintf(line, sizeof line, "exec $PY -B \"$TOP/tests/backends/prometheus/web.py\" %s %s",
             temp_folder, path);
    service_start(line);
    for (int i = 0; i < TRIES && port == 0; i++) {
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%d", &port) != 1)
            port = 0;
        if (f)
            fclose(f);
        usleep(port ? 0 : PAUSE_US);
    }
    assert_true(port > 0);
    return port;
}

int service_has(const char *program)
{
    char line[256];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", program);
    return system(line) == 0;
}
