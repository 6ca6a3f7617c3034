package dev.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits calls of a method by a rule.
 *
 * <pre>
 * &#64;RateLimited(rule = "orders", key = "#userId")
 * public Receipt order(String userId, Order order) { … }
 * </pre>
 *
 * <p>The rule decides before the method runs, and before a transaction of the method begins. A call
 * that is refused throws {@link RateLimitedException}. A call that has to wait in the rule's queue
 * waits on the caller's thread; a method with a reactive result is called when its result is
 * subscribed to, each subscription counts, and waiting blocks no thread. A rule of concurrency
 * counts a call until the method returns or throws or, if it returns a {@link
 * java.util.concurrent.CompletionStage} or a reactive type, until that ends.
 *
 * <p>Applies to methods of classes and of interfaces. Spring intercepts calls from one bean to
 * another: a bean that calls its own method through {@code this} is not limited. A rule that does
 * not exist, an expression that cannot be evaluated and a method that cannot be intercepted stop
 * the start of the service.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimited {
  /** Name of the rule, as in {@code weir.rules[…].name}. */
  String rule();

  /**
   * A SpEL expression for the key by which calls are counted, such as {@code #userId} or {@code
   * #order.customer.id + ':' + #region}. It may use the parameters of the method by name or, as
   * {@code #a0}, by position, and beans, as {@code @tenants.current()}. All calls for which it is
   * null or blank are counted together; without an expression, all calls are. An array, and an
   * object whose class has no {@code toString}, cannot be a key.
   */
  String key() default "";
}
