# rooftop's build. `make run` and `make test` install what is missing, build, and go.
# Files are found by name: a new source, test, fuzz target or benchmark needs no line here.
#
#   make BUILD=build/asan SAN=-fsanitize=address,undefined check     a second build beside the first
#   make BUILD=build/clang CC=clang CXX=clang++ WERROR=-Werror       another compiler
#   make V=1                                                         shows the commands

COMMA    := ,
BUILD    ?= build/release
CC       ?= cc
# make itself says g++, which a machine with clang only has not.
ifeq ($(origin CXX),default)
CXX      := c++
endif
PREFIX   ?= /usr/local
VERSION  := $(shell cat VERSION)
PKGS     := ncursesw libcjson sqlite3 zlib libzstd libxxhash libmd libffi
OPT      ?= -O2 -g
# Cutting a text to its buffer is what snprintf is used for here; gcc warns of it or not by optimisation level. cc may be clang,
# which does not know that option; gcc says nothing of an unknown -Wno-.
WARN     := -Wall -Wextra -Wpedantic -Wno-unknown-warning-option -Wno-format-truncation \
            $(if $(findstring =thread,$(SAN)),-Wno-tsan) $(if $(CI),-Werror) $(WERROR)
SAN      ?=
# The sanitizers' C++ part comes with the C++ compiler only.
LINK     := $(if $(SAN),$(CXX),$(CC))
CFLAGS   ?=
CXXFLAGS ?=
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
override CPPFLAGS += -Isrc -Iinclude -Itests -D_GNU_SOURCE -DROOFTOP_VERSION='"$(VERSION)"'
COMMON   := $(OPT) $(WARN) -fno-omit-frame-pointer -fstack-protector-strong $(SAN) $(PKG_CFLAGS)
override CFLAGS   += -std=c17 $(COMMON)
# clang: checks whose run time only its C++ linker would bring
override CXXFLAGS += -std=c++17 $(COMMON) \
                     $(if $(SAN),$(if $(findstring clang,$(CXX)),-fno-sanitize=vptr -fno-sanitize=function))
# Addresses in tables are relocated at each start: packed where the C library can read that.
RELR     := $(if $(shell grep -ls GLIBC_ABI_DT_RELR "$$($(CC) -print-file-name=libc.so.6 2>/dev/null)"),-Wl$(COMMA)-z$(COMMA)pack-relative-relocs)
override LDFLAGS  += $(SAN) -pthread -Wl,--as-needed -static-libgcc $(RELR)
# Libraries go in statically where their archives are there: ten that are loaded, relocated and never called by most
# commands took half of the time until the first picture, and a megabyte. `make STATIC=` links what the system shares.
STATIC   ?= ncursesw tinfo sqlite3 z zstd xxhash md ffi pfm dw elf lzma bz2 cjson
STATIC   := $(foreach l,$(STATIC),$(if $(findstring /,$(shell $(CC) -print-file-name=lib$(l).a 2>/dev/null)),$(l)))
# libdw's archive needs those that open compressed debug information.
STATIC   := $(if $(filter-out $(STATIC),dw elf lzma bz2 z zstd),$(filter-out dw elf,$(STATIC)),$(STATIC))
libs      = $(foreach l,$(1),$(if $(filter $(patsubst -l%,%,$(l)),$(STATIC)),$(patsubst -l%,-l:lib%.a,$(l)),$(l)))
CXXLIB   ?= -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic
# ALONE=yes: the program alone, one file with its C library in it, for scripts/portable.sh.
ALONE    ?=
ifneq ($(ALONE),)
override CPPFLAGS += -DROOFTOP_ALONE
override LDFLAGS  += -static-pie
CXXLIB   := -lstdc++
endif
LDLIBS   := $(call libs,-lpfm -ldw -lelf $(if $(filter dw,$(STATIC)),-llzma -lbz2) $(PKG_LIBS)) -lm -ldl $(CXXLIB)
TEST_LIBS := -lcmocka -lvterm -lutil
# Six hundred test programs are linked: LLVM's linker, where it is there, takes half the time of binutils'.
LLD       := $(lastword $(wildcard /usr/bin/ld.lld /usr/lib/llvm-*/bin/ld.lld))
TEST_LD   := $(if $(LLD),-B$(dir $(LLD)) -fuse-ld=lld)

