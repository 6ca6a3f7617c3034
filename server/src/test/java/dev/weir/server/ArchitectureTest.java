package dev.weir.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.base.HasDescription;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.PackageMatcher;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Which package may depend on which. */
final class ArchitectureTest {
  private static final JavaClasses HOUSE = House.CLASSES;

  /** The packages of the module {@code engine}, which users of the libraries name. */
  private static final String[] ENGINE = {
    "dev.weir",
    "dev.weir.address..",
    "dev.weir.internal..",
    "dev.weir.limits..",
    "dev.weir.register..",
    "dev.weir.routes..",
    "dev.weir.rules..",
    "dev.weir.slots.."
  };

  /** And the types nested in these. */
  private static final Set<String> KNOWN_TO_THE_VERIFIER =
      Set.of(
          "dev.weir.internal.Micros",
          "dev.weir.slots.Calendar",
          "dev.weir.slots.NotBefore",
          "dev.weir.slots.OpeningHours",
          "dev.weir.slots.SlotPolicy",
          "dev.weir.slots.Spread",
          "dev.weir.slots.planning.internal.OpenTimes",
          "dev.weir.internal.Places",
          "dev.weir.slots.planning.internal.PolicyTimes",
          "dev.weir.slots.planning.internal.TimeSpan");

  /** What the module {@code http} may know of ours. */
  private static final List<String> HTTP =
      List.of("dev.weir", "dev.weir.http..", "dev.weir.internal", "dev.weir.register");

  /** What the module {@code node} may know beside that. */
  private static final List<String> NODE =
      List.of("dev.weir.node..", "dev.weir.store..", "dev.weir.client");

  private static final Set<String> CALENDARS =
      Set.of("dev.weir.slots.Calendar", "dev.weir.slots.OpeningHours");

  private static final List<String> PARTS_OF_THE_SERVER =
      List.of("dev.weir.http..", "dev.weir.node..", "dev.weir.server..", "dev.weir.*.server..");

  private static final String[] STORES_OF_PRODUCTS = {
    "dev.weir.notifications.jdbc..", "dev.weir.notifications.redis..", "dev.weir.payments.jdbc.."
  };
  private static final String INTERNAL = ".internal";
  private static final String[] OPENING_PRODUCTS = {
    "dev.weir.notifications.server.node", "dev.weir.payments.server.node"
  };

  private static final List<String> CAPABILITIES =
      List.of(
          "dev.weir.server.slots",
          "dev.weir.server.limits",
          "dev.weir.server.rules",
          "dev.weir.server.gateway",
          "dev.weir.server.envoy",
          "dev.weir.notifications.server",
          "dev.weir.payments.server",
          "dev.weir.server.dashboard",
          "dev.weir.server.operations");

  /**
   * What users open, with its parts. It knows the stores in memory and the planner, which know the
   * values of its package; users import both from there.
   */
  private static final Set<String> OPENED =
      Set.of(
          "dev.weir.limits.Failover",
          "dev.weir.limits.FailoverBuilder",
          "dev.weir.limits.Leases",
          "dev.weir.limits.Limiter",
          "dev.weir.limits.LocalShare",
          "dev.weir.limits.QueuedLimiter",
          "dev.weir.limits.StoreSubstitute",
          "dev.weir.slots.AssignmentBatcher",
          "dev.weir.slots.CheckedSlotConfigs",
          "dev.weir.slots.SideLanes",
          "dev.weir.slots.SlotScheduler",
          "dev.weir.slots.SlotStore");

  @Test
  void noPackagesDependOnEachOtherInACycle() {
    slices()
        .assignedFrom(
            assignment("packages", javaClass -> SliceIdentifier.of(packageOrOpened(javaClass))))
        .should()
        .beFreeOfCycles()
        .check(HOUSE);
  }

  private static String packageOrOpened(JavaClass javaClass) {
    String outermost = javaClass.getName().replaceFirst("\\$.*", "");
    return javaClass.getPackageName() + (OPENED.contains(outermost) ? ", opened" : "");
  }

  /** Or a user of the libraries could not write down a type without naming an internal one. */
  @Test
  void publishedTypesShowNoInternalOnes() {
    classes()
        .that()
        .resideInAnyPackage(
            House.with(
                "dev.weir.store..",
                House.with("dev.weir.payments..", House.with("dev.weir.notifications..", ENGINE))))
        .and()
        .resideOutsideOfPackages(
            House.with("..internal..", House.with(House.SIMULATOR, House.SERVERS_OF_PRODUCTS)))
        .and()
        .arePublic()
        .should(showNoInternalTypes())
        .check(HOUSE);
  }

