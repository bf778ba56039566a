import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { type WholeImport, wholeImport } from '../../../test/import/whole-import.ts';
import type { ServerSettings } from '../../integrations/registry.ts';
import { fromIso, seconds, toIsoSeconds } from '../../lib/instant.ts';
import type { ImportedPing } from '../../services/importing/import.ts';
import type { KnownCheck } from '../../services/importing/known-checks.ts';
import type { DeclaredChannel, DeclaredCheck } from '../../services/provisioning/declaration.ts';
import { KUMA_VERSIONS, KumaFixture, kumaFacts } from './fixture.test-support.ts';
import { readKuma } from './import.ts';

const NOW = fromIso('2026-11-18T00:00:00Z') ?? 0;

interface ReadOptions {
  readonly server?: Readonly<Record<string, string>>;
  readonly known?: ReadonlyMap<string, KnownCheck>;
}

async function read({ path }: KumaFixture, { server = {}, known = new Map() }: ReadOptions = {}) {
  const made = await readKuma({
    path,
    owner: 'alice@example.org',
    project: 'Uptime Kuma',
    // Settings that are absent are unset.
    instance: { server: server as Partial<ServerSettings> as ServerSettings, hasMail: false },
    now: NOW,
    knownChecks: async () => known,
  });
  return wholeImport(made);
}

const channelsOf = ({ declaration }: WholeImport): readonly DeclaredChannel[] =>
  declaration.projects[0]?.channels ?? [];

const checksOf = ({ declaration }: WholeImport): readonly DeclaredCheck[] =>
  declaration.projects[0]?.checks ?? [];

function checkNamed(made: WholeImport, name: string) {
  const declared = checksOf(made).find(({ edit }) => edit.name === name);
  const imported = made.checks.get(declared?.uuid ?? '');
  assert.ok(declared !== undefined && imported !== undefined, name);
  return { ...declared, uuid: declared.uuid ?? '', imported };
}

async function pingsOf(made: WholeImport, after = 0): Promise<ImportedPing[]> {
  const pings: ImportedPing[] = [];
  for await (const ping of made.pings(after)) pings.push(ping);
  return pings;
}

const leftOut = ({ remarks }: WholeImport, name: string) =>
  remarks.notCarried.filter((one) => one.name === name);

