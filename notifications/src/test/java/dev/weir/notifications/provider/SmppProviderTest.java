package dev.weir.notifications.provider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.ClosedPort;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageState;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.Crowd;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.SubmitSm;
import org.jsmpp.util.DeliveryReceiptState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class SmppProviderTest {
  private record Receipt(String provider, String providerId, MessageState state) {}

  private final BlockingQueue<Receipt> receipts = new LinkedBlockingQueue<>();
  private volatile boolean takesReceipts = true;
  private MessageCentre centre;
  private SmppProvider provider;

  @BeforeEach
  void start() throws IOException {
    centre = new MessageCentre();
    provider = provider(centre.port(), MessageCentre.PASSWORD);
  }

  @AfterEach
  void stop() throws IOException {
    provider.close();
    centre.close();
  }

  private SmppProvider provider(int port, String password) {
    return provider(settings(port, password, MessageCentre.MAX_WAIT));
  }

  private SmppProvider provider(SmppSettings settings) {
    return new SmppProvider(
        settings,
        userId -> "+" + userId,
        (name, id, state, at) -> takesReceipts && receipts.add(new Receipt(name, id, state)),
        InstantSource.system());
  }

  @Test
  void submitsAMessageInTheDefaultAlphabet() {
    assertThat(provider.send(message("Hi €"))).isEqualTo(taken("ID1"));
    SubmitSm submit = centre.submitted().getFirst();
    assertThat(submit.getShortMessage()).containsExactly('H', 'i', ' ', 0x1B, 0x65);
    assertThat(submit.getDataCoding()).isEqualTo((byte) 0);
    assertThat(submit.getDestAddress()).isEqualTo("+101");
    assertThat(submit.getSourceAddr()).isEqualTo("WEIR");
    assertThat(submit.isUdhi()).isFalse();
  }

  @Test
  void submitsOtherCharactersAsUcs2() {
    assertThat(provider.send(message("привет"))).isEqualTo(taken("ID1"));
    SubmitSm submit = centre.submitted().getFirst();
    assertThat(submit.getShortMessage()).isEqualTo("привет".getBytes(StandardCharsets.UTF_16BE));
    assertThat(submit.getDataCoding()).isEqualTo((byte) 8);
  }

  @Test
  void submitsALongMessageInPartsThatBelongTogether() {
    String text = "abcdefghi ".repeat(40);
    assertThat(provider.send(message(text))).isEqualTo(taken("ID1", "ID2", "ID3"));
    List<SubmitSm> parts = centre.submitted();
    assertThat(parts).hasSize(3);
    StringBuilder joined = new StringBuilder();
    for (int i = 0; i < 3; i++) {
      byte[] body = parts.get(i).getShortMessage();
      assertThat(parts.get(i).isUdhi()).isTrue();
      assertThat(body).startsWith(5, 0, 3, parts.getFirst().getShortMessage()[3], 3, i + 1);
      joined.append(new String(body, 6, body.length - 6, StandardCharsets.US_ASCII));
    }
    assertThat(joined).hasToString(text);
    // A receipt for each part, because the message has arrived only if all of them have.
    assertThat(parts)
        .extracting(SubmitSm::getRegisteredDelivery)
        .containsExactly((byte) 1, (byte) 1, (byte) 1);
  }

  @Test
  void throttlingPausesTheProviderAndARepetitionGoesOnWithThePartThatFailed() {
    centre.answer(number -> number == 1 ? SMPPConstant.STAT_ESME_RTHROTTLED : 0);
    Message message = message("abcdefghi ".repeat(40));
    assertThat(provider.hasPartOf(message.id())).isFalse();
    assertThat(provider.send(message)).isInstanceOf(ProviderResult.Unavailable.class);
    assertThat(provider.hasPartOf(message.id())).isTrue();
    assertThat(provider.send(message)).isEqualTo(taken("ID1", "ID2", "ID3"));
    assertThat(provider.hasPartOf(message.id())).isFalse();
    assertThat(centre.submitted()).hasSize(3);
    assertThat(centre.submitted())
        .extracting(submit -> submit.getShortMessage()[5])
        .containsExactly((byte) 1, (byte) 2, (byte) 3);
  }

  @Test
  void statusSaysWhatToDo() {
    assertThat(after(SMPPConstant.STAT_ESME_RTHROTTLED))
        .isInstanceOf(ProviderResult.Unavailable.class);
    assertThat(after(SMPPConstant.STAT_ESME_RMSGQFUL))
        .isInstanceOf(ProviderResult.Unavailable.class);
    assertThat(after(SMPPConstant.STAT_ESME_RSYSERR)).isInstanceOf(ProviderResult.Retry.class);
    assertThat(after(SMPPConstant.STAT_ESME_RINVDSTADR))
        .isEqualTo(new ProviderResult.Rejected("SMPP status 0x0000000B"));
  }

  /** The message is as good as any other; the session is not. */
  @Test
  void statusAboutTheBindIsAFaultOfTheSession() throws InterruptedException {
    assertThat(provider.send(message("one"))).isEqualTo(taken("ID1"));
    int binds = 1;
    for (int status :
        List.of(SMPPConstant.STAT_ESME_RINVBNDSTS, SMPPConstant.STAT_ESME_RBINDFAIL)) {
      assertThat(after(status)).isInstanceOf(ProviderResult.Unavailable.class);
      centre.answer(number -> 0);
      assertThat(provider.send(message("again"))).isInstanceOf(ProviderResult.Taken.class);
      binds++;
      // It is counted after it was accepted, when the provider may have used it already.
      centre.awaitBinds(binds);
      assertThat(centre.binds()).isEqualTo(binds);
    }
  }

  /** Then there are no receipts, and the message is taken all the same. */
  @Test
  void messageThatGetsNoIdIsTaken() {
    centre.giveNoIds();
    assertThat(provider.send(message("hello"))).isEqualTo(ProviderResult.Taken.WITHOUT_ID);
  }

  private ProviderResult after(int status) {
    centre.answer(number -> status);
    return provider.send(message("hello"));
  }

  @Test
  void bindsAgainAfterTheConnectionWasLost() throws Exception {
    assertThat(provider.send(message("one"))).isEqualTo(taken("ID1"));
    centre.disconnect();
    centre.awaitBinds(2);
    ProviderResult result = provider.send(message("two"));
    // The end of the first connection may not have been noticed when the message was written.
    while (!(result instanceof ProviderResult.Taken)) {
      result = provider.send(message("two"));
    }
    assertThat(result).isEqualTo(taken("ID2"));
  }

  /** Receipts come by the bind, also if nothing was sent since the start. */
  @Test
  void bindsBeforeTheFirstMessageAndAgainWhenIdle() throws Exception {
    for (int bind = 1; bind <= 2; bind++) {
      centre.awaitBinds(bind);
      // Until the provider has got the answer to its bind, too, it takes none.
      while (centre.deliverReceipt("ID7", DeliveryReceiptState.DELIVRD) != 0) {
        Await.pause();
      }
      assertThat(receipts.take()).isEqualTo(new Receipt("smpp", "ID7", MessageState.DELIVERED));
      centre.disconnect();
    }
    assertThat(centre.submitted()).isEmpty();
  }

  /** {@code submit_sm} cannot be recognized when it is repeated. */
  @Test
  void submissionWithoutAnAnswerIsUnknownAndALateAnswerCounts() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (SmppProvider hasty =
        provider(settings(centre.port(), MessageCentre.PASSWORD, Duration.ofMillis(500)))) {
      centre.answerAfter(release);
      ProviderResult result = hasty.send(message("abcdefghi ".repeat(20)));
      // On a busy machine, the bind may take longer than that.
      while (result instanceof ProviderResult.Unavailable) {
        result = hasty.send(message("abcdefghi ".repeat(20)));
      }
      centre.awaitSubmitted();
      assertThat(result).isInstanceOf(ProviderResult.Unknown.class);
      assertThat(centre.submitted()).hasSize(1);
      release.countDown();
      // The second part is submitted when the first was taken after all.
      assertThat(((ProviderResult.Unknown) result).late().get()).isEqualTo(taken("ID1", "ID2"));
    }
  }

  @Test
  void submissionWhoseConnectionIsLostIsUnknown() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    centre.answerAfter(release);
    FutureTask<ProviderResult> sending = new FutureTask<>(() -> provider.send(message("hello")));
    Thread.ofPlatform().start(sending);
    centre.awaitSubmitted();
    centre.disconnect();
    assertThat(sending.get()).isInstanceOf(ProviderResult.Unknown.class);
    release.countDown();
  }

  private static SmppSettings settings(int port, String password, Duration timeout) {
    return new SmppSettings(
        "127.0.0.1",
        port,
        false,
        MessageCentre.SYSTEM_ID,
        password,
        "",
        "WEIR",
        timeout,
        MessageCentre.MAX_WAIT);
  }

  @Test
  void centreThatIsDownOrRefusesTheBindIsUnavailable() throws IOException {
    try (ClosedPort port = new ClosedPort();
        SmppProvider other = provider(port.number(), MessageCentre.PASSWORD)) {
      assertThat(other.send(message("hello"))).isInstanceOf(ProviderResult.Unavailable.class);
    }
    try (MessageCentre strict = new MessageCentre();
        SmppProvider other = provider(strict.port(), "wrong")) {
      assertThat(other.send(message("hello"))).isInstanceOf(ProviderResult.Unavailable.class);
      assertThat(strict.submitted()).isEmpty();
    }
  }

  @Test
  void finalReceiptsArePassedOnAndOthersAreNot() throws Exception {
    assertThat(provider.send(message("hello"))).isEqualTo(taken("ID1"));
    assertThat(centre.deliverReceipt("ID1", DeliveryReceiptState.ENROUTE)).isZero();
    assertThat(centre.deliverReceipt("ID1", DeliveryReceiptState.DELIVRD)).isZero();
    assertThat(centre.deliverReceipt("ID2", DeliveryReceiptState.UNDELIV)).isZero();
    assertThat(receipts)
        .containsExactly(
            new Receipt("smpp", "ID1", MessageState.DELIVERED),
            new Receipt("smpp", "ID2", MessageState.FAILED));
  }

  /** Message centres write the same hexadecimal id in either case, and others are what they are. */
  @Test
  void onlyHexadecimalIdsAreTheSameInEitherCase() throws Exception {
    assertThat(provider.send(message("hello"))).isEqualTo(taken("ID1"));
    for (String id : List.of("00AF", "00af", "xAF", "xaf", "0x1F")) {
      assertThat(centre.deliverReceipt(id, DeliveryReceiptState.DELIVRD)).isZero();
    }
    assertThat(receipts)
        .extracting(Receipt::providerId)
        .containsExactly("00af", "00af", "xAF", "xaf", "0x1F");
  }

  @Test
  void receiptMayConsistOfParametersAlone() throws Exception {
    assertThat(provider.send(message("hello"))).isEqualTo(taken("ID1"));
    assertThat(centre.deliverReceipt("", id("ID1\0"), state(1))).isZero();
    assertThat(centre.deliverReceipt("", id("ID1\0"), state(2))).isZero();
    assertThat(centre.deliverReceipt("", id("ID2"), state(5))).isZero();
    assertThat(centre.deliverReceipt("", id(""), state(2))).isZero();
    assertThat(centre.deliverReceipt("", state(2))).isZero();
    byte[] text = "id:ID3 stat:DELIVRD".getBytes(StandardCharsets.US_ASCII);
    assertThat(centre.deliverReceipt("", new OptionalParameter.Message_payload(text))).isZero();
    assertThat(receipts)
        .containsExactly(
            new Receipt("smpp", "ID1", MessageState.DELIVERED),
            new Receipt("smpp", "ID2", MessageState.FAILED),
            new Receipt("smpp", "ID3", MessageState.DELIVERED));
  }

  @Test
  void textOfAReceiptMayBeAnythingButItsIdAndState() throws Exception {
    assertThat(provider.send(message("hello"))).isEqualTo(taken("ID1"));
    for (String text :
        List.of(
            "id:ID1 sub:001 dlvrd:001 submit date:9913991399 done date:never stat:DELIVRD err:0",
            "id:ID2 submit date:20260301120000+01 done date: stat:EXPIRED err:",
            "stat:delivrd id:ID3",
            "id:ID4 stat:ENROUTE",
            "nothing of the kind")) {
      assertThat(centre.deliverReceipt(text)).as(text).isZero();
    }
    assertThat(receipts)
        .containsExactly(
            new Receipt("smpp", "ID1", MessageState.DELIVERED),
            new Receipt("smpp", "ID2", MessageState.FAILED),
            new Receipt("smpp", "ID3", MessageState.DELIVERED));
  }

  private static OptionalParameter id(String id) {
    return new OptionalParameter.Receipted_message_id(id.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static OptionalParameter state(int state) {
    return new OptionalParameter.Message_state((byte) state);
  }

  @Test
  void receiptThatCannotBeTakenIsToBeRepeated() throws Exception {
    assertThat(provider.send(message("hello"))).isEqualTo(taken("ID1"));
    takesReceipts = false;
    assertThat(centre.deliverReceipt("ID1", DeliveryReceiptState.DELIVRD))
        .isEqualTo(SMPPConstant.STAT_ESME_RX_T_APPN);
    takesReceipts = true;
    assertThat(centre.deliverReceipt("ID1", DeliveryReceiptState.DELIVRD)).isZero();
    assertThat(receipts).containsExactly(new Receipt("smpp", "ID1", MessageState.DELIVERED));
  }

  @Test
  void manyMessagesShareTheConnection() {
    List<ProviderResult> results =
        Crowd.concurrently(50, i -> provider.send(message("hello " + i)));
    assertThat(results)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, 50).mapToObj(i -> taken("ID" + i)).toList());
  }

  private static ProviderResult taken(String... ids) {
    return new ProviderResult.Taken(List.of(ids));
  }

  private static Message message(String text) {
    return new Message(UUID.randomUUID(), 101, text, 1);
  }
}