sources   = $(sort $(shell find $(wildcard $(1)) -name '$(2)' 2>/dev/null))
objects   = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
# src/brick is librooftop: in the programs that are watched, not in rooftop.
BRICK    := $(call objects,$(call sources,src/brick,*.c))
# src/nvtx goes beside it, into a library of its own.
NVTX     := $(call objects,$(call sources,src/nvtx,*.c))
# src/mpi goes into MPI programs: the site's own mpicc compiles it when it is first needed (backends/mpi).
MPI_C    := $(call sources,src/mpi,*.c)
MPI_FILES := $(patsubst src/%,$(BUILD)/mpi/%,$(MPI_C) $(wildcard src/mpi/*.h) src/format/mpi_record.h)
# src/nccl is a plugin of NCCL and RCCL, in the programs of a job's ranks.
NCCL     := $(call objects,$(call sources,src/nccl,*.c))
# src/recorder goes into programs whose system calls are recorded: x86-64 only, without a C library.
RECORDER_C := $(call objects,$(call sources,src/recorder,*.c))
RECORDER := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),$(RECORDER_C) $(call objects,$(call sources,src/recorder,*.S)))
# src/capture goes into the programs whose dispatches are captured, with the layout that both sides know, src/format,
# and the reader of symbols, src/gpu/code_elf.c.
CAPTURE  := $(call objects,$(call sources,src/capture src/format,*.c) src/gpu/code_elf.c)
# The HSA runtime's headers are not everywhere (Debian 12 has them for amd64 only). Without them rooftop is built
# without what includes them: it sees no agents, captures and replays nothing, and says why. `make HSA=` tries that.
HSA      ?= $(shell printf '\043include <hsa/hsa_ext_amd.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HSA      := $(HSA)
# Its own dlopen() would take the place of the system's.
NOT_ALONE := $(if $(ALONE),,$(call objects,src/alone/linked_in.c))
NO_HSA   := $(call objects,$(if $(HSA),$(call sources,src/backends/without_hsa,*.c),$(shell \
                $(CC) $(CPPFLAGS) -M -MG $(call sources,src/backends/hsa src/backends/replay src/capture tests/capture,*.c) 2>/dev/null | \
                sed -e ':a' -e '/\\$$/{N;s/\\\n//;ba' -e '}' | awk '/[ \/]hsa\/hsa[a-z_]*\.h/ { print $$2 }')))
CAPTURE  := $(if $(HSA),$(CAPTURE))
RANGES   := libroctx64.so.4 librocprofiler-sdk-roctx.so.0 librocprofiler-sdk-roctx.so.1
METRICS  := $(call objects,$(wildcard src/engine/live/metrics.toml))
CARRIED  := $(call objects,$(wildcard src/tui/term/carried.txt))
OBJS     := $(filter-out $(BRICK) $(NVTX) $(NCCL) $(call objects,$(MPI_C)) $(RECORDER_C) $(NO_HSA) $(NOT_ALONE),$(call objects,$(call sources,src,*.c) $(call sources,src,*.cpp))) $(METRICS) $(CARRIED)
CORE     := $(filter-out $(BUILD)/src/main.o,$(OBJS))
SUPPORT  := $(call objects,$(call sources,tests/support,*.c))
# What is in tests/platform/ needs more than a compiler: each of its folders builds itself.
# WITHOUT: programs that are not run.
TESTS    := $(filter-out $(WITHOUT),$(filter-out $(NO_HSA:.o=),$(patsubst %.c,$(BUILD)/%,$(filter-out tests/platform/%,$(call sources,tests,test_*.c)))))
FUZZERS  := $(patsubst %.c,$(BUILD)/%,$(call sources,tests/fuzz,fuzz_*.c))
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(shell grep -lsw main bench/*.c))
# A folder of examples/ with .c files is a program of that name. What lies deeper is not: kernels that others build.
EXAMPLE_DIRS := $(sort $(patsubst %/,%,$(dir $(wildcard examples/*/*.c))))
EXAMPLES := $(foreach d,$(EXAMPLE_DIRS),$(BUILD)/$(d)/$(notdir $(d)))
LIB      := $(BUILD)/librooftop-core.a
say       = @printf '  %-5s %s\n' $(1) $@
Q        := $(if $(V),,@)

