package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.jdbc.internal.UserChange;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JdbcUserLimitsTest {
  private final Database database = Database.get();

  @Test
  void everyNodeHearsOfAChangeAndItsVersion() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    ChangeListener.Listener listener =
        new ChangeListener.Listener() {
          @Override
          public void changed(String name) {
            heard.add(name);
          }

          @Override
          public void allChanged() {}
        };
    long user = Letters.newUser();
    JdbcUserLimits limits = new JdbcUserLimits(database.otherPool());
    try (ChangeListener listening =
        new ChangeListener(database.pool(), Map.of(Channel.NOTIFICATION_USER, listener))) {
      assertThat(listening.awaitListening(Database.MAX_WAIT)).isTrue();
      limits.configure(UserLimit.of(user, 1, Duration.ofMinutes(1)));
      UserState changed = limits.configure(UserLimit.of(user, 2, Duration.ofMinutes(1)));

      assertThat(UserChange.parse(heard.poll(Database.MAX_WAIT.toSeconds(), TimeUnit.SECONDS)))
          .contains(new UserChange(user, changed.version() - 1));
      assertThat(UserChange.parse(heard.poll(Database.MAX_WAIT.toSeconds(), TimeUnit.SECONDS)))
          .contains(new UserChange(user, changed.version()));
    }
  }

  @Test
  void textThatIsNoChangeIsIgnored() {
    for (String text : new String[] {"", "*", ":", "1", "1:", ":1", "a:1", "1:2:3"}) {
      assertThat(UserChange.parse(text)).as(text).isEqualTo(Optional.empty());
    }
  }
}
