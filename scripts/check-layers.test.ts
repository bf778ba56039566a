import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { findStaleNames, findViolations, readTree } from './check-layers.ts';

function violations(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files)));
}

test('the tree as it is keeps the rules', async () => {
  const files = await readTree(dirname(import.meta.dirname));

  assert.ok(files.has('src/main.ts'));
  assert.deepEqual(findViolations(files), []);
  assert.deepEqual(findStaleNames(files), []);
});

test('a layer that has left the tree is told', async () => {
  const files = await readTree(dirname(import.meta.dirname));
  const rest = new Map([...files].filter(([path]) => !path.startsWith('src/alerts/')));

  assert.deepEqual(findStaleNames(rest), ['scripts/check-layers.ts names src/alerts, which is not there']);
});

test('an import may point down, into its own folder, and to packages', () => {
  const found = violations({
    'src/lib/clock.ts': 'export const one = 1;',
    'src/domain/check/check.ts': `import { one } from '../../lib/clock.ts';\nimport { two } from '../schedule/cron.ts';`,
    'src/domain/schedule/cron.ts': `import { argon2 } from 'node:crypto';`,
    'src/http/server.ts': `import findMyWay from 'find-my-way';\nimport '../domain/check/check.ts';`,
    'src/main.ts': `import './config/read-config.ts';\nimport './http/server.ts';\nimport './storage/sql/store.ts';`,
    'src/config/read-config.ts': `import { readFileSync } from 'node:fs';`,
    'src/storage/sql/store.ts': `import pg from 'pg';\nimport type { Check } from '../../domain/check/check.ts';`,
    'src/cli/index.ts': `import { startApp } from '../main.ts';\nimport { readConfig } from '../config/read-config.ts';`,
  });

  assert.deepEqual(found, []);
});

test('an import that points up is told with its line and both ends', () => {
  const found = violations({
    'src/domain/check.ts': `import type { Deps } from '../lib/deps.ts';\n\nimport type { Tx } from '../storage/store.ts';`,
  });

  assert.deepEqual(found, [
    'src/domain/check.ts:3 imports src/storage/store.ts: domain may not know storage',
  ]);
});

test('the companion knows neither packages nor the service, and commands know its door alone', () => {
  const found = violations({
    'src/companion/main.ts': `import 'node:fs';\nimport 'yaml';\nimport '../lib/clock.ts';`,
    'src/cli/commands.ts': `import '../companion/main.ts';\nimport '../companion/profile.ts';`,
  });

  assert.deepEqual(found, [
    'src/cli/commands.ts:2 imports src/companion/profile.ts: of companion, cli may know only main.ts',
    'src/companion/main.ts:2 imports yaml: companion uses no packages',
    'src/companion/main.ts:3 imports src/lib/clock.ts: companion may not know lib',
  ]);
});

test('a folder of domain or services imports from those below it and from the files at the top', () => {
  const found = violations({
    'src/domain/check/check.ts': `import '../errors.ts';\nimport '../schedule/cron.ts';\nimport '../ping/ping.ts';`,
    'src/domain/ping/ping.ts': `import '../check/check.ts';\nimport '../alert/mail.ts';`,
    'src/domain/errors.ts': `import './change.ts';\nimport './people/account.ts';`,
    'src/services/check/checks.ts': `import '../../domain/check/check.ts';\nimport '../core/actor.ts';\nimport '../ping/ingest.ts';`,
    'src/services/core/actor.ts': '',
  });

  assert.deepEqual(
    found.filter((line) => !line.includes('circle')),
    [
      'src/domain/check/check.ts:3 imports src/domain/ping/ping.ts: check may not know ping',
      'src/domain/errors.ts:2 imports src/domain/people/account.ts: the top of domain may not know people',
      'src/domain/ping/ping.ts:2 imports src/domain/alert/mail.ts: ping may not know alert',
      'src/services/check/checks.ts:3 imports src/services/ping/ingest.ts: check may not know ping',
    ],
  );
});

