package dev.weir.server.verify;

import java.util.List;

/**
 * Checks for each of the last versions of a configuration that events were placed as early as
 * possible.
 */
final class EarliestChecks implements SlotCheck {
  /** Bounded, because every slot is passed to the check of every version. */
  private static final int MAX_VERSIONS = 64;

  private final ConfigFact config;
  private final Findings findings;
  private final Verdicts verdicts;
  private final int firstVersion;
  private final List<EarliestCheck> checks;
  private long older;

  EarliestChecks(ConfigFact config, long fromMicros, Verifier.Past past, Findings findings) {
    this.config = config;
    this.findings = findings;
    this.verdicts = new Verdicts(config, findings);
    this.firstVersion = Math.max(1, config.version() - MAX_VERSIONS + 1);
    EarliestCheck.Completeness completeness =
        new EarliestCheck.Completeness(fromMicros, past == Verifier.Past.COMPLETE);
    this.checks =
        config.versions().tailMap(firstVersion).keySet().stream()
            .map(version -> new EarliestCheck(config, version, completeness, verdicts))
            .toList();
  }

  @Override
  public void slot(SlotFact slot) {
    if (slot.version() < firstVersion) {
      older++;
    }
    for (EarliestCheck check : checks) {
      check.slot(slot);
    }
  }

  @Override
  public void end() {
    checks.forEach(EarliestCheck::end);
    verdicts.end();
    if (older > 0) {
      findings.open(
          Invariant.EARLIEST,
          older,
          "of %s: they are of versions before v%d".formatted(config.name(), firstVersion));
    }
  }
}