  private static ArchCondition<JavaClass> showNoInternalTypes() {
    return new ArchCondition<>("show no internal types") {
      @Override
      public void check(JavaClass published, ConditionEvents events) {
        published.getRawInterfaces().forEach(type -> check(published, type, events));
        published.getRawSuperclass().ifPresent(type -> check(published, type, events));
        for (JavaMember member : published.getMembers()) {
          if (member.getModifiers().contains(JavaModifier.PUBLIC)
              || member.getModifiers().contains(JavaModifier.PROTECTED)) {
            member.getAllInvolvedRawTypes().forEach(type -> check(member, type, events));
          }
        }
      }

      private void check(HasDescription member, JavaClass type, ConditionEvents events) {
        if (type.getPackageName().endsWith(INTERNAL)) {
          events.add(
              SimpleConditionEvent.violated(
                  member, member.getDescription() + " shows " + type.getName()));
        }
      }
    };
  }

  /** That its heart knows even less is proved by {@code PureHeartTest}. */
  @Test
  void engineKnowsOnlyTheJdk() {
    classes()
        .that()
        .resideInAnyPackage(ENGINE)
        .should()
        .onlyDependOnClassesThat()
        // A handshake that fails has its exceptions outside of java.
        .resideInAnyPackage(
            House.with(
                "java..", House.with("javax.net.ssl..", House.with("org.jspecify..", ENGINE))))
        .check(HOUSE);
  }

