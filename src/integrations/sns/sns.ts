import { AwsV4Signer } from 'aws4fetch';
import type { Outcome } from '../../domain/alert/delivery.ts';
import { tryAgain } from '../../domain/alert/delivery.ts';
import { text } from '../../lib/fields.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { conversationKind, type OutboundRequest, type Reply } from '../kind/kind.ts';
import { bytes, units } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';
import { formCall } from '../send/form-call.ts';
import { classifyByStatus, goneForGood, textOf } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { fittedBody } from '../text/fitted.ts';
import { causeSentence, listedFacts, othersFact } from '../text/listed-facts.ts';

/** https://docs.aws.amazon.com/sns/latest/api/API_Publish.html: fewer than 100 characters of ASCII, and 256 kB. */
const MAX_SUBJECT = 99;
const LIMITS = { Subject: units(MAX_SUBJECT), Message: bytes(262_144) };
const TOPIC = /^arn:(aws[a-z-]*):sns:([a-z0-9-]+):(\d{12}):([\w-]{1,256}(?:\.fifo)?)$/;

const SETTINGS = {
  topic_arn: {
    label: 'Topic ARN',
    help: 'Of the topic, such as arn:aws:sns:eu-west-1:123456789012:alerts.',
    field: text({ maxLength: 400, pattern: TOPIC }),
    control: 'text',
  } satisfies Setting<string>,
  access_key: {
    label: 'Access key id',
    field: text({ maxLength: 128, pattern: /^\w{16,128}$/ }),
    control: 'text',
  } satisfies Setting<string>,
  secret_key: {
    label: 'Secret access key',
    field: text({ maxLength: 200 }),
    control: 'text',
    secret: true,
  } satisfies Setting<string>,
};

export const sns = conversationKind({
  label: 'Amazon SNS',
  category: 'automation',
  summary: 'to a topic',
  description: 'Publishes to a topic of Amazon SNS, which passes it on to its subscribers.',
  setup: [
    'Create a topic in the [console of Amazon SNS](https://console.aws.amazon.com/sns/), and copy its **ARN**.',
    'Create a user of IAM who may do nothing but `sns:Publish` on this topic, and an access key for that user.',
    'Enter the ARN and both parts of the key.',
  ],
  example: {
    topic_arn: 'arn:aws:sns:eu-west-1:123456789012:alerts',
    access_key: 'AKIAIOSFODNN7EXAMPLE',
    secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  settings: SETTINGS,
  server: {},
  target: ({ topic_arn: arn }) => arn.split(':').at(-1) ?? '',
  wants: () => true,
  destination: ({ topic_arn: arn }) => hostOf(arn),
  takesOwnWords: true,
  limits: LIMITS,
  needsBody: false,
  needsStory: true,
  async deliver(event, { topic_arn: arn, access_key: accessKeyId, secret_key: secretAccessKey }, ports) {
    const form = fittedBody(event, (shown) => publication(shown, arn), LIMITS);
    const request = await signed(
      formCall(`https://${hostOf(arn)}/`, form),
      { accessKeyId, secretAccessKey },
      arn,
      event.now,
    );
    const reply = await ports.http(request);
    return 'error' in reply ? tryAgain(reply.error) : classify(reply);
  },
});

function hostOf(arn: string): string {
  const [, partition = 'aws', region = ''] = TOPIC.exec(arn) ?? [];
  return `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
}

function publication(event: AlertEvent, arn: string): Readonly<Record<string, string>> {
  const facts = alertFacts(event);
  const plain = { text: asIs, tags: (tags: readonly string[]) => tags.join(', '), schedule: asIs };
  const lines = [
    facts.ownTitle ?? `${facts.name} is ${facts.state}.`,
    causeSentence(facts),
    '',
    ...[...listedFacts(facts, plain), ...othersFact(facts, plain)].map(
      ({ label, value }) => `${label}: ${value}`,
    ),
    '',
    facts.link ?? '',
  ];
  return {
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: arn,
    Subject: subjectOf(facts.ownTitle ?? `${facts.state}: ${facts.name}`),
    Message: lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    ...attribute(1, 'status', event.to),
    ...attribute(2, 'check', event.check.uniqueKey),
    // Topics in order need a group, and recognise repetitions.
    ...(arn.endsWith('.fifo') && {
      MessageGroupId: event.check.uniqueKey,
      MessageDeduplicationId: event.deliveryId,
    }),
  };
}

/** By which subscribers can filter. */
function attribute(number: number, name: string, value: string): Record<string, string> {
  const entry = `MessageAttributes.entry.${number}`;
  return {
    [`${entry}.Name`]: name,
    [`${entry}.Value.DataType`]: 'String',
    [`${entry}.Value.StringValue`]: value,
  };
}

function subjectOf(words: string): string {
  const ascii = words.replaceAll('…', '...').replace(/\P{ASCII}/gu, '?');
  return ascii.length <= MAX_SUBJECT ? ascii : `${ascii.slice(0, MAX_SUBJECT - 3)}...`;
}

function asIs(text: string): string {
  return text;
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
async function signed(
  request: OutboundRequest,
  keys: { readonly accessKeyId: string; readonly secretAccessKey: string },
  arn: string,
  now: Instant,
): Promise<OutboundRequest> {
  const signer = new AwsV4Signer({
    ...keys,
    method: request.method,
    url: request.url,
    headers: request.headers,
    body: String(request.body),
    service: 'sns',
    region: TOPIC.exec(arn)?.[2] ?? '',
    datetime: `${toIsoSeconds(now).slice(0, 19).replace(/[:-]/g, '')}Z`,
  });
  const { headers } = await signer.sign();
  // The client sets the host itself.
  const { host: _, ...others } = Object.fromEntries(headers);
  return { ...request, headers: others };
}

/** https://docs.aws.amazon.com/sns/latest/api/API_Publish.html#API_Publish_Errors */
function classify(reply: Reply): Outcome {
  const body = textOf(reply);
  const words = /<Message>([^<]*)<\/Message>/.exec(body)?.[1];
  const isGone = reply.status === 404 && /<Code>NotFound<\/Code>/.test(body);
  return isGone ? goneForGood(reply, words) : classifyByStatus(reply, words);
}
