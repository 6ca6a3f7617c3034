package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.UserLimit;
import dev.weir.server.faults.MessageTables;
import dev.weir.server.http.Http;
import dev.weir.store.tck.internal.Crowd;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Limits of users are what they were configured to be, from the next message on. */
interface ConfigurationLaws extends NotificationLaws {
  /** Property 1. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void configurationIsAnsweredStoredAndFoundOnAnyNode(
      @ForAll @LongRange(min = 0) long user,
      @ForAll @LongRange(min = 1, max = UserLimit.MAX_RATE_LIMIT) long limit,
      @ForAll @LongRange(min = 1, max = 366 * 24 * 60) long minutes,
      @ForAll UserLimit.Algorithm algorithm,
      @ForAll UserLimit.CostBy cost)
      throws SQLException {
    Instant before = Instant.now().minusSeconds(1);
    Http.Answer configured =
        stage()
            .node()
            .post(
                "/api/config",
                """
                {"userId":%d,"rateLimit":%d,"timeWindow":%d,"algorithm":"%s","cost":"%s"}
                """
                    .formatted(user, limit, minutes, algorithm, cost));
    for (Http.Answer answer : List.of(configured, stage().otherNode().get("/api/config/" + user))) {
      answer.ok();
      assertThat(answer.at("userId")).isEqualTo(BigDecimal.valueOf(user));
      assertThat(answer.at("rateLimit")).isEqualTo(BigDecimal.valueOf(limit));
      assertThat(answer.at("timeWindow")).isEqualTo(BigDecimal.valueOf(minutes));
      assertThat(answer.intAt("currentCount")).isZero();
      assertThat(Instant.parse(answer.textAt("lastRefreshTime")))
          .isBetween(before, Instant.now().plusSeconds(1));
      assertThat(answer.textAt("algorithm")).isEqualTo(algorithm.name());
      assertThat(answer.textAt("cost")).isEqualTo(cost.name());
    }
    MessageTables.User stored = stage().tables().user(user).orElseThrow();
    assertThat(stored.rateLimit()).isEqualTo(limit);
    assertThat(stored.windowMicros()).isEqualTo(minutes * 60_000_000);
    assertThat(stored.algorithm()).isEqualTo(algorithm.name().toLowerCase(Locale.ROOT));
    assertThat(stored.costBy()).isEqualTo(cost.name().toLowerCase(Locale.ROOT));
    assertThat(stored.used()).isZero();
  }

  /**
   * A configuration with one invalid field.
   *
   * @param value as JSON; empty for a missing field
   */
  record Invalid(String field, String value) {
    String json(long user) {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("userId", Long.toString(user));
      fields.put("rateLimit", "3");
      fields.put("timeWindow", "5");
      fields.put(field, value);
      return fields.entrySet().stream()
          .filter(entry -> !entry.getValue().isEmpty())
          .map(entry -> "\"%s\":%s".formatted(entry.getKey(), entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
  }

  /** Property 2. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void invalidConfigurationChangesNothing(
      @ForAll("invalid") Invalid invalid, @ForAll boolean isKnown) throws SQLException {
    long user = stage().newUser();
    if (isKnown) {
      stage().configure(user, 2).ok();
      assertThat(stage().send(user, "before").status()).isEqualTo(200);
    }
    long revision = stage().tables().totalRevision();
    Http.Answer refused =
        stage().node().post("/api/config", invalid.json(user)).wrong(invalid.field());
    assertThat(refused.textAt("title")).isEqualTo("Missing/Invalid Arguments");
    assertThat(stage().tables().totalRevision()).isEqualTo(revision);
    assertThat(stage().tables().user(user).isPresent()).isEqualTo(isKnown);
    // What remains of the limit is as it was.
    for (int status : isKnown ? List.of(200, 429) : List.of(404)) {
      assertThat(stage().send(user, "after").status()).isEqualTo(status);
    }
  }

  @Provide
  default Arbitrary<Invalid> invalid() {
    Arbitrary<String> tooSmall = Arbitraries.longs().lessOrEqual(-1).map(String::valueOf);
    Arbitrary<String> fractions = Arbitraries.longs().between(0, 1_000_000).map(n -> n + ".5");
    Arbitrary<String> huge =
        Arbitraries.bigIntegers()
            .between(BigInteger.TWO.pow(63), BigInteger.TEN.pow(30))
            .map(String::valueOf);
    Arbitrary<String> noNumbers =
        Arbitraries.of("", "null", "true", "\"7\"", "\"\"", "[]", "[1]", "{}", "1e30");
    Arbitrary<String> wrong = Arbitraries.oneOf(tooSmall, fractions, huge, noNumbers);
    return Arbitraries.oneOf(
        Combinators.combine(Arbitraries.of("userId", "rateLimit", "timeWindow"), wrong)
            .as(Invalid::new),
        Combinators.combine(Arbitraries.of("rateLimit", "timeWindow"), Arbitraries.just("0"))
            .as(Invalid::new),
        Arbitraries.longs()
            .between(UserLimit.MAX_RATE_LIMIT + 1, Long.MAX_VALUE)
            .map(limit -> new Invalid("rateLimit", limit.toString())),
        Arbitraries.longs()
            .between(UserLimit.MAX_WINDOW.toMinutes() + 1, Long.MAX_VALUE)
            .map(minutes -> new Invalid("timeWindow", minutes.toString())),
        Arbitraries.of("\"LEAKY\"", "7", "\"fixed_window\"", "[]")
            .map(value -> new Invalid("algorithm", value)),
        Arbitraries.of("\"BYTES\"", "1", "{}").map(value -> new Invalid("cost", value)),
        Arbitraries.strings()
            .alpha()
            .ofMinLength(1)
            .ofMaxLength(8)
            .map(suffix -> new Invalid("limit" + suffix, "1")));
  }

  /**
   * A change of a limit, and messages after it.
   *
   * @param isElsewhere whether the limit is changed on the node that does not send
   */
  record Change(int limit, int messages, boolean isElsewhere) {}

  /** Property 10. */
  @Property(tries = 100, generation = GenerationMode.RANDOMIZED)
  default void changeIsSeenByTheNextMessageOnAnyNode(@ForAll("changes") List<Change> changes) {
    long user = stage().newUser();
    for (Change change : changes) {
      Http node = change.isElsewhere() ? stage().otherNode() : stage().node();
      node.post("/api/config", NotificationStage.configuration(user, change.limit(), 5)).ok();
      for (int i = 0; i < change.messages(); i++) {
        Http sending = i % 2 == 0 ? stage().node() : stage().otherNode();
        assertThat(NotificationStage.send(sending, user, "message " + i).status())
            .isEqualTo(i < change.limit() ? 200 : 429);
      }
      assertThat(stage().used(user)).isEqualTo(Math.min(change.limit(), change.messages()));
    }
  }

  @Provide
  default Arbitrary<List<Change>> changes() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 3),
            Arbitraries.integers().between(0, 4),
            Arbitraries.of(true, false))
        .as(Change::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  /** A limit that is changed amid a burst: neither the old one nor the new one is exceeded. */
  @Property(tries = 25, generation = GenerationMode.RANDOMIZED)
  default void changeAmidABurstLetsNeitherLimitBeExceeded(
      @ForAll @IntRange(min = 1, max = 4) int oldLimit,
      @ForAll @IntRange(min = 1, max = 4) int newLimit,
      @ForAll @IntRange(min = 4, max = 10) int callers,
      @ForAll @IntRange(min = 0, max = 3) int before)
      throws SQLException {
    long user = stage().newUser();
    stage().configure(user, oldLimit).ok();
    List<Callable<Integer>> burst = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      Http node = i % 2 == 0 ? stage().node() : stage().otherNode();
      burst.add(() -> NotificationStage.send(node, user, "burst").status());
    }
    burst.add(before, () -> stage().configure(user, newLimit).ok().status() + 1);
    List<Integer> statuses = Crowd.concurrently(burst);
    assertThat(statuses).containsOnlyOnce(201).allMatch(s -> s == 200 || s == 201 || s == 429);
    List<MessageTables.Stored> sent = stage().tables().messages(user, user);
    assertThat(sent).hasSize((int) statuses.stream().filter(s -> s == 200).count());
    long first = LongStream.of(versions(sent)).filter(version -> version == 1).count();
    assertThat(first).isLessThanOrEqualTo(oldLimit);
    assertThat(sent.size() - first).isLessThanOrEqualTo(newLimit).isEqualTo(stage().used(user));
    assertThat(stage().topic().readOf(user)).hasSameSizeAs(sent);
  }

  private static long[] versions(List<MessageTables.Stored> messages) {
    return messages.stream().mapToLong(MessageTables.Stored::version).toArray();
  }
}
