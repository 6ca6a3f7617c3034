package dev.weir.server.verify;

import java.sql.SQLException;

/** Is shown the slots of one configuration, by scheduled time. */
interface SlotCheck {
  void slot(SlotFact slot) throws SQLException;

  /** There are no more. */
  void end() throws SQLException;
}
