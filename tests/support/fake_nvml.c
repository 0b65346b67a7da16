#include "support/fake_nvml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "support/compiled.h"

void fake_nvml_new(const char *flags)
{
    char here[512], command[1024];
    compiled_new();
    assert_non_null(getcwd(here, sizeof here));
    snprintf(command, sizeof command,
             "cc -std=gnu17 -shared -fPIC -I%s/src %s -o libnvidia-ml.so.1 "
             "%s/tests/support/fake_nvml/nvml.c",
             here, flags, here);
    assert_true(compiled_shell(command));
    env_put("ROOFTOP_NVML", compiled_path("libnvidia-ml.so.1"));
}

void fake_nvml_mode(const char *mode)
{
    env_put("FAKE_NVML", mode);
}

void fake_nvml_free(void)
{
    env_put("ROOFTOP_NVML", NULL);
    env_put("FAKE_NVML", NULL);
    compiled_free();
}
