package dev.weir.spring;

import dev.weir.engine.limits.internal.LimitNames;
import dev.weir.engine.rules.KeyPart;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The key of a call, computed from its arguments. Parsed once, and checked for errors that SpEL
 * would report only on a call, or never: it evaluates an unknown variable to null, and all calls
 * would be counted together. Thread-safe.
 */
final class KeyExpression {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
  private static final Object NO_ROOT = new Object();

  private final Method method;
  private final @Nullable SpelExpression expression;
  private final BeanResolver beans;

  private KeyExpression(Method method, @Nullable SpelExpression expression, BeanResolver beans) {
    this.method = method;
    this.expression = expression;
    this.beans = beans;
  }

  /**
   * Parses an expression over the parameters of a method.
   *
   * @throws IllegalArgumentException if it could not be evaluated
   */
  static KeyExpression of(String text, Method method, BeanFactory beans) {
    BeanFactoryResolver resolver = new BeanFactoryResolver(beans);
    if (text.isEmpty()) {
      return new KeyExpression(method, null, resolver);
    }
    SpelExpression expression;
    try {
      expression = PARSER.parseRaw(text);
    } catch (ParseException | IllegalStateException e) {
      throw new IllegalArgumentException("it cannot be parsed: " + e.getMessage(), e);
    }
    new Check(method, beans).visit(expression.getAST(), false, false);
    return new KeyExpression(method, expression, resolver);
  }

  /** Returns the key of a call with these arguments, fit for any store. */
  String key(@Nullable Object[] arguments) {
    if (expression == null) {
      return KeyPart.ALL;
    }
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(NO_ROOT, method, arguments, NAMES);
    context.setBeanResolver(beans);
    Object value = expression.getValue(context);
    String key = value == null ? "" : value.toString().strip();
    if (key.isEmpty()) {
      return KeyPart.NONE;
    }
    return LimitNames.problem(key).isEmpty() ? key : LimitNames.digest(key);
  }

  /** Finds references that do not exist when the expression is evaluated. */
  private record Check(Method method, BeanFactory beans) {
    /**
     * Visits a node and its descendants.
     *
     * @param hasTarget whether it is evaluated on a value: the expression before it, or an element
     *     of a collection. There is no root object on which it could be evaluated otherwise
     * @param isOfElement whether the same applies to all its descendants
     */
    private void visit(SpelNode node, boolean hasTarget, boolean isOfElement) {
      switch (node) {
        case VariableReference variable -> requireParameter(variable.toStringAST().substring(1));
        case FunctionReference function ->
            throw new IllegalArgumentException(
                "there is no function " + function.toStringAST() + " in a key");
        case BeanReference bean -> requireBean(bean.toStringAST());
        case PropertyOrFieldReference property -> requireTarget(property, hasTarget);
        case MethodReference call -> requireTarget(call, hasTarget);
        default -> {}
      }
      boolean isElementBelow =
          isOfElement
              || node instanceof Projection
              || node instanceof Selection
              || node instanceof Indexer;
      for (int i = 0; i < node.getChildCount(); i++) {
        boolean isFollowing = node instanceof CompoundExpression && i > 0;
        visit(node.getChild(i), isElementBelow || isFollowing, isElementBelow);
      }
    }

    private void requireParameter(String name) {
      if (name.equals("this") || isPosition(name)) {
        return;
      }
      String[] names = NAMES.getParameterNames(method);
      if (names == null) {
        throw new IllegalArgumentException(
            "the names of the parameters are not known: compile with -parameters, or use #a0");
      }
      for (String each : names) {
        if (each.equals(name)) {
          return;
        }
      }
      throw new IllegalArgumentException(
          "the method has no parameter %s, only %s".formatted(name, String.join(", ", names)));
    }

    private boolean isPosition(String name) {
      for (int i = 0; i < method.getParameterCount(); i++) {
        if (name.equals("a" + i) || name.equals("p" + i)) {
          return true;
        }
      }
      return false;
    }

    private void requireBean(String reference) {
      String name = reference.replaceAll("[@&']", "");
      if (!beans.containsBean(name)) {
        throw new IllegalArgumentException("there is no bean " + name);
      }
    }

    private static void requireTarget(SpelNode node, boolean hasTarget) {
      if (!hasTarget) {
        throw new IllegalArgumentException(
            "%s is not a parameter; parameters begin with #".formatted(node.toStringAST()));
      }
    }
  }
}
