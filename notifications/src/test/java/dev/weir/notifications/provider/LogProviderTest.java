package dev.weir.notifications.provider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class LogProviderTest {
  @Test
  void writesOneLineForEachMessage() {
    List<String> lines = new ArrayList<>();
    LogProvider provider = new LogProvider(lines::add);
    assertThat(provider.send(new Message(UUID.randomUUID(), 101, "Hello: ö€😀", 1)))
        .isEqualTo(ProviderResult.Taken.WITHOUT_ID);
    assertThat(provider.send(new Message(UUID.randomUUID(), 7, "a\nSMS Sent: 8: b\u2028c", 1)))
        .isEqualTo(ProviderResult.Taken.WITHOUT_ID);
    assertThat(lines)
        .containsExactly(
            "SMS Sent: 101: Hello: ö€😀", "SMS Sent: 7: a\\u000ASMS Sent: 8: b\\u2028c");
  }
}
