package dev.weir.server.http;

import dev.weir.node.settings.Setting;
import dev.weir.node.wiring.Node;
import dev.weir.server.wiring.TestNode;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A node that runs for the tests of a class. */
public final class RunningNode implements AfterAllCallback {
  private final Node node;

  private RunningNode(Node node) {
    this.node = node;
  }

  /** Keeps its slots in memory. */
  public static RunningNode inMemory(Map<Setting, String> settings) {
    return new RunningNode(TestNode.inMemory(settings));
  }

  public URI address() {
    return node.address();
  }

  /** A client of the node. */
  public Http http() {
    return new Http(address());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    node.close();
  }
}
