/* A small HTTP server on the loopback interface, for the tests of `graco fetch`.
 *
 *     loopback_server FOLDER LOG PORTFILE
 *
 * serves the files of FOLDER and misbehaves on request: the first part of the path says how.
 *
 *     /good/F        as it should be: ETag, Range, If-Range
 *     /norange/F     ignores Range
 *     /cut/F         the first half, then the connection ends; with Range: as it should be
 *     /changed/F     the first half of another version, then the end; then the file, 200
 *     /moved/F       as cut, but the continuation begins at the wrong byte
 *     /vast/F        as cut, but the continuation has 2^63 - 1 bytes, and "*" in all
 *     /countless/F   as cut, but the continuation is of a file of 10^30 bytes
 *     /stall/F       the first half, then silence
 *     /silent/F      silence
 *     /slow/F        in pieces of 16 KiB, 20 ms apart
 *     /held/F        the first half; the second once FOLDER has a file "go"
 *     /redirect/F    302 to /good/F; /loop/F 302 to itself; /local/F 302 to file:///etc/passwd
 *     /missing/F     404; /broken/F     500
 *     /large/F       says that it has 2^50 bytes; /endless/F chunks without end
 *     /padded/F      chunks of a byte, each with 16 KB of extension, without end
 *     /lengths/F     two lengths, the second of them one byte less; /twice/F the same length twice
 *     /unsized/F     ends with the connection, without a length
 *     /packed/F      Content-Encoding: gzip
 *     /empty/F       200 without a body
 *     /unsatisfied/F 416 to every Range
 *
 * Any other path, such as the absolute address that a proxy gets, is served as /good. The log has a
 * line for each request: the path, its Range and its If-Range. It ends itself after an hour. */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, HEAD_SIZE = 8192, LIFE_SECONDS = 3600 };

static const char *folder, *log_path;

struct request {
    int socket;
    char mode[64], name[256], target[1024], range[128], condition[256];
    bool has_range;
    long long first; /* of the range */
    char *body;
    long long length;
};

static void nap(int milliseconds)
{
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

/* Says nothing until the client has gone. */
static void keep_silent(int socket)
{
    char ignored[256];

    while (recv(socket, ignored, sizeof(ignored), 0) > 0)
        continue;
}

static void put(const struct request *r, const char *bytes, long long length)
{
    while (length > 0) {
        ssize_t sent = send(r->socket, bytes, (size_t)length, MSG_NOSIGNAL);
        if (sent <= 0)
            _exit(0);
        bytes += sent;
        length -= sent;
    }
}

static void say(const struct request *r, const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    put(r, text, (long long)strlen(text));
}

static bool is(const struct request *r, const char *mode)
{
    return strcmp(r->mode, mode) == 0;
}

/* The value of a header, "" if there is none. */
static void header(char *out, size_t size, const char *head, const char *name)
{
    size_t length = strlen(name);

    out[0] = '\0';
    for (const char *line = head; line; line = strstr(line, "\r\n")) {
        line += line == head ? 0 : 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            line += length + 1;
            line += strspn(line, " ");
            snprintf(out, size, "%.*s", (int)strcspn(line, "\r\n"), line);
            return;
        }
    }
}

static bool read_head(struct request *r)
{
    char head[HEAD_SIZE];
    size_t used = 0;

    head[0] = '\0';
    while (!strstr(head, "\r\n\r\n")) {
        ssize_t got = recv(r->socket, head + used, sizeof(head) - 1 - used, 0);
        if (got <= 0)
            return false;
        used += (size_t)got;
        head[used] = '\0';
    }
    if (sscanf(head, "GET %1023s", r->target) != 1)
        return false;
    header(r->range, sizeof(r->range), head, "Range");
    header(r->condition, sizeof(r->condition), head, "If-Range");
    r->has_range = sscanf(r->range, "bytes=%lld-", &r->first) == 1;
    const char *slash = strrchr(r->target, '/');
    snprintf(r->name, sizeof(r->name), "%s", slash ? slash + 1 : "");
    if (sscanf(r->target, "/%63[a-z]/", r->mode) != 1)
        strcpy(r->mode, "good");
    return true;
}

static void write_log(const struct request *r)
{
    FILE *log = fopen(log_path, "a");

    if (!log)
        return;
    fprintf(log, "%s range=%s if-range=%s\n", r->target, r->range, r->condition);
    fclose(log);
}

static bool read_body(struct request *r)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%s/%s", folder, r->name);
    FILE *file = strstr(r->name, "..") ? NULL : fopen(path, "rb");
    if (!file)
        return false;
    fseek(file, 0, SEEK_END);
    r->length = ftell(file);
    rewind(file);
    r->body = malloc((size_t)r->length + 1);
    bool fine = r->body && fread(r->body, 1, (size_t)r->length, file) == (size_t)r->length;
    fclose(file);
    return fine;
}

