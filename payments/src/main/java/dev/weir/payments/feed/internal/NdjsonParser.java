package dev.weir.payments.feed.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The records of an NDJSON feed: one flat object per line. Null is the same as absent, and an
 * amount may be a number or a text.
 */
final class NdjsonParser implements RecordParser {
  /** A member that occurs twice has no meaning; taking either would be a guess. */
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final Map<String, FeedField> FIELDS =
      Stream.of(FeedField.values()).collect(Collectors.toMap(FeedField::text, Function.identity()));

  @Override
  public RawPayment parse(String record) throws MalformedRecordException {
    try (JsonParser parser = JSON.createParser(record)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedRecordException("is not a JSON object");
      }
      RawPayment payment = new RawPayment();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        member(parser, payment);
      }
      if (parser.nextToken() != null) {
        throw new MalformedRecordException("has more than one JSON object");
      }
      return payment;
    } catch (JsonProcessingException malformed) {
      throw new MalformedRecordException(
          "is not valid JSON: " + Excerpt.of(malformed.getOriginalMessage()));
    } catch (IOException impossible) {
      throw new UncheckedIOException("a text was read", impossible);
    }
  }

  private static void member(JsonParser parser, RawPayment payment)
      throws IOException, MalformedRecordException {
    FeedField field = FIELDS.get(parser.currentName());
    if (field == null) {
      throw new MalformedRecordException(
          "has an unknown member '%s'; known are %s"
              .formatted(Excerpt.of(parser.currentName()), FeedField.names()));
    }
    JsonToken token = parser.nextToken();
    boolean text = token == JsonToken.VALUE_STRING;
    boolean number =
        field == FeedField.AMOUNT
            && (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT);
    if (text || number) {
      // The text of a number as it was written: as a double, 0.1 would be something else.
      payment.put(field, parser.getText());
    } else if (token != JsonToken.VALUE_NULL) {
      throw new MalformedRecordException(
          field.text()
              + (field == FeedField.AMOUNT ? " must be a number or a text" : " must be a text"));
    }
  }
}
