package dev.weir.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code weir.*}. One that is not known, or cannot be used, stops the start.
 *
 * @param enabled whether requests are limited at all
 * @param store where limits are counted
 * @param nodes so many instances of the service share a limit while Redis is gone and a rule says
 *     local
 * @param redis where Redis is, if it counts
 * @param remote where Weir is, if it decides
 * @param trustedProxies addresses and networks of the proxies whose word is taken for where a
 *     request comes from
 * @param rules what is limited, unless Weir decides
 * @param slots where a SlotScheduler keeps its slots
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
    @DefaultValue Slots slots) {

  /** Where limits are counted. */
  public enum Store {
    /** In this process. */
    MEMORY,
    /** In a Redis that several instances share. */
    REDIS,
    /** By a Weir server, which also has the rules. */
    REMOTE
  }

  /**
   * The Redis that counts.
   *
   * @param uri redis://host:port, redis-sentinel://… or redis-cluster://…
   * @param prefix what every key begins with
   * @param trust PEM file of certificates to trust in a Redis with TLS; Java's without
   */
  public record Redis(
      @Nullable String uri, @DefaultValue("weir") String prefix, @Nullable String trust) {
    /** An address may hold a password. */
    @Override
    public String toString() {
      return "Redis[prefix=" + prefix + "]";
    }
  }

  /**
   * The Weir server that decides.
   *
   * @param url its address, such as http://weir:8080
   * @param key one of its client keys, if it has any
   * @param timeout how long its answer may take; longer than the longest wait in a queue
   * @param onFailure what happens to requests while it is gone
   * @param headers header fields of a request that its rules count by
   */
  public record Remote(
      @Nullable String url,
      @Nullable String key,
      @DefaultValue("5s") Duration timeout,
      @DefaultValue("closed") OnFailure onFailure,
      @DefaultValue("X-Api-Key") List<String> headers) {
    /** Says nothing of its key. */
    @Override
    public String toString() {
      return "Remote[url=" + url + "]";
    }
  }

  /** What happens to requests while nobody can decide. */
  public enum OnFailure {
    /** They pass. */
    OPEN,
    /** They get 503. */
    CLOSED
  }

  /**
   * The SlotScheduler of this service.
   *
   * @param store where it keeps its slots; there is no scheduler without one
   */
  public record Slots(@DefaultValue("none") SlotStorage store) {}

  /** Where slots are kept. */
  public enum SlotStorage {
    /** Nowhere: there is no scheduler, unless the service brings a store of its own. */
    NONE,
    /** In this process; they are gone at its end. */
    MEMORY,
    /** In the database of the service's DataSource, where tables are created for them. */
    POSTGRESQL
  }
}
