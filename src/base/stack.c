#include "base/stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

/* glibc's size for threads if there is no limit: pthread_create(3). */
enum { ENOUGH = 2 << 20, GUARD = 64 << 10 };

/* makecontext passes only ints, so the call is here. */
static struct {
    int (*run)(int argc, char **argv);
    int argc, status;
    char **argv;
} call;

static void run_call(void)
{
    call.status = call.run(call.argc, call.argv);
}

static bool is_small(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < ENOUGH;
}

static void enlarge_threads(void)
{
    pthread_attr_t attr;
    size_t now;
    if (pthread_getattr_default_np(&attr) != 0)
        return;
    if (pthread_attr_getstacksize(&attr, &now) == 0 && now < ENOUGH &&
        pthread_attr_setstacksize(&attr, ENOUGH) == 0)
        pthread_setattr_default_np(&attr);
    pthread_attr_destroy(&attr);
}

int stack_run(int (*run)(int argc, char **argv), int argc, char **argv)
{
    ucontext_t here, there;
    if (!is_small())
        return run(argc, argv);
    enlarge_threads();
    /* guard pages on both sides keep it a mapping of its own */
    uint8_t *stack = mmap(NULL, GUARD + ENOUGH + GUARD, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) != 0 ||
        mprotect(stack + GUARD + ENOUGH, GUARD, PROT_NONE) != 0 || getcontext(&there) != 0)
        return -1;
    call.run = run;
    call.argc = argc;
    call.argv = argv;
    there.uc_stack.ss_sp = stack + GUARD;
    there.uc_stack.ss_size = ENOUGH;
    there.uc_link = &here;
    makecontext(&there, run_call, 0);
    if (swapcontext(&here, &there) != 0)
        return -1;
    munmap(stack, GUARD + ENOUGH + GUARD);
    return call.status;
}
