package dev.weir.notifications.provider;

import dev.weir.engine.notifications.Message;
import dev.weir.notifications.MessageParts;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Alphabet;
import org.jsmpp.bean.BindType;
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
import org.jsmpp.session.BindParameter;
import org.jsmpp.session.SMPPSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits messages to a message centre by SMPP 3.4, over one connection that is bound again after
 * it was lost.
 *
 * <p>A message of several parts is submitted part by part, and a receipt is asked for with the last
 * one: the id of the last part is that of the message. A repetition goes on with the part that
 * failed. Throttling and a full queue pause the provider, and so does a status that is about the
 * bind, after which it binds again. Other errors that the message centre may recover from are
 * retried, and all others reject the message.
 */
public final class SmppProvider implements SmsProvider {
  private static final Logger log = LoggerFactory.getLogger(SmppProvider.class);
  private static final Duration THROTTLE_PAUSE = Duration.ofSeconds(1);
  private static final Duration RECONNECT_PAUSE = Duration.ofSeconds(1);

  /** Bounds the memory for messages that are not repeated after a part of them was submitted. */
  private static final int MAX_BEGUN = 10_000;

  private static final int HEADER_BYTES = 6;
  private static final byte CONCATENATION = 0x00;

  private final SmppSettings settings;
  private final LongFunction<String> addresses;
  private final ReceiptListener receipts;
  private final ReentrantLock connecting = new ReentrantLock();
  private final ReentrantLock progress = new ReentrantLock();

  /** The number of parts that were submitted of messages that failed halfway. */
  private final Map<UUID, Integer> begun =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Integer> eldest) {
          return size() > MAX_BEGUN;
        }
      };

  private volatile @Nullable SMPPSession session;
  private volatile boolean isClosed;

  /**
   * Creates a provider; it binds when the first message is sent.
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
    this.receipts = new ReceiptListener(name(), receipts, clock);
  }

  @Override
  public String name() {
    return "smpp";
  }

  @Override
  public ProviderResult send(Message message) {
    @Nullable SMPPSession used = null;
    try {
      used = bound();
      return submit(used, message, MessageParts.of(message.text()));
    } catch (NegativeResponseException e) {
      if (isAboutSession(e.getCommandStatus())) {
        discard(used);
      }
      return refused(e.getCommandStatus());
    } catch (ResponseTimeoutException e) {
      return new ProviderResult.Retry("no response within " + settings.timeout());
    } catch (InvalidResponseException e) {
      return new ProviderResult.Retry("invalid response: " + e.getMessage());
    } catch (PDUException | IllegalArgumentException e) {
      return new ProviderResult.Rejected("cannot be submitted: " + e.getMessage());
    } catch (IOException e) {
      return new ProviderResult.Unavailable("no connection: " + e.getMessage(), RECONNECT_PAUSE);
    }
  }

  private ProviderResult submit(SMPPSession bound, Message message, MessageParts parts)
      throws PDUException,
          ResponseTimeoutException,
          InvalidResponseException,
          NegativeResponseException,
          IOException {
    @Nullable String providerId = null;
    for (int part = submitted(message.id()); part < parts.count(); part++) {
      providerId = submit(bound, message, parts, part);
      noteSubmitted(message.id(), part + 1);
    }
    forget(message.id());
    // Some message centres give no id; then there are no receipts.
    return new ProviderResult.Taken(
        Optional.ofNullable(providerId)
            .filter(id -> !id.isEmpty())
            .map(ReceiptListener::normalized));
  }

  private @Nullable String submit(SMPPSession bound, Message message, MessageParts parts, int part)
      throws PDUException,
          ResponseTimeoutException,
          InvalidResponseException,
          NegativeResponseException,
          IOException {
    boolean isLast = part + 1 == parts.count();
    boolean isDivided = parts.count() > 1;
    byte[] content = parts.content(part);
    return bound
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
            new RegisteredDelivery(
                isLast ? SMSCDeliveryReceipt.SUCCESS_FAILURE : SMSCDeliveryReceipt.DEFAULT),
            (byte) 0,
            coding(parts.encoding()),
            (byte) 0,
            isDivided ? withHeader(message, parts, part, content) : content)
        .getMessageId();
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

  private static ProviderResult refused(int status) {
    String reason = "SMPP status 0x%08X".formatted(status);
    if (isAboutSession(status)) {
      return new ProviderResult.Unavailable(reason, RECONNECT_PAUSE);
    }
    return switch (status) {
      case SMPPConstant.STAT_ESME_RTHROTTLED, SMPPConstant.STAT_ESME_RMSGQFUL ->
          new ProviderResult.Unavailable(reason, THROTTLE_PAUSE);
      case SMPPConstant.STAT_ESME_RSYSERR,
          SMPPConstant.STAT_ESME_RSUBMITFAIL,
          SMPPConstant.STAT_ESME_RX_T_APPN ->
          new ProviderResult.Retry(reason);
      default -> new ProviderResult.Rejected(reason);
    };
  }

  private SMPPSession bound() throws IOException {
    SMPPSession known = session;
    if (known != null && known.getSessionState().isBound()) {
      return known;
    }
    connecting.lock();
    try {
      known = session;
      if (known != null && known.getSessionState().isBound()) {
        return known;
      }
      if (isClosed) {
        throw new IOException("the provider is closed");
      }
      known = bind();
      session = known;
      return known;
    } finally {
      connecting.unlock();
    }
  }

  /** Ends a session, so that the next message binds again. */
  private void discard(@Nullable SMPPSession ended) {
    connecting.lock();
    try {
      if (ended == null || !ended.equals(session)) {
        return;
      }
      session = null;
    } finally {
      connecting.unlock();
    }
    ended.close();
  }

  private SMPPSession bind() throws IOException {
    SMPPSession next = new SMPPSession(new SmppConnections(settings.isTls(), settings.timeout()));
    next.setTransactionTimer(settings.timeout().toMillis());
    next.setEnquireLinkTimer((int) settings.enquireEvery().toMillis());
    next.setMessageReceiverListener(receipts);
    next.connectAndBind(
        settings.host(),
        settings.port(),
        new BindParameter(
            BindType.BIND_TRX,
            settings.systemId(),
            settings.password(),
            settings.systemType(),
            TypeOfNumber.UNKNOWN,
            NumberingPlanIndicator.UNKNOWN,
            null),
        settings.timeout().toMillis());
    log.info("Bound to {}", settings);
    return next;
  }

  private int submitted(UUID message) {
    progress.lock();
    try {
      return begun.getOrDefault(message, 0);
    } finally {
      progress.unlock();
    }
  }

  private void noteSubmitted(UUID message, int parts) {
    progress.lock();
    try {
      begun.put(message, parts);
    } finally {
      progress.unlock();
    }
  }

  private void forget(UUID message) {
    progress.lock();
    try {
      begun.remove(message);
    } finally {
      progress.unlock();
    }
  }

  @Override
  public void close() {
    isClosed = true;
    SMPPSession known = session;
    if (known != null) {
      known.unbindAndClose();
    }
  }
}
