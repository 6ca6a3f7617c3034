package dev.weir.notifications.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Decision;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import net.jqwik.api.Example;

/** The kit rejects incorrect stores. */
final class MessageKitCatchesDefectsTest {
  private enum Defect {
    FORGETS_KEYS,
    KEEPS_WITHDRAWN_PLACES,
    KEEPS_FAILED_PLACES,
    PUBLISHES_NOTHING,
    CLAIMS_TWICE,
    CLAIMS_NEW_ONES,
    GRANTS_EVERYTHING
  }

  @Example
  void storeWithAnyDefectFails() {
    for (Defect defect : Defect.values()) {
      assertThat(failed(new Kit(defect))).as(defect.name()).isNotEmpty();
    }
  }

  private static List<String> failed(Kit kit) {
    List<String> failed = new ArrayList<>();
    run(failed, "keys", kit::repeatedKeyTakesNothingAndFindsTheFirstMessage);
    run(failed, "withdrawn", kit::withdrawnMessageGivesItsPlaceBackOnce);
    run(failed, "failed", kit::messageThatCanNeverBePublishedHasFailedAndGivesItsPlaceBackOnce);
    run(failed, "published", kit::publishedMessageIsNotWithdrawn);
    run(failed, "claims", kit::claimsAreOldestFirstOfAMinimumAgeAndLastForTheirTime);
    run(failed, "crowd", () -> kit.oneOfManyCallersGetsTheLastPlace(1, 8));
    run(failed, "traces", () -> traces(kit));
    return failed;
  }

  private static void traces(Kit kit) {
    var generator = new MessageTraces().get().generator(100);
    Random random = new Random(1);
    for (int i = 0; i < 100; i++) {
      kit.sendsAsTheModelDoes(generator.next(random).value());
    }
  }

  private static void run(List<String> failed, String name, Runnable claim) {
    try {
      claim.run();
    } catch (AssertionError e) {
      failed.add(name);
    }
  }

  private record Kit(Defect defect) implements MessageStoreKit {
    @Override
    public Supplier<MessageStore> messagesBy(InstantSource clock) {
      MessageStore store = new NaiveMessages(clock).asStore();
      MessageStore broken =
          new MessageStore(
              store.limits(), new Broken(store, defect), store.log(), store.deferred());
      return () -> broken;
    }
  }

  private record Broken(MessageStore store, Defect defect) implements SendLedger {
    @Override
    public List<SendResult.Placing> place(List<SendRequest> requests) {
      return switch (defect) {
        case FORGETS_KEYS -> store.ledger().place(requests.stream().map(Broken::keyless).toList());
        case GRANTS_EVERYTHING ->
            store.ledger().place(requests).stream().map(Broken::granted).toList();
        case KEEPS_WITHDRAWN_PLACES,
            KEEPS_FAILED_PLACES,
            PUBLISHES_NOTHING,
            CLAIMS_TWICE,
            CLAIMS_NEW_ONES ->
            store.ledger().place(requests);
      };
    }

    private static SendRequest keyless(SendRequest request) {
      return new SendRequest(request.message(), Optional.empty(), request.whenClosed());
    }

    private static SendResult.Placing granted(SendResult.Placing result) {
      return result instanceof SendResult.Limited limited
          ? new SendResult.Accepted(
              new Message(MessageScene.id(0), limited.state().limit().userId(), "Hello", 1),
              limited.state(),
              new Decision.Allowed(0, 0))
          : result;
    }

    @Override
    public void published(List<UUID> messages) {
      if (defect != Defect.PUBLISHES_NOTHING) {
        store.ledger().published(messages);
      }
    }

    @Override
    public List<Withdrawn> withdraw(List<UUID> messages) {
      if (defect != Defect.KEEPS_WITHDRAWN_PLACES) {
        return store.ledger().withdraw(messages);
      }
      store.ledger().published(messages);
      return List.of();
    }

    @Override
    public List<Withdrawn> fail(List<Unpublishable> messages) {
      if (defect != Defect.KEEPS_FAILED_PLACES) {
        return store.ledger().fail(messages);
      }
      store.ledger().published(messages.stream().map(Unpublishable::message).toList());
      return List.of();
    }

    @Override
    public List<Claimed> claimUnpublished(Duration minAge, Duration claim, int max) {
      return store
          .ledger()
          .claimUnpublished(
              defect == Defect.CLAIMS_NEW_ONES ? Duration.ZERO : minAge,
              defect == Defect.CLAIMS_TWICE ? Duration.ZERO : claim,
              max);
    }
  }
}
