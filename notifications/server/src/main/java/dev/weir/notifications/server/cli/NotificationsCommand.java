package dev.weir.notifications.server.cli;

import picocli.CommandLine.Command;

/** The commands for notifications; all of them use a running server. */
@Command(
    name = "notifications",
    description = "Works with the notifications of a running server.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {NotificationsReplay.class})
public final class NotificationsCommand {}
