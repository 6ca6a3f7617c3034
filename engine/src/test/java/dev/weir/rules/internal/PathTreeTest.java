package dev.weir.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.RequestPath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The tree finds the same as checking every pattern. */
final class PathTreeTest {
  @Property
  void findsWhatLookingAtAllFinds(
      @ForAll("patterns") List<String> patterns, @ForAll("paths") String path) {
    PathTree<String> tree = new PathTree<>();
    Set<String> distinct = new HashSet<>(patterns);
    distinct.forEach(pattern -> tree.add(PathPattern.of(pattern), pattern));
    List<String> found = new ArrayList<>();
    tree.find(RequestPath.of(path), found::add);

    assertThat(found)
        .containsExactlyInAnyOrderElementsOf(
            distinct.stream().filter(pattern -> path.matches(regex(pattern))).toList());
  }

  /** An independent implementation. */
  private static String regex(String pattern) {
    String bare = pattern.equals("/") ? "" : pattern;
    return bare.replace("/**", "~").replace("*", "[^/]+").replace("~", "(/[^/]+)*") + "/?";
  }

  @Provide
  Arbitrary<List<String>> patterns() {
    Arbitrary<String> segment = Arbitraries.of("a", "b", "*");
    return segment
        .list()
        .ofMaxSize(4)
        .flatMap(
            segments ->
                Arbitraries.of("", "/**")
                    .map(
                        end -> {
                          String start =
                              String.join("", segments.stream().map(s -> "/" + s).toList());
                          return (start + end).isEmpty() ? "/" : start + end;
                        }))
        .list()
        .ofMaxSize(12);
  }

  @Provide
  Arbitrary<String> paths() {
    return Arbitraries.of("a", "b", "c")
        .list()
        .ofMaxSize(5)
        .map(segments -> "/" + String.join("/", segments));
  }

  /** A look-up among ten thousand patterns visits as few branches as among ten. */
  @Test
  void looksAtNoMoreBranchesWhenThereAreMoreRules() {
    assertThat(lookedAt(10_000)).isEqualTo(lookedAt(10));
  }

  private static int lookedAt(int rules) {
    PathTree<Integer> tree = new PathTree<>();
    for (int i = 0; i < rules; i++) {
      tree.add(PathPattern.of("/api/v1/things" + i + "/*/parts/**"), i);
    }
    List<Integer> found = new ArrayList<>();
    int looked = tree.find(RequestPath.of("/api/v1/things7/x/parts/y"), found::add);
    assertThat(found).containsExactly(7);
    return looked;
  }
}