for (const version of KUMA_VERSIONS) {
  describe(`a database of Uptime Kuma ${version}`, () => {
    test('push monitors become checks, and all others are named', async () => {
      using fixture = new KumaFixture(version);
      using made = await read(fixture);
      const { monitors } = kumaFacts(version);
      const carried = monitors.filter(({ here }) => here.carried);
      assert.deepEqual(
        checksOf(made).map(({ edit }) => edit.name),
        carried.map(({ name }) => name),
      );
      for (const [index, { here, token, notifications = [] }] of carried.entries()) {
        const { uuid = '', edit, channels = '' } = checksOf(made)[index] ?? assert.fail();
        const imported = made.checks.get(uuid);
        assert.equal(edit.timeoutSeconds, here.timeout);
        assert.equal(edit.graceSeconds, here.grace);
        assert.equal(imported?.state.status, here.status);
        assert.equal(edit.manualResume, here.manual_resume ?? false);
        assert.match(edit.description ?? '', new RegExp(here.desc_includes ?? ''));
        for (const tag of here.tags_include ?? []) assert.ok(edit.tags?.split(' ').includes(tag), tag);
        assert.deepEqual(imported?.aliases, [{ dialect: 'kuma', token }]);
        const names = channelsOf(made).filter((one) => channels.split(',').includes(one.uuid ?? '-'));
        const wanted = kumaFacts(version).notifications.filter(({ id }) => notifications.includes(id));
        const assigned = new Set(names.map(({ name }) => name.replace(/ \(.*\)$/, '')));
        const carriedOnes = wanted.filter(
          ({ type }) => !['nextcloudtalk', 'line', 'squadcast'].includes(type),
        );
        assert.deepEqual(
          [...assigned],
          carriedOnes.map(({ name }) => name),
        );
      }
      for (const { name, here } of monitors.filter((one) => !one.here.carried)) {
        const [remark] = leftOut(made, name);
        assert.ok(remark?.reason.includes(here.becomes_tag ?? ''), name);
      }
      assert.match(leftOut(made, '5')[0]?.hint ?? '', /Gatus/);
    });

    test('notifications become integrations, with the values that Uptime Kuma has', async () => {
      using fixture = new KumaFixture(version);
      using made = await read(fixture, { server: { SIGNAL_CLI_SOCKET: '/run/signal' } });
      for (const { name, here } of kumaFacts(version).notifications) {
        const found = channelsOf(made).filter((one) => one.name.replace(/ \(.*\)$/, '') === name);
        if (here.kind === null) {
          const isWebhook = found.length === 1 && found[0]?.kind === 'webhook';
          assert.ok(isWebhook || leftOut(made, name).some(({ what }) => what === 'integration'), name);
          continue;
        }
        assert.deepEqual([...new Set(found.map(({ kind }) => kind))], [here.kind], name);
        assert.ok(found.every(({ verified }) => verified));
        const recipients = found.map(({ settings }) => settings.email ?? settings.recipient);
        assert.deepEqual(
          recipients.filter((one) => one !== undefined),
          here.several ?? [],
        );
        for (const [key, value] of Object.entries(here.settings ?? {}))
          assert.deepEqual(found[0]?.settings[key], value, `${name} ${key}`);
        for (const [setting, value] of Object.entries(here.server ?? {})) {
          assert.equal(made.settings.get(setting), value);
          assert.ok(made.needs.some((need) => need.setting === setting));
        }
      }
      assert.equal(made.settings.get('EMAIL_PORT'), '587');
      assert.deepEqual(
        made.needs.map(({ setting }) => setting),
        [
          'TELEGRAM_TOKEN',
          'EMAIL_HOST',
          'PUSHOVER_API_TOKEN',
          'MATRIX_HOMESERVER',
          'MATRIX_ACCESS_TOKEN',
          'SIGNAL_CLI_SOCKET',
          'APPRISE_API_URL',
        ],
      );
    });

    test('no remark contains a secret', async () => {
      using fixture = new KumaFixture(version);
      using made = await read(fixture);
      const told = JSON.stringify([made.remarks, made.needs, made.origin, made.refusals]);
      for (const secret of fixture.secrets()) assert.ok(!told.includes(secret), secret);
    });

    test('nothing beside the database or in it changes', async () => {
      using fixture = new KumaFixture(version);
      const seen = () => [
        ...readdirSync(fixture.folder),
        readFileSync(fixture.path, 'base64'),
        statSync(fixture.path).mtimeMs,
      ];
      const before = seen();
      using made = await read(fixture);
      await pingsOf(made);
      assert.deepEqual(seen(), before);
    });

    test('text of any kind in any column makes remarks at most', async () => {
      const columns = {
        monitor: [
          'name',
          'description',
          'interval',
          'maxretries',
          'retry_interval',
          'resend_interval',
          'created_date',
          'parent',
          'push_token',
        ],
        heartbeat: ['msg', 'time', 'ping'],
        notification: ['name', 'config'],
        tag: ['name'],
        monitor_tag: ['value'],
      };
      for (const hostile of [
        'a\0b',
        'x'.repeat(1_000_000),
        '\u202e\n"{{',
        new Uint8Array([0xff, 0xfe]),
        2n ** 62n,
      ]) {
        using fixture = new KumaFixture(version);
        fixture.work((database) => {
          for (const [table, names] of Object.entries(columns))
            database
              .prepare(`update ${table} set ${names.map((name) => `${name} = $1`).join(', ')} where id < 9`)
              .run({ 1: hostile });
        });
        using made = await read(fixture);
        assert.equal(checksOf(made).length, 11);
        await pingsOf(made);
        for (const { edit } of checksOf(made)) {
          assert.ok([...(edit.name ?? '')].length <= 100);
          assert.doesNotMatch(`${edit.name}${edit.tags}${edit.description}`, /\0/);
        }
        assert.ok(JSON.stringify(made.remarks).length < 100_000);
      }
    });
  });
}

test('the database of a running Uptime Kuma is read with what it has not written back', async () => {
  using fixture = new KumaFixture('2');
  using writer = new DatabaseSync(fixture.path);
  writer.exec("pragma journal_mode = wal; update monitor set name = 'Renamed' where id = 3");
  using made = await read(fixture);
  assert.equal(checkNamed(made, 'Renamed').slug, 'renamed');
});

