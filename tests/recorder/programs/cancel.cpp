// Threads that are cancelled in a call, with destructors on their stacks; exceptions thrown behind
// calls.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>

static std::atomic<int> destroyed, cleaned, waiting;
static int ends[2];

struct counted {
    ~counted()
    {
        destroyed++;
    }
};

static void clean(void *)
{
    cleaned++;
}

__attribute__((noinline)) static int read_below(int depth)
{
    counted c;
    char byte;
    if (depth > 0)
        return read_below(depth - 1) + 1;
    waiting++;
    return static_cast<int>(read(ends[0], &byte, 1));
}

static void *reader(void *arg)
{
    pthread_cleanup_push(clean, nullptr);
    if (arg)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    read_below(3);
    pthread_cleanup_pop(0);
    return nullptr;
}

int main()
{
    int cancelled = 0, caught = 0;
    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < 60; i++) {
        pthread_t t;
        void *result = nullptr;
        pthread_create(&t, nullptr, reader, i % 2 ? &t : nullptr);
        while (waiting <= i)
            usleep(100);
        usleep(500);
        pthread_cancel(t);
        pthread_join(t, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    for (int i = 0; i < 100; i++) {
        try {
            counted c;
            if (write(-1, "", 1) < 0)
                throw std::runtime_error("write");
        } catch (const std::exception &) {
            caught++;
        }
    }
    std::printf("cancelled %d cleaned %d destroyed %d caught %d\n", cancelled, cleaned.load(),
                destroyed.load(), caught);
}
