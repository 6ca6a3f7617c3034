package dev.weir.node.cli;

import dev.weir.client.Problem;
import dev.weir.client.ProblemException;
import dev.weir.client.Retries;
import dev.weir.client.UnansweredException;
import dev.weir.client.WeirClient;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the server that a command uses, with the handling of its failures. */
public final class ServerOptions {
  public static final int OK = 0;
  public static final int REFUSED = 1;
  public static final int USAGE = 2;
  public static final int UNREACHABLE = 3;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:WEIR_URL:-http://127.0.0.1:8080}",
      description = "the server (or WEIR_URL; default: http://127.0.0.1:8080)")
  private String url = "";

  @Option(
      names = "--token",
      paramLabel = "KEY",
      defaultValue = "${env:WEIR_TOKEN:-}",
      description = "the client key; WEIR_TOKEN keeps it out of the list of processes")
  private String token = "";

  /** A command's work with the server; it returns the exit code. */
  @FunctionalInterface
  public interface Task {
    int run(WeirClient client) throws InterruptedException;
  }

  /** Runs a task and reports a failure in as few lines as possible. */
  public int run(Task task) throws InterruptedException {
    try (WeirClient client = client(commandLine(), url, token)) {
      return task.run(client);
    } catch (ProblemException refused) {
      return explain(refused);
    } catch (UnansweredException gone) {
      return explain(gone);
    }
  }

  public int explain(ProblemException refused) {
    lines(refused.problem()).forEach(this::complain);
    return REFUSED;
  }

  /** Returns the lines to print: title and detail, then each invalid field on its own line. */
  public static List<String> lines(Problem problem) {
    List<String> lines = new ArrayList<>();
    lines.add(problem.text());
    for (Problem.FieldError error : problem.errors()) {
      lines.add("  " + error.field() + ": " + error.message());
    }
    return lines;
  }

  public int explain(UnansweredException gone) {
    complain(String.valueOf(gone.getMessage()));
    return UNREACHABLE;
  }

  public void complain(String message) {
    err().println(message.startsWith(" ") ? message : "weir: " + message);
  }

  public PrintWriter out() {
    return commandLine().getOut();
  }

  public PrintWriter err() {
    return commandLine().getErr();
  }

  public CommandLine commandLine() {
    return command.commandLine();
  }

  /** Returns a client of a server, or reports that an option is wrong. */
  public static WeirClient client(CommandLine commandLine, String url, String token) {
    return client(server(commandLine, url), key(commandLine, token));
  }

  /** Returns a client that calls once: the commands say what to do after a failure. */
  public static WeirClient client(URI server, Optional<String> token) {
    WeirClient.Builder client =
        WeirClient.at(server)
            .connectTimeout(CONNECT_TIMEOUT)
            .attemptTimeout(ANSWER_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .retries(Retries.NONE);
    token.ifPresent(client::credential);
    return client.build();
  }

  private static URI server(CommandLine commandLine, String url) {
    try {
      URI uri = URI.create(url);
      boolean web =
          "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
      if (web
          && uri.getHost() != null
          && uri.getRawQuery() == null
          && uri.getRawUserInfo() == null) {
        return uri;
      }
    } catch (IllegalArgumentException notUri) {
      throw new ParameterException(commandLine, badUrl(url), notUri);
    }
    throw new ParameterException(commandLine, badUrl(url));
  }

  private static String badUrl(String url) {
    return "--url must be like http://127.0.0.1:8080, not '" + url + "'";
  }

  private static Optional<String> key(CommandLine commandLine, String token) {
    if (!token.chars().allMatch(character -> character > ' ' && character < 127)) {
      throw new ParameterException(commandLine, "--token must be printable ASCII without spaces");
    }
    return Optional.of(token).filter(key -> !key.isEmpty());
  }
}
