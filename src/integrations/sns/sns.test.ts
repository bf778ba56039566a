import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent, aReply, recordingPorts } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { readSettings } from '../settings/channel-settings.ts';
import { sns } from './sns.ts';

const TOPIC = {
  topic_arn: 'arn:aws:sns:eu-west-1:123456789012:alerts',
  access_key: 'AKIAIOSFODNN7EXAMPLE',
  secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

async function published(event: AlertEvent, settings = TOPIC) {
  const ports = recordingPorts();
  assert.deepEqual(await sns.deliver(event, settings, ports, {}), { kind: 'delivered' });
  const [request = assert.fail()] = ports.requests;
  return { ...request, form: new URLSearchParams(String(request.body)) };
}

suite('Amazon SNS', () => {
  test('gets a signed publication for the region of the topic', async () => {
    const { url, headers, form } = await published(anEvent());

    assert.equal(url, 'https://sns.eu-west-1.amazonaws.com/');
    assert.match(
      headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20240310\/eu-west-1\/sns\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/,
    );
    assert.equal(headers['x-amz-date'], '20240310T123007Z');
    assert.equal(form.get('Subject'), 'DOWN: Nightly backup');
    assert.match(form.get('Message') ?? '', /^Nightly backup is DOWN\.\nReason: /);
    assert.equal(form.get('MessageAttributes.entry.1.Value.StringValue'), 'down');
    assert.equal(form.get('MessageGroupId'), null);
  });

  test('has subjects of ASCII, shorter than 100 characters', async () => {
    const { form } = await published(anEvent({ check: aCheck({ name: `日本\n${'x'.repeat(200)}` }) }));

    assert.match(form.get('Subject') ?? '', /^DOWN: \?\? x{87}\.\.\.$/);
  });

  test('keeps the order of a topic that has one', async () => {
    const { form } = await published(anEvent(), { ...TOPIC, topic_arn: `${TOPIC.topic_arn}.fifo` });

    assert.equal(form.get('MessageGroupId'), anEvent().check.uniqueKey);
    assert.equal(form.get('MessageDeduplicationId'), anEvent().deliveryId);
  });

  test('says why it refuses, and a topic that is gone switches the integration off', async () => {
    const answered = (status: number, code: string) =>
      sns.deliver(
        anEvent(),
        TOPIC,
        recordingPorts(
          aReply(
            status,
            `<ErrorResponse><Error><Code>${code}</Code><Message>No such.</Message></Error></ErrorResponse>`,
          ),
        ),
        {},
      );

    assert.deepEqual(await answered(404, 'NotFound'), {
      kind: 'permanent',
      error: 'Received status code 404 with a message: "No such."',
    });
    assert.deepEqual(await answered(403, 'SignatureDoesNotMatch'), {
      kind: 'try_again',
      error: 'Received status code 403 with a message: "No such."',
      afterSeconds: null,
    });
  });

  test('takes topics alone', () => {
    for (const arn of [
      'alerts',
      'arn:aws:sqs:eu-west-1:123456789012:a',
      'arn:aws:sns:a.evil.example/:123456789012:a',
    ]) {
      assert.ok(readSettings('sns', { ...TOPIC, topic_arn: arn }) instanceof Fault, arn);
    }
  });
});
