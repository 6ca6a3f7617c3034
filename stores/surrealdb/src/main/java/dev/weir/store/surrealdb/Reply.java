package dev.weir.store.surrealdb;

import java.util.List;

/** What SurrealDB did with a query, which is one transaction. */
sealed interface Reply {
  /** It was executed and committed. */
  record Done(Value value) implements Reply {}

  /** Nothing was done because of another transaction or session: the query can be repeated. */
  record Conflict(String message) implements Reply {}

  /** Nothing was done because the tables or the marker are missing. */
  record Unprepared(String message) implements Reply {}

  /** Nothing was done for another reason. */
  record Rejected(String message) implements Reply {}

  /** The transaction could not be committed, and it is unknown whether it was. */
  record Undecided(String message) implements Reply {}

  /**
   * Errors that another transaction causes. A record that is being created by two transactions at
   * the same time exists already for one of them.
   */
  List<String> CONFLICTS =
      List.of(
          "can be retried",
          "retry the transaction",
          "Transaction conflict",
          "write conflict",
          "already exists",
          "already contains",
          "weir: wrong database",
          "Anonymous access not allowed");

  /** Errors of a database that lacks what a query needs. */
  List<String> MISSING = List.of("weir: no marker", "does not exist");

  /** Returns the reply for the error message of a query. */
  static Reply failure(String message) {
    if (CONFLICTS.stream().anyMatch(message::contains)) {
      return new Conflict(message);
    } else if (MISSING.stream().anyMatch(message::contains)) {
      return new Unprepared(message);
    } else if (message.contains("commit")) {
      return new Undecided(message);
    } else {
      return new Rejected(message);
    }
  }
}
