package dev.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spring.WeirProperties;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A misspelt environment variable stops the start, and is named. */
final class EnvironmentVariablesTest {
  private static StandardEnvironment environment(Map<String, Object> variables) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    return environment;
  }

  private static void refuses(String variable, String... others) {
    Map<String, Object> variables = new HashMap<>();
    variables.put(variable, "1");
    for (String other : others) {
      variables.put(other, "1");
    }
    assertThatThrownBy(() -> EnvironmentVariables.requireKnown(environment(variables)))
        .as(variable)
        .isInstanceOf(WrongSecretException.class)
        .hasMessageContaining(variable)
        .hasMessageContaining("There is no such property of Weir");
  }

  @Test
  void unknownVariablesAreNamed() {
    refuses("WEIR_TRUSTED_PROXYS");
    refuses("WEIR_REDDIS_URI");
    refuses("WEIR_REDIS_URII");
    refuses("WEIR_REDIS_URII", "WEIR_REDIS_URI");
    refuses("WEIR_RULES_0_ALOWEDREQUESTS", "WEIR_RULES_0_ALLOWEDREQUESTS");
    refuses("WEIR_RULES_0_NAMES_0", "WEIR_RULES_0_NAME");
    refuses("WEIR_PORT");
  }

  /** Spring Boot ignores all elements of a list after one that is missing. */
  @Test
  void elementsAfterAMissingOneAreNamed() {
    for (List<String> names :
        List.of(
            List.of("WEIR_TRUSTED_PROXIES_1"),
            List.of("WEIR_TRUSTED_PROXIES_2", "WEIR_TRUSTED_PROXIES_0"))) {
      Map<String, Object> variables = new HashMap<>();
      names.forEach(name -> variables.put(name, "1"));
      assertThatThrownBy(() -> EnvironmentVariables.requireKnown(environment(variables)))
          .isInstanceOf(WrongSecretException.class)
          .hasMessageContaining(names.getFirst())
          .hasMessageContaining("of the same list");
    }
    Map<String, Object> whole = new HashMap<>();
    whole.put("WEIR_TRUSTED_PROXIES_0", "10.0.0.1");
    whole.put("WEIR_TRUSTEDPROXIES_1_", "10.0.0.2");
    assertThatCode(() -> EnvironmentVariables.requireKnown(environment(whole)))
        .doesNotThrowAnyException();
  }

  @Test
  void aServiceWithAnUnknownVariableDoesNotStart() {
    StandardEnvironment environment = environment(Map.of("WEIR_NODEZ", "3"));
    assertThatThrownBy(() -> Service.startAndStop(environment))
        .hasRootCauseInstanceOf(WrongSecretException.class)
        .hasStackTraceContaining("WEIR_NODEZ");
    Service.startAndStop(environment(Map.of("WEIR_NODES", "3")));
  }

  @Test
  void variablesOfPropertiesAreKnownAndApply() {
    Map<String, Object> variables = new HashMap<>();
    variables.put("WEIR_TRUSTED_PROXIES", "10.0.0.1");
    variables.put("WEIR_REMOTE_ONFAILURE", "open");
    variables.put("WEIR_REMOTE_HEADERS_0", "X-Tenant");
    variables.put("WEIR_SERVLET_ASYNCQUEUE", "true");
    variables.put("WEIR_RULES_0_NAME", "a");
    variables.put("WEIR_RULES_0_KEYBY_0_", "ip");
    variables.put("WEIR_RULES_1_NAME", "b");
    variables.put("WEIR_RULES_1_ALLOWED_REQUESTS", "7");
    StandardEnvironment environment = environment(variables);
    assertThatCode(() -> EnvironmentVariables.requireKnown(environment)).doesNotThrowAnyException();
    WeirProperties read = Binder.get(environment).bind("weir", WeirProperties.class).get();
    assertThat(read.trustedProxies()).containsExactly("10.0.0.1");
    assertThat(read.remote().onFailure()).isEqualTo(WeirProperties.OnFailure.OPEN);
    assertThat(read.remote().headers()).containsExactly("X-Tenant");
    assertThat(read.servlet().asyncQueue()).isTrue();
    assertThat(read.rules().get(0).keyBy()).containsExactly("ip");
    assertThat(read.rules().get(1).allowedRequests()).isEqualTo(7);
  }

  @Test
  void variablesOfOthersAreIgnored() {
    Map<String, Object> variables = new HashMap<>();
    variables.put("WEIR_SERVICE_HOST", "10.0.0.1");
    variables.put("WEIR_SERVICE_PORT_HTTP", "8080");
    variables.put("WEIR_PORT", "tcp://10.0.0.1:8080");
    variables.put("WEIR_PORT_8080_TCP_ADDR", "10.0.0.1");
    variables.put("WEIR_REDIS_SERVICE_HOST", "10.0.0.2");
    variables.put("WEIR_REDIS_PORT", "tcp://10.0.0.2:6379");
    variables.put("WEIR_JAVA_OPTS", "-Xmx1g");
    variables.put("WEIRD", "yes");
    assertThatCode(() -> EnvironmentVariables.requireKnown(environment(variables)))
        .doesNotThrowAnyException();
  }
}
