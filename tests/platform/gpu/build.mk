# Builds the emulated GPU for the runtimes named in RUNTIMES, its kernels and its tests. Called by run.sh; files are
# found by name, as in the main Makefile.
#
#   make -f tests/platform/gpu/build.mk BUILD=build/gpu RUNTIMES="system trixie" [SAN=-fsanitize=address,undefined] \
#       [ROOFTOP=build/release]
GPU      := tests/platform/gpu
BUILD    ?= build/gpu
RUNTIMES ?= system
# Where rooftop was built, which the tests of capture and replay run.
ROOFTOP  ?= build/release
CC       ?= cc
OPT      ?= -O2 -g
SAN      ?=
WARN     := -Wall -Wextra -Wpedantic -Werror $(if $(findstring clang,$(CC)),,-Wno-format-truncation)
ROOT     := build/trixie-hsa/root
LIBS     := $(ROOT)/usr/lib/x86_64-linux-gnu
CPPFLAGS := -I$(GPU) -Itests -Isrc -D_GNU_SOURCE
CFLAGS   := -std=c17 $(OPT) $(WARN) $(SAN) -fPIC
# Their libraries are of another C library than this system's: what they need is found when they are started.
NEWER    := -Wl,--allow-shlib-undefined -Wl,--unresolved-symbols=ignore-in-shared-libs

include_system :=
include_trixie := -isystem $(ROOT)/usr/include
header_system  := /usr/include/hsa/hsa_api_trace.h
header_trixie  := $(ROOT)/usr/include/hsa/hsa_api_trace.h
hsa_system     := -lhsa-runtime64
hsa_trixie     := $(LIBS)/libhsa-runtime64.so.1 $(NEWER)

