/* All commands, in the order of --help and of the manual. The first is rooftop without a command
 * word. */
#include "cli/options/commands.h"

#include <stddef.h>

#include "cli/options/command.h"

const struct command *const commands[] = {
    &command_watch,
    &command_record,
    &command_compare,
    &command_tree,
    &command_path,
    &command_roofline,
    &command_timeline,
    &command_bricks,
    &command_kernels,
    &command_report,
    &command_steps,
    &command_att,
    &command_code,
    &command_code_object,
    &command_profile,
    &command_trace,
    &command_assert,
    &command_golden,
    &command_golden_capture,
    &command_golden_check,
    &command_golden_diff,
    &command_golden_accept,
    &command_golden_compare,
    &command_replay,
    &command_replay_check,
    &command_replay_full,
    &command_replay_compare,
    &command_replay_edit,
    &command_reproduce,
    &command_capture,
    &command_export,
    &command_otlp,
    &command_usdt,
    &command_doctor,
    &command_help,
    &command_version,
    NULL,
};
