package dev.weir.server.http;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/** Header fields as an independent parser reads them. */
public final class StructuredFields {
  private StructuredFields() {}

  /** An item of a list: a string with parameters. */
  public record Item(String name, Map<String, Object> parameters) {}

  public static List<Item> read(String field) {
    List<Item> items = new ArrayList<>();
    for (ListElement<?> element : Parser.parseList(field).get()) {
      Map<String, Object> parameters = new LinkedHashMap<>();
      element.getParams().forEach((name, value) -> parameters.put(name, value(value.get())));
      items.add(new Item(((StringItem) element).get(), parameters));
    }
    return items;
  }

  private static Object value(Object value) {
    if (value instanceof ByteBuffer bytes) {
      return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
    return value instanceof Number number ? new BigDecimal(number.toString()) : value;
  }
}
