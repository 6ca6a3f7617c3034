package dev.weir.http.connections;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ListenerSettingsTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @CsvSource({
    "4096, 1048576, 20000",
    "512, 1048576, 8192",
    "8, 1048576, 256",
    "512, 1024, 153",
    "512, 300, 8",
    "512, 64, 1",
  })
  void maxFollowsHeapAndDescriptors(long heapMib, long descriptors, int max) {
    assertThat(ListenerSettings.Connections.defaultMax(heapMib * MIB, descriptors)).isEqualTo(max);
  }

  /** Otherwise the port that accepts last could not even refuse. */
  @ParameterizedTest
  @CsvSource({"512, 1024", "512, 4096", "8192, 65536"})
  void threePortsAndUpstreamsLeaveDescriptors(long heapMib, long descriptors) {
    int max = ListenerSettings.Connections.defaultMax(heapMib * MIB, descriptors);
    assertThat(4L * max + 256).isLessThan(descriptors);
  }
}
