package dev.weir.spring.internal.methods;

import dev.weir.spring.RateLimited;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.core.Ordered;

/**
 * Intercepts calls of {@link RateLimited} methods.
 *
 * <p>Runs before Spring's other interceptors, so that a call that waits or is refused has opened no
 * transaction; but after asynchronous execution, so that a ticket is held while the work is done.
 */
public final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1;

  public RateLimitedPostProcessor(RateLimitedInterceptor interceptor) {
    this.advisor =
        new DefaultPointcutAdvisor(
            new AnnotationMatchingPointcut(null, RateLimited.class, true), interceptor);
    setBeforeExistingAdvisors(true);
    setProxyTargetClass(true);
    // Spring's processor for @Async has the lowest precedence and puts itself in front.
    setOrder(Ordered.LOWEST_PRECEDENCE - 1);
  }
}
