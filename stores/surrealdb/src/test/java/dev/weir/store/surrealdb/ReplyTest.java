package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The errors of SurrealDB, by what they say about a transaction. */
final class ReplyTest {
  @Test
  void conflictsCanBeRepeated() {
    for (String message :
        List.of(
            "Transaction conflict: Resource busy: . This transaction can be retried",
            "Transaction conflict: Transaction write conflict, retry the transaction",
            "Failed to commit transaction due to a read or write conflict. This transaction can be"
                + " retried",
            "Database record `lease:['r', 'a']` already exists",
            "Database index `token_bucket_resource` already contains '3:apik', with record"
                + " `token_bucket:\u27e83:apik\u27e9`",
            "An error occurred: weir: wrong database")) {
      assertThat(Reply.failure(message)).isEqualTo(new Reply.Conflict(message));
    }
  }

  @Test
  void whatIsMissingIsCreated() {
    for (String message :
        List.of(
            "An error occurred: weir: no marker",
            "The table 'weir_store' does not exist",
            "The namespace 'weir' does not exist")) {
      assertThat(Reply.failure(message)).isEqualTo(new Reply.Unprepared(message));
    }
  }

  @Test
  void nothingIsKnownOfATransactionThatFailsAtItsCommit() {
    String message = "Failed to commit transaction: IO error: No space left on device";
    assertThat(Reply.failure(message)).isEqualTo(new Reply.Undecided(message));
  }

  @Test
  void otherErrorsMeanThatNothingWasDone() {
    for (String message :
        List.of(
            "Parse error: Unexpected token",
            "IAM error: Not enough permissions to perform this action",
            "Found -1 for field `current_tokens`, with record `token_bucket:a`, but field must"
                + " conform to: $value >= 0",
            "The query was not executed because it exceeded the timeout")) {
      assertThat(Reply.failure(message)).isEqualTo(new Reply.Rejected(message));
    }
  }
}
