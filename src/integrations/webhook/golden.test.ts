import { join } from 'node:path';
import { suite, test } from 'node:test';
import { recordingPorts, SCENARIOS } from '../alert-event.test-support.ts';
import type { WebhookCall } from './request.ts';
import { webhook } from './webhook.ts';

const CALL: WebhookCall = {
  method: 'POST',
  url: 'https://hooks.example.org/$CODE/$STATUS?now=$NOW&name=$NAME&tags=$TAGS&one=$TAG1&slug=$SLUG&project=$PROJECT',
  headers: {
    'Content-Type': 'application/json',
    'X-Name': '$NAME',
    'X-Tags': '$TAGS',
    'X-Json': '$JSON',
    'X-Body': '$BODY',
  },
  body: [
    '{"name": $NAME_JSON, "body": $BODY_JSON, "exit_status": $EXITSTATUS, "down_for": $DURATION,',
    ' "reason": "$REASON", "last_ping": "$LAST_PING", "url": "$URL", "check": $JSON}',
  ].join('\n'),
};

suite('what a webhook sends', () => {
  for (const [name, event] of Object.entries(SCENARIOS)) {
    test(name, async (t) => {
      const ports = recordingPorts();

      await webhook.send(event, { down: CALL, up: CALL }, ports);

      const sent = ports.requests.map(
        ({ method, url, headers, body }) =>
          `${method} ${url}\n${Object.entries(headers)
            .map(([header, value]) => `${header}: ${value}\n`)
            .join('')}\n${body}\n`,
      );
      t.assert.fileSnapshot(sent.join('\n'), join(import.meta.dirname, 'golden', `${name}.golden`), {
        serializers: [String],
      });
    });
  }
});
