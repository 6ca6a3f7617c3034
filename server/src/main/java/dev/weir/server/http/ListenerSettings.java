package dev.weir.server.http;

import dev.weir.TrustedProxies;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * The limits of the API port for its clients.
 *
 * @param headTimeout max time for a client to send the head of a request, and to begin its body
 * @param idleTimeout max time without traffic on a connection
 * @param minRate min bytes per second of a body; 0 allows any rate
 * @param connections the max connections
 */
public record ListenerSettings(
    Duration headTimeout, Duration idleTimeout, int minRate, Connections connections) {

  /**
   * The max connections of a port.
   *
   * @param proxies addresses that count in total only
   */
  public record Connections(int max, int maxPerAddress, TrustedProxies proxies) {
    private static final int MAX_DEFAULT = 20_000;
    private static final int MIN_DEFAULT = 256;
    private static final int HEAP_BYTES = 64 * 1024;

    /** What the node itself has open: files, stores, brokers. */
    private static final int OWN_DESCRIPTORS = 256;

    /** For the three ports, the upstream connections of the gateway, and a rest. */
    private static final int SHARES_OF_DESCRIPTORS = 5;

    /**
     * Returns the default of the max connections of a port: one for each 64 KiB of the max heap, at
     * least 256 and up to 20,000, and up to a fifth of the file descriptors that the node does not
     * need itself.
     */
    public static int defaultMax() {
      return defaultMax(Runtime.getRuntime().maxMemory(), descriptors());
    }

    static int defaultMax(long heapBytes, long descriptors) {
      long byHeap = Math.clamp(heapBytes / HEAP_BYTES, MIN_DEFAULT, MAX_DEFAULT);
      long byDescriptors = (descriptors - OWN_DESCRIPTORS) / SHARES_OF_DESCRIPTORS;
      return (int) Math.max(1, Math.min(byHeap, byDescriptors));
    }

    /** Returns the default per address: half, so that one address cannot keep out all others. */
    public static int defaultPerAddress(int max) {
      return Math.max(1, max / 2);
    }

    private static long descriptors() {
      return ManagementFactory.getOperatingSystemMXBean()
              instanceof com.sun.management.UnixOperatingSystemMXBean unix
          ? unix.getMaxFileDescriptorCount()
          : Long.MAX_VALUE;
    }

    /** Returns a handler for the listening socket that enforces these limits. */
    public ConnectionLimit limit() {
      return new ConnectionLimit(max, maxPerAddress, proxies);
    }
  }
}
