/* The process of a sandbox: it loads an untrusted shared object, and calls its function. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ffi.h>
#include <limits.h>
#include <link.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "backends/judge/sandbox_turns.h"
#include "engine/judge/loading.h"

enum { STACK = 64 << 10 };

/* All of it is a constant from the first call on. */
static struct sandbox_function {
    struct harness harness;
    struct sandbox_layout layout;
    char *base; /* of the shared memory */
    uint64_t data, data_size;
    void (*code)(void);
    ffi_cif cif;
    ffi_type *types[JUDGE_ARGUMENTS];
    pid_t own;
    struct sandbox_registers usual;
    uint32_t begun; /* the number of the word that began it */
} f;

static void *pointer_in_sandbox(uint64_t at)
{
    return (void *)(uintptr_t)at; /* NOLINT(performance-no-int-to-ptr) */
}

/* --- the end --- */

/* exit_group without a detour: in builds with sanitizers _exit makes other calls first, which the
 * filter refuses; and without errno, which may not be there to be written. */
static void end_now(int status)
{
    sandbox_system(SYS_exit_group, status, 0, 0);
}

static void send_sandbox_report(struct sandbox_report *r)
{
    r->what = SANDBOX_END;
    r->base = (uint64_t)(uintptr_t)f.base;
    r->data = f.data;
    r->data_size = f.data_size;
    sandbox_system(SYS_write, SANDBOX_SOCKET, (long)r, sizeof *r);
}

static void end_by_signal(int number, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    struct sandbox_report r = {.number = number == SIGSYS ? info->si_syscall : number,
                               .code = info->si_code,
                               .address = (uint64_t)(uintptr_t)info->si_addr};
#if defined(__x86_64__)
    r.at = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    r.at = uc->uc_mcontext.pc;
#endif
    /* code that was executed can be read; a jump to nowhere cannot */
    const uint8_t *code = pointer_in_sandbox(r.at);
    for (int i = 0; number != SIGSYS && r.address != r.at && i < 4; i++)
        r.seen[i] = code[i];
    r.end = number == SIGSYS ? SANDBOX_SYSCALL : SANDBOX_SIGNAL;
    if (number == SIGSEGV && sandbox_clean_is_clock(r.address))
        r.end = SANDBOX_CLOCK;
    send_sandbox_report(&r);
    end_now(1);
}

static void catch_all(void)
{
    static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t other = {.ss_sp = stack, .ss_size = STACK};
    struct sigaction sa = {.sa_sigaction = end_by_signal,
                           .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &sa, NULL);
}

static int report_sandbox_end(enum sandbox_end end, const char *text)
{
    struct sandbox_report r = {.end = end};
    for (size_t i = 0; text && text[i] && i < sizeof r.text - 1; i++)
        r.text[i] = text[i];
    send_sandbox_report(&r);
    return 1;
}

/* --- names --- */

static const char plain_program[] = "./a.out", plain_object[] = "./a.so";

/* Writes a plain name over another one, and zeros over what is left of n bytes. */
static void rename_to(char *at, size_t n, const char *plain)
{
    const size_t room = strlen(plain) + 1;
    memset(at, 0, n);
    if (n >= room)
        memcpy(at, plain, room);
}

/*
 * The arguments and the program's name, which the kernel and libc show, say what this process is:
 * they become those of any program. Before the environment stand argc, argv and NULL; one argument
 * stands there then, both where argv began and where it ends.
 */
static void forget_names(void)
{
    char *const name = program_invocation_name, *const first = environ ? environ[0] : NULL;
    char *const file = pointer_in_sandbox(getauxval(AT_EXECFN));
    char **const end = environ ? environ - 1 : NULL;
    if (file)
        rename_to(file, strlen(file) + 1, plain_program);
    if (!first || first <= name || first - name > (1 << 16))
        return;
    long n = 1;
    while (n < 64 && end[-n] > name && end[-n] < first)
        n++;
    rename_to(name, (size_t)(first - name), plain_program);
    if (n < 3 || end[-n] != name)
        return;
    const uintptr_t one = 1;
    for (long i = 1; i < n; i++)
        end[-i] = NULL;
    end[-1] = name;
    memcpy(&end[-2], &one, sizeof one);
    memcpy(&end[-n - 1], &one, sizeof one);
}

/* --- memory --- */

/* Reserves addresses whose upper halves are the same: a filter compares these at once. */
static char *reserve_in_one_half(size_t n)
{
    for (int tries = 0; tries < 4; tries++) {
        char *at = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED || (uintptr_t)at >> 32 == ((uintptr_t)at + n - 1) >> 32)
            return at;
    }
    return MAP_FAILED;
}

