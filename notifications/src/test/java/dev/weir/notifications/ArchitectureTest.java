package dev.weir.notifications;

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

  @Test
  void knowsTheEngineKafkaSmppAndJsonAndNoStore() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            ROOT + "..",
            "dev.weir",
            "dev.weir.engine.notifications..",
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
  }
}
