package dev.weir.server.cli;

import picocli.CommandLine.Command;

/** The commands for slots; all of them use a running server. */
@Command(
    name = "slots",
    description = "Works with the slots of a running server.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {SlotsImport.class, SlotsAdopt.class, SlotsForecast.class, SlotsWindows.class})
public final class SlotsCommand {}
