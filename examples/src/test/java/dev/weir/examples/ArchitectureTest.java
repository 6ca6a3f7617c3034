package dev.weir.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What is published is enough for every example. */
final class ArchitectureTest {
  @Test
  void examplesUseNothingInternal() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir..internal..")
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.weir.examples"));
  }
}