NAMES    := $(basename $(notdir $(wildcard $(GPU)/test_*.c))) big_capture
HIP      := $(basename $(notdir $(wildcard $(GPU)/kernels/*.hip)))
# With line tables, which change no code: rooftop reproduce finds their sources by them.
# What GPUs the kernels are compiled for: the emulated ones; hardware may have another.
ISAS     ?= gfx90a gfx942
KERNELS  := $(foreach k,$(HIP),$(foreach a,$(ISAS),$(foreach o,1 2 3,$(BUILD)/kernels/$(k).$(a).O$(o).hsaco)))
DOUBLE   := $(wildcard $(GPU)/double/*.c $(GPU)/gcn/*.c)
SUPPORT  := $(wildcard $(GPU)/support/*.c) $(GPU)/gcn/number.c $(GPU)/program.c $(GPU)/skip.c $(GPU)/test.c
HEADERS  := $(wildcard $(GPU)/*/*.h $(GPU)/*/*.def $(GPU)/*.def) tests/support/test.h
APP      := $(wildcard $(GPU)/apps/*.c) $(GPU)/support/gpu.c
# rooftop's own, for captures made by hand.
CAPTURE  := $(wildcard src/format/sum.c src/capture/writer/writer*.c)
CASES    := $(BUILD)/kernels/cases.gfx90a.o $(BUILD)/kernels/cases.gfx942.o
INTERPRETER := $(filter $(GPU)/gcn/%,$(DOUBLE))

# FORCE: which rooftop they start may be another one than last time.
.PHONY: all demo lint FORCE
all: $(KERNELS) $(CASES) $(foreach r,$(RUNTIMES),$(addprefix $(BUILD)/tests/$(r)/,$(NAMES) app rooftop))

# What demo.sh needs, no more.
demo: $(KERNELS) $(foreach r,$(RUNTIMES),$(addprefix $(BUILD)/tests/$(r)/,app rooftop))

# Prints the clang for a GPU, found as the product finds its tools (src/base/toolbox.c).
$(BUILD)/device_cc: $(GPU)/device_cc.c $(ROOFTOP)/librooftop-core.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $^ -lm -pthread

define kernel # NAME ISA LEVEL
$(BUILD)/kernels/$(1).$(2).O$(3).hsaco: $(GPU)/kernels/$(1).hip $(GPU)/kernels/device.h | $(BUILD)/device_cc
	@mkdir -p $$(@D)
	cc=$$$$($(BUILD)/device_cc $(2)) && $$$$cc -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=$(2) -nogpulib -nogpuinc -gline-tables-only -O$(3) $$< -o $$@
endef
$(foreach k,$(HIP),$(foreach a,$(ISAS),$(foreach o,1 2 3,$(eval $(call kernel,$(k),$(a),$(o))))))

# The instructions that test_interpreter.c runs.
$(CASES): $(BUILD)/kernels/cases.%.o: $(GPU)/cases.def $(GPU)/cases.awk | $(BUILD)/device_cc
	@mkdir -p $(@D)
	awk -v isa=$* -f $(GPU)/cases.awk $< >$(@:.o=.s)
	cc=$$($(BUILD)/device_cc $*) && $$cc -target amdgcn-amd-amdhsa -mcpu=$* -c $(@:.o=.s) -o $@

define runtime # NAME
$(BUILD)/$(1)/%.o: $(GPU)/%.c $(HEADERS) $(BUILD)/$(1)/api_table.h
	@mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) $(include_$(1)) -I$(BUILD)/$(1) $(CFLAGS) -fvisibility=hidden -c $$< -o $$@
# As rooftop's other tests do it.
$(BUILD)/$(1)/program.o $(BUILD)/$(1)/skip.o $(BUILD)/$(1)/test.o: $(BUILD)/$(1)/%.o: tests/support/%.c tests/support/%.h $(BUILD)/$(1)/api_table.h
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $$< -o $$@
$(BUILD)/$(1)/api_table.h: $(header_$(1)) $(GPU)/api_table.awk
	@mkdir -p $$(@D)
	awk -f $(GPU)/api_table.awk $$< >$$@
$(BUILD)/$(1)/libhsakmt.so.1: $(DOUBLE:$(GPU)/%.c=$(BUILD)/$(1)/%.o) $(GPU)/double/exports.map
	$(CC) $(SAN) -shared -Wl,-soname,libhsakmt.so.1 -Wl,--version-script=$(GPU)/double/exports.map -o $$@ $$(filter %.o,$$^) -lm -pthread
$(BUILD)/$(1)/libtool.so: $(BUILD)/$(1)/tool.o
	$(CC) $(SAN) -shared -o $$@ $$^
$(BUILD)/$(1)/src/%.o: src/%.c
	@mkdir -p $$(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-format-truncation -c $$< -o $$@
$(NAMES:%=$(BUILD)/$(1)/%): $(BUILD)/$(1)/%: $(BUILD)/$(1)/%.o $(SUPPORT:$(GPU)/%.c=$(BUILD)/$(1)/%.o) $(CAPTURE:%.c=$(BUILD)/$(1)/%.o)
	$(CC) $(SAN) -o $$@ $$(filter %.o %.a,$$^) $(hsa_$(1)) -lcmocka -lcjson -lxxhash -lzstd -lm -ldl -pthread
# Captures are read as rooftop reads them.
$(BUILD)/$(1)/test_capture $(BUILD)/$(1)/test_capture_ends: $(ROOFTOP)/librooftop-core.a
$(BUILD)/$(1)/test_interpreter: $(INTERPRETER:$(GPU)/%.c=$(BUILD)/$(1)/%.o)
$(BUILD)/$(1)/app: $(APP:$(GPU)/%.c=$(BUILD)/$(1)/%.o)
	$(CC) $(SAN) -o $$@ $$^ $(hsa_$(1)) -lm -pthread
# What is run: the test with its libraries and files around it.
$(BUILD)/tests/$(1)/%: $(BUILD)/$(1)/% $(BUILD)/$(1)/libhsakmt.so.1 $(BUILD)/$(1)/libtool.so $(BUILD)/device_cc FORCE
	@mkdir -p $$(@D)
	printf '#!/bin/sh\nCLANG=%s ROOFTOP_GPU_KERNELS=%s ROOFTOP_GPU_TOOL=%s ROOFTOP_GPU_RUN=%s ROOFTOP_SELF=%s ROOFTOP_PROGRAM=%s exec %s %s $(1) %s "$$$$@"\n' \
	    "$$$$($(BUILD)/device_cc gfx942)" $(abspath $(BUILD))/kernels $(abspath $(BUILD))/$(1)/libtool.so $(abspath $(BUILD))/tests/$(1) $(abspath $(BUILD))/tests/$(1)/rooftop \
	    $(abspath $(ROOFTOP))/rooftop $(abspath $(GPU))/start.sh $(abspath $(BUILD)) $(abspath $(BUILD))/$(1)/$$* >$$@
	chmod +x $$@
# rooftop on the emulated GPU; what it starts of itself, too.
$(BUILD)/tests/$(1)/rooftop: $(BUILD)/$(1)/libhsakmt.so.1 FORCE
	@mkdir -p $$(@D)
	printf '#!/bin/sh\nROOFTOP_SELF=%s exec %s %s $(1) %s "$$$$@"\n' $(abspath $(BUILD))/tests/$(1)/rooftop \
	    $(abspath $(GPU))/start.sh $(abspath $(BUILD)) $(abspath $(ROOFTOP))/rooftop >$$@
	chmod +x $$@
.SECONDARY: $(APP:$(GPU)/%.c=$(BUILD)/$(1)/%.o) $(SUPPORT:$(GPU)/%.c=$(BUILD)/$(1)/%.o) $(NAMES:%=$(BUILD)/$(1)/%.o) $(NAMES:%=$(BUILD)/$(1)/%)
endef
$(foreach r,$(RUNTIMES),$(eval $(call runtime,$(r))))

# clang-tidy, with this system's headers. The rest of linting knows these files from the main Makefile.
LINTED ?= $(wildcard $(GPU)/*.c $(GPU)/*/*.c)
TIDIED := $(addprefix $(BUILD)/tidy/,$(filter $(LINTED),$(wildcard $(GPU)/*.c $(GPU)/*/*.c)))
lint: $(TIDIED)
$(BUILD)/tidy/%.c: %.c $(HEADERS) .clang-tidy $(BUILD)/system/api_table.h
	@mkdir -p $(@D)
	clang-tidy --quiet $< -- $(CPPFLAGS) -I$(BUILD)/system -std=c17 2>$@.log || { cat $@.log; exit 1; }
	@touch $@
