package dev.weir.node.capability;

import java.util.regex.Pattern;

/**
 * A page of the dashboard. Its script is the module {@code NAME.js} in the folder {@link #FOLDER}
 * of the capability's jar, and what only it uses lies in a folder of that name beside it.
 *
 * @param name in the address of the page, such as {@code payments} of {@code #/payments}
 * @param title in the navigation
 */
public record Page(String name, String title) {
  /** Where the scripts of pages are among the resources of a jar. */
  public static final String FOLDER = "dashboard-pages/";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z-]{0,29}");

  public Page {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("name must match %s, not %s".formatted(NAME, name));
    }
    if (title.isBlank()) {
      throw new IllegalArgumentException("title must not be blank");
    }
  }
}
