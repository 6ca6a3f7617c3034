package dev.weir.server.dashboard;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * What a node consists of.
 *
 * @param slotStore where slots are kept
 * @param limitStore where limits are counted
 * @param isEmbedded true if it uses no store outside of it, so that sample data disturbs nobody
 * @param leakGrace the time after which a slot that is due and not confirmed counts as leaked
 */
public record NodeFacts(
    String defaultConfig,
    String slotStore,
    String limitStore,
    boolean isEmbedded,
    boolean hasGateway,
    boolean hasEnvoy,
    boolean hasNotifications,
    boolean hasAnalytics,
    boolean hasPayments,
    Duration leakGrace) {

  /** Writes the facts into an open object. */
  void write(JsonGenerator json) throws IOException {
    json.writeStringField("version", version());
    json.writeStringField("defaultConfig", defaultConfig);
    json.writeStringField("slotStore", slotStore);
    json.writeStringField("limitStore", limitStore);
    json.writeBooleanField("embedded", isEmbedded);
    json.writeBooleanField("gateway", hasGateway);
    json.writeBooleanField("envoy", hasEnvoy);
    json.writeBooleanField("notifications", hasNotifications);
    json.writeBooleanField("analytics", hasAnalytics);
    json.writeBooleanField("payments", hasPayments);
    json.writeStringField("reclaimGrace", leakGrace.toString());
  }

  /** Returns the version in the manifest of the program, which exists once it is packaged. */
  private static String version() {
    return Optional.ofNullable(NodeFacts.class.getPackage().getImplementationVersion())
        .orElse("development");
  }
}
