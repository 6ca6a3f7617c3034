import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;

/**
 * An agent for Maven that puts Error Prone on the class path on which javac looks first.
 *
 * <p>javac makes a class loader for each compilation, so that the classes of its plugins are loaded
 * and compiled anew each time. Here all compilations of a process share them.
 */
public final class SharedClasses {
  private SharedClasses() {}

  /** Adds the jars of the class path in the file of this name. */
  public static void premain(String file, Instrumentation process) throws IOException {
    for (String jar : Files.readString(Path.of(file)).strip().split(File.pathSeparator)) {
      process.appendToSystemClassLoaderSearch(new JarFile(jar));
    }
  }
}
