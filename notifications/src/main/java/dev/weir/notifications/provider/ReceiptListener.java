package dev.weir.notifications.provider;

import java.time.InstantSource;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.AlertNotification;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.DeliverSm;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.MessageReceiverListener;
import org.jsmpp.session.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives what a message centre sends; passes final receipts on and ignores everything else. */
final class ReceiptListener implements MessageReceiverListener {
  private static final Logger log = LoggerFactory.getLogger(ReceiptListener.class);

  private static final Pattern HEXADECIMAL = Pattern.compile("[0-9A-Fa-f]+");

  private final String provider;
  private final Receipts receipts;
  private final InstantSource clock;

  ReceiptListener(String provider, Receipts receipts, InstantSource clock) {
    this.provider = provider;
    this.receipts = receipts;
    this.clock = clock;
  }

  /** Message centres write the same hexadecimal id in either case. Any other id is exact. */
  static String normalized(String providerId) {
    return HEXADECIMAL.matcher(providerId).matches()
        ? providerId.toLowerCase(Locale.ROOT)
        : providerId;
  }

  /** Takes what a message centre delivers; returns the status that answers it. */
  int receive(DeliverSm deliver) {
    if (!deliver.isSmscDeliveryReceipt()) {
      return SMPPConstant.STAT_ESME_ROK;
    }
    SmppReceipt receipt = SmppReceipt.of(deliver);
    if (receipt.id().isEmpty()) {
      // It would be the same if it were repeated.
      log.warn("A delivery receipt names no message");
      return SMPPConstant.STAT_ESME_ROK;
    }
    boolean isDone =
        receipt.state().isEmpty()
            || receipts.receive(
                provider, normalized(receipt.id().get()), receipt.state().get(), clock.instant());
    return isDone ? SMPPConstant.STAT_ESME_ROK : SMPPConstant.STAT_ESME_RX_T_APPN;
  }

  /** Only those come here that jSMPP gets before it knows that the bind was accepted. */
  @Override
  public void onAcceptDeliverSm(DeliverSm deliver) throws ProcessRequestException {
    int status = receive(deliver);
    if (status != SMPPConstant.STAT_ESME_ROK) {
      throw new ProcessRequestException("try again later", status);
    }
  }

  @Override
  public void onAcceptAlertNotification(AlertNotification alert) {}

  @Override
  public DataSmResult onAcceptDataSm(DataSm data, Session source) throws ProcessRequestException {
    throw new ProcessRequestException("data_sm is not supported", SMPPConstant.STAT_ESME_RINVCMDID);
  }
}
