/* Where calls came from: rooftop trace --stack, --source, --function-time. Forks: not for TSan. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/compiled.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

/* The line of each call that makes a system call is in the tests below. */
static const char calls_c[] = "#include <pthread.h>\n"
                              "#include <signal.h>\n"
                              "#include <stdio.h>\n"
                              "#include <string.h>\n"
                              "#include <unistd.h>\n"
                              "static inline __attribute__((always_inline)) void inner(int fd) {\n"
                              "    write(fd, \"i\", 1);\n" /* 7 */
                              "}\n"
                              "__attribute__((noinline)) void outer(int depth) {\n"
                              "    char big[20000];\n"
                              "    memset(big, depth, sizeof big);\n"
                              "    if (depth > 0) outer(depth - 1); else inner(2);\n" /* 12 */
                              "    __asm__ volatile(\"\" : : \"r\"(big) : \"memory\");\n"
                              "}\n"
                              "static void handler(int s) { (void)s; write(2, \"h\", 1); }\n"
                              "static void *thread(void *p) {\n"
                              "    write(2, \"t\", 1);\n" /* 17 */
                              "    return p;\n"
                              "}\n"
                              "int main(void) {\n"
                              "    static char alternative[65536];\n"
                              "    stack_t s = {.ss_sp = alternative, .ss_size = 65536};\n"
                              "    struct sigaction a = {.sa_handler = handler, .sa_flags = "
                              "SA_ONSTACK};\n"
                              "    pthread_t t;\n"
                              "    outer(3);\n"
                              "    sigaltstack(&s, 0);\n"
                              "    sigaction(SIGUSR1, &a, 0);\n"
                              "    raise(SIGUSR1);\n"
                              "    pthread_create(&t, 0, thread, 0);\n"
                              "    pthread_join(t, 0);\n"
                              "    return 0;\n"
                              "}\n";

FIXTURE(make)
{
    compiled_new();
    compiled_write("calls.c", calls_c);
}

FIXTURE(drop)
{
    compiled_free();
}

/* ASan's own program says what it leaks, and cannot while it is traced. */
static void run(struct program *p, const char *options, const char *program)
{
    char line[1200];
    snprintf(line, sizeof line,
             "export ASAN_OPTIONS=detect_leaks=0; cd '%s' && \"$BIN\" trace %s -- %s",
             compiled_dir(), options, program);
    program_expect(p, line, 0);
}

/* The lines of the stack behind the call that begins so. */
static char *stack_after(const struct program *p, const char *call)
{
    const char *at = strstr(p->err, call), *end;
    if (!at) {
        fail_msg("no '%s' in\n%s", call, p->err);
        return NULL;
    }
    at = strchr(at, '\n') + 1;
    for (end = at; strncmp(end, " > ", 3) == 0; end = strchr(end, '\n') + 1)
        ;
    return strndup(at, (size_t)(end - at));
}

/* Each text stands in the stack, one behind the other. */
static void in_order(const char *stack, const char *const *texts)
{
    const char *at = stack;
    for (size_t i = 0; texts[i]; i++) {
        at = strstr(at, texts[i]);
        if (!at) {
            fail_msg("no '%s' at its place in\n%s", texts[i], stack);
            return;
        }
        at += strlen(texts[i]);
    }
}

static bool built(const char *how)
{
    char line[400];
    snprintf(line, sizeof line, "cc -pthread -o calls %s calls.c 2>/dev/null", how);
    return compiled_shell(line);
}

/* The same stacks whatever the program's form: moved in memory or not, with frame pointers or
 * without, its debug information in another file. */
TEST(stacks_have_functions_and_lines)
{
    static const char *const forms[] = {
        "-g -O2 -fPIE -pie", "-g -O1 -fno-pie -no-pie", "-g -O1 -fno-omit-frame-pointer",
        "-g -O2 -static",
        ("-g -O2; objcopy --only-keep-debug calls calls.debug; strip calls; objcopy "
         "--add-gnu-debuglink=calls.debug calls; true")};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char line[400];
        const char *rest = strchr(forms[i], ';');
        snprintf(line, sizeof line, "cc -pthread %.*s -o calls calls.c %s",
                 rest ? (int)(rest - forms[i]) : (int)strlen(forms[i]), forms[i], rest ? rest : "");
        if (!compiled_shell(line))
            fail_msg("not built: %s", line);
        struct program p;
        run(&p, "-k -e write", "./calls");
        char *stack = stack_after(&p, "write(2, \"i\", 1)");
        in_order(stack, (const char *[]){"calls(inner, inlined) [", "calls.c:7\n", "calls(outer+0x",
                                         "calls.c:12\n", "calls(outer+0x", "calls.c:12\n",
                                         "calls(outer+0x", "calls(outer+0x", "calls(main+0x",
                                         "calls.c:25\n", NULL});
        free(stack);
        stack = stack_after(&p, "write(2, \"t\", 1)");
        in_order(stack, (const char *[]){"calls(thread+0x", "calls.c:17\n", NULL});
        assert_null(strstr(stack, "main"));
        free(stack);
        program_free(&p);
    }
}

