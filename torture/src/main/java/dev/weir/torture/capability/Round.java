package dev.weir.torture.capability;

import dev.weir.torture.history.History;
import dev.weir.torture.stage.Client;
import dev.weir.torture.stage.Stage;
import java.time.Duration;

/**
 * A round of load and faults, which is checked on its own.
 *
 * @param name the begin of all names of the round, so that rounds do not share keys
 * @param maxWait how long what has to end may take after everything is mended
 */
public record Round(String name, Stage stage, Client client, History history, Duration maxWait) {}
