package dev.weir.spring.autoconfigure;

import dev.weir.spring.WeirProperties;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Rejects unknown environment variables that begin with {@code WEIR_}. Spring Boot rejects unknown
 * properties of files only; a variable that is misspelt would silently not apply.
 *
 * <p>Kubernetes gives every container variables about services, named after them: with a service
 * {@code weir}, {@code WEIR_SERVICE_HOST} and {@code WEIR_PORT=tcp://10.0.0.1:8080}. They are
 * recognized by their form and ignored.
 */
final class EnvironmentVariables {
  private static final String PREFIX = "WEIR_";

  /** Variables of the Weir server's launcher, commands and tests. */
  private static final Pattern OTHERS =
      Pattern.compile("WEIR_(SETTINGS|JAVA_OPTS|URL|TOKEN|ORACLE_URL|TEST_.*)");

  private static final Pattern SERVICE_NAME =
      Pattern.compile(
          "WEIR_([A-Z0-9_]+_)?"
              + "(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

  private static final Pattern POSITION = Pattern.compile("_([0-9]{1,9})(?=_|$)");

  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  private EnvironmentVariables() {}

  /**
   * Checks the variables of the process. The value of an unknown one is not repeated: it may be a
   * secret.
   *
   * @throws WrongSecretException naming the first unknown variable
   */
  static void requireKnown(ConfigurableEnvironment environment) {
    if (!(environment
            .getPropertySources()
            .get(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
        instanceof EnumerablePropertySource<?> variables)) {
      return;
    }
    Set<String> given = new TreeSet<>();
    for (String name : variables.getPropertyNames()) {
      if (name.startsWith(PREFIX) && !isOfOthers(name, variables.getProperty(name))) {
        given.add(name);
      }
    }
    if (given.isEmpty()) {
      return;
    }
    Set<String> known = known(environment);
    for (String name : given) {
      if (!known.contains(uniform(name))) {
        throw new WrongSecretException(
            name, "There is no such property of Weir. Use another prefix for other variables.");
      }
      requirePrevious(name, given);
    }
  }

  private static boolean isOfOthers(String name, @Nullable Object value) {
    return OTHERS.matcher(name).matches()
        || SERVICE_NAME.matcher(name).matches()
        || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(String.valueOf(value)).matches());
  }

  /** Returns the variables of all properties that Spring Boot looks for, in uniform spelling. */
  private static Set<String> known(ConfigurableEnvironment environment) {
    Set<String> known = new HashSet<>();
    BindHandler names =
        new BindHandler() {
          @Override
          public <T> Bindable<T> onStart(
              ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            String text = name.toString().toUpperCase(Locale.ROOT).replaceAll("[.\\[\\]]+", "_");
            // Spring Boot accepts both, weir.trusted-proxies as WEIR_TRUSTEDPROXIES as well.
            known.add(uniform(text.replace("-", "")));
            known.add(uniform(text.replace('-', '_')));
            return target;
          }
        };
    Binder.get(environment).bind("weir", Bindable.of(WeirProperties.class), names);
    return known;
  }

  /**
   * Checks that all elements of a list before this one are given. Spring Boot would ignore this one
   * otherwise.
   */
  private static void requirePrevious(String name, Set<String> given) {
    Matcher position = POSITION.matcher(name);
    while (position.find()) {
      long previous = Long.parseLong(position.group(1)) - 1;
      String begin = plain(name.substring(0, position.start())) + '_' + previous;
      if (previous >= 0
          && given.stream()
              .map(EnvironmentVariables::plain)
              .noneMatch(other -> other.equals(begin) || other.startsWith(begin + '_'))) {
        throw new WrongSecretException(
            name, "It is ignored without position %d of the same list.".formatted(previous));
      }
    }
  }

  /** Returns the name of a variable without underscores but those around positions. */
  private static String plain(String name) {
    return name.replaceAll("_+$", "").replaceAll("(?<![0-9])_(?![0-9]+(_|$))", "");
  }

  /** Returns the name of a variable with 0 for every position in a list. */
  private static String uniform(String name) {
    return name.replaceAll("_+$", "").replaceAll("_[0-9]+(?=_|$)", "_0");
  }
}
