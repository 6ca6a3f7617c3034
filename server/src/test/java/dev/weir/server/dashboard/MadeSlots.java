package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Makes configurations and slots of a node as any client does. */
record MadeSlots(Http http) {
  void configure(String name, int max) {
    assertThat(
            http.post(
                    "/admin/rate-limit/config",
                    "{\"configName\":\"%s\",\"maxPerWindow\":%d,\"windowSize\":\"PT4S\"}"
                        .formatted(name, max))
                .status())
        .isEqualTo(201);
  }

  void assign(String configName, String prefix, int events) {
    String all =
        IntStream.range(0, events)
            .mapToObj(
                i ->
                    "{\"eventId\":\"%s%d\",\"configName\":\"%s\"}".formatted(prefix, i, configName))
            .collect(Collectors.joining(",", "[", "]"));
    assertThat(http.post("/api/v1/slots/batch", all).status()).isEqualTo(200);
  }
}
