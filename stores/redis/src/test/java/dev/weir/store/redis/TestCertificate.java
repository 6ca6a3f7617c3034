package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A self-signed certificate and its key, as files that Redis reads.
 *
 * @param certificate also the file for clients that trust it
 */
record TestCertificate(Path certificate, Path key) {
  private static final String PASSWORD = "for-this-test";

  /** A certificate for 127.0.0.1 that tests share, because creating one takes a while. */
  static TestCertificate ofLoopback() {
    return Loopback.CERTIFICATE;
  }

  /** Another certificate for 127.0.0.1, which tests share as well. */
  static TestCertificate anotherOfLoopback() {
    return AnotherOfLoopback.CERTIFICATE;
  }

  /** A certificate for another host, which tests share as well. */
  static TestCertificate ofAnotherHost() {
    return OfAnotherHost.CERTIFICATE;
  }

  /**
   * @param name its subject, for example {@code ip:127.0.0.1} or {@code dns:localhost}
   */
  static TestCertificate create(Path folder, String name) throws Exception {
    Path store = folder.resolve("store.p12");
    keytool(
        "-genkeypair -keyalg EC -alias a -dname CN=test -ext san=%s -validity 2 -storetype PKCS12"
                .formatted(name)
            + " -storepass %s -keystore %s".formatted(PASSWORD, store));
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    byte[] certificate = keys.getCertificate("a").getEncoded();
    byte[] key = keys.getKey("a", PASSWORD.toCharArray()).getEncoded();
    return new TestCertificate(
        Files.writeString(folder.resolve("certificate.pem"), pem("CERTIFICATE", certificate)),
        Files.writeString(folder.resolve("key.pem"), pem("PRIVATE KEY", key)));
  }

  private static final class Loopback {
    static final TestCertificate CERTIFICATE = createUntilTheEnd("ip:127.0.0.1");
  }

  private static final class AnotherOfLoopback {
    static final TestCertificate CERTIFICATE = createUntilTheEnd("ip:127.0.0.1");
  }

  private static final class OfAnotherHost {
    static final TestCertificate CERTIFICATE = createUntilTheEnd("dns:elsewhere");
  }

  /** Its files are removed at the end of the process. */
  private static TestCertificate createUntilTheEnd(String name) {
    try {
      Path folder = Files.createTempDirectory("weir-certificate-");
      folder.toFile().deleteOnExit();
      TestCertificate made = create(folder, name);
      for (Path file : List.of(folder.resolve("store.p12"), made.certificate(), made.key())) {
        file.toFile().deleteOnExit();
      }
      return made;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String what, byte[] bytes) {
    String lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, lines, what);
  }

  private static void keytool(String arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    // A JVM for a moment: with its usual compilers and collector it takes twice the processor time.
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments.split(" ")));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }
}
