package dev.weir.store.jdbc;

import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** A commit was sent, and the database did not say what became of it. */
public final class UnansweredException extends SQLException {
  private static final long serialVersionUID = 1L;

  /** The driver was told of a rollback where it had asked for a commit. */
  private static final String ROLLED_BACK = "25P02";

  private static final String CANCELLED = "57014";
  private static final String COMPLETION_UNKNOWN = "40003";

  /** What a pooler says when it has lost the server. */
  private static final String CONNECTION_LOST = "08";

  /** Classes of errors after which the server goes on, having rolled back. */
  private static final Set<String> ROLLED_BACK_CLASSES =
      Set.of("0A", "21", "22", "23", "25", "40", "42", "44", "54", "55", "P0");

  UnansweredException(SQLException failure) {
    super(failure.getMessage(), failure.getSQLState(), failure);
  }

  /** Something that commits. */
  public interface Commit<T> {
    T run() throws SQLException;
  }

  /** Runs something that commits; its failure is this exception if it may have committed. */
  public static <T> T unlessAnswered(Commit<T> commit) throws SQLException {
    try {
      return commit.run();
    } catch (SQLException e) {
      throw isAnswered(e) ? e : new UnansweredException(e);
    }
  }

  /**
   * Whether the server itself says that the transaction failed, and lives: what ends a session or
   * the server may come after the commit. The severity is in the language of the server, hence the
   * classes.
   */
  private static boolean isAnswered(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    if (state.equals(ROLLED_BACK)) {
      return true;
    }
    if (!(failure instanceof PSQLException told)
        || state.equals(COMPLETION_UNKNOWN)
        || state.startsWith(CONNECTION_LOST)) {
      return false;
    }
    ServerErrorMessage message = told.getServerErrorMessage();
    return message != null
        && (state.equals(CANCELLED)
            || "ERROR".equals(message.getSeverity())
            || (state.length() == 5 && ROLLED_BACK_CLASSES.contains(state.substring(0, 2))));
  }
}