test('older databases without groups and descriptions are read', async () => {
  using fixture = new KumaFixture('1.23');
  fixture.work((database) =>
    database.exec(`create table older as select id, name, active, interval, type, maxretries, upside_down, push_token, retry_interval from monitor;
      drop table monitor; alter table older rename to monitor`),
  );
  using made = await read(fixture);
  assert.equal(checkNamed(made, 'Nightly backup').edit.tags, 'prod team-ops-night-shift');
  assert.equal(checkNamed(made, 'Nightly backup').imported.createdAt, NOW);
});

test('what is no database of a known version is refused with the reason', async () => {
  using fixture = new KumaFixture('2');
  const refused = (reason: RegExp) => assert.rejects(read(fixture), { name: 'SourceError', message: reason });
  fixture.run("delete from setting where key = 'jwtSecret'");
  await refused(/jwtSecret/);
  fixture.run('alter table monitor drop column push_token');
  await refused(/no column push_token in monitor: update/);
  fixture.run('drop table heartbeat');
  await refused(/is no database of Uptime Kuma/);
  writeFileSync(fixture.path, 'no database');
  await refused(/is no SQLite database/);
});

test('intervals and retries become timeout and grace within the limits', async () => {
  using fixture = new KumaFixture('2');
  const timed: [number, number, number, number, number][] = [
    [20, 0, 0, 60, 60],
    [600, 3, 0, 600, 1_800],
    [3_600, 2, 3_600, 3_600, 7_200],
    [40_000_000, 0, 60, 31_536_000, 60],
    [3_600, 1_000_000, 1_000_000, 3_600, 31_536_000],
    [3_600, -5, 60, 3_600, 60],
  ];
  for (const [interval, retries, retryInterval, timeout, grace] of timed) {
    fixture.run(
      'update monitor set interval = ?, maxretries = ?, retry_interval = ? where id = 3',
      interval,
      retries,
      retryInterval,
    );
    using made = await read(fixture);
    const { edit } = checkNamed(made, 'Nightly backup');
    assert.deepEqual([edit.timeoutSeconds, edit.graceSeconds], [timeout, grace]);
    const changed = made.remarks.changed.filter(({ entry }) => entry.endsWith('/nightly-backup'));
    assert.equal(
      changed.some(({ field }) => field === 'timeout'),
      interval !== timeout,
    );
  }
});

test('equal names get slugs that stay, whatever is added later', async () => {
  using fixture = new KumaFixture('2');
  const first = await read(fixture);
  const known = new Map(checksOf(first).map(({ uuid = '', slug }) => [uuid, { slug, imported: null }]));
  first[Symbol.dispose]();
  fixture.run('update monitor set id = 2 + 1000 where id = 2');
  fixture.run("insert into monitor (id, name, type, push_token) values (2, 'Twin', 'push', 'aNewToken123')");
  using second = await read(fixture, { known });
  const twins = checksOf(second).filter(({ edit }) => edit.name === 'Twin');
  assert.deepEqual(
    twins.map(({ slug }) => slug),
    ['twin-3', 'twin', 'twin-2'],
  );
  assert.equal(first.origin.identity, second.origin.identity);
});

test('a slug that another check of the project has is not taken, and a name without letters has one', async () => {
  using fixture = new KumaFixture('2');
  fixture.run("update monitor set name = '日本' where id = 11");
  using made = await read(fixture, {
    known: new Map([['a person made it', { slug: 'heartbeat', imported: null }]]),
  });
  assert.equal(checkNamed(made, 'Heartbeat').slug, 'heartbeat-2');
  assert.equal(checkNamed(made, '日本').slug, 'monitor-11');
});

