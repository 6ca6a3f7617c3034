package dev.weir.notifications.analytics;

import org.junit.jupiter.api.Nested;

/** All that needs a real OpenSearch, in one process: its start takes longer than the rest. */
final class RealOpenSearchTest {
  @Nested
  final class OfTheIndexer extends IndexerClaims {}

  @Nested
  final class OfTheAnalytics extends AnalyticsClaims {}
}
