package dev.weir.notifications.provider;

import dev.weir.notifications.MessageParts;
import dev.weir.notifications.messages.Message;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Alphabet;
import org.jsmpp.bean.DataCoding;
import org.jsmpp.bean.DataCodings;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.GSMSpecificFeature;
import org.jsmpp.bean.GeneralDataCoding;
import org.jsmpp.bean.MessageMode;
import org.jsmpp.bean.MessageType;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.SMSCDeliveryReceipt;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Submits messages to a message centre by SMPP 3.4, over one connection that is kept also while
 * there is nothing to send, because receipts come by it.
 *
 * <p>A message of several parts is submitted part by part, with a receipt for each. A repetition
 * goes on with the part that failed. Throttling and a full queue pause the provider, and so does a
 * status that is about the bind, after which it binds again. Other errors that the message centre
 * may recover from are retried, and all others reject the message. A submission without an answer
 * is unknown; the protocol cannot recognize a repetition.
 */
public final class SmppProvider implements SmsProvider {
  static final Duration PAUSE = Duration.ofSeconds(1);

  /** A message that only one sender hands over. */
  private static final Duration FOREVER = Duration.ofDays(365);

  /** Bounds the memory for submissions without an answer. */
  private static final int MAX_SUBMISSIONS = 10_000;

  private static final int HEADER_BYTES = 6;
  private static final byte CONCATENATION = 0x00;

  private final SmppSettings settings;
  private final LongFunction<String> addresses;
  private final SubmittedParts submitted = new SubmittedParts();
  private final Semaphore permits = new Semaphore(MAX_SUBMISSIONS);
  private final Map<UUID, SmppSubmission> running = new ConcurrentHashMap<>();
  private final SmppBind bind;

  /**
   * Creates a provider, which begins to bind.
   *
   * @param addresses the address of each user
   */
  public SmppProvider(
      SmppSettings settings,
      LongFunction<String> addresses,
      Receipts receipts,
      InstantSource clock) {
    this.settings = settings;
    this.addresses = addresses;
    this.bind =
        new SmppBind(
            settings,
            new ReceiptListener(name(), receipts, clock),
            lost -> running.values().forEach(submission -> submission.lost(lost)));
  }

  @Override
  public String name() {
    return "smpp";
  }

  /** The bind and a part may take the time-out each. */
  @Override
  public Duration maxAnswerTime() {
    return settings.timeout().multipliedBy(2).plusSeconds(1);
  }

  @Override
  public ProviderResult send(Message message) {
    return send(message, FOREVER);
  }

  @Override
  public ProviderResult send(Message message, Duration within) {
    // The last part, too, is answered within that time.
    long lastNanos = System.nanoTime() + within.minus(settings.timeout()).toNanos();
    CentreSession session;
    try {
      session = bind.await();
    } catch (IOException e) {
      return new ProviderResult.Unavailable("no connection: " + e.getMessage(), PAUSE);
    }
    if (!permits.tryAcquire()) {
      return new ProviderResult.Unavailable("too many submissions have no answer", PAUSE);
    }
    SmppSubmission submission = submission(session, message, lastNanos);
    @Nullable SmppSubmission earlier = running.put(message.id(), submission);
    if (earlier != null) {
      earlier.replace();
    }
    return submission.await(settings.timeout());
  }

  @Override
  public boolean hasPartOf(UUID message) {
    return submitted.count(message) > 0;
  }

  private SmppSubmission submission(CentreSession session, Message message, long lastNanos) {
    AtomicReference<SmppSubmission> self = new AtomicReference<>();
    SmppSubmission submission =
        new SmppSubmission(
            session,
            message,
            lastNanos,
            submitted,
            this::submit,
            this::refused,
            () -> {
              permits.release();
              running.remove(message.id(), self.get());
            });
    self.set(submission);
    return submission;
  }

  /** Some message centres give no id; then there are no receipts. */
  private String submit(CentreSession bound, Message message, MessageParts parts, int part)
      throws PDUException,
          ResponseTimeoutException,
          InvalidResponseException,
          NegativeResponseException,
          IOException {
    boolean isDivided = parts.count() > 1;
    byte[] content = parts.content(part);
    @Nullable String id =
        bound
            .submitShortMessage(
                "",
                TypeOfNumber.UNKNOWN,
                NumberingPlanIndicator.UNKNOWN,
                settings.sourceAddress(),
                TypeOfNumber.UNKNOWN,
                NumberingPlanIndicator.UNKNOWN,
                addresses.apply(message.userId()),
                new ESMClass(
                    MessageMode.DEFAULT,
                    MessageType.DEFAULT,
                    isDivided ? GSMSpecificFeature.UDHI : GSMSpecificFeature.DEFAULT),
                (byte) 0,
                (byte) 0,
                null,
                null,
                new RegisteredDelivery(SMSCDeliveryReceipt.SUCCESS_FAILURE),
                (byte) 0,
                coding(parts.encoding()),
                (byte) 0,
                isDivided ? withHeader(message, parts, part, content) : content)
            .getMessageId();
    return id == null ? "" : ReceiptListener.normalized(id);
  }

  private static DataCoding coding(MessageParts.Encoding encoding) {
    return switch (encoding) {
      case GSM_7BIT -> DataCodings.ZERO;
      case UCS_2 -> new GeneralDataCoding(Alphabet.ALPHA_UCS2);
    };
  }

  /**
   * Prepends the header that joins the parts. Its reference is derived from the id of the message,
   * so that a part that is submitted twice replaces itself in the recipient's device.
   */
  private static byte[] withHeader(Message message, MessageParts parts, int part, byte[] content) {
    byte[] body = new byte[HEADER_BYTES + content.length];
    body[0] = HEADER_BYTES - 1;
    body[1] = CONCATENATION;
    body[2] = 3;
    body[3] = (byte) message.id().hashCode();
    body[4] = (byte) parts.count();
    body[5] = (byte) (part + 1);
    System.arraycopy(content, 0, body, HEADER_BYTES, content.length);
    return body;
  }

  /** Returns true if a message centre that answers with this status wants another bind first. */
  private static boolean isAboutSession(int status) {
    return switch (status) {
      case SMPPConstant.STAT_ESME_RINVBNDSTS,
          SMPPConstant.STAT_ESME_RBINDFAIL,
          SMPPConstant.STAT_ESME_RINVPASWD,
          SMPPConstant.STAT_ESME_RINVSYSID ->
          true;
      default -> false;
    };
  }

  private ProviderResult refused(CentreSession session, int status) {
    String reason = "SMPP status 0x%08X".formatted(status);
    if (isAboutSession(status)) {
      bind.retire(session);
      return new ProviderResult.Unavailable(reason, PAUSE);
    }
    return switch (status) {
      case SMPPConstant.STAT_ESME_RTHROTTLED, SMPPConstant.STAT_ESME_RMSGQFUL ->
          new ProviderResult.Unavailable(reason, PAUSE);
      case SMPPConstant.STAT_ESME_RSYSERR,
          SMPPConstant.STAT_ESME_RSUBMITFAIL,
          SMPPConstant.STAT_ESME_RX_T_APPN ->
          new ProviderResult.Retry(reason);
      default -> new ProviderResult.Rejected(reason);
    };
  }

  @Override
  public void close() {
    bind.close();
  }
}
