package dev.weir.server.dashboard;

import dev.weir.node.capability.Page;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of the dashboard, and of the pages that capabilities have added to this node. The files
 * of a page that was not added do not exist, although its jar may be there. Thread-safe.
 */
public final class PageFiles {
  private static final String OWN = "dashboard/";
  private static final String PAGES = "pages/";

  private final List<Page> added;

  /** The files that were requested; there are only as many as the program contains. */
  private final Map<String, PageFile> requested = new ConcurrentHashMap<>();

  /**
   * Creates the files of a node.
   *
   * @param added the pages of capabilities
   */
  public PageFiles(List<Page> added) {
    this.added = List.copyOf(added);
  }

  /** Returns a file; empty if there is none of that name. */
  Optional<PageFile> find(String name) {
    PageFile known = requested.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<PageFile> found = PageFile.read(name, resource(name));
    found.ifPresent(file -> requested.putIfAbsent(name, file));
    return found;
  }

  private String resource(String name) {
    return added.stream().anyMatch(page -> isOf(page, name))
        ? Page.FOLDER + name.substring(PAGES.length())
        : OWN + name;
  }

  private static boolean isOf(Page page, String name) {
    String script = PAGES + page.name();
    return name.equals(script + ".js") || name.startsWith(script + "/");
  }
}
