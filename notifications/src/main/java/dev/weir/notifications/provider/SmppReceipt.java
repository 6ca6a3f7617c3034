package dev.weir.notifications.provider;

import dev.weir.notifications.messages.MessageState;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsmpp.bean.DeliverSm;
import org.jsmpp.bean.OptionalParameter;
import org.jspecify.annotations.Nullable;

/**
 * What a delivery receipt of a message centre says. Its optional parameters are defined by SMPP;
 * its text is a custom that each message centre varies, so only the id and the state are looked for
 * in it, and only if there is no parameter. jSMPP's own reader refuses a whole receipt for a date.
 *
 * @param id the message; empty if the receipt names none
 * @param state the final state of the message; empty while it is under way
 */
record SmppReceipt(Optional<String> id, Optional<MessageState> state) {
  private static final Pattern ID = Pattern.compile("(?i)\\bid:\\s*(\\S+)");
  private static final Pattern STATE = Pattern.compile("(?i)\\bstat:\\s*([a-z]+)");

  static SmppReceipt of(DeliverSm deliver) {
    String text = text(deliver);
    return new SmppReceipt(receiptedId(deliver).or(() -> found(ID, text)), state(deliver, text));
  }

  private static Optional<MessageState> state(DeliverSm deliver, String text) {
    OptionalParameter.@Nullable Message_state given =
        deliver.getOptionalParameter(OptionalParameter.Message_state.class);
    return given == null ? found(STATE, text).flatMap(SmppReceipt::state) : state(given.getValue());
  }

  /** Some message centres end the id with a zero byte, as they should, and some do not. */
  private static Optional<String> receiptedId(DeliverSm deliver) {
    return Optional.ofNullable(
            deliver.getOptionalParameter(OptionalParameter.Receipted_message_id.class))
        .map(given -> latin(given.getValue()).replaceFirst("\0+$", ""))
        .filter(id -> !id.isEmpty());
  }

  private static String text(DeliverSm deliver) {
    byte[] text = deliver.getShortMessage();
    if (text != null && text.length > 0) {
      return latin(text);
    }
    return Optional.ofNullable(
            deliver.getOptionalParameter(OptionalParameter.Message_payload.class))
        .map(payload -> latin(payload.getValue()))
        .orElse("");
  }

  /** Keeps each byte, so that an id with a byte that is no text stays another id. */
  private static String latin(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static Optional<String> found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** Returns the state for a value of the parameter message_state. */
  private static Optional<MessageState> state(byte value) {
    return switch (value) {
      case 2 -> Optional.of(MessageState.DELIVERED);
      case 3, 4, 5, 8 -> Optional.of(MessageState.FAILED);
      default -> Optional.empty();
    };
  }

  /** Returns the state for a word of the text. */
  private static Optional<MessageState> state(String word) {
    return switch (word.toUpperCase(Locale.ROOT)) {
      case "DELIVRD" -> Optional.of(MessageState.DELIVERED);
      case "EXPIRED", "DELETED", "UNDELIV", "REJECTD" -> Optional.of(MessageState.FAILED);
      default -> Optional.empty();
    };
  }
}