static void refuse(const struct request *r, const char *reason)
{
    say(r, "HTTP/1.1 %s\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsorry\n", reason);
}

static void wait_for_go(void)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%s/go", folder);
    while (access(path, F_OK) != 0)
        nap(10);
}

static void send_body(const struct request *r, long long first, long long last)
{
    long long step = is(r, "slow") ? 16384 : is(r, "held") ? r->length / 2 + 1 : last - first;

    for (long long at = first; at < last; at += step) {
        put(r, r->body + at, last - at < step ? last - at : step);
        if (is(r, "slow"))
            nap(20);
        if (is(r, "held"))
            wait_for_go();
    }
}

/* The file as it should be, with the faults that concern ranges and lengths. */
static void serve(struct request *r)
{
    long long first = 0, last = r->length, shift = 0;
    const char *tag = "\"version-1\"";
    char total[32];
    bool half = !r->has_range && (is(r, "cut") || is(r, "changed") || is(r, "moved") ||
                                  is(r, "vast") || is(r, "countless"));

    half = half || is(r, "stall");
    if (is(r, "changed") && r->has_range)
        tag = "\"version-2\"";
    bool valid = !r->condition[0] || strcmp(r->condition, tag) == 0;
    if (is(r, "changed") && !r->has_range)
        memset(r->body, 'o', (size_t)r->length);
    if (r->has_range && valid && !is(r, "norange") && r->first < r->length) {
        first = r->first;
        shift = is(r, "moved");
        snprintf(total, sizeof(total), "%lld", r->length);
        say(r, "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %lld-%lld/%s\r\n",
            first + shift, last - 1,
            is(r, "vast")        ? "*"
            : is(r, "countless") ? "1000000000000000000000000000000"
                                 : total);
    } else {
        say(r, "HTTP/1.1 200 OK\r\n");
    }
    if (!is(r, "unsized"))
        say(r, "Content-Length: %lld\r\n",
            is(r, "large")                  ? 1LL << 50
            : is(r, "vast") && r->has_range ? LLONG_MAX
                                            : last - first);
    if (is(r, "lengths") || is(r, "twice"))
        say(r, "Content-Length: %lld\r\n", last - first - is(r, "lengths"));
    if (is(r, "packed"))
        say(r, "Content-Encoding: gzip\r\n");
    say(r, "ETag: %s\r\nConnection: close\r\n\r\n", tag);
    send_body(r, first, half ? (first + last) / 2 : last);
    if (is(r, "stall"))
        keep_silent(r->socket);
}

/* Without end. Those of "padded" are a byte long, with a long extension. */
static void serve_chunks(const struct request *r)
{
    char block[16384];

    memset(block, 'x', sizeof(block));
    say(r, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (;;) {
        say(r, is(r, "padded") ? "1;" : "4000\r\n");
        put(r, block, sizeof(block));
        say(r, is(r, "padded") ? "\r\nx\r\n" : "\r\n");
    }
}

static void answer(int socket)
{
    struct request r = {.socket = socket};

    if (!read_head(&r))
        return;
    write_log(&r);
    if (is(&r, "silent"))
        keep_silent(socket);
    else if (is(&r, "redirect") || is(&r, "loop"))
        say(&r, "HTTP/1.1 302 Found\r\nLocation: /%s/%s\r\nContent-Length: 0\r\n\r\n",
            is(&r, "loop") ? "loop" : "good", r.name);
    else if (is(&r, "local"))
        say(&r, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n");
    else if (is(&r, "broken"))
        refuse(&r, "500 Internal Server Error");
    else if (is(&r, "endless") || is(&r, "padded"))
        serve_chunks(&r);
    else if (is(&r, "empty"))
        say(&r, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    else if (is(&r, "unsatisfied") && r.has_range)
        refuse(&r, "416 Range Not Satisfiable");
    else if (is(&r, "missing") || !read_body(&r))
        refuse(&r, "404 Not Found");
    else
        serve(&r);
    free(r.body);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof(address);
    int server = socket(AF_INET, SOCK_STREAM, 0);

    if (argc != 4)
        return 2;
    folder = argv[1];
    log_path = argv[2];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    signal(SIGCHLD, SIG_IGN); /* no zombies */
    alarm(LIFE_SECONDS);
    if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(server, 64) != 0 || getsockname(server, (struct sockaddr *)&address, &length) != 0) {
        perror("loopback_server");
        return 1;
    }
    FILE *port = fopen(argv[3], "w");
    if (!port || fprintf(port, "%d\n", ntohs(address.sin_port)) < 0 || fclose(port) != 0)
        return 1;
    for (;;) {
        int client = accept(server, NULL, NULL);
        if (client < 0)
            continue;
        if (fork() == 0) {
            close(server);
            alarm(LIFE_SECONDS);
            answer(client);
            close(client);
            _exit(0);
        }
        close(client);
    }
}