.PHONY: all run test check room deps install uninstall deb portable clean fuzz lint format fuzzers check-fuzz nightly bench counts bench-history benches screenshots soak check-fresh mutate test-pmu test-gpu demo-gpu help FORCE
.SECONDARY:
all: $(BUILD)/rooftop $(BUILD)/rtop $(BUILD)/librooftop.a $(BUILD)/librooftop.so $(BUILD)/ranges/$(firstword $(RANGES)) $(BUILD)/librooftop-nccl.so \
     $(if $(HSA),$(BUILD)/librooftop-capture.so) $(if $(RECORDER),$(BUILD)/librooftop-recorder.so) $(MPI_FILES) $(EXAMPLES)

# What the dashboard runs lies side by side in the program: pages of other code are not read for it.
LIVE     := $(filter $(OBJS),$(call objects,$(shell sed -n 's/^\(src[^ ]*\).*/\1/p' scripts/live.txt)))
LIVE_FLAGS := -ffunction-sections
$(LIVE): override CFLAGS += $(LIVE_FLAGS)
$(LIVE): $(BUILD)/live-flags
# Each timed call of the judge has inputs of its own and is compared: these loops are its cost.
$(call objects,src/engine/judge/judge_mix.c src/engine/judge/judge_outputs.c): override CFLAGS += -O3 -fno-trapping-math
$(BUILD)/live.ld: scripts/live.awk scripts/live.txt
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@.new && mv $@.new $@
$(BUILD)/rooftop: $(BUILD)/src/main.o $(LIVE) $(LIB) $(BUILD)/live.ld
	$(call say,LINK)
	$(Q)$(LINK) $(LDFLAGS) -Wl,-T,$(BUILD)/live.ld -Wl,-Map,$@.map -o $@ $(BUILD)/src/main.o $(filter-out %/src/main.o,$(LIVE)) \
	    $(call libs,$(filter -lncursesw -ltinfo,$(PKG_LIBS))) $(LIB) $(LDLIBS)

# The same program by a name that is quick to type.
$(BUILD)/rtop: $(BUILD)/rooftop
	$(Q)ln -sf rooftop $@ && touch -h $@

$(LIB): $(CORE) $(BUILD)/files
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(CORE)

$(BRICK) $(NVTX) $(NCCL) $(CAPTURE): override CFLAGS += -fPIC -fvisibility=hidden
$(BUILD)/librooftop.a: $(BRICK) $(BUILD)/files
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(BRICK)
# nodelete: its threads' ends call back into it.
$(BUILD)/librooftop.so: $(BRICK) $(BUILD)/files
	$(call say,LINK)
	$(Q)$(CC) $(SAN) -shared -pthread -Wl,-soname,librooftop.so.1 -Wl,-z,nodelete -Wl,--as-needed -o $@ $(BRICK)
$(BUILD)/librooftop-nvtx.so: $(NVTX) $(BRICK)
	$(call say,LINK)
	$(Q)$(CC) $(SAN) -shared -pthread -Wl,-soname,librooftop-nvtx.so -Wl,-z,nodelete -Wl,--as-needed -o $@ $^
# nodelete: NCCL unloads it with its last communicator, and fork() calls back into it.
$(BUILD)/librooftop-nccl.so: $(NCCL) $(BUILD)/files
	$(call say,LINK)
	$(Q)$(CC) $(SAN) -shared -pthread -Wl,-soname,librooftop-nccl.so -Wl,-z,nodelete -Wl,--as-needed -o $@ $(NCCL)
# nodelete: the runtime unloads it when it is shut down, and may load it again. It brings its own libzstd: the
# program may have another.
$(BUILD)/librooftop-capture.so: $(CAPTURE) src/capture/exports.map $(BUILD)/files
	$(call say,LINK)
	$(Q)$(CC) $(SAN) -shared -pthread -Wl,-soname,librooftop-capture.so -Wl,-z,nodelete $(if $(SAN),,-Wl,-z,defs) -Wl,--as-needed -Wl,--exclude-libs,ALL \
	    -Wl,--version-script=src/capture/exports.map -o $@ $(CAPTURE) -static-libgcc -Wl,-Bstatic -lzstd -Wl,-Bdynamic $(CXXLIB)

# No library, no sanitizer, no vector register; its constructor runs first.
$(RECORDER): override CFLAGS := -std=c17 -O2 -g $(filter-out -Wno-tsan,$(WARN)) -fPIC -ffreestanding -fno-builtin -fvisibility=hidden \
    -fno-stack-protector -fcf-protection=none -mgeneral-regs-only -mno-red-zone -fno-omit-frame-pointer
