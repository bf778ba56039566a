import type { Outcome } from '../../domain/delivery.ts';
import { type EnvSettingTable, flag } from '../../lib/env-setting.ts';
import { type Reply, requestKind } from '../kind.ts';
import { classifyByStatus, statusError, textOf } from '../reply.ts';
import type { Setting } from '../setting.ts';
import { hostOf, maskedUrl, webUrlField } from '../url-field.ts';
import { slackPayload } from './payload.ts';

const SETTINGS = {
  url: {
    label: 'Webhook URL',
    help: 'The address of an incoming webhook of your Slack workspace.',
    field: webUrlField,
    control: 'url',
    secret: true,
    shown: maskedUrl,
  } satisfies Setting<string>,
};

const SERVER = {
  SLACK_ENABLED: { kind: flag, default: 'True', doc: 'Whether messages are sent to Slack.' },
} satisfies EnvSettingTable;

export const slack = requestKind({
  label: 'Slack',
  category: 'chat',
  summary: 'to a channel',
  description: 'Messages in a channel of your Slack workspace, by an incoming webhook.',
  example: { url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['SLACK_ENABLED'],
  target: ({ url }) => `Incoming webhook at ${hostOf(url)}`,
  wants: () => true,
  destination: ({ url }) => hostOf(url),
  needsBody: true,
  render(event, { url }, { SLACK_ENABLED: isEnabled }) {
    if (!isEnabled) return { kind: 'refused', error: 'Slack notifications are not enabled.' };
    return [
      {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(slackPayload(event)),
      },
    ];
  },
  classify,
});

/** Slack removes the address of a webhook when its app or channel is removed. */
function classify(reply: Reply): Outcome {
  const isGone = reply.status === 404 || (reply.status === 400 && textOf(reply) === 'invalid_token');
  return isGone ? { kind: 'permanent', error: statusError(reply) } : classifyByStatus(reply);
}
