package dev.weir.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module. */
final class ArchitectureTest {
  @Test
  void noPackagesDependOnEachOtherInACycle() {
    slices()
        .matching("(dev.weir.benchmarks..)")
        .should()
        .beFreeOfCycles()
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.weir.benchmarks"));
  }
}
