#include "capture/capture_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "capture/calls.h"
#include "capture/gate.h"

#define PUBLIC __attribute__((visibility("default")))

struct tool tool;

static void to_stderr(const char *text)
{
    char line[CONTROL_PATH + 2 * CONTROL_WHY];
    const int n = snprintf(line, sizeof line, "rooftop gpu capture: %s\n", text);
    const ssize_t written =
        write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    (void)written;
}

void tool_say(const char *text)
{
    if (tool.control)
        control_say(tool.control, text);
    if (!tool.control || tool.by_hand)
        to_stderr(text);
}

void tool_lose(const char *text)
{
    char line[CONTROL_WHY];
    if (atomic_exchange(&tool.lost, true))
        return;
    snprintf(line, sizeof line, "lost track of %s; nothing more is captured", text);
    tool_say(line);
}

uint64_t tool_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool tool_peek(void *to, uint64_t address, uint64_t size)
{
    const struct iovec here = {to, size}, there = {map_pointer(address), size};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* --- the request without rooftop, from the environment --- */

static bool make_path_absolute(const char *folder, char *out, size_t size)
{
    char here[CONTROL_PATH / 2];
    if (*folder == '/')
        return (size_t)snprintf(out, size, "%s", folder) < size;
    return getcwd(here, sizeof here) && (size_t)snprintf(out, size, "%s/%s", here, folder) < size;
}

/* The user who starts a set-user-ID program chooses its environment, so it must not control what is
 * written with the program's rights. */
static bool request_from_environment(struct control_request *r)
{
    const char *kernel = secure_getenv(CONTROL_KERNEL), *index = secure_getenv(CONTROL_INDEX);
    const char *folder = secure_getenv(CONTROL_OUTPUT), *post = secure_getenv(CONTROL_POST);
    const char *timeout = secure_getenv(CONTROL_TIMEOUT);
    char *end = "";
    *r = (struct control_request){.mode = CONTROL_NTH, .timeout_ms = CONTROL_TIMEOUT_MS};
    if (!kernel || !*kernel)
        return false;
    r->n = index && *index ? strtoull(index, &end, 10) : 0;
    r->post = post && strcmp(post, "1") == 0;
    if (*end || strlen(kernel) >= sizeof r->pattern ||
        !make_path_absolute(folder && *folder ? folder : CONTROL_FOLDER, r->folder,
                            sizeof r->folder)) {
        to_stderr(CONTROL_KERNEL ", " CONTROL_INDEX " or " CONTROL_OUTPUT
                                 " does not make sense: nothing is captured");
        return false;
    }
    const double seconds = timeout && *timeout ? strtod(timeout, NULL) : 0;
    if (seconds > 0 && seconds < 1e6)
        r->timeout_ms = (uint32_t)(seconds * 1000);
    memcpy(r->pattern, kernel, strlen(kernel) + 1);
    return true;
}

/* Opens the control page for the life of the process: the runtime may be shut down and opened
 * again. */
static bool open_control(void)
{
    char why[CONTROL_WHY];
    struct control_request request;
    const char *path = secure_getenv(CONTROL_ENV);
    if (tool.control)
        return true;
    if (path && *path) {
        tool.control = control_map(path, why, sizeof why);
        if (!tool.control)
            to_stderr(why);
        return tool.control;
    }
    if (!request_from_environment(&request))
        return false;
    tool.by_hand = true;
    tool.control = control_private();
    if (tool.control)
        control_set(tool.control, &request);
    return tool.control;
}

static void tell_loaded(void)
{
    const uint32_t n = atomic_fetch_add(&tool.control->loaded, 1);
    if (n < CONTROL_PROCESSES)
        atomic_store(&tool.control->pids[n], (int32_t)getpid());
}

PUBLIC bool OnLoad(void *root, uint64_t version, uint64_t failed, const char *const *names);
PUBLIC void OnUnload(void);

PUBLIC bool OnLoad(void *root, uint64_t version, uint64_t failed, const char *const *names)
{
    char why[CONTROL_WHY];
    (void)version, (void)failed, (void)names;
    if (!open_control())
        return false;
    if (!calls_take(root, why, sizeof why)) {
        tool_say(why);
        return false;
    }
    seen_reset();
    objects_reset();
    track_reset();
    gate_reset();
    hooks_install(root);
    tell_loaded();
    return true;
}

PUBLIC void OnUnload(void)
{
}