/* Through the frame of a signal, from its own stack to that of the program. */
TEST(a_signal_handlers_stack_goes_on_in_the_program)
{
    assert_true(built("-g -O1"));
    struct program p;
    run(&p, "-k -e write", "./calls");
    char *stack = stack_after(&p, "write(2, \"h\", 1)");
    in_order(stack,
             (const char *[]){"calls(handler+0x", "calls.c:15\n", "calls(main+0x", ":28\n", NULL});
    free(stack);
    program_free(&p);
}

/* Addresses in files: those of addr2line's input, and strace's where it unwinds. */
TEST(addresses_are_those_of_strace)
{
    struct program p;
    program_run(&p, "strace -V | grep -q stack-trace=[^n]");
    const bool there = p.status == 0;
    program_free(&p);
    if (!there)
        skip_because("the same stacks as strace's: install an strace that unwinds (strace -k)");
    assert_true(built("-g -O1"));
    run(&p, "-k -f -e write -o /dev/stdout", "./calls 2>/dev/null");
    program_free(&p);
    /* Module and address of each frame; an inlined one has the address of its caller. */
    char line[2000];
    snprintf(line, sizeof line,
             "export ASAN_OPTIONS=detect_leaks=0; cd '%s'\n"
             "frames() { grep '^ >' | grep -v inlined | grep /calls'(' | sed 's/(.*\\[/ /; "
             "s/\\].*//'; }\n"
             "strace -f -k -e trace=write -o a ./calls 2>/dev/null || exit 77\n"
             "\"$BIN\" trace -f -k -e write -o b -- ./calls 2>/dev/null\n"
             "frames <a >as; frames <b >bs; grep -q 0x as || exit 77; diff as bs",
             compiled_dir());
    program_run(&p, line);
    if (p.status == 77) {
        program_free(&p);
        skip_because("the same stacks as strace's: strace -k finds none here");
    }
    if (p.status != 0)
        fail_msg("strace < and rooftop > differ:\n%s", p.out);
    program_free(&p);
}

TEST(source_is_the_programs_own_line)
{
    assert_true(built("-g -O1"));
    struct program p;
    run(&p, "-s -e write", "./calls");
    static const char *const lines[] = {"write(2, \"i\", 1) = 1 [", "write(2, \"h\", 1) = 1 [",
                                        "write(2, \"t\", 1) = 1 ["};
    static const char *const places[] = {"calls.c:7]", "calls.c:15]", "calls.c:17]"};
    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(p.err, lines[i]);
        if (!at || !strstr(at, places[i]) || strstr(at, places[i]) > strchr(at, '\n'))
            fail_msg("no %s behind '%s' in\n%s", places[i], lines[i], p.err);
    }
    assert_null(strstr(p.err, " > "));
    program_free(&p);
    run(&p, "-s -e write --format csv", "./calls");
    assert_non_null(strstr(p.err, "result,source_location,error"));
    assert_non_null(strstr(p.err, "calls.c:7,,"));
    program_free(&p);
}

/* A program without debug information: names are known, lines are not. */
TEST(without_lines_the_function_is_told)
{
    assert_true(built("-O2"));
    struct program p;
    run(&p, "-s -e write", "./calls");
    assert_non_null(strstr(p.err, "write(2, \"i\", 1) = 1 ["));
    char *stack = strstr(p.err, "write(2, \"t\", 1)");
    assert_non_null(stack);
    program_free(&p);
    run(&p, "-k -e write", "./calls");
    stack = stack_after(&p, "write(2, \"t\", 1)");
    in_order(stack, (const char *[]){"calls(thread+0x", NULL});
    assert_null(strstr(stack, "calls.c"));
    free(stack);
    program_free(&p);
}

