package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.json.JsonParserFactory;

/** The metadata of the properties, which editors use. */
final class ConfigurationMetadataTest {
  @Test
  void everyPropertyIsDescribed() throws IOException {
    Map<String, String> described = new TreeMap<>();
    for (Object property : (List<?>) metadata().get("properties")) {
      Map<?, ?> fields = (Map<?, ?>) property;
      described.put(
          (String) fields.get("name"),
          fields.containsKey("description") ? (String) fields.get("description") : "");
    }
    Set<String> known = new TreeSet<>();
    addNames("weir", WeirProperties.class, known);
    assertThat(described.keySet()).isEqualTo(known);
    assertThat(described)
        .allSatisfy((name, text) -> assertThat(text).as(name).matches("(?s)[A-Z].*\\."));
  }

  private static Map<String, Object> metadata() throws IOException {
    URL classes = WeirProperties.class.getProtectionDomain().getCodeSource().getLocation();
    URI file = URI.create(classes + "META-INF/spring-configuration-metadata.json");
    try (InputStream in = file.toURL().openStream()) {
      return JsonParserFactory.getJsonParser()
          .parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** The names of all properties, as they are written in a file. */
  private static void addNames(String prefix, Class<?> type, Set<String> names) {
    for (RecordComponent component : type.getRecordComponents()) {
      String name = prefix + "." + hyphenated(component.getName());
      if (component.getType().isRecord()) {
        addNames(name, component.getType(), names);
      } else {
        names.add(ConfigurationPropertyName.of(name).toString());
      }
    }
  }

  private static String hyphenated(String name) {
    return name.replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }
}
