package dev.weir.client;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * A client of a Weir server. Thread-safe: one is enough for a program, and any number of virtual
 * threads may use it.
 *
 * <pre>{@code
 * try (WeirClient weir = WeirClient.at("https://weir.example.com").credential(key).build()) {
 *   Instant at = weir.slots().assign("pay-1", "bank-api").scheduledTime();
 * }
 * }</pre>
 */
public final class WeirClient implements AutoCloseable {
  private final Transport transport;

  private WeirClient(Transport transport) {
    this.transport = transport;
  }

  /** Returns a builder of clients of a server. */
  public static Builder at(String server) {
    return at(URI.create(server));
  }

  /**
   * Returns a builder of clients of a server.
   *
   * @param server its address, with or without a path before {@code /api}
   */
  public static Builder at(URI server) {
    return new Builder(server);
  }

  /** Returns the address of the server. */
  public URI server() {
    return transport.server();
  }

  /** Returns the slots of events. */
  public Slots slots() {
    return new Slots(transport);
  }

  /** Returns the limits: checks by rule, token buckets and leases. */
  public Limits limits() {
    return new Limits(transport);
  }

  /** Returns the messages to users. */
  public Messages messages() {
    return new Messages(transport);
  }

  /** Returns the payments and their feeds. */
  public Payments payments() {
    return new Payments(transport);
  }

  /**
   * Calls any endpoint and returns its answer.
   *
   * @throws ProblemException if the answer has another status than 2xx
   * @throws UnansweredException if there is no answer
   */
  public Reply send(Call call) {
    return transport.send(call);
  }

  /**
   * Calls any endpoint and returns what its answer says.
   *
   * @throws ProblemException if the answer has another status than 2xx
   * @throws UnansweredException if there is no answer, or it cannot be read
   */
  public <T> T send(Call call, Reply.Reader<T> reader) {
    return transport.send(call, reader);
  }

  /**
   * Ends all connections. Calls in progress and later ones fail with {@link
   * UnansweredException.Reason#CLOSED}.
   */
  @Override
  public void close() {
    transport.close();
  }

  /** Returns the address of the server, and no credential. */
  @Override
  public String toString() {
    return "WeirClient[" + server() + "]";
  }

  /** Builds clients; every part has a safe default. Not thread-safe. */
  public static final class Builder {
    private static final int MAX_ANSWER_BYTES = 64 << 20;

    final URI server;
    Optional<Supplier<String>> credential = Optional.empty();
    Duration connectTimeout = Duration.ofSeconds(5);
    Duration attemptTimeout = Duration.ofSeconds(10);
    Duration timeout = Duration.ofSeconds(30);
    Retries retries = Retries.DEFAULT;
    Optional<SSLContext> sslContext = Optional.empty();
    int maxAnswerBytes = MAX_ANSWER_BYTES;
    String userAgent = ownUserAgent();
    Transport.Clock clock = Transport.Clock.SYSTEM;

    private Builder(URI server) {
      String scheme = String.valueOf(server.getScheme()).toLowerCase(Locale.ROOT);
      if (!(scheme.equals("http") || scheme.equals("https"))
          || server.getHost() == null
          || server.getRawUserInfo() != null
          || server.getRawQuery() != null
          || server.getRawFragment() != null) {
        // Without the value, which may contain a password.
        throw new IllegalArgumentException(
            "server must be an address such as http://127.0.0.1:8080, without user and query");
      }
      this.server = server;
    }

    /** Sets the key or token that the server knows the caller by. */
    public Builder credential(String token) {
      Requirements.printable("credential", token);
      return credential(() -> token);
    }

    /** Sets where each attempt gets its token, for tokens that expire. */
    public Builder credential(Supplier<String> token) {
      credential = Optional.of(token);
      return this;
    }

    /** Sets how long a connection may take; 5 seconds by default. */
    public Builder connectTimeout(Duration other) {
      connectTimeout = Requirements.positive("connectTimeout", other);
      return this;
    }

    /** Sets how long one attempt may take, with its whole answer; 10 seconds by default. */
    public Builder attemptTimeout(Duration other) {
      attemptTimeout = Requirements.positive("attemptTimeout", other);
      return this;
    }

    /** Sets how long a call may take, with all attempts and pauses; 30 seconds by default. */
    public Builder timeout(Duration other) {
      timeout = Requirements.positive("timeout", other);
      return this;
    }

    /** Sets how often a call is attempted; {@link Retries#DEFAULT} by default. */
    public Builder retries(Retries other) {
      retries = other;
      return this;
    }

    /** Sets which certificates are trusted, and the client's own; the JDK's by default. */
    public Builder sslContext(SSLContext other) {
      sslContext = Optional.of(other);
      return this;
    }

    /** Sets the max length of an answer; 64 MiB by default. */
    public Builder maxAnswerBytes(int other) {
      maxAnswerBytes = Math.toIntExact(Requirements.atLeast(1, "maxAnswerBytes", other));
      return this;
    }

    /** Names the calling program in {@code User-Agent}, such as {@code billing/1.2}. */
    public Builder userAgent(String program) {
      userAgent = Requirements.printable("userAgent", program) + " " + ownUserAgent();
      return this;
    }

    /** Sets the clock of tests. */
    Builder clock(Transport.Clock other) {
      clock = other;
      return this;
    }

    /** Returns a client, which must be closed. */
    public WeirClient build() {
      return new WeirClient(new Transport(copy()));
    }

    URI at(String target) {
      String base = server.toString();
      return URI.create(
          (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + target);
    }

    /** Later changes of this builder must not reach clients that it has built. */
    private Builder copy() {
      Builder copy = new Builder(server);
      copy.credential = credential;
      copy.connectTimeout = connectTimeout;
      copy.attemptTimeout = attemptTimeout;
      copy.timeout = timeout;
      copy.retries = retries;
      copy.sslContext = sslContext;
      copy.maxAnswerBytes = maxAnswerBytes;
      copy.userAgent = userAgent;
      copy.clock = clock;
      return copy;
    }

    private static String ownUserAgent() {
      String version = WeirClient.class.getPackage().getImplementationVersion();
      return version == null ? "weir-client" : "weir-client/" + version;
    }
  }
}
