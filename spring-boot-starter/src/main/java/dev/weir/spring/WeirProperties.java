package dev.weir.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code weir.*}. An unknown or invalid property stops the start. Editors show the
 * descriptions below.
 *
 * @param enabled Whether anything is limited. If false, Weir adds nothing to the service.
 * @param store Where limits are counted.
 * @param nodes Number of instances of the service that share a limit while Redis is unavailable,
 *     for rules with on-store-failure "local".
 * @param redis The Redis that counts, with store "redis".
 * @param remote The Weir server that decides, with store "remote".
 * @param trustedProxies Addresses and networks of the proxies whose Forwarded and X-Forwarded-For
 *     fields are trusted. None by default: the peer is taken for the client.
 * @param rules Rules that limit requests and methods. Must be empty with store "remote".
 * @param servlet How requests are treated on Spring MVC.
 * @param slots The SlotScheduler of the service.
 */
@ConfigurationProperties(prefix = "weir", ignoreUnknownFields = false)
public record WeirProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("memory") Store store,
    @DefaultValue("1") int nodes,
    @DefaultValue Redis redis,
    @DefaultValue Remote remote,
    @DefaultValue List<String> trustedProxies,
    @DefaultValue List<RuleProperties> rules,
    @DefaultValue Servlet servlet,
    @DefaultValue Slots slots) {

  /** Where limits are counted. */
  public enum Store {
    /** In this process. */
    MEMORY,
    /** In a Redis that several instances share. */
    REDIS,
    /** In a Weir server, which also has the rules. */
    REMOTE
  }

  /**
   * The Redis that counts.
   *
   * @param uri Address of Redis, such as redis://:password@host:6379, redis-sentinel://… or
   *     redis-cluster://…. Required with store "redis".
   * @param prefix Beginning of every key that is written to Redis.
   * @param timeout Time to wait for an answer, up to a minute.
   * @param trust PEM file with the certificates that are trusted for TLS. Those that Java trusts by
   *     default.
   */
  public record Redis(
      @Nullable String uri,
      @DefaultValue("weir") String prefix,
      @DefaultValue("1s") Duration timeout,
      @Nullable String trust) {
    /** Returns only the prefix, because the address may contain a password. */
    @Override
    public String toString() {
      return "Redis[prefix=" + prefix + "]";
    }
  }

  /**
   * The Weir server that decides.
   *
   * @param url Address of the server, such as http://weir:8080. Required with store "remote", for
   *     limits or for slots.
   * @param key Client key of the server. None by default.
   * @param timeout Time to wait for an answer. Must be longer than the longest wait in a queue of
   *     the server's rules.
   * @param onFailure What happens to requests while the server is unavailable.
   * @param headers Header fields of requests that are sent to the server, because its rules count
   *     by them.
   */
  public record Remote(
      @Nullable String url,
      @Nullable String key,
      @DefaultValue("5s") Duration timeout,
      @DefaultValue("closed") OnFailure onFailure,
      @DefaultValue("X-Api-Key") List<String> headers) {
    /** Returns only the URL, without the key. */
    @Override
    public String toString() {
      return "Remote[url=" + url + "]";
    }
  }

  /** What happens to requests while they cannot be decided. */
  public enum OnFailure {
    /** They pass. */
    OPEN,
    /** They get 503. */
    CLOSED
  }

  /**
   * How requests are treated on Spring MVC.
   *
   * @param asyncQueue Whether requests that wait in a queue release their thread, by an
   *     asynchronous dispatch after all other filters. Those filters return before the response is
   *     written, so do not enable it if one of them buffers responses or sets thread locals. If
   *     false, the thread of the request waits.
   */
  public record Servlet(@DefaultValue("false") boolean asyncQueue) {}

  /**
   * The SlotScheduler of this service.
   *
   * @param store Where slots are kept. There is no SlotScheduler with "none" or "remote".
   */
  public record Slots(@DefaultValue("none") SlotStorage store) {}

  /** Where slots are stored. */
  public enum SlotStorage {
    /** Nowhere: there is no scheduler, unless the service provides its own store. */
    NONE,
    /** In this process; they are lost when it ends. */
    MEMORY,
    /** In the database of the service's DataSource, where tables are created for them. */
    POSTGRESQL,
    /** In a Weir server, for the PacedStarter; there is no SlotScheduler. */
    REMOTE
  }
}
