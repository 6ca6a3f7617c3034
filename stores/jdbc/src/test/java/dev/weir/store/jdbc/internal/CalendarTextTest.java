package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class CalendarTextTest {
  @Property(tries = 500)
  void readsWhatItWrote(@ForAll("calendars") OpeningHours calendar) throws UnknownZoneException {
    assertThat(CalendarText.read(CalendarText.write(calendar))).isEqualTo(calendar);
  }

  @Provide
  Arbitrary<OpeningHours> calendars() {
    Arbitrary<OpeningHours.Hours> hours =
        Combinators.combine(
                Arbitraries.integers().between(0, 86_399),
                Arbitraries.integers().between(0, 86_400))
            .as(OpeningHours.Hours::new);
    Arbitrary<Map<DayOfWeek, List<OpeningHours.Hours>>> weeks =
        Arbitraries.maps(Arbitraries.of(DayOfWeek.class), hours.list().ofMinSize(1).ofMaxSize(3))
            .ofMinSize(1);
    Arbitrary<Set<LocalDate>> dates =
        Arbitraries.longs().between(0, 40_000).map(LocalDate::ofEpochDay).set().ofMaxSize(5);
    Arbitrary<ZoneId> zones =
        Arbitraries.of("UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "+05:45", "Z")
            .map(ZoneId::of);
    return Combinators.combine(zones, weeks, dates).as(OpeningHours::new);
  }

  @Test
  void alwaysOpenIsNothing() throws UnknownZoneException {
    assertThat(CalendarText.write(Calendar.ALWAYS)).isNull();
    assertThat(CalendarText.read(null)).isEqualTo(Calendar.ALWAYS);
  }

  @Test
  void isReadableByPeople() {
    OpeningHours calendar =
        new OpeningHours(
            ZoneId.of("Europe/Berlin"),
            Map.of(DayOfWeek.MONDAY, List.of(new OpeningHours.Hours(9 * 3600, 17 * 3600))),
            Set.of(LocalDate.of(2026, 12, 25)));

    assertThat(CalendarText.write(calendar))
        .isEqualTo("Europe/Berlin;MONDAY=32400-61200;2026-12-25");
  }
}
