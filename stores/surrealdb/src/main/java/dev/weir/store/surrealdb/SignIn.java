package dev.weir.store.surrealdb;

/** The body of a request to sign in: JSON, as SurrealDB's endpoint for it has no other format. */
final class SignIn {
  private SignIn() {}

  static String body(SurrealDbSettings settings, SurrealDbSettings.User user) {
    StringBuilder json = new StringBuilder("{");
    switch (user.level()) {
      case ROOT -> {}
      case NAMESPACE -> member(json, "ns", settings.namespace());
      case DATABASE -> {
        member(json, "ns", settings.namespace());
        member(json, "db", settings.database());
      }
    }
    member(json, "user", user.name());
    member(json, "pass", user.password());
    return json.append('}').toString();
  }

  private static void member(StringBuilder json, String name, String value) {
    if (json.length() > 1) {
      json.append(',');
    }
    text(json, name);
    json.append(':');
    text(json, value);
  }

  private static void text(StringBuilder json, String value) {
    json.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
