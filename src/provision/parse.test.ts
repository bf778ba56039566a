import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProvisionFileError } from './located.ts';
import { parseProvisionFile } from './parse.ts';

const EXAMPLE = `accounts:
  - email: Alice@Example.org
    password: correct horse battery
    limits: { checks: 10000, pings: 1000 }
projects:
  - name: Alpha
    owner: alice@example.org
    keys: { read_write: hcw_aaaaaaaaaaaaaaaaaaaaaaaaaaaa, read_only: hcr_bbbbbbbbbbbbbbbbbbbbbbbbbbbb, ping: cccccccccccccccccccccc }
    integrations:
      - { kind: email, name: Alice mail, email: alice@example.org, verified: true }
      - kind: webhook
        name: Local sink
        down: { method: POST, url: "http://127.0.0.1:9099/down/$CODE", headers: { X-A: b }, body: "$NAME is $STATUS" }
        up: { method: GET, url: "http://127.0.0.1:9099/up/$CODE" }
    checks:
      - { name: Nightly backup, slug: nightly-backup, tags: prod db, schedule: "0 3 * * *", tz: Europe/Riga, grace: 3600, integrations: "*" }
      - { name: Heartbeat, slug: heartbeat, timeout: 300, grace: 60 }
`;

/** The faults as a person reads them. */
function faultsOf(content: string): string[] {
  try {
    parseProvisionFile('tocsin.yaml', content);
    return [];
  } catch (error) {
    assert.ok(error instanceof ProvisionFileError, String(error));
    return error.message.split('\n');
  }
}

const project = (lines: string) => `projects:
  - name: Alpha
    owner: alice@example.org
${lines}`;

const NOTHING = { source: 'default', accounts: [], projects: [] };

