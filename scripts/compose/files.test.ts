import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/read-config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ROOT, readLock } from '../package/lock.ts';

const FOLDER = join(ROOT, 'deploy/compose');
const FILES = ['sqlite.yaml', 'postgres.yaml'] as const;
/** Variables that compose itself puts into the files. */
const OF_COMPOSE = ['TOCSIN_VERSION', 'BIND'];

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

async function servicesOf(file: string): Promise<Readonly<Record<string, Service | undefined>>> {
  return parse(await readFile(join(FOLDER, file), 'utf8')).services;
}

const example = () => readFile(join(FOLDER, '.env.example'), 'utf8');

suite('the files for compose', () => {
  test('confine the service in the same way with either database', async () => {
    for (const file of FILES) {
      const { tocsin } = await servicesOf(file);
      const { read_only, cap_drop, security_opt, restart, stop_grace_period, mem_limit } =
        tocsin ?? assert.fail(file);
      assert.deepEqual(
        { read_only, cap_drop, security_opt, restart, stop_grace_period, mem_limit },
        {
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          restart: 'unless-stopped',
          stop_grace_period: '45s',
          mem_limit: '512m',
        },
        file,
      );
      assert.deepEqual(tocsin?.volumes, ['data:/data']);
      assert.match(
        tocsin?.environment.SITE_ROOT ?? '',
        /^\$\{SITE_ROOT:\?set SITE_ROOT in \.env, for example /,
      );
    }
  });

  test('offer the port to this machine alone, or to nobody but the proxy', async () => {
    const { tocsin: alone } = await servicesOf('sqlite.yaml');
    assert.deepEqual(alone?.ports, [`\${BIND:-127.0.0.1}:8000:8000`]);
    const { tocsin: behind } = await servicesOf('postgres.yaml');
    assert.equal(behind?.ports, undefined);
  });

  test('wait for PostgreSQL, whose password is in a file', async () => {
    const { tocsin, postgres } = await servicesOf('postgres.yaml');
    assert.deepEqual(tocsin?.depends_on, { postgres: { condition: 'service_healthy' } });
    assert.match(postgres?.image ?? '', /^postgres:\d+$/);
    assert.ok('healthcheck' in (postgres ?? {}));
    assert.equal(postgres?.environment.POSTGRES_PASSWORD_FILE, tocsin?.environment.DB_PASSWORD_FILE);
  });

  test('explain ten settings, each of which exists, with a sentence', async () => {
    const lines = (await example()).trimEnd().split('\n').slice(1);
    const pairs = lines.flatMap((line, index) => (index % 2 === 0 ? [[line, lines[index + 1] ?? '']] : []));
    assert.equal(pairs.length, 10);
    for (const [sentence = '', setting = ''] of pairs) {
      assert.match(sentence, /^# [A-Z].*\.$/);
      const [name = ''] = setting.split('=');
      assert.ok(name in SETTINGS || OF_COMPOSE.includes(name), name);
    }
  });

  test('take the image by the version under which it is loaded', async () => {
    const { version } = await readLock();
    assert.equal(parseEnv(await example()).TOCSIN_VERSION, version);
    for (const file of FILES)
      assert.match((await servicesOf(file)).tocsin?.image ?? '', /^tocsin:\$\{TOCSIN_VERSION:\?set /);
  });

  for (const file of FILES)
    test(`are a configuration that the program takes: ${file}`, async () => {
      const { tocsin } = await servicesOf(file);
      const given = parseEnv(await example());
      const env = { ...given, ...tocsin?.environment, SITE_ROOT: given.SITE_ROOT };
      // The image has this one.
      const config = readConfig({ DATABASE_URL: 'sqlite:/data/tocsin.db', ...env }, () => 'secret');

      assert.equal(config.database.engine, file === 'sqlite.yaml' ? 'sqlite' : 'postgres');
      assert.equal(config.site.root, 'https://tocsin.example.org');
      assert.notEqual(config.backups, null);
    });
});
