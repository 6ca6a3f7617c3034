package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.MemoryStores;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class RecordedReceiptsTest {
  private final MemoryStores stores = new MemoryStores();
  private final Message message = SenderScene.message(1, "hello");

  @Test
  void receiptThatComesBeforeTheDeliveryIsRecordedLater() {
    stores.addPublished(List.of(message));
    try (RecordedReceipts receipts = new RecordedReceipts(stores, Duration.ofMillis(5))) {
      // Meanwhile the receipt cannot be tried again, of which there is a maximum.
      synchronized (stores) {
        assertThat(receipts.receive("smpp", "a1", MessageState.DELIVERED, MemoryStores.START))
            .isTrue();
        assertThat(stores.state(message.id())).isEqualTo(MessageState.ACCEPTED);
        stores.record(List.of(sent()));
      }
      Await.until(() -> stores.state(message.id()) == MessageState.DELIVERED);
    }
  }

  /** By SMPP, the answer with the id may come ten minutes after the receipt. */
  @Test
  void receiptIsKeptForAsLongAsTheAnswerMayBeLate() {
    stores.addPublished(List.of(message));
    try (RecordedReceipts receipts = new RecordedReceipts(stores, Duration.ofDays(1))) {
      assertThat(receipts.receive("smpp", "a1", MessageState.DELIVERED, MemoryStores.START))
          .isTrue();
      seconds(receipts, 600);
      stores.record(List.of(sent()));
      seconds(receipts, 30);
      assertThat(stores.state(message.id())).isEqualTo(MessageState.DELIVERED);
    }
  }

  @Test
  void receiptOfNoMessageIsNotKeptForEver() {
    stores.addPublished(List.of(message));
    try (RecordedReceipts receipts = new RecordedReceipts(stores, Duration.ofDays(1))) {
      assertThat(receipts.receive("smpp", "a1", MessageState.DELIVERED, MemoryStores.START))
          .isTrue();
      seconds(receipts, 720);
      stores.record(List.of(sent()));
      seconds(receipts, 30);
      assertThat(stores.state(message.id())).isEqualTo(MessageState.SENT);
    }
  }

  private static void seconds(RecordedReceipts receipts, int count) {
    for (int second = 0; second < count; second++) {
      receipts.retry();
    }
  }

  @Test
  void receiptIsNotTakenWhileTheLogIsDown() {
    stores.addPublished(List.of(message));
    stores.record(List.of(sent()));
    try (RecordedReceipts receipts = new RecordedReceipts(stores)) {
      stores.setDown(true);
      assertThat(receipts.receive("smpp", "a1", MessageState.DELIVERED, MemoryStores.START))
          .isFalse();
      stores.setDown(false);
      assertThat(receipts.receive("smpp", "a1", MessageState.DELIVERED, MemoryStores.START))
          .isTrue();
      assertThat(stores.state(message.id())).isEqualTo(MessageState.DELIVERED);
    }
  }

  /** PostgreSQL refuses some of them, for ever. */
  @Test
  void receiptWithAnIdThatNoMessageCanHaveIsDoneWith() {
    try (RecordedReceipts receipts = new RecordedReceipts(stores)) {
      stores.setDown(true);
      for (String id : List.of("", "a\0b", "\ud800", "ä", "x".repeat(256))) {
        assertThat(receipts.receive("smpp", id, MessageState.DELIVERED, MemoryStores.START))
            .isTrue();
      }
    }
  }

  private MessageLog.Delivery sent() {
    return new MessageLog.Delivery(
        message.id(),
        MessageState.SENT,
        MemoryStores.START,
        "smpp",
        List.of("a1"),
        Optional.empty());
  }
}
