package dev.weir.store.jdbc.internal;

import java.sql.SQLException;

/**
 * A row names a time zone that the Java runtime of this node does not know, such as one that was
 * introduced after its release. Other rows can be read.
 */
public final class UnknownZoneException extends SQLException {
  private static final long serialVersionUID = 1L;

  UnknownZoneException(String zone, Throwable cause) {
    super(
        "its time zone %s is unknown to the Java runtime %s of this node: update that"
            .formatted(zone, Runtime.version()),
        cause);
  }

  private UnknownZoneException(String row, UnknownZoneException cause) {
    super("%s: %s".formatted(row, cause.getMessage()), cause);
  }

  /** Returns this exception with the name of the row. */
  public UnknownZoneException in(String row) {
    return new UnknownZoneException(row, this);
  }
}
