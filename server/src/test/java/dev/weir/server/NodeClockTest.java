package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Which classes may ask the clock of this machine. Where nodes share state, the clock of the store
 * decides: a node whose clock is wrong must not remove, expire, claim or grant anything that other
 * nodes use.
 */
final class NodeClockTest {
  private static final Set<String> CLOCKS =
      Set.of(
          "java.time.Clock",
          "java.time.Instant",
          "java.time.InstantSource",
          "java.time.LocalDate",
          "java.time.LocalDateTime",
          "java.time.LocalTime",
          "java.time.OffsetDateTime",
          "java.time.ZonedDateTime",
          "java.time.Year",
          "java.time.YearMonth");

  /** Each class, and why no shared state depends on it. */
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          // The state is in the memory of this process, which has one clock.
          Map.entry("dev.weir.internal.SteadyClock", "the start of a clock in memory"),
          Map.entry("dev.weir.slots.SlotStore", "slots in memory"),
          Map.entry("dev.weir.server.gateway.node.OpenRoutes", "routes in memory"),
          Map.entry("dev.weir.server.limits.node.OpenLimits", "resources in memory"),
          Map.entry("dev.weir.server.rules.node.OpenRules", "rules in memory"),
          Map.entry("dev.weir.rules.HeldLeases", "a lease that no store counts"),
          // Advice to a caller, or text for people.
          Map.entry("dev.weir.rules.RuleEvaluator", "the time of the last refusals"),
          // Its refunds should refer to the time of the decision that they give back.
          Map.entry("dev.weir.server.rules.CheckLanes", "the Date header"),
          Map.entry(
              "dev.weir.payments.server.cli.FeedRun",
              "the time left of an upload, on the terminal"),
          Map.entry("dev.weir.server.dashboard.RefusalEndpoints", "the range of a chart"),
          Map.entry("dev.weir.server.dashboard.Dashboard", "the age of a session and of samples"),
          Map.entry("dev.weir.server.dashboard.DemoTraffic", "the name of sample data"),
          Map.entry("dev.weir.notifications.server.AnalyticsEndpoints", "the range of a question"),
          // What another system sends has the time of day in it.
          Map.entry("dev.weir.http.oidc.IssuerKeys", "the age of this node's copy of keys"),
          Map.entry("dev.weir.store.surrealdb.SurrealDb", "when to renew this node's token"),
          // Files of this machine, compared with the times that it gave them.
          Map.entry("dev.weir.node.stores.postgresql.PostgresqlArchive", "unpacked programs"),
          Map.entry("dev.weir.node.stores.postgresql.PostgresqlCluster", "old log files"),
          // Ids that are ordered by time, unique whatever the time is; ages of signatures.
          Map.entry("dev.weir.notifications.Notifications", "ids of messages"),
          Map.entry("dev.weir.notifications.server.node.OpenNotifications", "signatures"),
          Map.entry("dev.weir.notifications.server.node.OpenAnalytics", "ids of events"),
          // When a provider answered. A message is kept by the later of this and the time at which
          // the database counted it, so a wrong clock keeps it longer, and never shorter.
          Map.entry("dev.weir.notifications.server.node.SenderPart", "when a message changed"),
          Map.entry("dev.weir.notifications.server.ReceiptEndpoint", "when a message changed"),
          // Slots say when; the wait until then is counted by this node and by Temporal.
          Map.entry("dev.weir.workflows.PacedStarter", "the delay of a start"),
          Map.entry(
              "dev.weir.payments.server.node.PaymentsPart",
              "dates in Retry-After; whether the clock of the embedded Temporal was set"),
          Map.entry("dev.weir.workflows.embedded.EmbeddedTemporal", "the same, for trials"),
          Map.entry("dev.weir.payments.simulator.DownstreamSimulator", "a payment API for trials"));

  @Test
  void onlyListedClassesAskTheClockOfThisMachine() {
    TreeSet<String> users = new TreeSet<>();
    for (JavaClass each :
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir")) {
      // The kit of claims runs in tests only.
      if (!each.getPackageName().startsWith("dev.weir.store.tck")
          && each.getAccessesFromSelf().stream().anyMatch(NodeClockTest::asksAClock)) {
        users.add(outermost(each).getName());
      }
    }
    assertThat(users).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
  }

  private static boolean asksAClock(JavaAccess<?> access) {
    AccessTarget target = access.getTarget();
    String owner = target.getOwner().getName();
    String name = target.getName();
    if (owner.equals("java.lang.System")) {
      return name.equals("currentTimeMillis");
    }
    if (owner.equals("java.util.Date") || owner.equals("java.util.GregorianCalendar")) {
      return target instanceof AccessTarget.ConstructorCallTarget made
          && made.getRawParameterTypes().isEmpty();
    }
    return CLOCKS.contains(owner)
        && (name.startsWith("system") || name.startsWith("tick") || name.equals("now"));
  }

  private static JavaClass outermost(JavaClass inner) {
    return inner.getEnclosingClass().map(NodeClockTest::outermost).orElse(inner);
  }
}