# Its loader runs under ptrace: few mappings are few stops. Only two addresses of it would be read-only after relocation.
$(BUILD)/librooftop-recorder.so: $(RECORDER) $(BUILD)/files
	$(call say,LINK)
	$(Q)$(CC) -shared -nostdlib -Wl,-soname,librooftop-recorder.so -Wl,-z,initfirst,-z,now,-z,defs,-z,noexecstack,-z,noseparate-code,-z,norelro -Wl,-Bsymbolic -o $@ $(RECORDER)

$(MPI_FILES): $(BUILD)/mpi/%: src/%
	$(Q)install -D -m 644 $< $@

# The names that programs with rocTX load it by.
$(BUILD)/ranges/$(firstword $(RANGES)): $(BUILD)/librooftop-nvtx.so
	$(Q)mkdir -p $(@D) && for name in $(RANGES); do ln -sf ../librooftop-nvtx.so $(@D)/$$name; done
	$(Q)touch -h $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# Built-in metrics are data: their rows become C here.
$(METRICS:.o=.c): src/engine/live/metrics.toml src/engine/value/value.c scripts/metrics.awk
	@mkdir -p $(@D)
	$(call say,AWK)
	$(Q)awk -f scripts/metrics.awk src/engine/value/value.c $< >$@.new && mv $@.new $@
# Entries of terminals, of which a minimal system has none.
$(CARRIED:.o=.c): src/tui/term/carried.txt scripts/carried.sh
	@mkdir -p $(@D)
	$(call say,INFO)
	$(Q)scripts/carried.sh $< >$@.new && mv $@.new $@
$(METRICS) $(CARRIED): %.o: %.c $(BUILD)/flags
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# libFuzzer is clang's. What gcc builds has a main() of its own.
FUZZ_MAIN := $(if $(findstring clang,$(CC)),,$(BUILD)/tests/fuzz/driver.o)
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_MAIN) $(LIB) $(BUILD)/librooftop.a
	$(call say,LINK)
	$(Q)$(LINK) $(LDFLAGS) $(if $(FUZZ_MAIN),,-fsanitize=fuzzer) -o $@ $^ $(LDLIBS)

$(BUILD)/libsupport.a: $(SUPPORT) $(BUILD)/files
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(SUPPORT)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libsupport.a $(LIB) $(BUILD)/librooftop.a
	$(call say,LINK)
	$(Q)$(LINK) $(filter-out $(RELR),$(LDFLAGS)) $(TEST_LD) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

