import { uniqueKeyOf } from '../../domain/check/check.ts';
import { NO_RUN_FACTS } from '../../domain/ping/ping.ts';
import { type EnvSetting, flag } from '../../lib/env-setting.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Vault } from '../../lib/vault.ts';
import type { MessageSite } from '../../wire/site.ts';
import { alertMail } from '../email/message.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { MASK } from '../kind/setting.ts';
import { type ChannelKind, codeOf } from '../lookup.ts';
import { SERVER_SETTINGS, type ServerSettings } from '../settings/server-settings.ts';
import { openChannel } from './open-channel.ts';
import type { Preview } from './preview.ts';

const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';
/** The job that the message is about. */
export const SAMPLE_NAME = 'Nightly backup';
const AT: Instant = Date.UTC(2026, 10, 16, 3, 47, 12) * 1000;
const OUTPUT = ['dumping orders … done', 'dumping invoices …', 'pg_dump: error: connection to server lost'];

/**
 * The message of the kind about a job that has failed. For the documentation nothing of the operator is in it. With the settings of
 * an operator it goes where theirs lead.
 */
export function sampleOf(
  kind: ChannelKind,
  site: MessageSite,
  vault: Vault,
  server: ServerSettings = sampleServer(),
): Promise<Preview> {
  const channel = { kind, settings: { open: codeOf(kind).example, sealed: null } };
  return openChannel(channel, server, vault).preview(sampleEvent(site), {
    writeMail: async (event, to, unsubscribeUrl) => alertMail(event, to, unsubscribeUrl),
  });
}

/** The settings of an operator who has set everything. */
function sampleServer(): ServerSettings {
  const values = Object.entries<EnvSetting>(SERVER_SETTINGS).map(([name, setting]) => [
    name,
    sampleValue(setting),
  ]);
  return Object.fromEntries(values) as ServerSettings;
}

function sampleValue({ kind, default: preset, example = MASK, secret = false }: EnvSetting): unknown {
  if (secret) return MASK;
  return kind.parse(kind === flag ? 'True' : (preset ?? example));
}

function sampleEvent(site: MessageSite): AlertEvent {
  const startedAt = AT - seconds(46 * 60);
  const ping = {
    n: 412,
    createdAt: AT,
    signal: 'fail',
    exitStatus: 1,
    remoteAddr: '192.0.2.7',
  } as const;
  const body = new TextEncoder().encode(OUTPUT.join('\n'));
  return {
    deliveryId: '0b6f1f4e-58b1-4d0c-9d0b-3a1c6d1a7e11',
    isTest: false,
    now: AT + seconds(1),
    at: AT,
    to: 'down',
    reason: 'fail',
    downFor: null,
    check: {
      uuid: UUID,
      uniqueKey: uniqueKeyOf(UUID),
      name: SAMPLE_NAME,
      slug: 'nightly-backup',
      tags: 'prod db',
      description: 'Dumps the database.',
      cadence: { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC' },
      createdAt: Date.UTC(2025, 9, 1) * 1000,
      json: JSON.stringify({ name: SAMPLE_NAME, slug: 'nightly-backup', tags: 'prod db', status: 'down' }),
    },
    projectName: 'Acme',
    ping: {
      ...ping,
      checkId: 0,
      occurredAt: null,
      ...NO_RUN_FACTS,
      scheme: 'https',
      method: 'POST',
      userAgent: 'curl/8.14.1',
      rid: null,
      bodySize: body.length,
    },
    body,
    story: {
      about: {
        name: SAMPLE_NAME,
        description: 'Dumps the database.',
        projectName: 'Acme',
        graceSeconds: 3600,
        tz: 'UTC',
      },
      sentence: ['Down since ', { at: AT, as: 'clock' }, ' · exit status 1 after 46 min (usually 31 min)'],
      cause: {
        kind: 'failed',
        head: ['Exit status 1 after 46 min (usually 31 min).'],
        rest: [],
        exitStatus: 1,
      },
      dueAt: null,
      nextDueAt: AT + seconds(86_400) - (AT - startedAt),
      lastPing: { ...ping, duration: AT - startedAt },
      runs: [...Array<'ok'>(16).fill('ok'), 'late', 'ok', 'ok', 'failed'],
      outage: null,
      output: OUTPUT,
      told: ['alice@example.org'],
    },
    others: null,
    answers: null,
    statusUrl: null,
    buttons: [],
    site,
  };
}
