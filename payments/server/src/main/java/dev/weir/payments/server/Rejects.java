package dev.weir.payments.server;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.json.Json;
import dev.weir.payments.FeedRecord;
import io.micronaut.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** Rejected records as lines of JSON. */
final class Rejects {
  private Rejects() {}

  static HttpResponse<byte[]> of(List<FeedRecord.Rejected> rejects) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (FeedRecord.Rejected rejected : rejects) {
      lines.writeBytes(Json.bytes(json -> PaymentJson.write(json, rejected)));
      lines.write('\n');
    }
    return HttpResponse.ok(lines.toByteArray()).contentType(MediaTypes.NDJSON);
  }
}
