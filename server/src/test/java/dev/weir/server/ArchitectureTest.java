package dev.weir.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of the house: who may know whom. */
final class ArchitectureTest {
  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.weir");

  @Test
  void coreKnowsOnlyTheJdk() {
    classes()
        .that()
        .resideInAPackage("dev.weir.core..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.weir.core..", "java..", "org.jspecify..")
        .allowEmptyShould(true)
        .check(HOUSE);
  }

  @Test
  void engineKnowsOnlyCore() {
    classes()
        .that()
        .resideInAPackage("dev.weir.engine..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.weir.engine..", "dev.weir.core..", "java..", "org.jspecify..")
        .allowEmptyShould(true)
        .check(HOUSE);
  }

  @Test
  void storesDoNotKnowEachOther() {
    slices()
        .matching("dev.weir.store.(*)..")
        .should()
        .notDependOnEachOther()
        .allowEmptyShould(true)
        .check(HOUSE);
  }

  @Test
  void onlyTheRedisStoreKnowsItsClient() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.weir.store.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.lettuce..")
        .allowEmptyShould(true)
        .check(HOUSE);
  }

  @Test
  void onlyOnePackageKnowsGrpc() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.weir.server.envoy..", "dev.weir.benchmarks..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", "io.envoyproxy..", "com.google.protobuf..")
        .check(HOUSE);
  }

  @Test
  void onlyTheWiringKnowsTheStores() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.weir.store..", "dev.weir.server.wiring..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.store..")
        .allowEmptyShould(true)
        .check(HOUSE);
  }

  /** A second opinion must not be made of the parts of the first. */
  @Test
  void theCheckerKnowsOnlyWherePlacesLie() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.server.verify..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.engine..", "dev.weir.store..", "dev.weir.server.http..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("dev\\.weir\\.core\\.slots\\.(Planner|Picture|Window|Page|CarryOver).*")
        .check(HOUSE);
  }

  @Test
  void nothingKnowsTheServerOrTheBenchmarks() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.weir.server..", "dev.weir.benchmarks..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.server..", "dev.weir.benchmarks..")
        .allowEmptyShould(true)
        .check(HOUSE);
  }

  @Test
  void namesAreWordsOfTheDomain() {
    noClasses()
        .should()
        .haveSimpleNameEndingWith("Impl")
        .orShould()
        .haveSimpleNameEndingWith("Manager")
        .orShould()
        .haveSimpleNameEndingWith("Helper")
        .orShould()
        .haveSimpleNameEndingWith("Util")
        .orShould()
        .haveSimpleNameEndingWith("Utils")
        .allowEmptyShould(true)
        .check(HOUSE);
  }
}
