package dev.weir.server.envoy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Parses requests with texts that are not UTF-8. Envoy copies header values as they are, so any
 * client can send such a text; an error would let its request pass if Envoy is configured to fail
 * open.
 *
 * <p>Such a text is read as ISO-8859-1, so different values stay different.
 */
final class LenientText {
  // Fields of the request, of a descriptor, and of an entry.
  private static final int DOMAIN = 1;
  private static final int DESCRIPTORS = 2;
  private static final int ENTRIES = 1;
  private static final int KEY = 1;
  private static final int VALUE = 2;

  private LenientText() {}

  /** Returns the request; empty if the bytes are not a message. */
  static Optional<RateLimitRequest> parse(byte[] bytes) {
    try {
      UnknownFieldSet request = UnknownFieldSet.parseFrom(bytes);
      UnknownFieldSet readable =
          replace(
              replace(request, DOMAIN, LenientText::text),
              DESCRIPTORS,
              descriptor -> inner(descriptor, ENTRIES, LenientText::entry));
      return Optional.of(RateLimitRequest.parseFrom(readable.toByteString()));
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  private interface Change {
    ByteString of(ByteString value) throws InvalidProtocolBufferException;
  }

  private static ByteString entry(ByteString entry) throws InvalidProtocolBufferException {
    return inner(inner(entry, KEY, LenientText::text), VALUE, LenientText::text);
  }

  private static ByteString inner(ByteString message, int field, Change change)
      throws InvalidProtocolBufferException {
    return replace(UnknownFieldSet.parseFrom(message), field, change).toByteString();
  }

  private static UnknownFieldSet replace(UnknownFieldSet message, int field, Change change)
      throws InvalidProtocolBufferException {
    UnknownFieldSet.Field.Builder values = UnknownFieldSet.Field.newBuilder();
    for (ByteString value : message.getField(field).getLengthDelimitedList()) {
      values.addLengthDelimited(change.of(value));
    }
    return message.toBuilder().clearField(field).mergeField(field, values.build()).build();
  }

  private static ByteString text(ByteString value) {
    return value.isValidUtf8()
        ? value
        : ByteString.copyFromUtf8(value.toString(StandardCharsets.ISO_8859_1));
  }
}
