package dev.weir.spring.internal.methods;

import dev.weir.internal.LimitNames;
import dev.weir.rules.matching.KeyPart;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
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
    Check check = new Check(method, beans);
    check.visit(expression.getAST(), false, false);
    List<KeyOperand> operands = new ArrayList<>();
    check.addOperands(expression.getAST(), false, operands);
    operands.forEach(operand -> operand.requireText(method));
    return new KeyExpression(method, expression, resolver);
  }

  /**
   * Returns the key of a call with these arguments, fit for any store.
   *
   * @throws IllegalStateException if it cannot be evaluated, naming the method and the reason
   */
  String key(@Nullable Object[] arguments) {
    if (expression == null) {
      return KeyPart.ALL;
    }
    Object value = value(expression, arguments);
    requireText(expression, value);
    String key = value == null ? "" : value.toString().strip();
    if (key.isEmpty()) {
      return KeyPart.NONE;
    }
    String escaped = KeyPart.escaped(key);
    return LimitNames.problem(escaped).isEmpty() ? escaped : LimitNames.digest(escaped);
  }

  private @Nullable Object value(SpelExpression parsed, @Nullable Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(NO_ROOT, method, arguments, NAMES);
    context.setBeanResolver(beans);
    context.setTypeConverter(KeyConverter.INSTANCE);
    try {
      return parsed.getValue(context);
    } catch (EvaluationException e) {
      throw unusable(parsed, KeyConverter.cause(e));
    }
  }

  private void requireText(SpelExpression parsed, @Nullable Object value) {
    try {
      KeyText.require(value);
    } catch (IllegalArgumentException e) {
      throw unusable(parsed, e);
    }
  }

  private IllegalStateException unusable(SpelExpression parsed, RuntimeException cause) {
    return LimitedMethod.wrong(
        method,
        "its key \"%s\" cannot be evaluated: %s"
            .formatted(parsed.getExpressionString(), cause.getMessage()),
        cause);
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

    /**
     * Adds the parameters whose text surely becomes part of the key, to check their types. Other
     * values are checked when they are converted.
     *
     * @param isJoined whether the node is joined with others to a text
     */
    private void addOperands(SpelNode node, boolean isJoined, List<KeyOperand> operands) {
      switch (node) {
        case VariableReference variable -> {
          int index = index(variable.toStringAST().substring(1));
          if (index >= 0) {
            operands.add(new KeyOperand(index, isJoined));
          }
        }
        case OpPlus plus -> {
          for (int i = 0; i < plus.getChildCount(); i++) {
            addOperands(plus.getChild(i), true, operands);
          }
        }
        default -> {}
      }
    }

    /** Returns the position of a parameter; -1 if the variable is none. */
    private int index(String name) {
      for (int i = 0; i < method.getParameterCount(); i++) {
        if (name.equals("a" + i) || name.equals("p" + i)) {
          return i;
        }
      }
      String[] names = NAMES.getParameterNames(method);
      return names == null ? -1 : List.of(names).indexOf(name);
    }

    private void requireParameter(String name) {
      if (name.equals("this") || index(name) >= 0) {
        return;
      }
      String[] names = NAMES.getParameterNames(method);
      if (names == null) {
        throw new IllegalArgumentException(
            "the names of the parameters are not known: compile with -parameters, or use #a0");
      }
      throw new IllegalArgumentException(
          "the method has no parameter %s, only %s".formatted(name, String.join(", ", names)));
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
