package dev.weir.notifications.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.notifications.messages.Message;
import dev.weir.store.tck.internal.Crowd;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Command;
import org.jsmpp.util.DeliveryReceiptState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** What a session with a message centre does beyond submitting one message after the other. */
@Timeout(300)
final class SmppSessionTest {
  private static SmppProvider provider(int port, Receipts receipts) {
    return new SmppProvider(
        new SmppSettings(
            "127.0.0.1",
            port,
            false,
            MessageCentre.SYSTEM_ID,
            MessageCentre.PASSWORD,
            "",
            "WEIR",
            MessageCentre.MAX_WAIT,
            MessageCentre.MAX_WAIT),
        userId -> "+" + userId,
        receipts,
        InstantSource.system());
  }

  private static SmppProvider provider(int port) {
    return provider(port, (name, id, state, at) -> true);
  }

  private static FutureTask<ProviderResult> sending(SmppProvider provider) {
    Message message = new Message(UUID.randomUUID(), 101, "hello", 1);
    FutureTask<ProviderResult> sending = new FutureTask<>(() -> provider.send(message));
    Thread.ofPlatform().daemon().start(sending);
    return sending;
  }

  private static ProviderResult taken(String id) {
    return new ProviderResult.Taken(List.of(id));
  }

  /** The store may be slow to take receipts, and there are more of them than threads. */
  @Test
  void answersDoNotWaitForReceipts() throws Exception {
    CountDownLatch storeIsBack = new CountDownLatch(1);
    CountDownLatch waiting = new CountDownLatch(3);
    Receipts slow =
        (name, id, state, at) -> {
          waiting.countDown();
          return await(storeIsBack);
        };
    try (MessageCentre centre = new MessageCentre();
        SmppProvider provider = provider(centre.port(), slow)) {
      assertThat(sending(provider).get()).isEqualTo(taken("ID1"));
      FutureTask<List<Integer>> receipts =
          new FutureTask<>(() -> Crowd.concurrently(20, number -> deliver(centre, "ID" + number)));
      Thread.ofPlatform().daemon().start(receipts);
      waiting.await();
      assertThat(sending(provider).get()).isEqualTo(taken("ID2"));
      storeIsBack.countDown();
      assertThat(receipts.get()).containsOnly(0);
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static int deliver(MessageCentre centre, String id) {
    try {
      return centre.deliverReceipt(id, DeliveryReceiptState.DELIVRD);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void genericNackIsJudgedByItsStatus() throws Exception {
    try (ManualCentre centre = new ManualCentre();
        SmppProvider provider = provider(centre.port());
        ManualCentre.Peer peer = centre.accept()) {
      assertThat(nacked(provider, peer, SMPPConstant.STAT_ESME_RTHROTTLED))
          .isInstanceOf(ProviderResult.Unavailable.class);
      assertThat(nacked(provider, peer, SMPPConstant.STAT_ESME_RSYSERR))
          .isInstanceOf(ProviderResult.Retry.class);
      assertThat(nacked(provider, peer, SMPPConstant.STAT_ESME_ROK))
          .isInstanceOf(ProviderResult.Retry.class);
      assertThat(nacked(provider, peer, SMPPConstant.STAT_ESME_RINVCMDLEN))
          .isInstanceOf(ProviderResult.Rejected.class);
    }
  }

  private static ProviderResult nacked(SmppProvider provider, ManualCentre.Peer peer, int status)
      throws Exception {
    FutureTask<ProviderResult> sending = sending(provider);
    Command submit = peer.await(SMPPConstant.CID_SUBMIT_SM);
    peer.send(ManualCentre.PDUS.genericNack(status, submit.getSequenceNumber()));
    return sending.get();
  }

  /** SMPP has ids of up to 64 characters. */
  @Test
  void messageIsTakenWhoseIdCannotBeRead() throws Exception {
    try (ManualCentre centre = new ManualCentre();
        SmppProvider provider = provider(centre.port());
        ManualCentre.Peer peer = centre.accept()) {
      FutureTask<ProviderResult> sending = sending(provider);
      peer.take(peer.await(SMPPConstant.CID_SUBMIT_SM), "x".repeat(100));
      assertThat(sending.get()).isEqualTo(ProviderResult.Taken.WITHOUT_ID);
    }
  }

  @Test
  void messageCentreThatUnbindsIsBoundAgainAndMayAnswerBefore() throws Exception {
    try (ManualCentre centre = new ManualCentre();
        SmppProvider provider = provider(centre.port());
        ManualCentre.Peer first = centre.accept()) {
      FutureTask<ProviderResult> before = sending(provider);
      Command submit = first.await(SMPPConstant.CID_SUBMIT_SM);
      first.send(ManualCentre.PDUS.unbind(7));
      try (ManualCentre.Peer second = centre.accept()) {
        FutureTask<ProviderResult> after = sending(provider);
        second.take(second.await(SMPPConstant.CID_SUBMIT_SM), "ID2");
        assertThat(after.get()).isEqualTo(taken("ID2"));
        first.take(submit, "ID1");
        assertThat(before.get()).isEqualTo(taken("ID1"));
        assertThat(first.await(SMPPConstant.CID_UNBIND_RESP).getSequenceNumber()).isEqualTo(7);
      }
    }
  }

  @Test
  void statusAboutTheBindLeavesTheAnswersToOtherMessagesTheirTime() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    try (MessageCentre centre = new MessageCentre();
        SmppProvider provider = provider(centre.port())) {
      centre.answer(number -> number == 1 ? SMPPConstant.STAT_ESME_RINVBNDSTS : 0);
      centre.answerAfter(answer);
      FutureTask<ProviderResult> before = sending(provider);
      centre.awaitSubmitted();
      assertThat(sending(provider).get()).isInstanceOf(ProviderResult.Unavailable.class);
      centre.awaitBinds(2);
      answer.countDown();
      assertThat(before.get()).isEqualTo(taken("ID1"));
      assertThat(sending(provider).get()).isEqualTo(taken("ID2"));
    }
  }

  /** Another sender may have begun the message again. */
  @Test
  void noPartIsSubmittedWhoseAnswerWouldComeTooLate() throws Exception {
    Message message = new Message(UUID.randomUUID(), 101, "abcdefghi ".repeat(40), 3);
    try (MessageCentre centre = new MessageCentre();
        SmppProvider provider = provider(centre.port())) {
      assertThat(provider.send(message, MessageCentre.MAX_WAIT))
          .isInstanceOf(ProviderResult.Unavailable.class);
      assertThat(centre.submitted()).isEmpty();
      assertThat(provider.hasPartOf(message.id())).isFalse();
      assertThat(provider.send(message, MessageCentre.MAX_WAIT.multipliedBy(3)))
          .isEqualTo(new ProviderResult.Taken(List.of("ID1", "ID2", "ID3")));
    }
  }

  /** It would be flooded with binds. */
  @Test
  void bindsThatDoNotLastAreMadeAgainAfterGrowingPauses() throws Exception {
    try (ManualCentre centre = new ManualCentre();
        SmppProvider provider = provider(centre.port())) {
      loseOnceUsed(provider, centre);
      // The pause is counted from the bind, however long that was used.
      long secondNanos = loseOnceUsed(provider, centre);
      long thirdNanos = loseOnceUsed(provider, centre);
      assertThat(Duration.ofNanos(thirdNanos - secondNanos))
          .isGreaterThan(Duration.ofMillis(1_500));
    }
  }

  /** Returns when the connection was there that is lost, before it was bound. */
  private static long loseOnceUsed(SmppProvider provider, ManualCentre centre) throws Exception {
    FutureTask<ProviderResult> sending;
    long connectedNanos;
    try (ManualCentre.Peer peer = centre.accept()) {
      connectedNanos = peer.connectedNanos();
      sending = sending(provider);
      assertThat(peer.await(SMPPConstant.CID_SUBMIT_SM).getCommandStatus()).isZero();
    }
    assertThat(sending.get()).isInstanceOf(ProviderResult.Unknown.class);
    return connectedNanos;
  }

  @Test
  void passwordIsNeverLogged() throws IOException, InterruptedException {
    Logger jsmpp = (Logger) LoggerFactory.getLogger("org.jsmpp");
    Level before = jsmpp.getLevel();
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    events.start();
    jsmpp.addAppender(events);
    jsmpp.setLevel(Level.TRACE);
    try (MessageCentre centre = new MessageCentre();
        SmppProvider provider = provider(centre.port())) {
      centre.awaitBinds(1);
      assertThat(provider.name()).isEqualTo("smpp");
    } finally {
      jsmpp.setLevel(before);
      jsmpp.detachAppender(events);
    }
    byte[] password = MessageCentre.PASSWORD.getBytes(StandardCharsets.US_ASCII);
    // Those of the message centre, which has another class for it, are not ours.
    assertThat(events.list)
        .filteredOn(event -> event.getFormattedMessage().contains("Sending"))
        .extracting(event -> event.getFormattedMessage().toLowerCase(Locale.ROOT))
        .noneMatch(line -> line.contains(HexFormat.of().formatHex(password)));
    assertThatThrownBy(
            () -> SmppSettings.of("127.0.0.1", 2775, "weir", "longer than SMPP has", "WEIR"))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .doesNotContain("longer");
  }
}
