/* The process of a cell: it loads a shared object that nobody trusts, and calls its function. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ffi.h>
#include <link.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "backends/judge/judge_impl.h"
#include "engine/judge/loading.h"

enum { STACK = 64 << 10 };

static struct cell_talk *talk;

/* What the buffers of one call are, as libffi takes them. */
struct cell_function {
    struct cell_layout layout;
    void (*code)(void);
    ffi_cif cif;
    ffi_type *types[JUDGE_ARGUMENTS];
    union {
        int64_t whole;
        uint64_t natural;
        float f;
        double d;
        int8_t i8;
        int16_t i16;
        int32_t i32;
    } value[JUDGE_ARGUMENTS];
};

static void *pointer_to(uint64_t at)
{
    return (void *)(uintptr_t)at; /* NOLINT(performance-no-int-to-ptr) */
}

/* --- the end --- */

/* exit_group without a detour: in builds with sanitizers _exit makes other calls first, which the
 * filter refuses. */
static void end_now(int status)
{
    syscall(SYS_exit_group, status);
}

static void end_by_signal(int number, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    talk->number = number == SIGSYS ? info->si_syscall : number;
    talk->code = info->si_code;
    talk->address = (uint64_t)(uintptr_t)info->si_addr;
#if defined(__x86_64__)
    talk->at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    talk->at = uc->uc_mcontext.pc;
#endif
    /* code that was executed can be read; a jump to nowhere cannot */
    if (number != SIGSYS && talk->address != talk->at)
        memcpy(talk->seen, pointer_to(talk->at), 4);
    talk->end = number == SIGSYS ? CELL_SYSCALL : CELL_SIGNAL;
    end_now(1);
}

static void catch_all(void)
{
    static char stack[STACK];
    static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {.sa_sigaction = end_by_signal,
                           .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &sa, NULL);
}

static int give_up(enum cell_end end, const char *text)
{
    snprintf(talk->text, sizeof talk->text, "%s", text ? text : "");
    talk->end = end;
    return 1;
}

/* --- memory --- */

/* Maps what is shared. What stands between the buffers, and the other places, can not even be read.
 */
static int map_memory(struct cell_layout *l)
{
    struct cell_talk *first =
        mmap(NULL, sizeof *first, PROT_READ | PROT_WRITE, MAP_SHARED, CELL_MEMORY, 0);
    if (first == MAP_FAILED)
        return -errno;
    const size_t mapped = first->mapped;
    cell_layout_of(l, &first->harness, first->places);
    munmap(first, sizeof *first);
    char *base =
        mmap(NULL, l->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED || mmap(base, l->talk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                   CELL_MEMORY, 0) == MAP_FAILED)
        return -errno;
    talk = (struct cell_talk *)base;
    talk->base = (uint64_t)(uintptr_t)base;
    const int rc = cell_map(base, l, CELL_MEMORY, mapped);
    close(CELL_MEMORY);
    return rc;
}

static char *buffer_of(const struct cell_function *f, size_t place, size_t i)
{
    return (char *)talk + cell_data_at(&f->layout, place, i);
}

/* --- the object --- */

/* Makes the object's static data read-only. -ENOTSUP: it has thread-local data, which cannot be. */
static int hold_data(const struct link_map *map)
{
    const ElfW(Ehdr) *head = pointer_to(map->l_addr);
    const ElfW(Phdr) *part = pointer_to(map->l_addr + head->e_phoff);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < head->e_phnum; i++) {
        if (part[i].p_type == PT_TLS)
            return -ENOTSUP;
        if (part[i].p_type != PT_LOAD || !(part[i].p_flags & PF_W))
            continue;
        const uintptr_t from = (map->l_addr + part[i].p_vaddr) & ~(page - 1);
        const uintptr_t to =
            (map->l_addr + part[i].p_vaddr + part[i].p_memsz + page - 1) & ~(page - 1);
        talk->data = from;
        talk->data_size = to - from;
        if (mprotect(pointer_to(from), to - from, PROT_READ) != 0)
            return -errno;
    }
    return 0;
}

static void load_library(const char *name)
{
    dlopen(name, RTLD_NOW | RTLD_LOCAL); /* where it fails, so does the object, and says why */
}

/* Libraries before the object, so that their start calls no function of it. */
static void load_libraries(const char *object)
{
    struct stat st;
    const int fd = open(object, O_RDONLY | O_CLOEXEC);
    const size_t n = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
    void *bytes = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (bytes != MAP_FAILED) {
        loading_libraries(bytes, n, load_library);
        munmap(bytes, n);
    }
    if (fd >= 0)
        close(fd);
}

