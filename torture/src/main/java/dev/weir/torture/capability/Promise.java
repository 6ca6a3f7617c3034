package dev.weir.torture.capability;

/** What the documents promise, by the numbers that they give it. */
public enum Promise {
  S1("no window holds more events than the limit in force when its last event was assigned"),
  S2("no event is scheduled before its requested time, in closed or paused time, or too late"),
  S3("one eventId has one slot, and a duplicate takes no capacity"),
  S4("when a slot was assigned, no earlier window had a place, and none if there was no capacity"),
  S5("events are spread within the bound"),
  S6("a slot that was returned is on disk, and outcome none changed nothing"),
  S7("a slot is reclaimed only if it has leaked and was not confirmed"),
  S8("a change that was answered holds for each slot that is requested after it"),
  L1("a key is never granted more than its limit"),
  L2("a refusal takes nothing, and retryAfter is sufficient"),
  L3("several rules are checked in one step: all grant, or nothing is taken"),
  L4("a repeated requestId gets the same answer and takes nothing"),
  L5("a changed limit keeps what was used"),
  L6("arithmetic is exact and rounds against the caller"),
  L7("what is given back is what was granted, once"),
  L8("a peek takes nothing and says what is left"),
  L9("without its store a rule does what onStoreFailure says, and the answer names the mode"),
  R1("a queue has at most maxQueueSize places, and nothing passes beside it"),
  R2("a request waits position times delay, and is told so"),
  R3("a rule that was changed is in force on the node that said so, and soon on all"),
  R4("no concurrent change of a rule is lost"),
  R5("authorize grants no more than the rule, and only by what the proxy says"),
  G1("no more requests reach the upstream for a key than the rule allows"),
  G2("a response is the upstream's, whole and unmixed, or one of the gateway's own"),
  G3("a request reaches the upstream once, with its own body, unless it may be repeated"),
  G4("the status of the gateway's own response says what became of the request"),
  G5("a place is held until the response ends, and is free then"),
  M1("no user is sent more messages in a window than the limit"),
  M2("a message that was accepted is sent, or says why not"),
  M3("an Idempotency-Key has one message"),
  M4("a message that was refused is not sent"),
  M5("a user's count is that of the messages"),
  M6("messages of a user keep their order"),
  M7("a recipient that fails keeps no other one waiting"),
  M8("a dead letter that is replayed is sent"),
  P1("every payment of a feed that was received ends"),
  P2("what is said of a payment agrees with the payment API"),
  P3("no second has more calls than the ceiling"),
  P4("a call is recorded before it is sent, and is one of a feed that was received"),
  P5("no payment is called a second before its slot, nor while it is held"),
  P6("no payment is called after its end, nor after its deadline"),
  P7("what can be asked by key is asked before a call is repeated"),
  A1("every answer is one that /openapi.yaml lists"),
  A2("what was broken is used again without help");

  private final String claim;

  Promise(String claim) {
    this.claim = claim;
  }

  public String claim() {
    return claim;
  }

  /** Returns true if a name such as {@code S3}, {@code S} or {@code slots} means this promise. */
  public boolean isMeantBy(String name) {
    boolean isNumber = !name.isEmpty() && Character.isDigit(name.charAt(name.length() - 1));
    return isNumber
        ? name().equalsIgnoreCase(name)
        : !name.isEmpty() && name().regionMatches(true, 0, name, 0, 1);
  }
}
