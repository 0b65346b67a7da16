/* Call stacks are kept once each, within a limit; which frame made a call; time by function. */
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/functions.h"
#include "engine/syscalls/stacks.h"
#include "support/test.h"

static struct syscall_frame frame(const char *function, const char *module, int line)
{
    return (struct syscall_frame){
        .function = function, .module = module, .file = line ? "a.c" : "", .line = line};
}

TEST(equal_stacks_are_one)
{
    struct syscall_stacks *s = syscall_stacks_new(1 << 20);
    char name[] = "read";
    struct syscall_frame f[3] = {frame(name, "/lib/libc.so.6", 0), frame("load", "/bin/x", 3),
                                 frame("main", "/bin/x", 9)};
    const struct syscall_stack *a = syscall_stacks_add(s, f, 3, false);
    assert_int_equal(a->id, 0);
    assert_int_equal(a->n, 3);
    name[0] = 'R'; /* texts were copied */
    assert_string_equal(a->frames[0]->function, "read");
    name[0] = 'r';
    assert_ptr_equal(syscall_stacks_add(s, f, 3, false), a);
    const struct syscall_stack *cut = syscall_stacks_add(s, f, 3, true);
    const struct syscall_stack *shorter = syscall_stacks_add(s, f + 1, 2, false);
    assert_true(cut != a && shorter != a && cut->cut);
    assert_int_equal(shorter->id, 2);
    assert_ptr_equal(shorter->frames[0], a->frames[1]); /* frames are shared */
    f[1].line = 4;
    assert_ptr_not_equal(syscall_stacks_add(s, f, 3, false), a);
    assert_null(syscall_stacks_add(s, f, 0, false));
    assert_int_equal(syscall_stacks_refused(s), 0);
    syscall_stacks_free(s);
    syscall_stacks_free(NULL);
}

TEST(memory_is_bounded)
{
    struct syscall_stacks *s = syscall_stacks_new(100000);
    const struct syscall_stack *first = NULL;
    uint64_t kept = 0;
    char name[2000];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "%d%01500d", i, i);
        struct syscall_frame f = frame(name, "m", 0);
        const struct syscall_stack *k = syscall_stacks_add(s, &f, 1, false);
        kept += k != NULL;
        first = first ? first : k;
    }
    assert_in_range(kept, 10, 200);
    assert_int_equal(kept + syscall_stacks_refused(s), 5000);
    assert_int_equal(first->id, 0);
    syscall_stacks_free(s);
}

static const char *origin_of(struct syscall_stacks *s, const struct syscall_frame *f, size_t n)
{
    const struct syscall_frame *o = syscall_stack_origin(syscall_stacks_add(s, f, n, false));
    return o ? o->function : NULL;
}

TEST(the_origin_is_the_programs_own_line)
{
    struct syscall_stacks *s = syscall_stacks_new(1 << 20);
    struct syscall_frame f[] = {frame("write", "/lib/libc.so.6", 26),
                                frame("helper", "/lib/libx.so", 0), frame("save", "/bin/x", 12),
                                frame("main", "/bin/x", 20)};
    assert_string_equal(origin_of(s, f, 4), "save"); /* a library without lines is passed over */
    assert_string_equal(origin_of(s, f, 2), "write");
    f[0].line = 0;
    assert_string_equal(origin_of(s, f, 2), "helper");
    f[1].function = "";
    assert_null(origin_of(s, f, 2));
    struct syscall_frame own[] = {frame("open", "/lib64/ld-linux-x86-64.so.2", 3),
                                  frame("f", "/opt/libcurl.so", 1)};
    assert_string_equal(origin_of(s, own, 2), "f");
    assert_null(syscall_stack_origin(NULL));
    syscall_stacks_free(s);
}

static struct syscall_frame of_file(const char *function, const char *file)
{
    return (struct syscall_frame){
        .function = function, .module = "/bin/x", .file = file, .line = 7};
}

