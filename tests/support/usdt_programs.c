#include "support/usdt_programs.h"

#include "support/compiled.h"

/* PROBE(provider, name, semaphore): version 3 of the notes; semaphore is an address or 0. */
static const char probe_h[] =
    "#define WORD \".8byte \"\n"
    "#define PROBE(provider, name, semaphore) __asm__ volatile( \\\n"
    "    \"990: nop\\n\" \\\n"
    "    \".pushsection .note.stapsdt,\\\"\\\",%note\\n.balign 4\\n\" \\\n"
    "    \".4byte 992f-991f, 994f-993f, 3\\n\" \\\n"
    "    \"991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n\" \\\n"
    "    \"993: \" WORD \"990b\\n\" WORD \"_.stapsdt.base\\n\" WORD #semaphore \"\\n\" \\\n"
    "    \".asciz \\\"\" #provider \"\\\"\\n.asciz \\\"\" #name \"\\\"\\n.asciz \\\"\\\"\\n\" \\\n"
    "    \"994: .balign 4\\n.popsection\\n\" \\\n"
    "    \".ifndef _.stapsdt.base\\n\" \\\n"
    "    \".pushsection .stapsdt.base,\\\"aG\\\",%progbits,.stapsdt.base,comdat\\n\" \\\n"
    "    \".weak _.stapsdt.base\\n.hidden _.stapsdt.base\\n\" \\\n"
    "    \"_.stapsdt.base: .space 1\\n.popsection\\n.endif\\n\")\n"
    "#define SEMAPHORE(name) \\\n"
    "    __attribute__((used, visibility(\"hidden\"), section(\".probes\"))) \\\n"
    "    volatile unsigned short name\n";

static const char shop_c[] =
    "#include <pthread.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
    "#include \"probe.h\"\n"
    "static int loops;\n"
    "static void *serve(void *arg)\n{\n"
    "    for (int i = 0; i < loops; i++) {\n"
    "        PROBE(shop, request__start, 0);\n"
    "        for (int k = 0; k < 2; k++) {\n"
    "            PROBE(shop, query__start, 0);\n"
    "            PROBE(shop, query__done, 0);\n"
    "        }\n"
    "        PROBE(shop, request__done, 0);\n"
    "    }\n"
    "    return arg;\n}\n"
    "int main(int argc, char **argv)\n{\n"
    "    pthread_t t[8];\n    int n = argc > 2 ? atoi(argv[2]) : 0;\n"
    "    loops = argc > 1 ? atoi(argv[1]) : 1;\n"
    "    for (int i = 0; i < n; i++)\n        if (pthread_create(&t[i], NULL, serve, NULL))\n"
    "            return 9;\n"
    "    for (int i = 0; i < n; i++)\n        pthread_join(t[i], NULL);\n"
    "    if (argc > 3 && fork() == 0) {\n        serve(NULL);\n        _exit(0);\n    }\n"
    "    if (n == 0)\n        serve(NULL);\n"
    "    wait(NULL);\n"
    "    PROBE(shop, lone, 0);\n"
    "    return 3;\n}\n";

/* A library: takes n steps, or (n negative) steps until -n of them were watched, for at most a
 * minute. Prints a line at the 1000th watched step; returns the number of watched steps. */
static const char gate_c[] =
    "#include <stdio.h>\n#include <unistd.h>\n#include \"probe.h\"\n"
    "SEMAPHORE(step_semaphore);\n"
    "int gate(int n);\n"
    "int gate(int n)\n{\n    int seen = 0;\n"
    "    for (int i = 0; n < 0 ? seen < -n && i < 60000 : i < n; i++) {\n"
    "        if (step_semaphore) {\n            seen++;\n"
    "            PROBE(gate, step__begin, step_semaphore);\n"
    "            PROBE(gate, step__end, step_semaphore);\n        }\n"
    "        if (seen == 1000) {\n            puts(\"1000\");\n            fflush(stdout);\n"
    "            seen++;\n        }\n"
    "        usleep(1000);\n    }\n"
    "    return seen;\n}\n";
static const char gate_main_c[] =
    "#include <stdio.h>\n#include <stdlib.h>\nint gate(int n);\n"
    "int main(int argc, char **argv)\n{\n"
    "    printf(\"%d\\n\", gate(atoi(argv[argc - 1])));\n    return 0;\n}\n";

static const char late_c[] =
    "#include <dlfcn.h>\n#include <stdlib.h>\n"
    "int main(int argc, char **argv)\n{\n"
    "    void *lib = dlopen(LIBRARY, RTLD_NOW);\n"
    "    int (*gate)(int) = lib ? (int (*)(int))dlsym(lib, \"gate\") : NULL;\n"
    "    return gate ? gate(atoi(argv[argc - 1])) < 0 : 1;\n}\n";

bool usdt_programs_make(void)
{
    compiled_write("probe.h", probe_h);
    compiled_write("shop.c", shop_c);
    compiled_write("plain.c", "int main(void)\n{\n    return 0;\n}\n");
    compiled_write("gate.c", gate_c);
    compiled_write("gate_main.c", gate_main_c);
    compiled_write("late.c", late_c);
    return compiled_shell("cc -O1 -o shop shop.c -pthread && cc -O1 -o plain plain.c && "
                          "cc -O1 -shared -fPIC -o libgate.so gate.c && "
                          "cc -O1 -o late late.c -DLIBRARY=\"\\\"$PWD/libgate.so\\\"\" -ldl && "
                          "cc -O1 -o gated gate_main.c -L. -lgate -Wl,-rpath,'$ORIGIN'");
}
