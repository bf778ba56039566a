import type { Outcome } from '../../domain/alert/delivery.ts';
import { tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import { text } from '../../lib/fields.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { codePoints, title } from '../kind/limits.ts';
import { MASK, type Setting } from '../kind/setting.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, retryAfter } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { plainButtonLines } from '../text/button-links.ts';
import { causeSentence, plainTitle } from '../text/listed-facts.ts';
import { namedHosts } from './named-hosts.ts';

const MAX_URL = 512;

const SETTINGS = {
  url: {
    label: 'Apprise URL',
    help: 'As the list of services of Apprise describes it, such as tgram://bot-token/chat-id.',
    field: text({ maxLength: MAX_URL, pattern: /^\s*[A-Za-z][A-Za-z0-9+.-]*:\/\/\S/ }),
    control: 'text',
    secret: true,
    shown: (url: string) => url.replace(/:\/\/[\s\S]*$/, `://${MASK}`),
  } satisfies Setting<string>,
};

const SERVER = {
  APPRISE_API_URL: {
    kind: line,
    default: null,
    example: 'http://apprise:8000',
    doc: 'Address of the Apprise API server that sends for Apprise integrations, such as `http://apprise:8000`; if unset, none are sent. It may have a private address, but is given no Apprise URL that names one unless `INTEGRATIONS_ALLOW_PRIVATE_IPS` is on.',
  },
} satisfies EnvSettingTable;

/** https://github.com/caronc/apprise-api#api-details */
export const apprise = requestKind({
  label: 'Apprise',
  category: 'automation',
  summary: 'over 100 services',
  description: 'Messages to any service that Apprise knows, by the Apprise server of the operator.',
  setup: [
    'Find your service in the [list of Apprise](https://github.com/caronc/apprise/wiki), and make the URL that is described there.',
    'Paste the URL, and send a test. A server in a private network can be named only if the operator allows that.',
  ],
  example: { url: 'tgram://987654321:abcdefg_hijklmnop/12315544/' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['APPRISE_API_URL'],
  target: ({ url }) => url.replace(/:\/\/[\s\S]*$/, '').trim(),
  wants: () => true,
  destination: () => '',
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  /** https://github.com/caronc/apprise/wiki/Development_API: what services take that say nothing else. */
  limits: { title: title(codePoints(250)), body: codePoints(32_768) },
  needsBody: false,
  needsStory: true,
  render(event, { url }, { APPRISE_API_URL: server }) {
    if (server === null) return { kind: 'refused', error: 'Apprise is disabled and/or not installed' };
    const facts = alertFacts(event);
    const { link, others } = facts;
    const title = plainTitle(facts);
    const body = [causeSentence(facts), ...(others?.note ?? []), link ?? '', ...plainButtonLines(event)]
      .filter((part) => part !== '')
      .join('\n');
    const message = {
      urls: url.trim(),
      title,
      // The API refuses an empty body.
      body: body === '' ? title : body,
      type: TYPES[facts.state],
      format: 'text',
    };
    const call = jsonCall(`${server.replace(/\/+$/, '')}/notify/`, message);
    return [{ ...call, isOperators: true, passedOnTo: namedHosts(url) }];
  },
  classify,
});

/** https://github.com/caronc/apprise/wiki/Development_API#message-types-and-themes */
const TYPES = { DOWN: 'failure', UP: 'success', NOTED: 'warning' };

/** The words of the server may repeat the URL, so they are not kept. */
function classify(reply: Reply): Outcome {
  const outcome = classifyByStatus(reply);
  return outcome.kind === 'delivered' ? outcome : tryAgain('Failed', retryAfter(reply));
}
