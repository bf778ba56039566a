import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { printedCalls, SCENARIOS, SERVER } from '../alert-event.test-support.ts';
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
    test(name, (t) => {
      const calls = webhook.render(event, { down: CALL, up: CALL }, SERVER);
      assert.ok(Array.isArray(calls));

      t.assert.fileSnapshot(
        printedCalls(calls),
        join(import.meta.dirname, 'golden-placeholders', `${name}.golden`),
        {
          serializers: [String],
        },
      );
    });
  }
});
