package dev.weir.payments.workflows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.payments.Payment;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares what the answer of a payment API says about a payment with the payment. A member that is
 * absent, null, an object or a list says nothing. Immutable.
 */
public final class AnswerFields {
  private static final Pattern ENTRY =
      Pattern.compile("(id|amount|currency|state)=([A-Za-z0-9_.-]+)");

  /** The members and states of an API that says nothing else. */
  public static final AnswerFields DEFAULT =
      parse(
          "id=paymentId, amount=amount, currency=currency, state=state, state=status",
          "paid, booked, completed, complete, succeeded, success, successful, settled, executed,"
              + " made, done, ok");

  private enum Field {
    ID,
    AMOUNT,
    CURRENCY,
    STATE
  }

  /** The paths of members. */
  private final Map<Field, List<String>> members;

  private final Set<String> paidStates;

  private AnswerFields(Map<Field, List<String>> members, Set<String> paidStates) {
    this.members = members;
    this.paidStates = paidStates;
  }

  /** What an answer says about a payment. */
  sealed interface Said {
    /**
     * Nothing that differs.
     *
     * @param isAbout true if it says something about the payment: its id, its amount or its state
     */
    record Agrees(boolean isAbout) implements Said {}

    /** That its state is none that means paid, or something that cannot be read. */
    record NotPaid(String reason) implements Said {}

    /** That another payment was made. */
    record Contradicts(String reason) implements Said {}
  }

  /**
   * Reads the names of members and states.
   *
   * @param fields such as {@code id=paymentId, amount=money.value}; what is not named is not
   *     compared
   * @param paidStates states that mean paid, in any case
   * @throws IllegalArgumentException if one of them is something else
   */
  public static AnswerFields parse(String fields, String paidStates) {
    Map<Field, List<String>> members = new EnumMap<>(Field.class);
    for (String entry : words(fields)) {
      Matcher parts = ENTRY.matcher(entry);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "must be a list of entries such as amount=money.value, each of id, amount, currency or"
                + " state; not \"%s\"".formatted(entry));
      }
      members
          .computeIfAbsent(
              Field.valueOf(parts.group(1).toUpperCase(Locale.ROOT)), key -> new ArrayList<>())
          .add(parts.group(2));
    }
    Set<String> states =
        words(paidStates).stream().map(AnswerFields::normal).collect(Collectors.toSet());
    return new AnswerFields(members, states);
  }

  private static List<String> words(String list) {
    return Stream.of(list.split(",", -1)).map(String::strip).filter(it -> !it.isEmpty()).toList();
  }

  private static String normal(String state) {
    return state.strip().toLowerCase(Locale.ROOT).replace('-', '_').replace(' ', '_');
  }

  /** Compares an answer that means paid by its status. */
  Said compare(Payment payment, AnswerBody answer) {
    if (!answer.problem().isEmpty()) {
      return new Said.NotPaid(answer.problem());
    }
    JsonNode body = answer.json();
    for (String id : values(Field.ID, body)) {
      if (!id.equals(payment.paymentId()) && !id.equals(HttpDownstream.key(payment.paymentId()))) {
        return new Said.Contradicts("its payment is %s".formatted(id));
      }
    }
    for (String amount : values(Field.AMOUNT, body)) {
      if (decimal(amount).filter(it -> it.compareTo(payment.amount()) != 0).isPresent()) {
        return new Said.Contradicts(
            "its amount is %s, not %s".formatted(amount, payment.amount().toPlainString()));
      }
    }
    for (String currency : values(Field.CURRENCY, body)) {
      if (!currency.equalsIgnoreCase(payment.currency())) {
        return new Said.Contradicts(
            "its currency is %s, not %s".formatted(currency, payment.currency()));
      }
    }
    return values(Field.STATE, body).stream()
        .filter(state -> !paidStates.contains(normal(state)))
        .findFirst()
        .<Said>map(state -> new Said.NotPaid("its state is " + state))
        .orElseGet(() -> new Said.Agrees(isAbout(body)));
  }

  private boolean isAbout(JsonNode body) {
    return !values(Field.ID, body).isEmpty()
        || !values(Field.STATE, body).isEmpty()
        || values(Field.AMOUNT, body).stream().anyMatch(amount -> decimal(amount).isPresent());
  }

  /** Returns what an answer says about a field. A number is no state: many repeat the status. */
  private List<String> values(Field field, JsonNode body) {
    return members.getOrDefault(field, List.of()).stream()
        .map(path -> at(body, path))
        .filter(node -> node.isTextual() || (node.isNumber() && field != Field.STATE))
        .map(JsonNode::asText)
        .toList();
  }

  private static JsonNode at(JsonNode body, String path) {
    JsonNode node = body;
    for (String name : path.split("\\.", -1)) {
      node = node.path(name);
    }
    return node;
  }

  /** Returns an amount; empty if it is written in another way, and so cannot be compared. */
  private static Optional<BigDecimal> decimal(String amount) {
    try {
      return Optional.of(new BigDecimal(amount.strip()));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
