/* The double of NVML, built and named in ROOFTOP_NVML. */
#ifndef TESTS_SUPPORT_FAKE_NVML_H
#define TESTS_SUPPORT_FAKE_NVML_H

/* flags: "-DOLD" or "". Builds it in a directory of its own; one at a time. */
void fake_nvml_new(const char *flags);
/* What goes wrong from now on: fake_nvml/nvml.c; NULL = nothing. */
void fake_nvml_mode(const char *mode);
void fake_nvml_free(void);

#endif
