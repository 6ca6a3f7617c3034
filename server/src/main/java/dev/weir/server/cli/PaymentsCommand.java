package dev.weir.server.cli;

import picocli.CommandLine.Command;

/** The commands for payments. */
@Command(
    name = "payments",
    description = "Works with feeds of payments.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {PaymentsSimulate.class, PaymentsReport.class})
public final class PaymentsCommand {}
