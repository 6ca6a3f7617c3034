package dev.weir.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

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
        .resideInAnyPackage(
            "dev.weir.server..", "dev.weir.node..", "dev.weir.http..", "io.micronaut..")
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

  /** Otherwise, a service without Temporal could not start. */
  @Test
  void oneClassKnowsTemporal() {
    noClasses()
        .that()
        .doNotHaveSimpleName("WeirWorkflowsAutoConfiguration")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.workflows..", "io.temporal..")
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

  /** But for WebFlux on Tomcat, whose requests are those of a servlet container. */
  @Test
  void theTwoWebServersDoNotKnowEachOther() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.spring.internal.reactive")
        .and()
        .doNotHaveSimpleName("TomcatReactiveOrigin")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jakarta.servlet..", "dev.weir.spring.internal.servlet")
        .check(STARTER);
    noClasses()
        .that()
        .resideInAPackage("dev.weir.spring.internal.servlet")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "reactor..", "org.springframework.web.server..", "dev.weir.spring.internal.reactive")
        .check(STARTER);
  }

  @Test
  void noPackagesDependOnEachOtherInACycle() {
    slices().matching("(dev.weir.spring..)").should().beFreeOfCycles().check(STARTER);
  }

  /** What it adds is written by nobody's hand. */
  @Test
  void nothingOfTheAutoConfigurationIsPublic() {
    classes()
        .that()
        .resideInAPackage("dev.weir.spring.autoconfigure")
        .should()
        .notBePublic()
        .check(STARTER);
  }
}
