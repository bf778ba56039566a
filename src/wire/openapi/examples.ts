import type { Channel } from '../../domain/alert/channel.ts';
import { NO_EXCHANGE } from '../../domain/alert/delivery.ts';
import { type Check, newCheck } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import type { ListedRun } from '../../domain/history/run-list.ts';
import { NO_RUN_FACTS } from '../../domain/ping/ping.ts';
import { type Instant, seconds, toIsoSeconds } from '../../lib/instant.ts';
import { accountProjectJson } from '../api/account-project-output.ts';
import { badgesJson } from '../api/badges-output.ts';
import {
  channelDetailsJson,
  channelJson,
  channelRefJson,
  kindJson,
  previewJson,
} from '../api/channel-output.ts';
import { checkAnswer } from '../api/check-output.ts';
import { deliveryJson, type ShownDelivery, testMessageJson } from '../api/delivery-output.ts';
import { flipJson } from '../api/flips.ts';
import { keyJson } from '../api/key-output.ts';
import { metricsJson } from '../api/metrics-output.ts';
import { pingJson } from '../api/ping-output.ts';
import { projectJson } from '../api/project-output.ts';
import type { QuietTimeJson } from '../api/quiet-time-output.ts';
import { runJson } from '../api/runs.ts';
import { invitationJson, memberJson } from '../api/team-output.ts';
import type { WhyJson } from '../api/why-output.ts';
import { invitationAddress } from '../dashboard/addresses.ts';
import { wallJson } from '../dashboard/wall-output.ts';

// The presenters make the examples, so the examples show real answers of the API.

const SITE = {
  root: 'https://tocsin.example.org',
  pingEndpoint: 'https://tocsin.example.org/ping/',
  masterBadgeLabel: 'Tocsin',
};

/** 2026-03-24T14:00:00Z. */
const NOW: Instant = seconds(1_774_360_800);
const LAST_PING = NOW - seconds(3_480);

export const CHECK_UUID = '31365bce-8da9-4729-8ff3-aaa71d56b712';
export const QUIET_TIME_UUID = '6a2c5f0e-93c1-4f0b-8a53-0d7b7a51c9e4';
export const CHANNEL_UUID = '1bdea468-03bf-47b8-ab27-29a9dd0e4b94';
export const UNIQUE_KEY = 'a6c7b0a8a66bed0df66abfdab3c77736861703ee';
export const BADGE_KEY = '72ad6b2b-1d8a-4bd8-ad24-1d1d05f48cd3';
export const BADGE_SIGNATURE = 'HLoyq8dX';

export const PROJECT_UUID = '5c1f8e0e-6b3e-4c6f-9b59-0f5a7b1d9c52';
export const KEY_UUID = '0b9d7a44-2f0c-4f39-8f6c-7c1f4f1b2d55';
export const PING_KEY = 'k3v9q0d7x1m5c8z2b4n6p0';

export const ACCOUNT_PROJECT = accountProjectJson(
  { uuid: PROJECT_UUID, name: 'Backups', createdAt: NOW },
  'owner',
);

export const DELETED_PROJECT = {
  uuid: PROJECT_UUID,
  name: 'Backups',
  deletes_at: toIsoSeconds(NOW + seconds(7 * 86_400)),
};

export const MEMBER_UUID = '8a2f6c14-5e0b-4c8a-9d57-3b1e7f60c2aa';
export const INVITATION_UUID = 'e4b1c6a2-7d3f-4a55-b0c8-2f9a6d1e8b47';

export const MEMBER = memberJson(
  {
    accountId: 1,
    uuid: MEMBER_UUID,
    email: 'alice@example.org',
    name: 'Alice',
    role: 'owner',
    createdAt: NOW,
    lastSeenAt: NOW,
    hasSecondFactor: true,
  },
  { isWhole: true },
);