# Their vector code is chosen at run time: each file of kernels has the flags of its instruction set.
EXAMPLE_FLAGS := -O3 -ffp-contract=fast -fno-tree-vectorize -fno-stack-protector
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),)
$(BUILD)/examples/transformer/kernels_avx2.o: EXAMPLE_FLAGS += -mavx2 -mfma
$(BUILD)/examples/transformer/kernels_avx512.o: EXAMPLE_FLAGS += -mavx512f -mfma -mprefer-vector-width=512
endif
define example
$(BUILD)/$(1)/$(notdir $(1)): $(call objects,$(wildcard $(1)/*.c)) $(BUILD)/librooftop.a
	$$(call say,LINK)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ -lm
$(call objects,$(wildcard $(1)/*.c)): override CFLAGS += $$(EXAMPLE_FLAGS)
EXAMPLE_DEPS += $(patsubst %.o,%.d,$(call objects,$(wildcard $(1)/*.c)))
endef
$(foreach d,$(EXAMPLE_DIRS),$(eval $(call example,$(d))))

# They have a made-up /proc, as tests have.
$(BUILD)/bench/counts $(BUILD)/tests/fuzz/fuzz_event_list: $(BUILD)/tests/support/procfs.o
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB) $(BUILD)/librooftop.a
	$(call say,LINK)
	$(Q)$(LINK) $(LDFLAGS) -o $@ $^ -lutil $(LDLIBS)

# A stamp is a file that holds a text and is rewritten only when that text changes.
define stamp
ifneq ($$(strip $(2)),$$(file <$(1)))
$(1): FORCE
endif
$(1): export TEXT := $(2)
$(1):
	@mkdir -p $$(@D) && printf '%s\n' "$$$$TEXT" >$$@
endef
# -Werror makes no other objects.
FLAGS := $(strip $(filter-out -Werror,$(CC) $(CXX) $(CPPFLAGS) $(CFLAGS) $(CXXFLAGS) $(LDFLAGS) $(LDLIBS)))
$(eval $(call stamp,$(BUILD)/flags,$(FLAGS)))
$(eval $(call stamp,$(BUILD)/live-flags,$(strip $(LIVE_FLAGS) $(LIVE))))
$(eval $(call stamp,$(BUILD)/files,$(strip $(CORE) $(SUPPORT) $(BRICK) $(CAPTURE) $(RECORDER))))

# --- the README's two commands. A make of its own after the installation: what pkg-config says has changed then.
# On all processors, unless the user said how many.
JOBS      = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
run:
	@scripts/install-deps.sh build
	@$(MAKE) --no-print-directory $(JOBS) all
	@if [ ! -t 1 ]; then exec $(BUILD)/rooftop; fi; \
	if ! $(BUILD)/rooftop lab roofs --stored >/dev/null 2>&1; then \
	    echo 'Measuring what this machine can do, once: the roofs of the roofline (10 to 40 s; ^C leaves it out)'; \
	    trap : INT; $(BUILD)/rooftop lab roofs --quick >/dev/null || true; trap - INT; \
	fi; \
	exec $(BUILD)/rooftop -- $(BUILD)/examples/transformer/transformer
test:
	@scripts/install-deps.sh build test
	@$(MAKE) --no-print-directory $(JOBS) check
deps:
	@scripts/install-deps.sh build test lint fuzz pmu gpu bench

# check: build and run every test, no installing. Tests run from the repository root.
check: all $(TESTS)
	@BUILD=$(BUILD) tests/run.sh $(TESTS)

# T=engine/value: that room's tests only, built below build/room with what they need.
room:
	@MAKE='$(MAKE) $(JOBS)' LEFT_OUT='$(patsubst $(BUILD)/%.o,%.c,$(NO_HSA) $(NOT_ALONE)) $(MPI_C)' scripts/room.sh '$(T)'
ifdef T
.DEFAULT_GOAL := room
endif

# --- installation: the manual and the completions are made by the program from its option table
GENERATED := $(BUILD)/gen/rooftop.1 $(BUILD)/gen/rooftop.bash $(BUILD)/gen/_rooftop $(BUILD)/gen/rooftop.fish
# a page a noun of the command line
NOUNS     := record job compare report gpu trace check export optimize lab doctor help
PAGES     := $(NOUNS:%=$(BUILD)/gen/rooftop-%.1)
$(foreach noun,$(NOUNS),$(eval $(BUILD)/gen/rooftop-$(noun).1: GENERATE = man-$(noun)))
$(BUILD)/gen/rooftop.1: GENERATE = man
$(BUILD)/gen/rooftop.bash: GENERATE = bash
$(BUILD)/gen/_rooftop: GENERATE = zsh
$(BUILD)/gen/rooftop.fish: GENERATE = fish
$(GENERATED) $(PAGES): $(BUILD)/rooftop
	@mkdir -p $(@D)
	$(Q)$< --generate $(GENERATE) >$@.new && mv $@.new $@

share     = $(DESTDIR)$(PREFIX)/share
lib       = $(DESTDIR)$(PREFIX)/lib
SHORT     = $(DESTDIR)$(PREFIX)/bin/rtop $(share)/man/man1/rtop.1 $(share)/bash-completion/completions/rtop \
            $(share)/fish/vendor_completions.d/rtop.fish
INSTALLED = $(SHORT) $(DESTDIR)$(PREFIX)/bin/rooftop $(DESTDIR)$(PREFIX)/include/rooftop $(lib)/librooftop.a $(lib)/librooftop.so \
            $(lib)/librooftop.so.1 $(lib)/rooftop $(lib)/pkgconfig/rooftop.pc $(share)/man/man1/rooftop.1 \
            $(NOUNS:%=$(share)/man/man1/rooftop-%.1) \
            $(share)/bash-completion/completions/rooftop $(share)/zsh/site-functions/_rooftop \
            $(share)/fish/vendor_completions.d/rooftop.fish $(share)/rooftop $(share)/doc/rooftop
install: all $(GENERATED) $(PAGES)
	install -D -m 755 $(BUILD)/rooftop $(DESTDIR)$(PREFIX)/bin/rooftop
	install -d $(share)/man/man1
	install -m 644 $(BUILD)/gen/rooftop.1 $(PAGES) $(share)/man/man1
	install -D -m 644 $(BUILD)/gen/rooftop.bash $(share)/bash-completion/completions/rooftop
	install -D -m 644 $(BUILD)/gen/_rooftop $(share)/zsh/site-functions/_rooftop
	install -D -m 644 $(BUILD)/gen/rooftop.fish $(share)/fish/vendor_completions.d/rooftop.fish
	ln -sf rooftop $(DESTDIR)$(PREFIX)/bin/rtop
	ln -sf rooftop.1 $(share)/man/man1/rtop.1
	ln -sf rooftop $(share)/bash-completion/completions/rtop
	echo 'complete -c rtop -w rooftop' >$(share)/fish/vendor_completions.d/rtop.fish
	install -d $(DESTDIR)$(PREFIX)/include/rooftop $(lib)/pkgconfig
	install -m 644 $(wildcard include/rooftop/*.h) $(DESTDIR)$(PREFIX)/include/rooftop
	install -m 644 $(BUILD)/librooftop.a $(lib)
	install -m 644 $(BUILD)/librooftop.so $(lib)/librooftop.so.1
	install -d $(lib)/rooftop/ranges
	install -m 644 $(BUILD)/librooftop-nvtx.so $(BUILD)/librooftop-nccl.so $(lib)/rooftop
	$(if $(HSA),install -m 644 $(BUILD)/librooftop-capture.so $(lib)/rooftop)
	$(if $(RECORDER),install -m 644 $(BUILD)/librooftop-recorder.so $(lib)/rooftop)
	cd $(BUILD) && for file in $(MPI_FILES:$(BUILD)/%=%); do install -D -m 644 $$file $(abspath $(lib))/rooftop/$$file; done
	for name in $(RANGES); do ln -sf ../librooftop-nvtx.so $(lib)/rooftop/ranges/$$name; done
	ln -sf librooftop.so.1 $(lib)/librooftop.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' scripts/rooftop.pc.in >$(lib)/pkgconfig/rooftop.pc
	install -d $(share)/rooftop/themes $(share)/doc/rooftop
	install -m 644 $(wildcard themes/*.theme) $(share)/rooftop/themes
	install -m 644 LICENSE $(filter-out docs/README.md,$(wildcard README.md docs/*.md docs/*.json)) $(share)/doc/rooftop
uninstall:
	rm -rf $(INSTALLED)
# Packages for Debian and Ubuntu; a build of its own, which links what the system shares.
deb:
	@scripts/install-deps.sh build deb
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build/shared STATIC= all
	@scripts/deb.sh build/shared
# One archive that runs where it is unpacked, with glibc or without; built and tried in minimal systems made anew.
portable:
	@scripts/portable.sh

# --- checks beyond the tests; .ci/run runs them all
# tests/data is input of tests: code that is wrong on purpose, too.
CODE := $(filter-out tests/data/%,$(call sources,src tests bench include examples,*.[ch])) $(call sources,src,*.cpp)
# CHANGED=1: clang-tidy and cppcheck, which take most of the time, look at what changed only (scripts/changed.sh).
LINTED := $(filter-out $(MPI_C),$(filter $(if $(CHANGED),$(if $(filter lint,$(MAKECMDGOALS)),$(shell scripts/changed.sh --sources 400 src tests bench include examples)),%),$(filter %.c %.cpp,$(CODE))))
TIDY := $(patsubst %,$(BUILD)/%.tidy,$(filter-out tests/platform/%,$(LINTED)))
lint: $(TIDY)
	$(Q)[ ! -e /usr/include/hsa/hsa.h ] || $(MAKE) -s -f tests/platform/gpu/build.mk BUILD=build/gpu LINTED='$(filter tests/platform/gpu/%,$(LINTED))' lint
	@scripts/shape.sh
	@scripts/raw.sh
	@scripts/names.sh
	@scripts/arrows.sh . $(BUILD)
	@scripts/statics.sh $(BUILD)
	@scripts/rooms.sh
	@scripts/english.sh
	$(Q)clang-format --dry-run -Werror $(CODE)
	@mkdir -p build/cppcheck
	$(Q)[ -z '$(firstword $(filter %.c,$(LINTED)))' ] || cppcheck --quiet --std=c17 --language=c -D_GNU_SOURCE -D__linux__ -Isrc -Iinclude --inline-suppr -j 2 \
	    --enable=warning,performance,portability --suppressions-list=scripts/cppcheck.txt --error-exitcode=1 \
	    --cppcheck-build-dir=build/cppcheck $(filter %.c,$(LINTED))
# Kept until the file or what it includes changes: its object file knows. The analyser gives up on a function after
# 60,000 states, not 225,000: it takes 40 % of the time then, and found the same here.
$(BUILD)/%.tidy: % .clang-tidy $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,TIDY)
	$(Q)clang-tidy --quiet $< -- $(CPPFLAGS) $(if $(filter %.cpp,$<),$(CXXFLAGS),$(CFLAGS)) -Wno-unknown-warning-option \
	    -Xclang -analyzer-config -Xclang max-nodes=60000 2>$@.log || { cat $@.log; exit 1; }
	@touch $@
define tidy_rule
$(BUILD)/$(1).tidy: $(BUILD)/$(basename $(1)).o
endef
$(foreach f,$(filter-out tests/platform/%,$(filter %.c %.cpp,$(CODE))),$(eval $(call tidy_rule,$(f))))
format:
	clang-format -i $(CODE)

FUZZ_RUNS ?= 200000
fuzzers: $(FUZZERS)
# The same targets in a build of the sanitizers (BUILD=, OPT= and SAN= as for its tests), without libFuzzer: always the same inputs.
check-fuzz: $(FUZZERS)
	@scripts/fuzz.sh $(FUZZ_RUNS) $(FUZZERS)
FUZZ := BUILD=build/fuzz CC=clang CXX=clang++ SAN=-fsanitize=fuzzer-no-link,address,undefined
fuzz:
	@scripts/install-deps.sh build fuzz
	@$(MAKE) --no-print-directory $(FUZZ) fuzzers
	@scripts/fuzz.sh $(FUZZ_RUNS) $(patsubst $(BUILD)/%,build/fuzz/%,$(FUZZERS))
# A week of frames, and a million random keys under sanitizers: hours, so not part of `test`.
SOAK := BUILD=build/asan OPT='-O1 -g1' SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined'
soak: $(BUILD)/tests/tui/app/test_soak
	SOAK_FRAMES=604800 $<
	@$(MAKE) --no-print-directory $(SOAK) build/asan/tests/tui/app/test_app
	RANDOM_STEPS=1000000 build/asan/tests/tui/app/test_app
# What .ci/run does, and what takes longer: an hour and a half.
nightly:
	@.ci/run --nightly
# The README's two commands in minimal systems made anew.
check-fresh:
	@scripts/check-fresh.sh
# Would the tests notice? One-line faults, one at a time; docs/TESTING.md. FILES='src/engine/value/formula.c src/brick', or
# SINCE=origin/main: what changed since then. MAX, SEED, LEAST (a percentage), TESTS_TOO (beyond those of the room).
mutate:
	@scripts/mutate.py $(FILES) $(if $(SINCE),--since $(SINCE)) $(if $(MAX),--max $(MAX)) $(if $(SEED),--seed $(SEED)) \
	    $(if $(LEAST),--least $(LEAST)) $(if $(TESTS_TOO),--tests $(TESTS_TOO))
test-pmu:
	@tests/platform/pmu/run.sh build/pmu
# With sanitizers, rooftop and what it loads into programs have them too.
GPU_ROOFTOP := $(if $(SAN),build/asan,$(BUILD))
test-gpu:
	@$(MAKE) --no-print-directory BUILD=$(GPU_ROOFTOP) all
	@CC='$(CC)' OPT='$(OPT)' SAN='$(SAN)' ROOFTOP=$(GPU_ROOFTOP) tests/platform/gpu/run.sh $(if $(SAN),build/gpu-san,build/gpu)
# rooftop on the emulated GPU, with a capture to replay; docs/EMULATED_GPU.md. DEMO=--headless: as text.
demo-gpu: all
	@CC='$(CC)' ROOFTOP=$(BUILD) tests/platform/gpu/demo.sh build/gpu

# --- measurements and pictures
bench:
	@scripts/install-deps.sh build bench
	@$(MAKE) --no-print-directory all benches
	@bench/run.py $(BUILD)
# Instructions and allocations of hot paths against bench/counts.tsv: 3 % more fail. UPDATE=1 writes the table, TABLE= names another.
counts:
	@scripts/install-deps.sh build counts
	@$(MAKE) --no-print-directory $(BUILD)/rooftop $(BUILD)/librooftop-nccl.so $(BUILD)/bench/counts $(BUILD)/bench/make_profile
	@bench/counts.py $(BUILD) $(if $(UPDATE),--update) $(if $(TABLE),--table '$(TABLE)')
# The same counts, kept by rooftop's own history with commit and host, and the set of benches/: a step that is within the noise of a
# single look is found there. Counts, ratios and operations per cycle are judged, status 9; times alone, which depend on the
# machine, are only kept. BENCH_DB= names another database than the one in the state folder.
bench-history:
	@scripts/install-deps.sh build counts bench
	@$(MAKE) --no-print-directory all benches
	@bench/counts.py $(BUILD) --json $(BUILD)/counts.json; worse=$$?; $(HISTORY) --import $(BUILD)/counts.json >/dev/null && \
	    benches/run.sh $(BUILD) $(BENCH_DB) && for judged in 'counts ' ' / ' 'lab '; do \
	    $(HISTORY) --fail-on alarm "$$judged" || worse=$$?; done && exit $$worse
HISTORY = $(BUILD)/rooftop history $(if $(BENCH_DB),--db $(BENCH_DB))
benches: $(BENCHES)
screenshots: all benches
	@scripts/screenshots.sh $(BUILD)/rooftop docs/screenshots

clean:
	rm -rf build

# --- make help: what stands after `#:` in this file, in order
help:
	@sed -n 's/^#://p' $(firstword $(MAKEFILE_LIST))
#:Targets:
#:    make                 builds the program, the libraries and the examples below build/release (BUILD=)
#:    make run             installs what is missing (Debian, Ubuntu), builds, opens the dashboard on a program that works
#:    make test            the same, then runs all tests
#:    make check           builds and runs all tests, installs nothing
#:    make room            T=engine/value: the tests of one room, with only the sources that they need (make T=engine/value does it, too)
#:    make lint            format, includes between rooms, sizes of functions, safe printing, clang-tidy, cppcheck (CHANGED=1, SINCE=)
#:    make format          formats the code with clang-format
#:    make fuzz            fuzzes every reader of outside data by libFuzzer (FUZZ_RUNS=200000)
#:    make fuzzers         builds the fuzz targets only
#:    make check-fuzz      runs the fuzz targets' inputs and FUZZ_RUNS made from them, always the same; BUILD, OPT, SAN as below
#:    make nightly         what .ci/run does, everything where it looks at what changed, libFuzzer, clang, the history of costs
#:    make mutate          plants one-line faults and asks whether the tests notice (FILES=, SINCE=origin/main, MAX=)
#:    make soak            a week of frames, a million random keys: takes hours
#:    make test-pmu        counts on an emulated arm64 machine with a PMU
#:    make test-gpu        captures and replays on an emulated AMD GPU
#:    make demo-gpu        the dashboard on the emulated GPU, with a capture to replay
#:    make check-fresh     the README's two commands in new minimal systems
#:    make bench           all measurements beside htop, btop and others (idle machine)
#:    make counts          instructions and allocations of hot paths, which a change must not raise by 3 % (UPDATE=1 keeps them)
#:    make bench-history   the same and benches/, kept by rooftop compare history (BENCH_DB=FILE): fails also where a series became worse
#:    make benches         builds the measuring programs only
#:    make screenshots     draws the pictures of the README again
#:    make deps            installs what all these targets need (Debian, Ubuntu)
#:    make install         to PREFIX=/usr/local, below DESTDIR=
#:    make deb             packages of the same for Debian and Ubuntu, below build/shared/deb
#:    make portable        one archive that runs where it is unpacked, on any Linux: a static program, which hands over to one for glibc
#:    make uninstall       removes what install put there
#:    make clean           removes build/
#:
#:One test, from the repository root:
#:    make build/release/tests/engine/value/test_query && build/release/tests/engine/value/test_query
#:Pictures of screens that changed on purpose: write them anew, look at the difference, run the test again:
#:    UPDATE_GOLDEN=1 build/release/tests/tui/app/test_views; git diff tests/data/golden
#:Sanitizers, in a build of their own:
#:    make check BUILD=build/asan SAN=-fsanitize=address,undefined
#:Options: V=1 shows the commands, OPT='-O0 -g' builds fast, CC=clang CXX=clang++ WERROR=-Werror, HSA= without its headers

-include $(EXAMPLE_DEPS) $(patsubst %.o,%.d,$(OBJS) $(SUPPORT) $(BRICK) $(RECORDER)) $(TESTS:%=%.d) $(FUZZERS:%=%.d) $(BENCHES:%=%.d)