test('UUIDs are of version 4 and differ between installations', async () => {
  using fixture = new KumaFixture('2');
  const made = await read(fixture);
  made[Symbol.dispose]();
  fixture.run("update setting set value = 'another' where key = 'jwtSecret'");
  using other = await read(fixture);
  const uuids = [made, other].flatMap((one) =>
    [...checksOf(one), ...channelsOf(one)].map(({ uuid }) => uuid),
  );
  assert.equal(new Set(uuids).size, uuids.length);
  for (const uuid of uuids)
    assert.match(uuid ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('a monitor in a paused group is paused, and groups in a circle end', async () => {
  using fixture = new KumaFixture('2');
  fixture.run('update monitor set active = 0, parent = 2 where id = 1');
  using made = await read(fixture);
  const { imported, edit } = checkNamed(made, 'Nightly backup');
  assert.equal(imported.state.status, 'paused');
  assert.equal(edit.manualResume, true);
});

test('a token that is too short, or that another monitor has, is told', async () => {
  using fixture = new KumaFixture('2');
  fixture.run("update monitor set push_token = 'short' where id = 3");
  fixture.run('update monitor set push_token = (select push_token from monitor where id = 13) where id = 14');
  using made = await read(fixture);
  assert.deepEqual(checkNamed(made, 'Nightly backup').imported.aliases, []);
  const told = made.remarks.notCarried.filter(({ what }) => what === 'push address');
  assert.deepEqual(
    told.map(({ name }) => name),
    ['Nightly backup', 'Twin'],
  );
});

describe('history', () => {
  const beat = (
    fixture: KumaFixture,
    monitor: number,
    minute: number,
    status: number,
    msg: string,
    important: number,
  ) =>
    fixture.run(
      'insert into heartbeat (monitor_id, time, status, msg, important) values (?, ?, ?, ?, ?)',
      ...[
        monitor,
        toIsoSeconds(NOW - seconds(86_400) + seconds(60 * minute))
          .slice(0, 19)
          .replace('T', ' '),
      ],
      ...[status, msg, important],
    );
  const SILENCE = 'No heartbeat in the time window';

  test('silence gives changes of status and no pings', async () => {
    using fixture = new KumaFixture('2');
    beat(fixture, 9, 1, 0, SILENCE, 1);
    beat(fixture, 9, 2, 3, 'Monitor under maintenance', 1);
    beat(fixture, 9, 3, 1, 'OK', 1);
    beat(fixture, 9, 4, 2, 'once more', 0);
    beat(fixture, 9, 5, 0, 'broken', 1);
    using made = await read(fixture);
    const { uuid, imported } = checkNamed(made, 'Twenty-four days');
    assert.equal(imported.state.status, 'down');
    assert.deepEqual(
      imported.flips.map(({ oldStatus, newStatus, reason }) => [oldStatus, newStatus, reason]),
      [
        ['new', 'up', ''],
        ['up', 'down', 'timeout'],
        ['down', 'up', ''],
        ['up', 'down', 'fail'],
      ],
    );
    const pings = (await pingsOf(made)).filter(({ checkUuid }) => checkUuid === uuid);
    assert.deepEqual(
      pings.slice(6).map(({ n, signal, body }) => [n, signal, body === null ? null : String(body)]),
      [
        [7, 'success', null],
        [8, 'log', 'once more'],
        [9, 'fail', 'broken'],
      ],
    );
    assert.equal(imported.state.pingCount, 9);
    assert.equal(imported.state.lastPingAt, pings.at(-1)?.createdAt);
  });

  test('the newest hundred pings are carried, with their numbers, from any place on', async () => {
    using fixture = new KumaFixture('2');
    fixture.run('delete from heartbeat');
    for (let minute = 1; minute <= 130; minute++) beat(fixture, 9, minute, 1, `run ${minute}`, 0);
    using made = await read(fixture);
    const pings = await pingsOf(made);
    assert.deepEqual([pings.length, pings[0]?.n, pings.at(-1)?.n], [100, 31, 130]);
    assert.equal(String(pings[0]?.body), 'run 31');
    assert.equal(checkNamed(made, 'Twenty-four days').imported.state.pingCount, 130);
    assert.equal(made.origin.newestPingAt, pings.at(-1)?.createdAt);
    assert.deepEqual(await pingsOf(made, pings[97]?.place), pings.slice(98));
  });

  test('pushes that Uptime Kuma has removed since are counted on', async () => {
    using fixture = new KumaFixture('2');
    const first = await read(fixture);
    const { uuid, slug, imported } = checkNamed(first, 'Twenty-four days');
    first[Symbol.dispose]();
    fixture.run('delete from heartbeat where monitor_id = 9 and id < 20');
    for (let minute = 11; minute <= 13; minute++) beat(fixture, 9, minute, 1, 'OK', 0);
    using second = await read(fixture, { known: new Map([[uuid, { slug, imported: imported.state }]]) });
    assert.equal(imported.state.pingCount, 6);
    assert.equal(checkNamed(second, 'Twenty-four days').imported.state.pingCount, 9);
    const numbers = (await pingsOf(second)).filter(({ checkUuid }) => checkUuid === uuid).map(({ n }) => n);
    assert.deepEqual(numbers, [3, 4, 5, 6, 7, 8, 9]);
  });

  test('a monitor that was never pushed is new, unless Uptime Kuma may have forgotten its pushes', async () => {
    using fixture = new KumaFixture('2');
    beat(fixture, 8, 1, 0, SILENCE, 1);
    const made = await read(fixture);
    made[Symbol.dispose]();
    assert.equal(checkNamed(made, 'Never pushed').imported.state.status, 'new');
    fixture.run("update monitor set created_date = '2024-01-01 00:00:00' where id = 8");
    using later = await read(fixture);
    assert.equal(checkNamed(later, 'Never pushed').imported.state.status, 'down');
  });

  test('what the job has measured is a line of the body', async () => {
    using fixture = new KumaFixture('2');
    using made = await read(fixture);
    const { uuid } = checkNamed(made, 'Nightly backup');
    const bodies = (await pingsOf(made))
      .filter(({ checkUuid }) => checkUuid === uuid)
      .map(({ body }) => String(body));
    assert.deepEqual(bodies.slice(0, 2), ['OK 0', 'OK 1\nping=13.5']);
  });

  test('a time that cannot be read, or that has not come, is now', async () => {
    using fixture = new KumaFixture('2');
    fixture.run("update heartbeat set time = 'yesterday' where monitor_id = 9");
    fixture.run("update heartbeat set time = '2199-01-01 00:00:00' where monitor_id = 11");
    using made = await read(fixture);
    assert.equal(checkNamed(made, 'Twenty-four days').imported.state.lastPingAt, NOW);
    assert.ok((await pingsOf(made)).every(({ n }) => n >= 1));
    assert.equal(checkNamed(made, 'Größe & 日本').imported.state.lastPingAt, NOW);
  });
});

describe('settings of the server', () => {
  const telegram = (made: WholeImport) => channelsOf(made).filter(({ name }) => name.startsWith('telegram'));
  const TOKEN = '1234567890:smxijhm6l1G9L8ooJqzEtPJyYvaH54CpoNA';

  test('the first bot is assumed, and chats of another one are webhooks', async () => {
    using fixture = new KumaFixture('2');
    fixture.run("update notification set name = 'telegram 2' where id = 2");
    fixture.configure(2, { type: 'telegram', telegramBotToken: 'another:bot', telegramChatID: '77' });
    using made = await read(fixture);
    assert.deepEqual(
      telegram(made).map(({ kind }) => kind),
      ['telegram', 'webhook'],
    );
    assert.equal(made.settings.get('TELEGRAM_TOKEN'), TOKEN);
    const remark = made.remarks.changed.find(
      ({ entry }) => entry === 'integration Uptime Kuma/webhook/telegram 2',
    );
    assert.equal(remark?.was, 'telegram');
  });

  test('equal ones are used, and with others a webhook is made', async () => {
    using fixture = new KumaFixture('2');
    using equal = await read(fixture, { server: { TELEGRAM_TOKEN: TOKEN } });
    assert.deepEqual([telegram(equal)[0]?.kind, equal.settings.has('TELEGRAM_TOKEN')], ['telegram', false]);
    using other = await read(fixture, { server: { TELEGRAM_TOKEN: 'another' } });
    assert.deepEqual([telegram(other)[0]?.kind, other.settings.has('TELEGRAM_TOKEN')], ['webhook', false]);
    assert.notEqual(telegram(equal)[0]?.uuid, telegram(other)[0]?.uuid);
  });

  test('a chat by name, and a server of their own, are webhooks', async () => {
    using fixture = new KumaFixture('2');
    for (const given of [{ telegramChatID: '@ops' }, { telegramServerUrl: 'https://bots.example.org/' }]) {
      fixture.configure(1, given);
      using made = await read(fixture);
      assert.equal(telegram(made)[0]?.kind, 'webhook');
    }
  });

  test('a value that is no line is not assumed', async () => {
    using fixture = new KumaFixture('2');
    fixture.configure(1, { telegramBotToken: 'a\nSHELL_ENABLED=True' });
    using made = await read(fixture);
    assert.equal(made.settings.has('TELEGRAM_TOKEN'), false);
  });
});

describe('single notifications', () => {
  async function converted(
    id: number,
    settings: Readonly<Record<string, unknown>>,
    server: ReadOptions['server'] = {},
  ) {
    using fixture = new KumaFixture('2');
    fixture.run('delete from notification where id <> ?', id);
    fixture.configure(id, settings);
    using made = await read(fixture, { server });
    const [channel] = channelsOf(made);
    return { ...channel, off: made.channels.get(channel?.uuid ?? '')?.off ?? null, made };
  }

  test('a custom body is translated, and with further braces it is off', async () => {
    const body = '{"a":"{{ name }}","b":"{{STATUS}} {{ msg }}"}';
    const { settings, off } = await converted(6, { webhookCustomBody: body });
    assert.equal(off, null);
    const { down, up } = settings as Record<string, { body: string }>;
    assert.equal(down?.body, '{"a":$NAME_JSON,"b":"🔴 Down [$NAME] [🔴 Down]"}');
    assert.equal(up?.body, '{"a":$NAME_JSON,"b":"✅ Up [$NAME] [✅ Up]"}');
    const left = await converted(6, { webhookCustomBody: "{{ monitorJSON['url'] }}" });
    assert.match(left.off?.error ?? '', /braces/);
    assert.ok(left.made.remarks.changed.some(({ field, became }) => field === 'on' && became === false));
  });

  test('a form, headers that are not JSON and texts that mean something here are off', async () => {
    for (const settings of [
      { webhookContentType: 'form-data' },
      { webhookAdditionalHeaders: 'X-Token: 1' },
      { webhookURL: 'https://hooks.example.org/$NAME' },
    ])
      assert.notEqual((await converted(5, settings)).off, null);
  });

  test('GET has the message in its query', async () => {
    const { settings } = await converted(5, {
      httpMethod: 'get',
      webhookURL: 'https://hooks.example.org/a?b=c#d',
    });
    const { down } = settings as Record<string, { method: string; url: string }>;
    assert.equal(down?.method, 'GET');
    assert.equal(down?.url, 'https://hooks.example.org/a?b=c&msg=%5B$NAME%5D%20%5B%F0%9F%94%B4%20Down%5D');
  });

  test('priorities of ntfy have the defaults of Uptime Kuma', async () => {
    const { settings } = await converted(7, { ntfyPriority: null });
    assert.deepEqual([settings?.priority_down, settings?.priority_up], [5, 4]);
    const given = await converted(7, { ntfyPriority: 2, ntfyPriorityDown: 1 });
    assert.deepEqual([given.settings?.priority_down, given.settings?.priority_up], [1, 2]);
  });

  test('an incident that Uptime Kuma would not resolve is not resolved', async () => {
    const { settings } = await converted(17, { pagerdutyAutoResolve: '0', pagerdutyPriority: '' });
    assert.deepEqual(settings?.events, ['down_timeout', 'down_fail']);
    assert.equal(settings?.severity, 'warning');
    const europe = await converted(17, {
      pagerdutyIntegrationUrl: 'https://events.eu.pagerduty.com/v2/enqueue',
    });
    assert.equal(europe.settings?.region, 'eu');
  });

  test('what the kind refuses is told, and nothing of it', async () => {
    const { uuid, made } = await converted(26, { twilioToNumber: 'my-secret-number' });
    assert.equal(uuid, undefined);
    assert.match(leftOut(made, 'twilio 26')[0]?.reason ?? '', /^phone is not a valid phone number/);
    assert.ok(!JSON.stringify(made.remarks).includes('my-secret-number'));
    assert.match(
      leftOut((await converted(26, { twilioApiKey: 'SK1' })).made, 'twilio 26')[0]?.reason ?? '',
      /API key/,
    );
  });

  test('types that only Apprise knows get a hint', async () => {
    const { made } = await converted(30, {});
    assert.match(leftOut(made, 'line 30')[0]?.hint ?? '', /Apprise/);
    const { made: other } = await converted(31, { type: '__proto__' });
    assert.equal(leftOut(other, 'squadcast 31')[0]?.hint, null);
  });
});
