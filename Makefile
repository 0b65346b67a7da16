# rooftop's build. `make run` and `make test` install what is missing, build, and go.
# Files are found by name: a new source or test file needs no line here.

BUILD    ?= build/release
CC       ?= cc
CXX      ?= c++
PKGS     := ncursesw libcjson
OPT      ?= -O2 -g
WARN     := -Wall -Wextra -Wpedantic $(if $(CI),-Werror) $(WERROR)
SAN      ?=
CFLAGS   ?=
override CPPFLAGS += -Isrc -Iinclude -D_GNU_SOURCE
override CFLAGS   += -std=c17 $(OPT) $(WARN) -fno-omit-frame-pointer -fstack-protector-strong $(SAN) \
                     $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
override CXXFLAGS += -std=c++17 $(OPT) $(WARN) -fno-omit-frame-pointer $(SAN)
override LDFLAGS  += $(SAN) -pthread -Wl,--as-needed -static-libgcc
LDLIBS    = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lpfm -lm -ldl $(CXXLIB)
CXXLIB   ?= -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic

SRCS     := $(shell find src -name '*.c' | LC_ALL=C sort)
CXXSRCS  := $(shell find src -name '*.cpp' | LC_ALL=C sort)
OBJS     := $(SRCS:%.c=$(BUILD)/%.o) $(CXXSRCS:%.cpp=$(BUILD)/%.o)
CORE     := $(filter-out $(BUILD)/src/main.o,$(OBJS))
SUPPORT  := $(patsubst %.c,$(BUILD)/%.o,$(shell find tests/support -name '*.c' 2>/dev/null | LC_ALL=C sort))
TESTS    := $(patsubst %.c,$(BUILD)/%,$(shell find tests -name 'test_*.c' | LC_ALL=C sort))

.PHONY: all run test check clean deps
all: $(BUILD)/rooftop

$(BUILD)/rooftop: $(BUILD)/src/main.o $(BUILD)/librooftop-core.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/librooftop-core.a: $(CORE)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(SUPPORT) $(BUILD)/librooftop-core.a
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(TEST_LIBS) $(LDLIBS)
TEST_LIBS = -lvterm -lutil

# check: build and run every test, no installing. Tests run from the repository root.
check: all $(TESTS)
	@BUILD=$(BUILD) tests/run.sh $(TESTS)

test: deps check
run: deps all
	$(BUILD)/rooftop
deps:
	@true
clean:
	rm -rf build

.SECONDARY:
-include $(OBJS:.o=.d) $(SUPPORT:.o=.d) $(TESTS:%=%.d)
