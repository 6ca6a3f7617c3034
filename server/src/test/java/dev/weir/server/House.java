package dev.weir.server;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;

/** What the tests of its architecture look at. */
final class House {
  /** All classes of the program, with those of the libraries that it is made of. */
  static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.weir");

  /** What products have for the server, each in a module of its own. */
  static final String[] SERVERS_OF_PRODUCTS = {
    "dev.weir.notifications.server..", "dev.weir.payments.server.."
  };

  static final String SIMULATOR = "dev.weir.payments.simulator..";

  private House() {}

  static String[] with(String name, String... others) {
    return Stream.concat(Stream.of(name), Stream.of(others)).toArray(String[]::new);
  }
}