static int load_object(struct cell_function *f, const char *object)
{
    struct link_map *map = NULL;
    load_libraries(object);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return give_up(CELL_NO_OBJECT, dlerror());
    void *found = dlsym(handle, talk->harness.function);
    if (!found || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return give_up(CELL_NO_FUNCTION, NULL);
    memcpy(&f->code, &found, sizeof f->code);
    const int rc = hold_data(map);
    return rc == 0 ? 0 : give_up(CELL_TLS, rc == -ENOTSUP ? NULL : strerror(-rc));
}

/* --- calls --- */

static ffi_type *ffi_type_of(const struct judge_argument *a)
{
    static ffi_type *const types[JUDGE_TYPES] = {
        [JUDGE_VOID] = &ffi_type_void,      [JUDGE_INT8] = &ffi_type_sint8,
        [JUDGE_UINT8] = &ffi_type_uint8,    [JUDGE_INT16] = &ffi_type_sint16,
        [JUDGE_UINT16] = &ffi_type_uint16,  [JUDGE_INT32] = &ffi_type_sint32,
        [JUDGE_UINT32] = &ffi_type_uint32,  [JUDGE_INT64] = &ffi_type_sint64,
        [JUDGE_UINT64] = &ffi_type_uint64,  [JUDGE_FLOAT32] = &ffi_type_float,
        [JUDGE_FLOAT64] = &ffi_type_double,
    };
    return a->array ? &ffi_type_pointer : types[a->type];
}

static void prepare_function(struct cell_function *f)
{
    const struct harness *h = &talk->harness;
    const struct judge_argument result = {.type = h->result};
    for (size_t i = 0; i < h->n; i++) {
        const struct judge_argument *a = &h->arguments[i];
        f->types[i] = ffi_type_of(a);
        if (a->type == JUDGE_FLOAT32)
            f->value[i].f = (float)a->value;
        else if (a->type == JUDGE_FLOAT64)
            f->value[i].d = a->value;
        else if (a->value < 0)
            f->value[i].whole = (int64_t)a->value; /* the low bytes stand first */
        else
            f->value[i].natural = (uint64_t)a->value;
    }
    ffi_prep_cif(&f->cif, FFI_DEFAULT_ABI, (unsigned)h->n, ffi_type_of(&result), f->types);
}

static void call_once(struct cell_function *f, size_t place)
{
    const struct harness *h = &talk->harness;
    void *pointers[JUDGE_ARGUMENTS], *values[JUDGE_ARGUMENTS];
    union {
        ffi_arg whole;
        double d;
        float f;
    } result = {0};
    for (size_t i = 0; i < h->n; i++) {
        pointers[i] = h->arguments[i].array ? buffer_of(f, place, i) : NULL;
        values[i] = pointers[i] ? (void *)&pointers[i] : (void *)&f->value[i];
    }
    ffi_call(&f->cif, f->code, &result, values);
    if (h->result != JUDGE_VOID) /* libffi widens small whole numbers; the low bytes stand first */
        memcpy(buffer_of(f, place, h->n), &result, judge_types[h->result].size);
}

/* How real numbers are rounded, and whether denormal ones count: a function gives it back as it was
 * (System V ABI for x86-64, 3.2.3; AAPCS64, 6.1.3). */
static uint64_t rounding_mode(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & ~UINT32_C(0x3f); /* without what has happened */
#elif defined(__aarch64__)
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}

/* --- words --- */

static bool take_word(struct cell_word *w)
{
    ssize_t n;
    do
        n = read(CELL_SOCKET, w, sizeof *w);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *w;
}

static bool say_word(const struct cell_word *w)
{
    return write(CELL_SOCKET, w, sizeof *w) == (ssize_t)sizeof *w;
}

static int answer_words(struct cell_function *f, pid_t own, uint32_t serial)
{
    static uint32_t order[CELL_PLACES_MOST];
    struct cell_word w = {.serial = serial, .what = CELL_READY};
    const uint64_t mode = rounding_mode();
    if (!say_word(&w))
        return 1;
    while (take_word(&w) && w.n <= CELL_PLACES_MOST) {
        /* a copy, so that the calls do not find in the shared memory which ones come */
        memcpy(order, talk->order, w.n * sizeof *order);
        memset(talk->order, 0, w.n * sizeof *order);
        for (size_t k = 0; k < w.n; k++) {
            call_once(f, order[k]);
            if (rounding_mode() != mode)
                return give_up(CELL_MODE, NULL);
        }
        if (!say_word(&w))
            return 1;
        syscall(SYS_kill, own, SIGSTOP); /* the clock runs until nothing of it does */
    }
    return 0;
}

/* The capabilities of root would open the memory of the parent, which knows what is expected. */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    syscall(SYS_capset, &head, none);
}

static void hold_process(void)
{
    const struct rlimit none = {0, 0};
#if !defined(__SANITIZE_ADDRESS__) /* which reserves terabytes */
    /* so that an object does not take the memory of the machine */
    const rlim_t most = (rlim_t)4 << 30;
    const struct rlimit memory = {most, most};
    setrlimit(RLIMIT_AS, &memory);
#endif
    drop_capabilities();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    for (int fd = CELL_MEMORY + 1; fd < 64; fd++)
        close(fd);
}

struct sorted {
    char key[32];
};

static int compare_sorted(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct sorted));
}

/* The first qsort of more than a kilobyte asks for the size of the memory (glibc), which the filter
 * refuses: this one asks for all that come. Few elements, as each process does it. */
static void sort_once(void)
{
    static struct sorted zeros[256];
    qsort(zeros, sizeof zeros / sizeof *zeros, sizeof *zeros, compare_sorted);
}

int cell_run(const char *object)
{
    static struct cell_function f;
    struct cell_word begin;
    const pid_t own = getpid();
    if (!take_word(&begin)) /* until then the parent can still open a counter for it */
        return 2;
    sort_once();
    hold_process();
    if (map_memory(&f.layout) != 0)
        return 2;
    catch_all();
    prepare_function(&f);
    if (cell_filter_loading(own) != 0)
        return give_up(CELL_NO_OBJECT, "this kernel has no filter for system calls (seccomp)");
    int rc = load_object(&f, object);
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) /* whose malloc looks at the time */
    /* from now on, who reads the time stamp counter gets SIGSEGV, clock_gettime included */
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
#endif
    if (rc == 0 && cell_filter_calling(own) != 0)
        rc = give_up(CELL_NO_OBJECT, "this kernel has no filter for system calls (seccomp)");
    if (rc == 0)
        rc = answer_words(&f, own, begin.serial);
    end_now(rc); /* nothing of the object runs at the end */
    return rc;
}