for (const [what, code] of Object.entries({
  'a static import': `import { x } from '../http/x.ts';`,
  'an import of a default': `import x from "../http/x.ts";`,
  'an import over several lines': `import {\n  x,\n  type Y,\n} from '../http/x.ts';`,
  'an import of a type': `import type { X } from '../http/x.ts';`,
  'an import for its effect': `import '../http/x.ts';`,
  'an import of everything': `import * as x from '../http/x.ts';`,
  'a dynamic import': `const { x } = await import('../http/x.ts');`,
  'a dynamic import by a template': 'const { x } = await import(`../http/x.ts`);',
  'a type by import': `let x: import('../http/x.ts').X;`,
  'a re-export': `export { x } from '../http/x.ts';`,
  'a re-export of a type': `export type { X } from '../http/x.ts';`,
  'a re-export of everything': `export * from '../http/x.ts';`,
})) {
  test(`${what} counts`, () => {
    const found = violations({ 'src/services/checks.ts': `const a = 1;\n${code}` });

    assert.deepEqual(found, ['src/services/checks.ts:2 imports src/http/x.ts: services may not know http']);
  });
}

test('what only looks like an import does not count', () => {
  const found = violations({
    'src/lib/text.ts': [
      `// import '../http/x.ts';`,
      `/* import '../http/x.ts'; */`,
      `const text = "import '../http/x.ts'";`,
      `const template = \`\${\`a\${{ b: 1 }.b}\`} import "../http/x.ts"\`;`,
      `const pattern = /[/'"]import '..\\/http'/;`,
      `const from = 8, half = from / 2; // '`,
      `const url = import.meta.url;`,
      `const query = Array.from('../http/x.ts');`,
    ].join('\n'),
  });

  assert.deepEqual(found, []);
});

test('an import whose path is computed is refused, because nobody can tell where it points', () => {
  const found = violations({ 'src/lib/load.ts': 'export const load = (name: string) => import(name);' });

  assert.deepEqual(found, [
    'src/lib/load.ts:1 imports a computed path: which file that is cannot be read here',
  ]);
});

test('the folders of one layer are blind to each other', () => {
  const found = violations({
    'src/storage/open.ts': `import '../integrations/registry.ts';`,
    'src/smtp/receive.ts': `import '../http/server.ts';`,
  });

  assert.deepEqual(found, [
    'src/smtp/receive.ts:1 imports src/http/server.ts: smtp may not know http',
    'src/storage/open.ts:1 imports src/integrations/registry.ts: storage may not know integrations',
  ]);
});

test('below main nobody knows the configuration', () => {
  const found = violations({
    'src/http/server.ts': `import type { Config } from '../config/config.ts';`,
    'src/services/checks.ts': `import { startApp } from '../main.ts';`,
    'src/config/config.ts': `import { startApp } from '../main.ts';`,
  });

  assert.deepEqual(found, [
    'src/config/config.ts:1 imports src/main.ts: config may not know main.ts',
    'src/http/server.ts:1 imports src/config/config.ts: http may not know config',
    'src/services/checks.ts:1 imports src/main.ts: services may not know main.ts',
  ]);
});

test('services and edges know the store, not what is behind it', () => {
  const found = violations({
    'src/services/checks.ts': `import '../storage/store.ts';\nimport '../storage/sql/checks.ts';`,
    'src/http/server.ts': `import '../storage/store.ts';\nimport '../storage/sqlite/store.ts';`,
  });

  assert.deepEqual(found, [
    'src/http/server.ts:2 imports src/storage/sqlite/store.ts: of storage, http may know only store.ts',
    'src/services/checks.ts:2 imports src/storage/sql/checks.ts: of storage, services may know only store.ts',
  ]);
});

test('services know the registry of integrations, not the single kinds', () => {
  const found = violations({
    'src/services/deliveries.ts': `import '../integrations/registry.ts';\nimport '../integrations/email/send.ts';`,
  });

  assert.deepEqual(found, [
    'src/services/deliveries.ts:2 imports src/integrations/email/send.ts: of integrations, services may know only registry.ts',
  ]);
});

test('domain, wire and services have no effects of their own', () => {
  const found = violations({
    'src/domain/check.ts': `import { readFile } from 'node:fs/promises';`,
    'src/wire/api/body.ts': `import type { IncomingMessage } from 'node:http';`,
    'src/services/checks.ts': `import { DatabaseSync } from 'node:sqlite';\nimport { createHash } from 'node:crypto';`,
    'src/lib/files.ts': `import { readFile } from 'node:fs/promises';`,
  });

  assert.deepEqual(found, [
    'src/domain/check.ts:1 imports node:fs/promises: domain has no effects of its own',
    'src/services/checks.ts:1 imports node:sqlite: services has no effects of its own',
    'src/wire/api/body.ts:1 imports node:http: wire has no effects of its own',
  ]);
});

