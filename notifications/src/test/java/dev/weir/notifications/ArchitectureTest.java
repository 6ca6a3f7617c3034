package dev.weir.notifications;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module. */
final class ArchitectureTest {
  private static final String ROOT = "dev.weir.notifications";

  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  private static final String[] STORES = {ROOT + ".jdbc..", ROOT + ".redis.."};

  @Test
  void knowsTheEngineKafkaSmppAndJson() {
    classes()
        .that()
        .resideOutsideOfPackages(STORES)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            ROOT + "..",
            "dev.weir",
            "dev.weir.internal..",
            "dev.weir.limits..",
            "dev.weir.slots",
            "java..",
            "javax.crypto..",
            "javax.net.ssl..",
            "com.fasterxml.jackson.core..",
            "org.apache.kafka..",
            "kafka..",
            "scala..",
            "org.jsmpp..",
            "org.slf4j..",
            "org.jspecify..")
        .check(MODULE);
  }

  /** Or messages could not be kept elsewhere, nor sent without Redis. */
  @Test
  void twoPackagesKnowStoresAndNobodyKnowsThese() {
    noClasses()
        .that()
        .resideOutsideOfPackages(STORES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(STORES)
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".redis..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.store.redis..")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".jdbc..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.store.jdbc..", "javax.sql..", "java.sql..")
        .check(MODULE);
  }

  /** Or a program with a cluster of its own would need the broker's classes. */
  @Test
  void onlyTheBrokerKnowsTheServerOfKafka() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".broker")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("kafka..", "scala..", "org.apache.kafka.metadata..")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage(ROOT + ".broker")
        .check(MODULE);
  }

  @Test
  void noPackagesDependOnEachOtherInACycle() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(MODULE);
    noClasses()
        .that()
        .resideInAPackage(ROOT)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ROOT + ".sender..", ROOT + ".provider..", ROOT + ".analytics..")
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".messages..")
        .should()
        .dependOnClassesThat(
            resideInAPackage(ROOT + "..").and(not(resideInAPackage(ROOT + ".messages.."))))
        .check(MODULE);
  }
}
