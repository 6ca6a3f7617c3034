package dev.weir.torture.mutants;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * Puts the classes of mutants in the place of those of nodes that run, one mutant after the other.
 * That is possible if a mutant only changes what methods do.
 */
public final class Swap {
  private static final String CLASS = ".class";

  private final Path agent;
  private final Path nothing;

  /**
   * @param folder for its files
   */
  public Swap(Path folder) throws IOException {
    this.agent = folder.resolve("agent.jar");
    this.nothing = Files.createDirectories(folder.resolve("nothing"));
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Agent-Class", SwapAgent.class.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    String name = SwapAgent.class.getName().replace('.', '/') + CLASS;
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(agent), manifest);
        InputStream bytes =
            Objects.requireNonNull(SwapAgent.class.getClassLoader().getResourceAsStream(name))) {
      jar.putNextEntry(new JarEntry(name));
      bytes.transferTo(jar);
    }
  }

  /** Returns true if there are only classes, and each is one that the program has. */
  public static boolean isPossible(Path classes) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> classes.relativize(file).toString())
          .allMatch(
              file ->
                  file.endsWith(CLASS) && Swap.class.getClassLoader().getResource(file) != null);
    }
  }

  /**
   * Puts the classes of a folder in place.
   *
   * @param pids of the nodes
   * @return false if they change more than what methods do; then nothing is in place
   */
  public boolean in(List<Long> pids, Path classes) throws IOException {
    try {
      load(pids, classes);
      return true;
    } catch (AgentInitializationException e) {
      out(pids);
      return false;
    }
  }

  /** Puts the program's own classes back. */
  public void out(List<Long> pids) throws IOException {
    try {
      load(pids, nothing);
    } catch (AgentInitializationException e) {
      throw new IOException("the program's own classes do not fit", e);
    }
  }

  private void load(List<Long> pids, Path classes)
      throws IOException, AgentInitializationException {
    for (long pid : pids) {
      try {
        VirtualMachine node = VirtualMachine.attach(Long.toString(pid));
        try {
          node.loadAgent(agent.toString(), classes.toString());
        } finally {
          node.detach();
        }
      } catch (AttachNotSupportedException | AgentLoadException e) {
        throw new IOException("node with process id " + pid, e);
      }
    }
  }
}