/* Maps what is shared. What stands between the buffers, and the other slots, can not even be read.
 */
static int map_shared_memory(void)
{
    struct sandbox_start *first =
        mmap(NULL, sizeof *first, PROT_READ, MAP_SHARED, SANDBOX_MEMORY, 0);
    if (first == MAP_FAILED)
        return -errno;
    const size_t mapped = first->mapped;
    f.harness = first->harness;
    sandbox_layout_of(&f.layout, &f.harness, first->slots);
    munmap(first, sizeof *first);
    f.base = reserve_in_one_half(f.layout.bytes);
    if (f.base == MAP_FAILED)
        return -ENOMEM;
    const int rc = sandbox_map(f.base, &f.layout, SANDBOX_MEMORY, mapped);
    close(SANDBOX_MEMORY);
    return rc;
}

static char *buffer_of(size_t slot, size_t i)
{
    return f.base + sandbox_data_at(&f.layout, slot, i);
}

static struct sandbox_outputs all_outputs(void)
{
    const struct sandbox_layout *l = &f.layout;
    return (struct sandbox_outputs){f.base + l->part[1].begin, l->bytes - l->part[1].begin};
}

static void protect_or_exit(char *at, size_t n, int how)
{
    if (sandbox_protect(at, n, how) != 0)
        sandbox_system(SYS_exit_group, 2, 0, 0);
}

/* Makes the outputs of one call writable, and those of all other calls out of reach. */
static void show_outputs(size_t slot)
{
    const struct sandbox_layout *l = &f.layout;
    const struct sandbox_outputs all = all_outputs();
    if (all.n > 0)
        protect_or_exit(all.from, all.n, PROT_NONE);
    for (size_t i = 0; i < l->nbuffers; i++)
        if (l->buffer[i].bytes > 0 && l->buffer[i].written)
            protect_or_exit(f.base + sandbox_run_at(l, slot, i), l->buffer[i].pages,
                            PROT_READ | PROT_WRITE);
}

/* --- the object --- */