/* What the JSON says can be read again, and stands in it once. */
TEST(json_has_each_stack_once)
{
    static const char loop[] = "#include <unistd.h>\n"
                               "int main(void) {\n"
                               "    for (int i = 0; i < 100; i++)\n"
                               "        getppid();\n"
                               "}\n";
    struct program p;
    compiled_write("loop.c", loop);
    assert_true(compiled_shell("cc -g -o loop loop.c"));
    run(&p, "-k -s -e getppid --format json -o t.json", "./loop; cat t.json");
    cJSON *doc = cJSON_Parse(p.out), *frames = cJSON_GetObjectItem(doc, "frames"),
          *stacks = cJSON_GetObjectItem(doc, "stacks"), *call;
    assert_non_null(doc);
    assert_int_equal(cJSON_GetArraySize(stacks), 1);
    cJSON_ArrayForEach(call, cJSON_GetObjectItem(doc, "syscalls"))
    {
        const cJSON *source = cJSON_GetObjectItem(call, "source");
        assert_int_equal(cJSON_GetObjectItem(call, "stack")->valueint,
                         cJSON_GetObjectItem(cJSON_GetArrayItem(stacks, 0), "id")->valueint);
        assert_int_equal(cJSON_GetObjectItem(source, "line")->valueint, 4);
        assert_string_equal(cJSON_GetObjectItem(source, "function")->valuestring, "main");
    }
    const cJSON *list = cJSON_GetObjectItem(cJSON_GetArrayItem(stacks, 0), "frames"),
                *frame = cJSON_GetArrayItem(frames, cJSON_GetArrayItem(list, 1)->valueint);
    assert_string_equal(cJSON_GetObjectItem(frame, "function")->valuestring, "main");
    assert_int_equal(cJSON_GetObjectItem(frame, "line")->valueint, 4);
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(functions_have_their_time_and_slow_io)
{
    /* The child writes when its parent sleeps in read, and 30 ms later. */
    static const char slow[] =
        "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
        "__attribute__((noinline)) void wait_for(int fd) { char c; read(fd, &c, 1); }\n"
        "__attribute__((noinline)) void quick(int fd) { for (int i = 0; i < 5; i++) write(fd, "
        "\"x\", 1); }\n"
        "static void until_it_sleeps(int pid) {\n"
        "    char name[64], text[4096] = \"\";\n"
        "    snprintf(name, sizeof name, \"/proc/%d/stat\", pid);\n"
        "    while (!strstr(text, \") S \")) {\n"
        "        FILE *f = fopen(name, \"r\");\n"
        "        text[fread(text, 1, sizeof text - 1, f)] = 0;\n"
        "        fclose(f);\n"
        "    }\n"
        "}\n"
        "int main(void) {\n"
        "    int a[2], b[2];\n"
        "    pipe(a); pipe(b);\n"
        "    if (fork() == 0) { until_it_sleeps(getppid()); usleep(30000); write(a[1], \"x\", 1); "
        "_exit(0); }\n"
        "    wait_for(a[0]); quick(b[1]); return 0;\n"
        "}\n";
    struct program p;
    compiled_write("slow.c", slow);
    assert_true(compiled_shell("cc -g -O1 -o slow slow.c"));
    run(&p, "--function-time --slow-io 20000 --format csv -e read,write", "./slow");
    const char *row = strstr(p.err, "\nwait_for,");
    unsigned long long n[6];
    assert_non_null(row);
    assert_int_equal(sscanf(strstr(row, "slow,") + 5, "%llu,%llu,%llu,%llu,%llu,%llu", &n[0], &n[1],
                            &n[2], &n[3], &n[4], &n[5]),
                     6);
    assert_int_equal(n[0], 1); /* calls */
    assert_true(n[1] > 20000000);
    assert_int_equal(n[2], 1);
    assert_int_equal(n[4], 1);
    assert_int_equal(n[5], 1); /* slow */
    row = strstr(p.err, "\nmain,");
    assert_int_equal(sscanf(strstr(row, "slow,") + 5, "%llu,%llu,%llu", &n[0], &n[1], &n[2]), 3);
    assert_int_equal(n[0], 6); /* what it called made them */
    assert_int_equal(n[2], 0);
    program_free(&p);
    run(&p, "--function-time -c -e read,write", "./slow");
    assert_non_null(strstr(p.err, "usecs/call"));
    assert_non_null(strstr(p.err, " main > wait_for > "));
    program_free(&p);
    run(&p, "--format folded -e read,write", "./slow");
    assert_non_null(strstr(p.err, ";main;wait_for;"));
    assert_non_null(strstr(p.err, ";read "));
    program_free(&p);
}

/* Code at addresses where other code was before: after dlclose and exec. */
static void follow_mappings(const char *options)
{
    static const char library[] = "#include <unistd.h>\nvoid NAME(void) { write(2, TEXT, 1); }\n";
    static const char user[] =
        "#include <dlfcn.h>\n"
        "#include <unistd.h>\n"
        "int main(int n, char **v) {\n"
        "    for (int i = 0; i < 20; i++) {\n"
        "        void *h = dlopen(i % 2 ? \"./b.so\" : \"./a.so\", RTLD_NOW);\n"
        "        void (*f)(void) = (void (*)(void))dlsym(h, i % 2 ? \"from_b\" : "
        "\"from_a\");\n"
        "        f(); dlclose(h);\n"
        "    }\n"
        "    if (n > 1) return 0;\n"
        "    execl(\"./calls\", \"calls\", (char *)0);\n"
        "}\n";
    struct program p;
    compiled_write("l.c", library);
    compiled_write("user.c", user);
    assert_true(built("-g -O1"));
    assert_true(compiled_shell("cc -g -shared -fPIC -DNAME=from_a '-DTEXT=\"a\"' -o a.so l.c && "
                               "cc -g -shared -fPIC -DNAME=from_b '-DTEXT=\"b\"' -o b.so l.c && "
                               "cc -g -o user user.c -ldl"));
    run(&p, options, "./user");
    size_t seen = 0;
    for (const char *at = p.err; (at = strstr(at, "write(2, \"")); at++) {
        const char which = at[10];
        if (which != 'a' && which != 'b')
            continue;
        char want[16];
        snprintf(want, sizeof want, "(from_%c+0x", which);
        const char *next = strstr(at + 1, "write(2, "), *found = strstr(at, want);
        if (!found || (next && found > next))
            fail_msg("no %s behind\n%.400s", want, at);
        seen++;
    }
    assert_int_equal(seen, 20);
    char *stack = stack_after(&p, "write(2, \"i\", 1)"); /* of the other program */
    in_order(stack, (const char *[]){"calls(outer+0x", "calls(main+0x", NULL});
    free(stack);
    program_free(&p);
}

TEST(mappings_are_followed)
{
    follow_mappings("-k -e write --by ptrace");
}

/* The filter stops the program at the calls that map libraries too, and they are not shown. */
TEST(mappings_are_followed_with_a_filter)
{
    struct program p;
    program_run(&p, "\"$BIN\" trace -f -e write --by seccomp -- true");
    const bool works = p.status == 0;
    program_free(&p);
    if (!works)
        skip_because("stacks with a seccomp filter: rooftop doctor says why there is none");
    follow_mappings("-f -k -e write --by seccomp");
    run(&p, "-f -k -e write --by seccomp", "./user");
    assert_null(strstr(p.err, "mmap("));
    assert_null(strstr(p.err, "mprotect("));
    program_free(&p);
}

/* Code made at run time has the names of its map, and new ones when it is made anew. */
TEST(run_time_code_has_the_names_of_its_map)
{
#if defined(__x86_64__)
    static const char jit[] =
        "#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
        "int main(void) {\n"
        "    /* push rbp; mov rbp, rsp; mov eax, 110; syscall; pop rbp; ret: getppid */\n"
        "    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb8, 110, 0, 0, 0, "
        "0x0f, "
        "5, 0x5d, 0xc3};\n"
        "    unsigned char *at = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
        "    char name[64];\n"
        "    memcpy(at, code, sizeof code);\n"
        "    snprintf(name, sizeof name, \"/tmp/perf-%d.map\", (int)getpid());\n"
        "    FILE *f = fopen(name, \"w\");\n"
        "    fprintf(f, \"%lx %zx made_at_run_time\\n\", (unsigned long)at, sizeof code);\n"
        "    fclose(f);\n"
        "    ((int (*)(void))at)();\n"
        "    unlink(name);\n"
        "}\n";
    struct program p;
    compiled_write("jit.c", jit);
    assert_true(compiled_shell("cc -g -O0 -fno-omit-frame-pointer -o jit jit.c"));
    run(&p, "-k -e getppid", "./jit");
    char *stack = stack_after(&p, "getppid(");
    in_order(stack, (const char *[]){"(made_at_run_time+0xb) [0x", "jit(main+0x", NULL});
    free(stack);
    program_free(&p);
#else
    skip_because("code made at run time: the test has it for x86-64 only");
#endif
}

/* Stacks that a program spoils: the trace is whole, whatever they look like. */
TEST(spoilt_stacks_do_no_harm)
{
#if defined(__x86_64__)
    static const char spoilt[] =
        "#include <stdint.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
        "#include <sys/syscall.h>\n"
        "static void call(void *stack, uint64_t frame) {\n"
        "    __asm__ volatile(\"mov %%rsp, %%r12\\n mov %%rbp, %%r13\\n mov %0, %%rsp\\n mov %1, "
        "%%rbp\\n\"\n"
        "        \"mov $110, %%eax\\n syscall\\n mov %%r12, %%rsp\\n mov %%r13, %%rbp\\n\"\n"
        "        : : \"b\"(stack), \"d\"(frame) : \"rax\", \"rcx\", \"r11\", \"r12\", \"r13\", "
        "\"memory\");\n"
        "}\n"
        "int main(void) {\n"
        "    uint64_t *s = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
        "    for (int i = 0; i < 1 << 17; i++) s[i] = (uint64_t)(s + (i * 7919) % (1 << 17));\n"
        "    call(s + 100, (uint64_t)(s + 90));\n" /* frames in a circle */
        "    call(0, 0);\n"                        /* no stack */
        "    call((void *)-16, (uint64_t)-16);\n"  /* not an address of the program */
        "    for (int i = 0; i < 1 << 16; i++) { s[2 * i] = (uint64_t)(s + 2 * i + 2); s[2 * i + "
        "1] = "
        "(uint64_t)call + 4; }\n"
        "    call(s, (uint64_t)s);\n" /* frames without end */
        "    call((char *)s + 1, (uint64_t)s + 4093);\n"
        "    munmap(s, 1 << 20);\n"
        "    call(s, (uint64_t)s);\n"
        "    return 0;\n"
        "}\n";
    struct program p;
    compiled_write("spoilt.c", spoilt);
    assert_true(compiled_shell("cc -g -O1 -fomit-frame-pointer -o spoilt spoilt.c"));
    assert_true(compiled_shell("cc -O1 -fno-asynchronous-unwind-tables -o bare spoilt.c"));
    static const char *const programs[] = {"./spoilt", "./bare"};
    for (size_t i = 0; i < 2; i++) {
        run(&p, "-k -e getppid --stack-depth 100", programs[i]);
        size_t calls = 0, frames = 0;
        for (const char *at = p.err; (at = strstr(at, "getppid()")); at++)
            calls++;
        for (const char *at = p.err; (at = strstr(at, "\n > ")); at++)
            frames++;
        assert_int_equal(calls, 6);
        assert_in_range(frames, 6, 6 * 101);
        program_free(&p);
    }
#else
    skip_because("spoilt stacks: the test has them for x86-64 only");
#endif
}

TEST(depth_is_limited_and_said)
{
    assert_true(built("-g -O1"));
    struct program p;
    run(&p, "-k -e write --stack-depth 3", "./calls");
    char *stack = stack_after(&p, "write(2, \"i\", 1)");
    assert_int_equal(program_lines(stack), 4);
    assert_non_null(strstr(stack, " > ...\n"));
    free(stack);
    program_free(&p);
}

/* A mechanism without stacks refuses; without a name, one that has them is taken, and why. */
TEST(mechanisms_without_stacks_say_so)
{
    assert_true(built("-g -O1"));
    struct program p;
    program_answers("\"$BIN\" trace -f -k --by inject -- true", 6, "", "no stacks");
    run(&p, "-f -k --inject -e write", "./calls");
    assert_non_null(strstr(p.err, "--inject is not used, but "));
    assert_non_null(strstr(p.err, "calls(main+0x"));
    program_free(&p);
    program_answers("\"$BIN\" trace -k --format csv -- true", 2, "", "");
    program_answers("\"$BIN\" trace --function-time --format html -- true", 2, "", "");
}

TEST_MAIN(make, drop)
