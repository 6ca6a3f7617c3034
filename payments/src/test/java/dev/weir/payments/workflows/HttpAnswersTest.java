package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.weir.payments.Payment;
import dev.weir.payments.workflows.Downstream.Answer;
import dev.weir.payments.workflows.Downstream.LookUp;
import dev.weir.workflows.LoopbackHttp;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the answers of a payment API mean: their statuses, and what their bodies say. */
final class HttpAnswersTest {
  private static final String LOOK_UP = "/by-key/{key}?full=1";
  private static final Payment PAYMENT = payment("pay ü/1");

  private final LoopbackHttp http = new LoopbackHttp();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 201;
  private volatile String body = "";
  private volatile Charset charset = StandardCharsets.UTF_8;
  private volatile String type = "application/json";
  private volatile String encoding = "";

  private static Payment payment(String id) {
    return new Payment(
        id, new BigDecimal("12.50"), "EUR", "from", "to", Optional.empty(), "ref", "bank");
  }

  @BeforeEach
  void start() {
    HttpServer server = http.server();
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          requests.add(
              "%s %s %s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      exchange.getRequestHeaders().getFirst("Authorization")));
          byte[] bytes = body.getBytes(charset);
          exchange.getResponseHeaders().set("Content-Type", type);
          if (!encoding.isEmpty()) {
            exchange.getResponseHeaders().set("Content-Encoding", encoding);
          }
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void close() {
    http.close();
  }

  private HttpDownstream downstream(StatusMeanings statuses, AnswerFields fields) {
    return new HttpDownstream(
        new HttpDownstream.Settings(
            http.url(), Duration.ofMinutes(2), "Bearer secret", statuses, fields, LOOK_UP),
        InstantSource.system());
  }

  private Answer pay() {
    return pay(StatusMeanings.DEFAULT, AnswerFields.DEFAULT);
  }

  private Answer pay(StatusMeanings statuses, AnswerFields fields) {
    try (HttpDownstream downstream = downstream(statuses, fields)) {
      return downstream.pay(PAYMENT);
    }
  }

  private LookUp lookUp(Payment payment) {
    try (HttpDownstream downstream = downstream(StatusMeanings.DEFAULT, AnswerFields.DEFAULT)) {
      return downstream.lookUp(payment);
    }
  }

  @Test
  void answerThatAgreesOrSaysNothingIsPaid() {
    for (String answered :
        List.of(
            "",
            " ",
            "[]",
            "{\"reference\":\"\",\"id\":\"the bank\u2019s own\"}",
            "{\"paymentId\":\"pay"
                + " ü/1\",\"amount\":\"12.50\",\"currency\":\"eur\",\"state\":\"PAID\"}",
            "{\"paymentId\":\"pay%20%C3%BC%2F1\",\"amount\":12.5,\"status\":\"Booked\"}",
            "{\"amount\":{\"value\":1},\"currency\":null,\"status\":201}",
            "{\"amount\":\"EUR 12,50\"}")) {
      body = answered;
      assertThat(pay()).as(answered).isEqualTo(new Answer.Paid(""));
    }
  }

  @Test
  void answerAboutAnotherPaymentContradicts() {
    body = "{\"paymentId\":\"other\"}";
    assertThat(pay()).isEqualTo(new Answer.Contradicted("status 201, but its payment is other"));
    body = "{\"paymentId\":\"pay ü/1\",\"amount\":25.01}";
    assertThat(pay())
        .isEqualTo(new Answer.Contradicted("status 201, but its amount is 25.01, not 12.50"));
    body = "{\"amount\":\"12.50\",\"currency\":\"USD\"}";
    assertThat(pay())
        .isEqualTo(new Answer.Contradicted("status 201, but its currency is USD, not EUR"));
  }

  @Test
  void paymentWhoseStateIsNotPaidIsAskedAgain() {
    body = "{\"state\":\"PENDING\"}";
    assertThat(pay()).isEqualTo(new Answer.Unknown("status 201, but its state is PENDING", false));
    body = "{\"status\":\"declined\"}";
    assertThat(pay()).isEqualTo(new Answer.Unknown("status 201, but its state is declined", false));
  }

  @Test
  void bodyInAnotherEncodingIsRead() {
    body = "\uFEFF{\"state\":\"pending\"}";
    assertThat(pay()).isEqualTo(new Answer.Unknown("status 201, but its state is pending", false));
    charset = StandardCharsets.UTF_16;
    body = "{\"state\":\"pending\"}";
    assertThat(pay()).isEqualTo(new Answer.Unknown("status 201, but its state is pending", false));
  }

  /** It may say that the payment is pending, declined, or another one. */
  @Test
  void paymentWhoseAnswerCannotBeReadIsAskedAgain() {
    for (String unreadable :
        List.of(
            "{\"state\":\"pend",
            "{\"amount\":NaN,\"state\":\"pending\"}",
            "{\"state\":\"paid\",\"state\":\"pending\"}",
            "{\"state\":\"paid\"}{\"state\":\"pending\"}",
            "{\"a\":%s%s,\"state\":\"pending\"}".formatted("[".repeat(5000), "]".repeat(5000)),
            "{\"a\":\"%s\",\"state\":\"pending\"}".formatted("y".repeat(2 << 20)),
            "paid")) {
      body = unreadable;
      assertThat(pay())
          .as(unreadable.substring(0, Math.min(50, unreadable.length())))
          .isInstanceOfSatisfying(
              Answer.Unknown.class,
              answer -> assertThat(answer.reason()).startsWith("status 201, but its body "));
      assertThat(lookUp(payment("1"))).isInstanceOf(LookUp.Unclear.class);
    }
  }

  @Test
  void bodyThatLooksLikeJsonIsReadWhateverItsTypeIs() {
    type = "text/plain";
    body = "thank you";
    assertThat(pay()).isEqualTo(new Answer.Paid(""));
    body = "\n {\"state\":\"pend";
    assertThat(pay()).isInstanceOf(Answer.Unknown.class);
    body = "{\"state\":\"pending\"}";
    assertThat(pay()).isEqualTo(new Answer.Unknown("status 201, but its state is pending", false));
  }

  /** Such as that of a proxy that asks people to log in. */
  @Test
  void paymentThatIsAnsweredByPageIsAskedAgain() {
    type = "text/html; charset=utf-8";
    body = "<html><body>Please log in</body></html>";
    assertThat(pay())
        .isEqualTo(new Answer.Unknown("status 201, but its body is an HTML page", false));
  }

  @Test
  void pageIsKnownByItsBeginningUnlessTheApiSpeaksXml() {
    body = "\r\n<!DOCTYPE html><html><body>Please log in</body></html>";
    for (String other : List.of("text/plain", "application/json", "application/xhtml+xml")) {
      type = other;
      assertThat(pay()).as(other).isInstanceOf(Answer.Unknown.class);
    }
    type = "application/xml";
    body = "<result>booked</result>";
    assertThat(pay()).isEqualTo(new Answer.Paid(""));
  }

  @Test
  void compressedBodyIsNoConfirmation() {
    encoding = "gzip";
    body = "whatever it says";
    assertThat(pay()).isInstanceOf(Answer.Unknown.class);
    assertThat(lookUp(PAYMENT)).isInstanceOf(LookUp.Unclear.class);
  }

  @Test
  void membersAndStatesAreConfigurable() {
    AnswerFields fields =
        AnswerFields.parse("amount=money.value, state=booking.result", "ACSC, in-the-bank");
    body = "{\"amount\":\"1\",\"state\":\"x\",\"booking\":{\"result\":\"In the bank\"}}";
    assertThat(pay(StatusMeanings.DEFAULT, fields)).isEqualTo(new Answer.Paid(""));
    body = "{\"money\":{\"value\":\"1\"}}";
    assertThat(pay(StatusMeanings.DEFAULT, fields)).isInstanceOf(Answer.Contradicted.class);
    assertThat(pay(StatusMeanings.DEFAULT, AnswerFields.parse("", "")))
        .isEqualTo(new Answer.Paid(""));
    assertThatThrownBy(() -> AnswerFields.parse("sum=amount", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not \"sum=amount\"");
  }

  @Test
  void meaningsOfStatusesAreConfigurable() {
    StatusMeanings meanings = StatusMeanings.DEFAULT.with("409=refused, 4xx=unknown,202=paid");
    status = 409;
    assertThat(pay(meanings, AnswerFields.DEFAULT)).isEqualTo(new Answer.Rejected("status 409"));
    status = 418;
    assertThat(pay(meanings, AnswerFields.DEFAULT))
        .isEqualTo(new Answer.Unknown("status 418", false));
    status = 202;
    assertThat(pay(meanings, AnswerFields.DEFAULT)).isEqualTo(new Answer.Paid(""));
    status = 422;
    assertThat(pay(meanings, AnswerFields.DEFAULT)).isEqualTo(new Answer.Rejected("status 422"));
  }

  @Test
  void otherMeaningsAreRefused() {
    for (String entries :
        List.of("409", "409=", "409=maybe", "100=paid", "40x=paid", "409=paid,,")) {
      assertThatThrownBy(() -> StatusMeanings.DEFAULT.with(entries))
          .as(entries)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("must be a list of entries such as 409=in-progress");
    }
  }

  @Test
  void lookUpAsksByKey() {
    status = 200;
    body = "{\"reference\":\"r-7\",\"state\":\"paid\"}";
    assertThat(lookUp(PAYMENT)).isEqualTo(new LookUp.Made("r-7"));
    assertThat(requests).containsExactly("GET /by-key/pay%20%C3%BC%2F1?full=1 Bearer secret");
  }

  @Test
  void lookUpThatIsNotCertainSaysSo() {
    status = 404;
    assertThat(lookUp(PAYMENT)).isEqualTo(new LookUp.NotKnown());
    status = 503;
    assertThat(lookUp(PAYMENT)).isEqualTo(new LookUp.Unclear("the look-up has status 503", false));
    status = 502;
    assertThat(lookUp(PAYMENT)).isEqualTo(new LookUp.Unclear("the look-up has status 502", true));
    status = 200;
    body = "{\"state\":\"pending\"}";
    assertThat(lookUp(PAYMENT)).isEqualTo(new LookUp.Unclear("its state is pending", false));
    body = "{\"amount\":1}";
    assertThat(lookUp(PAYMENT)).isEqualTo(new LookUp.Unclear("its amount is 1, not 12.50", false));
  }

  /** An API that finds nothing may answer 200 too, as with an empty list. */
  @Test
  void lookUpFindsAPaymentOnlyIfItSaysSomethingAboutIt() {
    status = 200;
    for (String silent :
        List.of(
            "",
            "null",
            "[]",
            "{}",
            "{\"items\":[],\"total\":0}",
            "{\"currency\":\"EUR\",\"reference\":null}",
            "{\"reference\":\"\"}",
            "{\"amount\":\"EUR 12,50\"}")) {
      body = silent;
      assertThat(lookUp(PAYMENT))
          .as(silent)
          .isEqualTo(new LookUp.Unclear("the look-up says nothing about the payment", false));
    }
    for (String about :
        List.of(
            "{\"paymentId\":\"pay ü/1\"}",
            "{\"amount\":12.5}",
            "{\"status\":\"booked\"}",
            "{\"reference\":\"r-7\"}")) {
      body = about;
      assertThat(lookUp(PAYMENT)).as(about).isInstanceOf(LookUp.Made.class);
    }
  }

  @Test
  void paymentWhoseIdWouldBeAnotherPathIsNotLookedUp() {
    assertThat(lookUp(payment(".."))).isEqualTo(new LookUp.NotKnown());
    assertThat(requests).isEmpty();
  }
}
