package dev.weir.node.settings;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Settings from environment variables. An unknown variable that starts with {@code WEIR_} stops the
 * start: it is probably misspelt, and its setting would silently not apply.
 *
 * <p>Kubernetes gives every container variables about services, named after them: with a service
 * {@code weir}, {@code WEIR_SERVICE_HOST} and {@code WEIR_PORT=tcp://10.0.0.1:8080}. They are
 * recognised by their form and ignored.
 */
final class Environment {
  /** Variables that the launcher, commands or tests read, not a node. */
  private static final Set<String> OTHERS =
      Set.of(
          "WEIR_SETTINGS",
          "WEIR_JAVA_OPTS",
          "WEIR_URL",
          "WEIR_TOKEN",
          "WEIR_OLD_DB_PASSWORD",
          "WEIR_ORACLE_URL");

  private static final String OF_TESTS = "WEIR_TEST_";

  private static final Pattern SERVICE_NAME =
      Pattern.compile(
          "WEIR_([A-Z0-9_]+_)?"
              + "(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
              + "|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  private final List<Setting> known;

  /**
   * Creates the reader of an environment.
   *
   * @param known all settings that there are
   */
  Environment(List<Setting> known) {
    this.known = known;
  }

  /**
   * Returns the settings in these variables.
   *
   * @throws InvalidSettingException naming the first unknown variable
   */
  Map<Setting, String> read(Map<String, String> variables) {
    Map<Setting, String> values = new HashMap<>();
    // Sorted, so that with several unknown variables the message always names the same one.
    new TreeMap<>(variables)
        .forEach(
            (name, value) -> {
              if (name.startsWith(Setting.PREFIX)
                  && !value.isBlank()
                  && !isOfKubernetes(name, value)) {
                setting(name).ifPresent(setting -> values.put(setting, value));
              }
            });
    return values;
  }

  private Optional<Setting> setting(String variable) {
    Optional<Setting> found =
        known.stream().filter(setting -> setting.variable().equals(variable)).findFirst();
    if (found.isEmpty() && !OTHERS.contains(variable) && !variable.startsWith(OF_TESTS)) {
      throw new InvalidSettingException(
          "the variable " + variable,
          "is not known" + suggestion(variable, known.stream().map(Setting::variable)));
    }
    return found;
  }

  private static boolean isOfKubernetes(String name, String value) {
    return SERVICE_NAME.matcher(name).matches()
        || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches());
  }

  /** Returns a hint that names the known name nearest to an unknown one. */
  static String suggestion(String unknown, Stream<String> known) {
    return known
        .min(Comparator.comparingInt(name -> distance(unknown, name)))
        .map(nearest -> "; did you mean " + nearest + "? './weir settings' lists all")
        .orElse("");
  }

  /** Returns the number of characters to add, remove or replace to turn one text into the other. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
