package dev.weir.torture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What the checker may know. */
final class ArchitectureTest {
  private static final JavaClasses TORTURE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.weir.torture");

  /** Or a mistake of the product would be one of the checker too. */
  @Test
  void nothingOfTheProductIsUsedButItsVerifierAndTheProcessesOfItsTests() {
    noClasses()
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are of the product",
                (JavaClass used) ->
                    used.getPackageName().startsWith("dev.weir.")
                        && !used.getPackageName().startsWith("dev.weir.torture")
                        && !used.getPackageName().equals("dev.weir.server.faults")
                        && !used.getPackageName().equals("dev.weir.server.verify")))
        .check(TORTURE);
  }

  @Test
  void noPackagesDependOnEachOtherInACycle() {
    slices().matching("dev.weir.torture.(*)").should().beFreeOfCycles().check(TORTURE);
    noClasses()
        .that()
        .resideInAPackage("dev.weir.torture.*")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.torture")
        .check(TORTURE);
  }

  @Test
  void capabilitiesDoNotKnowEachOther() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.torture.slots")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.torture.limits")
        .check(TORTURE);
    noClasses()
        .that()
        .resideInAPackage("dev.weir.torture.limits")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.torture.slots")
        .check(TORTURE);
  }
}
