package dev.weir.node.stores;

import dev.weir.store.jdbc.internal.ChangeListener;
import java.util.function.Consumer;

/**
 * A listener to changes that other nodes make.
 *
 * @param one is called with what has changed
 * @param all is called if anything may have changed
 */
public record OnChange(Consumer<String> one, Runnable all) implements ChangeListener.Listener {
  @Override
  public void changed(String name) {
    one.accept(name);
  }

  @Override
  public void allChanged() {
    all.run();
  }
}