for (const code of [
  'Date.now()',
  'new Date()',
  'Temporal.Now.instant()',
  'performance.now()',
  'Math.random()',
  'crypto.randomUUID()',
  'process.env.PORT',
]) {
  test(`${code} is refused outside the places made for it`, () => {
    const [only, ...others] = violations({ 'src/lib/x.ts': `\nconst x = ${code};` });

    assert.match(only ?? '', /^src\/lib\/x\.ts:2 uses .*have it passed in$/);
    assert.deepEqual(others, []);
  });
}

test('chance is refused by the name that is imported, not by the name of a parameter', () => {
  const found = violations({
    'src/services/keys.ts': `import { createHash, randomBytes as bytes } from 'node:crypto';`,
    'src/domain/keys.ts': 'const key = (randomBytes: (n: number) => Uint8Array) => randomBytes(16);',
    'src/lib/vault.ts': 'const iv = (random: Random) => random.bytes(12);',
  });

  assert.deepEqual(found, [
    'src/services/keys.ts:1 imports randomBytes of node:crypto: only src/lib/random.ts, src/main.ts, src/cli/, src/companion/main.ts may read chance; have it passed in',
  ]);
});

test('time, chance and the environment are read in the places made for them', () => {
  const found = violations({
    'src/lib/clock.ts': 'export const now = () => Temporal.Now.instant();',
    'src/lib/clock.test.ts': 'const before = Date.now();',
    'src/lib/random.ts': `import { randomBytes, randomUUID } from 'node:crypto';`,
    'src/cli/serve.ts': 'const started = Date.now();',
    'src/cli/program.ts': 'const env = process.env;',
    'src/lib/instant.ts': 'const date = new Date(0);',
  });

  assert.deepEqual(found, []);
});

test('only the entries name the environment', () => {
  const found = violations({ 'src/cli/serve.ts': 'const port = process.env.PORT;' });

  assert.deepEqual(found, [
    'src/cli/serve.ts:1 uses process.env: only src/cli/program.ts, src/health.ts, src/companion/main.ts may read the environment; have it passed in',
  ]);
});

test('tests may import from any layer and from outside, and make their own time and chance', () => {
  const found = violations({
    'src/domain/check.test.ts': `import '../http/server.ts';\nimport '../../test/factories.ts';\nDate.now();`,
    'src/storage/contract.test-suite.ts': `import '../services/checks.ts';`,
    'src/domain/check.test-support.ts': `import { readFileSync } from 'node:fs';`,
  });

  assert.deepEqual(found, []);
});

test('what runs in production imports neither tests nor anything outside src', () => {
  const found = violations({
    'src/main.ts': `import './storage/contract.test-suite.ts';\nimport '../test/app.ts';`,
  });

  assert.deepEqual(found, [
    'src/main.ts:1 imports src/storage/contract.test-suite.ts: that is a test',
    'src/main.ts:2 imports test/app.ts: src may not know what is outside of it',
  ]);
});

test('a circle of imports is told as a whole, also within one folder and by types alone', () => {
  const found = violations({
    'src/domain/a.ts': `import './b.ts';`,
    'src/domain/b.ts': `import './c.ts';\nimport './d.ts';`,
    'src/domain/c.ts': `\nimport type { A } from './a.ts';`,
    'src/domain/d.ts': '',
  });

  assert.deepEqual(found, [
    'src/domain/c.ts:2 closes a circle: src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts',
  ]);
});

test('a new folder needs a place among the layers', () => {
  const found = violations({ 'src/metrics/count.ts': '' });

  assert.deepEqual(found, [
    'src/metrics/count.ts:1 is in no layer: give metrics a place in scripts/check-layers.ts',
  ]);
});

test('the lock file names no registry', () => {
  const found = violations({
    'package-lock.json': `{\n  "node_modules/pg": {\n    "resolved": "https://example.org/pg.tgz"\n  }\n}`,
  });

  assert.deepEqual(found, ['package-lock.json:3 names the host of a registry: "resolved"']);
});

test('a text that cannot be read to its end stops the check instead of passing it', () => {
  assert.throws(() => violations({ 'src/lib/x.ts': "\nconst x = 'abc" }), /src\/lib\/x\.ts:2 /);
});