describe('a provisioning file', () => {
  test('names an integration, whatever settings its kind has', () => {
    const content = project('    integrations:\n      - { kind: telegram, name: On call, id: 5 }\n');

    const [channel] = parseProvisionFile('tocsin.yaml', content).projects[0]?.channels ?? [];

    assert.deepEqual(
      [channel?.name, channel?.settings],
      ['On call', { id: 5, thread_id: null, type: 'private', name: '' }],
    );
  });

  test('declares accounts, projects, keys, integrations and checks', () => {
    const { accounts, projects } = parseProvisionFile('tocsin.yaml', EXAMPLE);

    assert.deepEqual(accounts, [
      {
        line: 2,
        email: 'alice@example.org',
        password: 'correct horse battery',
        limits: { checks: 10000, pings: 1000 },
      },
    ]);
    const [alpha] = projects;
    assert.deepEqual(alpha?.keys, {
      readWrite: 'hcw_aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      readOnly: 'hcr_bbbbbbbbbbbbbbbbbbbbbbbbbbbb',
      ping: 'cccccccccccccccccccccc',
    });
    assert.deepEqual(alpha?.channels, [
      {
        line: 10,
        kind: 'email',
        name: 'Alice mail',
        settings: { email: 'alice@example.org' },
        verified: true,
      },
      {
        line: 11,
        kind: 'webhook',
        name: 'Local sink',
        settings: {
          down: {
            method: 'POST',
            url: 'http://127.0.0.1:9099/down/$CODE',
            headers: { 'X-A': 'b' },
            body: '$NAME is $STATUS',
          },
          up: { method: 'GET', url: 'http://127.0.0.1:9099/up/$CODE', headers: {}, body: '' },
        },
        verified: true,
      },
    ]);
    assert.deepEqual(alpha?.checks, [
      {
        line: 16,
        slug: 'nightly-backup',
        edit: {
          name: 'Nightly backup',
          slug: 'nightly-backup',
          tags: 'prod db',
          schedule: { kind: 'cron', expression: '0 3 * * *' },
          tz: 'Europe/Riga',
          graceSeconds: 3600,
        },
        channels: '*',
      },
      {
        line: 17,
        slug: 'heartbeat',
        edit: { name: 'Heartbeat', slug: 'heartbeat', timeoutSeconds: 300, graceSeconds: 60 },
      },
    ]);
  });

  test('says how a check comes: new, up, down or paused', () => {
    const lastPing = 'last_ping: 2026-11-17T08:00:00+00:00';
    const lastPingAt = 1_794_902_400_000_000;
    for (const [written, arrival] of [
      ['timeout: 60', undefined],
      ['down: false, paused: false', undefined],
      [lastPing, { status: 'up', lastPingAt }],
      [`${lastPing}, down: false`, { status: 'up', lastPingAt }],
      [`${lastPing}, down: true`, { status: 'down', lastPingAt }],
      ['down: true', { status: 'down', lastPingAt: null }],
      [`${lastPing}, paused: true`, { status: 'paused', lastPingAt }],
      ['paused: true', { status: 'paused', lastPingAt: null }],
    ] as const) {
      const content = project(`    checks:\n      - { slug: a, ${written} }\n`);
      const [check] = parseProvisionFile('tocsin.yaml', content).projects[0]?.checks ?? [];
      assert.deepEqual(check?.arrival, arrival, written);
    }
  });

  test('may be empty, or name only what it wants to have', () => {
    assert.deepEqual(parseProvisionFile('tocsin.yaml', ''), NOTHING);
    assert.deepEqual(parseProvisionFile('tocsin.yaml', 'accounts: []\n'), NOTHING);
  });

  test('may name its source, and what projects, integrations and accounts are called', () => {
    const uuid = '9e05ca7a-26f1-11a9-b683-13f7adc8cdd8';
    const { source, accounts, projects } = parseProvisionFile(
      'tocsin.yaml',
      `source: infra
accounts: [{ email: a@example.org, name: Alice, admin: true, theme: dark }]
projects:
  - uuid: ${uuid}
    name: Alpha
    owner: a@example.org
    integrations: [{ uuid: ${uuid}, kind: ntfy, url: https://ntfy.example.org, topic: jobs }]
  - { name: Alpha, owner: a@example.org }
`,
    );

    assert.equal(source, 'infra');
    assert.deepEqual(accounts, [
      { line: 2, email: 'a@example.org', name: 'Alice', isAdmin: true, theme: 'dark' },
    ]);
    assert.deepEqual(
      projects.map((project) => [project.uuid, project.name]),
      [
        [uuid, 'Alpha'],
        [undefined, 'Alpha'],
      ],
    );
    assert.deepEqual(
      projects[0]?.channels.map((channel) => [channel.uuid, channel.name]),
      [[uuid, '']],
    );
  });

  test('may say what accounts are written to about, and who is a member', () => {
    const { accounts, projects } = parseProvisionFile(
      'tocsin.yaml',
      `accounts:
  - { email: a@b.c, tz: Europe/Kiev, reports: weekly, reminders: hourly }
  - { email: d@e.f, reports: off, reminders: off }
projects:
  - name: Alpha
    owner: a@b.c
    members:
      - D@E.F
      - { email: G@h.i, role: manager }
      - email: j@k.l
        role: read_only
      - { email: m@n.o }
`,
    );

    assert.deepEqual(accounts, [
      { line: 2, email: 'a@b.c', tz: 'Europe/Kyiv', reports: 'weekly', reminders: 'hourly' },
      { line: 3, email: 'd@e.f', reports: 'off', reminders: 'off' },
    ]);
    assert.deepEqual(projects[0]?.members, [
      { line: 8, email: 'd@e.f' },
      { line: 9, email: 'g@h.i', role: 'manager' },
      { line: 10, email: 'j@k.l', role: 'read_only' },
      { line: 12, email: 'm@n.o' },
    ]);
  });

  test('may list integrations instead of joining them with commas', () => {
    const { projects } = parseProvisionFile(
      'tocsin.yaml',
      project('    checks:\n      - { slug: a, integrations: [Alice mail, Local sink] }\n'),
    );

    assert.equal(projects[0]?.checks[0]?.channels, 'Alice mail,Local sink');
  });

  test('is refused with the line and the reason of every fault at once', () => {
    const content = project(`    colour: red
    keys: { read_write: short, read_only: hcw_aaaaaaaaaaaaaaaaaaaaaaaaaaaa, ping: tiny }
    checks:
      - { slug: a, timeout: 59 }
      - { name: No slug }
      - { slug: b, schedule: "0 3 * * FRI-MON" }
      - { slug: c, tz: Mars/Olympus }
`);

    assert.deepEqual(faultsOf(content), [
      'tocsin.yaml:4: projects[0]: colour is not known (known here: uuid, name, owner, job_declarations, members, keys, api_keys, integrations, checks, dialects, status_pages, walls, views, calendars, policies, policy, tags, quiet_times)',
      'tocsin.yaml:5: projects[0].keys: read_write is not 32 characters long',
      'tocsin.yaml:5: projects[0].keys: read_only begins with "hcw_", which marks the other kind',
      'tocsin.yaml:5: projects[0].keys: ping is not 16 to 128 characters long',
      'tocsin.yaml:7: projects[0].checks[0]: timeout is too small',
      'tocsin.yaml:8: projects[0].checks[1]: slug is missing',
      'tocsin.yaml:9: projects[0].checks[2]: schedule is not a valid cron or OnCalendar expression: In the day-of-week field, "FRI-MON" runs backwards: write "5-7,0-1".',
      'tocsin.yaml:10: projects[0].checks[3]: tz is not a valid timezone',
    ]);
  });

  const faulty: [what: string, content: string, fault: RegExp][] = [
    ['text that is not YAML', 'accounts: [\n', /^tocsin\.yaml:\d+: /],
    ['a list instead of a mapping', '- a\n', /^tocsin\.yaml:1: the file is not a mapping$/],
    [
      'an unknown section',
      'people: []\n',
      /:1: people is not known \(known here: source, accounts, projects, tokens\)$/,
    ],
    ['accounts that are no list', 'accounts: { a: b }\n', /:1: accounts is not a list$/],
    ['an account that is no mapping', 'accounts:\n  - alice\n', /:2: accounts\[0\] is not a mapping$/],
    ['an account without an address', 'accounts:\n  - password: long enough\n', /:2: .*email is missing$/],
    [
      'an address that is none',
      'accounts:\n  - email: alice\n',
      /:2: .*email is not a valid e-mail address$/,
    ],
    [
      'a short password',
      'accounts:\n  - { email: a@b.c, password: short }\n',
      /:2: .*fewer than 8 characters$/,
    ],
    [
      'a limit below zero',
      'accounts:\n  - { email: a@b.c, limits: { checks: -1 } }\n',
      /:2: .*checks is too small$/,
    ],
    [
      'a time zone that is none',
      'accounts:\n  - email: a@b.c\n    tz: Mars/Olympus\n',
      /:3: .*tz is not a valid timezone$/,
    ],
    [
      'reports of an unknown period',
      'accounts:\n  - email: a@b.c\n    reports: hourly\n',
      /:3: .*reports is not a valid period \(known: off, daily, weekly, monthly\)$/,
    ],
    [
      'reminders of an unknown period',
      'accounts:\n  - email: a@b.c\n    reminders: monthly\n',
      /:3: .*reminders is not a valid period \(known: off, hourly, daily\)$/,
    ],
    [
      'a member that is no address',
      project('    members:\n      - a@b.c\n      - alice\n'),
      /:6: projects\[0\]\.members\[1\]: it is not a valid e-mail address$/,
    ],
    [
      'a member that is no text',
      project('    members:\n      - 7\n'),
      /:5: projects\[0\]\.members\[0\]: it is not a string$/,
    ],
    [
      'a member without an address',
      project('    members:\n      - { role: manager }\n'),
      /:5: projects\[0\]\.members\[0\]: email is missing$/,
    ],
    [
      'a role that nobody can be given',
      project('    members:\n      - email: a@b.c\n        role: owner\n'),
      /:6: projects\[0\]\.members\[0\]: role is not a valid role \(known: read_only, member, manager\)$/,
    ],
    [
      'a member with something unknown',
      project('    members:\n      - { email: a@b.c, rolle: manager }\n'),
      /:5: projects\[0\]\.members\[0\]: rolle is not known \(known here: email, role\)$/,
    ],
    ['members that are no list', project('    members: a@b.c\n'), /:4: .*members is not a list$/],
    [
      'an account twice',
      'accounts:\n  - email: a@b.c\n  - email: A@B.C\n',
      /:3: account a@b\.c is declared on line 2 already$/,
    ],
    ['a key that YAML repeats', 'accounts: []\naccounts: []\n', /:2: Map keys must be unique$/],
    ['a project without an owner', 'projects:\n  - name: Alpha\n', /:2: .*owner is missing$/],
    ['a nameless project', 'projects:\n  - { name: "", owner: a@b.c }\n', /:2: .*name: it is empty$/],
    [
      'an unknown kind',
      project('    integrations:\n      - { kind: pigeon, name: P }\n'),
      /:5: .*kind is not a valid kind \(known: (\w+, )*ntfy, (\w+, )*webhook(, \w+)*\)$/,
    ],
    [
      'a setting of another kind',
      project('    integrations:\n      - { kind: email, name: P, email: a@b.c, url: x }\n'),
      /:5: .*url is not known/,
    ],
    [
      'a webhook without calls',
      project('    integrations:\n      - { kind: webhook, name: P }\n'),
      /:5: .*down and up are both missing$/,
    ],
    [
      'a webhook to a file',
      project('    integrations:\n      - { kind: webhook, name: P, down: { url: "file:///etc/passwd" } }\n'),
      /:5: .*down\.url is not a valid http or https URL$/,
    ],
    [
      'a header that breaks the line',
      project(
        '    integrations:\n      - { kind: webhook, name: P, down: { url: "http://a", headers: { X: "a\\nb" } } }\n',
      ),
      /:5: .*headers\.X is not a string of one line$/,
    ],
    [
      'a slug twice in one project',
      project('    checks:\n      - slug: a\n      - slug: a\n'),
      /:6: slug a is declared on line 5 already$/,
    ],
    [
      'a number where a text belongs',
      project('    checks:\n      - { slug: 1 }\n'),
      /:5: .*slug is not a string$/,
    ],
    [
      'a last ping that is no text',
      project('    checks:\n      - slug: a\n        last_ping: 1731830400\n'),
      /:6: .*checks\[0\]: last_ping is not a string$/,
    ],
    [
      'a last ping that is no time',
      project('    checks:\n      - slug: a\n        last_ping: yesterday\n'),
      /:6: .*last_ping is not a valid time such as 2026-11-17T08:00:00\+00:00$/,
    ],
    [
      'a last ping without an offset',
      project('    checks:\n      - slug: a\n        last_ping: 2026-11-17T08:00:00\n'),
      /:6: .*last_ping is not a valid time/,
    ],
    [
      'a last ping from before there were any',
      project('    checks:\n      - slug: a\n        last_ping: 0001-01-01T00:00:00Z\n'),
      /:6: .*last_ping is not a valid time/,
    ],
    [
      'a check that is down by a word',
      project('    checks:\n      - slug: a\n        down: hard\n'),
      /:6: .*down is not a boolean$/,
    ],
    [
      'a check that is both down and paused',
      project('    checks:\n      - slug: a\n        paused: true\n        down: true\n'),
      /:7: .*a check is either down or paused$/,
    ],
    [
      'a description that is too long',
      project(`    checks:\n      - { slug: a, desc: ${'d'.repeat(100_001)} }\n`),
      /:5: .*desc is too long$/,
    ],
    [
      'a list of integrations that is too long',
      project(`    checks:\n      - { slug: a, integrations: [${'abcdefghi, '.repeat(10_001)}] }\n`),
      /:5: .*integrations is too long$/,
    ],
    [
      'a password that is too long',
      `accounts:\n  - { email: a@b.c, password: ${'p'.repeat(1_001)} }\n`,
      /:2: .*password is too long$/,
    ],
    [
      'a name of a project that is too long',
      `projects:\n  - { name: ${'n'.repeat(61)}, owner: a@b.c }\n`,
      /:2: .*name is too long$/,
    ],
    [
      'a name of an integration that is too long',
      project(`    integrations:\n      - { kind: email, name: ${'n'.repeat(101)}, email: a@b.c }\n`),
      /:5: .*name is too long$/,
    ],
    [
      'an address that is too long',
      `accounts:\n  - { email: ${'a'.repeat(250)}@b.cd }\n`,
      /:2: .*email is too long$/,
    ],
    [
      'a webhook with too many headers',
      project(
        `    integrations:\n      - { kind: webhook, name: P, down: { url: "http://a", headers: { ${Array.from({ length: 51 }, (_, n) => `X-${n}: a`).join(', ')} } } }\n`,
      ),
      /:5: .*down\.headers has more than 50 headers$/,
    ],
    [
      'a field of one request only',
      project('    checks:\n      - { slug: a, unique: [name] }\n'),
      /:5: .*unique is not known/,
    ],
  ];
  for (const [what, content, fault] of faulty) {
    test(`is refused for ${what}`, () => {
      const [first = 'no fault', ...others] = faultsOf(content);

      assert.match(first, fault);
      assert.deepEqual(others, []);
    });
  }

  test('keeps secrets out of its faults', () => {
    const faults = faultsOf(project('    keys: { read_write: hcw_very-secret, ping: also secret }\n')).join(
      '\n',
    );

    assert.doesNotMatch(faults, /very-secret|also secret/);
  });

  test('may name a member by an alias, as it may an owner', () => {
    const { projects } = parseProvisionFile(
      'tocsin.yaml',
      'projects:\n  - { name: Alpha, owner: &alice alice@example.org }\n  - { name: Beta, owner: *alice, members: [*alice] }\n',
    );

    assert.deepEqual(projects[1]?.members, [{ line: 3, email: 'alice@example.org' }]);
  });

  test('may use one anchor in any number of checks', () => {
    const checks = Array.from(
      { length: 500 },
      (_, n) => `      - { slug: c${n}, integrations: *all }\n`,
    ).join('');

    const { projects } = parseProvisionFile(
      'tocsin.yaml',
      project(`    checks:\n      - { slug: first, integrations: &all [Mail, Sink] }\n${checks}`),
    );

    assert.equal(projects[0]?.checks.length, 501);
    assert.equal(projects[0]?.checks.at(-1)?.channels, 'Mail,Sink');
  });

  test('with very many faults is told of the first hundred', () => {
    const lines = faultsOf(Array.from({ length: 1_000 }, (_, n) => `k${n}: 1\n`).join(''));

    assert.equal(lines.length, 101);
    assert.equal(lines.at(-1), 'and 900 more faults');
  });

  test('with numbers that are too large is refused field by field', () => {
    assert.deepEqual(
      faultsOf(project(`    checks:\n      - { slug: a, timeout: ${'9'.repeat(1000)}, grace: .nan }\n`)),
      ['tocsin.yaml:5: projects[0].checks[0]: grace is not a number'],
    );
    assert.deepEqual(faultsOf(project(`    checks:\n      - { slug: a, timeout: 1e999 }\n`)), [
      'tocsin.yaml:5: projects[0].checks[0]: timeout is too large',
    ]);
  });
});