/* Makes the object's static data read-only. -ENOTSUP: it has thread-local data, which cannot be. */
static int hold_data(const struct link_map *map)
{
    const ElfW(Ehdr) *head = pointer_in_sandbox(map->l_addr);
    const ElfW(Phdr) *part = pointer_in_sandbox(map->l_addr + head->e_phoff);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < head->e_phnum; i++) {
        if (part[i].p_type == PT_TLS)
            return -ENOTSUP;
        if (part[i].p_type != PT_LOAD || !(part[i].p_flags & PF_W))
            continue;
        const uintptr_t from = (map->l_addr + part[i].p_vaddr) & ~(page - 1);
        const uintptr_t to =
            (map->l_addr + part[i].p_vaddr + part[i].p_memsz + page - 1) & ~(page - 1);
        f.data = from;
        f.data_size = to - from;
        if (mprotect(pointer_in_sandbox(from), to - from, PROT_READ) != 0)
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

static int load_object(const char *object)
{
    struct link_map *map = NULL;
    load_libraries(object);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return report_sandbox_end(SANDBOX_NO_OBJECT, dlerror());
    void *found = dlsym(handle, f.harness.function);
    if (!found || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return report_sandbox_end(SANDBOX_NO_FUNCTION, NULL);
    memcpy(&f.code, &found, sizeof f.code);
    rename_to(map->l_name, strlen(map->l_name) + 1, plain_object);
    const int rc = hold_data(map);
    if (rc == 0)
        return 0;
    return report_sandbox_end(SANDBOX_TLS, rc == -ENOTSUP ? NULL : strerror(-rc));
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

static void prepare_function(void)
{
    const struct harness *h = &f.harness;
    const struct judge_argument result = {.type = h->result};
    for (size_t i = 0; i < h->n; i++)
        f.types[i] = ffi_type_of(&h->arguments[i]);
    ffi_prep_cif(&f.cif, FFI_DEFAULT_ABI, (unsigned)h->n, ffi_type_of(&result), f.types);
}

static void call_once(void *ctx)
{
    const struct harness *h = &f.harness;
    const struct sandbox_word *w = ctx;
    const size_t slot = w->n;
    union {
        void *pointer;
        uint64_t number;
    } given[JUDGE_ARGUMENTS];
    void *values[JUDGE_ARGUMENTS];
    union {
        ffi_arg whole;
        double d;
        float f;
    } result = {0};
    for (size_t i = 0; i < h->n; i++) {
        const struct judge_argument *a = &h->arguments[i];
        values[i] = &given[i];
        if (a->array)
            given[i].pointer = buffer_of(slot, i);
        else
            judge_store(a->type, judge_value_of(a, i, w->how >> SANDBOX_SAMPLE_SHIFT), &given[i]);
    }
    ffi_call(&f.cif, f.code, &result, values);
    if (h->result != JUDGE_VOID) /* libffi widens small whole numbers; the low bytes stand first */
        memcpy(buffer_of(slot, h->n), &result, judge_types[h->result].size);
}

/* --- turns --- */

void sandbox_turn(const struct sandbox_word *w, long n)
{
    struct sandbox_registers is;
    struct sandbox_word word = *w;
    if (n != (long)sizeof *w || (w->what != SANDBOX_CALL && w->what != SANDBOX_LAST) ||
        w->n >= SANDBOX_SLOTS_MOST) {
        end_now(1);
        return;
    }
    show_outputs(w->n);
    const bool written = sandbox_clean(w->how & SANDBOX_ALWAYS);
    sandbox_registers_clear(&f.usual);
    sandbox_enter(call_once, &word);
    sandbox_registers_read(&is);
    const char *changed = sandbox_registers_changed(&f.usual, &is);
    if (changed)
        end_now(report_sandbox_end(SANDBOX_STATE, changed));
    if (w->what != SANDBOX_LAST)
        return;
    const struct sandbox_word done = {.serial = w->serial, .what = SANDBOX_GO, .n = written};
    if (sandbox_system(SYS_write, SANDBOX_SOCKET, (long)&done, sizeof done) != (long)sizeof done)
        end_now(1);
    sandbox_system(SYS_kill, f.own, SIGSTOP, 0); /* the clock runs until nothing of it does */
}

void sandbox_begin(void)
{
    const struct sandbox_word ready = {.serial = f.begun, .what = SANDBOX_READY};
    if (sandbox_clean_hold() != 0 || sandbox_filter_calling(f.own, all_outputs()) != 0)
        end_now(report_sandbox_end(SANDBOX_NO_OBJECT,
                                   "this kernel has no filter for system calls (seccomp)"));
    if (sandbox_system(SYS_write, SANDBOX_SOCKET, (long)&ready, sizeof ready) != (long)sizeof ready)
        end_now(1);
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
    for (int fd = SANDBOX_PROCESS + 1; fd < 64; fd++)
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

/* What the first calls of functions ask the kernel for, and what the filter refuses, is asked now;
 * memory of any size comes from the heap, whose end is brought back. */
static void prepare_library(void)
{
    sort_once();
#if SANDBOX_TURNS_CLEAN
    mallopt(M_MMAP_MAX, 0);
#endif
#ifdef __SANITIZE_ADDRESS__ /* whose malloc asks for the time at the first one of each size */
    enum { STEP = 16, MOST = 1 << 17 };
    for (size_t n = STEP; n <= MOST; n += n < 4096 ? STEP : n / 8) {
        void *volatile at = malloc(n);
        free(at);
    }
#endif
}

int sandbox_run(const char *path)
{
    struct sandbox_word begin;
    char object[PATH_MAX];
    snprintf(object, sizeof object, "%s", path); /* which may be the argument itself */
    forget_names();
    /* until it has come the parent can still open a counter for this process */
    if (read(SANDBOX_WORDS, &begin, sizeof begin) != (ssize_t)sizeof begin)
        return 2;
    f.begun = begin.serial;
    f.own = getpid();
    prepare_library();
    if (sandbox_clean_open() != 0)
        return 2;
    hold_process();
    if (map_shared_memory() != 0)
        return 2;
    catch_all();
    prepare_function();
    if (sandbox_filter_loading(f.own) != 0)
        return report_sandbox_end(SANDBOX_NO_OBJECT,
                                  "this kernel has no filter for system calls (seccomp)");
    int rc = load_object(object);
#ifndef __SANITIZE_ADDRESS__ /* whose malloc looks at the time */
    /* from now on, who reads the CPU's clock gets SIGSEGV, clock_gettime included (arm64: since
     * Linux 6.12) */
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
#endif
    sandbox_registers_read(&f.usual);
    if (rc == 0 && sandbox_clean_take() != 0)
        rc = report_sandbox_end(SANDBOX_NO_OBJECT, "its memory cannot be held");
    if (rc == 0)
        sandbox_turns();
    end_now(rc); /* nothing of the object runs at the end */
    return rc;
}
