/*
 * main() of a fuzz target that gcc built, which has no libFuzzer: runs the inputs of the given
 * files and folders, then -runs=N inputs made from them. It knows the options of libFuzzer that
 * scripts/fuzz.sh gives, and ignores others. The same arguments make the same inputs, so what
 * failed fails again. An input that ends the program, or takes more than -timeout=SECONDS of CPU
 * time, is kept as a file: -artifact_prefix=TEXT begins its name.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
/* Only a program that a sanitizer was built into has it. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*)(void));

struct input {
    uint8_t *data;
    size_t size;
};

static struct input *inputs;
static size_t ninputs;
static size_t max_size = 65536;
static long runs, timeout_s = 20;
static const char *prefix = "";
static uint64_t state = 1;

/* The input that runs now. */
static const uint8_t *running;
static size_t running_size;
static long number;

/* NOLINTBEGIN(bugprone-signal-handler): the program ends here, and what it says is worth the risk
 */
static void keep_running(void)
{
    char name[4096];
    int fd;
    if (!running)
        return;
    snprintf(name, sizeof name, "%scrash-%ld", prefix, number);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, running, running_size) != (ssize_t)running_size)
        perror(name);
    if (fd >= 0)
        close(fd);
    fprintf(stderr, "input %ld, kept as %s\n", number, name);
    running = NULL;
}

static void stop(int signo)
{
    if (signo == SIGPROF)
        fprintf(stderr, "an input took more than %ld s of CPU time\n", timeout_s);
    keep_running();
    signal(SIGABRT, SIG_DFL);
    abort();
}
/* NOLINTEND(bugprone-signal-handler) */

/* The target gets memory of exactly its input's size: what it reads beyond is seen. */
static void run_input(const uint8_t *data, size_t size)
{
    const struct itimerval limit = {.it_value.tv_sec = timeout_s};
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    running = copy, running_size = size, number++;
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(copy, size);
    running = NULL;
    free(copy);
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct input new = {.data = malloc(max_size)};
    struct input *grown = realloc(inputs, (ninputs + 1) * sizeof *inputs);
    if (!file || !new.data || !grown) {
        perror(path);
        exit(1);
    }
    new.size = fread(new.data, 1, max_size, file);
    fclose(file);
    inputs = grown;
    inputs[ninputs++] = new;
}

static void add_path(const char *path)
{
    struct dirent **found;
    char name[4096];
    struct stat st;
    int n = 0;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        add_file(path);
        return;
    }
    n = scandir(path, &found, NULL, alphasort);
    if (n < 0) {
        perror(path);
        exit(1);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s/%s", path, found[i]->d_name);
        if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
            add_file(name);
        free(found[i]);
    }
    free(found);
}

/* --- inputs made from others --- */

/* A number below `end`, by splitmix64 (Steele, Lea, Flood 2014). */
static size_t draw(size_t end)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return end ? (size_t)((z ^ (z >> 31)) % end) : 0;
}

/* Puts `n` bytes in the place of the `gone` ones at `at`, as far as they fit. Returns the new size.
 */
static size_t put(uint8_t *data, size_t size, size_t at, size_t gone, const void *bytes, size_t n)
{
    if (size - gone + n > max_size)
        return size;
    memmove(data + at + n, data + at + gone, size - at - gone);
    if (n)
        memcpy(data + at, bytes, n);
    return size - gone + n;
}

/* Writes a number that is at the edge of some type: in bytes of either order, or in digits. */
static size_t edge_number(uint8_t *data, size_t size, size_t at)
{
    static const int64_t edges[] = {0,         1,         -1,         INT8_MAX,
                                    INT16_MAX, INT32_MAX, INT32_MIN,  INT64_MAX,
                                    INT64_MIN, UINT8_MAX, UINT16_MAX, UINT32_MAX};
    const uint64_t value = (uint64_t)edges[draw(sizeof edges / sizeof *edges)];
    const size_t width = (size_t)1 << draw(4);
    uint8_t bytes[32];
    size_t gone = 0;
    if (data[at] >= '0' && data[at] <= '9') {
        while (at + gone < size && data[at + gone] >= '0' && data[at + gone] <= '9')
            gone++;
        return put(data, size, at, gone, bytes,
                   (size_t)snprintf((char *)bytes, sizeof bytes, "%lld", (long long)value));
    }
    const bool big = draw(2);
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * (big ? width - 1 - i : i)));
    return put(data, size, at, size - at < width ? size - at : width, bytes, width);
}

/* Changes one place of an input of at least a byte, and returns its new size. */
static size_t change(uint8_t *data, size_t size)
{
    static uint8_t piece[65536];
    const struct input *other = &inputs[draw(ninputs)];
    const size_t at = draw(size), length = 1 + draw(draw(2) ? 8 : size - at);
    const size_t gone = length < size - at ? length : size - at;
    size_t from, n;
    switch (draw(6)) {
    case 0:
        data[at] ^= (uint8_t)(1 << draw(8));
        return size;
    case 1:
        data[at] = (uint8_t)draw(256);
        return size;
    case 2:
        return put(data, size, at, gone, NULL, 0);
    case 3: /* twice */
        memcpy(piece, data + at, gone < sizeof piece ? gone : sizeof piece);
        return put(data, size, at, 0, piece, gone < sizeof piece ? gone : sizeof piece);
    case 4: /* of another input, inserted or in the place of what is there */
        from = draw(other->size);
        n = other->size - from < length ? other->size - from : length;
        return put(data, size, at, draw(2) ? gone : 0, other->data + from, n);
    default:
        return edge_number(data, size, at);
    }
}

static void run_made(uint8_t *data)
{
    const struct input *from = &inputs[draw(ninputs)];
    size_t size = from->size;
    memcpy(data, from->data, size);
    for (size_t changes = 1 + draw(4); changes > 0; changes--)
        size = size ? change(data, size) : put(data, 0, 0, 0, "\n", 1);
    run_input(data, size);
}

int main(int argc, char **argv)
{
    uint8_t *data;
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (strncmp(argv[i], "-runs=", 6) == 0)
            runs = atol(value + 1);
        else if (strncmp(argv[i], "-timeout=", 9) == 0)
            timeout_s = atol(value + 1);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            state = strtoull(value + 1, NULL, 10);
        else if (strncmp(argv[i], "-artifact_prefix=", 17) == 0)
            prefix = value + 1;
        else if (argv[i][0] != '-')
            add_path(argv[i]);
    }
    if (ninputs == 0)
        add_path("/dev/null");
    data = malloc(max_size);
    if (!data)
        return 1;
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_running);
    signal(SIGABRT, stop);
    signal(SIGPROF, stop);
    for (size_t i = 0; i < ninputs; i++)
        run_input(inputs[i].data, inputs[i].size);
    for (long i = 0; i < runs; i++)
        run_made(data);
    for (size_t i = 0; i < ninputs; i++)
        free(inputs[i].data);
    free(inputs);
    free(data);
    fprintf(stderr, "%ld inputs\n", number);
    return 0;
}