  /** So a test that only wants the clock gets no libraries with it. */
  @Test
  void theTestKitKnowsOnlyTheEngine() {
    classes()
        .that()
        .resideInAPackage("dev.weir.testing..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            House.with(
                "java..", House.with("org.jspecify..", House.with("dev.weir.testing..", ENGINE))))
        .check(HOUSE);
  }

  /** It is used by programs that have nothing else of ours. */
  @Test
  void theClientKnowsOnlyTheJdkAndJson() {
    classes()
        .that()
        .resideInAPackage("dev.weir.client..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.weir.client..",
            "java..",
            "javax.net.ssl..",
            "com.fasterxml.jackson.core..",
            "org.jspecify..")
        .check(HOUSE);
  }

  /** A feed is of slots or of payments; what cuts it into records is of neither. */
  @Test
  void theReadersOfFeedsKnowNothingOfOurs() {
    classes()
        .that()
        .resideInAPackage("dev.weir.feeds..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.weir.feeds..", "java..", "de.siegmar.fastcsv..", "org.jspecify..")
        .check(HOUSE);
  }

  @Test
  void storesDoNotKnowEachOther() {
    slices().matching("dev.weir.store.(*)..").should().notDependOnEachOther().check(HOUSE);
  }

  @Test
  void onlyTheRedisStoreKnowsItsClient() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.weir.store.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.lettuce..")
        .check(HOUSE);
  }

  /** And each product its own tables. Endpoints know the interfaces of the engine. */
  @Test
  void onlyWhatOpensThemKnowsTheStores() {
    String[] stores = House.with("dev.weir.store..", STORES_OF_PRODUCTS);
    noClasses()
        .that()
        .resideOutsideOfPackages(stores)
        .and()
        .resideOutsideOfPackages(
            "dev.weir.node.stores..", "dev.weir.node.capability", "dev.weir.server.*.node")
        .and()
        .resideOutsideOfPackages(OPENING_PRODUCTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(stores)
        .check(HOUSE);
  }

  @Test
  void nothingKnowsTheServerTheBenchmarksOrTheTorture() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.weir.server..", "dev.weir.benchmarks..", "dev.weir.torture..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.server..", "dev.weir.benchmarks..", "dev.weir.torture..")
        .check(HOUSE);
  }

  @Test
  void capabilitiesDoNotKnowEachOther() {
    slices()
        .assignedFrom(
            assignment(
                "capabilities",
                javaClass ->
                    CAPABILITIES.stream()
                        .filter(name -> (javaClass.getPackageName() + ".").startsWith(name + "."))
                        .findFirst()
                        .map(SliceIdentifier::of)
                        .orElseGet(SliceIdentifier::ignore)))
        .should()
        .notDependOnEachOther()
        .check(HOUSE);
  }

  /** It is how any endpoint speaks: of the engine it knows what is of no capability. */
  @Test
  void httpKnowsNoCapability() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.http..")
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are of a capability",
                type ->
                    type.getPackageName().startsWith("dev.weir")
                        && HTTP.stream()
                            .noneMatch(
                                name -> PackageMatcher.of(name).matches(type.getPackageName()))))
        .check(HOUSE);
  }

  /** It is what any capability enters, with the stores that they share. */
  @Test
  void theNodeKnowsNoCapability() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.node..")
        .and()
        .resideOutsideOfPackage("dev.weir.node.calendars")
        .should()
        .dependOnClassesThat(areOfACapability())
        .check(HOUSE);
    noClasses()
        .that()
        .resideInAPackage("dev.weir.node.calendars")
        .should()
        .dependOnClassesThat(
            areOfACapability()
                .and(
                    DescribedPredicate.describe(
                        "are no calendars",
                        type -> !CALENDARS.contains(type.getName().replaceFirst("\\$.*", "")))))
        .check(HOUSE);
  }

  private static DescribedPredicate<JavaClass> areOfACapability() {
    return DescribedPredicate.describe(
        "are of a capability",
        type ->
            type.getPackageName().startsWith("dev.weir")
                && Stream.concat(HTTP.stream(), NODE.stream())
                    .noneMatch(name -> PackageMatcher.of(name).matches(type.getPackageName())));
  }

  @Test
  void onlyTheServerKnowsNodeAndHttp() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.weir.http..", "dev.weir.node..", "dev.weir.server..", "dev.weir.benchmarks..")
        .and()
        .resideOutsideOfPackages(House.SERVERS_OF_PRODUCTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.http..", "dev.weir.node..")
        .check(HOUSE);
  }

  /**
   * So what they share knows none of them, and neither does what starts a node: they enter it by
   * the interface {@code Capability}.
   */
  @Test
  void nobodyKnowsCapabilities() {
    String[] capabilities = CAPABILITIES.stream().map(name -> name + "..").toArray(String[]::new);
    noClasses()
        .that()
        .resideOutsideOfPackages(capabilities)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(capabilities)
        .check(HOUSE);
  }

  @Test
  void onlyTheCommandLineKnowsTheWiring() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.weir.node.wiring..", "dev.weir.node.cli", "dev.weir.server.cli")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.weir.node.wiring..")
        .check(HOUSE);
  }

  @Test
  void onlyOnePackageKnowsGrpc() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.weir.server.envoy")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", "io.envoyproxy..", "com.google.protobuf..")
        .check(HOUSE);
  }

  /** A second opinion must not be made of the parts of the first. */
  @Test
  void theVerifierKnowsOnlyWherePlacesLie() {
    noClasses()
        .that()
        .resideInAPackage("dev.weir.server.verify")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.weir.store..", "dev.weir.http..")
        .check(HOUSE);
    classes()
        .that()
        .resideInAPackage("dev.weir.server.verify")
        .should()
        .onlyDependOnClassesThat(
            DescribedPredicate.describe(
                "are no parts of the engine, or known to it",
                type ->
                    Stream.of(ENGINE)
                            .noneMatch(
                                name -> PackageMatcher.of(name).matches(type.getPackageName()))
                        || KNOWN_TO_THE_VERIFIER.contains(
                            type.getName().replaceFirst("\\$.*", ""))))
        .check(HOUSE);
  }

  @Test
  void everyPackageOfTheServerAndWhatItIsMadeOfIsNullMarked() {
    assertThat(
            HOUSE.stream()
                .map(JavaClass::getPackage)
                .distinct()
                .filter(
                    any ->
                        PARTS_OF_THE_SERVER.stream()
                            .anyMatch(part -> PackageMatcher.of(part).matches(any.getName())))
                .filter(any -> !any.isAnnotatedWith(NullMarked.class))
                .map(JavaPackage::getName))
        .isEmpty();
  }

  @Test
  void namesAreWordsOfTheDomain() {
    noClasses().should().haveNameMatching(".*(Impl|Manager|Helper|Utils?)").check(HOUSE);
  }

  private static SliceAssignment assignment(
      String description, Function<JavaClass, SliceIdentifier> identifier) {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
        return identifier.apply(javaClass);
      }

      @Override
      public String getDescription() {
        return description;
      }
    };
  }
}
