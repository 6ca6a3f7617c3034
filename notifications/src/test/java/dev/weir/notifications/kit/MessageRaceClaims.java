package dev.weir.notifications.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.kit.MessageStep.Ask;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.UserLimit.Algorithm;
import dev.weir.notifications.messages.UserLimit.CostBy;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.slots.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Claims about two nodes that do something with one message at the same time. */
interface MessageRaceClaims extends MessageClaims {
  Ask ASK = new Ask(0, 0, 0, 1, 0);
  List<Integer> IT = List.of(0);

  MessageStep CONFIGURE =
      new MessageStep.Configure(0, 2, 60, Algorithm.FIXED_WINDOW, CostBy.MESSAGE, false);

  /** What may have happened to the message before. */
  record Before(String name, List<MessageStep> steps) {}

  List<Before> BEFORE =
      List.of(
          new Before("new", List.of()),
          new Before("accepted", List.of(new MessageStep.Place(List.of(ASK)))),
          new Before(
              "published",
              List.of(new MessageStep.Place(List.of(ASK)), new MessageStep.Published(IT))),
          new Before(
              "handed over",
              List.of(
                  new MessageStep.Place(List.of(ASK)),
                  new MessageStep.Published(IT),
                  new MessageStep.HandOver(IT, 0, MessageStep.HandOver.NEVER))),
          new Before("deferred", List.of(new MessageStep.Defer(ASK, 0))),
          new Before(
              "failed",
              List.of(
                  new MessageStep.Place(List.of(ASK)),
                  new MessageStep.Published(IT),
                  new MessageStep.Deliver(IT, MessageState.FAILED))));

  List<MessageStep> STEPS =
      List.of(
          CONFIGURE,
          new MessageStep.Place(List.of(ASK)),
          // Another message with the same key.
          new MessageStep.Place(List.of(new Ask(1, 0, 0, 1, 0))),
          // The same key with another text, and a further place.
          new MessageStep.Place(List.of(new Ask(2, 0, 1, 1, 0), new Ask(3, 0, 0, 1, 1))),
          new MessageStep.Published(IT),
          new MessageStep.Withdraw(IT),
          new MessageStep.Fail(IT),
          new MessageStep.Claim(0, 10, 5),
          new MessageStep.Defer(ASK, 0),
          new MessageStep.Release(IT),
          new MessageStep.Cancel(0),
          // Two attempts, of which one may have been recorded before.
          new MessageStep.HandOver(IT, 0, MessageStep.HandOver.NEVER),
          new MessageStep.HandOver(IT, 1, MessageStep.HandOver.NEVER),
          new MessageStep.NotTaken(IT, 0),
          new MessageStep.Deliver(IT, MessageState.UNKNOWN),
          new MessageStep.Deliver(IT, MessageState.SENT),
          new MessageStep.Receipt(0, MessageState.DELIVERED),
          new MessageStep.Report(0, MessageState.FAILED),
          new MessageStep.Reopen(IT),
          new MessageStep.GiveUp(IT, 0),
          new MessageStep.ReopenAttempt(0, 0),
          new MessageStep.Remove(-1));

  /**
   * One of how many races is run; 1 runs all of them. By default each pair of steps is run once,
   * after one of what may have happened before.
   */
  int SHARE = Integer.getInteger("weir.races.share", BEFORE.size());

  @Test
  default void anyTwoStepsEndAsTheModelDoesInSomeOrder() {
    for (int before = 0; before < BEFORE.size(); before++) {
      for (int i = 0; i < STEPS.size(); i++) {
        for (int k = i; k < STEPS.size(); k++) {
          if ((before + i + k) % SHARE == 0) {
            new Race(messageScene(), BEFORE.get(before), STEPS.get(i), STEPS.get(k)).run();
          }
        }
      }
    }
  }

  /** Two steps on a message, on one node each. */
  record Race(MessageScene scene, Before before, MessageStep one, MessageStep other) {
    /** The results of both steps, and everything that is stored afterwards. */
    private record End(Object one, Object other, List<Object> seen) {}

    void run() {
      setUp(scene.node);
      List<Callable<Object>> steps =
          List.of(() -> scene.run(scene.node, one), () -> scene.run(scene.otherNode, other));
      List<Object> results = Crowd.concurrently(steps);
      List<End> possible = possible(results.get(0), results.get(1));
      List<Object> seen = new ArrayList<>(scene.observe(scene.node));
      seen.addAll(scene.outbox(scene.otherNode));
      assertThat(new End(results.get(0), results.get(1), seen))
          .as("%s: %s and %s", before.name(), one, other)
          .isIn(possible);
    }

    private void setUp(MessageStore store) {
      scene.run(store, CONFIGURE);
      before.steps().forEach(step -> scene.run(store, step));
    }

    private List<End> possible(Object oneResult, Object otherResult) {
      List<End> possible = new ArrayList<>();
      possible.add(inOrder(true, true, true));
      possible.add(inOrder(false, true, true));
      if (isSkipped(one, oneResult)) {
        possible.add(inOrder(true, false, true));
      }
      if (isSkipped(other, otherResult)) {
        possible.add(inOrder(true, true, false));
      }
      return possible;
    }

    /** Claims and removals leave what another transaction holds for the next time. */
    private static boolean isSkipped(MessageStep step, Object result) {
      return (step instanceof MessageStep.Claim && result.equals(List.of()))
          || (step instanceof MessageStep.Remove && result.equals(0));
    }

    private End inOrder(boolean isOneFirst, boolean withOne, boolean withOther) {
      SettableClock clock = new SettableClock(Scene.NOON);
      MessageStore model = new NaiveMessages(clock).asStore();
      setUp(model);
      Object oneResult = isOneFirst ? run(model, one, withOne) : "";
      Object otherResult = run(model, other, withOther);
      oneResult = isOneFirst ? oneResult : run(model, one, withOne);
      List<Object> seen = new ArrayList<>(scene.observe(model));
      clock.move(Duration.ofDays(1));
      seen.addAll(
          model
              .ledger()
              .claimUnpublished(Duration.ZERO, Duration.ofMinutes(1), MessageStep.MESSAGES));
      return new End(oneResult, otherResult, seen);
    }

    private Object run(MessageStore model, MessageStep step, boolean isDone) {
      if (isDone) {
        return scene.run(model, step);
      }
      return step instanceof MessageStep.Claim ? List.of() : 0;
    }
  }
}
