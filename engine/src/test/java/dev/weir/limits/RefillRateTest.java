package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RefillRateTest {
  @Test
  void returnsTheRateItWasGiven() {
    for (String rate : List.of("10", "0.1", "1000000000000", "0.000001", "1E+3", "333.3333", "7")) {
      assertThat(TokenBucket.perSecond(100, new BigDecimal(rate)).perSecond())
          .isEqualByComparingTo(rate);
    }
  }

  @Test
  void isRefusedAtConstructionIfItCannotBeCounted() {
    for (String rate :
        List.of("0", "-1", "1E-13", "1E-999999999", "0E-999999999", "1E+13", "9E+999999999")) {
      assertThatThrownBy(() -> TokenBucket.perSecond(100, new BigDecimal(rate)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("refillRate")
          .hasMessageContaining(rate);
    }
  }
}
