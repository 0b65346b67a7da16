/* The checks on real GPUs, with stand-ins for the vendor's tool and library: they agree where both
 * say the same, find what differs, and say what they left out. (It builds programs: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/compiled.h"
#include "support/fake_nvml.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

/* What tests/support/fake_nvml says, in nvidia-smi's units; POWER is set by the test. */
static const char smi[] = "#!/bin/sh\n"
                          "case \"$*\" in\n"
                          "*query-gpu=name*) echo 'NVIDIA H200 no. 0' ;;\n"
                          "*memory.total*) echo 153600 ;;\n"
                          "*memory.used*) echo 30720 ;;\n"
                          "*power.draw*) echo $POWER ;;\n"
                          "*enforced*) echo 700.00 ;;\n"
                          "*temperature.gpu*) echo 56 ;;\n"
                          "*clocks.sm*) echo 1980 ;;\n"
                          "*clocks.mem*) echo 3201 ;;\n"
                          "*utilization*) echo 93 ;;\n"
                          "*) echo '[N/A]' ;;\n"
                          "esac\n";

static void with_tools(struct program *p, const char *power)
{
    char shell[1024];
    compiled_write("nvidia-smi", smi);
    assert_int_equal(chmod(compiled_path("nvidia-smi"), 0755), 0);
    snprintf(shell, sizeof shell,
             "POWER=%s PATH=%s:/usr/bin:/bin BUILD=\"$(dirname %s)\" scripts/hardware-nvidia.sh "
             "%s/out doctor idle view",
             power, compiled_dir(), program_rooftop(), compiled_dir());
    program_run(p, shell);
    if (strstr(p->out, "python3 is needed")) {
        program_free(p);
        fake_nvml_free();
        skip_because("the checks on real GPUs are in Python: apt-get install python3");
    }
}

TEST(the_same_numbers_are_seen)
{
    struct program p;
    fake_nvml_new("");
    with_tools(&p, "412.3");
    program_sees(&p, "| doctor finds the GPU | seen | NVIDIA GPUs: NVML, 2 GPUs |\n");
    program_sees(
        &p,
        "| telemetry, idle | seen | 8 numbers as the vendor's tool: mem_total, mem_used, power,");
    program_sees(&p, "| view 0 as text | seen | NVIDIA H200 no. 0 |\n");
    program_sees(&p, "3 passed, 0 failed, 0 skipped\n");
    assert_int_equal(p.status, 0);
    program_free(&p);
    fake_nvml_free();
}

TEST(another_number_fails)
{
    struct program p;
    fake_nvml_new("");
    with_tools(&p, "300.0");
    program_sees(&p,
                 "| telemetry, idle | failed | power 412.345, the vendor's tool 300 to 300 |\n");
    program_sees(&p, "2 passed, 1 failed, 0 skipped\n");
    assert_int_equal(p.status, 1);
    program_free(&p);
    fake_nvml_free();
}

TEST(no_gpu_is_told)
{
    struct program p;
    program_run(&p, "PATH=/nonexistent:/usr/bin:/bin scripts/hardware-nvidia.sh; echo $?; "
                    "scripts/hardware-amd.sh; echo $?");
    if (strstr(p.out, "python3 is needed")) {
        program_free(&p);
        skip_because("the checks on real GPUs are in Python: apt-get install python3");
    }
    if (!strstr(p.out, "skipped: an NVIDIA GPU: ") || !strstr(p.out, "skipped: an AMD GPU: ")) {
        program_free(&p);
        skip_because(
            "this machine has a GPU: scripts/hardware-nvidia.sh or hardware-amd.sh tries it");
    }
    program_sees(&p,
                 "| NVTX or rocTX ranges | left out | nvidia-smi finds none on this machine |\n");
    program_sees(&p, "skipped: an NVIDIA GPU: nvidia-smi finds none on this machine\n77\n");
    program_sees(&p, "rocm-smi finds no card on this machine\n77\n");
    program_free(&p);
}
