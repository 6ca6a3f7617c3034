package dev.weir.node.capability;

import io.micronaut.context.ApplicationContextBuilder;
import io.micronaut.context.RuntimeBeanDefinition;
import io.micronaut.core.type.Argument;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The parts that are injected into endpoints, each by its type. */
public final class Beans {
  /** A set, because one object may play several parts, as the ledger in memory does. */
  private final Set<Object> singletons = new LinkedHashSet<>();

  private final List<RuntimeBeanDefinition<?>> definitions = new ArrayList<>();

  /** Adds a part that is injected by its class and by all its supertypes. */
  public Beans add(Object part) {
    singletons.add(part);
    return this;
  }

  /** Adds one of several parts of the same class that differ in their type arguments. */
  public <T> Beans add(Argument<T> type, T part) {
    definitions.add(RuntimeBeanDefinition.builder(type, () -> part).singleton(true).build());
    return this;
  }

  public void registerIn(ApplicationContextBuilder context) {
    context
        .singletons(singletons.toArray())
        .beanDefinitions(definitions.toArray(RuntimeBeanDefinition<?>[]::new));
  }
}
