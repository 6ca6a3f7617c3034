package dev.weir.notifications.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.messages.SendRequest.WhenClosed;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class StorableTextTest {
  private static final List<String> UNSTORABLE =
      List.of(
          "\u0000", "a\u0000", "\ud83d", "\ude80", "\ude80\ud83d", "\ud83d\ud83d\ude80", "a\ud83d");

  @Test
  void textThatCannotBeStoredIsRefused() {
    for (String text : UNSTORABLE) {
      assertThatThrownBy(() -> new Message(UUID.randomUUID(), 1, text, 1))
          .as("%s", (Object) text.chars().boxed().toList())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("text");
      Message message = new Message(UUID.randomUUID(), 1, "Hello", 1);
      assertThatThrownBy(() -> new SendRequest(message, Optional.of(text), WhenClosed.REFUSE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("idempotencyKey");
    }
  }

  @Property
  void textIsStorableOnlyIfItSurvivesUtf8(@ForAll String text) {
    boolean survives =
        new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(text)
            && text.indexOf('\u0000') < 0;
    boolean isStorable;
    try {
      StorableText.require("text", text);
      isStorable = true;
    } catch (IllegalArgumentException e) {
      isStorable = false;
    }
    assertThat(isStorable).isEqualTo(survives);
  }

  @Property
  void replacedTextIsStorable(@ForAll String text) {
    String replaced = StorableText.replaced(text, 20);
    StorableText.require("replaced", replaced);
    assertThat(replaced).hasSize(Math.min(20, text.length()));
  }
}
