package dev.weir.spring.internal.methods;

import dev.weir.rules.RuleIndex;
import dev.weir.spring.RateLimited;
import dev.weir.spring.RuleProperties;
import dev.weir.spring.WeirProperties;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * All methods with {@link RateLimited}, each parsed once, so bounded by the number of methods of
 * the service. They are checked when all beans are defined, including those of beans that are
 * created later. Thread-safe.
 */
public final class LimitedMethods implements SmartInitializingSingleton {
  private final ConfigurableListableBeanFactory beans;
  private final ObjectProvider<RuleIndex> index;
  private final WeirProperties properties;
  private final Map<MethodClassKey, LimitedMethod> known = new ConcurrentHashMap<>();

  public LimitedMethods(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<RuleIndex> index,
      WeirProperties properties) {
    this.beans = beans;
    this.index = index;
    this.properties = properties;
  }

  /** Returns the limited method for a method of a class. */
  LimitedMethod find(Method method, @Nullable Class<?> type) {
    Class<?> declaring = type == null ? method.getDeclaringClass() : type;
    return known.computeIfAbsent(
        new MethodClassKey(method, declaring),
        key ->
            // A client generated from an interface has only the methods of the interface.
            read(
                Proxy.isProxyClass(declaring)
                    ? method
                    : AopUtils.getMostSpecificMethod(method, declaring)));
  }

  private LimitedMethod read(Method method) {
    RateLimited limited = annotation(method);
    if (limited == null) {
      throw new IllegalStateException(method + " is intercepted without @RateLimited");
    }
    return LimitedMethod.of(method, limited, beans);
  }

  private static @Nullable RateLimited annotation(Method method) {
    return AnnotatedElementUtils.findMergedAnnotation(method, RateLimited.class);
  }

  @Override
  public void afterSingletonsInstantiated() {
    Set<String> used = new HashSet<>();
    for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
      if (type != null) {
        methods(type).forEach(method -> used.add(check(method, type)));
      }
    }
    for (int i = 0; i < properties.rules().size(); i++) {
      RuleProperties rule = properties.rules().get(i);
      if (rule.pathPattern() == null && !used.contains(rule.name())) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.rules[" + i + "].path-pattern",
            "(none)",
            "It is required, unless a method has @RateLimited with this rule.");
      }
    }
  }

  private static Set<Method> methods(Class<?> type) {
    if (!AnnotationUtils.isCandidateClass(type, RateLimited.class)) {
      return Set.of();
    }
    try {
      return MethodIntrospector.selectMethods(type, LimitedMethods::annotation).keySet();
    } catch (IllegalStateException e) {
      // The class refers to missing types, so it cannot be instantiated as a bean either.
      return Set.of();
    }
  }

  /** Returns the name of the rule that limits a method. */
  private String check(Method method, Class<?> type) {
    String rule = find(method, type).rule();
    RuleIndex here = index.getIfAvailable();
    if (here == null) {
      throw LimitedMethod.wrong(
          method, "with weir.store=remote the server has the rules, and only requests are limited");
    }
    if (here.find(rule) == null) {
      throw LimitedMethod.wrong(method, "there is no rule \"%s\"".formatted(rule));
    }
    return rule;
  }
}
