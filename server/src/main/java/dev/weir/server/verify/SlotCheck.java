package dev.weir.server.verify;

import java.sql.SQLException;

/** Checks the slots of one configuration, in order of scheduled time. */
interface SlotCheck {
  void slot(SlotFact slot) throws SQLException;

  /** Called after the last slot. */
  void end() throws SQLException;
}
