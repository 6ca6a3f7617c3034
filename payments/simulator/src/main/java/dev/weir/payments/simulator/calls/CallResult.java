package dev.weir.payments.simulator.calls;

/** What became of a call. */
public enum CallResult {
  /** The payment was booked, and the caller was told so. */
  PAID("paid"),
  /** The payment had been booked by an earlier call; nothing was booked again. */
  REPEATED("repeated, nothing booked again"),
  /** The payment was refused for good. */
  REJECTED("rejected for good"),
  /** The call was above the ceiling. */
  ABOVE_CEILING("refused above the ceiling"),
  /** An error of the downstream, before anything was booked. */
  FAILED("failed with a 5xx status"),
  /** No answer within the time that the caller waits. */
  TIMED_OUT("timed out"),
  /** The payment was booked or had been booked, and the answer was lost on its way. */
  ANSWER_LOST("answer lost"),
  /** The call was malformed. */
  INVALID("malformed");

  private final String phrase;

  CallResult(String phrase) {
    this.phrase = phrase;
  }

  /** Returns the result in words, for a report. */
  public String phrase() {
    return phrase;
  }
}
