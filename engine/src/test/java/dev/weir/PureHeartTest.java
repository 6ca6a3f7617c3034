package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Limit;
import dev.weir.limits.LiveLeases;
import dev.weir.limits.Queue;
import dev.weir.limits.internal.AllOrNothing;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.Planner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * What decides and what plans is a pure function of its arguments: no clock, no thread, no
 * randomness, no input or output, neither in it nor in anything that it uses.
 */
final class PureHeartTest {
  private static final JavaClasses ENGINE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.weir");

  /** With all that these use, and all of the package of the planner. */
  private static final List<Class<?>> ROOTS =
      List.of(
          Limit.class,
          Concurrency.class,
          LiveLeases.class,
          Queue.class,
          AllOrNothing.class,
          SlotPolicy.class,
          Planner.class);

  private static final Set<String> PACKAGES =
      Set.of(
          "java.lang",
          "java.lang.constant",
          "java.lang.invoke",
          "java.lang.runtime",
          "java.math",
          "java.nio.charset",
          "java.text",
          "java.time",
          "java.time.format",
          "java.time.temporal",
          "java.time.zone",
          "java.util",
          "java.util.function",
          // An argument: who calls brings the numbers.
          "java.util.random",
          "java.util.stream",
          "org.jspecify.annotations");

  /** Of these packages, what has a clock, threads, randomness, input, output or other state. */
  private static final Set<String> IMPURE_TYPES =
      Set.of(
          "java.lang.Process",
          "java.lang.ProcessBuilder",
          "java.lang.Runtime",
          "java.lang.Thread",
          "java.lang.ThreadLocal",
          "java.time.Clock",
          "java.util.Random",
          "java.util.SplittableRandom",
          "java.util.Scanner",
          "java.util.Timer",
          "java.util.UUID");

  @Test
  void dependsOnNothingButValues() {
    Set<String> impure = new TreeSet<>();
    for (JavaClass type : heart()) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (!ours(target) && !target.isPrimitive() && !isPure(target)) {
          impure.add(dependency.getDescription());
        }
      }
      for (JavaAccess<?> access : type.getAccessesFromSelf()) {
        if (readsTheMachine(access)) {
          impure.add(access.getDescription());
        }
      }
    }
    assertThat(impure).isEmpty();
  }

  /** The rule must not come true by an empty heart, nor by what runs it becoming a part of it. */
  @Test
  void hasAllThatDecidesAndNothingThatRunsIt() {
    assertThat(heart())
        .extracting(JavaClass::getSimpleName)
        .contains(
            "FixedWindow",
            "SlidingWindow",
            "TokenBucket",
            "Concurrency",
            "Calendar",
            "OccupancyView",
            "Backlog")
        .doesNotContain("Limiter", "Leases", "SlotScheduler", "LimitStore", "SlotStore");
  }

  private static Set<JavaClass> heart() {
    Set<JavaClass> heart = new LinkedHashSet<>();
    Deque<JavaClass> next = new ArrayDeque<>();
    ROOTS.forEach(root -> next.add(ENGINE.get(root)));
    for (JavaClass type : ENGINE) {
      if (type.getPackageName().equals(Planner.class.getPackageName())) {
        next.add(type);
      }
    }
    while (!next.isEmpty()) {
      JavaClass type = next.pop();
      if (ours(type) && heart.add(type)) {
        type.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getBaseComponentType())
            .forEach(next::add);
        // What a limit may be is not visible in the interface itself.
        next.addAll(type.getSubclasses());
      }
    }
    return heart;
  }

  private static boolean ours(JavaClass type) {
    return type.getName().startsWith("dev.weir.");
  }

  private static boolean isPure(JavaClass type) {
    return PACKAGES.contains(type.getPackageName()) && !IMPURE_TYPES.contains(type.getName());
  }

  private static boolean readsTheMachine(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    String member = access.getName();
    return (owner.startsWith("java.time.") && member.equals("now"))
        || (owner.equals("java.util.random.RandomGenerator") && !member.startsWith("next"))
        || (owner.equals("java.time.ZoneId") && member.equals("systemDefault"))
        || (owner.equals("java.util.Locale") && member.equals("getDefault"))
        || (owner.equals("java.lang.Math") && member.equals("random"))
        || (owner.equals("java.lang.System")
            && !Set.of("arraycopy", "identityHashCode", "lineSeparator").contains(member));
  }
}
