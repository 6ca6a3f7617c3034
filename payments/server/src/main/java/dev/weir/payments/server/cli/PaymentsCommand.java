package dev.weir.payments.server.cli;

import picocli.CommandLine.Command;

/** The commands for payments. */
@Command(
    name = "payments",
    description = "Makes the payments of feeds, each once and below a ceiling.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      PaymentsRun.class,
      PaymentsStatus.class,
      PaymentsReport.class,
      PaymentsAction.Hold.class,
      PaymentsAction.Resume.class,
      PaymentsAction.Cancel.class,
      PaymentsAction.Retry.class,
      PaymentsSimulate.class
    })
public final class PaymentsCommand {}
