package dev.weir.payments.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class IdempotencyKeyTest {

  @Test
  void decodesWhatAFieldCannotContain() {
    assertThat(IdempotencyKey.paymentId("pay-1.A_b~")).contains("pay-1.A_b~");
    assertThat(IdempotencyKey.paymentId("a%20b%25%C3%bc%0D%0A")).contains("a b%ü\r\n");
  }

  @Test
  void refusesWhatIsNotEncoded() {
    for (String field : new String[] {"%", "%4", "a%G0", "%FF", "a b", "ü", "\"a\"", "%C3"}) {
      assertThat(IdempotencyKey.paymentId(field)).as(field).isEmpty();
    }
  }

  @Property
  void readsBackEveryId(@ForAll("ids") String id) {
    StringBuilder field = new StringBuilder();
    for (byte unit : id.getBytes(StandardCharsets.UTF_8)) {
      field.append('%').append(HexFormat.of().toHexDigits(unit));
    }
    assertThat(IdempotencyKey.paymentId(field.toString())).contains(id);
  }

  @Provide
  Arbitrary<String> ids() {
    return Arbitraries.strings().all().ofMaxLength(30).filter(IdempotencyKeyTest::isText);
  }

  private static boolean isText(String id) {
    return id.codePoints()
        .noneMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
  }
}
