package dev.weir.payments.server;

import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.internal.Micros;
import dev.weir.payments.FeedScope;
import dev.weir.payments.PaymentQuery;
import dev.weir.payments.PaymentQuery.Cursor;
import dev.weir.payments.PaymentState;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Answers with pages of payments in one state. */
final class PaymentLists {
  private static final long DEFAULT_PAGE = 100;

  /** A rejected record is no payment; those of a feed are listed as its rejects. */
  private static final PaymentState[] STATES =
      Arrays.stream(PaymentState.values())
          .filter(state -> state != PaymentState.REJECTED)
          .toArray(PaymentState[]::new);

  private PaymentLists() {}

  static HttpResponse<byte[]> page(
      PaymentServices services, HttpRequest<?> request, FeedScope scope) {
    Fields query = Fields.of(request.getParameters());
    PaymentState state =
        query
            .required("state", query.choice("state", STATES, Enum::name))
            .orElse(PaymentState.SCHEDULED);
    Instant from = query.time("from").orElse(Micros.instant(Micros.EARLIEST));
    Instant before = query.time("to").orElse(Micros.instant(Micros.LATEST));
    Cursor after = query.text("cursor").map(text -> read(query, text, state)).orElse(Cursor.START);
    int max = query.count("limit", PaymentQuery.MAX_PAGE).orElse(DEFAULT_PAGE).intValue();
    query.refuseOtherParameters();
    query.throwIfWrong();
    List<PaymentQuery.Found> found =
        services.store().list(new PaymentQuery(scope, state, from, before, after, max));
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("payments");
          for (PaymentQuery.Found entry : found) {
            PaymentJson.write(json, entry.payment(), Optional.empty());
          }
          json.writeEndArray();
          if (found.size() == max) {
            json.writeStringField("next", write(found.getLast().cursor()));
          }
          json.writeEndObject();
        });
  }

  private static String write(Cursor cursor) {
    String text = cursor.first() + ":" + cursor.second();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Cursor read(Fields query, String cursor, PaymentState state) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      String second = text.substring(colon + 1);
      if (colon > 0 && second.indexOf('\0') < 0) {
        // The second part of an open payment's place is a line.
        String checked = state.isOpen() ? Long.toString(Long.parseLong(second)) : second;
        return new Cursor(Long.parseLong(text.substring(0, colon)), checked);
      }
      query.wrong("cursor", "must be the \"next\" of an earlier answer");
    } catch (IllegalArgumentException e) {
      query.wrong("cursor", "must be the \"next\" of an earlier answer");
    }
    return Cursor.START;
  }
}
