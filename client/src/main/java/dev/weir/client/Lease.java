package dev.weir.client;

import java.io.IOException;
import java.time.Instant;

/** Places of a resource, held until they are released or expire. Thread-safe. */
public final class Lease implements AutoCloseable {
  private final Transport transport;
  private final String path;
  private final String id;
  private final long count;
  private volatile Instant expiresAt;

  private Lease(Transport transport, String path, String id, long count, Instant expiresAt) {
    this.transport = transport;
    this.path = path;
    this.id = id;
    this.count = count;
    this.expiresAt = expiresAt;
  }

  static Lease read(Transport transport, String leases, JsonObject json) throws IOException {
    String id = json.requiredText("leaseId");
    return new Lease(
        transport,
        leases + "/" + Call.segment(id),
        id,
        json.requiredNumber("count"),
        json.requiredTime("expiresAt"));
  }

  public String id() {
    return id;
  }

  /** Returns the number of places. */
  public long count() {
    return count;
  }

  /** Returns when the lease ends if it is not renewed, by the store's clock. */
  public Instant expiresAt() {
    return expiresAt;
  }

  /** Renews the lease for its whole time to live; returns false if it has ended. */
  public boolean renew() {
    try {
      expiresAt = transport.send(Call.put(path), reply -> reply.json().requiredTime("expiresAt"));
      return true;
    } catch (ProblemException refused) {
      if (isGone(refused.problem())) {
        return false;
      }
      throw refused;
    }
  }

  /** Ends the lease. Twice is harmless. */
  public void release() {
    try {
      transport.sendForNothing(Call.delete(path));
    } catch (ProblemException refused) {
      if (!isGone(refused.problem())) {
        throw refused;
      }
    }
  }

  /** Returns true if the lease has ended, perhaps with its resource. */
  private static boolean isGone(Problem problem) {
    return problem.is("unknown-lease") || problem.is("unknown-resource");
  }

  /** Ends the lease, or leaves it to expire if the server cannot be told. */
  @Override
  public void close() {
    try {
      release();
    } catch (WeirException unavailable) {
      // The work is done; its result must not be lost with the end of the lease.
    }
  }
}
