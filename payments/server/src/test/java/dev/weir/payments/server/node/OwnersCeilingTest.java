package dev.weir.payments.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartOwnership;
import dev.weir.payments.workflows.Ceiling;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class OwnersCeilingTest {
  private final AtomicBoolean isOwner = new AtomicBoolean(true);
  private final AtomicLong nanos = new AtomicLong();
  private final Ceiling ceiling =
      new OwnersCeiling(ownership(), paymentId -> new OpenPermit(), nanos::get);

  private PartOwnership ownership() {
    return new PartOwnership() {
      @Override
      public boolean acquire() {
        return isOwner.get();
      }

      @Override
      public boolean isOwner() {
        return isOwner.get();
      }

      @Override
      public String owner() {
        return "";
      }

      @Override
      public void close() {}
    };
  }

  private record OpenPermit() implements Ceiling.Permit {
    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public void answered(boolean isDecided) {}

    @Override
    public void unanswered(CompletableFuture<Boolean> end) {}

    @Override
    public void unused() {}
  }

  @Test
  void nodeThatIsNotTheOwnerMakesNoCall() {
    assertThat(ceiling.enter("p")).isInstanceOf(Ceiling.Permit.class);
    isOwner.set(false);
    assertThat(ceiling.enter("p")).isInstanceOf(Ceiling.Wait.class);
  }

  @Test
  void permitOfANodeThatWasSuspendedIsInvalidIfAnotherNodeIsTheOwner() {
    Ceiling.Permit permit = (Ceiling.Permit) ceiling.enter("p");
    assertThat(permit.isValid()).isTrue();
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
    assertThat(permit.isValid()).isTrue();
    isOwner.set(false);
    assertThat(permit.isValid()).isFalse();
  }
}
