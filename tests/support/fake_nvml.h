/* A test double of NVML; ROOFTOP_NVML names it. */
#pragma once

/* Builds it in a directory of its own; only one may exist at a time. flags: "-DOLD" or "". */
void fake_nvml_new(const char *flags);
/* Sets what goes wrong from now on: see fake_nvml/nvml.c; NULL = nothing. */
void fake_nvml_mode(const char *mode);
void fake_nvml_free(void);
