package dev.weir.notifications.provider;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.BroadcastSm;
import org.jsmpp.bean.CancelBroadcastSm;
import org.jsmpp.bean.CancelSm;
import org.jsmpp.bean.DataCodings;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.DeliveryReceipt;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.GSMSpecificFeature;
import org.jsmpp.bean.InterfaceVersion;
import org.jsmpp.bean.MessageMode;
import org.jsmpp.bean.MessageType;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.QueryBroadcastSm;
import org.jsmpp.bean.QuerySm;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.ReplaceSm;
import org.jsmpp.bean.SubmitMulti;
import org.jsmpp.bean.SubmitSm;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.session.BindRequest;
import org.jsmpp.session.BroadcastSmResult;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.QueryBroadcastSmResult;
import org.jsmpp.session.QuerySmResult;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.SMPPServerSessionListener;
import org.jsmpp.session.ServerMessageReceiverListener;
import org.jsmpp.session.Session;
import org.jsmpp.session.SubmitMultiResult;
import org.jsmpp.session.SubmitSmResult;
import org.jsmpp.util.DeliveryReceiptState;
import org.jsmpp.util.MessageId;

/** A message centre in this process: jSMPP's server, with the answers that a test wants. */
final class MessageCentre implements ServerMessageReceiverListener, AutoCloseable {
  static final String SYSTEM_ID = "weir";
  static final String PASSWORD = "pwd";

  /** Only what never comes takes this long, on however busy a machine. */
  static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private final LoopbackServer server = new LoopbackServer();
  private final SMPPServerSessionListener listener;
  private final List<SMPPServerSession> sessions = new CopyOnWriteArrayList<>();
  private final List<SubmitSm> submitted = new ArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private int binds;
  private volatile IntUnaryOperator statuses = number -> 0;
  private volatile boolean givesIds = true;
  private volatile CountDownLatch answers = new CountDownLatch(0);

  MessageCentre() throws IOException {
    listener = new SMPPServerSessionListener(server.port(), server);
    Thread.ofPlatform().daemon().name("message-centre").start(this::accept);
  }

  int port() {
    return server.port();
  }

  /** Sets the status of each request by its number, from 0; 0 accepts it. */
  void answer(IntUnaryOperator next) {
    statuses = next;
  }

  /** Lets messages be accepted without an id. */
  void giveNoIds() {
    givesIds = false;
  }

  /** Takes submissions from now on, and answers them when the latch opens. */
  void answerAfter(CountDownLatch latch) {
    answers = latch;
  }

  /** Returns the number of binds that were accepted. */
  synchronized int binds() {
    return binds;
  }

  /** Returns what was accepted. */
  synchronized List<SubmitSm> submitted() {
    return List.copyOf(submitted);
  }

  /** Waits until something was submitted. */
  synchronized void awaitSubmitted() throws InterruptedException {
    while (submitted.isEmpty()) {
      wait();
    }
  }

  /** Waits until the given number of binds was accepted. */
  synchronized void awaitBinds(int count) throws InterruptedException {
    while (binds < count) {
      wait();
    }
  }

  private synchronized void addBind() {
    binds++;
    notifyAll();
  }

  private void accept() {
    try {
      while (true) {
        SMPPServerSession session = listener.accept();
        session.setMessageReceiverListener(this);
        session.setTransactionTimer(MAX_WAIT.toMillis());
        sessions.add(session);
        bind(session);
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void bind(SMPPServerSession session) {
    try {
      BindRequest request = session.waitForBind(MAX_WAIT.toMillis());
      if (SYSTEM_ID.equals(request.getSystemId()) && PASSWORD.equals(request.getPassword())) {
        request.accept("centre", InterfaceVersion.IF_34);
        addBind();
      } else {
        request.reject(SMPPConstant.STAT_ESME_RINVPASWD);
      }
    } catch (TimeoutException | PDUStringException | IOException e) {
      session.close();
    }
  }

  @Override
  public SubmitSmResult onAcceptSubmitSm(SubmitSm submit, SMPPServerSession source)
      throws ProcessRequestException {
    int status = statuses.applyAsInt(requests.getAndIncrement());
    if (status != 0) {
      throw new ProcessRequestException("refused", status);
    }
    String id;
    synchronized (this) {
      submitted.add(submit);
      id = givesIds ? "ID" + submitted.size() : "";
      notifyAll();
    }
    try {
      answers.await();
      return new SubmitSmResult(new MessageId(id), new OptionalParameter[0]);
    } catch (PDUStringException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends a receipt for the message with the given id, and returns the status of the answer. */
  int deliverReceipt(String id, DeliveryReceiptState state)
      throws PDUException, ResponseTimeoutException, InvalidResponseException, IOException {
    DeliveryReceipt receipt =
        new DeliveryReceipt(
            id, 1, 1, Date.from(Instant.EPOCH), Date.from(Instant.EPOCH), state, "000", "text");
    return deliverReceipt(receipt.toString());
  }

  /** Sends a receipt with any text and parameters, and returns the status of the answer. */
  int deliverReceipt(String text, OptionalParameter... parameters)
      throws PDUException, ResponseTimeoutException, InvalidResponseException, IOException {
    try {
      sessions
          .getLast()
          .deliverShortMessage(
              "",
              TypeOfNumber.UNKNOWN,
              NumberingPlanIndicator.UNKNOWN,
              "101",
              TypeOfNumber.UNKNOWN,
              NumberingPlanIndicator.UNKNOWN,
              "WEIR",
              new ESMClass(
                  MessageMode.DEFAULT, MessageType.SMSC_DEL_RECEIPT, GSMSpecificFeature.DEFAULT),
              (byte) 0,
              (byte) 0,
              new RegisteredDelivery(0),
              DataCodings.ZERO,
              text.getBytes(StandardCharsets.ISO_8859_1),
              parameters);
      return 0;
    } catch (NegativeResponseException e) {
      return e.getCommandStatus();
    }
  }

  /** Ends all connections, as after a crash; new ones are accepted. */
  void disconnect() {
    sessions.forEach(SMPPServerSession::close);
  }

  @Override
  public SubmitMultiResult onAcceptSubmitMulti(SubmitMulti submit, SMPPServerSession source)
      throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public QuerySmResult onAcceptQuerySm(QuerySm query, SMPPServerSession source)
      throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public void onAcceptReplaceSm(ReplaceSm replace, SMPPServerSession source)
      throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public void onAcceptCancelSm(CancelSm cancel, SMPPServerSession source)
      throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public BroadcastSmResult onAcceptBroadcastSm(BroadcastSm broadcast, SMPPServerSession source)
      throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public void onAcceptCancelBroadcastSm(CancelBroadcastSm cancel, SMPPServerSession source)
      throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public QueryBroadcastSmResult onAcceptQueryBroadcastSm(
      QueryBroadcastSm query, SMPPServerSession source) throws ProcessRequestException {
    throw unsupported();
  }

  @Override
  public DataSmResult onAcceptDataSm(DataSm data, Session source) throws ProcessRequestException {
    throw unsupported();
  }

  private static ProcessRequestException unsupported() {
    return new ProcessRequestException("unsupported", SMPPConstant.STAT_ESME_RINVCMDID);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    disconnect();
  }
}