export const INVITATION = invitationJson({
  id: 1,
  uuid: INVITATION_UUID,
  projectId: 1,
  digest: '',
  email: 'bob@example.org',
  role: 'manager',
  invitedBy: 1,
  inviter: { email: 'alice@example.org', name: 'Alice', isAdmin: false, role: 'owner' },
  project: { uuid: PROJECT_UUID, name: 'Backups' },
  createdAt: NOW,
  expiresAt: NOW + seconds(7 * 86_400),
});
export const INVITATION_LINK = invitationAddress(SITE.root, 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE');

export const API_KEY = keyJson(
  {
    id: 1,
    uuid: KEY_UUID,
    projectId: 1,
    kind: 'read_write',
    name: 'Terraform',
    lookup: '3Jd8sKq0',
    digest: '',
    secretId: null,
    createdAt: NOW,
    madeBy: 'session',
    makerId: 1,
    makerEmail: 'alice@example.org',
    expiresAt: null,
    lastUsedAt: null,
    lastUsedAddr: null,
  },
  NOW,
);
export const WALL = wallJson({
  id: 1,
  uuid: '2f7c1d90-4b7e-4f0a-9a53-6d1c8e2b7a31',
  projectId: 1,
  name: 'Office',
  lookup: 'x7Kd02Lm',
  digest: '',
  makerId: 1,
  makerEmail: 'alice@example.org',
  createdAt: NOW,
});
export const MADE_API_KEY = { ...API_KEY, secret: 'hcw_3Jd8sKq0Zx7Vb2Nm5Lp9Rt4Wy6Uc' };

const BACKUP: Check = {
  id: 1,
  ...newCheck(
    {
      ...DEFAULT_CONFIG,
      name: 'Database backup',
      slug: 'database-backup',
      tags: 'prod db',
      description: 'Nightly dump to the archive.',
      graceSeconds: 900,
    },
    { uuid: CHECK_UUID, badgeKey: 'd6bcb5a0-bd0e-4a3c-a3b3-6a2a0a4b3f2e', projectId: 1, createdAt: 0 },
  ),
  status: 'up',
  pingCount: 112,
  lastPingAt: LAST_PING,
  lastDuration: seconds(42.7),
};

const BY_CRON: Check = { ...BACKUP, kind: 'cron', schedule: '15 2 * * *', tz: 'Europe/Riga' };

const viewer = (seesAddresses: boolean) => ({
  seesAddresses,
  version: 3 as const,
  now: NOW,
  site: SITE,
});

export const SIMPLE_CHECK = checkAnswer(BACKUP, [CHANNEL_UUID], viewer(true));
export const CRON_CHECK = checkAnswer(BY_CRON, [CHANNEL_UUID], viewer(true));
export const READ_ONLY_CHECK = checkAnswer(BACKUP, [], viewer(false));
export const PAUSED_CHECK = checkAnswer({ ...BACKUP, status: 'paused' }, [CHANNEL_UUID], viewer(true));
export const RESUMED_CHECK = checkAnswer(
  { ...BACKUP, status: 'new', lastPingAt: null },
  [CHANNEL_UUID],
  viewer(true),
);

const PING = {
  checkId: 1,
  n: 112,
  createdAt: LAST_PING + 4_005,
  occurredAt: null,
  ...NO_RUN_FACTS,
  signal: 'success' as const,
  scheme: 'https',
  method: 'POST',
  remoteAddr: '192.0.2.7',
  userAgent: 'curl/8.5.0',
  rid: '123e4567-e89b-12d3-a456-426614174000',
  exitStatus: null,
  bodySize: 19,
};

const CHECK_URL = `${SITE.root}/api/v3/checks/${CHECK_UUID}`;

export const PINGS = [
  pingJson({ ping: PING, duration: seconds(42.7) }, CHECK_URL),
  pingJson(
    {
      ping: { ...PING, n: 111, signal: 'start', createdAt: PING.createdAt - seconds(42.7), bodySize: 0 },
      duration: null,
    },
    CHECK_URL,
  ),
];

const RUN: ListedRun = {
  result: 'ok',
  ...{ n: 112, rid: PING.rid, place: { at: LAST_PING, n: 112 }, expectedAt: LAST_PING - seconds(42.7) },
  ...{ startedAt: LAST_PING - seconds(42.7), endedAt: LAST_PING, duration: seconds(42.7), exitStatus: 0 },
  ...{ flags: 0, numbers: '{"rows":5120}', hasBody: true, excerpt: null, count: 1 },
};

const NIGHT_BEFORE = LAST_PING - seconds(86_400);

export const RUNS = [
  RUN,
  {
    ...RUN,
    n: 110,
    result: 'warned' as const,
    endedAt: NIGHT_BEFORE,
    exitStatus: 24,
    flags: 1,
    hasBody: false,
  },
  {
    ...{ ...RUN, result: 'missed' as const, n: null, rid: null, expectedAt: NIGHT_BEFORE - seconds(86_400) },
    ...{ startedAt: null, endedAt: null, duration: null, exitStatus: null, numbers: null, hasBody: false },
  },
].map((run) => runJson(run, { checkUrl: CHECK_URL, seesBodies: true }));

const flip = (id: number, createdAt: Instant, newStatus: 'up' | 'down'): Flip => ({
  id,
  checkId: 1,
  createdAt,
  oldStatus: newStatus === 'up' ? 'down' : 'up',
  newStatus,
  reason: newStatus === 'up' ? '' : 'timeout',
  cause: newStatus === 'up' ? '' : 'missed',
});

export const FLIPS = [flip(8, LAST_PING, 'up'), flip(7, LAST_PING - seconds(5_400), 'down')].map(flipJson);

export const PROJECT = projectJson(
  { name: 'Night jobs', uuid: 'b9a1c0c2-55d1-4a0b-8a35-6c1f2f6ad7e4' },
  SITE,
  true,
);

const ON_CALL: Channel = {
  id: 1,
  uuid: CHANNEL_UUID,
  projectId: 1,
  kind: 'email',
  name: 'On call',
  settings: { open: {}, sealed: null },
  verified: true,
  off: null,
  lastAttempt: { startedAt: LAST_PING - seconds(5_390), duration: 412_093, error: '' },
  failingSince: null,
  pausedUntilAt: null,
  createdAt: 0,
};

export const ENABLED_CHANNEL = channelJson(ON_CALL);
export const DISABLED_CHANNEL = channelJson({
  ...ON_CALL,
  off: { reason: 'switched_off', error: '', at: NOW },
});
export const CHANNELS = [channelRefJson(ON_CALL)];

export const NEW_CHANNEL = {
  kind: 'email',
  name: 'On call',
  settings: { email: 'on-call@example.org' },
  events: ['down_timeout', 'down_fail'],
  checks: '*',
};
export const CHANNEL_DETAILS = channelDetailsJson({
  channel: ON_CALL,
  settings: NEW_CHANNEL.settings,
  events: ['down_timeout', 'down_fail'],
  buttons: 'answer',
});
export const CHANNEL_KINDS = [
  kindJson({
    kind: 'po',
    label: 'Pushover',
    category: 'phone',
    summary: 'to devices',
    description: 'Push messages to the devices of a user or a group.',
    schema: {
      type: 'object',
      properties: { user_key: { type: 'string', title: 'User key', writeOnly: true } },
      required: ['user_key'],
      additionalProperties: false,
    },
    settings: { user_key: { secret: true } },
    example: { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' },
    missing: 'PUSHOVER_API_TOKEN',
    confirmedBy: null,
    connectedOnly: [],
  }),
];
export const MESSAGE_PREVIEW = previewJson({
  requests: [
    {
      method: 'POST',
      url: 'https://example.org/••••••••?status=down',
      headers: { Authorization: '••••••••' },
      body: '{"job": "Nightly backup"}',
    },
  ],
  mails: [],
  channels: [],
  error: '',
});

const ON_CALL_REF = { id: CHANNEL_UUID, name: 'On call', kind: 'email' };
const NEXT_NIGHT = toIsoSeconds(LAST_PING + seconds(86_400));

export const WHY: WhyJson = {
  status: 'down',
  cause: 'failed',
  since: toIsoSeconds(LAST_PING),
  policy: { name: 'twice', because: 'tag db' },
  asks_again: NEXT_NIGHT,
  gates: [{ gate: 'bad_runs', open: false, says: '1 of 2 bad runs', until: NEXT_NIGHT }],
  told: [],
  waits: [],
  would_tell: [
    { at: NEXT_NIGHT, channel: ON_CALL_REF, status: 'down', event: 'first', because: ['assigned'] },
  ],
  not_told: [
    {
      channel: { id: '4ec5a071-2d08-4baa-898a-eb4eb3cd6941', name: 'Chat', kind: 'slack' },
      because: 'event_not_wanted',
      says: 'wants down_timeout, up',
      until: null,
    },
  ],
};

const DELIVERY: ShownDelivery = {
  id: 1,
  uuid: '7c5f1c1e-2f0b-4a2e-9d38-5b3d8a1f6c90',
  channelUuid: CHANNEL_UUID,
  channelName: 'On call',
  channelKind: 'email',
  checkId: 1,
  channelId: 1,
  flipId: 7,
  accountId: 1,
  messageId: null,
  ordinal: 0,
  why: '',
  status: 'down',
  state: 'delivered',
  attemptCount: 2,
  nextAttemptAt: null,
  leasedUntilAt: null,
  error: '',
  createdAt: LAST_PING - seconds(5_400),
  finishedAt: LAST_PING - seconds(5_390) + 412_093,
  attempts: [
    {
      deliveryId: 1,
      n: 1,
      startedAt: LAST_PING - seconds(5_400) + 20_417,
      duration: 1_204_118,
      error: 'Mail was not accepted: 451 try again later',
      ...NO_EXCHANGE,
    },
    {
      deliveryId: 1,
      n: 2,
      startedAt: LAST_PING - seconds(5_390),
      duration: 412_093,
      error: '',
      ...NO_EXCHANGE,
    },
  ],
};

export const DELIVERIES = [
  deliveryJson({ ...DELIVERY, why: 'again', ordinal: 1 }, 3),
  deliveryJson(DELIVERY, 3),
];

export const TEST_MESSAGE = testMessageJson(null, null, {
  request: 'POST https://example.org',
  answer: '200 OK: thanks',
});
export const REFUSED_TEST_MESSAGE = testMessageJson('Received status code 500', null);
export const TEST_MESSAGE_TO_DISABLED = testMessageJson(null, {
  reason: 'unsubscribed',
  error: '',
  at: NOW,
});

export const BADGES = badgesJson(
  [
    { tag: 'prod', badgeKey: BADGE_KEY, signature: BADGE_SIGNATURE },
    { tag: '*', badgeKey: BADGE_KEY, signature: '6SKpySaJ' },
  ],
  SITE,
);

export const METRICS = metricsJson({ pings: 48_112, lastDeliveryId: 97, openFlips: 0 }, NOW);

export const QUIET_TIME: QuietTimeJson = {
  uuid: QUIET_TIME_UUID,
  name: 'deploy 412',
  reason: 'deploy 412',
  made_by: 'CI',
  checks: [],
  tags: 'web',
  state: 'running',
  from: '2026-03-04T01:30:00+00:00',
  until: '2026-03-04T02:00:00+00:00',
  schedule: null,
  tz: null,
  duration: 1800,
  whole_project: false,
};

export const SUNDAYS: QuietTimeJson = {
  ...QUIET_TIME,
  uuid: '3d9d0a1c-52b9-4b7e-9a0e-2f8f0f0c6a17',
  name: 'sunday',
  reason: '',
  tags: '',
  state: 'coming',
  from: '2026-03-07T23:00:00+00:00',
  until: '2026-03-08T03:00:00+00:00',
  schedule: 'Sun 01:00',
  tz: 'Europe/Riga',
  duration: 14_400,
  whole_project: true,
};
