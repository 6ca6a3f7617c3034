package dev.weir.notifications.analytics;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What OpenSearch did with some documents.
 *
 * @param indexed the number of new documents
 * @param duplicates the number of documents that it had before
 * @param retry documents that it did not take now, but may take later
 * @param rejected documents that it will never take
 * @param reasons the kinds of errors of rejected ones
 */
record BulkResult(
    int indexed,
    int duplicates,
    List<EventDocument> retry,
    List<EventDocument> rejected,
    Set<String> reasons) {
  private static final int CONFLICT = 409;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int FIRST_SERVER_ERROR = 500;
  private static final int DOCUMENT_BYTES = 500;

  /**
   * Sends documents in one request.
   *
   * @throws OpenSearchException if the request fails as a whole
   */
  static BulkResult of(OpenSearch search, List<EventDocument> documents) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream(documents.size() * DOCUMENT_BYTES);
    documents.forEach(document -> document.writeTo(lines));
    List<JsonTree> items = search.bulk(lines.toByteArray()).at("items").items();
    if (items.size() != documents.size()) {
      throw new OpenSearchException(
          "%s answers for %d of %d documents".formatted(search, items.size(), documents.size()));
    }
    int indexed = 0;
    int duplicates = 0;
    List<EventDocument> retry = new ArrayList<>();
    List<EventDocument> rejected = new ArrayList<>();
    Set<String> reasons = new TreeSet<>();
    for (int i = 0; i < items.size(); i++) {
      JsonTree item = items.get(i).at("create");
      long status = item.at("status").number().orElse((long) FIRST_SERVER_ERROR);
      if (status / 100 == 2) {
        indexed++;
      } else if (status == CONFLICT) {
        duplicates++;
      } else if (status == TOO_MANY_REQUESTS || status >= FIRST_SERVER_ERROR) {
        retry.add(documents.get(i));
      } else {
        rejected.add(documents.get(i));
        reasons.add(item.at("error").at("type").text().orElse("status " + status));
      }
    }
    return new BulkResult(indexed, duplicates, retry, rejected, reasons);
  }
}
