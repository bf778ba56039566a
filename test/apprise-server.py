"""Hands messages to Apprise, as POST /notify/ of https://github.com/caronc/apprise-api is described."""
import http.server
import json
import sys

import apprise


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service = apprise.Apprise()
        if self.path != "/notify/" or not message["body"] or not service.add(message["urls"]):
            return self.answer(400)
        is_sent = service.notify(
            body=message["body"],
            title=message["title"],
            notify_type=apprise.NotifyType(message["type"]),
            body_format=apprise.NotifyFormat(message["format"]),
        )
        self.answer(200 if is_sent else 424)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("listening", flush=True)
server.serve_forever()
