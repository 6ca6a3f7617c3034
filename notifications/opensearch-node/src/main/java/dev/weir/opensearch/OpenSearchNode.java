package dev.weir.opensearch;

import java.io.IOException;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/**
 * One OpenSearch node on loopback. It ends when its standard input ends, so that it does not
 * outlive the test that started it, however that test ends.
 */
final class OpenSearchNode {
  private OpenSearchNode() {}

  /**
   * Runs a node.
   *
   * @param arguments the folder of its data, its port for HTTP and its port for other nodes
   */
  public static void main(String[] arguments) throws IOException {
    String folder = arguments[0];
    String port = arguments[1];
    String transportPort = arguments[2];
    try (OpenSearchRunner runner = new OpenSearchRunner()) {
      runner
          .onBuild(
              (number, settings) ->
                  settings
                      .put("http.port", port)
                      .put("transport.port", transportPort)
                      .put("network.host", "127.0.0.1")
                      // A disk that is nearly full would make every index read-only.
                      .put("cluster.routing.allocation.disk.threshold_enabled", false))
          .build(
              OpenSearchRunner.newConfigs()
                  .basePath(folder)
                  .clusterName("weir-test")
                  .numOfNode(1)
                  .useLogger());
      while (System.in.read() >= 0) {
        // Input means nothing; its end does.
      }
    }
    // Threads of the node may be left.
    System.exit(0);
  }
}
