package dev.weir.store.jdbc.internal;

import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Thrown when a commit was sent and the database did not report its outcome. */
public final class UnknownOutcomeException extends SQLException {
  private static final long serialVersionUID = 1L;

  /** Set by the driver if the server rolled back where a commit was requested. */
  private static final String ROLLED_BACK = "25P02";

  private static final String CANCELLED = "57014";
  private static final String COMPLETION_UNKNOWN = "40003";

  /** Reported by a connection pooler that has lost the server. */
  private static final String CONNECTION_LOST = "08";

  /** Classes of errors after which the session continues and the transaction is rolled back. */
  private static final Set<String> ROLLED_BACK_CLASSES =
      Set.of("0A", "21", "22", "23", "25", "40", "42", "44", "54", "55", "P0");

  UnknownOutcomeException(SQLException failure) {
    super(failure.getMessage(), failure.getSQLState(), failure);
  }

  /** An operation that commits. */
  public interface Commit<T> {
    T run() throws SQLException;
  }

  /**
   * Runs an operation that commits.
   *
   * @throws UnknownOutcomeException if it failed and may have committed
   */
  public static <T> T committing(Commit<T> commit) throws SQLException {
    try {
      return commit.run();
    } catch (SQLException e) {
      throw isRolledBack(e) ? e : new UnknownOutcomeException(e);
    }
  }

  /**
   * Returns true if the server reports that the transaction failed, and the session continues. An
   * error that ends the session or the server may come after the commit. PostgreSQL's severity is
   * in the server's language, therefore the error classes are checked as well. Oracle's errors have
   * numbers; PostgreSQL's all have the number 0.
   */
  private static boolean isRolledBack(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    if (state.equals(ROLLED_BACK)) {
      return true;
    }
    if (!(failure instanceof PSQLException reported)) {
      return OracleErrors.isRolledBack(failure);
    }
    if (state.equals(COMPLETION_UNKNOWN) || state.startsWith(CONNECTION_LOST)) {
      return false;
    }
    ServerErrorMessage message = reported.getServerErrorMessage();
    return message != null
        && (state.equals(CANCELLED)
            || "ERROR".equals(message.getSeverity())
            || (state.length() == 5 && ROLLED_BACK_CLASSES.contains(state.substring(0, 2))));
  }
}
