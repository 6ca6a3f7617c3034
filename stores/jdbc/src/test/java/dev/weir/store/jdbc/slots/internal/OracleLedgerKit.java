package dev.weir.store.jdbc.slots.internal;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.store.jdbc.OracleDatabase;
import org.junit.jupiter.api.Test;

/** The kit of slot ledgers, without what H2 cannot prove. */
interface OracleLedgerKit extends ShortLedgerKit {
  /** H2 executes batches row by row. */
  @Override
  default int maxPerSecond() {
    return OracleDatabase.isReal() ? ShortLedgerKit.super.maxPerSecond() : 2_000;
  }

  /** H2 orders texts by the units of UTF-16, Oracle by their bytes. */
  @Override
  @Test
  @SuppressWarnings("JUnitMethodInvoked")
  default void listsSlotsOfTheSameTimeByIdWhateverTheirState() {
    assumeTrue(OracleDatabase.isReal(), "H2 orders texts by the units of UTF-16");
    ShortLedgerKit.super.listsSlotsOfTheSameTimeByIdWhateverTheirState();
  }
}
