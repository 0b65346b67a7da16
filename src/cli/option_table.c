#include "cli/options.h"

#define AT(member) offsetof(struct options, member)
#define CONFIG     true
#define NO_CONFIG  false

/*
 * One row an option: section, name, letter, type, argument, choices, min, max, default, commands,
 * config key?, help, member. "-" is the dashboard and its headless form, "*" every command.
 */
/* Commands over files or running programs, and over files alone. */
#define TRACED "tree path timeline roofline bricks"
#define OPENED "kernels report export"

const struct option_def option_table[] = {
    {"What to watch", "pid", 'p', OPTION_STRING, "PID[,PID...]", NULL, 0, 0, NULL,
     "- record " TRACED " usdt", NO_CONFIG,
     "watch these processes (64 at most) with all their threads", AT(pids)},
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
    {NULL, "sample-rate", 0, OPTION_INT, "HZ", NULL, 1, 20000, "997", "- record", CONFIG,
     "samples a second on each busy CPU", AT(sample_rate)},
    {NULL, "call-graph", 0, OPTION_CHOICE, "HOW", "fp|dwarf|none", 0, 0, "fp", "- record", CONFIG,
     "how callers are found: by frame pointers, by DWARF (programs built without them; 8 KB a "
     "sample), not at all",
     AT(call_graph)},

    {"Headless", "headless", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- profile", NO_CONFIG,
     "print snapshots instead of opening the dashboard", AT(headless)},
    {NULL, "format", 0, OPTION_CHOICE, "FORMAT", "text|json|jsonl|csv|ansi|svg|folded|dot|chrome",
     0, 0, NULL, "- compare doctor " TRACED " " OPENED " att usdt profile", NO_CONFIG,
     "what to print, headless: text, ansi and svg are the screen; json, jsonl and csv the "
     "numbers; folded the sampled call stacks, for flame graph tools; text unless given (doctor, "
     "usdt: text or json; tree: dot and chrome too; path: dot too)",
     AT(format)},
    {NULL, "frames", 0, OPTION_INT, "N", NULL, 1, 1000000000, NULL, "- record", NO_CONFIG,
     "how many snapshots, headless; 1 unless a command is watched, then until it ends", AT(frames)},
    {NULL, "size", 0, OPTION_SIZE, "WxH", NULL, 1, 1000, NULL, "- compare profile timeline", CONFIG,
     "columns and rows of the picture; else those of the terminal, or 120x40", AT(size_cols)},
    {NULL, "output", 'o', OPTION_STRING, "FILE", NULL, 0, 0, NULL,
     "- record compare doctor " TRACED " " OPENED " att usdt profile", NO_CONFIG,
     "write there, headless: a document replaces the file when complete, jsonl and csv append; "
     "profile: the folder of the result",
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
    {NULL, "gpu", 0, OPTION_STRING, "ARCH", NULL, 0, 0, NULL, "profile", NO_CONFIG,
     "plan counters for this architecture (gfx942), not for the one the base profile tells",
     AT(gpu)},
    {NULL, "dry-run", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "profile", NO_CONFIG,
     "print what would be run; run nothing", AT(dry_run)},
    {NULL, "report", 0, OPTION_CHOICE, "REPORT", "path|tree|bricks|export", 0, 0, NULL, "profile",
     NO_CONFIG, "print this of the result, as the command of that name, in place of opening it",
     AT(report)},

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
    {"Profiles", "roofs", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "- roofline", NO_CONFIG,
     "ceilings of GPUs from a roofline.csv of rocprof-compute, measured, instead of theoretical "
     "ones",
     AT(roofs)},
    {NULL, "per", 0, OPTION_CHOICE, "WHAT", "kernel|dispatch", 0, 0, NULL, "roofline", NO_CONFIG,
     "a point for each kernel, all its dispatches together, or for each dispatch", AT(per)},
    {NULL, "what-if", 0, OPTION_LIST, "NAME=FACTOR", NULL, 0, 0, NULL, "path", NO_CONFIG,
     "what the path would be if all of that name were FACTOR times as fast, or gone (NAME=gone); "
     "~REGEX=FACTOR for parts of names, #NODE=FACTOR for one; may be given several times",
     AT(what_if)},
    {NULL, "from", 0, OPTION_STRING, "TIME", NULL, 0, 0, NULL, "timeline", NO_CONFIG,
     "begin there, since the begin of the profile: 1.5ms, 20us, 3s, or ns", AT(from)},
    {NULL, "to", 0, OPTION_STRING, "TIME", NULL, 0, 0, NULL, "timeline", NO_CONFIG, "end there",
     AT(to)},
    {NULL, "search", 0, OPTION_STRING, "TEXT", NULL, 0, 0, NULL, "timeline", NO_CONFIG,
     "spans whose name contains it; ~REGEX: a POSIX extended expression", AT(search)},
    {NULL, "group", 0, OPTION_CHOICE, "HOW", "name|base|shape", 0, 0, "name", "kernels compare",
     NO_CONFIG,
     "what is one row: a name, a name without its template arguments and parameters, or a name "
     "with its launch shape",
     AT(group)},
    {NULL, "sort", 0, OPTION_CHOICE, "COLUMN",
     "time|calls|mean|min|max|sd|criticality|occupancy|vgprs|lds|label|name", 0, 0, "time",
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
