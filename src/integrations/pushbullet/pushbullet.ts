import type { Outcome } from '../../domain/alert/delivery.ts';
import { tryAgain } from '../../domain/alert/delivery.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { keySetting } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { OUR_LIMIT } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { goneForGood, isTaken, jsonOf, limitEndsIn, retryAfter, statusErrorWith } from '../send/reply.ts';
import { plainButtonLines } from '../text/button-links.ts';
import { incidentOf, incidentText } from '../text/incident.ts';
import { PUSHBULLET_APP, pushbulletConnection } from './connection.ts';

export const pushbullet = requestKind({
  label: 'Pushbullet',
  category: 'phone',
  summary: 'to devices',
  description: 'Notes on all devices of a Pushbullet account.',
  setup: [
    'Sign in at [pushbullet.com](https://www.pushbullet.com/), and open **Settings**, **Account**.',
    'Choose **Create Access Token**, and copy the token. Pushbullet shows it once.',
    'Paste the token. Whoever knows it can read and write everything of the account, so it is kept encrypted.',
  ],
  example: { token: 'o.ZVJcMEDJ1WdmSwpQ0k3XlPRJFcG8Kkbw' },
  settings: {
    token: keySetting('Access token', 'The token that the page Settings of Pushbullet creates.', 200),
  },
  server: PUSHBULLET_APP,
  connection: pushbulletConnection,
  target: () => '',
  wants: () => true,
  destination: () => 'api.pushbullet.com',
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  limits: { '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  render(event, { token }) {
    return [jsonCall('https://api.pushbullet.com/v2/pushes', noteOf(event), { 'Access-Token': token })];
  },
  classify,
});

/** https://docs.pushbullet.com/#create-push */
function noteOf(event: AlertEvent): object {
  const incident = incidentOf(event);
  const { link } = incident.facts;
  const lines = [incidentText(incident), ...(link === null ? [] : [link]), ...plainButtonLines(event)];
  return { type: 'note', title: event.site.name, body: lines.join('\n') };
}

/** https://docs.pushbullet.com/#http-status-codes: 401 stands for a token that was revoked. */
function classify(reply: Reply): Outcome {
  if (isTaken(reply)) return { kind: 'delivered' };
  const { error } = jsonOf(reply);
  const words = typeof error === 'object' && error !== null && 'message' in error ? error.message : null;
  if (reply.status === 401) return goneForGood(reply, words);
  // https://docs.pushbullet.com/#ratelimiting
  const limit = reply.status === 429 ? limitEndsIn(reply) : null;
  return tryAgain(statusErrorWith(reply, words), retryAfter(reply) ?? limit);
}
