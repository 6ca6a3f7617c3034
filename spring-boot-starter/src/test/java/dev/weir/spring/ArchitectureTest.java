package dev.weir.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The dependencies of this module. Its tests may use the server; what is published may not. */
final class ArchitectureTest {
  private static final JavaClasses STARTER =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.weir.spring");

  @Test
  void nothingKnowsTheServer() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.server..", "io.micronaut..")
        .check(STARTER);
  }

  /** Otherwise, a service without Redis could not start. */
  @Test
  void oneClassKnowsRedis() {
    noClasses()
        .that()
        .doNotHaveSimpleName("WeirRedisAutoConfiguration")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.store.redis..")
        .check(STARTER);
  }

  /** Otherwise, a service without PostgreSQL could not start. */
  @Test
  void oneClassKnowsPostgresql() {
    noClasses()
        .that()
        .doNotHaveSimpleName("WeirJdbcAutoConfiguration")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.store.jdbc..")
        .check(STARTER);
  }

  /** Otherwise, a service on Spring MVC without Reactor could not start. */
  @Test
  void onlyReactivePartsKnowReactor() {
    noClasses()
        .that()
        .haveNameNotMatching(".*(Reactive|Netty).*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("reactor..", "org.reactivestreams..")
        .check(STARTER);
  }

  /** Otherwise, a service on another web server could not start. */
  @Test
  void onlyPartsOfTomcatKnowTomcat() {
    noClasses()
        .that()
        .haveNameNotMatching(".*(Tomcat|WeirWebServer|WeirReactive).*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.catalina..", "org.springframework.boot.tomcat..")
        .check(STARTER);
  }

  @Test
  void theTwoWebServersDoNotKnowEachOther() {
    noClasses()
        .that()
        .haveSimpleNameStartingWith("Reactive")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jakarta.servlet..")
        .check(STARTER);
    noClasses()
        .that()
        .haveSimpleNameStartingWith("Servlet")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("reactor..", "org.springframework.web.server..")
        .check(STARTER);
  }
}
