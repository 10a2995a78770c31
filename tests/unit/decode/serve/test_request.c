/* Which requests the server answers: host, token, method, route and arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/serve/request.h"
#include "decode/serve/token.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct serve_route routes[] = {{.name = ""}, {.name = "window", .arguments = {"time", "most"}}};
static const struct serve_options options = {.routes = routes, .nr_routes = 2};

static struct serve_address address_of(const char *text)
{
    struct serve_address address;
    assert_true(serve_address_parse(&address, text));
    return address;
}

static int check(const char *method, const char *path, const char *host, const char *token)
{
    const struct serve_address address = address_of("127.0.0.1");
    const struct request request = {method, path, host};
    const struct serve_route *route = NULL;
    const enum request_status status = request_check(&request, &address, token, &options, &route);
    assert_true((status == REQUEST_GOOD) == (route != NULL));
    return route ? (int)(route - routes) : (int)status;
}

static void the_token_opens_routes(void **state)
{
    (void)state;
    assert_int_equal(check("GET", "/" TOKEN "/", "127.0.0.1:80", TOKEN), 0);
    assert_int_equal(check("HEAD", "/" TOKEN "/window", "localhost", TOKEN), 1);
    assert_int_equal(check("GET", "/" TOKEN "/windows", "localhost", TOKEN), REQUEST_UNKNOWN);
    assert_int_equal(check("GET", "/" TOKEN "/../etc/passwd", "localhost", TOKEN), REQUEST_UNKNOWN);
    assert_int_equal(check("GET", "/", "localhost", ""), 0);
    assert_int_equal(check("GET", "/window", "localhost", ""), 1);
}

static void requests_without_it_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"/",
                                        "",
                                        "window",
                                        "/window",
                                        "/" TOKEN,
                                        "//" TOKEN "/",
                                        "/" TOKEN "0/",
                                        "/0123456789abcdef0123456789abcde/",
                                        "/0123456789abcdef0123456789abcdee/",
                                        "/1123456789abcdef0123456789abcdef/windows"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_int_equal(check("GET", paths[i], "localhost", TOKEN), REQUEST_FORBIDDEN);
}

static void other_methods_are_refused(void **state)
{
    (void)state;
    assert_int_equal(check("POST", "/" TOKEN "/", "localhost", TOKEN), REQUEST_METHOD);
    assert_int_equal(check("get", "/" TOKEN "/", "localhost", TOKEN), REQUEST_METHOD);
    assert_int_equal(check("OPTIONS", "/" TOKEN "/", "localhost", TOKEN), REQUEST_METHOD);
}

static bool has_host(const char *listening, const char *host)
{
    const struct serve_address address = address_of(listening);
    return serve_address_has_host(&address, host);
}

static void names_of_strangers_are_refused(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1", "127.0.0.1:8470", "localhost", "LocalHost:1",
                                       "[::1]",     "[::1]:8470",     "localhost:" /* the scheme's port */};
    static const char *const bad[] = {
        "",           "evil.example", "evil.example:80", "localhost.evil.example", "10.0.0.1",    "127.0.0.1.nip.io",
        "::1",        "[::1",         "[::1]x",          "localhost:80x",          "[127.0.0.1]", "[localhost]",
        "1270.0.0.1", ":80",          "user@localhost"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(has_host("127.0.0.1", good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(has_host("127.0.0.1", bad[i]));
    assert_false(has_host("127.0.0.1", NULL));
}

static void a_wide_server_has_its_addresses(void **state)
{
    (void)state;
    assert_true(has_host("10.0.0.1", "10.0.0.1:8470"));
    assert_true(has_host("10.0.0.1", "localhost"));
    assert_false(has_host("10.0.0.1", "10.0.0.2"));
    assert_true(has_host("fe80::1", "[fe80::1]:8470"));
    assert_true(has_host("0.0.0.0", "10.0.0.2"));
    assert_true(has_host("::", "[fe80::2]"));
    assert_false(has_host("0.0.0.0", "evil.example"));
}

static void addresses_are_parsed(void **state)
{
    (void)state;
    struct serve_address address;
    assert_false(serve_address_parse(&address, "example.org"));
    assert_false(serve_address_parse(&address, ""));
    assert_false(serve_address_parse(&address, "[::1]"));
    const struct serve_address loopback = address_of("localhost"), other = address_of("::1"),
                               net = address_of("127.9.9.9");
    assert_true(serve_address_is_loopback(&loopback) && serve_address_is_loopback(&other) &&
                serve_address_is_loopback(&net));
    const struct serve_address any = address_of("0.0.0.0"), any6 = address_of("::"), mapped = address_of("::2");
    assert_false(serve_address_is_loopback(&any) || serve_address_is_loopback(&any6) ||
                 serve_address_is_loopback(&mapped));
}

static void arguments_are_those_of_the_route(void **state)
{
    (void)state;
    struct serve_query query = {{NULL}};
    char value[SERVE_VALUE_MAX + 2];
    memset(value, '1', sizeof(value));
    value[SERVE_VALUE_MAX + 1] = '\0';
    assert_false(request_take_argument(&query, &routes[1], "time", value));
    assert_false(request_take_argument(&query, &routes[1], "time", NULL));
    value[SERVE_VALUE_MAX] = '\0';
    assert_true(request_take_argument(&query, &routes[1], "most", value));
    assert_ptr_equal(query.values[1], value);
    assert_null(query.values[0]);
    assert_false(request_take_argument(&query, &routes[1], "most", "1"));
    assert_false(request_take_argument(&query, &routes[1], "tim", "1"));
    assert_false(request_take_argument(&query, &routes[0], "time", "1"));
}

static void tokens_are_random_and_compared_whole(void **state)
{
    (void)state;
    char one[TOKEN_LENGTH + 1], other[TOKEN_LENGTH + 1];
    assert_true(token_make(one) && token_make(other));
    assert_int_equal(strlen(one), TOKEN_LENGTH);
    assert_int_equal(strspn(one, "0123456789abcdef"), TOKEN_LENGTH);
    assert_string_not_equal(one, other);
    assert_true(token_equals(one, one, TOKEN_LENGTH));
    assert_false(token_equals(one, one, TOKEN_LENGTH - 1));
    assert_false(token_equals(one, other, TOKEN_LENGTH));
    for (size_t i = 0; i < TOKEN_LENGTH; i++) {
        memcpy(other, one, sizeof(other));
        other[i] ^= 1;
        assert_false(token_equals(one, other, TOKEN_LENGTH));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_token_opens_routes),           cmocka_unit_test(requests_without_it_are_refused),
        cmocka_unit_test(other_methods_are_refused),        cmocka_unit_test(names_of_strangers_are_refused),
        cmocka_unit_test(a_wide_server_has_its_addresses),  cmocka_unit_test(addresses_are_parsed),
        cmocka_unit_test(arguments_are_those_of_the_route), cmocka_unit_test(tokens_are_random_and_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