/* Files as rustc 1.91 and Go write them; with -trimpath Go's have no folder before them. */
TEST(a_language_is_not_the_programs_own)
{
    static const struct {
        const char *function, *file; /* the first; of the language */
        const char *own, *own_file;
        const char *last, *last_file;
    } cases[] = {
        {"<std::sys::fd::unix::FileDesc>::write", "library/std/src/sys/fd/unix.rs", "x::announce",
         "src/lib.rs", "std::rt::lang_start", "library/std/src/rt.rs"},
        {"core::ptr::read",
         "/rustc/f8297e351a40c1439a467bbbb6879088047f50b3/library/core/src/ptr.rs", "x::f",
         "/home/me/library/src/f.rs", "std::rt::lang_start", "library/std/src/rt.rs"},
        {"alloc::vec::push",
         "/root/.rustup/toolchains/s/lib/rustlib/src/rust/library/alloc/src/v.rs", "x::f",
         "library/own/f.rs", "main", ""},
        {"hashbrown::raw::f", "/rust/deps/hashbrown-0.15.5/src/raw.rs", "x::f", "src/main.rs", "m",
         ""},
        {"syscall.write", "/usr/local/go/src/syscall/zsyscall_linux_amd64.go", "main.save",
         "/home/me/os/main.go", "runtime.main", "/usr/local/go/src/runtime/proc.go"},
        {"internal/poll.(*FD).Write", "/usr/lib/go-1.19/src/internal/poll/fd_unix.go",
         "github.com/a/b.F", "/root/go/pkg/mod/github.com/a/b@v1.0.0/f.go", "runtime.goexit.abi0",
         "/usr/lib/go-1.19/src/runtime/asm_amd64.s"},
        {"os.(*File).Write", "os/file.go", "main.main", "os/main.go", "runtime.main",
         "runtime/proc.go"},
        {"fmt.Fprintln", "fmt/print.go", "me/fmt.F", "me/fmt/f.go", "runtime.main",
         "runtime/proc.go"},
        {"std::vector<int>::push_back", "/usr/include/c++/12/bits/stl_vector.h", "fill", "fill.cpp",
         "main", "main.cpp"},
        {"runtime.mmap", "/usr/local/go/src/runtime/mem_linux.go", "runtime.mmap", "",
         "runtime.main", "/usr/local/go/src/runtime/proc.go"}, /* no frame of its own: as before */
    };
    struct syscall_stacks *s = syscall_stacks_new(1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct syscall_frame f[] = {
            frame("write", "/lib/libc.so.6", 26), of_file(cases[i].function, cases[i].file),
            of_file(cases[i].own, cases[i].own_file), of_file(cases[i].last, cases[i].last_file)};
        f[2].line = cases[i].own_file[0] ? 7 : 0;
        f[3].line = cases[i].last_file[0] ? 7 : 0;
        const struct syscall_stack *stack = syscall_stacks_add(s, f, 4, false);
        assert_string_equal(syscall_stack_origin(stack)->function, cases[i].own);
        assert_string_equal(syscall_stack_maker(stack)->function, cases[i].own);
        stack = syscall_stacks_add(s, f, 2, false); /* there is nothing else */
        assert_string_equal(syscall_stack_origin(stack)->function, cases[i].function);
    }
    const struct syscall_frame c[] = {of_file("f", "library/core/f.c"), of_file("os.f", "os/f.go"),
                                      of_file("main", "m.c")};
    assert_string_equal(origin_of(s, c, 3), "f"); /* a C program's own folder */
    assert_string_equal(origin_of(s, c + 1, 2), "os.f");
    syscall_stacks_free(s);
}

TEST(time_counts_once_for_each_function)
{
    struct syscall_stacks *s = syscall_stacks_new(1 << 20);
    struct syscall_functions f = {.slow_ns = 1000};
    const struct syscall_frame deep[] = {frame("read", "libc.so.6", 0), frame("again", "x", 1),
                                         frame("again", "x", 2), frame("main", "x", 3)};
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .number = (uint32_t)syscall_number(SYSCALL_X86_64, "read"),
                              .begin_ns = 100,
                              .end_ns = 1100,
                              .stack = syscall_stacks_add(s, deep, 4, false)};
    syscall_functions_add(&f, &e);
    e.end_ns = 2100; /* slow */
    syscall_functions_add(&f, &e);
    e.stack = syscall_stacks_add(s, deep + 3, 1, false);
    e.number = (uint32_t)syscall_number(SYSCALL_X86_64, "getpid");
    syscall_functions_add(&f, &e);
    e.stack = NULL;
    syscall_functions_add(&f, &e);
    syscall_functions_sort(&f);
    assert_int_equal(f.calls, 4);
    assert_int_equal(f.total_ns, 7000);
    assert_int_equal(f.n, 4); /* main, again, read, none */
    assert_string_equal(f.list[0].name, "main");
    assert_true(f.list[0].calls == 3 && f.list[0].total_ns == 5000 && f.list[0].own_calls == 1);
    assert_string_equal(f.list[1].name, "again");
    assert_true(f.list[1].calls == 2 && f.list[1].total_ns == 3000 && f.list[1].own_calls == 2);
    assert_true(f.list[1].own_io == 2 && f.list[1].own_slow == 1);
    assert_string_equal(f.list[2].name, "read");
    assert_int_equal(f.list[2].own_calls, 0);
    assert_string_equal(f.list[3].name, "");
    assert_int_equal(f.npaths, 3);
    assert_int_equal(f.paths[0].total_ns, 3000);
    assert_int_equal(f.paths[0].calls, 2);
    assert_true(f.io == 2 && f.slow == 1);
    syscall_functions_free(&f);
    syscall_stacks_free(s);
}
