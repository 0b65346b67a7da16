#include "cli/options/options.h"
#include "engine/replay/replay_protocol.h"

#define AT(member) offsetof(struct options, member)
#define CONFIG     true
#define NO_CONFIG  false

/*
 * One row an option: section, name, letter, type, argument, choices, min, max, default, commands,
 * config key?, help, member. "-" is the dashboard and its headless form, "*" every command.
 */
/* Commands over files or running programs, and over files alone. */
#define TRACED "tree path timeline roofline bricks"
#define OPENED "kernels report steps export"
/* Those that can look at a part of a profile (engine/trace/window.h). */
#define WINDOWED "- compare " TRACED " " OPENED

const struct option_def option_table[] = {
    {"What to watch", "pid", 'p', OPTION_STRING, "PID[,PID...]", NULL, 0, 0, NULL,
     "- record " TRACED " usdt code", NO_CONFIG,
     "watch these processes (64 at most) with all their threads", AT(pids)},
    {NULL, "children", 0, OPTION_CHOICE, "WHICH", "new|all|none", 0, 0, "new",
     "- record " TRACED " usdt", CONFIG,
     "of processes watched by number: what they start from now on, what they have started too, or "
     "their own threads only",
     AT(children)},
    {NULL, "cgroup", 0, OPTION_STRING, "PATH", NULL, 0, 0, NULL, "- record", NO_CONFIG,
     "watch a cgroup v2 directory, absolute or below /sys/fs/cgroup", AT(cgroup)},
    {NULL, "cpu", 'C', OPTION_STRING, "LIST", NULL, 0, 0, NULL, "- record", NO_CONFIG,
     "watch only these CPUs, as in 0-3,8", AT(cpulist)},
    {NULL, "event", 'e', OPTION_STRING, "LIST", NULL, 0, 0, NULL, "- record", CONFIG,
     "count these events too: generic or libpfm4 names, raw codes (r1c2), cpu/event=0x44/, "
     "tracepoints (sched:sched_switch); {a,b} counts a and b together",
     AT(events)},
    {NULL, "metrics", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "- record", CONFIG,
     "events and metrics of your own, in TOML", AT(metrics)},
    {NULL, "interval", 'd', OPTION_SECONDS, "SECONDS", NULL, 0.05, 3600, "1", "- record", CONFIG,
     "time between two samples; 500ms and 2s are understood too", AT(interval_s)},
    {NULL, "functions", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- record", CONFIG,
     "sample call stacks from the start: hot functions", AT(functions)},
    {NULL, "threads", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- record", CONFIG,
     "threads of processes as rows; headless, of what is watched, then of the busiest",
     AT(threads)},
    {NULL, "sample-rate", 0, OPTION_INT, "HZ", NULL, 1, 20000, "997", "- record", CONFIG,
     "samples a second on each busy CPU", AT(sample_rate)},
    {NULL, "call-graph", 0, OPTION_CHOICE, "HOW", "fp|dwarf|none", 0, 0, "fp", "- record", CONFIG,
     "how callers are found: by frame pointers, by DWARF (programs built without them; 8 KB a "
     "sample), not at all",
     AT(call_graph)},

    {"Headless", "headless", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- profile", NO_CONFIG,
     "print snapshots instead of opening the dashboard", AT(headless)},
    {NULL, "format", 0, OPTION_CHOICE, "FORMAT", "text|json|jsonl|csv|ansi|svg|folded|dot|chrome",
     0, 0, NULL,
     "- compare doctor " TRACED " " OPENED " att usdt profile code code-object replay "
     "capture reproduce",
     NO_CONFIG,
     "what to print, headless: text, ansi and svg are the screen; json, jsonl and csv the "
     "numbers; folded the sampled call stacks, for flame graph tools; text unless given (doctor, "
     "usdt, code, code-object: text or json; tree: dot and chrome too; path: dot too)",
     AT(format)},
    {NULL, "frames", 0, OPTION_INT, "N", NULL, 1, 1000000000, NULL, "- record", NO_CONFIG,
     "how many snapshots, headless; 1 unless a command is watched, then until it ends", AT(frames)},
    {NULL, "repeat", 'r', OPTION_INT, "N", NULL, 1, 1000, "1", "-", NO_CONFIG,
     "run the command so many times, headless: the summary has means and spreads; rooftop compare "
     "needs them for what is certain",
     AT(repeat)},
    {NULL, "only", 0, OPTION_CHOICE, "WHAT", "all|target", 0, 0, "all", "-", NO_CONFIG,
     "headless: target prints nothing of other processes than those watched", AT(only)},
    {NULL, "for", 0, OPTION_SECONDS, "SECONDS", NULL, 0.05, 1e6, NULL, "- record " TRACED,
     NO_CONFIG,
     "end after so long, as with ^C: what was started is told to end (TERM) and still counted",
     AT(for_s)},
    {NULL, "size", 0, OPTION_SIZE, "WxH", NULL, 1, 1000, NULL, "- compare profile timeline", CONFIG,
     "columns and rows of the picture; else those of the terminal, or 120x40", AT(size_cols)},
    {NULL, "output", 'o', OPTION_STRING, "FILE", NULL, 0, 0, NULL,
     "- record compare doctor " TRACED " " OPENED " att usdt profile code code-object capture "
     "reproduce",
     NO_CONFIG,
     "write there, headless: a document replaces the file when complete, jsonl and csv append; "
     "profile: the folder of the result; capture: the folder of its captures, rooftop_captures "
     "unless given; reproduce: the folder to be made",
     AT(output)},

    {"Sessions", "max-size", 0, OPTION_STRING, "SIZE", NULL, 0, 0, NULL, "record", CONFIG,
     "forget the oldest samples when the session file would grow beyond this: 64M, 2G",
     AT(max_size)},
    {NULL, "replace", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "record profile", NO_CONFIG,
     "replace a session file, or a folder of profile, that is already there", AT(replace)},

    {"Profiling GPUs", "tool", 0, OPTION_CHOICE, "TOOL", "auto|rocprofv3|nsys", 0, 0, "auto",
     "profile", NO_CONFIG, "the profiler: auto takes what this machine has", AT(tool)},
    {NULL, "counters", 0, OPTION_STRING, "LIST", NULL, 0, 0, NULL, "profile", NO_CONFIG,
     "hardware counters of AMD GPUs, in as many passes as they need: sets (roofline, occupancy, "
     "stalls), names of counters, or none; separated by commas; roofline unless given",
     AT(counters)},
    {NULL, "att", 0, OPTION_STRING, "REGEX", NULL, 0, 0, NULL, "profile", NO_CONFIG,
     "a thread trace of the kernels whose names match, in a pass of its own", AT(att)},
    {NULL, "gpu", 0, OPTION_STRING, "ARCH", NULL, 0, 0, NULL, "profile code-object", NO_CONFIG,
     "profile: plan counters for this architecture (gfx942), not for the one the base profile "
     "tells; code-object: which object of a bundle, as in gfx942:sramecc+:xnack-",
     AT(gpu)},
    {NULL, "dry-run", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "profile", NO_CONFIG,
     "print what would be run; run nothing", AT(dry_run)},
    {NULL, "report", 0, OPTION_CHOICE, "REPORT", "path|tree|bricks|export", 0, 0, NULL, "profile",
     NO_CONFIG, "print this of the result, as the command of that name, in place of opening it",
     AT(report)},

    {"Capturing dispatches", "kernel", 0, OPTION_STRING, "REGEX", NULL, 0, 0, NULL,
     "capture code-object", NO_CONFIG,
     "the kernels whose names, demangled or not, match this expression; code-object: only the "
     "kernel of this name, mangled or not, or its symbol",
     AT(kernel)},
    {NULL, "dispatch", 0, OPTION_INT, "N", NULL, 0, 1e15, NULL, "capture", NO_CONFIG,
     "capture the N-th dispatch of a matching kernel, counted from 0 in each process; 0 unless "
     "given",
     AT(dispatch)},
    {NULL, "every", 0, OPTION_INT, "N", NULL, 1, 1e15, NULL, "capture", NO_CONFIG,
     "capture every N-th dispatch of each matching kernel", AT(every)},
    {NULL, "slowest", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "capture", NO_CONFIG,
     "run the command twice: find the slowest matching dispatch, then capture it", AT(slowest)},
    {NULL, "post", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "capture", NO_CONFIG,
     "keep memory as it is after the kernel too: what a replay is verified with", AT(post)},
    {NULL, "capture", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", NO_CONFIG,
     "load the capture library into the command, so that kernels can be captured from their rows",
     AT(capture)},
    {NULL, "timeout", 0, OPTION_SECONDS, "SECONDS", NULL, 0.01, 86400, NULL, "capture replay",
     NO_CONFIG,
     "capture: longest wait for earlier work to end, and again for the dispatch, 10 unless given; "
     "the program goes on then; replay: how long one launch may take, 60 unless given",
     AT(timeout_s)},

    {"Replaying GPU dispatches", "capture-dir", 0, OPTION_STRING, "DIR", NULL, 0, 0, NULL,
     "replay reproduce", NO_CONFIG, "the capture: its folder, or one that holds just it",
     AT(replay.capture_dir)},
    {NULL, "iterations", 0, OPTION_INT, "N", NULL, 1, REPLAY_ITERATIONS_MAX, "10", "replay",
     NO_CONFIG, "how many measured launches (compare: of each variant)", AT(replay.iterations)},
    {NULL, "warmup", 0, OPTION_INT, "N", NULL, 0, REPLAY_WARMUP_MAX, "0", "replay", NO_CONFIG,
     "launches before them that are not measured", AT(replay.warmup)},
    {NULL, "no-recopy", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "restore memory only once: each launch sees what the one before it left",
     AT(replay.no_recopy)},
    {NULL, "hsaco", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "launch the kernel of this code object in place of the captured one (edit: what the build "
     "writes)",
     AT(replay.hsaco)},
    {NULL, "verify", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "compare memory after one more launch with memory as it was captured after the kernel",
     AT(replay.verify)},
    {NULL, "tolerance", 0, OPTION_STRING, "RULE", NULL, 0, 0, "exact", "replay", NO_CONFIG,
     "when memory is the same: exact, or a type and limits: f32,abs=1e-6,rel=1e-5,ulps=4",
     AT(replay.tolerance)},
    {NULL, "agent", 0, OPTION_INT, "N", NULL, 0, 1023, "0", "replay", NO_CONFIG,
     "which GPU, in the order of the HSA runtime", AT(replay.agent)},
    {NULL, "json", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "print the result as a document; edit: a line a round", AT(replay.json)},
    {NULL, "progress", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "print a JSON object a line while it runs: stages, iterations, result", AT(replay.progress)},
    {NULL, "in-process", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "replay doctor", NO_CONFIG,
     "call the HSA runtime in this process, not in a supervised one of its own; implies "
     "--progress; "
     "doctor: what rooftop itself starts to ask one source",
     AT(in_process)},
    {NULL, "source", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "replay reproduce", NO_CONFIG,
     "edit: the file to watch; reproduce: the file that the kernel is compiled from, where the "
     "code "
     "object does not tell",
     AT(replay.source)},
    {NULL, "compile-commands", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "reproduce", NO_CONFIG,
     "the compile_commands.json of the project that the kernel is from: how files are compiled",
     AT(compile_commands)},
    {NULL, "build", 0, OPTION_STRING, "COMMAND", NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "edit: how it is built, by the shell; {out} is the code object to write, {source} the file",
     AT(replay.build)},
    {NULL, "build-timeout", 0, OPTION_SECONDS, "SECONDS", NULL, 0.1, 86400, "300", "replay",
     NO_CONFIG, "edit: how long a build may take", AT(replay.build_timeout_s)},
    {NULL, "once", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "replay", NO_CONFIG,
     "edit: one round, for scripts", AT(replay.once)},

    {"Code objects", "disassemble", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "code-object",
     NO_CONFIG, "the instructions too, through llvm-objdump", AT(disassemble)},

    {"Bricks", "calls", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "tree", NO_CONFIG,
     "every call that is still known by itself, instead of sums of all calls", AT(calls)},
    {NULL, "ranges", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- record " TRACED, CONFIG,
     "NVTX and rocTX ranges of the command become scopes of its tree", AT(ranges)},
    {NULL, "usdt", 0, OPTION_STRING, "PROBES", NULL, 0, 0, NULL, "- " TRACED, NO_CONFIG,
     "bricks from the USDT probes of a command or process: PROVIDER:NAME with wildcards, for "
     "NAME__start and NAME__done and the like, or PROVIDER:BEGIN..END; separated by commas",
     AT(usdt)},
    {NULL, "budgets", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "tree bricks", NO_CONFIG,
     "times that bricks and kernels should not exceed, in TOML: [budget] RmsNorm = \"5us\"",
     AT(budgets)},
    {NULL, "hash", 0, OPTION_STRING, "HASH", NULL, 0, 0, NULL, "code", NO_CONFIG,
     "only the code with this hash, in base 16: it is printed; with -o FILE its bytes are written "
     "as they are",
     AT(hash)},
    {"Profiles", "roofs", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "- roofline", NO_CONFIG,
     "ceilings of GPUs from a roofline.csv of rocprof-compute, measured, instead of theoretical "
     "ones",
     AT(roofs)},
    {NULL, "max-memory", 0, OPTION_STRING, "SIZE", NULL, 0, 0, NULL, "- compare " TRACED " " OPENED,
     CONFIG,
     "how much memory opening files may take, as in 500M, 8G: the shortest spans become sums by "
     "name where all would take more; three quarters of what is free unless given",
     AT(max_memory)},
    {NULL, "per", 0, OPTION_CHOICE, "WHAT", "kernel|dispatch", 0, 0, NULL, "roofline", NO_CONFIG,
     "a point for each kernel, all its dispatches together, or for each dispatch", AT(per)},
    {NULL, "what-if", 0, OPTION_LIST, "NAME=FACTOR", NULL, 0, 0, NULL, "path", NO_CONFIG,
     "what the path would be if all of that name were FACTOR times as fast, or gone (NAME=gone); "
     "~REGEX=FACTOR for parts of names, #NODE=FACTOR for one; may be given several times",
     AT(what_if)},
    {NULL, "from", 0, OPTION_STRING, "TIME", NULL, 0, 0, NULL, WINDOWED, NO_CONFIG,
     "only what was from then on, since the begin of the profile: 1.5ms, 20us, 3s, or ns; with "
     "--range: ranges that begin then",
     AT(from)},
    {NULL, "to", 0, OPTION_STRING, "TIME", NULL, 0, 0, NULL, WINDOWED, NO_CONFIG,
     "only what was before", AT(to)},
    {NULL, "range", 0, OPTION_STRING, "NAME", NULL, 0, 0, NULL, WINDOWED, NO_CONFIG,
     "only what ran inside of ranges of that name: all of them, NAME@3 the third, NAME@3-5, "
     "NAME@-1 the last; ProfilerStep means ProfilerStep#101 and all others; ~REGEX for parts of "
     "names",
     AT(range)},
    {NULL, "search", 0, OPTION_STRING, "TEXT", NULL, 0, 0, NULL, "timeline", NO_CONFIG,
     "spans whose name contains it; ~REGEX: a POSIX extended expression", AT(search)},
    {NULL, "group", 0, OPTION_CHOICE, "HOW", "name|base|shape", 0, 0, "name", "kernels compare",
     NO_CONFIG,
     "what is one row: a name, a name without its template arguments and parameters, or a name "
     "with its launch shape",
     AT(group)},
    {NULL, "fail-on", 0, OPTION_STRING, "slower[=PERCENT]", NULL, 0, 0, NULL, "compare", NO_CONFIG,
     "end with status 9 where B is slower than A beyond chance, and by so many percent at least",
     AT(fail_on)},
    {NULL, "sort", 0, OPTION_CHOICE, "COLUMN",
     "time|calls|mean|min|max|sd|criticality|slack|occupancy|vgprs|lds|label|name", 0, 0, "time",
     "kernels", NO_CONFIG, "the column that kernels are sorted by, most first", AT(sort)},
    {NULL, "thread-trace", 0, OPTION_STRING, "FOLDER", NULL, 0, 0, NULL, "kernels report",
     NO_CONFIG,
     "thread traces of rocprofv3 --att of the same program: waits and instructions of their "
     "kernels",
     AT(thread_trace)},

    {"Display", "view", 0, OPTION_CHOICE, "VIEW", NULL, 0, 0, NULL, "- profile", CONFIG,
     "the view to show first", AT(view)},
    {NULL, "filter", 0, OPTION_STRING, "QUERY", NULL, 0, 0, NULL, "- kernels", CONFIG,
     "show only rows that match: words, or as in cpu>5 and name~ssh", AT(filter)},
    {NULL, "run", 0, OPTION_STRING, "COMMANDS", NULL, 0, 0, NULL, "-", CONFIG,
     "commands at the start, as typed after a colon in the dashboard; separated by semicolons",
     AT(run)},
    {NULL, "theme", 0, OPTION_STRING, "NAME", NULL, 0, 0, "rooftop-dark", "- compare", CONFIG,
     "colours: a built-in theme, one in the theme directories, or a file", AT(theme)},
    {NULL, "color", 0, OPTION_CHOICE, "WHEN", "auto|none|8|16|256|true", 0, 0, "auto",
     "- compare doctor", CONFIG, "colour depth; auto asks TERM, COLORTERM and NO_COLOR", AT(color)},
    {NULL, "ascii", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "- compare doctor " TRACED " " OPENED " att profile", CONFIG,
     "draw with ASCII characters only", AT(ascii)},
    {NULL, "utf8", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "- compare doctor " TRACED " " OPENED " att profile", CONFIG,
     "draw with UTF-8 whatever the locale says", AT(utf8)},
    {NULL, "no-mouse", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", CONFIG,
     "leave the mouse to the terminal", AT(no_mouse)},

    {NULL, "captures", 0, OPTION_LIST, "DIR", NULL, 0, 0, NULL, "-", CONFIG,
     "captured GPU dispatches to show in the replay menu: a capture, or a folder of them; may be "
     "given several times; rooftop_captures here is looked into too",
     AT(captures)},
    {NULL, "readonly", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", CONFIG,
     "for shared machines: from the screen nothing is written, attached to or started",
     AT(readonly)},

    {"General", "config", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "*", NO_CONFIG,
     "read this configuration instead of the usual one", AT(config)},
    {NULL, "no-config", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "*", NO_CONFIG,
     "read no configuration file", AT(no_config)},
    {NULL, "print-config", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", NO_CONFIG,
     "print the configuration in force, as a file that could be read again", AT(print_config)},
    {NULL, "help", 'h', OPTION_FLAG, NULL, NULL, 0, 0, NULL, "*", NO_CONFIG, "print this help",
     AT(help)},
    {NULL, "version", 'V', OPTION_FLAG, NULL, NULL, 0, 0, NULL, "*", NO_CONFIG, "print the version",
     AT(version)},
    {NULL, "generate", 0, OPTION_CHOICE, "WHAT", "man|bash|zsh|fish|metrics|config-schema", 0, 0,
     NULL, "-", NO_CONFIG,
     "print the manual page, completions of a shell, the table of metrics, or the schema of the "
     "configuration",
     AT(generate)},
    {0},
};
