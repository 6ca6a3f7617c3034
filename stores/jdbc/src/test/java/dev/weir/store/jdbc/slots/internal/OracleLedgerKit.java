package dev.weir.store.jdbc.slots.internal;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.tck.slots.SlotLedgerKit;
import org.junit.jupiter.api.Test;

/** The kit of slot ledgers, without what H2 cannot prove. */
interface OracleLedgerKit extends SlotLedgerKit {
  /** H2 orders texts by the units of UTF-16, Oracle by their bytes. */
  @Override
  @Test
  @SuppressWarnings("JUnitMethodInvoked")
  default void listsSlotsOfTheSameTimeByIdWhateverTheirState() {
    assumeTrue(OracleDatabase.isReal(), "H2 orders texts by the units of UTF-16");
    SlotLedgerKit.super.listsSlotsOfTheSameTimeByIdWhateverTheirState();
  }
}
