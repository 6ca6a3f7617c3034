package dev.weir.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.PackageMatcher;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What may know the products, and what they may know: a server can do without each of them. */
final class ProductArchitectureTest {
  /** So that there can be a server without them. */
  @Test
  void nothingKnowsProducts() {
    for (String product : List.of("dev.weir.notifications..", "dev.weir.payments..")) {
      noClasses()
          .that()
          .resideOutsideOfPackage(product)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(product)
          .check(House.CLASSES);
    }
  }

  /** A service that sends messages or pays without a server of Weir has nothing of one. */
  @Test
  void productsDoNotKnowWhatTheyHaveForTheServer() {
    noClasses()
        .that()
        .resideOutsideOfPackages(House.SERVERS_OF_PRODUCTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(House.SERVERS_OF_PRODUCTS)
        .check(House.CLASSES);
  }

  /** Nothing that is published simulates. */
  @Test
  void onlyCommandsOfTheServerKnowTheSimulator() {
    noClasses()
        .that()
        .resideOutsideOfPackages(House.SIMULATOR, "dev.weir.payments.server..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(House.SIMULATOR)
        .check(House.CLASSES);
  }

  /** It is the other side of a connection: what it counts must not be what the workflows think. */
  @Test
  void theSimulatorOfThePaymentApiKnowsNothingOfPayments() {
    noClasses()
        .that()
        .resideInAPackage(House.SIMULATOR)
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are other ones of ours",
                type ->
                    type.getPackageName().startsWith("dev.weir")
                        && !PackageMatcher.of(House.SIMULATOR).matches(type.getPackageName())))
        .check(House.CLASSES);
  }

  /** The broker and the providers are parts to be wired; endpoints know only the send path. */
  @Test
  void onlyWhatOpensThemKnowsBrokersAndProviders() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.notifications.server..")
        .and()
        .resideOutsideOfPackages(
            "dev.weir.notifications.server.node", "dev.weir.notifications.server.metrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.weir.notifications.broker..",
            "dev.weir.notifications.provider..",
            "dev.weir.notifications.sender..")
        .check(House.CLASSES);
  }

  @Test
  void onlyNotificationsKnowKafka() {
    String[] clients = {"org.apache.kafka..", "kafka..", "org.jsmpp.."};
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.weir.notifications..", "dev.weir.benchmarks..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(clients)
        .check(House.CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.weir.notifications.server..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(clients)
        .check(House.CLASSES);
  }

  /** So nothing of it is loaded before the first payment. */
  @Test
  void theServerKnowsTemporalOnlyByWorkflowsAndPayments() {
    noClasses()
        .that()
        .resideInAnyPackage(House.with("dev.weir.server..", House.SERVERS_OF_PRODUCTS))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.temporal..")
        .check(House.CLASSES);
  }
}
