package dev.weir.payments.server;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.json.TimeText;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** Writes feeds, payments and rejected records. */
final class PaymentJson {
  private PaymentJson() {}

  static void write(JsonGenerator json, FeedStatus feed) throws IOException {
    json.writeStartObject();
    json.writeStringField("feedId", feed.feedId());
    json.writeStringField("configName", feed.configName());
    json.writeStringField("state", feed.state().name());
    json.writeBooleanField("held", feed.isHeld());
    if (!feed.heldReason().isEmpty()) {
      json.writeStringField("heldReason", feed.heldReason());
    }
    json.writeNumberField("read", feed.read());
    json.writeNumberField("repeated", feed.repeated());
    json.writeNumberField("rejected", feed.rejected());
    json.writeNumberField("assigned", feed.assigned());
    json.writeNumberField("started", feed.started());
    json.writeNumberField("paid", feed.paid());
    json.writeNumberField("failed", feed.failed());
    json.writeNumberField("cancelled", feed.cancelled());
    writeTime(json, "firstScheduled", feed.firstScheduled());
    writeTime(json, "lastScheduled", feed.lastScheduled());
    json.writeEndObject();
  }

  /**
   * Writes a payment.
   *
   * @param scheduledTime the time of its slot; empty if it has none
   */
  static void write(JsonGenerator json, PaymentStatus payment, Optional<Instant> scheduledTime)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("paymentId", payment.paymentId());
    json.writeStringField("feedId", payment.feedId());
    json.writeStringField("state", payment.state().name());
    writeTime(json, "scheduledTime", scheduledTime);
    json.writeNumberField("attempts", payment.attempts());
    boolean isPaid = payment.state() == PaymentState.PAID;
    writeTime(json, isPaid ? "paidAt" : "endedAt", payment.endedAt());
    if (!payment.reason().isEmpty()) {
      json.writeStringField(isPaid ? "reference" : "reason", payment.reason());
    }
    json.writeEndObject();
  }

  static void write(JsonGenerator json, FeedRecord.Rejected rejected) throws IOException {
    json.writeStartObject();
    json.writeNumberField("line", rejected.line());
    json.writeStringField("reason", rejected.reason());
    json.writeStringField("record", rejected.record());
    json.writeEndObject();
  }

  private static void writeTime(JsonGenerator json, String name, Optional<Instant> time)
      throws IOException {
    if (time.isPresent()) {
      json.writeStringField(name, TimeText.of(time.get()));
    }
  }
}
