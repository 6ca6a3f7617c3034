package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;

/**
 * A self-signed certificate of localhost.
 *
 * @param file the certificate, to be trusted
 * @param keys the certificate with its key
 */
record TestCertificate(Path file, KeyManagerFactory keys) {
  private static final String PASSWORD = "for-this-test";

  static TestCertificate create(Path folder) throws Exception {
    Path store = folder.resolve("store.p12");
    Path file = folder.resolve("cert.pem");
    keytool(
        "-genkeypair -keyalg EC -alias a -dname CN=localhost -ext san=dns:localhost -validity 2"
            + " -storetype PKCS12 -storepass %s -keystore %s".formatted(PASSWORD, store));
    keytool(
        "-exportcert -rfc -alias a -storepass %s -keystore %s -file %s"
            .formatted(PASSWORD, store, file));
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, PASSWORD.toCharArray());
    return new TestCertificate(file, factory);
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
