package dev.weir.server.dashboard;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.node.capability.Page;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a node consists of.
 *
 * @param slotStore where slots are kept
 * @param limitStore where limits are counted
 * @param isEmbedded true if it uses no store outside of it, so that sample data disturbs nobody
 * @param pages those that capabilities have added, in the order of the navigation
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
    List<Page> pages,
    Duration leakGrace) {
  public NodeFacts {
    pages = List.copyOf(pages);
  }

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
    json.writeArrayFieldStart("pages");
    for (Page page : pages) {
      json.writeStartObject();
      json.writeStringField("name", page.name());
      json.writeStringField("title", page.title());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeStringField("reclaimGrace", leakGrace.toString());
  }

  /** Returns the version in the manifest of the program, which exists once it is packaged. */
  private static String version() {
    return Optional.ofNullable(NodeFacts.class.getPackage().getImplementationVersion())
        .orElse("development");
  }
}
