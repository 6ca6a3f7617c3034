package dev.weir.node.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What a command printed and how it ended. */
public record CommandRun(int code, String out, String err) {
  public static CommandRun of(Object command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        new CommandLine(command)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true));
    int code = line.execute(arguments);
    return new CommandRun(code, out.toString(), err.toString());
  }
}
