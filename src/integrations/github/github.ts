import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, line, type TextFormat } from '../../lib/env-setting.ts';
import { Fault, type Field, integer, text } from '../../lib/fields.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { conversationKind, type Ports } from '../kind/kind.ts';
import { codePoints, title } from '../kind/limits.ts';
import { recoverySetting } from '../kind/recovery-setting.ts';
import { MASK, type Setting } from '../kind/setting.ts';
import { goneForGood, isTaken, jsonOf } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { fittedBody } from '../text/fitted.ts';
import { listedFacts, othersFact, plainTitle, storySentence } from '../text/listed-facts.ts';
import { codeSpan, escapeMarkdown } from '../text/markup.ts';
import { githubCall, githubOutcome } from './api.ts';
import { GITHUB_CONSENT, githubConnection } from './connection.ts';
import { endIssue, issueName, issueOf } from './recovery.ts';

const MAX_LABELS = 20;
const MAX_LABEL = 50;

/** GitHub tells them in errors. */
const LIMITS = { title: title(codePoints(256)), body: codePoints(65_536) };

const SETTINGS = {
  installation_id: {
    label: 'Installation id',
    help: 'The number at the end of the address of the installed GitHub App.',
    field: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    control: 'number',
    connectedOnly: true,
  } satisfies Setting<number>,
  repo: {
    label: 'Repository',
    help: 'Owner and name, such as acme/backups.',
    field: text({ maxLength: 200, pattern: /^[\w.-]+\/[\w.-]+$/ }),
    control: 'text',
    connectedOnly: true,
  } satisfies Setting<string>,
  labels: {
    label: 'Labels',
    help: 'Of new issues, separated by commas.',
    field: labelsField(),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
  on_recovery: recoverySetting('issue', 'close'),
};

/** A key in PEM. Environments that know one line only have `\n` in it. */
const privateKey: TextFormat<string> = {
  accepts: 'a private key in PEM',
  parse(given) {
    const pem = given.replaceAll('\\n', '\n');
    return keyOf(pem) === null ? undefined : pem;
  },
};

const SERVER = {
  GITHUB_CLIENT_ID: {
    kind: line,
    default: null,
    doc: 'Client id of the GitHub App that opens issues; if unset, none are opened.',
  },
  GITHUB_PRIVATE_KEY: {
    kind: privateKey,
    default: null,
    secret: true,
    doc: 'Private key of that GitHub App, in PEM.',
  },
  ...GITHUB_CONSENT,
} satisfies EnvSettingTable;

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app */
export const github = conversationKind({
  label: 'GitHub',
  category: 'work',
  summary: 'an issue in a repository',
  description:
    'Opens an issue when a check goes down. When it comes up, the issue can get a comment, and be closed.',
  setup: [
    'Press **Connect GitHub**. GitHub asks whether this service may see which repositories you have.',
    'If the GitHub App of the operator is not in your account or organisation yet, install it, and give it access to the repository.',
    'Choose the repository. Nobody can enter one: GitHub says which ones are yours.',
    'In the settings of the integration choose labels, and what happens to the issue when the check comes up.',
  ],
  example: { installation_id: 12_345_678, repo: 'acme/backups', labels: 'incident, backup' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['GITHUB_CLIENT_ID', 'GITHUB_PRIVATE_KEY'],
  connection: githubConnection,
  target: ({ repo }) => repo,
  wants: ({ on_recovery: act }, to) => to === 'down' || act !== 'nothing',
  destination: () => 'api.github.com',
  endsTest: (settings) => ({ ...settings, on_recovery: 'close' as const }),
  takesOwnWords: true,
  limits: LIMITS,
  needsBody: true,
  needsStory: true,
  acceptedWith: () => '{"token":"a token that GitHub gives"}',
  async deliver(event, settings, ports, server): Promise<Outcome> {
    const { installation_id: installation, repo, labels, on_recovery: act } = settings;
    const { GITHUB_CLIENT_ID: app, GITHUB_PRIVATE_KEY: pem } = server;
    const key = pem === null ? null : keyOf(pem);
    if (app === null || (key === null && pem !== MASK))
      return { kind: 'refused', error: 'GitHub notifications are not enabled.' };
    const issue = issueOf(event, repo);
    // Nothing was opened for the outage that ends.
    if (event.to === 'up' && issue === null) return DELIVERED;
    const jwt = key === null ? MASK : await appToken(app, key, event.now);
    const token = await accessToken(ports, jwt, installation, repo, event.now);
    if (typeof token !== 'string') return token;
    const path = `/repos/${repo}/issues`;
    if (event.to === 'up') return endIssue(event, `${path}/${issue}`, act === 'close', token, ports);
    const reply = await ports.http(
      githubCall(token, path, { ...fittedBody(event, issueText, LIMITS), labels: labelsIn(labels) }),
    );
    if ('error' in reply) return tryAgain(reply.error);
    const { message, number } = jsonOf(reply);
    // The repository has no issues any more.
    if (reply.status === 410) return goneForGood(reply, message);
    const outcome = githubOutcome(reply, event.now);
    return outcome.kind === 'delivered' ? { ...outcome, ...issueName(repo, number) } : outcome;
  },
});

/**
 * https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app. The token has only the
 * needed permissions. GitHub names repositories without their owner here, and answers 422 if the installation has none
 * of that name.
 */
async function accessToken(
  ports: Ports,
  jwt: string,
  installation: number,
  repo: string,
  now: Instant,
): Promise<string | Outcome> {
  const [, name = ''] = repo.split('/');
  const reply = await ports.http(
    githubCall(jwt, `/app/installations/${installation}/access_tokens`, {
      repositories: [name],
      permissions: { issues: 'write' },
    }),
  );
  if ('error' in reply) return tryAgain(reply.error);
  if (reply.status === 404 || reply.status === 422) return tryAgain(`GitHub denied access to ${repo}`);
  if (!isTaken(reply)) return githubOutcome(reply, now);
  const { token } = jsonOf(reply);
  return typeof token === 'string' && token !== '' ? token : tryAgain('GitHub gave no token');
}

/** Signing takes a millisecond. With a callback another thread does it. */
const signed = promisify(sign);

/** GitHub refuses a token that is valid for longer. */
const TOKEN_SECONDS = 600;

/** GitHub refuses a token from the future, and clocks differ. */
const CLOCK_SECONDS = 60;

/** A JWT (RFC 7519) by which the app proves who it is. */
async function appToken(app: string, key: KeyObject, now: Instant): Promise<string> {
  const issuedAt = Math.floor(now / MICROS_PER_SECOND) - CLOCK_SECONDS;
  const claims = { iat: issuedAt, exp: issuedAt + TOKEN_SECONDS, iss: app };
  const unsigned = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  const signature = await signed('RSA-SHA256', Buffer.from(unsigned), key);
  return `${unsigned}.${signature.toString('base64url')}`;
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function keyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

function issueText(event: AlertEvent): { readonly title: string; readonly body: string } {
  const facts = alertFacts(event);
  const { ownTitle, name, state, reason, link, body } = facts;
  const dialect = {
    text: escapeMarkdown,
    tags: (tags: readonly string[]) => tags.map(codeSpan).join(' '),
    schedule: codeSpan,
  };
  const words = escapeMarkdown(ownTitle ?? name);
  const linked = link === null ? words : `[${words}](${link})`;
  const lines = [
    ownTitle === null ? `${linked} is **${state}**${reason === '' ? '' : ` (${reason})`}.` : linked,
    escapeMarkdown(storySentence(facts)),
    '',
    ...[...listedFacts(facts, dialect), ...othersFact(facts, dialect)].map(
      ({ label, value }) => `**${label}:** ${value}  `,
    ),
    ...(body === '' ? [] : ['', '**Last Ping Body:**', `<pre>${escapeHtml(body)}</pre>`]),
  ];
  return { title: plainTitle(facts), body: lines.join('\n') };
}

function labelsField(): Field<string> {
  const base = text({ maxLength: 500 });
  return {
    schema: base.schema,
    read(value, name) {
      const read = base.read(value, name);
      if (read instanceof Fault) return read;
      const labels = labelsIn(read);
      if (labels.length > MAX_LABELS) return new Fault(`${name} has more than ${MAX_LABELS} labels`);
      const long = labels.some((label) => [...label].length > MAX_LABEL);
      return long ? new Fault(`${name} has a label that is too long`) : labels.join(', ');
    },
  };
}

function labelsIn(written: string): string[] {
  return written
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
}
