package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.client.Assignment;
import dev.weir.client.Authorization;
import dev.weir.client.Call;
import dev.weir.client.Cancellation;
import dev.weir.client.CheckRequest;
import dev.weir.client.CheckResult;
import dev.weir.client.Confirmation;
import dev.weir.client.FeedScope;
import dev.weir.client.Forecast;
import dev.weir.client.LeaseResult;
import dev.weir.client.Message;
import dev.weir.client.OriginalRequest;
import dev.weir.client.OutgoingMessage;
import dev.weir.client.ProblemException;
import dev.weir.client.SendResult;
import dev.weir.client.Slot;
import dev.weir.client.SlotReply;
import dev.weir.client.SlotRequest;
import dev.weir.client.StoredSlot;
import dev.weir.client.TakeResult;
import dev.weir.client.WeirClient;
import dev.weir.client.WindowPage;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.server.node.NotificationSetting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java client against a node with its own PostgreSQL and Kafka. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class WeirClientIT {
  private static final String TOKEN = "token-of-administrators";
  private static final Instant JUNE = Instant.parse("2031-06-01T12:00:00Z");

  @TempDir private static Path data;
  private static Node node;
  private static WeirClient weir;

  @BeforeAll
  static void start() {
    node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, data.toString(),
                    StoreSetting.DB_WAIT, "PT2M",
                    // With the start of the embedded Kafka.
                    NotificationSetting.SEND_TIMEOUT, "PT3M",
                    ServerSetting.ADMIN_TOKEN, TOKEN,
                    ServerSetting.TRUSTED_PROXIES, "127.0.0.1, ::1",
                    ServerSetting.DRAIN, "PT0S"),
                Map.of(),
                Optional.empty()));
    weir =
        WeirClient.at(node.address())
            .credential(TOKEN)
            .attemptTimeout(Duration.ofMinutes(3))
            .timeout(Duration.ofMinutes(10))
            .build();
  }

  @AfterAll
  static void stop() {
    weir.close();
    node.close();
  }

  private static void configure(String name, String more) {
    weir.send(
        Call.post("/admin/rate-limit/config")
            .json("{\"configName\":\"%s\",%s}".formatted(name, more)));
  }

  private static void rule(String name, String more) {
    weir.send(Call.post("/api/admin/rules").json("{\"name\":\"%s\",%s}".formatted(name, more)));
  }

  @Test
  void anEventKeepsItsSlotUntilItIsCancelled() {
    configure("kept", "\"maxPerWindow\":2,\"windowSize\":\"PT4S\"");
    Slot slot = weir.slots().assign("kept/1 ä", "kept", JUNE);
    assertThat(slot.scheduledTime()).isEqualTo(JUNE);
    assertThat(weir.slots().assign(SlotRequest.of("kept/1 ä", "kept")))
        .isEqualTo(new Assignment.Assigned(slot, true));
    assertThat(weir.slots().find("kept/1 ä"))
        .hasValueSatisfying(
            stored -> {
              assertThat(stored.slot()).isEqualTo(slot);
              assertThat(stored.state()).isEqualTo(StoredSlot.State.ASSIGNED);
            });
    assertThat(weir.slots().find("..")).isEmpty();
    assertThat(weir.slots().windows("kept", JUNE).windows())
        .containsExactly(new WindowPage.Occupancy(JUNE, JUNE.plusSeconds(4), 1, 2));
    Forecast forecast = weir.slots().forecast("kept", 3, JUNE);
    assertThat(forecast.placed()).isEqualTo(3);
    assertThat(forecast.through()).hasValueSatisfying(last -> assertThat(last).isAfter(JUNE));

    assertThat(weir.slots().cancel("kept/1 ä")).isEqualTo(new Cancellation.Cancelled());
    assertThat(weir.slots().confirm("kept/1 ä")).isInstanceOf(Confirmation.Ended.class);
    assertThat(weir.slots().assign("kept/1 ä", "kept", JUNE).scheduledTime()).isEqualTo(JUNE);
    assertThat(weir.slots().confirm("kept/1 ä"))
        .isInstanceOfSatisfying(
            Confirmation.Confirmed.class,
            confirmed ->
                assertThat(confirmed.slot().state()).isEqualTo(StoredSlot.State.CONFIRMED));
    assertThat(weir.slots().cancel("kept/1 ä")).isInstanceOf(Cancellation.TooLate.class);
    assertThat(weir.slots().confirm("never")).isEqualTo(new Confirmation.Unknown());
    assertThat(weir.slots().cancel("never")).isEqualTo(new Cancellation.Unknown());
  }

  @Test
  void refusalsOfSlotsAreValues() {
    configure("full", "\"maxPerWindow\":1,\"windowSize\":\"PT1H\",\"maxDelay\":\"PT0S\"");
    weir.slots().assign("full-1", "full", JUNE);
    assertThat(weir.slots().assign(SlotRequest.of("full-2", "full").from(JUNE)))
        .isInstanceOfSatisfying(
            Assignment.NoCapacity.class, none -> assertThat(none.retryAfter()).isEmpty());
    assertThat(weir.slots().assign(SlotRequest.of("full-3", "nowhere")))
        .isInstanceOf(Assignment.UnknownConfig.class);
    assertThatThrownBy(() -> weir.slots().assign("full-3", "nowhere"))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().is("unknown-config")).isTrue());
    assertThat(
            weir.slots()
                .assignAll(
                    List.of(
                        SlotRequest.of("full-1", "full"),
                        SlotRequest.of("full-2", "full").from(JUNE),
                        SlotRequest.of("full-3", "nowhere"),
                        SlotRequest.of("x".repeat(300), "full"))))
        .satisfiesExactly(
            first -> assertThat(first).isInstanceOf(Assignment.Assigned.class),
            second -> assertThat(second).isInstanceOf(Assignment.NoCapacity.class),
            third -> assertThat(third).isInstanceOf(Assignment.UnknownConfig.class),
            fourth -> assertThat(fourth).isInstanceOf(SlotReply.Failed.class));
  }

  @Test
  void aCheckWithAnIdIsCountedAndRefundedOnce() {
    rule("login", "\"allowedRequests\":2,\"windowSeconds\":86400");
    CheckRequest request = CheckRequest.of("login", "user:1").repeatable();
    CheckResult.Allowed first = (CheckResult.Allowed) weir.limits().check(request);
    CheckResult.Allowed again = (CheckResult.Allowed) weir.limits().check(request);
    assertThat(first.replayed()).isFalse();
    assertThat(again.replayed()).isTrue();
    assertThat(again.rules().getFirst().remaining()).hasValue(1);
    assertThat(weir.limits().check("login", "user:1")).isInstanceOf(CheckResult.Allowed.class);
    assertThat(weir.limits().check("login", "user:1"))
        .isInstanceOfSatisfying(
            CheckResult.Refused.class, refused -> assertThat(refused.retryAfter()).isPositive());
    weir.limits().refund(first);
    weir.limits().refund(first);
    assertThat(weir.limits().peek(CheckRequest.of("login", "user:1")))
        .isInstanceOf(CheckResult.Allowed.class);
    CheckResult.Allowed last = (CheckResult.Allowed) weir.limits().check("login", "user:1");
    assertThat(weir.limits().check("login", "user:1")).isInstanceOf(CheckResult.Refused.class);
    // Without an id, by its time.
    weir.limits().refund(last);
    assertThat(weir.limits().check("login", "user:1")).isInstanceOf(CheckResult.Allowed.class);
    assertThatThrownBy(() -> weir.limits().check("logon", "user:1"))
        .isInstanceOfSatisfying(
            ProblemException.class, e -> assertThat(e.problem().is("unknown-rule")).isTrue());
  }

  @Test
  void severalRulesGrantTogetherOrNotAtAll() {
    rule("each", "\"allowedRequests\":5,\"windowSeconds\":86400");
    rule("together", "\"allowedRequests\":1,\"windowSeconds\":86400");
    CheckRequest both = CheckRequest.of("each", "u", 2).and("together", "o", 1);
    CheckResult.Allowed granted = (CheckResult.Allowed) weir.limits().check(both);
    assertThat(granted.rules().getFirst().remaining()).hasValue(3);
    assertThat(weir.limits().check(both))
        .isInstanceOfSatisfying(
            CheckResult.Refused.class,
            refused ->
                assertThat(refused.rules())
                    .extracting(CheckResult.RuleState::allowed)
                    .containsExactly(true, false));
    weir.limits().refund(granted);
    assertThat(weir.limits().check(both)).isInstanceOf(CheckResult.Allowed.class);
  }

  @Test
  void theLeaseOfACheckIsRenewedAndGivenBack() {
    rule("busy", "\"algorithm\":\"CONCURRENCY\",\"maxConcurrent\":1,\"leaseTtl\":\"PT1H\"");
    CheckResult.Allowed granted = (CheckResult.Allowed) weir.limits().check("busy", "db");
    assertThat(granted.lease()).isPresent();
    assertThat(weir.limits().check("busy", "db")).isInstanceOf(CheckResult.Refused.class);
    assertThat(weir.limits().renew(granted)).isPresent();
    weir.limits().refund(granted);
    assertThat(weir.limits().renew(granted)).isEmpty();
    assertThat(weir.limits().check("busy", "db")).isInstanceOf(CheckResult.Allowed.class);
  }

  @Test
  void bucketsAndLeasesOfResources() {
    weir.send(Call.put("/api/v1/buckets/mail").json("{\"capacity\":10,\"refillRate\":0.0001}"));
    assertThat(weir.limits().take("mail", 7))
        .isInstanceOfSatisfying(
            TakeResult.Taken.class, taken -> assertThat(taken.remaining()).isEqualTo(3));
    assertThat(weir.limits().take("mail", 7))
        .isInstanceOfSatisfying(
            TakeResult.Insufficient.class,
            few -> {
              assertThat(few.available()).isEqualTo(3);
              assertThat(few.retryAfter()).isPositive();
            });
    weir.send(
        Call.put("/api/v1/concurrency/db").json("{\"maxConcurrent\":1,\"leaseTtl\":\"PT1H\"}"));
    LeaseResult.Acquired acquired = (LeaseResult.Acquired) weir.limits().lease("db");
    try (var lease = acquired.lease()) {
      assertThat(lease.renew()).isTrue();
      assertThat(weir.limits().lease("db"))
          .isInstanceOfSatisfying(
              LeaseResult.Full.class, full -> assertThat(full.max()).isEqualTo(1));
    }
    assertThat(acquired.lease().renew()).isFalse();
    acquired.lease().release();
    assertThat(weir.limits().lease("db")).isInstanceOf(LeaseResult.Acquired.class);
  }

  @Test
  void requestsToAServiceAreAuthorizedByTheRulesOfTheirPath() {
    rule(
        "quotes",
        "\"pathPattern\":\"/quotes/**\",\"keyBy\":\"header:X-Api-Key\","
            + "\"allowedRequests\":1,\"windowSeconds\":86400");
    OriginalRequest request =
        OriginalRequest.of("GET", "/quotes/1", "10.0.0.1").header("X-Api-Key", "a");
    assertThat(weir.limits().authorize(request))
        .isInstanceOfSatisfying(
            Authorization.Granted.class,
            granted ->
                assertThat(granted.reply().headers().firstValue("RateLimit-Policy"))
                    .contains("\"quotes\";q=1;w=86400"));
    assertThat(weir.limits().authorize(request)).isInstanceOf(Authorization.Refused.class);
  }

  @Test
  void aMessageIsSentOnceForItsIdempotencyKey() {
    weir.send(Call.post("/api/config").json("{\"userId\":7,\"rateLimit\":1,\"timeWindow\":5}"));
    OutgoingMessage hello = OutgoingMessage.to(7, "Hello");
    SendResult.Accepted sent = (SendResult.Accepted) weir.messages().send(hello);
    assertThat(weir.messages().send(hello)).isEqualTo(sent);
    assertThat(weir.messages().send(OutgoingMessage.to(7, "Again")))
        .isInstanceOfSatisfying(
            SendResult.Limited.class, limited -> assertThat(limited.retryAfter()).isPositive());
    assertThat(weir.messages().send(OutgoingMessage.to(8, "Hello")))
        .isInstanceOf(SendResult.UnknownUser.class);
    assertThat(weir.messages().find(sent.messageId()))
        .hasValueSatisfying(message -> assertThat(message.userId()).isEqualTo(7));
    assertThat(weir.messages().find(UUID.randomUUID())).isEmpty();
    assertThat(weir.messages().cancel(sent.messageId())).isInstanceOf(Cancellation.TooLate.class);
  }

  @Test
  void aDeferredMessageIsKeptUntilItIsCancelled() {
    weir.send(
        Call.post("/api/config")
            .json(
                "{\"userId\":9,\"rateLimit\":1,\"timeWindow\":5,\"openHours\":{\"timeZone\":\"UTC\","
                    + "\"hours\":{\"%s\":[\"00:00-00:01\"]}}}".formatted(dayAfterTomorrow())));
    OutgoingMessage later = OutgoingMessage.to(9, "Later");
    assertThat(weir.messages().send(later))
        .isInstanceOfSatisfying(
            SendResult.Closed.class, closed -> assertThat(closed.opensAt()).isPresent());
    SendResult.Deferred deferred =
        (SendResult.Deferred) weir.messages().send(OutgoingMessage.to(9, "Later").deferrable());
    assertThat(deferred.message().state()).isEqualTo(Message.State.DEFERRED);
    assertThat(weir.messages().cancel(deferred.message().id()))
        .isEqualTo(new Cancellation.Cancelled());
    assertThat(weir.messages().find(deferred.message().id()))
        .hasValueSatisfying(
            message -> assertThat(message.state()).isEqualTo(Message.State.CANCELLED));
  }

  private static String dayAfterTomorrow() {
    return LocalDate.now(ZoneOffset.UTC).plusDays(2).getDayOfWeek().name().toLowerCase(Locale.ROOT);
  }

  @Test
  void feedsAndPaymentsThatAreNotThere() {
    assertThat(weir.payments().feed("none")).isEmpty();
    assertThat(weir.payments().feeds(5)).isEmpty();
    assertThat(weir.payments().find("none")).isEmpty();
    assertThat(weir.payments().cancel("none")).isEqualTo(new Cancellation.Unknown());
    assertThat(weir.payments().hold(FeedScope.all()).isChanged()).isTrue();
    assertThat(weir.payments().hold(FeedScope.all()).isChanged()).isFalse();
    assertThat(weir.payments().resume(FeedScope.all()).isChanged()).isTrue();
  }
}
