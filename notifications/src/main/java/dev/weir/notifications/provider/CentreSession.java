package dev.weir.notifications.provider;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jsmpp.DefaultPDUReader;
import org.jsmpp.DefaultPDUSender;
import org.jsmpp.InvalidCommandLengthException;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.PDUReader;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.SynchronizedPDUSender;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.Command;
import org.jsmpp.bean.InterfaceVersion;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.SubmitSmResp;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.PendingResponse;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.session.SMPPSession;
import org.jsmpp.session.SendCommandTask;
import org.jsmpp.session.connection.ConnectionFactory;
import org.jsmpp.util.DefaultComposer;
import org.jsmpp.util.DefaultDecomposer;
import org.jsmpp.util.PDUDecomposer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session with a message centre. Thread-safe.
 *
 * <p>Answers to submissions are handled when they are read, and receipts by threads of their own,
 * so that an answer never waits for a store that is slow to take receipts. A {@code generic_nack}
 * is an answer with a status, like any other refusal. A session that is retired submits nothing
 * further, and stays open for the answers that are on their way.
 */
final class CentreSession extends SMPPSession {
  private static final Logger log = LoggerFactory.getLogger(CentreSession.class);
  private static final PDUDecomposer DECOMPOSER = new DefaultDecomposer();
  private static final String SUBMIT = "submit_sm";

  private final ReceiptListener receipts;
  private final Executor receiving;
  private final Consumer<CentreSession> unbound;

  // The rest is guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition answered = lock.newCondition();
  private int unanswered;
  private boolean isRetired;
  private OptionalInt unbind = OptionalInt.empty();

  /** Nothing was submitted, because the session does not take it any more. */
  static final class NotSubmittedException extends IOException {
    private static final long serialVersionUID = 1L;

    NotSubmittedException() {
      super("the session has ended");
    }
  }

  private CentreSession(
      ConnectionFactory connections,
      PDUReader reader,
      ReceiptListener receipts,
      Executor receiving,
      Consumer<CentreSession> unbound) {
    super(new SynchronizedPDUSender(new SilentBinds()), reader, connections);
    this.receipts = receipts;
    this.receiving = receiving;
    this.unbound = unbound;
  }

  /**
   * Returns a session that is not bound yet.
   *
   * @param receiving runs what records receipts; if it refuses, the message centre repeats them
   * @param unbound is told if the message centre wants to end the session
   */
  static CentreSession of(
      ConnectionFactory connections,
      ReceiptListener receipts,
      Executor receiving,
      Consumer<CentreSession> unbound) {
    Incoming incoming = new Incoming();
    CentreSession session = new CentreSession(connections, incoming, receipts, receiving, unbound);
    session.setMessageReceiverListener(receipts);
    incoming.taker = session::take;
    return session;
  }

  /** Lets nothing further be submitted; returns false if that was so before. */
  boolean retire() {
    lock.lock();
    try {
      boolean isFirst = !isRetired;
      isRetired = true;
      return isFirst;
    } finally {
      lock.unlock();
    }
  }

