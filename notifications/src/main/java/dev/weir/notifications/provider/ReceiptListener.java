package dev.weir.notifications.provider;

import dev.weir.engine.notifications.MessageState;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.AlertNotification;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.DeliverSm;
import org.jsmpp.bean.DeliveryReceipt;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.MessageReceiverListener;
import org.jsmpp.session.Session;
import org.jsmpp.util.DeliveryReceiptState;
import org.jsmpp.util.InvalidDeliveryReceiptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives what a message centre sends; passes final receipts on and ignores everything else. */
final class ReceiptListener implements MessageReceiverListener {
  private static final Logger log = LoggerFactory.getLogger(ReceiptListener.class);

  private final String provider;
  private final Receipts receipts;
  private final InstantSource clock;

  ReceiptListener(String provider, Receipts receipts, InstantSource clock) {
    this.provider = provider;
    this.receipts = receipts;
    this.clock = clock;
  }

  /** Message centres write the same hexadecimal id in either case. */
  static String normalized(String providerId) {
    return providerId.toLowerCase(Locale.ROOT);
  }

  @Override
  public void onAcceptDeliverSm(DeliverSm deliver) throws ProcessRequestException {
    if (!deliver.isSmscDeliveryReceipt()) {
      return;
    }
    DeliveryReceipt receipt;
    try {
      receipt = deliver.getShortMessageAsDeliveryReceipt();
    } catch (InvalidDeliveryReceiptException e) {
      // It would be the same if it were repeated.
      log.warn("A delivery receipt cannot be read: {}", e.getMessage());
      return;
    }
    Optional<MessageState> state = state(receipt);
    Optional<String> id = id(deliver, receipt);
    if (state.isPresent()
        && id.isPresent()
        && !receipts.receive(provider, normalized(id.get()), state.get(), clock.instant())) {
      throw new ProcessRequestException("try again later", SMPPConstant.STAT_ESME_RX_T_APPN);
    }
  }

  private static Optional<String> id(DeliverSm deliver, DeliveryReceipt receipt) {
    OptionalParameter.Receipted_message_id receipted =
        deliver.getOptionalParameter(OptionalParameter.Receipted_message_id.class);
    return receipted == null
        ? Optional.ofNullable(receipt.getId())
        : Optional.of(receipted.getValueAsString());
  }

  /** Returns the final state of a message; empty while it is under way. */
  private static Optional<MessageState> state(DeliveryReceipt receipt) {
    DeliveryReceiptState state = receipt.getFinalStatus();
    if (state == null) {
      return Optional.empty();
    }
    return switch (state) {
      case DELIVRD -> Optional.of(MessageState.DELIVERED);
      case EXPIRED, DELETED, UNDELIV, REJECTD -> Optional.of(MessageState.FAILED);
      default -> Optional.empty();
    };
  }

  @Override
  public void onAcceptAlertNotification(AlertNotification alert) {}

  @Override
  public DataSmResult onAcceptDataSm(DataSm data, Session source) throws ProcessRequestException {
    throw new ProcessRequestException("data_sm is not supported", SMPPConstant.STAT_ESME_RINVCMDID);
  }
}
