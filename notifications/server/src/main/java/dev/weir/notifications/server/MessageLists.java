package dev.weir.notifications.server;

import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.internal.Micros;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageQuery.Cursor;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.MessageStatus;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Answers with pages of messages. */
final class MessageLists {
  private static final long DEFAULT_PAGE = 100;

  private MessageLists() {}

  static HttpResponse<byte[]> page(NotificationServices services, HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    Optional<String> user = query.text("userId");
    OptionalLong userId =
        user.isPresent()
            ? OptionalLong.of(UserLimitEndpoints.userId(query, "userId", user.get()))
            : OptionalLong.empty();
    Optional<MessageState> state = query.choice("state", MessageState.values());
    Instant from = query.time("from").orElse(Micros.instant(Micros.EARLIEST));
    Instant before = query.time("to").orElse(Micros.instant(Micros.LATEST));
    Cursor after = query.text("cursor").map(text -> read(query, text)).orElse(Cursor.START);
    int max = query.count("limit", MessageQuery.MAX_PAGE).orElse(DEFAULT_PAGE).intValue();
    query.refuseOtherParameters();
    query.throwIfWrong();
    MessageQuery.Page page =
        services.messages().list(new MessageQuery(userId, state, from, before, after, max));
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("messages");
          for (MessageStatus message : page.messages()) {
            MessageJson.write(json, message);
          }
          json.writeEndArray();
          if (page.next().isPresent()) {
            json.writeStringField("next", write(page.next().get()));
          }
          json.writeEndObject();
        });
  }

  private static String write(Cursor cursor) {
    String text = cursor.createdAtMicros() + ":" + cursor.messageId();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Cursor read(Fields query, String cursor) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      Optional<UUID> id = MessageIdText.read(text.substring(colon + 1));
      if (colon > 0 && id.isPresent()) {
        return new Cursor(Long.parseLong(text.substring(0, colon)), id.get());
      }
      query.wrong("cursor", "must be the \"next\" of an earlier answer");
    } catch (IllegalArgumentException e) {
      query.wrong("cursor", "must be the \"next\" of an earlier answer");
    }
    return Cursor.START;
  }
}
