import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { printedCalls, SCENARIOS, SERVER, Sections } from '../kind/alert-event.test-support.ts';
import { placeholders } from './placeholders.ts';
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
  const shown = new Sections();
  for (const [name, event] of Object.entries(SCENARIOS)) {
    test(name, () => {
      const calls = webhook.render(event, { down: CALL, up: CALL }, SERVER);
      assert.ok(Array.isArray(calls));

      shown.add(name, printedCalls(calls));
    });
  }

  test('is shown by the golden file', (t) => {
    const path = join(import.meta.dirname, 'placeholders.golden');
    t.assert.fileSnapshot(String(shown), path, { serializers: [String] });
  });
});

test('the steps to set a webhook up name every placeholder', () => {
  const steps = webhook.setup.join(' ');
  for (const event of Object.values(SCENARIOS)) {
    const names = Object.keys(placeholders(event)).filter((name) => !/^TAG[2-9]|^TAG1\d/.test(name));
    assert.deepEqual(
      names.filter((name) => !steps.includes(`\`$${name}\``)),
      [],
    );
  }
});
