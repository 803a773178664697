/* SHA-256 against the examples of FIPS 180-4 and NIST's CAVP short and long messages, and against
 * itself however the bytes are cut. */
#include "check.h"
#include "sha256.h"

static void check_text(const char *message, size_t length, const char *expected)
{
    char text[SHA256_TEXT];
    struct sha256 hash;

    sha256_init(&hash);
    sha256_add(&hash, message, length);
    sha256_text(text, &hash);
    CHECK(strcmp(text, expected) == 0);
    CHECK(sha256_is_text(text));
}

static void test_vectors(void)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char four[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                               "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

    check_text("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_text("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_text(two, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_text(four, 112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    check_text("\xd3", 1, "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
    check_text("\x11\xaf", 2, "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98");
    check_text("\x74\xba\x25\x21", 4,
               "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e");
}

static void test_million(void)
{
    char block[1000], text[SHA256_TEXT];
    struct sha256 hash;

    memset(block, 'a', sizeof block);
    sha256_init(&hash);
    for (int i = 0; i < 1000; i++)
        sha256_add(&hash, block, sizeof block);
    sha256_text(text, &hash);
    CHECK(strcmp(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0") == 0);
}

/* Every length around a block's end, whole and in two pieces cut everywhere. */
static void test_pieces(void)
{
    char message[200], whole[SHA256_TEXT], parts[SHA256_TEXT];
    struct sha256 hash;

    for (int i = 0; i < 200; i++)
        message[i] = (char)(7 * i);
    for (size_t length = 0; length <= sizeof message; length++) {
        sha256_init(&hash);
        sha256_add(&hash, message, length);
        sha256_text(whole, &hash);
        bool same = true;
        for (size_t cut = 0; cut <= length; cut++) {
            sha256_init(&hash);
            sha256_add(&hash, message, cut);
            sha256_add(&hash, message + cut, length - cut);
            sha256_text(parts, &hash);
            same = same && strcmp(whole, parts) == 0;
        }
        CHECK(same);
    }
}

static void test_is_text(void)
{
    char text[80] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    CHECK(sha256_is_text(text));
    strcat(text, "0");
    CHECK(!sha256_is_text(text));
    text[63] = '\0';
    CHECK(!sha256_is_text(text));
    CHECK(!sha256_is_text(""));
    CHECK(!sha256_is_text("E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"));
}

int main(void)
{
    test_vectors();
    test_million();
    test_pieces();
    test_is_text();
    return check_result();
}