  /** Returns true if messages may be submitted. */
  boolean isOpen() {
    lock.lock();
    try {
      return !isRetired && getSessionState().isTransmittable();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the answers to all that was sent, for a limited time, and ends the session. */
  void end(Duration maxWait, Duration maxUnbind) {
    boolean isAskedTo = awaitAnswers(maxWait);
    setTransactionTimer(maxUnbind.toMillis());
    if (isAskedTo) {
      answerUnbind();
      close();
    } else {
      unbindAndClose();
    }
  }

  /** Returns true if the message centre has asked to unbind. */
  private boolean awaitAnswers(Duration max) {
    long nanos = max.toNanos();
    lock.lock();
    try {
      while (unanswered > 0 && nanos > 0) {
        nanos = answered.awaitNanos(nanos);
      }
      return unbind.isPresent();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unbind.isPresent();
    } finally {
      lock.unlock();
    }
  }

  private void answerUnbind() {
    try {
      pduSender().sendUnbindResp(out(), SMPPConstant.STAT_ESME_ROK, unbind.orElseThrow());
    } catch (IOException e) {
      log.debug("The answer to an unbind was not sent: {}", e.getMessage());
    }
  }

  private OutputStream out() {
    return connection().getOutputStream();
  }

  @Override
  protected void ensureTransmittable(String activity) throws IOException {
    if (!isOpen()) {
      throw new NotSubmittedException();
    }
  }

  @Override
  protected Command executeSendCommand(SendCommandTask task, long timeout)
      throws PDUException,
          ResponseTimeoutException,
          InvalidResponseException,
          NegativeResponseException,
          IOException {
    begin(task);
    try {
      return super.executeSendCommand(task, timeout);
    } finally {
      ended();
    }
  }

  private void begin(SendCommandTask task) throws NotSubmittedException {
    lock.lock();
    try {
      if (isRetired && task.getCommandName().equals(SUBMIT)) {
        throw new NotSubmittedException();
      }
      unanswered++;
    } finally {
      lock.unlock();
    }
  }

  private void ended() {
    lock.lock();
    try {
      unanswered--;
      answered.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Handles what must not wait behind receipts, or is one; returns false for anything else. */
  private boolean take(Command header, Incoming.Content content) throws IOException {
    switch (header.getCommandId()) {
      case SMPPConstant.CID_SUBMIT_SM_RESP -> answer(header, submitted(header, content.read()));
      case SMPPConstant.CID_GENERIC_NACK -> {
        byte[] unused = content.read();
        refused(header);
      }
      case SMPPConstant.CID_ENQUIRE_LINK_RESP ->
          answer(header, DECOMPOSER.enquireLinkResp(content.read()));
      case SMPPConstant.CID_DELIVER_SM -> {
        if (!getSessionState().isBound()) {
          return false;
        }
        byte[] pdu = content.read();
        try {
          receiving.execute(() -> receive(header, pdu));
        } catch (RejectedExecutionException e) {
          answerReceipt(header, SMPPConstant.STAT_ESME_RTHROTTLED);
        }
      }
      case SMPPConstant.CID_UNBIND -> {
        if (!getSessionState().isBound()) {
          return false;
        }
        byte[] unused = content.read();
        askedToUnbind(header);
      }
      default -> {
        return false;
      }
    }
    sessionContext().notifyActivity();
    return true;
  }

  private void answer(Command header, Command answer) {
    @Nullable PendingResponse<Command> pending = removePendingResponse(header.getSequenceNumber());
    if (pending == null) {
      log.warn("{} answers nothing that was asked", header);
    } else {
      pending.done(answer);
    }
  }

  /** The status counts also if the id cannot be read: then the message has none. */
  private static SubmitSmResp submitted(Command header, byte[] pdu) {
    try {
      return DECOMPOSER.submitSmResp(pdu);
    } catch (PDUStringException | RuntimeException e) {
      log.warn("The id in an answer of the message centre cannot be read: {}", e.toString());
      return status(header.getCommandStatus());
    }
  }

  private void refused(Command header) {
    int status = header.getCommandStatus();
    // Without a reason it says no more than that this was not done.
    boolean isWithoutReason = status == SMPPConstant.STAT_ESME_ROK;
    answer(header, status(isWithoutReason ? SMPPConstant.STAT_ESME_RSYSERR : status));
  }

  private static SubmitSmResp status(int status) {
    SubmitSmResp answer = new SubmitSmResp();
    answer.setCommandStatus(status);
    return answer;
  }

  private void askedToUnbind(Command header) {
    lock.lock();
    try {
      unbind = OptionalInt.of(header.getSequenceNumber());
    } finally {
      lock.unlock();
    }
    unbound.accept(this);
  }

  private void receive(Command header, byte[] pdu) {
    int status;
    try {
      status = receipts.receive(DECOMPOSER.deliverSm(pdu));
    } catch (PDUStringException e) {
      // It would be the same if it were repeated.
      log.warn("A deliver_sm of the message centre cannot be read: {}", e.getMessage());
      status = e.getErrorCode();
    } catch (RuntimeException e) {
      log.error("A deliver_sm of the message centre was not handled", e);
      status = SMPPConstant.STAT_ESME_RX_T_APPN;
    }
    answerReceipt(header, status);
  }

  private void answerReceipt(Command header, int status) {
    try {
      pduSender().sendDeliverSmResp(out(), status, header.getSequenceNumber(), null);
    } catch (IOException e) {
      // The message centre repeats the receipt by the next bind.
      log.debug("The answer to a receipt was not sent: {}", e.getMessage());
    }
  }

  /** Writes binds without writing their password to the log, as jSMPP does at DEBUG. */
  private static final class SilentBinds extends DefaultPDUSender {
    private final DefaultComposer composer = new DefaultComposer();

    @Override
    public byte[] sendBind(
        OutputStream out,
        BindType type,
        int sequence,
        String systemId,
        String password,
        String systemType,
        InterfaceVersion version,
        TypeOfNumber addressType,
        NumberingPlanIndicator numbering,
        @Nullable String addressRange)
        throws PDUStringException, IOException {
      byte[] bind =
          composer.bind(
              type.commandId(),
              sequence,
              systemId,
              password,
              systemType,
              version.value(),
              addressType.value(),
              numbering.value(),
              addressRange);
      out.write(bind);
      out.flush();
      return bind;
    }
  }

  /** Reads what comes, and passes to jSMPP what the session does not handle by itself. */
  private static final class Incoming implements PDUReader {
    private final PDUReader pdus = new DefaultPDUReader();
    private volatile Taker taker = (header, content) -> false;

    /** What follows the header; it has to be read if the header is taken, and only then. */
    interface Content {
      byte[] read() throws IOException;
    }

    interface Taker {
      boolean take(Command header, Content content) throws IOException;
    }

    @Override
    public Command readPDUHeader(DataInputStream in)
        throws InvalidCommandLengthException, IOException {
      while (true) {
        Command header = pdus.readPDUHeader(in);
        if (!taker.take(header, () -> pdus.readPDU(in, header))) {
          return header;
        }
      }
    }

    @Override
    public byte[] readPDU(DataInputStream in, Command header) throws IOException {
      return pdus.readPDU(in, header);
    }

    @Override
    public byte[] readPDU(DataInputStream in, int length, int id, int status, int sequence)
        throws IOException {
      return pdus.readPDU(in, length, id, status, sequence);
    }
  }
}
