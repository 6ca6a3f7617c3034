package dev.weir.notifications.analytics;

import dev.weir.opensearch.OpenSearchProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One OpenSearch node for all tests of the module, started by the first that needs it. */
final class TestSearch {
  /** Only what never comes takes this long, on however busy a machine. */
  static final Duration MAX_WAIT = Duration.ofMinutes(2);

  private static final OpenSearchProcess NODE = start();

  private TestSearch() {}

  private static OpenSearchProcess start() {
    try {
      Path folder = Files.createTempDirectory(Path.of("target"), "opensearch");
      OpenSearchProcess node = new OpenSearchProcess(folder);
      Runtime.getRuntime().addShutdownHook(new Thread(node::close));
      return node;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static OpenSearchProcess node() {
    return NODE;
  }

  static URI address() {
    return NODE.address();
  }

  static OpenSearch client() {
    return new OpenSearch(OpenSearchSettings.of(address()).withTimeout(MAX_WAIT));
  }

  /** Removes all events, and the template. */
  static void clear(OpenSearch search) {
    indices(search).forEach(index -> search.call("DELETE", "/" + index, ""));
    if (search.find("/_index_template/weir-notifications").value().isPresent()) {
      search.call("DELETE", "/_index_template/weir-notifications", "");
    }
  }

  static List<String> indices(OpenSearch search) {
    return search.call("GET", "/_cat/indices/weir-*?format=json&h=index", "").items().stream()
        .map(row -> row.at("index").text().orElseThrow())
        .sorted()
        .toList();
  }

  /** Makes what was written visible to queries. */
  static void refresh(OpenSearch search) {
    var unused = search.call("POST", "/weir-notifications-*/_refresh", "");
  }

  /** Returns the documents of all events, by id. */
  static Map<String, JsonTree> documents(OpenSearch search) {
    refresh(search);
    List<JsonTree> hits =
        search
            .call("POST", "/weir-notifications-*/_search", "{\"size\": 10000}")
            .at("hits")
            .at("hits")
            .items();
    Map<String, JsonTree> documents = new HashMap<>();
    for (JsonTree hit : hits) {
      if (documents.put(hit.at("_id").text().orElseThrow(), hit.at("_source")) != null) {
        throw new AssertionError("two documents have the same id");
      }
    }
    return documents;
  }
}
