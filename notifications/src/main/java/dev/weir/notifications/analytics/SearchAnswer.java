package dev.weir.notifications.analytics;

import java.util.List;
import java.util.Optional;

/**
 * A part of an answer to a search: the aggregations, one of them, or one of its buckets. What is
 * missing or of another type is not taken for nothing: every method throws {@link
 * OpenSearchException}, because then something else than OpenSearch may have answered.
 */
final class SearchAnswer {
  /** No shard was asked, because there is no index yet; then there are no aggregations either. */
  private static final SearchAnswer OF_NO_INDEX = new SearchAnswer("", JsonTree.NOTHING, true);

  private final String search;
  private final JsonTree tree;
  private final boolean isOfNoIndex;

  private SearchAnswer(String search, JsonTree tree, boolean isOfNoIndex) {
    this.search = search;
    this.tree = tree;
    this.isOfNoIndex = isOfNoIndex;
  }

  /** Returns the aggregations of a complete answer. */
  static SearchAnswer of(OpenSearch search, JsonTree answer) {
    SearchAnswer whole = new SearchAnswer(search.toString(), answer, false);
    long failed = whole.at("_shards").number("failed");
    if (answer.at("timed_out").isTrue() || failed > 0) {
      throw new OpenSearchException(search + " has only a part of the answer");
    }
    return whole.at("_shards").number("total") == 0 ? OF_NO_INDEX : whole.at("aggregations");
  }

  /** Returns a field that is an object. */
  SearchAnswer at(String field) {
    if (isOfNoIndex) {
      return this;
    }
    JsonTree found = tree.at(field);
    if (!found.isObject()) {
      throw unexpected(field);
    }
    return new SearchAnswer(search, found, false);
  }

  List<SearchAnswer> buckets() {
    if (isOfNoIndex) {
      return List.of();
    }
    JsonTree buckets = tree.at("buckets");
    if (!buckets.isList()) {
      throw unexpected("buckets");
    }
    return buckets.items().stream().map(each -> new SearchAnswer(search, each, false)).toList();
  }

  long key() {
    return number("key");
  }

  long count() {
    return number("doc_count");
  }

  /** Returns the value of an aggregation with one value. */
  long value(String name) {
    return at(name).number("value");
  }

  /** Returns the number by which counts may be too low, of an aggregation by terms. */
  long maxError() {
    return isOfNoIndex ? 0 : number("doc_count_error_upper_bound");
  }

  /** Returns which of the windows that follow each other this bucket is. */
  int index(long begin, long windowMillis, int windows) {
    long index = Math.floorDiv(key() - begin, windowMillis);
    if (index < 0 || index >= windows) {
      throw unexpected("key");
    }
    return (int) index;
  }

  private long number(String field) {
    Optional<Long> number = tree.at(field).number();
    return number.orElseThrow(() -> unexpected(field));
  }

  private OpenSearchException unexpected(String field) {
    return OpenSearchException.unexpected(
        "%s answers with something other than it was asked, see %s".formatted(search, field));
  }
}
