package dev.weir.payments.feed.internal;

/** Splits a record of a feed into its fields. */
interface RecordParser {

  /** Returns the fields of a record. */
  RawPayment parse(String record) throws MalformedRecordException;

  /** Thrown if a record breaks the rules of its format. */
  final class MalformedRecordException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    MalformedRecordException(String reason) {
      super(reason);
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }
}
